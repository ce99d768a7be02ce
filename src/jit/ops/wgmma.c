/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/wgmma.c: one warp's part of a wgmma.mma_async: the numbers of A and B, sums of integers and
 * bits (PTX ISA 9.7.15.5). Start at wgmma_run.
 *
 * A matrix in shared memory is made of core matrices: 8 rows of 16 bytes. A descriptor
 * (9.7.15.5.1.2) says where they are:
 *
 *     bits 0..13 start, 16..29 leading offset, 32..45 stride offset (each / 16),
 *     bits 49..51 base offset, 62..63 swizzle: 0 none, 1 of 128 bytes, 2 of 64, 3 of 32
 *
 * Rows lie along m (n), chunks of 16 bytes along k; transposed the other way round. Where strides
 * lead past the windows that the manual draws, an H200 does as is done here (h200_wgmma.xz has
 * descriptors of any kind).
 */
#include "jit/ops/wgmma.h"

#include "jit/jit.h"

#include <string.h>

enum { CHUNK = 16, ROWS = 16, ROW_BYTES = 32 };

/* -- descriptors ------------------------------------------------------------------------------ */

static struct wgmma_place
place_of(uint64_t descriptor)
{
    static const uint8_t shifts[] = {0, 3, 2, 1};
    return (struct wgmma_place){.start = (uint32_t)(descriptor & 0x3fff) << 4,
                                .leading = (uint32_t)(descriptor >> 16 & 0x3fff) << 4,
                                .stride = (uint32_t)(descriptor >> 32 & 0x3fff) << 4,
                                .shift = shifts[descriptor >> 62],
                                .base = (uint32_t)(descriptor >> 49) & 7};
}

static void
load_rows(const uint8_t *shared, uint64_t descriptor, bool transposed, uint32_t first,
          uint32_t rows, uint32_t bytes, uint8_t (*out)[64])
{
    struct wgmma_place p = place_of(descriptor);
    if (!transposed) {
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t c = 0; c < bytes / CHUNK; c++)
                memcpy(out[r] + CHUNK * c, shared + wgmma_chunk_at(&p, false, first + r, c), CHUNK);
        return;
    }
    for (uint32_t r = 0; r < rows; r += 8)
        for (uint32_t k = 0; k < bytes / 2; k++) {
            const uint8_t *from = shared + wgmma_chunk_at(&p, true, (first + r) / 8, k);
            for (uint32_t n = 0; n < 8; n++)
                memcpy(out[r + n] + 2 * k, from + 2 * n, 2);
        }
}

static uint32_t
reads_of(uint64_t descriptor, bool transposed, uint32_t first, uint32_t rows, uint32_t bytes,
         uint32_t *out)
{
    struct wgmma_place p = place_of(descriptor);
    uint32_t n = 0, outer = transposed ? rows / 8 : rows,
             inner = transposed ? bytes / 2 : bytes / CHUNK;
    first /= transposed ? 8 : 1;
    for (uint32_t r = 0; r < outer; r++)
        for (uint32_t c = 0; c < inner; c++)
            out[n++] = wgmma_chunk_at(&p, transposed, first + r, c);
    return n;
}

/* What it reads of shared memory, in rows of 16 bytes: their offsets into out; how many. */
enum { MOST_READS = 32 + 4 * 256 };
static uint32_t
all_reads(const struct wgmma_form *f, const struct wgmma_operands *o, uint32_t *out)
{
    uint32_t n = 0;
    if (!f->in_registers)
        n = reads_of(o->a, f->trans_a, o->row, ROWS, ROW_BYTES, out);
    return n + reads_of(o->b, f->trans_b, 0, f->n, ROW_BYTES << f->sparse, out + n);
}

/* -- A ---------------------------------------------------------------------------------------- */

/* Lane 4g + t has bytes 4t.. of row g, of row g + 8, then the same 16 bytes further on. */
static void
take_fragment(const uint32_t fragment[4][32], uint8_t (*out)[64])
{
    for (unsigned r = 0; r < 4; r++)
        for (unsigned l = 0; l < 32; l++)
            memcpy(out[l / 4 + r % 2 * 8] + r / 2 * CHUNK + l % 4 * 4, &fragment[r][l], 4);
}

/* Four bits of the metadata: of group `group` of a row. Numbers of 16 and 32 bits: two lanes of
 * four have it, which the selector names; of 8 bits all of them (9.7.15.6.1). */
static uint32_t
metadata_of(const struct wgmma_form *f, const uint32_t *metadata, uint32_t row, uint32_t group)
{
    uint32_t lane = row % 8 * 4;
    if (wgmma_bytes_of(f->a) == 1)
        return metadata[lane + group / 8 * 2 + row / 8] >> 4 * (group % 8) & 15;
    return metadata[lane + 2 * f->selector + group / 4] >> (16 * (row / 8) + 4 * (group % 4)) & 15;
}

