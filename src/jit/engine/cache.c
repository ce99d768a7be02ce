/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/cache.c: compiled kernels on disk: one file a kernel, named by the hash of everything that
 * went into it. A file is believed only when it belongs to this user and its checksum is right.
 */
#include "jit/engine/engine.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct header {
    char magic[8];
    struct hash128 key, sum; /* sum: of all the file, itself taken as 0 */
    uint32_t frame_bytes;
    struct jit_needs needs;
    uint32_t flags;     /* from bit 9 on jit_image.quick_ms */
    uint32_t functions; /* that many numbers stand before the code */
    uint64_t size;
};

_Static_assert(sizeof(struct header) == 8 + 4 * 8 + 4 * 4 + 2 * 4 + 8, "no padding: all is hashed");

static const char magic[8] = "LSKERNL";

static bool
path_of(const struct jit_engine *e, struct hash128 key, char *out, size_t room)
{
    char name[33];
    ls_hash_text(key, name);
    return (size_t)snprintf(out, room, "%s/%s.kernel", e->cache, name) < room;
}

static struct hash128
sum_of(const struct header *header, const void *rest, size_t size)
{
    struct header h = *header;
    h.sum = (struct hash128){0, 0};
    return ls_hash(ls_hash((struct hash128){0, 0}, &h, sizeof h), rest, size);
}

bool
jit_cache_load(struct jit_engine *e, struct hash128 key, struct jit_image *out)
{
    char path[4096];
    struct stat st;
    if (!e->cache || !path_of(e, key, path, sizeof path) || lstat(path, &st) ||
        !S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 022))
        return false;
    size_t size;
    struct ls_error ignored;
    char *at = ls_read_file(path, &size, &ignored);
    struct header h;
    bool ok = at && size >= sizeof h;
    if (ok) {
        memcpy(&h, at, sizeof h);
        ok = !memcmp(h.magic, magic, sizeof magic) && !memcmp(&h.key, &key, sizeof key) &&
             h.functions <= (size - sizeof h) / 4 && h.size == size - sizeof h - 4 * h.functions;
    }
    if (ok) {
        struct hash128 sum = sum_of(&h, at + sizeof h, size - sizeof h);
        ok = !memcmp(&sum, &h.sum, sizeof sum);
    }
    if (ok) {
        *out = (struct jit_image){.frame_bytes = h.frame_bytes,
                                  .needs = h.needs,
                                  .has_full = h.flags & 1,
                                  .has_partial = h.flags >> 1 & 1,
                                  .has_barrier = h.flags >> 2 & 1,
                                  .may_wait = h.flags >> 3 & 1,
                                  .recursive = h.flags >> 4 & 1,
                                  .pauses = h.flags >> 5 & 1,
                                  .has_block = h.flags >> 6 & 1,
                                  .polls = h.flags >> 7 & 1,
                                  .deferred = h.flags >> 8 & 1,
                                  .quick_ms = h.flags >> 9,
                                  .size = h.size,
                                  .code = ls_alloc(h.size)};
        for (uint32_t k = 0; k < h.functions; k++) {
            uint32_t number;
            memcpy(&number, at + sizeof h + 4 * k, 4);
            VEC_PUSH(&out->functions, number);
        }
        memcpy(out->code, at + sizeof h + 4 * h.functions, h.size);
    }
    ls_release(at);
    return ok;
}

void
jit_cache_store(struct jit_engine *e, struct hash128 key, const struct jit_image *m)
{
    char path[4096];
    if (!e->cache || !path_of(e, key, path, sizeof path))
        return;
    struct header h = {.key = key,
                       .frame_bytes = m->frame_bytes,
                       .needs = m->needs,
                       .flags = (uint32_t)m->has_full | (uint32_t)m->has_partial << 1 |
                                (uint32_t)m->has_barrier << 2 | (uint32_t)m->may_wait << 3 |
                                (uint32_t)m->recursive << 4 | (uint32_t)m->pauses << 5 |
                                (uint32_t)m->has_block << 6 | (uint32_t)m->polls << 7 |
                                (uint32_t)m->deferred << 8 | m->quick_ms << 9,
                       .functions = (uint32_t)m->functions.count,
                       .size = m->size};
    memcpy(h.magic, magic, sizeof magic);
    size_t list = 4 * m->functions.count, size = sizeof h + list + m->size;
    uint8_t *all = ls_alloc(size);
    if (list)
        memcpy(all + sizeof h, m->functions.at, list);
    memcpy(all + sizeof h + list, m->code, m->size);
    h.sum = sum_of(&h, all + sizeof h, list + m->size);
    memcpy(all, &h, sizeof h);
    struct ls_error ignored;
    ls_write_private_file(path, all, size, &ignored);
    ls_release(all);
}
