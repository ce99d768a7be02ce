/* SPDX-License-Identifier: Apache-2.0
 *
 * Simulated caches: L1 per SM, L2, device memory. The policies are those that NVIDIA documents (L1
 * write-through without allocation, L2 write-back, 128-byte lines of four sectors); ways,
 * replacement and the set hash are not documented and are this model's: docs/model.md, "Caches".
 *
 * The two levels are played apart: cache_system_l1() takes one SM's traffic and says what of it L2
 * is asked for, cache_system_l2() takes that, of all SMs in order. So an SM's tags stay in the
 * host's first cache while its traffic is played, and what L2 will look up is known ahead and
 * fetched (measured: with both levels in turn a launch's time went to waiting for the tags of 132
 * L1 caches and of L2).
 */
#include <string.h>
#include <sys/mman.h>
#ifdef __x86_64__
#include <immintrin.h>
#define WIDE __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw")))
#else
#define WIDE
#endif

#include "model/cache_priv.h"

/* L2_DIRTY: of a set's lines no more are kept dirty, whatever else is in it (readings of an H100,
 * h100_model_counters.csv: of 34.8, 40.0 and 67.1 MB written 22.6 stay in L2, 0.43 of it; 7 of 16).
 */
enum { L2_WAYS = 16, L2_DIRTY = 7 };
#define READ_BYTES ((size_t)1 << 32) /* lines are numbered with 32 bits */

/* Lines in a ring: `first` is where the one used last lies, those behind it are older; so a miss,
 * which takes the oldest one's place, moves nothing. Two lines of the host's cache. */
struct l2_set {
    uint32_t tag[L2_WAYS];
    /* per line and sector a bit: of the lowest four valid, then dirty,
     * then: the other half has it */
    uint16_t bits[L2_WAYS];
    uint32_t first;
    uint32_t launch; /* the set's content is that of this launch; older: empty */
} __attribute__((aligned(128)));
enum {
    DIRTY_SHIFT = 4,
    FAR_SHIFT = 8,
    WRITTEN_SHIFT = 4,
    DIRTY_SECTORS = ALL_SECTORS << DIRTY_SHIFT
};

struct cache_system {
    uint32_t sm_count;
    bool halves;                             /* L2 in two halves */
    bool wide;                               /* the host has vectors of a set's tags */
    uint8_t move[L2_WAYS][L2_WAYS][L2_WAYS]; /* see begin_moves() */
    uint64_t l1_bytes;
    struct l1 l1;
    struct sets l2_sets;
    struct l2_set *l2;
    void *l2_memory; /* where it lies, aligned */
    uint32_t launch;
    uint64_t dirty; /* sectors of L2 */
    /* For each line of device memory a bit for each sector that this launch has read from there,
     * and above them one for each that it has written. Reserved address space, of which the host
     * commits pages as they are used; NULL: the host refused it, and first reads are not counted
     * apart. */
    uint8_t *used;
    struct cache_counts counts;
};

static void
add_counts(struct cache_counts *to, const struct cache_counts *from)
{
    to->l1_sectors += from->l1_sectors;
    to->l1_hits += from->l1_hits;
    to->line_loads += from->line_loads;
    to->line_waits += from->line_waits;
    to->l2_sectors += from->l2_sectors;
    to->l2_hits += from->l2_hits;
    to->l2_loads += from->l2_loads;
    to->l2_load_requests += from->l2_load_requests;
    to->l2_store_requests += from->l2_store_requests;
    to->dram_bytes_read += from->dram_bytes_read;
    to->dram_bytes_first += from->dram_bytes_first;
    to->dram_bytes_written += from->dram_bytes_written;
    to->dram_bytes_kept += from->dram_bytes_kept;
}

size_t
cache_system_l1(struct cache_system *s, uint32_t sm, const uint64_t *line, size_t count,
                uint64_t *out, struct cache_counts *counts)
{
    return l1_play(&s->l1, sm % s->sm_count, line, count, out, counts);
}

