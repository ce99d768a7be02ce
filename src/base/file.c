/* SPDX-License-Identifier: Apache-2.0
 *
 * file: whole files in and out, folders, and the folder for lockstep's caches.
 *
 * Files are written beside their name and renamed, so that a reader, or a writer killed half-way,
 * never leaves half a file under the name; devices and pipes are written to. The cache folder is
 * used only when it is ours alone: what lies in it is executed.
 */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool
fail_errno(struct ls_error *err, const char *path)
{
    return ls_fail(err, LS_ERR_SYSTEM, "%s: %s", path, strerror(errno));
}

/* Reads up to size bytes; less only at the end of the file. -1: errno is set. */
static ssize_t
read_all(int fd, char *at, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = read(fd, at + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

char *
ls_read_file(const char *path, size_t *size, struct ls_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        fail_errno(err, path);
        return NULL;
    }
    struct stat st;
    size_t room = 4096, count = 0;
    /* A size is only a guess: pipes and files of /proc have none, other files may grow. */
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        room = (size_t)st.st_size + 1;
    char *at = ls_alloc(room + 1);
    for (;;) {
        ssize_t n = read_all(fd, at + count, room - count);
        if (n < 0) {
            fail_errno(err, path);
            ls_release(at);
            close(fd);
            return NULL;
        }
        count += (size_t)n;
        if (count < room)
            break;
        at = ls_grow(at, &room, 1);
        room--;
    }
    close(fd);
    at[count] = 0;
    *size = count;
    return at;
}

static bool
write_all(int fd, const char *at, size_t size)
{
    while (size) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

/* Where path stands for stdout or stderr, a file that they were sent to included: another number of
 * that one. Else -1. */
static int
standard_stream(const struct stat *path)
{
    struct stat one;
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (fstat(fd, &one) == 0 && one.st_dev == path->st_dev && one.st_ino == path->st_ino)
            return fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return -1;
}

/* A pipe that nobody reads would be waited for without end: it is taken for not there, and
 * replaced. */
static int
open_special(const char *path, bool *is_there)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        *is_there = errno != ENXIO;
    else
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

static bool
write_and_close(int fd, const char *at, size_t size)
{
    bool ok = write_all(fd, at, size);
    int saved = errno;
    if (close(fd) != 0 && ok) {
        saved = errno;
        ok = false;
    }
    errno = saved;
    return ok;
}

/* A new file beside path, with the mode that the umask leaves of `mode`; -1: errno is set. */
static int
open_beside(const char *path, mode_t mode, char *temporary, size_t room)
{
    struct timespec now;
    int fd = -1;
    clock_gettime(CLOCK_MONOTONIC, &now); /* threads of a process differ in it, or try again */
    for (int tries = 0; fd < 0 && tries < 1000; tries++) {
        int n = snprintf(temporary, room, "%s.%lx-%lx", path, (unsigned long)getpid(),
                         (unsigned long)now.tv_nsec + (unsigned long)tries);
        if (n < 0 || (size_t)n >= room) {
            errno = ENAMETOOLONG;
            return -1;
        }
        fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
        if (fd < 0 && errno != EEXIST)
            return -1;
    }
    return fd;
}

static bool
write_file(const char *path, const void *at, size_t size, bool private, struct ls_error *err)
{
    char temporary[PATH_MAX];
    struct stat st;
    bool is_there = stat(path, &st) == 0;
    int through = is_there ? standard_stream(&st) : -1;
    if (through >= 0)
        fflush(stdout);
    else if (is_there && !S_ISREG(st.st_mode))
        through = open_special(path, &is_there);
    if (through >= 0 || (is_there && !S_ISREG(st.st_mode)))
        return (through >= 0 && write_and_close(through, at, size)) || fail_errno(err, path);
    int fd = open_beside(path, private ? 0600 : 0666, temporary, sizeof temporary);
    if (fd < 0)
        return fail_errno(err, path);
    if (is_there &&
        !private) /* as a shell's > leaves it; another owner's file cannot be had this way */
        fchmod(fd, st.st_mode & 0777);
    bool ok = write_and_close(fd, at, size) && rename(temporary, path) == 0;
    if (!ok) {
        int saved = errno;
        unlink(temporary);
        errno = saved;
        return fail_errno(err, path);
    }
    return true;
}

bool
ls_write_file(const char *path, const void *at, size_t size, struct ls_error *err)
{
    return write_file(path, at, size, false, err);
}

bool
ls_write_private_file(const char *path, const void *at, size_t size, struct ls_error *err)
{
    return write_file(path, at, size, true, err);
}

bool
ls_make_folders(const char *path, struct ls_error *err)
{
    char part[PATH_MAX];
    size_t n = strlen(path);
    if (n == 0 || n >= sizeof part) {
        errno = n ? ENAMETOOLONG : ENOENT;
        return fail_errno(err, path);
    }
    memcpy(part, path, n + 1);
    for (size_t i = 1; i <= n; i++) {
        if (part[i] != '/' && part[i] != 0)
            continue;
        part[i] = 0;
        /* A folder that exists may lie where we may not make one: its being there is enough. */
        struct stat st;
        if (mkdir(part, 0700) != 0) {
            int saved = errno;
            if (stat(part, &st) != 0) {
                errno = saved;
                return fail_errno(err, part);
            }
            if (!S_ISDIR(st.st_mode)) {
                errno = ENOTDIR;
                return fail_errno(err, part);
            }
        }
        part[i] = path[i];
    }
    return true;
}

/* The cache folder's name by the environment; false: caching is switched off or has no place. */
static bool
cache_name(char *out, size_t room, struct ls_error *err)
{
    const char *own = getenv("LOCKSTEP_CACHE"), *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int n;
    if (own && (strcmp(own, "off") == 0 || strcmp(own, "0") == 0))
        return ls_fail(err, LS_OK, "LOCKSTEP_CACHE=%s", own);
    if (own && *own)
        n = snprintf(out, room, "%s", own);
    else if (xdg && *xdg == '/')
        n = snprintf(out, room, "%s/lockstep", xdg);
    else if (home && *home)
        n = snprintf(out, room, "%s/.cache/lockstep", home);
    else
        return ls_fail(err, LS_ERR_SYSTEM,
                       "no cache folder: neither LOCKSTEP_CACHE, XDG_CACHE_HOME nor HOME is set");
    if (n < 0 || (size_t)n >= room)
        return ls_fail(err, LS_ERR_SYSTEM, "the cache folder's name is too long");
    return true;
}

bool
ls_cache_folder(char *out, size_t room, struct ls_error *err)
{
    struct stat st;
    if (!cache_name(out, room, err) || !ls_make_folders(out, err))
        return false;
    if (stat(out, &st) != 0)
        return fail_errno(err, out);
    if (!S_ISDIR(st.st_mode))
        return ls_fail(err, LS_ERR_SYSTEM, "%s: the cache folder is not a folder", out);
    if (st.st_uid != geteuid())
        return ls_fail(err, LS_ERR_SYSTEM, "%s: the cache folder belongs to another user", out);
    if (st.st_mode & (S_IWGRP | S_IWOTH))
        return ls_fail(err, LS_ERR_SYSTEM,
                       "%s: other users may write to the cache folder (chmod 700 helps)", out);
    if (access(out, R_OK | W_OK | X_OK) != 0)
        return fail_errno(err, out);
    return true;
}
