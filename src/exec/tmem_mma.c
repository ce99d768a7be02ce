/* SPDX-License-Identifier: Apache-2.0
 *
 * tmem_mma.c: tcgen05.mma: what its descriptors say, and whether the manual has such a product (PTX
 * ISA 9.7.16.2, 9.7.16.4, 9.7.16.10). The product itself is jit_tmem_multiply. Start at
 * exec_tmem_multiply.
 */
#include "exec/tmem.h"

#include <string.h>

static uint32_t
bits(uint32_t word, unsigned first, unsigned count)
{
    return word >> first & ((1u << count) - 1);
}

static bool
is_scaled(const struct jit_tmem_product *p)
{
    return p->what.shape >= JIT_TMEM_MXF8F6F4;
}

static bool
is_four_bits(const struct jit_tmem_product *p)
{
    return p->what.shape >= JIT_TMEM_MXF4;
}

/* -- the instruction descriptor ---------------------------------------------------------------- */

enum { NONE = 255 };

/* Types of A and B by their fields in the descriptor (tables 42 to 44). */
static uint8_t
input_type(enum jit_tmem_kind kind, uint32_t field)
{
    static const uint8_t halves[] = {JIT_TMEM_TYPE_F16, JIT_TMEM_TYPE_BF16},
                         bytes[] = {JIT_TMEM_TYPE_E4M3, JIT_TMEM_TYPE_E5M2, NONE,
                                    JIT_TMEM_TYPE_E2M3, JIT_TMEM_TYPE_E3M2, JIT_TMEM_TYPE_E2M1},
                         integers[] = {JIT_TMEM_TYPE_U8, JIT_TMEM_TYPE_S8};
    switch (kind) {
    case JIT_TMEM_F16: return field < 2 ? halves[field] : NONE;
    case JIT_TMEM_TF32: return field == 2 ? JIT_TMEM_TYPE_TF32 : NONE;
    case JIT_TMEM_I8: return field < 2 ? integers[field] : NONE;
    case JIT_TMEM_F8F6F4:
    case JIT_TMEM_MXF8F6F4: return field < 6 ? bytes[field] : NONE;
    default: return field == 1 ? JIT_TMEM_TYPE_PAIR : NONE;
    }
}

static uint8_t
output_type(enum jit_tmem_kind kind, uint32_t field)
{
    if (kind >= JIT_TMEM_MXF8F6F4)
        return JIT_TMEM_TYPE_F32;
    if (kind == JIT_TMEM_I8)
        return field == 2 ? JIT_TMEM_TYPE_S32 : NONE;
    return field == 1                            ? JIT_TMEM_TYPE_F32
           : field == 0 && kind != JIT_TMEM_TF32 ? JIT_TMEM_TYPE_F16
                                                 : NONE;
}

static void
take_descriptor(const struct exec_tmem_use *u, uint32_t d, struct jit_tmem_product *p)
{
    enum jit_tmem_kind kind = (enum jit_tmem_kind)u->what.shape;
    bool scaled = is_scaled(p), four = is_four_bits(p);
    p->a = input_type(kind, bits(d, 7, 3));
    p->b = input_type(kind, bits(d, 10, four ? 2 : 3));
    p->d = output_type(kind, bits(d, 4, 2));
    p->negate = bits(d, 13, 1) != bits(d, 14, 1);
    p->trans_a = bits(d, 15, 1);
    p->trans_b = bits(d, 16, 1);
    p->n = (uint16_t)(bits(d, 17, 6) * 8);
    p->m = (uint16_t)(scaled ? bits(d, 27, 2) * 128 : bits(d, 24, 5) * 16);
    p->selector = (uint8_t)(scaled ? 0 : bits(d, 0, 2));
    p->saturate = kind == JIT_TMEM_I8 && bits(d, 3, 1);
    if (scaled) {
        p->unsigned_scale = !bits(d, 23, 1);
        p->scale_b_id = (uint8_t)bits(d, 4, 2);
        p->scale_a_id = (uint8_t)bits(d, 29, 2);
    }
    if (p->a == NONE || p->b == NONE || p->d == NONE)
        exec_tmem_fail(u, "the instruction descriptor 0x%08x names a type that the kind has not",
                       d);
    if (bits(d, 2, 1) != !!(u->what.flags & JIT_TMEM_SPARSE))
        exec_tmem_fail(u, "the instruction descriptor 0x%08x is of a %s A, the instruction is not",
                       d, bits(d, 2, 1) ? "sparse" : "dense");
    if (four && bits(d, 31, 1))
        exec_tmem_fail(u,
                       "K = 96 (bit 31 of the instruction descriptor 0x%08x) is of compute "
                       "capability 10.3",
                       d);
}

