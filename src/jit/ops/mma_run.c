/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/mma_run.c: products of a warp with a sparse A, with numbers of 4 and 6 bits, with scales (PTX
 * ISA 9.7.14). Fragments lie as those of wgmma with eight columns do, so that its arithmetic and D
 * are used as they are (ops/wgmma.h). Start at mma_run.
 *
 * Sums: all products and C at once, 25 bits, of e4m3 and e5m2 without .kind as insn/mma.c has
 * them: over one half of the numbers, of a sparse A those with k % 8 < 4, then the rest on top, C
 * last and to nearest. So has it an H200, bit for bit (tests/data/h200_sparse.xz). What stands
 * for 12.0 is decision 29's.
 */
#include "jit/ops/mma_run.h"

#include "jit/ops/wgmma.h"

#include <math.h>
#include <string.h>

enum { ROWS = 16, COLUMNS = 8, CHUNK = 16 };

struct mma_work {
    const struct mma_form *f;
    const struct mma_operands *o;
    struct wgmma_form form;
    struct wgmma_factors x;
    uint32_t bytes_a; /* of a row, as stored */
};

/* Register r of A: bytes of rows lane / 4 + 8 * (r % 2), of B: of column lane / 4. */
static void
take_fragments(struct mma_work *w)
{
    for (uint32_t r = 0; r < w->f->registers_a; r++)
        for (uint32_t l = 0; l < 32; l++)
            memcpy(w->x.a[l / 4 + r % 2 * 8] + r / 2 * CHUNK + l % 4 * 4, &w->o->a[r][l], 4);
    for (uint32_t r = 0; r < w->f->registers_b; r++)
        for (uint32_t l = 0; l < 32; l++)
            memcpy(w->x.b[l / 4] + r * CHUNK + l % 4 * 4, &w->o->b[r][l], 4);
}

/* Four bits: of group `group` of a row (9.7.14.6.1). Where a row has four groups, one lane of four
 * has those of rows r and r + 8; eight groups: two lanes, of 8 bits and less one for each row;
 * sixteen: all of them. */
static uint32_t
metadata_of(const struct mma_work *w, uint32_t row, uint32_t group)
{
    const uint32_t *quad = &w->o->metadata[row % 8 * 4];
    uint32_t groups = w->bytes_a / wgmma_bytes_of(w->f->a) / (w->f->a == WGMMA_TF32 ? 1 : 2);
    if (wgmma_bytes_of(w->f->a) > 1) {
        uint32_t lane = groups == 4 ? w->f->selector : 2u * w->f->selector + group / 4;
        return quad[lane & 3] >> (16 * (row / 8) + 4 * (group % 4)) & 15;
    }
    uint32_t lane = groups == 8 ? 2u * w->f->selector : group / 8 * 2;
    return quad[(lane & 2) + row / 8] >> 4 * (group % 8) & 15;
}

static void
spread(struct mma_work *w)
{
    uint32_t count = w->bytes_a / wgmma_bytes_of(w->f->a);
    for (uint32_t r = 0; r < ROWS; r++) {
        uint8_t group[32];
        for (uint32_t g = 0; g < (w->f->a == WGMMA_TF32 ? count : count / 2); g++)
            group[g] = (uint8_t)metadata_of(w, r, g);
        wgmma_spread(&w->x, r, w->f->a, count, group);
    }
}

/* -- scales ------------------------------------------------------------------------------------ */

/* 9.7.14.3: of row r lane thread * 2 + r / 8 of the quad has them, of a column lane thread. */
static const uint8_t *
scale_a(const struct mma_work *w, uint32_t r)
{
    const uint32_t *quad = &w->o->scale_a[r % 8 * 4];
    return (const uint8_t *)&quad[(w->o->thread_a[0] & 1) * 2 + r / 8] + (w->o->byte_a[0] & 3);
}

static const uint8_t *
scale_b(const struct mma_work *w, uint32_t n)
{
    return (const uint8_t *)&w->o->scale_b[n * 4 + (w->o->thread_b[0] & 3)] + (w->o->byte_b[0] & 3);
}

/* -- sums -------------------------------------------------------------------------------------- */

static int32_t
whole(const uint8_t *row, uint32_t k, uint8_t type, bool nibbles)
{
    uint32_t v = nibbles ? row[k / 2] >> 4 * (k % 2) & 15 : row[k];
    if (type == WGMMA_U8)
        return (int32_t)v;
    return nibbles ? (int32_t)(v ^ 8) - 8 : (int8_t)v;
}

