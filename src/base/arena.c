/* SPDX-License-Identifier: Apache-2.0
 *
 * arena: memory that is freed all at once, and the growing arrays of VEC.
 *
 * An arena is a list of chunks, the newest first. Small requests are cut from the newest chunk;
 * a request larger than a quarter of a chunk gets a chunk of its own behind the newest one, so that
 * the newest one's rest is not lost. Nothing here returns NULL: a process out of memory ends.
 */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_ALIGN = 16, ARENA_FIRST = 4096, ARENA_LARGEST = 1 << 20 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t used, room;
    _Alignas(ARENA_ALIGN) unsigned char at[];
};

void
ls_out_of_memory(size_t size)
{
    fprintf(stderr, "lockstep: out of memory (%zu bytes asked for)\n", size);
    _Exit(1); /* nothing that runs at exit could count on memory */
}

static struct arena_chunk *
chunk_new(size_t room)
{
    struct arena_chunk *c = NULL;
    if (room <= SIZE_MAX - sizeof *c)
        c = calloc(1, sizeof *c + room);
    if (!c)
        ls_out_of_memory(room);
    c->room = room;
    return c;
}

void *
arena_alloc(struct arena *a, size_t size)
{
    if (size > SIZE_MAX - ARENA_ALIGN)
        ls_out_of_memory(size);
    size = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    struct arena_chunk *c = a->last;
    if (!c || size > c->room - c->used) {
        size_t room = c ? c->room * 2 : ARENA_FIRST;
        if (room > ARENA_LARGEST)
            room = ARENA_LARGEST;
        if (c && size > room / 4) {
            struct arena_chunk *own = chunk_new(size);
            own->used = size;
            own->next = c->next;
            c->next = own;
            return own->at;
        }
        c = chunk_new(size > room ? size : room);
        c->next = a->last;
        a->last = c;
    }
    void *p = c->at + c->used;
    c->used += size;
    return p;
}

char *
arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *p = arena_alloc(a, n + 1);
    memcpy(p, s, n);
    return p;
}

char *
arena_strdup(struct arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}

char *
arena_printf(struct arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0)
        n = 0;
    char *p = arena_alloc(a, (size_t)n + 1);
    va_start(args, format);
    vsnprintf(p, (size_t)n + 1, format, args);
    va_end(args);
    return p;
}

void
arena_free(struct arena *a)
{
    for (struct arena_chunk *c = a->last, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    a->last = NULL;
}

void *
ls_grow(void *at, size_t *room, size_t size)
{
    size_t n = *room ? *room * 2 : 8;
    if (n > SIZE_MAX / 2 / size)
        ls_out_of_memory(SIZE_MAX);
    at = realloc(at, n * size);
    if (!at)
        ls_out_of_memory(n * size);
    *room = n;
    return at;
}

void *
ls_alloc(size_t size)
{
    void *p = calloc(1, size ? size : 1);
    if (!p)
        ls_out_of_memory(size);
    return p;
}

void *
ls_alloc_lines(size_t size)
{
    size = (size + 127) & ~(size_t)127;
    void *p = aligned_alloc(128, size ? size : 128);
    if (!p)
        ls_out_of_memory(size);
    return memset(p, 0, size);
}

void
ls_release(void *p)
{
    free(p);
}

void *
arena_copy(struct arena *a, const void *at, size_t count, size_t size)
{
    void *copy = arena_alloc(a, (count + 1) * size);
    if (count)
        memcpy(copy, at, count * size);
    return copy;
}