/* -- what the manual has ----------------------------------------------------------------------- */

static bool
is_pair(const struct jit_tmem_product *p)
{
    return p->what.flags & JIT_TMEM_PAIR;
}

/* Table 39. */
static bool
shape_fits(const struct jit_tmem_product *p)
{
    bool ws = p->what.flags & JIT_TMEM_WS, sparse = p->what.flags & JIT_TMEM_SPARSE;
    if (is_pair(p))
        return (p->m == 256 || (p->m == 128 && !(is_scaled(p) && sparse))) && p->n && p->n <= 256 &&
               p->n % (p->what.shape == JIT_TMEM_I8 ? 32 : 16) == 0;
    if (is_scaled(p))
        return p->m == 128 && p->n >= 8 && p->n <= 256;
    if (ws)
        return (p->m == 32 || p->m == 64 || p->m == 128) &&
               (p->n == 64 || p->n == 128 || (p->n == 256 && !sparse));
    bool steps = p->what.shape != JIT_TMEM_I8 || p->n <= 32 ? p->n != 0 : p->n % 16 == 0;
    return (p->m == 64 || p->m == 128) && p->n <= 256 && steps;
}

/* Tables 50, 51, 52, 54; 57. */
static const char *
combination_fault(const struct jit_tmem_product *p)
{
    enum jit_tmem_kind kind = (enum jit_tmem_kind)p->what.shape;
    bool trans = p->trans_a || p->trans_b;
    bool small_a = p->a >= JIT_TMEM_TYPE_E2M3, small_b = p->b >= JIT_TMEM_TYPE_E2M3;
    if (kind == JIT_TMEM_F16 && p->d == JIT_TMEM_TYPE_F16 &&
        (p->a != JIT_TMEM_TYPE_F16 || p->b != JIT_TMEM_TYPE_F16))
        return "D of f16 takes A and B of f16";
    if (trans && ((p->trans_a && small_a) || (p->trans_b && small_b)))
        return "numbers of 4 and 6 bits are not transposed";
    if (p->trans_b &&
        (kind == JIT_TMEM_F8F6F4 || kind == JIT_TMEM_MXF8F6F4 || kind == JIT_TMEM_I8) &&
        p->n % (is_pair(p) ? 32 : 16))
        return is_pair(p) ? "N is a multiple of 32 where B of bytes is transposed"
                          : "N is a multiple of 16 where B of bytes is transposed";
    if (p->trans_a && p->what.flags & JIT_TMEM_A_INSIDE)
        return "A in tensor memory is not transposed";
    if (kind == JIT_TMEM_I8 && p->negate)
        return "integers are not negated";
    if (p->what.flags & JIT_TMEM_A_SHIFTED && p->m < 128)
        return ".ashift takes M = 128 or 256";
    if (is_scaled(p) && p->unsigned_scale &&
        (kind != JIT_TMEM_MXF4NVF4 || !(p->what.flags & JIT_TMEM_BLOCK16)))
        return "scales of ue4m3 are those of .kind::mxf4nvf4 with a scale for 16 numbers";
    if (kind >= JIT_TMEM_MXF4) {
        uint8_t wrong = p->what.flags & JIT_TMEM_BLOCK16 ? 3 : 1;
        if ((p->scale_a_id | p->scale_b_id) & wrong)
            return "the number of a scale's bytes is 0, or 2 where there are two";
    }
    if (p->what.flags & JIT_TMEM_SPARSE && p->selector > 1)
        return "the sparsity selector is 0 or 1";
    if (p->what.flags & JIT_TMEM_SPARSE && p->selector && kind > JIT_TMEM_TF32)
        return "the sparsity selector of this kind is 0";
    return NULL;
}

/* -- descriptors of shared memory -------------------------------------------------------------- */

