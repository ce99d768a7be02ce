/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/tcgen05.c: products of tensor memory (PTX ISA 9.7.16.10): where the numbers of A, B and D
 * are, and of metadata and scales. Start at jit_tmem_multiply.
 *
 * D is computed 16 rows at a time by the functions of wgmma (ops/wgmma.h). What no hardware here
 * could confirm:
 *   - Sums are an H200's, and 25 bits count of numbers of 8 bits and less, too; a scale of 32
 *     numbers adds to the exponents of their products. Of numbers of 4 bits without padding, 16
 *     products are exact, and their sum with its two scales is what is aligned, of which 35 bits
 *     count. So has it the model of Xie et al. (arXiv:2511.10909), which equals a B200.
 *   - Layouts that the manual has in figures alone are those of CuTe's traits
 *     (mma_traits_sm100_frag.hpp): halves (M = 64) and quarters (M = 32) of the lanes have other
 *     columns of D with .ws, and take A and metadata from their own lanes; scales come from the
 *     lanes of their quarter. Halves have them with .cta_group::2, too, where 64 rows of a dense A
 *     are each block's (layout B), and take the scales of their columns from their own lanes.
 */
#include "jit/jit.h"
#include "jit/ops/wgmma.h"

#include <string.h>

enum { CHUNK = 16, ROWS = 16, ROW_BYTES = 32, QUARTER = 32 };

_Static_assert((int)JIT_TMEM_TYPE_PAIR == WGMMA_PAIR && (int)JIT_TMEM_TYPE_S32 == WGMMA_S32,
               "types have the same numbers");

/* -- shared memory ----------------------------------------------------------------------------- */

static struct wgmma_place
place_of(uint64_t descriptor)
{
    static const uint8_t shifts[] = {0, 3, 3, 0, 2, 0, 1, 0};
    return (struct wgmma_place){.start = (uint32_t)(descriptor & 0x3fff) << 4,
                                .leading = (uint32_t)(descriptor >> 16 & 0x3fff) << 4,
                                .stride = (uint32_t)(descriptor >> 32 & 0x3fff) << 4,
                                .shift = shifts[descriptor >> 61],
                                .base = (uint32_t)(descriptor >> 49) & 7,
                                .pairs = descriptor >> 61 == 1};
}

const char *
jit_tmem_descriptor_fault(uint64_t descriptor)
{
    uint32_t swizzle = (uint32_t)(descriptor >> 61);
    if ((descriptor >> 46 & 7) != 1)
        return "has not 0b001 in bits 46 to 48";
    if (descriptor >> 52 & 1)
        return "has an absolute leading dimension (bit 52), which is of compute capability 10.3";
    if (descriptor >> 53 & 0xff)
        return "has bits 53 to 60 that are not zero";
    if (swizzle == 3 || swizzle == 5 || swizzle == 7)
        return "names a swizzling mode (bits 61 to 63) that there is not";
    return NULL;
}

/* A matrix in shared memory; false: it leads beyond that. */
struct source {
    const uint8_t *shared;
    uint32_t bytes;
    struct wgmma_place place;
    uint32_t *wrong;
};

static bool
take_chunk(const struct source *s, bool transposed, uint32_t row, uint32_t chunk, uint8_t *out)
{
    uint32_t at = wgmma_chunk_at(&s->place, transposed, row, chunk);
    if (s->bytes < CHUNK || at > s->bytes - CHUNK) {
        *s->wrong = at > s->bytes ? at : s->bytes;
        return false;
    }
    memcpy(out, s->shared + at, CHUNK);
    return true;
}

bool
jit_tmem_rows(const uint8_t *shared, uint32_t shared_bytes, uint64_t descriptor, uint32_t rows,
              uint32_t chunks, uint8_t *out, uint32_t *wrong)
{
    struct source s = {shared, shared_bytes, place_of(descriptor), wrong};
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < chunks; c++, out += CHUNK)
            if (!take_chunk(&s, false, r, c, out))
                return false;
    return true;
}

