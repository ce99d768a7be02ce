/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/transfer.c: mbarriers and bulk transfers, run for one warp (PTX ISA 9.7.13.15, 9.7.9.27).
 *
 * An mbarrier is one 64-bit word (jit/mbarrier.h), a state the word as it was. Shared memory is
 * touched by one worker at a time, so that nothing here needs to be atomic but reductions into
 * global memory.
 */
#include "jit/ops/ops.h"
#include "jit/ops/transfer.h"
#include "jit/jit.h"

#include <math.h>
#include <string.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif

/* -- mbarrier --------------------------------------------------------------------------------- */

static uint64_t
word_of(struct jit_mbarrier s)
{
    uint32_t mask = (1u << JIT_MBARRIER_COUNT_BITS) - 1;
    uint64_t bytes = (uint32_t)s.bytes & ((1u << JIT_MBARRIER_TX_BITS) - 1);
    return (uint64_t)s.parity << 63 | bytes << 2 * JIT_MBARRIER_COUNT_BITS |
           (uint64_t)(s.expected & mask) << JIT_MBARRIER_COUNT_BITS | (s.pending & mask);
}

/* PTX ISA 9.7.13.15.5: a phase ends when nothing is pending; the next one begins at once. */
static void
end_phase(struct jit_mbarrier *s)
{
    if (s->pending || s->bytes)
        return;
    s->parity ^= 1;
    s->pending = s->expected;
}

static void
arrive(struct jit_mbarrier *s, enum jit_mbarrier_op op, uint64_t number)
{
    bool bytes = op == JIT_MBARRIER_ARRIVE_TX || op == JIT_MBARRIER_DROP_TX;
    uint32_t count = bytes ? 1 : (uint32_t)number;
    if (bytes)
        s->bytes += (int32_t)number;
    if (op == JIT_MBARRIER_DROP || op == JIT_MBARRIER_DROP_TX)
        s->expected -= count;
    s->pending -= count;
    end_phase(s);
}

uint64_t
jit_mbarrier_do(uint64_t *word, enum jit_mbarrier_op op, uint64_t number)
{
    struct jit_mbarrier s = jit_mbarrier_of(*word), asked = jit_mbarrier_of(number);
    uint64_t before = *word;
    switch (op) {
    case JIT_MBARRIER_INIT:
        s = (struct jit_mbarrier){.pending = (uint32_t)number, .expected = (uint32_t)number};
        break;
    case JIT_MBARRIER_INVAL: s = (struct jit_mbarrier){0}; break;
    case JIT_MBARRIER_EXPECT_TX: s.bytes += (int32_t)number; break;
    case JIT_MBARRIER_COMPLETE_TX:
        s.bytes -= (int32_t)number;
        end_phase(&s);
        break;
    case JIT_MBARRIER_TEST: return s.parity != asked.parity;
    case JIT_MBARRIER_TEST_PARITY: return s.parity != (number & 1);
    case JIT_MBARRIER_PENDING: return asked.pending;
    default: arrive(&s, op, number); break;
    }
    *word = word_of(s);
    return before;
}

static uint64_t
do_barrier(enum jit_mbarrier_op op, uint64_t address, uint64_t number)
{
    uint64_t word = 0;
    if (op == JIT_MBARRIER_PENDING)
        return jit_mbarrier_do(&word, op, number);
    memcpy(&word, (const void *)(uintptr_t)address, sizeof word);
    uint64_t out = jit_mbarrier_do(&word, op, number);
    memcpy((void *)(uintptr_t)address, &word, sizeof word);
    return out;
}

void
jit_mbarrier_complete(uint64_t address, uint64_t bytes)
{
    do_barrier(JIT_MBARRIER_COMPLETE_TX, address, bytes);
}

void
jit_mbarrier_arrive(uint64_t address)
{
    do_barrier(JIT_MBARRIER_ARRIVE, address, 1);
}

/* The phase that the lane asked for is not over: kept for the report of a deadlock. */
static void
note_asked(struct jit_warp *w, unsigned lane, uint32_t op, uint64_t address, uint64_t number)
{
    struct jit_asked *all = w->block->asked;
    uint32_t parity = op == JIT_MBARRIER_TEST ? jit_mbarrier_of(number).parity : number & 1;
    if (all)
        all[w->warp * JIT_LANES + lane] = (struct jit_asked){.address = address, .parity = parity};
}

/* op: enum jit_mbarrier_op. */
static void
transfer_barrier(struct jit_warp *w, uint32_t lanes, uint32_t op, const uint64_t *address,
                 const uint64_t *number, uint64_t *out)
{
    bool test = op == JIT_MBARRIER_TEST || op == JIT_MBARRIER_TEST_PARITY;
    for (unsigned l, last = JIT_LANES; lanes; lanes &= lanes - 1, last = l) {
        l = (unsigned)__builtin_ctz(lanes);
        /* A warp mostly asks one mbarrier for one phase; asking changes nothing. */
        bool same =
            test && last < JIT_LANES && address[l] == address[last] && number[l] == number[last];
        out[l] = same ? out[last] : do_barrier((enum jit_mbarrier_op)op, address[l], number[l]);
        if (test && !out[l])
            note_asked(w, l, op, address[l], number[l]);
    }
}

