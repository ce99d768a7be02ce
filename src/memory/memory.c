/* SPDX-License-Identifier: Apache-2.0
 *
 * The allocation table of one device. Its reserved range is cut into two zones: small allocations
 * share pages (mapped 2 MiB at a time, at least 256 bytes of gap after each), large ones have pages
 * of their own with at least one inaccessible page behind. A third zone lists adopted memory, which
 * lies anywhere. In each zone the entries, live or freed, are sorted by address; new addresses are
 * handed out in rising order, so that an entry is added at the end or reused in place.
 *
 * A freed entry keeps its place until an allocation of the same extent takes it, oldest first, so
 * that messages can still say what was there. Freed large memory is made inaccessible at once:
 * using it faults, as on a GPU.
 */
#include "memory/memory.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    UNIT = 512,            /* the runtime's alignment */
    SMALL_GAP = 256,       /* least distance between small allocations */
    SMALL_LIMIT = 1 << 16, /* from here on an allocation has pages of its own */
    SMALL_BINS = (SMALL_LIMIT + SMALL_GAP) / UNIT + 2,
    SMALL_KEPT = 8, /* freed entries of one extent that are not reused yet */
    PAGE = 4096,
    STEP = 2 << 20, /* a huge page, and the step in which the small zone is mapped */
};

/* Freed large memory up to this size keeps its pages, so that the next user gets them warm. */
static const uint64_t warm_limit = 512ull << 20;

enum zone_name { ZONE_SMALL, ZONE_LARGE, ZONE_ADOPTED, ZONE_COUNT };

struct entry {
    struct allocation a;
    uint64_t extent; /* bytes up to the next entry's base at least: contents and gap */
    uint64_t next;   /* freed: number of the next one in its bin, as a base address; 0: none */
    uint64_t warm;   /* freed large: bytes of pages kept */
};

struct bin {
    uint64_t first, last; /* bases of freed entries, oldest first */
    uint32_t count;
};

struct zone {
    uint64_t base, end; /* of the reserved range */
    uint64_t next;      /* first address never handed out */
    uint64_t mapped;    /* small zone: up to here accessible */
    VEC(struct entry) table;
};

enum { MOST_PEERS = 64, MOST_APART = 4096 };

struct memory {
    pthread_mutex_t lock;
    int device;
    uint64_t total, used, live, numbers;
    uint64_t heap, most_heap; /* ALLOCATION_HEAP: bytes, and at most */
    uint8_t *reserved;
    uint64_t reserved_bytes;
    uint64_t warm;
    struct zone zone[ZONE_COUNT];
    struct bin small[SMALL_BINS];
    struct bin large;
    bool guarded;   /* memory_set_shut was called */
    uint32_t apart; /* small managed allocations that have pages of their own */
    struct peer {
        struct memory *memory;
        bool all;
    } peer[MOST_PEERS];
    uint32_t peers;
};

static uint64_t
round_up(uint64_t v, uint64_t unit)
{
    return (v + unit - 1) & ~(unit - 1);
}

/* -- the table -------------------------------------------------------------------------------- */