/* Transposed: a chunk has numbers of one k, of 16 bytes of rows. */
static bool
take_columns(const struct source *s, uint32_t size, uint32_t first, uint32_t rows, uint32_t count,
             uint8_t (*out)[64])
{
    uint32_t many = CHUNK / size;
    for (uint32_t r = 0; r < rows;) {
        uint32_t in = (first + r) % many, some = many - in < rows - r ? many - in : rows - r;
        for (uint32_t k = 0; k < count; k++) {
            uint8_t chunk[CHUNK];
            if (!take_chunk(s, true, (first + r) / many, k, chunk))
                return false;
            for (uint32_t n = 0; n < some; n++)
                memcpy(out[r + n] + size * k, chunk + size * (in + n), size);
        }
        r += some;
    }
    return true;
}

void
jit_tmem_unpack(unsigned bits, uint8_t chunk[16])
{
    uint8_t out[CHUNK];
    for (unsigned n = 0; n < CHUNK; n++) {
        unsigned at = n * bits, word = chunk[at / 8];
        word |= at / 8 + 1 < CHUNK ? (unsigned)chunk[at / 8 + 1] << 8 : 0;
        word = word >> at % 8 & ((1u << bits) - 1);
        out[n] = (uint8_t)(bits == 4 ? word << 2 : word); /* the middle four bits, the lower six */
    }
    memcpy(chunk, out, CHUNK);
}

static uint32_t
bits_of(uint8_t type)
{
    switch (type) {
    case WGMMA_TF32: return 32;
    case WGMMA_F16:
    case WGMMA_BF16: return 16;
    case WGMMA_E2M3:
    case WGMMA_E3M2: return 6;
    case WGMMA_E2M1: return 4;
    default: return 8; /* pairs, too */
    }
}

/* Rows of `bytes` bytes, numbers of less than 8 bits in bytes of their own: in shared memory 16 of
 * them take 16 bytes, padded behind (9.7.16.10.4.4). */
static bool
take_rows(const struct source *s, bool transposed, uint8_t type, uint32_t first, uint32_t rows,
          uint32_t bytes, uint8_t (*out)[64])
{
    if (transposed)
        return take_columns(s, wgmma_bytes_of(type), first, rows, bytes / wgmma_bytes_of(type),
                            out);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < bytes / CHUNK; c++) {
            if (!take_chunk(s, false, first + r, c, out[r] + c * CHUNK))
                return false;
            if (bits_of(type) < 8)
                jit_tmem_unpack(bits_of(type), out[r] + c * CHUNK);
        }
    return true;
}

/* -- a product on its way ---------------------------------------------------------------------- */

struct tmem_work {
    struct jit_tmem_product *p;
    struct wgmma_form form;
    struct wgmma_factors x;
    bool sparse, folded;
    uint32_t parts;   /* folded: of the lanes, which have other columns of D */
    uint32_t part, n; /* the one at work; columns of each */
    uint32_t row;     /* of A and D: the first of 16, */
    uint32_t lane;    /*   and its lane */
    uint32_t bytes_b; /* of a column */
};

/* Of rows 16 * k and on: 9.7.16.10.5. */
static uint32_t
lane_of(const struct tmem_work *w)
{
    if (w->folded)
        return w->row + w->part * w->p->m;
    return w->p->m == 64 ? w->row * 2 + (w->p->at_d >> 16) : w->row;
}

static const uint32_t *
cells(const struct tmem_work *w, uint32_t address, uint32_t lane)
{
    return &w->p->memory[lane][address & 0xffff];
}

/* -- A ----------------------------------------------------------------------------------------- */

/* Four bits: which numbers of group `group` of a row are there (9.7.16.10.8). Of numbers of 16 and
 * 32 bits a lane has the first half of rows r and r + 8, the eighth one after it the other half. */
static uint32_t
metadata_of(const struct tmem_work *w, uint32_t row, uint32_t group)
{
    uint32_t address = w->p->at_metadata, half = row / 8;
    if (wgmma_bytes_of(w->p->a) == 1)
        return cells(w, address, w->lane + row)[group / 8] >> 4 * (group % 8) & 15;
    const uint32_t *cell = cells(w, address, w->lane + row % 8 + group / 4 * 8);
    return cell[w->p->selector] >> (16 * half + 4 * (group % 4)) & 15;
}

static void
spread(struct tmem_work *w)
{
    uint32_t count = ROW_BYTES / wgmma_bytes_of(w->p->a);
    for (uint32_t r = 0; r < ROWS; r++) {
        uint8_t group[ROW_BYTES / 2];
        for (uint32_t g = 0; g < (w->p->a == WGMMA_TF32 ? count : count / 2); g++)
            group[g] = (uint8_t)metadata_of(w, r, g);
        wgmma_spread(&w->x, r, w->p->a, count, group);
    }
}