void
cache_system_sets(const struct cache_system *s, const uint64_t *line, size_t count, uint16_t *set)
{
    for (size_t k = 0; k < count; k++)
        set[k] = (uint16_t)place_of(&s->l1.sets, line[k] >> CACHE_LINE_SHIFT).set;
}

bool
cache_system_wide(const struct cache_system *s)
{
    return s->wide;
}

void
cache_system_narrow(struct cache_system *s)
{
    s->wide = s->l1.wide = false;
}

bool
cache_system_repeats(const struct cache_system *s)
{
    return s->l1.loads && s->l1.sets.count;
}

/* -- L2 ---------------------------------------------------------------------------------------- */

/* Place of the line in the ring; L2_WAYS: not there. */
static inline uint32_t
l2_find(const struct l2_set *s, uint32_t tag)
{
    uint32_t found = 0;
#ifdef __x86_64__
    __m128i wanted = _mm_set1_epi32((int)tag), equal[4];
    for (int k = 0; k < 4; k++)
        equal[k] = _mm_cmpeq_epi32(_mm_load_si128((const __m128i *)s->tag + k), wanted);
    found = (uint32_t)_mm_movemask_epi8(
        _mm_packs_epi16(_mm_packs_epi32(equal[0], equal[1]), _mm_packs_epi32(equal[2], equal[3])));
#else
    for (uint32_t w = 0; w < L2_WAYS; w++)
        found |= (uint32_t)(s->tag[w] == tag) << w;
#endif
    return found ? (uint32_t)__builtin_ctz(found) : L2_WAYS;
}

/* The line at w becomes the one used last, at `first`; those between,
 * which are younger, move up. */
static inline void
l2_to_front(struct l2_set *s, uint32_t w)
{
    uint32_t tag = s->tag[w];
    uint16_t bits = s->bits[w];
    while (w != s->first) {
        uint32_t younger = (w - 1) % L2_WAYS;
        s->tag[w] = s->tag[younger];
        s->bits[w] = s->bits[younger];
        w = younger;
    }
    s->tag[w] = tag;
    s->bits[w] = bits;
}

/* For each place of the first line and of the one that comes to the front: where each line comes
 * from. */
static void
begin_moves(struct cache_system *s)
{
    for (uint32_t first = 0; first < L2_WAYS; first++)
        for (uint32_t w = 0; w < L2_WAYS; w++) {
            uint8_t *from = s->move[first][w];
            for (uint32_t k = 0; k < L2_WAYS; k++)
                from[k] = (uint8_t)k;
            for (uint32_t k = w; k != first; k = (k - 1) % L2_WAYS)
                from[k] = (uint8_t)((k - 1) % L2_WAYS);
            from[first] = (uint8_t)w;
        }
}

#ifdef __x86_64__
WIDE static inline uint32_t
l2_find_wide(const struct l2_set *s, uint32_t tag)
{
    uint32_t found =
        _mm512_cmpeq_epi32_mask(_mm512_load_si512(s->tag), _mm512_set1_epi32((int)tag));
    return (uint32_t)__builtin_ctz(found | 1u << L2_WAYS);
}

/* One permutation instead of as many moves as there are younger lines, which nobody foresees. */
WIDE static inline void
l2_to_front_wide(struct l2_set *s, const uint8_t from[L2_WAYS])
{
    __m128i move = _mm_loadu_si128((const __m128i *)from);
    __m512i tags = _mm512_permutexvar_epi32(_mm512_cvtepu8_epi32(move), _mm512_load_si512(s->tag));
    __m256i bits = _mm256_permutexvar_epi16(_mm256_cvtepu8_epi16(move),
                                            _mm256_load_si256((const __m256i *)s->bits));
    _mm512_store_si512(s->tag, tags);
    _mm256_store_si256((__m256i *)s->bits, bits);
}
#else
#define l2_find_wide l2_find
#endif

/* Which of the sectors, that L2 has (`hit`), the asking SM's own half has. A load from the half
 * that is not the line's home leaves a copy there; what is written, home alone has. Which SMs and
 * lines belong to which half NVIDIA does not say: SMs in turns of eight, lines by parity, are this
 * model's. */
