// A disk that forgets and fails, for LD_PRELOAD. It watches one folder (FAULTY_DISK_FOLDER) of the process.
//
// Power loss: with FAULTY_DISK_SHADOW, a shadow folder holds what a disk would hold after the power went: the
// content of a file as of its last fsync or fdatasync, and the names of a folder as of the folder's last
// fsync. Whoever tests kills the process at any moment and puts SHADOW/tree in the folder's place.
// A file's name is durable only once its folder was synced; that is less than ext4 gives, and all that
// POSIX promises. A sync takes FAULTY_DISK_SYNC_US microseconds before it counts, so that the power also goes
// in the middle of one.
//
//   SHADOW/tree/…      the durable names, hard links into
//   SHADOW/inodes/KEY  the durable content; KEY = inode and birth time, since inode numbers are used again
//
// Failures: FAULTY_DISK_FAIL names a call ("fsync" or "write"), FAULTY_DISK_ERRNO what it fails with, after
// FAULTY_DISK_AFTER such calls on files whose name ends with FAULTY_DISK_SUFFIX (any, if unset). From
// then on every one fails, and an fsync that fails makes nothing durable. With the errno 0 the process is killed
// instead, at the first of them.
//
// Not watched, so never durable: mmap, io_uring, stdio. sync_file_range gives no promise and is let through.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kFdsMax = 65536, kCopyBytes = 1 << 20 };

typedef struct File {
  char key[64];
  off_t dirty_from, dirty_to;  // what was written since the last sync
  struct File* next;
} File;

static char folder[PATH_MAX], shadow[PATH_MAX];
static size_t folder_length;
static File* files;
static File* by_fd[kFdsMax];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *fail_call, *fail_suffix;
static int fail_errno;
static long fail_after;
static useconds_t sync_us;

#define REAL(name) ((__typeof__(&name))real(#name))
static void* real(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  return found;
}

__attribute__((noreturn)) static void give_up(const char* what, const char* path) {
  fprintf(stderr, "powerloss: %s %s: %s\n", what, path, strerror(errno));
  _exit(99);
}

// The path behind an open file, or "" if it is not in the watched folder.
static void path_of(int fd, char* path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  path[length < 0 ? 0 : length] = 0;
  bool inside = strncmp(path, folder, folder_length) == 0 && (path[folder_length] == '/' || path[folder_length] == 0);
  if (!folder_length || !inside) path[0] = 0;
}

static void key_of(int dir, const char* name, int flags, char* key) {
  struct statx st;
  if (statx(dir, name, flags, STATX_INO | STATX_BTIME, &st) != 0) give_up("statx", name);
  snprintf(key, 64, "%llu-%lld-%u", (unsigned long long)st.stx_ino, (long long)st.stx_btime.tv_sec,
           st.stx_btime.tv_nsec);
}

static File* file_of_key(const char* key) {
  for (File* file = files; file; file = file->next)
    if (strcmp(file->key, key) == 0) return file;
  File* file = calloc(1, sizeof *file);
  strcpy(file->key, key);
  file->next = files;
  return files = file;
}

static void inode_path(const char* key, char* path) { snprintf(path, PATH_MAX, "%s/inodes/%s", shadow, key); }

static void copy_range(int from, int to, off_t begin, off_t end, const char* what) {
  static char buffer[kCopyBytes];
  while (begin < end) {
    size_t wanted = (size_t)(end - begin < kCopyBytes ? end - begin : kCopyBytes);
    ssize_t got = pread(from, buffer, wanted, begin);
    if (got < 0) give_up("read", what);
    if (got == 0) return;
    if (REAL(pwrite)(to, buffer, (size_t)got, begin) != got) give_up("write", what);
    begin += got;
  }
}

