/* SPDX-License-Identifier: Apache-2.0
 *
 * failing.c: preloaded into a program, makes calls of the C library fail:
 *
 *   FAIL_ALLOC=n   the n-th malloc, calloc, realloc or aligned_alloc fails (0: none; counts from
 *                  1), and FAIL_MORE=1: all behind it, too
 *   FAIL_MMAP=n    the n-th mmap that asks for memory fails
 *   FAIL_WRITE=1   writing to ordinary files fails: the disk is full
 *   FAIL_COUNT=1   says at the end how many there were, on standard error
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static long allocations, maps, fail_alloc, fail_more, fail_mmap, fail_write, show;
static int started;
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static long
number(const char *name)
{
    const char *v = getenv(name);
    return v ? atol(v) : 0;
}

static void
say(void)
{
    if (show)
        fprintf(stderr, "%ld allocations, %ld maps\n", allocations, maps);
}

__attribute__((constructor)) static void
start(void)
{
    fail_alloc = number("FAIL_ALLOC");
    fail_more = number("FAIL_MORE");
    fail_mmap = number("FAIL_MMAP");
    fail_write = number("FAIL_WRITE");
    show = number("FAIL_COUNT");
    atexit(say);
    started = 1;
}

static int
fails(void)
{
    if (!started)
        return 0;
    long n = __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    int yes = fail_alloc && (n == fail_alloc || (fail_more && n > fail_alloc));
    if (yes)
        errno = ENOMEM;
    return yes;
}

void *
malloc(size_t n)
{
    return fails() ? NULL : __libc_malloc(n);
}

void *
calloc(size_t n, size_t m)
{
    return fails() ? NULL : __libc_calloc(n, m);
}

void *
realloc(void *p, size_t n)
{
    return fails() ? NULL : __libc_realloc(p, n);
}

void *
aligned_alloc(size_t a, size_t n)
{
    return fails() ? NULL : __libc_memalign(a, n);
}

void *
mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    static void *(*next)(void *, size_t, int, int, int, off_t);
    if (!next)
        next = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
    if (started && (flags & MAP_ANONYMOUS) &&
        __atomic_add_fetch(&maps, 1, __ATOMIC_RELAXED) == fail_mmap) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return next(at, n, protection, flags, fd, offset);
}

ssize_t
write(int fd, const void *at, size_t n)
{
    static ssize_t (*next)(int, const void *, size_t);
    struct stat st;
    if (!next)
        next = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (fail_write && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        errno = ENOSPC;
        return -1;
    }
    return next(fd, at, n);
}
