#ifndef UNDERSTUDY_EPOLL_H
#define UNDERSTUDY_EPOLL_H

/* Glibc's Swift module leaves these out, and Swift cannot call a variadic syscall(2) itself. */
#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif

#endif