// Makes [begin, end) of the file and its length durable.
static void keep_content(int fd, const char* path, const char* key, off_t begin, off_t end) {
  char source[64], target[PATH_MAX];
  snprintf(source, sizeof source, "/proc/self/fd/%d", fd);
  inode_path(key, target);
  int from = (int)syscall(SYS_openat, AT_FDCWD, source, O_RDONLY | O_CLOEXEC);
  int to = (int)syscall(SYS_openat, AT_FDCWD, target, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  struct stat st;
  if (from < 0 || to < 0 || fstat(from, &st) != 0) give_up("open", path);
  copy_range(from, to, begin, end < st.st_size ? end : st.st_size, path);
  if (REAL(ftruncate)(to, st.st_size) != 0) give_up("truncate", target);
  syscall(SYS_close, from);
  syscall(SYS_close, to);
}

static void remove_tree(const char* path) {
  DIR* dir = opendir(path);
  if (!dir) {
    unlink(path);
    return;
  }
  for (struct dirent* entry; (entry = readdir(dir));) {
    char below[PATH_MAX];
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
    remove_tree(below);
  }
  closedir(dir);
  rmdir(path);
}

// One name of a synced folder. A file that was never synced itself is durable with no content.
static void keep_name(DIR* dir, const char* path, const char* name, const char* tree) {
  char content[PATH_MAX], key[64], staged[PATH_MAX];
  struct stat st;
  if (fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) != 0) return;  // went meanwhile
  if (S_ISDIR(st.st_mode)) {
    mkdir(tree, 0700);
    return;
  }
  key_of(dirfd(dir), name, AT_SYMLINK_NOFOLLOW, key);
  inode_path(key, content);
  int made = (int)syscall(SYS_openat, AT_FDCWD, content, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (made < 0) give_up("open", path);
  syscall(SYS_close, made);
  struct stat old, now;
  if (stat(content, &now) != 0) give_up("stat", content);
  if (stat(tree, &old) == 0 && old.st_ino == now.st_ino) return;
  snprintf(staged, sizeof staged, "%s/staged-%d", shadow, (int)syscall(SYS_gettid));
  if (link(content, staged) != 0 || rename(staged, tree) != 0) give_up("link", tree);
}

// The durable names become those that the folder has now.
static void keep_folder(const char* path) {
  char tree[PATH_MAX], below[PATH_MAX];
  snprintf(tree, sizeof tree, "%s/tree%s", shadow, path + folder_length);
  mkdir(tree, 0700);
  DIR* dir = opendir(path);
  if (!dir) give_up("open folder", path);
  for (struct dirent* entry; (entry = readdir(dir));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    snprintf(below, sizeof below, "%s/%s", tree, entry->d_name);
    keep_name(dir, path, entry->d_name, below);
  }
  DIR* kept = opendir(tree);
  for (struct dirent* entry; kept && (entry = readdir(kept));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (faccessat(dirfd(dir), entry->d_name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) continue;
    snprintf(below, sizeof below, "%s/%s", tree, entry->d_name);
    remove_tree(below);
  }
  if (kept) closedir(kept);
  closedir(dir);
}

static void keep_synced(int fd, const char* path) {
  struct stat st;
  if (fstat(fd, &st) != 0) return;
  if (S_ISDIR(st.st_mode)) {
    keep_folder(path);
    return;
  }
  char key[64];
  key_of(fd, "", AT_EMPTY_PATH, key);
  File* file = fd < kFdsMax ? by_fd[fd] : NULL;
  if (!file) {  // opened by means that are not watched: all of it
    keep_content(fd, path, key, 0, st.st_size);
  } else {
    keep_content(fd, path, key, file->dirty_from, file->dirty_to);
    file->dirty_from = file->dirty_to = 0;
  }
}

// What is in the folder when the process starts is on the disk.
static void keep_all(const char* path) {
  DIR* dir = opendir(path);
  if (!dir) return;
  char tree[PATH_MAX];
  snprintf(tree, sizeof tree, "%s/tree%s", shadow, path + folder_length);
  mkdir(tree, 0700);
  for (struct dirent* entry; (entry = readdir(dir));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    char below[PATH_MAX];
    snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, below, O_RDONLY | O_CLOEXEC);
    if (fd < 0) give_up("open", below);
    struct stat st;
    fstat(fd, &st);
    if (S_ISDIR(st.st_mode)) {
      keep_all(below);
    } else {
      keep_synced(fd, below);
    }
    syscall(SYS_close, fd);
  }
  closedir(dir);
  keep_folder(path);
}

__attribute__((constructor)) static void begin(void) {
  const char* watched = getenv("FAULTY_DISK_FOLDER");
  if (!watched || !realpath(watched, folder)) return;
  folder_length = strlen(folder);
  fail_call = getenv("FAULTY_DISK_FAIL");
  fail_suffix = getenv("FAULTY_DISK_SUFFIX");
  fail_errno = atoi(getenv("FAULTY_DISK_ERRNO") ? getenv("FAULTY_DISK_ERRNO") : "5");
  fail_after = atol(getenv("FAULTY_DISK_AFTER") ? getenv("FAULTY_DISK_AFTER") : "0");
  sync_us = (useconds_t)atol(getenv("FAULTY_DISK_SYNC_US") ? getenv("FAULTY_DISK_SYNC_US") : "0");
  const char* kept = getenv("FAULTY_DISK_SHADOW");
  if (!kept) return;
  char inodes[PATH_MAX];
  snprintf(shadow, sizeof shadow, "%s", kept);
  snprintf(inodes, sizeof inodes, "%s/inodes", kept);
  mkdir(shadow, 0700);
  mkdir(inodes, 0700);
  keep_all(folder);
}

static bool fails(const char* call, const char* path) {
  if (!fail_call || strcmp(call, fail_call) != 0) return false;
  size_t length = strlen(path), suffix = fail_suffix ? strlen(fail_suffix) : 0;
  if (suffix > length || strcmp(path + length - suffix, fail_suffix ? fail_suffix : "") != 0) return false;
  bool now = __atomic_sub_fetch(&fail_after, 1, __ATOMIC_RELAXED) < 0;
  if (now && !fail_errno) kill(getpid(), SIGKILL);
  return now;
}

static void note_open(int fd) {
  if (fd < 0 || fd >= kFdsMax || !folder_length) return;
  char path[PATH_MAX], key[64];
  struct stat st;
  path_of(fd, path);
  if (!path[0] || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) return;
  key_of(fd, "", AT_EMPTY_PATH, key);
  pthread_mutex_lock(&lock);
  by_fd[fd] = file_of_key(key);
  pthread_mutex_unlock(&lock);
}

static void note_dirty(int fd, off_t from, off_t to) {
  if (fd < 0 || fd >= kFdsMax) return;
  pthread_mutex_lock(&lock);
  File* file = by_fd[fd];
  if (file && from < to) {
    bool clean = file->dirty_from == file->dirty_to;
    if (clean || from < file->dirty_from) file->dirty_from = from;
    if (clean || to > file->dirty_to) file->dirty_to = to;
  }
  pthread_mutex_unlock(&lock);
}

static bool watched(int fd) { return fd >= 0 && fd < kFdsMax && by_fd[fd]; }

// True where a write must fail; else where it would begin.
static bool refuse_write(int fd, off_t* at) {
  if (!watched(fd)) return false;
  char path[PATH_MAX];
  path_of(fd, path);
  if (fail_call && fails("write", path)) {
    errno = fail_errno;
    return true;
  }
  if (at) {
    struct stat st;
    bool append = fcntl(fd, F_GETFL) & O_APPEND;
    *at = append && fstat(fd, &st) == 0 ? st.st_size : lseek(fd, 0, SEEK_CUR);
  }
  return false;
}

static int sync_fd(int fd, int (*sync)(int)) {
  char path[PATH_MAX] = "";
  if (folder_length) path_of(fd, path);
  if (!path[0]) return sync(fd);
  if (fails("fsync", path)) {
    errno = fail_errno;
    return -1;
  }
  if (!shadow[0]) return sync(fd);
  // The shadow is the disk here, so the real one need not be waited for.
  if (sync_us) usleep(sync_us);
  pthread_mutex_lock(&lock);
  keep_synced(fd, path);
  pthread_mutex_unlock(&lock);
  return 0;
}

// What the program calls.

int fsync(int fd) { return sync_fd(fd, REAL(fsync)); }
int fdatasync(int fd) { return sync_fd(fd, REAL(fdatasync)); }

#define OPEN_BODY(call)                              \
  mode_t mode = 0;                                   \
  if (flags & (O_CREAT | O_TMPFILE)) {               \
    va_list more;                                    \
    va_start(more, flags);                           \
    mode = va_arg(more, mode_t);                     \
    va_end(more);                                    \
  }                                                  \
  struct stat before;                                \
  bool cuts = (flags & O_TRUNC) && folder_length;    \
  off_t length = cuts && stat_before(&before) == 0 ? before.st_size : 0; \
  int fd = call;                                     \
  note_open(fd);                                     \
  if (cuts) note_dirty(fd, 0, length);               \
  return fd;

#define stat_before(st) fstatat(AT_FDCWD, path, st, 0)
int open(const char* path, int flags, ...) { OPEN_BODY(REAL(open)(path, flags, mode)) }
int open64(const char* path, int flags, ...) { OPEN_BODY(REAL(open64)(path, flags, mode)) }
int creat(const char* path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char* path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int __open_2(const char* path, int flags) { return open(path, flags); }
int __open64_2(const char* path, int flags) { return open64(path, flags); }
#undef stat_before
#define stat_before(st) fstatat(dir, path, st, 0)
int openat(int dir, const char* path, int flags, ...) { OPEN_BODY(REAL(openat)(dir, path, flags, mode)) }
int openat64(int dir, const char* path, int flags, ...) { OPEN_BODY(REAL(openat64)(dir, path, flags, mode)) }

int close(int fd) {
  if (watched(fd)) {
    pthread_mutex_lock(&lock);
    by_fd[fd] = NULL;  // what is dirty stays so: a close syncs nothing
    pthread_mutex_unlock(&lock);
  }
  return REAL(close)(fd);
}

ssize_t write(int fd, const void* data, size_t size) {
  off_t at = 0;
  if (refuse_write(fd, &at)) return -1;
  ssize_t wrote = REAL(write)(fd, data, size);
  if (watched(fd)) note_dirty(fd, at, at + wrote);
  return wrote;
}

ssize_t writev(int fd, const struct iovec* parts, int count) {
  off_t at = 0;
  if (refuse_write(fd, &at)) return -1;
  ssize_t wrote = REAL(writev)(fd, parts, count);
  if (watched(fd)) note_dirty(fd, at, at + wrote);
  return wrote;
}

#define WRITE_AT(name, ...)                         \
  if (refuse_write(fd, NULL)) return -1;            \
  ssize_t wrote = REAL(name)(fd, __VA_ARGS__);      \
  note_dirty(fd, at, at + wrote);                   \
  return wrote;

ssize_t pwrite(int fd, const void* data, size_t size, off_t at) { WRITE_AT(pwrite, data, size, at) }
ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) { WRITE_AT(pwrite64, data, size, at) }
ssize_t pwritev(int fd, const struct iovec* parts, int count, off_t at) { WRITE_AT(pwritev, parts, count, at) }
ssize_t pwritev64(int fd, const struct iovec* parts, int count, off64_t at) { WRITE_AT(pwritev64, parts, count, at) }

// With RWF_DSYNC it is a write, and then the sync of what was written: either can be told to fail.
#define WRITE_AT_SYNCED(name)                                                             \
  if (refuse_write(fd, NULL)) return -1;                                                  \
  ssize_t wrote = REAL(name)(fd, parts, count, at, flags & ~(RWF_DSYNC | RWF_SYNC));      \
  note_dirty(fd, at, at + wrote);                                                         \
  if (wrote >= 0 && (flags & (RWF_DSYNC | RWF_SYNC)) && fdatasync(fd) != 0) return -1;    \
  return wrote;

ssize_t pwritev2(int fd, const struct iovec* parts, int count, off_t at, int flags) { WRITE_AT_SYNCED(pwritev2) }
ssize_t pwritev64v2(int fd, const struct iovec* parts, int count, off64_t at, int flags) { WRITE_AT_SYNCED(pwritev64v2) }

// The bytes between the old and the new end are gone or zero.
#define CUT(name)                                                                \
  struct stat st;                                                                \
  off_t old = fstat(fd, &st) == 0 ? st.st_size : 0;                              \
  int failed = REAL(name)(fd, length);                                           \
  note_dirty(fd, old < length ? old : length, old < length ? length : old);      \
  return failed;

int ftruncate(int fd, off_t length) { CUT(ftruncate) }
int ftruncate64(int fd, off64_t length) { CUT(ftruncate64) }

#define ALLOCATE(name)                                     \
  if (refuse_write(fd, NULL)) return -1;                   \
  int failed = REAL(name)(fd, mode, at, length);           \
  if (!(mode & FALLOC_FL_KEEP_SIZE) || (mode & ~FALLOC_FL_KEEP_SIZE)) note_dirty(fd, at, at + length); \
  return failed;

int fallocate(int fd, int mode, off_t at, off_t length) { ALLOCATE(fallocate) }
int fallocate64(int fd, int mode, off64_t at, off64_t length) { ALLOCATE(fallocate64) }