/* Rows w->row and on. */
static bool
take_a(struct tmem_work *w)
{
    const struct jit_tmem_product *p = w->p;
    struct source s = {p->shared[p->half], p->shared_bytes, place_of(p->descriptor_a),
                       &w->p->wrong};
    bool shifted = p->what.flags & JIT_TMEM_A_SHIFTED;
    if (!(p->what.flags & JIT_TMEM_A_INSIDE)) {
        if (!take_rows(&s, p->trans_a, p->a, w->row, ROWS, ROW_BYTES, w->x.a))
            return false;
    } else {
        for (uint32_t r = 0; r < ROWS; r++) {
            uint32_t next = shifted && w->row + r + 1u < p->m ? 1 : 0;
            memcpy(w->x.a[r], cells(w, p->at_a, w->lane + r + next), ROW_BYTES);
        }
    }
    wgmma_raise_bits(p->a, ROWS, w->x.a);
    for (uint32_t r = 0; r < ROWS; r++)
        w->x.kept[r] = ~0ull;
    if (w->sparse)
        spread(w);
    return true;
}

/* -- B ----------------------------------------------------------------------------------------- */

/* Of a pair each block's shared memory has half of the columns. */
static bool
take_b(struct tmem_work *w)
{
    const struct jit_tmem_product *p = w->p;
    struct source s = {NULL, p->shared_bytes, place_of(p->descriptor_b), &w->p->wrong};
    uint32_t first = w->part * w->n, each = p->what.flags & JIT_TMEM_PAIR ? p->n / 2u : p->n;
    for (uint32_t n = 0, count; n < w->n; n += count) {
        uint32_t at = (first + n) % each;
        count = each - at < w->n - n ? each - at : w->n - n;
        s.shared = p->shared[(first + n) / each];
        if (!take_rows(&s, p->trans_b, p->b, at + p->shift, count, w->bytes_b, w->x.b + n))
            return false;
    }
    wgmma_raise_bits(p->b, w->n, w->x.b);
    for (uint32_t n = 0; n < w->n; n++)
        if (p->zeros[(first + n) / 64] >> (first + n) % 64 & 1)
            memset(w->x.b[n], 0, sizeof w->x.b[n]);
    return true;
}

/* -- scales ------------------------------------------------------------------------------------ */

/* The bytes of a row or column: its lane is that of its place in 32, in the quarter that works. */
static const uint8_t *
scale_of(const struct tmem_work *w, uint32_t address, uint32_t index, uint32_t id)
{
    uint32_t lane = w->lane / QUARTER * QUARTER + index % QUARTER;
    return (const uint8_t *)(cells(w, address, lane) + index / QUARTER) + id;
}

static void
take_exponents(struct tmem_work *w)
{
    const struct jit_tmem_product *p = w->p;
    for (uint32_t r = 0; r < ROWS; r++)
        w->x.scale_a[r] = wgmma_exponent_of(*scale_of(w, p->at_scale_a, w->row + r, p->scale_a_id));
    for (uint32_t n = 0; n < w->n; n++)
        w->x.scale_b[n] = wgmma_exponent_of(*scale_of(w, p->at_scale_b, n, p->scale_b_id));
}

/* -- D ----------------------------------------------------------------------------------------- */

/* Where column n of row r is in the registers of wgmma, floats or whole numbers. */
static uint32_t *
register_of(uint32_t (*d)[32], uint32_t r, uint32_t n)
{
    return &d[n / 8 * 4 + r / 8 * 2 + n % 2][r % 8 * 4 + n % 8 / 2];
}

static void
move_d(const struct tmem_work *w, uint32_t (*d)[32], bool out)
{
    bool half = w->p->d == WGMMA_F16;
    for (uint32_t r = 0; r < ROWS; r++) {
        uint32_t lane = w->lane + r;
        uint32_t *cell = &w->p->memory[lane][w->p->at_d & 0xffff];
        if (out && w->p->disabled[lane / 32] >> lane % 32 & 1)
            continue;
        for (uint32_t n = 0; n < w->n; n++) {
            uint32_t *one = register_of(d, r, n);
            if (half) {
                one = &d[n / 8 * 2 + r / 8][r % 8 * 4 + n % 8 / 2];
                uint32_t shift = 16 * (n % 2);
                if (out)
                    cell[n] = *one >> shift & 0xffff;
                else
                    *one = (*one & ~(0xffffu << shift)) | (cell[n] & 0xffff) << shift;
            } else if (out) {
                cell[n] = *one;
            } else {
                *one = cell[n];
            }
        }
    }
}