static void
check_shared(const struct exec_tmem_use *u, const struct jit_tmem_product *p, char which)
{
    enum { BASE_32 = 1 };
    uint64_t d = which == 'A' ? p->descriptor_a : p->descriptor_b;
    bool trans = which == 'A' ? p->trans_a : p->trans_b, base_32 = d >> 61 == BASE_32;
    const char *fault = jit_tmem_descriptor_fault(d);
    if (!fault && base_32 && !trans)
        fault = "asks for 128-byte swizzling with 32-byte atoms, which is for transposed matrices";
    if (!fault && trans && base_32 != (u->what.shape == JIT_TMEM_TF32))
        fault = base_32
                    ? "asks for 128-byte swizzling with 32-byte atoms, which is for tf32"
                    : "is of tf32 transposed, which takes 128-byte swizzling with 32-byte atoms";
    if (fault)
        exec_tmem_fail(u, "the descriptor 0x%llx of %c %s", (unsigned long long)d, which, fault);
}

/* -- tensor memory ----------------------------------------------------------------------------- */

static void
check_place(const struct exec_tmem_use *u, const char *what, uint32_t address, uint32_t first,
            uint32_t lanes, uint32_t columns)
{
    if (address >> 16 != first)
        exec_tmem_fail(u, "%s begins in lane %u of tensor memory, not %u", what, address >> 16,
                       first);
    exec_tmem_check(u, what, first, lanes, address & 0xffff, columns);
}

/* Of D, in this tensor memory. */
static uint32_t
columns_here(const struct jit_tmem_product *p)
{
    return p->n / (jit_tmem_is_folded(p) ? 128u / p->m : 1);
}

/* Where half of the lanes are used (layouts C, F), in which half is free, but the same for D, A,
 * metadata. */
static void
check_memory(const struct exec_tmem_use *u, const struct jit_tmem_product *p)
{
    bool half = p->m == 64 && !jit_tmem_is_folded(p);
    uint32_t first = half && p->at_d >> 16 == 16 ? 16 : 0, lanes = JIT_TMEM_LANES - (half ? 16 : 0);
    check_place(u, "D", p->at_d, first, lanes, columns_here(p));
    if (p->what.flags & JIT_TMEM_A_INSIDE)
        check_place(u, "A", p->at_a, first, lanes, 8);
    if (p->what.flags & JIT_TMEM_SPARSE)
        check_place(u, "the metadata", p->at_metadata, first, lanes,
                    p->what.shape <= JIT_TMEM_TF32 ? 1u + p->selector : 2u);
    if (p->what.flags & JIT_TMEM_SPARSE && (p->at_metadata & 1))
        exec_tmem_fail(u, "the metadata begins in column %u, which is odd",
                       p->at_metadata & 0xffff);
    if (!is_scaled(p))
        return;
    check_place(u, "the scales of A", p->at_scale_a, 0, JIT_TMEM_LANES, p->m / 32);
    check_place(u, "the scales of B", p->at_scale_b, 0, JIT_TMEM_LANES,
                (columns_here(p) + 31) / 32);
}

/* -- zero columns ------------------------------------------------------------------------------ */

/* 9.7.16.4.3: each of 128 / M parts of the columns begins anew; spans of `use` columns whose B
 * counts alternate with `skip` that are zero, as the manual's examples have it. */
static void
take_zeros(const struct exec_tmem_use *u, uint64_t mask, struct jit_tmem_product *p)
{
    uint32_t parts = 128u / p->m, width = p->n / parts;
    uint32_t skip = (uint32_t)(mask >> 40 & 255) + 1, use = (uint32_t)(mask >> 48 & 255) + 1;
    uint32_t most[] = {0, 8, 16, 32}, allowed = most[u->data->number[u->lane] >> 30];
    p->shift = (uint32_t)(mask >> 56 & 63);
    if (p->shift > allowed || p->shift > (p->m == 32 ? 16u : 32u))
        exec_tmem_fail(u,
                       "the zero-column mask shifts B by %u columns; the instruction descriptor "
                       "allows %u",
                       p->shift, allowed);
    if (!(mask >> 39 & 1))
        return;
    for (uint32_t part = 0; part < parts; part++) {
        uint32_t start = (uint32_t)(mask >> 8 * part & 255), first = mask >> (32 + part) & 1;
        for (uint32_t c = 0; c < width; c++) {
            uint32_t at = (c + start) % (skip + use), n = part * width + c;
            bool zero = first ? at < skip : at >= use;
            p->zeros[n / 64] |= (uint64_t)zero << n % 64;
        }
    }
}

