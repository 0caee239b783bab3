// Makes reads of SQLite's files fail with EIO as long as the file named by DT_FAIL_READS exists.
// prove-store-faults.ts builds this library and preloads it into a process.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fails(int fd) {
  const char *flag = getenv("DT_FAIL_READS");
  if (flag == NULL || access(flag, F_OK) != 0) return 0;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return strstr(path, ".db") != NULL && strstr(path, ".lock") == NULL;
}

ssize_t read(int fd, void *buffer, size_t count) {
  static ssize_t (*real)(int, void *, size_t);
  if (real == NULL) real = dlsym(RTLD_NEXT, "read");
  if (!fails(fd)) return real(fd, buffer, count);
  errno = EIO;
  return -1;
}

ssize_t pread(int fd, void *buffer, size_t count, off_t offset) {
  static ssize_t (*real)(int, void *, size_t, off_t);
  if (real == NULL) real = dlsym(RTLD_NEXT, "pread");
  if (!fails(fd)) return real(fd, buffer, count, offset);
  errno = EIO;
  return -1;
}

ssize_t pread64(int fd, void *buffer, size_t count, off64_t offset) {
  static ssize_t (*real)(int, void *, size_t, off64_t);
  if (real == NULL) real = dlsym(RTLD_NEXT, "pread64");
  if (!fails(fd)) return real(fd, buffer, count, offset);
  errno = EIO;
  return -1;
}
