/* SPDX-License-Identifier: Apache-2.0
 *
 * The simulated L1 of each SM. A set is four words of 32 bits in the order of use, so that it lies
 * in one line of the host's cache and a vector moves all of them: 132 SMs' take one megabyte. Hosts
 * with AVX-512 look eight lines up at a time, up to the sets themselves (play_wide).
 */
#include "model/cache_priv.h"

#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#define WIDE __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw")))
#endif

/* Lines, the one used last first: what of its hash is above the set, + 1, and four bits of valid
 * sectors. 0: empty. */
struct l1_set {
    uint32_t line[L1_WAYS];
} __attribute__((aligned(16)));
/* 28 bits are left for what is above: enough from 17 sets on, and no
 * device has fewer (cache_test). */
enum { SECTOR_BITS = 4 };

static inline uint32_t
tag_of(struct place p)
{
    return (p.above + 1) << SECTOR_BITS;
}

/* difference: an entry of the set less the tag looked for (tag_of). Below 1 << SECTOR_BITS the
 * entry is of that line, and the difference is the mask of its valid sectors. */
static inline bool
is_line(uint32_t difference)
{
    return difference >> SECTOR_BITS == 0;
}

/* Way of the line; L1_WAYS: not there. Without jumps: which way it is nobody foresees. */
static inline uint32_t
l1_find(const struct l1_set *s, uint32_t tag)
{
    uint32_t found = 1u << L1_WAYS;
    for (uint32_t w = 0; w < L1_WAYS; w++)
        found |= (uint32_t)is_line(s->line[w] ^ tag) << w;
    return (uint32_t)__builtin_ctz(found);
}

/* Loads sectors of a line: those that hit. The lines used later move up by one, and it becomes the
 * first. */
static inline uint32_t
l1_load(struct l1_set *s, uint32_t tag, uint32_t sectors)
{
    uint32_t first = s->line[0], second = s->line[1], third = s->line[2];
    if (is_line(first ^ tag)) {
        s->line[0] = first | sectors;
        return first & sectors;
    }
    uint32_t way = l1_find(s, tag), last = way < L1_WAYS ? way : L1_WAYS - 1;
    uint32_t old = s->line[last] ^ tag;
    old = is_line(old) ? old : 0;
    s->line[0] = tag | old | sectors;
    s->line[1] = first;
    s->line[2] = last >= 2 ? second : third;
    s->line[3] = last >= 3 ? third : s->line[3];
    return old & sectors;
}
_Static_assert(L1_WAYS == 4, "four words");

/* 7.0 on: a store takes its line in L1 and counts as a hit where the line is there already; what it
 * writes goes on to L2 all the same (docs/model.md, "Caches": readings of a 9.0). */
static inline bool
l1_store(struct l1_set *s, uint32_t tag)
{
    if (l1_find(s, tag) < L1_WAYS)
        return true;
    s->line[L1_WAYS - 1] = tag;
    return false;
}

static inline void
l1_invalidate(struct l1_set *s, uint32_t tag, uint32_t sectors)
{
    uint32_t w = l1_find(s, tag);
    if (w < L1_WAYS)
        s->line[w] &= ~sectors;
}

/* What an access of some sectors of a line leaves for L2. */
static inline uint32_t
l1_line(const struct l1 *l1, struct l1_set *own, uint64_t number, uint32_t sectors,
        enum access_op op, bool bypass, struct cache_counts *counts)
{
    struct place p = place_of(&l1->sets, number);
    struct l1_set *set = l1->sets.count ? own + p.set : NULL;
    uint32_t n = count_sectors(sectors), tag = tag_of(p);
    if (op == ACCESS_LOAD) {
        if (!l1->loads || bypass)
            return sectors;
        uint32_t hit = set ? l1_load(set, tag, sectors) : 0;
        counts->l1_sectors += n;
        counts->l1_hits += count_sectors(hit);
        return sectors & ~hit;
    }
    if (op != ACCESS_STORE) { /* atomics happen in L2 */
        if (set)
            l1_invalidate(set, tag, sectors);
        counts->l1_sectors += l1->stores ? n : 0;
    } else if (l1->stores && set) {
        counts->l1_sectors += n;
        counts->l1_hits += l1_store(set, tag) ? n : 0;
    }
    return sectors;
}