static uint32_t
whole_element(const struct mma_work *w, uint32_t r, uint32_t n, uint32_t before)
{
    uint32_t count = w->x.k << w->f->nibbles;
    int32_t sum = 0;
    for (uint32_t k = 0; k < count; k++)
        sum += whole(w->x.a[r], k, w->f->a, w->f->nibbles) *
               whole(w->x.b[n], k, w->f->b, w->f->nibbles);
    int64_t all = (int64_t)sum + (int32_t)before;
    if (w->f->saturate)
        all = all > INT32_MAX ? INT32_MAX : all < INT32_MIN ? INT32_MIN : all;
    return (uint32_t)all;
}

/* e4m3, e5m2 without .kind. */
static uint32_t
stepped_element(struct mma_work *w, uint32_t r, uint32_t n, uint32_t before)
{
    uint64_t kept = w->x.kept[r];
    float first, c;
    w->x.kept[r] = kept & 0x0f0f0f0f0f0f0f0f;
    uint32_t sum = wgmma_element(&w->x, r, n, 0);
    w->x.kept[r] = kept & 0xf0f0f0f0f0f0f0f0;
    sum = wgmma_element(&w->x, r, n, sum);
    w->x.kept[r] = kept;
    memcpy(&first, &sum, 4);
    memcpy(&c, &before, 4);
    float all = first + c;
    memcpy(&sum, &all, 4);
    return isnan(all) ? 0x7fffffff : sum;
}

static uint32_t
element(struct mma_work *w, uint32_t r, uint32_t n, uint32_t before)
{
    if (w->f->d == WGMMA_S32)
        return whole_element(w, r, n, before);
    if (w->f->a == WGMMA_PAIR) {
        struct wgmma_scales s = {.a = scale_a(w, r), .b = scale_b(w, n), .ue4m3 = w->f->ue4m3};
        s.blocks = w->f->registers_b * 2u;
        s.each = s.blocks / w->f->scales;
        return wgmma_pair_element(&w->x, r, n, before, &s);
    }
    if (w->f->kind == MMA_KIND_NONE && wgmma_bytes_of(w->f->a) == 1)
        return stepped_element(w, r, n, before);
    return wgmma_element(&w->x, r, n, before);
}

/* D as wgmma has it: of halves two to a register. */
static void
run_elements(struct mma_work *w, struct mma_operands *o)
{
    bool half = w->f->d == WGMMA_F16;
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t n = 0; n < COLUMNS; n++) {
            uint32_t lane = r % 8 * 4 + n / 2, shift = half ? 16 * (n % 2) : 0;
            uint32_t *one = half ? &o->d[r / 8][lane] : &o->d[r / 8 * 2 + n % 2][lane];
            uint32_t mask = half ? 0xffff : UINT32_MAX;
            uint32_t after = element(w, r, n, *one >> shift & mask);
            *one = (*one & ~(mask << shift)) | after << shift;
        }
}

static void
mma_run(const struct mma_form *f, struct mma_operands *o)
{
    struct mma_work w = {.f = f, .o = o, .bytes_a = f->registers_a / 2u * CHUNK};
    w.form =
        (struct wgmma_form){.n = COLUMNS, .d = f->d, .a = f->a, .b = f->b, .sparse = f->sparse};
    w.x.form = &w.form;
    w.x.k = f->registers_b * CHUNK / wgmma_bytes_of(f->a);
    w.x.bits = 25;
    w.x.scaled = f->kind == MMA_KIND_MXF8F6F4;
    take_fragments(&w);
    wgmma_raise_bits(f->a, ROWS, w.x.a);
    wgmma_raise_bits(f->b, COLUMNS, w.x.b);
    for (uint32_t r = 0; r < ROWS; r++) {
        w.x.kept[r] = ~0ull;
        w.x.scale_a[r] = wgmma_exponent_of(*scale_a(&w, r));
    }
    for (uint32_t n = 0; n < COLUMNS; n++)
        w.x.scale_b[n] = wgmma_exponent_of(*scale_b(&w, n));
    if (f->sparse)
        spread(&w);
    run_elements(&w, o);
}

bool
mma_symbol(size_t i, const char **name, void **address)
{
    if (i)
        return false;
    *name = "lockstep_mma_run";
    *address = (void *)mma_run;
    return true;
}