/* -- the product ------------------------------------------------------------------------------- */

static void
tell_product(const struct exec_tmem_use *u, const struct jit_tmem_product *p)
{
    enum { ROW_BITS = 256 }; /* of A, without the zeros that a sparse one leaves out */
    static const uint8_t bits_of[] = {
        [JIT_TMEM_F16] = 16,     [JIT_TMEM_TF32] = 32, [JIT_TMEM_F8F6F4] = 8,  [JIT_TMEM_I8] = 8,
        [JIT_TMEM_MXF8F6F4] = 8, [JIT_TMEM_MXF4] = 4,  [JIT_TMEM_MXF4NVF4] = 4};
    const struct jit_tool *tool = u->slot->run->tool;
    uint32_t bits = bits_of[p->what.shape];
    struct jit_product one = {.m = p->m,
                              .n = p->n,
                              .k = ROW_BITS / bits << !!(p->what.flags & JIT_TMEM_SPARSE),
                              .bits = bits};
    if (tool && tool->product)
        tool->product(u->warp, &one, u->place);
}

/* In one block: its rows of D. */
static void
multiply(const struct exec_tmem_use *u, struct jit_tmem_product *p)
{
    p->memory = u->tmem->at;
    p->half = p->shared[1] == u->slot->block.shared;
    for (unsigned k = 0; k < 4; k++)
        p->disabled[k] = u->data->disabled[4 * p->half + k][u->lane];
    check_memory(u, p);
    if (p->m == JIT_TMEM_LANES || jit_tmem_is_folded(p)) /* else other lanes are free */
        exec_tmem_tell(u, p->at_d & 0xffff, columns_here(p));
    if (p->what.flags & JIT_TMEM_WS)
        take_zeros(u, u->data->zeros[u->lane], p);
    exec_tmem_tell_product(u, p);
    if (!jit_tmem_multiply(p))
        exec_tmem_fail(u,
                       "a descriptor (A 0x%llx, B 0x%llx) leads to byte %u of shared memory, of "
                       "which the block has %u",
                       (unsigned long long)p->descriptor_a, (unsigned long long)p->descriptor_b,
                       p->wrong, p->shared_bytes);
}

/* Of a pair each block has half of the rows of A and D, the even one the first, and half of the
 * columns of B; the descriptors lead to the same place in both. Scales of A, and metadata, are its
 * own rows'; scales of B lie in both. */
void
exec_tmem_multiply(struct exec_tmem_use *u)
{
    const struct jit_tmem_data *data = u->data;
    uint32_t l = u->lane, idesc = data->number[l];
    struct jit_tmem_product p = {.shared = {u->slot->block.shared},
                                 .shared_bytes = (uint32_t)exec_tmem_shared_bytes(u),
                                 .what = u->what,
                                 .add = data->add[l],
                                 .descriptor_a = data->a[l],
                                 .descriptor_b = data->b[l],
                                 .at_a = (uint32_t)data->a[l],
                                 .at_d = data->at[l],
                                 .at_metadata = data->metadata[l],
                                 .at_scale_a = data->scale_a[l],
                                 .at_scale_b = data->scale_b[l]};
    take_descriptor(u, idesc, &p);
    if (!shape_fits(&p))
        exec_tmem_fail(u, "the instruction descriptor 0x%08x: no such product of M = %u, N = %u%s",
                       idesc, p.m, p.n, u->peer ? " of two blocks" : "");
    const char *fault = combination_fault(&p);
    if (fault)
        exec_tmem_fail(u, "the instruction descriptor 0x%08x: %s", idesc, fault);
    if (!(p.what.flags & JIT_TMEM_A_INSIDE))
        check_shared(u, &p, 'A');
    check_shared(u, &p, 'B');
    tell_product(u, &p);
    if (u->peer) {
        struct exec_tmem_use peer = exec_tmem_in_peer(u);
        p.shared[u->slot->block.rank & 1] = u->slot->block.shared;
        p.shared[u->peer->block.rank & 1] = u->peer->block.shared;
        p.m /= 2;
        multiply(&peer, &p);
    }
    multiply(u, &p);
}