/* One after the other. */
static inline size_t
play_lines(const struct l1 *l1, struct l1_set *own, uint32_t sm, const uint64_t *line, size_t count,
           uint64_t *out, struct cache_counts *counts)
{
    struct cache_counts sum = {0};
    const struct l1 fixed = *l1; /* in registers: what is counted could be it */
    size_t asked = 0;
    for (size_t k = 0; k < count; k++) {
        uint64_t number = line[k] >> CACHE_LINE_SHIFT;
        enum access_op op = line[k] >> CACHE_OP_SHIFT & 3;
        uint32_t sectors =
            l1_line(&fixed, own, number, line[k] & CACHE_SECTORS, op, line[k] & CACHE_BYPASS, &sum);
        out[asked] = number << ASK_LINE_SHIFT | (uint64_t)sm << ASK_SM_SHIFT |
                     (uint64_t)op << ASK_OP_SHIFT | sectors;
        asked += sectors != 0;
    }
    counts->l1_sectors += sum.l1_sectors;
    counts->l1_hits += sum.l1_hits;
    return asked;
}

/* -- eight lines at a time --------------------------------------------------------------------- */

#ifdef __x86_64__
enum { LINES = 8 };

/* place_of(). */
struct places {
    __m512i set, tag;
};
WIDE static inline struct places
places_of(const struct sets *s, __m512i number)
{
    __m512i hash = number, above;
    hash = _mm512_xor_si512(hash, _mm512_srli_epi64(number, 7));
    hash = _mm512_xor_si512(hash, _mm512_srli_epi64(number, 15));
    hash = _mm512_xor_si512(hash, _mm512_srli_epi64(number, 23));
    hash = _mm512_xor_si512(hash, _mm512_srli_epi64(hash, 32));
    hash = _mm512_and_si512(hash, _mm512_set1_epi64(UINT32_MAX));
    above = _mm512_mul_epu32(hash, _mm512_set1_epi64((int64_t)(s->inverse & UINT32_MAX)));
    above =
        _mm512_add_epi64(_mm512_srli_epi64(above, 32),
                         _mm512_mul_epu32(hash, _mm512_set1_epi64((int64_t)(s->inverse >> 32))));
    above = _mm512_srli_epi64(above, 32);
    return (struct places){
        _mm512_sub_epi64(hash, _mm512_mul_epu32(above, _mm512_set1_epi64(s->count))),
        _mm512_slli_epi64(_mm512_add_epi64(above, _mm512_set1_epi64(1)), SECTOR_BITS)};
}

WIDE static inline __m512i
count_all_sectors(__m512i sectors)
{
    __m512i table = _mm512_set1_epi64(0x4332322132212110);
    return _mm512_and_si512(_mm512_srlv_epi64(table, _mm512_slli_epi64(sectors, 2)),
                            _mm512_set1_epi64(15));
}

