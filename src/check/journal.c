/* SPDX-License-Identifier: Apache-2.0
 *
 * journal.c: findings as they occur, in a file that outlives the process. The file is mapped, so
 * that a finding is kept by a store to memory: whatever ends the process afterwards (a signal,
 * _exit, exec, a heap that is damaged) loses nothing, and a program that closes all descriptors or
 * may write no more files changes nothing.
 *
 *     struct journal_head     device, numbers of launches, how often each finding was made
 *     struct journal_entry    number of the finding, its JSON; again where a graver one took
 *                             its place
 *     ...
 *
 * Entries lie one behind the other; head.used says how far they go and is set after what it covers.
 */
#include "check/findings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    COUNTED = 8192, /* findings with a count of their own; later ones have that of their entry */
    STEP = 1 << 20, /* bytes of the disk that are claimed at a time */
    MOST_BYTES = 64 << 20, /* of the file, of which most is a hole */
};

static const char journal_magic[8] = "LSCHECK1";

struct journal_head {
    char magic[8];
    char device[96], cc[16];
    _Atomic uint64_t used; /* bytes, with this head */
    _Atomic uint64_t lost; /* findings for which there was no room */
    _Atomic uint64_t launches, checked;
    _Atomic uint32_t complete, thinned;
    _Atomic uint64_t count[COUNTED];
};

struct journal_entry {
    uint32_t number,
        size; /* size: of the text, which follows; the next entry begins at a multiple of 8 */
};

struct journal {
    struct journal_head *head;
    uint64_t size, claimed; /* bytes of the mapping; those with room on the disk */
    char *path;
};

/* -- writing ----------------------------------------------------------------------------------- */

/* A full disk would show as SIGBUS at a store to the mapping: room is claimed before. A program
 * that has no descriptor left goes on without. */
static bool
claim(struct journal *j, uint64_t end)
{
    while (j->claimed < end) {
        uint64_t more = j->size - j->claimed < STEP ? j->size - j->claimed : STEP;
        if (!more)
            return false;
        int fd = open(j->path, O_RDWR | O_CLOEXEC);
        int failed = fd >= 0 ? posix_fallocate(fd, (off_t)j->claimed, (off_t)more) : 0;
        if (fd >= 0)
            close(fd);
        if (failed)
            return false;
        j->claimed += more;
    }
    return true;
}

static uint64_t
file_limit(void)
{
    struct rlimit most;
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur < MOST_BYTES)
        return most.rlim_cur & ~(uint64_t)4095;
    return MOST_BYTES;
}

bool
check_journal_begin(struct jit_tool *t, const char *path, struct ls_error *err)
{
    struct check *c = (struct check *)t;
    uint64_t size = file_limit();
    if (size < sizeof(struct journal_head) + STEP)
        return ls_fail(err, LS_ERR_SYSTEM, "%s: the limit for files is %llu bytes", path,
                       (unsigned long long)size);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return ls_fail(err, errno == EEXIST ? LS_ERR_INPUT : LS_ERR_SYSTEM, "%s: %s", path,
                       strerror(errno));
    struct journal *j = ls_alloc(sizeof *j);
    j->size = size;
    j->path = strcpy(ls_alloc(strlen(path) + 1), path);
    void *at = ftruncate(fd, (off_t)size) == 0 && claim(j, sizeof *j->head)
                   ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                   : MAP_FAILED;
    close(fd);
    if (at == MAP_FAILED) {
        ls_fail(err, LS_ERR_SYSTEM, "%s: %s", path, strerror(errno));
        unlink(path);
        ls_release(j->path);
        ls_release(j);
        return false;
    }
    struct journal_head *h = j->head = at;
    snprintf(h->device, sizeof h->device, "%s", c->device->name);
    snprintf(h->cc, sizeof h->cc, "%u.%u", c->device->cc_major, c->device->cc_minor);
    atomic_store(&h->used, sizeof *h);
    memcpy(h->magic, journal_magic, sizeof h->magic);
    pthread_mutex_lock(&c->lock);
    c->journal = j;
    pthread_mutex_unlock(&c->lock);
    return true;
}

void
journal_complete(struct check *c)
{
    atomic_store(&c->journal->head->complete, 1);
}

void
journal_free(struct journal *j)
{
    if (!j)
        return;
    munmap(j->head, j->size);
    ls_release(j->path);
    ls_release(j);
}

void
journal_finding(struct check *c, uint64_t number, const char *json)
{
    struct journal *j = c->journal;
    size_t n = strlen(json);
    uint64_t at = atomic_load(&j->head->used),
             end = (at + sizeof(struct journal_entry) + n + 7) & ~7ull;
    if (n > UINT32_MAX || end > j->size || !claim(j, end)) {
        atomic_fetch_add(&j->head->lost, 1);
        return;
    }
    struct journal_entry e = {.number = (uint32_t)number, .size = (uint32_t)n};
    uint8_t *to = (uint8_t *)j->head + at;
    memcpy(to, &e, sizeof e);
    memcpy(to + sizeof e, json, n);
    atomic_store(&j->head->used, end);
}

void
journal_count(struct check *c, uint64_t number, uint64_t count)
{
    if (c->journal && number < COUNTED)
        atomic_store_explicit(&c->journal->head->count[number], count, memory_order_relaxed);
}

void
journal_launches(struct check *c, bool thinned)
{
    if (!c->journal)
        return;
    struct journal_head *h = c->journal->head;
    atomic_store_explicit(&h->launches, c->launches, memory_order_relaxed);
    atomic_store_explicit(&h->checked, c->launches_checked, memory_order_relaxed);
    atomic_store_explicit(&h->thinned, thinned, memory_order_relaxed);
}

/* -- reading ----------------------------------------------------------------------------------- */

static json_t *
read_entries(const struct journal_head *h, uint64_t size)
{
    json_t *list = json_array();
    uint64_t used = h->used < size ? h->used : size, at = sizeof *h;
    while (at + sizeof(struct journal_entry) <= used) {
        struct journal_entry e;
        memcpy(&e, (const uint8_t *)h + at, sizeof e);
        at += sizeof e;
        if (e.size > used - at || e.number > json_array_size(list))
            break;
        json_t *f = json_loadb((const char *)h + at, e.size, 0, NULL);
        if (!f)
            break;
        if (e.number < COUNTED && h->count[e.number])
            json_object_set_new(f, "count", json_integer((json_int_t)h->count[e.number]));
        if (e.number < json_array_size(list))
            json_array_set_new(list, e.number, f);
        else
            json_array_append_new(list, f);
        at = (at + e.size + 7) & ~7ull;
    }
    return list;
}

char *
check_journal_read(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool fine =
        fd >= 0 && fstat(fd, &st) == 0 && (uint64_t)st.st_size >= sizeof(struct journal_head);
    struct journal_head *h =
        fine ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    char *text = NULL;
    if (fd >= 0)
        close(fd);
    if (h == MAP_FAILED)
        return NULL;
    if (!memcmp(h->magic, journal_magic, sizeof h->magic)) {
        struct check_totals t = {.device = h->device,
                                 .cc = h->cc,
                                 .launches = h->launches,
                                 .checked = h->checked,
                                 .lost = h->lost,
                                 .complete = h->complete,
                                 .thinned = h->thinned};
        text = result_text(read_entries(h, (uint64_t)st.st_size), &t);
    }
    munmap(h, (size_t)st.st_size);
    return text;
}