/* -- sums -------------------------------------------------------------------------------------- */

static int32_t
widened(uint8_t byte, uint8_t type)
{
    return type == WGMMA_S8 ? (int8_t)byte : byte;
}

static void
run_integers(const struct tmem_work *w, uint32_t (*d)[32])
{
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t n = 0; n < w->n; n++) {
            uint32_t *one = register_of(d, r, n);
            int32_t sum = 0;
            for (uint32_t k = 0; k < w->x.k; k++)
                sum += widened(w->x.a[r][k], w->p->a) * widened(w->x.b[n][k], w->p->b);
            int64_t all = (int64_t)sum + (w->p->add ? (int32_t)*one : 0);
            if (w->p->saturate)
                all = all > INT32_MAX ? INT32_MAX : all < INT32_MIN ? INT32_MIN : all;
            *one = (uint32_t)all;
        }
}

/* D in half precision, or of number formats for which ops/wgmma_float.c has no vector code: each
 * element by itself (wgmma_element). */
static void
run_elements(const struct tmem_work *w, uint32_t (*d)[32])
{
    bool half = w->p->d == WGMMA_F16;
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t n = 0; n < w->n; n++) {
            uint32_t *one =
                half ? &d[n / 8 * 2 + r / 8][r % 8 * 4 + n % 8 / 2] : register_of(d, r, n);
            uint32_t shift = half ? 16 * (n % 2) : 0, mask = half ? 0xffff : UINT32_MAX;
            uint32_t before = w->p->add ? *one >> shift & mask : 0;
            uint32_t after = wgmma_element(&w->x, r, n, before);
            *one = (*one & ~(mask << shift)) | after << shift;
        }
}

static void
run_floats(struct tmem_work *w, uint32_t (*d)[32])
{
    bool mixed = w->p->a != w->p->b && wgmma_bytes_of(w->p->a) != 1;
    if (w->x.scale_d || mixed)
        run_elements(w, d);
    else
        wgmma_float(&w->x, w->p->add, d);
}

/* -- pairs of four bits ------------------------------------------------------------------------ */

static void
run_pairs(const struct tmem_work *w, uint32_t (*d)[32])
{
    const struct jit_tmem_product *p = w->p;
    struct wgmma_scales scales = {.blocks = w->bytes_b / 8, .ue4m3 = p->unsigned_scale};
    scales.each = (p->what.flags & JIT_TMEM_BLOCK16 ? 1u : 2u) << w->sparse;
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t n = 0; n < w->n; n++) {
            uint32_t *one = register_of(d, r, n);
            scales.a = scale_of(w, p->at_scale_a, w->row + r, p->scale_a_id);
            scales.b = scale_of(w, p->at_scale_b, n, p->scale_b_id);
            *one = wgmma_pair_element(&w->x, r, n, p->add ? *one : 0, &scales);
        }
}

/* -- the product ------------------------------------------------------------------------------- */

static void
begin(struct tmem_work *w, struct jit_tmem_product *p)
{
    w->p = p;
    w->sparse = p->what.flags & JIT_TMEM_SPARSE;
    w->folded = jit_tmem_is_folded(p);
    w->parts = w->folded ? JIT_TMEM_LANES / p->m : 1;
    w->n = p->n / w->parts;
    w->bytes_b = ROW_BYTES << w->sparse;
    w->form = (struct wgmma_form){.n = (uint16_t)w->n,
                                  .d = p->d,
                                  .a = p->a,
                                  .b = p->b,
                                  .sparse = w->sparse,
                                  .negate = p->negate};
    w->x.form = &w->form;
    w->x.k = w->bytes_b / wgmma_bytes_of(p->a);
    w->x.bits = 25;
    w->x.scale_d = p->what.scale_d;
    w->x.scaled = p->what.shape == JIT_TMEM_MXF8F6F4;
}