static inline uint32_t
near_half(uint16_t *bits, uint32_t sm, uint64_t number, uint32_t sectors, uint32_t hit,
          enum access_op op)
{
    if (op != ACCESS_LOAD) {
        *bits &= (uint16_t) ~(sectors << FAR_SHIFT);
        return hit;
    }
    /* Nobody foresees which half it is: no jump. */
    uint32_t far = -((sm / 8 & 1) ^ (uint32_t)__builtin_parityll(number));
    hit &= (uint32_t)*bits >> FAR_SHIFT | ~far;
    *bits |= (uint16_t)(sectors << FAR_SHIFT & far);
    return hit;
}

static inline __attribute__((always_inline)) void
l2_front(const struct cache_system *s, struct l2_set *set, uint32_t w, bool wide)
{
#ifdef __x86_64__
    if (wide) {
        l2_to_front_wide(set, s->move[set->first][w]);
        return;
    }
#endif
    (void)s, (void)wide;
    l2_to_front(set, w);
}

/* No two threads have the same line at a time. */
static inline void
read_memory(const struct cache_system *s, uint32_t number, uint32_t sectors,
            struct cache_counts *counts)
{
    counts->dram_bytes_read += count_sectors(sectors) * SECTOR;
    if (!s->used)
        return;
    counts->dram_bytes_first += count_sectors(sectors & ~(uint32_t)s->used[number]) * SECTOR;
    s->used[number] |= (uint8_t)sectors;
}

/* Sectors that leave for memory when a line of the set has become dirty: of the oldest dirty line,
 * where there are more of them than L2 keeps; it stays, clean. */
static inline uint32_t
clean_oldest(struct l2_set *s)
{
    uint32_t dirty = 0; /* by age */
    for (uint32_t k = 0; k < L2_WAYS; k++)
        dirty |= (uint32_t)((s->bits[(s->first + k) % L2_WAYS] & DIRTY_SECTORS) != 0) << k;
    if (__builtin_popcount(dirty) <= L2_DIRTY)
        return 0;
    uint16_t *bits = &s->bits[(s->first + 31 - (uint32_t)__builtin_clz(dirty)) % L2_WAYS];
    uint32_t left = count_sectors((uint32_t)*bits >> DIRTY_SHIFT);
    *bits &= (uint16_t)~DIRTY_SECTORS;
    return left;
}

/* A sector is taken as written whole, so that L2 need not read it from memory first: a store always
 * hits (readings of a 9.0: of axpb's 25,000 sectors the 12,500 written hit). */
static inline __attribute__((always_inline)) void
l2_line(const struct cache_system *s, struct l2_set *set, uint64_t ask, struct cache_counts *counts,
        int64_t *dirty, bool wide)
{
    uint64_t number = ask >> ASK_LINE_SHIFT;
    uint32_t sectors = ask & ALL_SECTORS, n = count_sectors(sectors), hit = 0;
    enum access_op op = ask >> ASK_OP_SHIFT & 3;
    if (set->launch != s->launch)
        *set = (struct l2_set){.launch = s->launch};
    uint32_t w =
        wide ? l2_find_wide(set, (uint32_t)number + 1) : l2_find(set, (uint32_t)number + 1);
    if (w < L2_WAYS) {
        l2_front(s, set, w, wide);
        w = set->first;
        hit = set->bits[w] & sectors;
    } else { /* the oldest one leaves */
        w = set->first = (set->first - 1) % L2_WAYS;
        uint32_t written_back = count_sectors((uint32_t)set->bits[w] >> DIRTY_SHIFT);
        counts->dram_bytes_written += (uint64_t)written_back * SECTOR;
        *dirty -= written_back;
        set->tag[w] = (uint32_t)number + 1;
        set->bits[w] = 0;
    }
    uint32_t written = op != ACCESS_LOAD ? sectors << DIRTY_SHIFT : 0;
    uint32_t fresh = (written & ~(uint32_t)set->bits[w]) >> DIRTY_SHIFT;
    *dirty += count_sectors(fresh);
    if (fresh && s->used)
        s->used[number] |= (uint8_t)(fresh << WRITTEN_SHIFT);
    bool clean = !(set->bits[w] & DIRTY_SECTORS);
    set->bits[w] |= (uint16_t)(sectors | written);
    if (fresh && clean) {
        uint32_t written_back = clean_oldest(set);
        counts->dram_bytes_written += (uint64_t)written_back * SECTOR;
        *dirty -= written_back;
    }
    if (op != ACCESS_STORE && hit != sectors)
        read_memory(s, (uint32_t)number, sectors & ~hit, counts);
    if (s->halves)
        hit = near_half(&set->bits[w], ask >> ASK_SM_SHIFT & 0xffff, number, sectors, hit, op);
    counts->l2_sectors += n;
    counts->l2_hits += op == ACCESS_STORE ? n : count_sectors(hit);
    counts->l2_loads += op == ACCESS_STORE ? 0 : n;
    counts->l2_load_requests += op == ACCESS_LOAD;
    counts->l2_store_requests += op == ACCESS_STORE;
}