/* l1_load(): the four words are moved by one permutation, without jumps. */
WIDE static inline uint64_t
load_wide(struct l1_set *s, uint32_t tag, uint32_t sectors)
{
    static const uint8_t move[L1_WAYS][16] __attribute__((aligned(16))) = {
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
        {4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15},
        {8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15},
        {12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
    };
    __m128i t = _mm_load_si128((const __m128i *)s->line);
    __m128i difference = _mm_xor_si128(t, _mm_set1_epi32((int)tag));
    uint32_t found = _mm_cmplt_epu32_mask(difference, _mm_set1_epi32(1 << SECTOR_BITS));
    uint32_t last = (uint32_t)__builtin_ctz(found | 1u << (L1_WAYS - 1));
    t = _mm_shuffle_epi8(t, _mm_load_si128((const __m128i *)move[last]));
    uint32_t old = (uint32_t)_mm_cvtsi128_si32(t) ^ tag;
    old = is_line(old) ? old : 0;
    t = _mm_blend_epi32(t, _mm_cvtsi32_si128((int)(tag | old | sectors)), 1);
    _mm_store_si128((__m128i *)s->line, t);
    return old & sectors;
}

/* l1_store(): a bit per sector where the line is there. */
WIDE static inline uint64_t
store_wide(struct l1_set *s, uint32_t tag)
{
    __m128i t = _mm_load_si128((const __m128i *)s->line), wanted = _mm_set1_epi32((int)tag);
    uint32_t found =
        _mm_cmplt_epu32_mask(_mm_xor_si128(t, wanted), _mm_set1_epi32(1 << SECTOR_BITS));
    t = _mm_mask_mov_epi32(t, found ? 0 : 1 << (L1_WAYS - 1), wanted);
    _mm_store_si128((__m128i *)s->line, t);
    return found ? ALL_SECTORS : 0;
}

/* Sectors of eight lines that hit, a byte each. */
WIDE static inline uint64_t
hits_of(struct l1_set *own, const struct places *p, const uint64_t *line, bool stores)
{
    uint64_t set[LINES], tag[LINES], hits = 0;
    _mm512_storeu_si512(set, p->set);
    _mm512_storeu_si512(tag, p->tag);
    if (stores) {
        for (int k = 0; k < LINES; k++)
            hits |= store_wide(own + set[k], (uint32_t)tag[k]) << 8 * k;
        return hits;
    }
#pragma clang loop unroll(full)
    for (int k = 0; k < LINES; k++)
        hits |= load_wide(own + set[k], (uint32_t)tag[k], line[k] & CACHE_SECTORS) << 8 * k;
    return hits;
}

/* Loads and stores that look L1 up; others, and the last few, one by one. */
WIDE static size_t
play_wide(const struct l1 *l1, struct l1_set *own, uint32_t sm, const uint64_t *line, size_t count,
          uint64_t *out, struct cache_counts *counts)
{
    const __m512i lower = _mm512_set1_epi64(CACHE_SECTORS | 3 << CACHE_OP_SHIFT);
    const __m512i stored = _mm512_set1_epi64(ACCESS_STORE << CACHE_OP_SHIFT);
    __m512i sectors = _mm512_setzero_si512(), hits = sectors;
    size_t asked = 0, k = 0;
    for (; k + LINES <= count; k += LINES) {
        __m512i word = _mm512_loadu_si512(line + k),
                own_sectors = _mm512_and_si512(word, _mm512_set1_epi64(CACHE_SECTORS));
        __m512i how = _mm512_and_si512(word, _mm512_set1_epi64(CACHE_BYPASS | 3 << CACHE_OP_SHIFT));
        bool stores = _mm512_cmpeq_epi64_mask(how, stored) == 0xff;
        if (!stores && _mm512_test_epi64_mask(how, how)) {
            asked += play_lines(l1, own, sm, line + k, LINES, out + asked, counts);
            continue;
        }
        __m512i number = _mm512_srli_epi64(word, CACHE_LINE_SHIFT);
        struct places p = places_of(&l1->sets, number);
        uint64_t found = hits_of(own, &p, line + k, stores);
        __m512i hit =
            _mm512_and_si512(_mm512_cvtepu8_epi64(_mm_cvtsi64_si128((int64_t)found)), own_sectors);
        __m512i ask =
            stores ? _mm512_and_si512(word, lower) : _mm512_andnot_si512(hit, own_sectors);
        __mmask8 some = _mm512_test_epi64_mask(ask, ask);
        ask = _mm512_or_si512(ask, _mm512_slli_epi64(number, ASK_LINE_SHIFT));
        ask = _mm512_or_si512(ask, _mm512_set1_epi64((int64_t)sm << ASK_SM_SHIFT));
        uint32_t n = (uint32_t)__builtin_popcount(some);
        _mm512_mask_storeu_epi64(out + asked, (__mmask8)((1u << n) - 1),
                                 _mm512_maskz_compress_epi64(some, ask));
        asked += n;
        sectors = _mm512_add_epi64(sectors, count_all_sectors(own_sectors));
        hits = _mm512_add_epi64(hits, count_all_sectors(hit));
    }
    counts->l1_sectors += (uint64_t)_mm512_reduce_add_epi64(sectors);
    counts->l1_hits += (uint64_t)_mm512_reduce_add_epi64(hits);
    return asked + play_lines(l1, own, sm, line + k, count - k, out + asked, counts);
}
#endif

/* -- what is on its way ------------------------------------------------------------------------ */

static inline bool
is_load(uint64_t word)
{
    return (word >> CACHE_OP_SHIFT & 3) == ACCESS_LOAD;
}

static size_t
count_loads(const uint64_t *word, size_t count)
{
    size_t loads = 0;
    for (size_t k = 0; k < count; k++)
        loads += is_load(word[k]);
    return loads;
}

static inline uint32_t
arrival_slot(uint64_t number)
{
    return (uint32_t)(number * 0x9e3779b97f4a7c15ull >> 32) % CACHE_ARRIVALS;
}

void
cache_count_waits(struct cache_arrivals *a, const uint64_t *line, size_t count, const uint64_t *ask,
                  size_t asked, struct cache_counts *counts)
{
    size_t loads = count_loads(line, count), missed = count_loads(ask, asked);
    counts->line_loads += loads;
    if (missed == 0 || missed == loads) { /* none is another's, or all ask for themselves */
        counts->line_waits += missed;
        return;
    }
    a->now++;
    for (size_t k = 0; k < asked; k++)
        if (is_load(ask[k])) {
            uint64_t number = ask[k] >> ASK_LINE_SHIFT;
            a->line[arrival_slot(number)] = number;
            a->step[arrival_slot(number)] = a->now;
        }
    for (size_t k = 0; k < count; k++)
        if (is_load(line[k])) {
            uint64_t number = line[k] >> CACHE_LINE_SHIFT;
            uint32_t slot = arrival_slot(number);
            counts->line_waits += a->line[slot] == number && a->step[slot] == a->now;
        }
}

/* -- both -------------------------------------------------------------------------------------- */

static struct l1_set *
sets_of(struct l1 *l1, uint32_t sm)
{
    struct l1_set *own = l1->set + (size_t)sm * l1->sets.count;
    if (!l1->used[sm]) {
        l1->used[sm] = true;
        memset(own, 0, l1->sets.count * sizeof *own);
    }
    return own;
}

size_t
l1_play(struct l1 *l1, uint32_t sm, const uint64_t *line, size_t count, uint64_t *out,
        struct cache_counts *counts)
{
    struct l1_set *own = sets_of(l1, sm);
#ifdef __x86_64__
    if (l1->wide && count >= LINES)
        return play_wide(l1, own, sm, line, count, out, counts);
#endif
    return play_lines(l1, own, sm, line, count, out, counts);
}

struct l1
l1_new(const struct device_profile *d, uint64_t bytes, bool wide)
{
    struct l1 l1 = {.sets = count_sets(bytes, L1_WAYS),
                    .loads = d->l1_global_loads,
                    .stores = d->cc_major >= 7,
                    .sm_count = d->sm_count};
    l1.wide = wide && l1.loads && l1.stores && l1.sets.count;
    l1.set = ls_alloc((size_t)l1.sm_count * l1.sets.count * sizeof *l1.set + 1);
    l1.used = ls_alloc(l1.sm_count * sizeof *l1.used);
    return l1;
}

void
l1_free(struct l1 *l1)
{
    ls_release(l1->set);
    ls_release(l1->used);
}

void
l1_forget(struct l1 *l1)
{
    memset(l1->used, 0, l1->sm_count * sizeof *l1->used);
}
