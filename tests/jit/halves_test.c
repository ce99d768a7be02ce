/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/wgmma_half.c, vectors of doubles, against ops/wgmma_element.c, integers, element by element:
 * ordinary numbers, zeros of both signs, numbers below normal, the largest, infinities and NaNs, D
 * from far below the products to far above them.
 */
#include "common/unit.h"

#include "jit/jit.h"
#include "jit/ops/wgmma.h"

#include <stdlib.h>

enum { ROWS = 16, DEPTH = 16, MOST_N = 48, ROUNDS = 3000 };

static uint64_t state = 88172645463325252u;

static uint32_t
random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static uint16_t
random_half(uint32_t kind)
{
    uint32_t r = random_bits(), sign_fraction = r & 0x83ff, some = r >> 16;
    switch (kind) {
    case 0: return (uint16_t)r;                                       /* any bits */
    case 1: return (uint16_t)(some % 4 ? 0 : r & 0x8000);             /* zeros */
    case 2: return (uint16_t)(some % 3 ? sign_fraction : r & 0x8000); /* below normal */
    case 3: return (uint16_t)(sign_fraction | (10 + some % 12) << 10);
    case 4: return (uint16_t)((r & 0x8000) | 0x7bff); /* the largest */
    case 5:
        return (uint16_t)(some % 50 ? sign_fraction | (8 + some % 12) << 10
                                    : 0x7c00 | (r & 0x8001)); /* infinities, NaNs */
    default: return (uint16_t)((r & 0x3ff) | (1 + some % 29) << 10);
    }
}

static uint32_t
random_sum(uint32_t kind)
{
    static const uint8_t first[] = {100, 120, 90, 220}, count[] = {60, 20, 16, 36};
    uint32_t r = random_bits(), e = r >> 8;
    if (kind < 4)
        return (r & 0x807fffff) | (first[kind] + e % count[kind]) << 23;
    return kind == 4 ? r : kind == 5 ? r & 0x80000000 : r & 0x807fffff;
}

/* Numbers of a product, for both. */
struct product {
    struct wgmma_form form;
    struct wgmma_place place;
    struct wgmma_operands o;
    struct wgmma_factors x;
    uint8_t shared[MOST_N * DEPTH * 2];
    uint32_t before[MOST_N / 2][32], d[MOST_N / 2][32];
};

static void
make(struct product *p)
{
    uint32_t a = random_bits() % 7, b = random_bits() % 7, sums = random_bits() % 7;
    p->form = (struct wgmma_form){.n = (uint16_t)(8 * (1 + random_bits() % (MOST_N / 8))),
                                  .a = WGMMA_F16,
                                  .b = WGMMA_F16,
                                  .d = WGMMA_F32,
                                  .trans_b = random_bits() & 1,
                                  .negate = random_bits() & 1};
    p->place = (struct wgmma_place){.leading = 128, .stride = 256};
    p->o = (struct wgmma_operands){.shared = p->shared, .add = random_bits() % 5 != 0};
    p->x.form = &p->form;
    p->x.k = DEPTH;
    p->x.bits = 25;
    for (uint32_t r = 0; r < ROWS; r++) {
        p->x.kept[r] = ~0ull;
        for (uint32_t k = 0; k < DEPTH; k++) {
            uint16_t h = random_half(a);
            memcpy(p->x.a[r] + 2 * k, &h, sizeof h);
        }
    }
    for (size_t k = 0; k < sizeof p->shared; k += 2) {
        uint16_t h = random_half(b);
        memcpy(p->shared + k, &h, sizeof h);
    }
    for (uint32_t n = 0; n < p->form.n; n++)
        for (uint32_t k = 0; k < DEPTH; k++) {
            uint32_t at = p->form.trans_b ? wgmma_chunk_at(&p->place, true, n / 8, k) + n % 8 * 2
                                          : wgmma_chunk_at(&p->place, false, n, k / 8) + k % 8 * 2;
            memcpy(p->x.b[n] + 2 * k, p->shared + at, 2);
        }
    for (uint32_t i = 0; i < p->form.n / 2u; i++)
        for (uint32_t l = 0; l < 32; l++)
            p->before[i][l] = p->d[i][l] = random_sum(sums);
}

static void
vectors_give_what_integers_give(void **state_)
{
    (void)state_;
    static struct product p;
    struct jit_wgmma_tiles *tiles = NULL;
    struct jit_wgmma done[4] = {0};
    struct jit_block block = {.wgmma = done, .wgmma_tiles = &tiles};
    struct jit_warp warp = {.block = &block};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        make(&p);
        done[0].done = round;
        if (!wgmma_half(&warp, &p.x, &p.place, &p.o, p.d))
            skip(); /* no AVX-512 */
        for (uint32_t i = 0; i < p.form.n / 2u; i++)
            for (uint32_t l = 0; l < 32; l++) {
                uint32_t row = l / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + l % 4 * 2 + i % 2;
                uint32_t before = p.o.add ? p.before[i][l] : 0;
                assert_int_equal(p.d[i][l], wgmma_element(&p.x, row, column, before));
            }
    }
    free(tiles);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vectors_give_what_integers_give)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