/* 1.x: no L2 at all. */
static void
no_l2(uint64_t ask, struct cache_counts *counts)
{
    enum access_op op = ask >> ASK_OP_SHIFT & 3;
    uint32_t n = count_sectors((uint32_t)ask);
    counts->l2_sectors += n;
    counts->dram_bytes_read += op != ACCESS_STORE ? (uint64_t)n * SECTOR : 0;
    counts->dram_bytes_written += op != ACCESS_LOAD ? (uint64_t)n * SECTOR : 0;
}

static inline __attribute__((always_inline)) void
l2_play(struct cache_system *s, const uint64_t *ask, size_t count, struct cache_counts *counts,
        bool wide)
{
    enum { AHEAD = 16 };
    struct {
        struct l2_set *set;
        uint64_t ask;
    } wait[AHEAD];
    size_t in = 0, out = 0;
    int64_t dirty = 0;
    struct cache_counts own = {0};
    for (size_t k = 0; k < count; k++) {
        size_t set = place_of(&s->l2_sets, ask[k] >> ASK_LINE_SHIFT).set;
        if (in - out == AHEAD) {
            l2_line(s, wait[out % AHEAD].set, wait[out % AHEAD].ask, &own, &dirty, wide);
            out++;
        }
        wait[in % AHEAD].set = s->l2 + set;
        wait[in++ % AHEAD].ask = ask[k];
        __builtin_prefetch(s->l2 + set, 1);
        __builtin_prefetch((char *)(s->l2 + set) + 64, 1);
    }
    for (; out < in; out++)
        l2_line(s, wait[out % AHEAD].set, wait[out % AHEAD].ask, &own, &dirty, wide);
    __atomic_fetch_add(&s->dirty, (uint64_t)dirty, __ATOMIC_RELAXED);
    add_counts(counts, &own);
}

WIDE static void
l2_play_wide(struct cache_system *s, const uint64_t *ask, size_t count, struct cache_counts *counts)
{
    l2_play(s, ask, count, counts, true);
}

void
cache_system_l2(struct cache_system *s, const uint64_t *ask, size_t count,
                struct cache_counts *counts)
{
    if (s->l2_sets.count && s->wide)
        l2_play_wide(s, ask, count, counts);
    else if (s->l2_sets.count)
        l2_play(s, ask, count, counts, false);
    for (size_t k = 0; !s->l2_sets.count && k < count; k++)
        no_l2(ask[k], counts);
}

/* Of a number that the number of sets is a multiple of, a hash's remainder is its set's. */
uint32_t
cache_system_parts(const struct cache_system *s, uint32_t most)
{
    uint32_t parts = 1;
    while (s->l2_sets.count && 2 * parts <= most && s->l2_sets.count % (2 * parts) == 0)
        parts *= 2;
    return parts;
}

void
cache_system_split(const uint64_t *ask, size_t count, uint32_t parts, uint64_t **out)
{
    for (size_t k = 0; k < count; k++)
        *out[hash_of(ask[k] >> ASK_LINE_SHIFT) & (parts - 1)]++ = ask[k];
}

/* -- both together ----------------------------------------------------------------------------- */