/* Sixteen rows. */
static bool
run_rows(struct tmem_work *w)
{
    _Alignas(64) uint32_t d[JIT_TMEM_REGISTERS][32];
    w->lane = lane_of(w);
    if (!take_a(w))
        return false;
    if (w->p->add || w->p->d == WGMMA_F16)
        move_d(w, d, false);
    if (w->x.scaled)
        take_exponents(w);
    if (w->p->a == WGMMA_PAIR)
        run_pairs(w, d);
    else if (w->p->d == WGMMA_S32)
        run_integers(w, d);
    else
        run_floats(w, d);
    move_d(w, d, true);
    return true;
}

bool
jit_tmem_multiply(struct jit_tmem_product *p)
{
    struct tmem_work w;
    begin(&w, p);
    for (w.part = 0; w.part < w.parts; w.part++) {
        if (!take_b(&w))
            return false;
        for (w.row = 0; w.row < p->m; w.row += ROWS)
            if (!run_rows(&w))
                return false;
    }
    return true;
}

/* -- what is read of shared memory ------------------------------------------------------------- */

/* A matrix as take_rows takes it, for those who only ask where it lies. */
struct extent {
    struct wgmma_place place;
    bool transposed;
    uint32_t many;         /* rows that a chunk has numbers of */
    uint32_t first, rows;  /* of these rows, */
    uint32_t chunks;       /* in so many chunks along k: */
    uint32_t bytes, limit; /* bytes of each; of shared memory */
    const uint64_t *zeros; /* a bit per row, from `first` on, that is not looked at; NULL: none */
};

/* Whether some row of the chunk's counts. */
static bool
matters(const struct extent *x, uint32_t chunk)
{
    bool some = !x->zeros;
    for (uint32_t r = chunk * x->many; !some && r < (chunk + 1) * x->many; r++) {
        uint32_t n = r - x->first;
        some = n < x->rows && !(x->zeros[n / 64] >> n % 64 & 1);
    }
    return some;
}

static void
visit(const struct extent *x, jit_tmem_read *read, void *context)
{
    for (uint32_t r = x->first / x->many; r * x->many < x->first + x->rows; r++)
        for (uint32_t k = 0; matters(x, r) && k < x->chunks; k++) {
            uint32_t at = wgmma_chunk_at(&x->place, x->transposed, r, k);
            if (x->limit >= CHUNK && at <= x->limit - CHUNK)
                read(context, at, x->bytes);
        }
}

static struct extent
extent_of(const struct jit_tmem_product *p, uint64_t descriptor, bool transposed, uint8_t type,
          uint32_t rows, uint32_t row_bytes)
{
    uint32_t size = wgmma_bytes_of(type);
    return (struct extent){.place = place_of(descriptor),
                           .transposed = transposed,
                           .many = transposed ? CHUNK / size : 1,
                           .rows = rows,
                           .chunks = row_bytes / (transposed ? size : CHUNK),
                           .bytes = bits_of(type) < 8 ? CHUNK / 8 * bits_of(type) : CHUNK,
                           .limit = p->shared_bytes};
}

void
jit_tmem_reads(const struct jit_tmem_product *p, jit_tmem_read *read, void *context)
{
    uint32_t deep = ROW_BYTES << !!(p->what.flags & JIT_TMEM_SPARSE);
    uint32_t columns = p->what.flags & JIT_TMEM_PAIR ? p->n / 2 : p->n; /* in this block */
    struct extent a = extent_of(p, p->descriptor_a, p->trans_a, p->a, p->m, ROW_BYTES),
                  b = extent_of(p, p->descriptor_b, p->trans_b, p->b, columns, deep);
    b.first = p->shift;
    b.zeros = p->zeros;
    if (!(p->what.flags & JIT_TMEM_A_INSIDE))
        visit(&a, read, context);
    visit(&b, read, context);
}

void
jit_tmem_row_reads(uint32_t shared_bytes, uint64_t descriptor, uint32_t rows, uint32_t chunks,
                   uint32_t bytes, jit_tmem_read *read, void *context)
{
    struct extent x = {.place = place_of(descriptor),
                       .many = 1,
                       .rows = rows,
                       .chunks = chunks,
                       .bytes = bytes,
                       .limit = shared_bytes};
    visit(&x, read, context);
}
