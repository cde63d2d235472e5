// Answers every request after a delay with the same bytes, and does nothing else: no parsing, no state, no journal. Its
// lateness is that of the kernel and of the client. A client must stay connected until its response.
//
// Usage: loop DELAY-IN-MILLISECONDS RESPONSE-FILE. It prints its port, and serves until it is ended.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "program.h"

enum { events_at_once = 64, maximum_waiting = 1 << 16 };

struct due {
  long at;
  int connection;
};

static void watch(int poll, int descriptor) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
  if (epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event) < 0) fail("loop: watch");
}

static void accept_all(int poll, int listener) {
  int connection, on = 1;
  while ((connection = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    watch(poll, connection);
  }
}

int main(int count_of_arguments, char **arguments) {
  if (count_of_arguments != 3) {
    fprintf(stderr, "usage: loop DELAY-IN-MILLISECONDS RESPONSE-FILE\n");
    return 64;
  }
  long delay = atol(arguments[1]) * 1000000L;
  static char request[1 << 16], response[1 << 16];
  FILE *file = fopen(arguments[2], "rb");
  if (!file) fail("loop: response");
  ssize_t length = fread(response, 1, sizeof response, file);

  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), poll = epoll_create1(0);
  if (bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, 4096) < 0) fail("loop: listen");
  getsockname(listener, (struct sockaddr *)&address, &size);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  watch(poll, listener);

  // All delays are equal, so the responses are due in the order of their requests.
  static struct due waiting[maximum_waiting];
  unsigned long first = 0, end = 0;
  struct epoll_event events[events_at_once];
  for (;;) {
    long left = first < end ? waiting[first % maximum_waiting].at - now() : 1000000000L;
    if (left < 0) left = 0;
    struct timespec timeout = {left / 1000000000L, left % 1000000000L};
    int count = epoll_pwait2(poll, events, events_at_once, &timeout, NULL);
    if (count < 0 && errno != EINTR) fail("loop: wait");
    for (long time = now(); first < end && waiting[first % maximum_waiting].at <= time; first++)
      if (send(waiting[first % maximum_waiting].connection, response, length, MSG_NOSIGNAL) != length) fail("loop: send");
    for (int index = 0; index < count; index++) {
      int ready = events[index].data.fd;
      if (ready == listener) accept_all(poll, listener);
      else if (recv(ready, request, sizeof request, 0) <= 0) close(ready);
      else if (end - first == maximum_waiting) fail("loop: too many requests");
      else waiting[end++ % maximum_waiting] = (struct due){now() + delay, ready};
    }
  }
}
