#ifndef UNDERSTUDY_EPOLL_H
#define UNDERSTUDY_EPOLL_H

/* What Linux has and Glibc's Swift module leaves out. */
#ifdef __linux__
#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#ifdef __GLIBC__
#include <malloc.h>

extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
extern int pipe2(int ends[2], int flags);
extern int ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *timeout, const __sigset_t *mask);
#define UNDERSTUDY_HAS_PWAIT2 __GLIBC_PREREQ(2, 35)
#else
#define UNDERSTUDY_HAS_PWAIT2 0
#endif

/* The masks of events, which Glibc declares as an enumeration and musl as numbers. */
static const unsigned understudy_epoll_input = EPOLLIN;
static const unsigned understudy_epoll_output = EPOLLOUT;
static const unsigned understudy_epoll_failure = EPOLLERR | EPOLLHUP;

/* Waits until `nanoseconds` have passed, or for ever when that is negative.
 * Kernels before 5.11 have no epoll_pwait2; there the wait is rounded up to whole milliseconds, never down. */
static inline int understudy_epoll_wait(int epoll, struct epoll_event *events, int capacity, long long nanoseconds) {
    if (nanoseconds < 0) return epoll_wait(epoll, events, capacity, -1);
#if UNDERSTUDY_HAS_PWAIT2
    struct timespec timeout = { nanoseconds / 1000000000, nanoseconds % 1000000000 };
    int count = epoll_pwait2(epoll, events, capacity, &timeout, 0);
    if (count >= 0 || errno != ENOSYS) return count;
#endif
    long long milliseconds = (nanoseconds + 999999) / 1000000;
    return epoll_wait(epoll, events, capacity, milliseconds > 60000 ? 60000 : (int)milliseconds);
}

static inline int understudy_poll(struct pollfd *descriptors, unsigned long count, long long nanoseconds) {
    struct timespec timeout = { nanoseconds / 1000000000, nanoseconds % 1000000000 };
    return ppoll(descriptors, count, nanoseconds < 0 ? 0 : &timeout, 0);
}
#endif

#endif