/* -- reductions ------------------------------------------------------------------------------- */

static const uint8_t type_bytes[TRANSFER_TYPES] = {4, 4, 8, 8, 2, 2, 4, 8, 4};

static uint64_t
reduce_integer(uint32_t op, uint32_t type, uint64_t old, uint64_t x)
{
    bool is_signed = type == TRANSFER_S32 || type == TRANSFER_S64, narrow = type_bytes[type] == 4;
    int64_t a = narrow ? (int32_t)old : (int64_t)old, b = narrow ? (int32_t)x : (int64_t)x;
    bool less = is_signed ? a < b : old < x;
    switch (op) {
    case TRANSFER_ADD: return old + x;
    case TRANSFER_MIN: return less ? old : x;
    case TRANSFER_MAX: return less ? x : old;
    case TRANSFER_INC: return old >= x ? 0 : old + 1;
    case TRANSFER_DEC: return old == 0 || old > x ? x : old - 1;
    case TRANSFER_AND: return old & x;
    case TRANSFER_OR: return old | x;
    case TRANSFER_XOR: return old ^ x;
    default: return x;
    }
}

static double
widened(uint32_t type, uint64_t bits)
{
    uint32_t w = type == TRANSFER_BF16 ? (uint32_t)bits << 16 : (uint32_t)bits;
    uint16_t h = (uint16_t)bits;
    _Float16 half;
    float f;
    double d;
    if (type == TRANSFER_F64) {
        memcpy(&d, &bits, sizeof d);
        return d;
    }
    if (type == TRANSFER_F16) {
        memcpy(&half, &h, sizeof half);
        return (double)half;
    }
    memcpy(&f, &w, sizeof f);
    return f;
}

/* x to the type's bits: sums of two halves, bfloats or floats are exact in a double or round alike
 * (2 * 24 + 2 <= 53 bits). */
static uint64_t
narrowed(uint32_t type, double x)
{
    uint64_t d;
    uint32_t w;
    uint16_t h;
    float f = (float)x;
    _Float16 half = (_Float16)x;
    memcpy(&d, &x, sizeof d);
    memcpy(&w, &f, sizeof w);
    memcpy(&h, &half, sizeof h);
    switch (type) {
    case TRANSFER_F64: return isnan(x) ? 0x7ff8000000000000 : d;
    case TRANSFER_F32: return isnan(x) ? 0x7fffffff : w;
    case TRANSFER_F16: return isnan(x) ? 0x7fff : h;
    default: return isnan(x) ? 0x7fff : (w + 0x7fff + (w >> 16 & 1)) >> 16;
    }
}

/* Subnormal numbers are zeros. */
static double
flushed_number(double x)
{
    return fabs(x) < 0x1p-126 ? copysign(0, x) : x;
}

