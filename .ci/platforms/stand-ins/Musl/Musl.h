// The headers of musl that this package uses. Its module in Swift's SDK for static Linux has more.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static inline int *_Nonnull understudy_errno(void) { return &errno; }
static inline int understudy_open(const char *_Nonnull path, int flags, mode_t mode) { return open(path, flags, mode); }
static inline int understudy_fcntl(int descriptor, int command, int value) { return fcntl(descriptor, command, value); }
static inline int understudy_ioctl(int descriptor, unsigned long request, void *_Nonnull value) {
  return ioctl(descriptor, request, value);
}
