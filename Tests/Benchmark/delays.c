// Opens connections, keeps them idle, sends one request on each within a span of time, and prints the time of each response in
// microseconds, one per line: from just before the request's write until just after the read of the response's first bytes.
// It sleeps in epoll_pwait2 with a deadline in nanoseconds, so that its own delay is small.
//
// Usage: delays PORT COUNT SPAN-IN-MILLISECONDS REST-IN-MILLISECONDS REQUEST-FILE

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "program.h"

enum { patience_seconds = 60, events_at_once = 256 };

static int connected(int port) {
  int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&address, sizeof address) < 0) fail("delays: connect");
  int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return descriptor;
}

static long wait_for(int poll, struct epoll_event *events, long until) {
  long left = until - now();
  if (left < 0) left = 0;
  struct timespec timeout = {left / 1000000000L, left % 1000000000L};
  int count = epoll_pwait2(poll, events, events_at_once, &timeout, NULL);
  if (count < 0 && errno != EINTR) fail("delays: wait");
  return count < 0 ? 0 : count;
}

int main(int count_of_arguments, char **arguments) {
  if (count_of_arguments != 6) {
    fprintf(stderr, "usage: delays PORT COUNT SPAN-IN-MILLISECONDS REST-IN-MILLISECONDS REQUEST-FILE\n");
    return 64;
  }
  int port = atoi(arguments[1]), count = atoi(arguments[2]);
  long span = atol(arguments[3]) * 1000000L, rest = atol(arguments[4]) * 1000000L;
  char request[4096];
  FILE *file = fopen(arguments[5], "rb");
  if (!file) fail("delays: request");
  size_t length = fread(request, 1, sizeof request, file);

  int poll = epoll_create1(0);
  int *connections = calloc(count, sizeof *connections);
  long *sent = calloc(count, sizeof *sent), *taken = calloc(count, sizeof *taken);
  for (int index = 0; index < count; index++) {
    connections[index] = connected(port);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = index};
    epoll_ctl(poll, EPOLL_CTL_ADD, connections[index], &event);
  }
  usleep(rest / 1000);

  struct epoll_event events[events_at_once];
  char response[1 << 16];
  long began = now();
  int begun = 0, ended = 0;
  while (ended < count) {
    if (now() - began > patience_seconds * 1000000000L) {
      fprintf(stderr, "delays: only %d of %d responses came\n", ended, count);
      return 1;
    }
    // Sends one request between two polls, so that responses are read as soon as they arrive.
    if (begun < count && now() - began >= span * begun / count) {
      sent[begun] = now();
      if (write(connections[begun], request, length) != (ssize_t)length) fail("delays: write");
      begun++;
    }
    long until = begun < count ? began + span * begun / count : now() + 1000000000L;
    long ready = wait_for(poll, events, until);
    for (long place = 0; place < ready; place++) {
      int index = events[place].data.u32;
      long size = read(connections[index], response, sizeof response);
      if (size <= 0) fail("delays: read");
      if (taken[index]) continue;
      if (size < 12 || memcmp(response, "HTTP/1.1 200", 12)) {
        fprintf(stderr, "delays: a response is not a 200: %.*s\n", (int)(size < 12 ? size : 12), response);
        return 1;
      }
      taken[index] = now() - sent[index];
      ended++;
    }
  }
  for (int index = 0; index < count; index++) printf("%.3f\n", taken[index] / 1000.0);
  return 0;
}