static uint32_t
flushed(uint32_t bits)
{
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

static uint64_t
reduced(uint32_t op, uint32_t type, uint64_t old, uint64_t x)
{
    bool is_float = type >= TRANSFER_F16;
    if (!is_float || op >= TRANSFER_INC)
        return reduce_integer(op, type, old, x);
    double a = widened(type, old), b = widened(type, x);
    if (type == TRANSFER_F32_FTZ)
        return flushed((uint32_t)narrowed(TRANSFER_F32, flushed_number(a) + flushed_number(b)));
    return narrowed(type, op == TRANSFER_ADD   ? a + b
                          : op == TRANSFER_MIN ? fmin(a, b)
                                               : fmax(a, b));
}

#define REDUCE(bits)                                                                               \
    static void reduce##bits(uint32_t op, uint32_t type, uint64_t to, uint64_t from)               \
    {                                                                                              \
        uint##bits##_t *place = (uint##bits##_t *)(uintptr_t)to, x, old;                           \
        memcpy(&x, (const void *)(uintptr_t)from, sizeof x);                                       \
        old = __atomic_load_n(place, __ATOMIC_RELAXED);                                            \
        while (!__atomic_compare_exchange_n(place, &old,                                           \
                                            (uint##bits##_t)reduced(op, type, old, x), false,      \
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED))                   \
            ;                                                                                      \
    }
REDUCE(16)
REDUCE(32)
REDUCE(64)

static void
reduce_all(uint32_t op, uint32_t type, uint64_t to, uint64_t from, uint64_t size)
{
    uint32_t step = type_bytes[type];
    for (uint64_t k = 0; k + step <= size; k += step) {
        if (step == 2)
            reduce16(op, type, to + k, from + k);
        else if (step == 4)
            reduce32(op, type, to + k, from + k);
        else
            reduce64(op, type, to + k, from + k);
    }
}

/* -- bulk ------------------------------------------------------------------------------------- */

static void
copy_masked(uint8_t *to, const uint8_t *from, uint64_t size, uint64_t mask)
{
    for (uint64_t k = 0; k < size; k++)
        if (mask >> k % 16 & 1)
            to[k] = from[k];
}

void
jit_stream(uint64_t to, const uint8_t *from, uint64_t bytes)
{
#ifdef __x86_64__
    enum { PIECE = 16 };
    for (uint64_t k = 0; k < bytes; k += PIECE)
        _mm_stream_si128((__m128i *)(uintptr_t)(to + k),
                         _mm_loadu_si128((const __m128i *)(from + k)));
#else
    memcpy((void *)(uintptr_t)to, from, bytes);
#endif
}

void
jit_streamed(void)
{
#ifdef __x86_64__
    _mm_sfence();
#endif
}

/* To device memory, from each block so much that all of them are more than what the caches should
 * have. The copy is done when the instruction is. */
static bool
streams(const struct jit_warp *w, uint64_t to, uint64_t size)
{
    enum { LINE = 64 };
    uint32_t least = w->block->launch->block_streams;
    return least && size >= least && (to | size) % LINE == 0;
}

/* barrier: the mbarriers that learn of the bytes, or NULL. mask: of .cp_mask, else NULL. */
static void
transfer_bulk(struct jit_warp *w, uint32_t lanes, uint32_t what, const uint64_t *to,
              const uint64_t *from, const uint64_t *size, const uint64_t *barrier,
              const uint64_t *mask)
{
    uint32_t op = what & 0xff, type = what >> 8 & 0xff;
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        void *d = (void *)(uintptr_t)to[l];
        const void *s = (const void *)(uintptr_t)from[l];
        if (op == TRANSFER_FILL)
            memset(d, 0, size[l]);
        else if (op != TRANSFER_COPY)
            reduce_all(op, type, to[l], from[l], size[l]);
        else if (mask)
            copy_masked(d, s, size[l], mask[l]);
        else if (what & TRANSFER_STREAMS && streams(w, to[l], size[l]))
            jit_stream(to[l], s, size[l]);
        else
            memmove(d, s, size[l]);
        if (barrier)
            jit_mbarrier_complete(barrier[l], size[l]);
    }
    if ((what & (TRANSFER_STREAMS | TRANSFER_UNSEEN)) == TRANSFER_STREAMS)
        jit_streamed();
}

/* Which there are was measured on an H200; others end its kernels as illegal instructions. */
bool
jit_reduce(enum jit_reduction op, unsigned type, uint64_t to, uint64_t from, uint64_t bytes)
{
    enum { NONE = TRANSFER_TYPES };
    static const uint8_t types[] = {NONE,
                                    NONE,
                                    TRANSFER_U32,
                                    TRANSFER_S32,
                                    TRANSFER_U64,
                                    TRANSFER_S64,
                                    TRANSFER_F16,
                                    TRANSFER_F32,
                                    TRANSFER_F64,
                                    TRANSFER_BF16,
                                    TRANSFER_F32_FTZ,
                                    TRANSFER_F32,
                                    TRANSFER_F32_FTZ};
    enum { U32 = 1 << 2, S32 = 1 << 3, U64 = 1 << 4, S64 = 1 << 5, F16 = 1 << 6, BF16 = 1 << 9 };
    static const uint16_t has[] = {[JIT_REDUCE_ADD] = 0x1fff & ~(3 | S64),
                                   [JIT_REDUCE_MIN] = U32 | S32 | U64 | S64 | F16 | BF16,
                                   [JIT_REDUCE_MAX] = U32 | S32 | U64 | S64 | F16 | BF16,
                                   [JIT_REDUCE_INC] = U32,
                                   [JIT_REDUCE_DEC] = U32,
                                   [JIT_REDUCE_AND] = U32 | S32 | U64,
                                   [JIT_REDUCE_OR] = U32 | S32 | U64,
                                   [JIT_REDUCE_XOR] = U32 | S32 | U64};
    if (type >= sizeof types || !(has[op] >> type & 1))
        return false;
    reduce_all(TRANSFER_ADD + op, types[type], to, from, bytes);
    return true;
}

/* out[16 * lane ...]: the first size[lane] bytes at `from`, zeros up to 16. */
static void
transfer_part(uint32_t lanes, const uint64_t *from, const uint64_t *size, uint8_t *out)
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        memset(out + 16 * l, 0, 16);
        memcpy(out + 16 * l, (const void *)(uintptr_t)from[l], size[l] < 16 ? size[l] : 16);
    }
}

bool
transfer_symbol(size_t i, const char **name, void **address)
{
    static const struct {
        const char *name;
        void (*address)(void);
    } symbols[] = {
        {"lockstep_transfer_barrier", (void (*)(void))transfer_barrier},
        {"lockstep_transfer_bulk", (void (*)(void))transfer_bulk},
        {"lockstep_transfer_part", (void (*)(void))transfer_part},
    };
    if (i >= sizeof symbols / sizeof *symbols)
        return false;
    *name = symbols[i].name;
    *address = (void *)symbols[i].address;
    return true;
}