static void
spread(const struct wgmma_form *f, const uint32_t *metadata, struct wgmma_factors *x)
{
    uint32_t count = ROW_BYTES / wgmma_bytes_of(f->a);
    for (uint32_t r = 0; r < ROWS; r++) {
        uint8_t group[ROW_BYTES / 2];
        for (uint32_t g = 0; g < (f->a == WGMMA_TF32 ? count : count / 2); g++)
            group[g] = (uint8_t)metadata_of(f, metadata, r, g);
        wgmma_spread(x, r, f->a, count, group);
    }
}

/* -- integers and bits ------------------------------------------------------------------------- */

/* Where element i of a lane's D is: row and column. */
static uint32_t
row_of(uint32_t i, uint32_t lane)
{
    return lane / 4 + 8 * (i / 2 % 2);
}

static uint32_t
column_of(uint32_t i, uint32_t lane)
{
    return 8 * (i / 4) + lane % 4 * 2 + i % 2;
}

static int16_t
widened(uint8_t byte, uint8_t type)
{
    return type == WGMMA_S8 ? (int8_t)byte : byte;
}

static int32_t
integer_sum(const int16_t *a, const int16_t *b, uint32_t k)
{
    int32_t sum = 0;
    for (uint32_t n = 0; n < k; n++)
        sum += a[n] * b[n];
    return sum;
}

static void
run_integers(const struct wgmma_factors *x, bool add, uint32_t (*d)[32])
{
    const struct wgmma_form *f = x->form;
    int16_t a[ROWS][WGMMA_MOST_K], b[8][WGMMA_MOST_K];
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t k = 0; k < x->k; k++)
            a[r][k] = widened(x->a[r][k], f->a);
    for (uint32_t i = 0; i < f->n / 2u; i++) {
        for (uint32_t c = 0; i % 4 == 0 && c < 8; c++)
            for (uint32_t k = 0; k < x->k; k++)
                b[c][k] = widened(x->b[2 * i + c][k], f->b);
        for (uint32_t l = 0; l < 32; l++) {
            int64_t sum = integer_sum(a[row_of(i, l)], b[column_of(i, l) % 8], x->k);
            sum += add ? (int32_t)d[i][l] : 0;
            if (f->saturate)
                sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            d[i][l] = (uint32_t)sum;
        }
    }
}

static void
run_bits(const struct wgmma_factors *x, bool add, uint32_t (*d)[32])
{
    for (uint32_t i = 0; i < x->form->n / 2u; i++)
        for (uint32_t l = 0; l < 32; l++) {
            uint64_t a[4], b[4];
            uint32_t sum = add ? d[i][l] : 0;
            memcpy(a, x->a[row_of(i, l)], sizeof a);
            memcpy(b, x->b[column_of(i, l)], sizeof b);
            for (unsigned k = 0; k < 4; k++)
                sum += (uint32_t)__builtin_popcountll(a[k] & b[k]);
            d[i][l] = sum;
        }
}

/* -- the instruction --------------------------------------------------------------------------- */

/* d: the registers of D, each of 32 lanes. */
static void
wgmma_run(struct jit_warp *w, const struct wgmma_form *f, const struct wgmma_operands *o,
          uint32_t (*d)[32])
{
    struct wgmma_factors x;
    struct wgmma_place b = place_of(o->b);
    x.form = f;
    x.k = (f->a == WGMMA_B1 ? ROW_BYTES : ROW_BYTES / wgmma_bytes_of(f->a)) << f->sparse;
    if (f->in_registers)
        take_fragment(o->fragment, x.a);
    else
        load_rows(o->shared, o->a, f->trans_a, o->row, ROWS, ROW_BYTES, x.a);
    x.bits = f->a == WGMMA_E4M3 || f->a == WGMMA_E5M2 ? 13 : 25;
    x.scale_d = 0;
    x.scaled = false;
    for (uint32_t r = 0; r < ROWS; r++)
        x.kept[r] = ~0ull;
    if (wgmma_half(w, &x, &b, o, d))
        return;
    load_rows(o->shared, o->b, f->trans_b, 0, f->n, ROW_BYTES << f->sparse, x.b);
    if (f->sparse)
        spread(f, o->metadata, &x);
    if (f->a == WGMMA_B1)
        run_bits(&x, o->add, d);
    else if (f->d == WGMMA_S32)
        run_integers(&x, o->add, d);
    else
        wgmma_float(&x, o->add, d);
}

/* -- four warps -------------------------------------------------------------------------------- */

static bool
is_whole(const struct jit_warp *w, uint32_t lanes)
{
    return lanes == UINT32_MAX && (w->warp | 3) < w->block->launch->warps;
}

static uint32_t
gives_way(struct jit_warp *w)
{
    if ((int32_t)w->fuel > 1)
        w->fuel = 1; /* of the loop that asks */
    return 0;
}

static bool
has_others(const struct jit_warp *w, uint32_t lanes)
{
    return w->lanes & ~lanes;
}

/* .sync: lanes wait for those of their warp that are elsewhere; not where those wait at another
 * wgmma for them, again and again: the product says that it wants all. */