struct cache_system *
cache_system_new(const struct device_profile *d, uint32_t shared_per_sm)
{
    struct cache_system *s = ls_alloc(sizeof *s);
#ifdef __x86_64__
    s->wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
#endif
    s->sm_count = d->sm_count;
    s->halves = d->l2_halves;
    s->l1_bytes = model_l1_bytes(d, shared_per_sm);
    s->l1 = l1_new(d, s->l1_bytes, s->wide);
    s->l2_sets = count_sets(d->l2_bytes, L2_WAYS);
    s->l2_memory = ls_alloc((s->l2_sets.count + 1) * sizeof *s->l2);
    s->l2 = (void *)(((uintptr_t)s->l2_memory | (sizeof *s->l2 - 1)) + 1);
    s->launch = 1;
    begin_moves(s);
    void *read = mmap(NULL, READ_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    s->used = s->l2_sets.count && read != MAP_FAILED ? read : NULL;
    if (!s->used && read != MAP_FAILED)
        munmap(read, READ_BYTES);
    return s;
}

void
cache_system_free(struct cache_system *s)
{
    if (!s)
        return;
    l1_free(&s->l1);
    if (s->used)
        munmap(s->used, READ_BYTES);
    ls_release(s->l2_memory);
    ls_release(s);
}

bool
cache_system_again(struct cache_system *s, const struct device_profile *d, uint32_t shared_per_sm)
{
    if (s->l1_bytes != model_l1_bytes(d, shared_per_sm) || s->launch == UINT32_MAX)
        return false;
    cache_system_launch(s);
    memset(&s->counts, 0, sizeof s->counts);
    s->dirty = 0;
    s->launch++;
    if (s->used)
        madvise(s->used, READ_BYTES, MADV_DONTNEED);
    return true;
}

uint64_t
cache_system_used(const struct cache_system *s, uint32_t line, uint32_t lines)
{
    const uint64_t lower = 0x0f0f0f0f0f0f0f0f;
    uint64_t sectors = 0, part;
    if (!s->used)
        return (uint64_t)lines * LINE;
    for (uint32_t k = 0; k < lines; k += sizeof part) {
        memcpy(&part, s->used + line + k, sizeof part);
        sectors += (uint64_t)__builtin_popcountll((part | part >> WRITTEN_SHIFT) & lower);
    }
    return sectors * SECTOR;
}

void
cache_system_sectors(struct cache_system *s, uint32_t sm, uint64_t address, uint32_t count,
                     enum access_op op, bool bypass_l1)
{
    uint64_t ask, sector = address / SECTOR;
    uint64_t bits = (uint64_t)op << CACHE_OP_SHIFT | (bypass_l1 ? CACHE_BYPASS : 0);
    while (count) {
        uint32_t first = sector % PER_LINE, n = PER_LINE - first < count ? PER_LINE - first : count;
        uint64_t line = sector / PER_LINE << CACHE_LINE_SHIFT | bits | ((1u << n) - 1) << first;
        size_t asked = cache_system_l1(s, sm, &line, 1, &ask, &s->counts);
        cache_system_l2(s, &ask, asked, &s->counts);
        sector += n;
        count -= n;
    }
}

void
cache_system_sector(struct cache_system *s, uint32_t sm, uint64_t address, enum access_op op,
                    bool bypass_l1)
{
    cache_system_sectors(s, sm, address, 1, op, bypass_l1);
}

void
cache_system_launch(struct cache_system *s)
{
    l1_forget(&s->l1);
}

void
cache_system_add(struct cache_system *s, const struct cache_counts *counts)
{
    add_counts(&s->counts, counts);
}

struct cache_counts
cache_system_counts(struct cache_system *s, bool write_back)
{
    if (write_back) {
        s->counts.dram_bytes_written += s->dirty * SECTOR;
        s->counts.dram_bytes_kept += s->dirty * SECTOR;
        s->dirty = 0;
        s->launch++; /* L2 holds nothing any more */
    }
    return s->counts;
}

uint64_t
cache_system_dirty(const struct cache_system *s)
{
    return s->dirty * SECTOR;
}
