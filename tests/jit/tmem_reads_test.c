/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_tmem_reads, jit_tmem_row_reads: against the products and copies themselves. What they leave
 * out does not matter: other bytes there, and the result is the same. What they name does: another
 * last byte of a chunk, and the result, of numbers that add up exactly, is another one.
 */
#include "common/unit.h"

#include "jit/jit.h"

#include <stdlib.h>

enum { SHARED = 65536, CASES = 60, SAMPLE = 12, METADATA = 300, A_AT = 320 };

static const struct {
    uint8_t kind, type, d;
    uint8_t bytes; /* of a number where it is transposed; 0: it is not */
} types[] = {{JIT_TMEM_F16, JIT_TMEM_TYPE_F16, JIT_TMEM_TYPE_F32, 2},
             {JIT_TMEM_TF32, JIT_TMEM_TYPE_TF32, JIT_TMEM_TYPE_F32, 4},
             {JIT_TMEM_F8F6F4, JIT_TMEM_TYPE_E4M3, JIT_TMEM_TYPE_F32, 1},
             {JIT_TMEM_F8F6F4, JIT_TMEM_TYPE_E2M3, JIT_TMEM_TYPE_F32, 0},
             {JIT_TMEM_F8F6F4, JIT_TMEM_TYPE_E2M1, JIT_TMEM_TYPE_F32, 0},
             {JIT_TMEM_I8, JIT_TMEM_TYPE_S8, JIT_TMEM_TYPE_S32, 1}};

static uint64_t seed = 7;
static uint32_t
below(uint32_t n)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33) % n;
}

struct reads {
    uint32_t count, at[4096], bytes[4096];
    bool named[SHARED];
};
static void
note(void *context, uint32_t at, uint32_t bytes)
{
    struct reads *r = context;
    assert_true(r->count < 4096 && at + bytes <= SHARED && bytes);
    r->at[r->count] = at;
    r->bytes[r->count++] = bytes;
    memset(r->named + at, 1, bytes);
}

static uint8_t shared[SHARED], other[SHARED], peer[SHARED];
static uint32_t before[JIT_TMEM_LANES][JIT_TMEM_COLUMNS], wanted[JIT_TMEM_LANES][JIT_TMEM_COLUMNS],
    found[JIT_TMEM_LANES][JIT_TMEM_COLUMNS];

static void
begin(void)
{
    for (uint32_t k = 0; k < SHARED; k++)
        shared[k] = peer[k] = (uint8_t)below(256);
    for (uint32_t l = 0; l < JIT_TMEM_LANES; l++)
        for (uint32_t c = 0; c < JIT_TMEM_COLUMNS; c++)
            before[l][c] = below(UINT32_MAX);
    for (uint32_t l = 0; l < JIT_TMEM_LANES; l++) /* two different numbers of each four */
        for (uint32_t n = 0; n < 16; n++) {
            static const uint8_t two[] = {4, 8, 12, 9, 13, 14};
            uint32_t *cell = &before[l][METADATA + n / 8], at = 4 * (n % 8);
            *cell = (*cell & ~(15u << at)) | (uint32_t)two[below(6)] << at;
        }
    memcpy(other, shared, sizeof other);
}

static uint64_t
descriptor(bool base_32)
{
    static const uint64_t modes[] = {0, 2, 4, 6};
    uint64_t at = below(SHARED / 4 / 16), lead = 1 + below(127), stride = 1 + below(64),
             mode = base_32 ? 1 : modes[below(4)];
    return at | lead << 16 | stride << 32 | 1ull << 46 | (uint64_t)below(8) << 49 | mode << 61;
}

/* -- products ---------------------------------------------------------------------------------- */

static struct jit_tmem_product
random_product(uint32_t k)
{
    struct jit_tmem_product p = {.shared_bytes = SHARED};
    bool ws = below(2), sparse = below(2), inside = !below(4), pair = !ws && below(2);
    p.what.op = JIT_TMEM_MMA;
    p.what.shape = types[k].kind;
    p.what.flags = (uint16_t)((ws ? JIT_TMEM_WS : 0) | (sparse ? JIT_TMEM_SPARSE : 0) |
                              (inside ? JIT_TMEM_A_INSIDE : 0) | (pair ? JIT_TMEM_PAIR : 0));
    p.half = pair && below(2);
    p.a = p.b = types[k].type;
    p.d = types[k].d;
    p.m = (uint16_t)(ws && below(2) ? 32 : 64 << below(2));
    p.n = (uint16_t)(ws ? 64 : pair ? 32 + 32 * below(2) : 16 + 16 * below(4));
    p.trans_a = types[k].bytes && !inside && below(2);
    p.trans_b = types[k].bytes && below(2);
    p.descriptor_a = descriptor(p.trans_a && types[k].bytes == 4);
    p.descriptor_b = descriptor(p.trans_b && types[k].bytes == 4);
    p.at_a = A_AT;
    p.at_metadata = METADATA;
    p.shift = ws ? below(17) : 0;
    for (uint32_t n = 0; ws && n < p.n; n++)
        p.zeros[n / 64] |= (uint64_t)!below(3) << n % 64;
    return p;
}