static bool
waits_for_others(struct jit_warp *w, uint32_t lanes)
{
    enum { OFTEN = 64 };
    struct jit_wgmma *own = w->block->wgmma + w->warp;
    own->asked = has_others(w, lanes) ? own->asked | lanes : 0;
    own->vain = own->asked && !has_others(w, own->asked) ? own->vain + 1 : 0;
    return own->asked && own->vain < OFTEN;
}

/* 1: all warps of the warpgroup have come to the product that the warp is at. 0: it gives way. */
static uint32_t
wgmma_come(struct jit_warp *w, uint32_t lanes)
{
    struct jit_wgmma *own = w->block->wgmma + w->warp, *all = w->block->wgmma + (w->warp & ~3u);
    if (waits_for_others(w, lanes))
        return gives_way(w);
    if (!is_whole(w, lanes)) /* the product says so */
        return 1;
    own->come = own->done + 1;
    for (uint32_t v = 0; v < 4; v++)
        if (all[v].come < own->come && all[v].done < own->come)
            return gives_way(w);
    return 1;
}

/* 1: they have computed those of its groups but for the `left` latest. 0: it gives way. */
static uint32_t
wgmma_over(struct jit_warp *w, uint32_t lanes, uint32_t left)
{
    const struct jit_wgmma *own = w->block->wgmma + w->warp,
                           *all = w->block->wgmma + (w->warp & ~3u);
    left = left < JIT_WGMMA_GROUPS ? left : JIT_WGMMA_GROUPS - 1;
    if (waits_for_others(w, lanes))
        return gives_way(w);
    if (!is_whole(w, lanes) || own->groups <= left)
        return 1;
    for (uint32_t v = 0; v < 4; v++)
        if (all[v].done < own->last[(own->groups - left) % JIT_WGMMA_GROUPS])
            return gives_way(w);
    return 1;
}

static void
wgmma_commit(struct jit_warp *w, uint32_t lanes)
{
    struct jit_wgmma *own = w->block->wgmma + w->warp;
    own->lanes |= lanes;
    if (has_others(w, own->lanes))
        return;
    own->lanes = 0;
    own->last[++own->groups % JIT_WGMMA_GROUPS] = own->done;
}

/* 9.7.15.1: all lanes of all four warps of a warpgroup execute it. */
static bool
must_be_whole(struct jit_warp *w, uint32_t lanes, uint32_t place)
{
    const struct jit_launch *l = w->block->launch;
    if (is_whole(w, lanes))
        return true;
    l->services->trap(w, lanes, JIT_TRAP_WARPGROUP, place);
    return false;
}

/* D lies behind the operands. */
static void
wgmma_warp(struct jit_warp *w, uint32_t lanes, const struct wgmma_form *f, struct wgmma_operands *o,
           uint32_t place)
{
    if (!must_be_whole(w, lanes, place))
        return;
    o->shared = w->block->shared;
    o->row = w->warp % 4 * ROWS;
    wgmma_run(w, f, o, (uint32_t(*)[32])(o + 1));
    w->block->wgmma[w->warp].done++;
}

/* Announces what it reads. */
static void
wgmma_tell(struct jit_warp *w, uint32_t lanes, const struct wgmma_form *f, struct wgmma_operands *o,
           uint32_t place)
{
    uint32_t at[MOST_READS];
    uint64_t address[JIT_LANES];
    if (!must_be_whole(w, lanes, place))
        return;
    const struct jit_services *services = w->block->launch->services;
    uint64_t descriptor[JIT_LANES] = {o->b, o->a};
    if (services->async)
        services->async(w, lanes, JIT_ASYNC_WGMMA, descriptor, f->in_registers ? 1 : 2, place);
    o->row = w->warp % 4 * ROWS;
    uint32_t count = all_reads(f, o, at);
    for (uint32_t n = 0; n < count; n += JIT_LANES) {
        uint32_t some = count - n < JIT_LANES ? (1u << (count - n)) - 1 : UINT32_MAX;
        for (uint32_t l = 0; l < JIT_LANES; l++)
            address[l] = (uint64_t)(uintptr_t)w->block->shared + at[n + l < count ? n + l : n];
        services->access(w, some, address, CHUNK, PTX_SPACE_SHARED, JIT_LOAD, place);
    }
}

bool
wgmma_symbol(size_t i, const char **name, void **address)
{
    static const struct {
        const char *name;
        void *address;
    } all[] = {{"lockstep_wgmma", (void *)wgmma_warp},
               {"lockstep_wgmma_tell", (void *)wgmma_tell},
               {"lockstep_wgmma_come", (void *)wgmma_come},
               {"lockstep_wgmma_over", (void *)wgmma_over},
               {"lockstep_wgmma_commit", (void *)wgmma_commit}};
    if (i >= WGMMA_SYMBOLS)
        return false;
    *name = all[i].name;
    *address = all[i].address;
    return true;
}