/* Index of the last entry whose base is at or below the address; -1: none. */
static ptrdiff_t
zone_at_or_below(const struct zone *z, uint64_t address)
{
    size_t low = 0, high = z->table.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (z->table.at[middle].a.base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return (ptrdiff_t)low - 1;
}

static struct entry *
zone_exact(struct zone *z, uint64_t base)
{
    ptrdiff_t i = zone_at_or_below(z, base);
    return i >= 0 && z->table.at[i].a.base == base ? &z->table.at[i] : NULL;
}

static struct entry *
zone_insert(struct zone *z, const struct entry *e)
{
    size_t at = (size_t)(zone_at_or_below(z, e->a.base) + 1);
    VEC_PUSH(&z->table, *e);
    memmove(&z->table.at[at + 1], &z->table.at[at], (z->table.count - 1 - at) * sizeof *e);
    z->table.at[at] = *e;
    return &z->table.at[at];
}

static void
zone_remove(struct zone *z, struct entry *e)
{
    size_t at = (size_t)(e - z->table.at);
    memmove(e, e + 1, (z->table.count - at - 1) * sizeof *e);
    z->table.count--;
}

/* The live entry that starts at base, in whichever zone. */
static struct entry *
live_entry(struct memory *m, uint64_t base, struct zone **zone)
{
    for (int i = 0; i < ZONE_COUNT; i++) {
        struct entry *e = zone_exact(&m->zone[i], base);
        if (e && !e->a.freed) {
            *zone = &m->zone[i];
            return e;
        }
    }
    return NULL;
}

static void
bin_push(struct zone *z, struct bin *b, struct entry *e)
{
    e->next = 0;
    if (b->count++)
        zone_exact(z, b->last)->next = e->a.base;
    else
        b->first = e->a.base;
    b->last = e->a.base;
}

static struct entry *
bin_shift(struct zone *z, struct bin *b)
{
    struct entry *e = zone_exact(z, b->first);
    b->first = e->next;
    b->count--;
    return e;
}

/* -- small allocations ------------------------------------------------------------------------- */

static struct entry *
small_new(struct memory *m, uint64_t extent)
{
    struct zone *z = &m->zone[ZONE_SMALL];
    struct bin *b = &m->small[extent / UNIT];
    bool full = z->end - z->next < extent;
    if (b->count > SMALL_KEPT || (full && b->count))
        return bin_shift(z, b);
    if (full)
        return NULL;
    while (z->mapped < z->next + extent) {
        if (mprotect((void *)z->mapped, STEP, PROT_READ | PROT_WRITE) != 0)
            return NULL;
        z->mapped += STEP;
    }
    struct entry e = {.a = {.base = z->next}, .extent = extent};
    z->next += extent;
    VEC_PUSH(&z->table, e);
    return &z->table.at[z->table.count - 1];
}

/* -- large allocations ------------------------------------------------------------------------- */

static bool
large_open(struct entry *e, uint64_t size)
{
    uint64_t bytes = round_up(size, PAGE);
    if (mprotect((void *)e->a.base, bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    if (bytes >= 2 * STEP)
        madvise((void *)e->a.base, bytes, MADV_HUGEPAGE);
    return true;
}

/* Takes the freed entry that fits best out of the bin, the oldest of the best; NULL: none. */
static struct entry *
large_reuse(struct memory *m, uint64_t extent, uint64_t align)
{
    struct zone *z = &m->zone[ZONE_LARGE];
    struct bin *b = &m->large;
    struct entry *best = NULL, *best_before = NULL, *before = NULL;
    uint64_t at = b->first;
    for (uint32_t i = 0; i < b->count && i < 256; i++) {
        struct entry *e = zone_exact(z, at);
        at = e->next;
        if (e->extent >= extent && e->extent <= extent + extent / 8 &&
            (e->a.base & (align - 1)) == 0 && (!best || e->extent < best->extent)) {
            best = e;
            best_before = before;
            if (e->extent == extent)
                break;
        }
        before = e;
    }
    if (!best)
        return NULL;
    if (best_before)
        best_before->next = best->next;
    else
        b->first = best->next;
    if (b->last == best->a.base)
        b->last = best_before ? best_before->a.base : 0;
    b->count--;
    m->warm -= best->warm;
    best->warm = 0;
    return best;
}

/* Lists all freed entries of the large zone in the bin anew, in order of address. */
static void
large_rebin(struct memory *m)
{
    struct zone *z = &m->zone[ZONE_LARGE];
    m->large = (struct bin){0};
    for (size_t i = 0; i < z->table.count; i++)
        if (z->table.at[i].a.freed)
            bin_push(z, &m->large, &z->table.at[i]);
}

/* Joins neighbouring freed entries of the large zone. */
static void
large_join(struct memory *m)
{
    struct zone *z = &m->zone[ZONE_LARGE];
    size_t kept = 0;
    for (size_t i = 0; i < z->table.count; i++) {
        struct entry *e = &z->table.at[i], *before = kept ? &z->table.at[kept - 1] : NULL;
        if (e->warm)
            madvise((void *)e->a.base, e->warm, MADV_DONTNEED);
        e->warm = 0;
        if (e->a.freed && before && before->a.freed) {
            before->extent = e->a.base + e->extent - before->a.base;
            ls_release((void *)e->a.name);
        } else {
            z->table.at[kept++] = *e;
        }
    }
    z->table.count = kept;
    m->warm = 0;
}

/* Address space has run out: cuts the extent off the first run of freed entries that can hold it.
 * Slow, and rare: the zone is many times as large as the device's memory. */
static struct entry *
large_cut(struct memory *m, uint64_t extent, uint64_t align)
{
    struct zone *z = &m->zone[ZONE_LARGE];
    uint64_t found = 0;
    large_join(m);
    for (size_t i = 0; i < z->table.count && !found; i++) {
        struct entry *e = &z->table.at[i];
        uint64_t base = round_up(e->a.base, align), end = e->a.base + e->extent;
        if (!e->a.freed || base >= end || end - base < extent)
            continue;
        struct entry taken = {.a = {.base = base}, .extent = extent};
        struct entry rest = {.a = {.base = base + extent, .freed = true},
                             .extent = end - base - extent};
        if (base == e->a.base) {
            ls_release((void *)e->a.name);
            zone_remove(z, e);
        } else {
            e->extent = base - e->a.base;
        }
        zone_insert(z, &taken);
        if (rest.extent)
            zone_insert(z, &rest);
        found = base;
    }
    large_rebin(m);
    return found ? zone_exact(z, found) : NULL;
}

static struct entry *
large_new(struct memory *m, uint64_t size, uint64_t align)
{
    struct zone *z = &m->zone[ZONE_LARGE];
    uint64_t extent = round_up(size, PAGE) + PAGE;
    if (align < PAGE)
        align = PAGE;
    if (size >= STEP && align < STEP)
        align = STEP;
    struct entry *e = large_reuse(m, extent, align);
    if (!e) {
        uint64_t base = round_up(z->next, align);
        if (base <= z->end && z->end - base >= extent) {
            struct entry new = {.a = {.base = base}, .extent = extent};
            z->next = base + extent;
            VEC_PUSH(&z->table, new);
            e = &z->table.at[z->table.count - 1];
        } else {
            e = large_cut(m, extent, align);
        }
    }
    if (e && !large_open(e, size)) {
        e->a.freed = true;
        bin_push(z, &m->large, e);
        return NULL;
    }
    return e;
}

/* Makes the freed memory inaccessible; keeps its pages while there are not too many of them. */
static void
large_close(struct memory *m, struct entry *e)
{
    uint64_t bytes = round_up(e->a.size, PAGE);
    if (m->warm + bytes <= warm_limit) {
        e->warm = bytes;
        m->warm += bytes;
    } else {
        madvise((void *)e->a.base, bytes, MADV_DONTNEED);
    }
    mprotect((void *)e->a.base, bytes, PROT_NONE);
    bin_push(&m->zone[ZONE_LARGE], &m->large, e);
}

/* -- a device's memory ------------------------------------------------------------------------- */

/* As much address space as this process may have, up to `wanted`. */
static uint8_t *
reserve(uint64_t wanted, uint64_t least, uint64_t *out_bytes)
{
    for (uint64_t bytes = wanted; bytes >= least; bytes /= 2) {
        void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p != MAP_FAILED) {
            *out_bytes = bytes;
            return p;
        }
    }
    return NULL;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifdef SANITIZED
static const uint64_t reserve_limit = 64ull << 30; /* shadow memory needs its share */
#else
static const uint64_t reserve_limit = 4ull << 40;
#endif

struct memory *
memory_new(int device, uint64_t bytes, struct ls_error *err)
{
    uint64_t host = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    struct memory *m = ls_alloc(sizeof *m);
    m->device = device;
    m->total = bytes < host / 4 * 3 ? bytes : host / 4 * 3;
    uint64_t wanted = round_up(m->total * 8, STEP), small;
    if (wanted < 64ull << 30)
        wanted = 64ull << 30;
    if (wanted > reserve_limit)
        wanted = reserve_limit;
    m->reserved = reserve(wanted, 64 << 20, &m->reserved_bytes);
    if (!m->reserved) {
        ls_fail(err, LS_ERR_SYSTEM, "device %d: no address space for its memory: %m", device);
        ls_release(m);
        return NULL;
    }
    pthread_mutex_init(&m->lock, NULL);
    uint64_t start = round_up((uint64_t)m->reserved, STEP);
    uint64_t end = ((uint64_t)m->reserved + m->reserved_bytes) & ~(uint64_t)(STEP - 1);
    small = round_up((end - start) / 8, STEP);
    m->zone[ZONE_SMALL].base = m->zone[ZONE_SMALL].next = m->zone[ZONE_SMALL].mapped = start;
    m->zone[ZONE_SMALL].end = start + small - STEP; /* the last step stays a guard */
    m->zone[ZONE_LARGE].base = m->zone[ZONE_LARGE].next = start + small;
    m->zone[ZONE_LARGE].end = end;
    return m;
}

void
memory_free(struct memory *m)
{
    if (!m)
        return;
    for (int i = 0; i < ZONE_COUNT; i++) {
        for (size_t j = 0; j < m->zone[i].table.count; j++)
            ls_release((void *)m->zone[i].table.at[j].a.name);
        VEC_FREE(&m->zone[i].table);
    }
    munmap(m->reserved, m->reserved_bytes);
    pthread_mutex_destroy(&m->lock);
    ls_release(m);
}

static char *
copy_name(const char *name)
{
    if (!name)
        return NULL;
    size_t n = strlen(name) + 1;
    return memcpy(ls_alloc(n), name, n);
}

static void
entry_fill(struct memory *m, struct entry *e, uint64_t size, enum allocation_kind kind,
           const char *name)
{
    ls_release((void *)e->a.name);
    e->a = (struct allocation){.base = e->a.base,
                               .size = size,
                               .kind = kind,
                               .number = ++m->numbers,
                               .name = copy_name(name),
                               .device = m->device};
    e->next = 0;
}

uint64_t
memory_alloc(struct memory *m, uint64_t size, uint64_t align, enum allocation_kind kind,
             const char *name)
{
    uint64_t base = 0;
    if (size > m->total || (align & (align - 1)) || align > 1u << 30)
        return 0;
    pthread_mutex_lock(&m->lock);
    bool heap = kind == ALLOCATION_HEAP;
    if (m->used + size <= m->total && (!heap || m->heap + size <= m->most_heap)) {
        bool small = size < SMALL_LIMIT && align <= UNIT &&
                     !(m->guarded && kind == ALLOCATION_MANAGED && m->apart++ < MOST_APART);
        struct entry *e =
            small ? small_new(m, round_up(size + SMALL_GAP, UNIT)) : large_new(m, size, align);
        if (e) {
            entry_fill(m, e, size, kind, name);
            m->used += size;
            m->heap += heap ? size : 0;
            m->live++;
            base = e->a.base;
        }
    }
    pthread_mutex_unlock(&m->lock);
    return base;
}

void
memory_set_shut(struct memory *m, bool shut)
{
    int how = shut ? PROT_NONE : PROT_READ | PROT_WRITE;
    pthread_mutex_lock(&m->lock);
    m->guarded = true;
    struct zone *small = &m->zone[ZONE_SMALL], *large = &m->zone[ZONE_LARGE];
    if (small->mapped > small->base)
        mprotect((void *)small->base, small->mapped - small->base, how);
    for (size_t k = 0; k < large->table.count; k++) {
        const struct allocation *a = &large->table.at[k].a;
        if (!a->freed && a->kind != ALLOCATION_MANAGED && a->kind != ALLOCATION_HOST)
            mprotect((void *)a->base, round_up(a->size, PAGE), how);
    }
    pthread_mutex_unlock(&m->lock);
}

bool
memory_owns(const struct memory *m, uint64_t address)
{
    return address - (uint64_t)m->reserved < m->reserved_bytes;
}

void
memory_limit_heap(struct memory *m, uint64_t bytes)
{
    pthread_mutex_lock(&m->lock);
    m->most_heap = bytes;
    pthread_mutex_unlock(&m->lock);
}

bool
memory_adopt(struct memory *m, uint64_t base, uint64_t size, enum allocation_kind kind,
             const char *name)
{
    struct zone *z = &m->zone[ZONE_ADOPTED];
    pthread_mutex_lock(&m->lock);
    struct entry *same = zone_exact(z, base);
    bool fine = size && base + size > base && !(same && !same->a.freed);
    if (fine) {
        if (same)
            zone_remove(z, same);
        struct entry e = {.a = {.base = base}, .extent = size};
        entry_fill(m, zone_insert(z, &e), size, kind, name);
        m->live++;
    }
    pthread_mutex_unlock(&m->lock);
    return fine;
}

bool
memory_set_read_only(struct memory *m, uint64_t base)
{
    struct zone *z;
    pthread_mutex_lock(&m->lock);
    struct entry *e = live_entry(m, base, &z);
    if (e)
        e->a.read_only = true;
    pthread_mutex_unlock(&m->lock);
    return e != NULL;
}

bool
memory_set_place(struct memory *m, uint64_t base, uint32_t place)
{
    struct zone *z;
    pthread_mutex_lock(&m->lock);
    struct entry *e = live_entry(m, base, &z);
    if (e)
        e->a.place = place;
    pthread_mutex_unlock(&m->lock);
    return e != NULL;
}

bool
memory_release(struct memory *m, uint64_t base)
{
    struct zone *z;
    pthread_mutex_lock(&m->lock);
    struct entry *e = live_entry(m, base, &z);
    if (e) {
        m->live--;
        e->a.freed = true;
        if (z == &m->zone[ZONE_ADOPTED]) {
            ls_release((void *)e->a.name);
            zone_remove(z, e);
        } else {
            m->used -= e->a.size;
            m->heap -= e->a.kind == ALLOCATION_HEAP ? e->a.size : 0;
            if (z == &m->zone[ZONE_SMALL])
                bin_push(z, &m->small[e->extent / UNIT], e);
            else
                large_close(m, e);
        }
    }
    pthread_mutex_unlock(&m->lock);
    return e != NULL;
}

/* -- questions --------------------------------------------------------------------------------- */

static uint64_t
distance(const struct allocation *a, uint64_t address)
{
    if (address < a->base)
        return a->base - address;
    return address < a->base + a->size ? 0 : address - (a->base + a->size) + 1;
}

/* The live allocation that holds the address. A size of 0 holds its base, so that a pointer to an
 * empty allocation is known. */
static const struct allocation *
holder(struct memory *m, uint64_t address)
{
    for (int i = 0; i < ZONE_COUNT; i++) {
        struct zone *z = &m->zone[i];
        ptrdiff_t at = zone_at_or_below(z, address);
        if (at < 0)
            continue;
        const struct allocation *a = &z->table.at[at].a;
        if (!a->freed && (address < a->base + a->size || address == a->base))
            return a;
    }
    return NULL;
}

static void
find_nearest(struct memory *m, uint64_t address, struct allocation *nearest)
{
    uint64_t best = UINT64_MAX;
    *nearest = (struct allocation){0};
    for (int i = 0; i < ZONE_COUNT; i++) {
        struct zone *z = &m->zone[i];
        ptrdiff_t at = zone_at_or_below(z, address);
        for (ptrdiff_t j = at < 0 ? 0 : at; j <= at + 1 && j < (ptrdiff_t)z->table.count; j++) {
            uint64_t d = distance(&z->table.at[j].a, address);
            if (z->table.at[j].a.number && d < best) {
                best = d;
                *nearest = z->table.at[j].a;
            }
        }
    }
}

bool
memory_find(struct memory *m, uint64_t address, struct allocation *found,
            struct allocation *nearest)
{
    pthread_mutex_lock(&m->lock);
    const struct allocation *a = holder(m, address);
    if (a && found)
        *found = *a;
    if (nearest && a)
        *nearest = *a;
    else if (nearest)
        find_nearest(m, address, nearest);
    pthread_mutex_unlock(&m->lock);
    return a != NULL;
}

void
memory_set_peer(struct memory *m, struct memory *peer, bool all)
{
    uint32_t k = 0;
    pthread_mutex_lock(&m->lock);
    while (k < m->peers && m->peer[k].memory != peer)
        k++;
    if (k < MOST_PEERS)
        m->peer[k] = (struct peer){peer, all};
    if (k == m->peers && k < MOST_PEERS)
        m->peers++;
    pthread_mutex_unlock(&m->lock);
}

bool
memory_find_reached(struct memory *m, uint64_t address, struct allocation *found)
{
    if (memory_find(m, address, found, NULL))
        return true;
    for (uint32_t k = 0;; k++) {
        pthread_mutex_lock(&m->lock);
        struct peer p = k < m->peers ? m->peer[k] : (struct peer){0};
        pthread_mutex_unlock(&m->lock);
        if (!p.memory)
            return false;
        if (memory_find(p.memory, address, found, NULL) &&
            (p.all || found->kind == ALLOCATION_MANAGED))
            return true;
    }
}

bool
memory_covers(struct memory *m, uint64_t address, uint64_t size)
{
    struct allocation a;
    return memory_find(m, address, &a, NULL) && size <= a.size && address - a.base <= a.size - size;
}

void
memory_usage(struct memory *m, uint64_t *used, uint64_t *total, uint64_t *allocations)
{
    pthread_mutex_lock(&m->lock);
    if (used)
        *used = m->used;
    if (total)
        *total = m->total;
    if (allocations)
        *allocations = m->live;
    pthread_mutex_unlock(&m->lock);
}

void
memory_each(struct memory *m, void (*f)(const struct allocation *, void *), void *context)
{
    size_t at[ZONE_COUNT] = {0};
    pthread_mutex_lock(&m->lock);
    for (;;) {
        int least = -1;
        for (int i = 0; i < ZONE_COUNT; i++) {
            struct zone *z = &m->zone[i];
            while (at[i] < z->table.count && z->table.at[at[i]].a.freed)
                at[i]++;
            if (at[i] < z->table.count &&
                (least < 0 ||
                 z->table.at[at[i]].a.base < m->zone[least].table.at[at[least]].a.base))
                least = i;
        }
        if (least < 0)
            break;
        f(&m->zone[least].table.at[at[least]++].a, context);
    }
    pthread_mutex_unlock(&m->lock);
}
