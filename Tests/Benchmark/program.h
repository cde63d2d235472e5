// The clock of the programs that measure delays, and their end when a system call fails.

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}