static void
multiply(struct jit_tmem_product *p, const uint8_t *from, uint32_t (*to)[JIT_TMEM_COLUMNS])
{
    memcpy(to, before, sizeof before);
    p->shared[p->half] = from;
    p->shared[!p->half] = peer; /* looked at in pairs alone: half of B */
    p->memory = to;
    assert_true(jit_tmem_multiply(p));
}

static bool
is_exact(const struct jit_tmem_product *p)
{
    return p->a == JIT_TMEM_TYPE_S8 || p->a == JIT_TMEM_TYPE_E2M3 || p->a == JIT_TMEM_TYPE_E2M1;
}

static void
products(void **state)
{
    static struct reads r;
    (void)state;
    for (uint32_t k = 0; k < CASES; k++) {
        struct jit_tmem_product p = random_product(k % (sizeof types / sizeof *types));
        begin();
        memset(&r, 0, sizeof r);
        multiply(&p, shared, wanted);
        jit_tmem_reads(&p, note, &r);
        for (uint32_t n = 0; n < SHARED; n++)
            other[n] = r.named[n] ? shared[n] : (uint8_t)~shared[n];
        multiply(&p, other, found);
        assert_memory_equal(wanted, found, sizeof found);
        for (uint32_t n = 0; n < SAMPLE && is_exact(&p); n++) {
            uint32_t one = below(r.count);
            memcpy(other, shared, sizeof other);
            uint32_t end = r.at[one] + r.bytes[one], last = end - 1;
            /* a chunk of sixteen columns, of which some are zero */
            bool some = p.trans_b && p.what.flags & JIT_TMEM_WS;
            for (last = some ? r.at[one] : last; last < end; last++)
                other[last] = (uint8_t)~shared[last];
            multiply(&p, other, found);
            assert_memory_not_equal(wanted, found, sizeof found);
        }
    }
}

/* -- copies ------------------------------------------------------------------------------------ */

static void
rows(void **state)
{
    static struct reads r;
    static uint8_t out[JIT_TMEM_LANES * 32], again[JIT_TMEM_LANES * 32];
    (void)state;
    for (uint32_t k = 0; k < CASES; k++) {
        uint32_t count = 32u << below(3), chunks = 1 + below(2), bits = 4 + 2 * below(3), wrong;
        uint64_t d = descriptor(false);
        begin();
        memset(&r, 0, sizeof r);
        jit_tmem_row_reads(SHARED, d, count, chunks, 2 * bits, note, &r);
        assert_int_equal(r.count, count * chunks);
        for (uint32_t n = 0; n < SHARED; n++)
            other[n] = r.named[n] ? shared[n] : (uint8_t)~shared[n];
        assert_true(jit_tmem_rows(shared, SHARED, d, count, chunks, out, &wrong));
        assert_true(jit_tmem_rows(other, SHARED, d, count, chunks, again, &wrong));
        for (uint32_t n = 0; n < count * chunks; n++) {
            if (bits < 8) {
                jit_tmem_unpack(bits, out + 16 * n);
                jit_tmem_unpack(bits, again + 16 * n);
            }
            assert_memory_equal(out + 16 * n, again + 16 * n, 16);
        }
    }
}

/* What lies beyond shared memory is not named. */
static void
beyond(void **state)
{
    static struct reads r;
    uint64_t d = (SHARED - 64) / 16 | 8ull << 16 | 16ull << 32 | 1ull << 46;
    (void)state;
    memset(&r, 0, sizeof r);
    jit_tmem_row_reads(SHARED, d, 32, 1, 16, note, &r);
    assert_int_equal(r.count, 4);
}

int
main(void)
{
    return UNIT_TESTS(products, rows, beyond);
}
