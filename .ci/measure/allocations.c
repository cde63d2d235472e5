/* Counts the calls of malloc(3) and its relatives, and prints the count on standard error at each SIGUSR1.
   Preloaded into the server: see allocations.py. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_ulong count;

void *malloc(size_t size) {
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  return __libc_realloc(memory, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

void *aligned_alloc(size_t alignment, size_t size) {
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  return __libc_memalign(alignment, size);
}

/* Only async-signal-safe calls: it formats the digits itself, and calls write(2). */
static void tell(int signal) {
  (void)signal;
  char line[32];
  size_t start = sizeof line;
  line[--start] = '\n';
  unsigned long rest = atomic_load(&count);
  do line[--start] = (char)('0' + rest % 10); while (rest /= 10);
  ssize_t written = write(2, line + start, sizeof line - start);
  (void)written;
}

__attribute__((constructor)) static void begin(void) { signal(SIGUSR1, tell); }
