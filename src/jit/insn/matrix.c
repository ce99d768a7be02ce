/* SPDX-License-Identifier: Apache-2.0
 *
 * insn/matrix.c: the instructions on warp matrices (PTX ISA 9.7.14): mma, wmma, ldmatrix, stmatrix,
 * movmatrix. Here they are taken apart and matrices move between registers and memory; products
 * are in insn/mma.c and insn/mma_run.c. Start at matrix_insn.
 *
 * Memory is read and written in rows of 16 bytes, eight of which are a tile: a register of all
 * lanes. Lane l has word l % 4 of row l / 4; transposed, halves 2 * (l % 4) and the next of column
 * l / 4. What does not lie like that in memory is gathered number by number.
 */
#include "jit/insn/insn.h"
#include "jit/insn/matrix.h"
#include "jit/memory/memory.h"

#include <string.h>

enum { ROWS = 8, ROW_BYTES = 16 };

/* A matrix instruction on its way. */
struct move {
    struct core *c;
    const struct wir_insn *i;
    enum jit_access_op op;
};

/* -- tiles ------------------------------------------------------------------------------------ */

static value
index_vector(struct core *c, const unsigned *index, unsigned n)
{
    value k[ROWS * ROW_BYTES];
    for (unsigned l = 0; l < n; l++)
        k[l] = core_i32(c, index[l]);
    return LLVMConstVector(k, n);
}

static value
shuffled(struct core *c, value v, const unsigned *index, unsigned n)
{
    return LLVMBuildShuffleVector(c->e.b, v, LLVMGetPoison(LLVMTypeOf(v)),
                                  index_vector(c, index, n), "");
}

/* A register of 8 by 8 halves, rows and columns exchanged. */
static value
transposed_tile(struct core *c, value v)
{
    unsigned index[64];
    for (unsigned k = 0; k < 64; k++)
        index[k] = k % 8 * 8 + k / 8;
    LLVMTypeRef halves = LLVMVectorType(core_scalar(c, 16), 64);
    v = shuffled(c, LLVMBuildBitCast(c->e.b, v, halves, ""), index, 64);
    return LLVMBuildBitCast(c->e.b, v, core_vector(c, 32), "");
}

static value
pointer_to(struct core *c, value address)
{
    return LLVMBuildIntToPtr(c->e.b, address, LLVMPointerTypeInContext(c->e.context, 0), "");
}

static value
load_tile(struct core *c, const value *row)
{
    value part[ROWS], like = LLVMConstNull(core_vector(c, 32));
    for (unsigned k = 0; k < ROWS; k++) {
        part[k] = LLVMBuildLoad2(c->e.b, LLVMVectorType(core_scalar(c, 32), 4),
                                 pointer_to(c, row[k]), "");
        LLVMSetAlignment(part[k], 1);
    }
    return v_concat(&c->e, part, ROWS, 4, like);
}

static void
store_tile(struct core *c, const value *row, value tile)
{
    for (unsigned k = 0; k < ROWS; k++) {
        value part = v_slice(&c->e, tile, 4 * k, 4);
        LLVMSetAlignment(LLVMBuildStore(c->e.b, part, pointer_to(c, row[k])), 1);
    }
}

/* Of lanes that are not active the address counts for nothing; reading there must not fault. */
static value
harmless(struct core *c, value address)
{
    value mask = core_mask(c);
    if (!mask)
        return address;
    value spare = LLVMBuildPtrToInt(c->e.b, c->e.warp, core_scalar(c, 64), "");
    return v_select(&c->e, mask, address, core_splat(c, spare));
}

/* -- operands --------------------------------------------------------------------------------- */

/* The registers of an operand: a vector, or one register by itself. */
static const struct ptx_operand *
registers_of(const struct ptx_operand *o, unsigned *count)
{
    *count = o->kind == PTX_O_VECTOR ? o->count : 1;
    return o->kind == PTX_O_VECTOR ? o->elements : o;
}

static bool
expect_registers(const struct move *m, unsigned k, unsigned wanted)
{
    const struct ptx_insn *p = &m->i->i;
    unsigned count = 0;
    if (k < p->operand_count)
        registers_of(&p->operand[k], &count);
    if (count == wanted)
        return true;
    return emit_fail(&m->c->e, "%s: operand %u has %u registers, not %u",
                     ptx_op_name((enum ptx_op)p->op), k + 1, count, wanted);
}

static void
read_registers(const struct move *m, unsigned k, unsigned bits, value *out)
{
    unsigned count;
    const struct ptx_operand *r = registers_of(&m->i->i.operand[k], &count);
    for (unsigned n = 0; n < count && n < MATRIX_REGISTERS; n++)
        out[n] = core_value(m->c, m->i, &r[n], bits, false);
}

static void
write_registers(const struct move *m, unsigned k, const value *v)
{
    unsigned count;
    const struct ptx_operand *r = registers_of(&m->i->i.operand[k], &count);
    for (unsigned n = 0; n < count && n < MATRIX_REGISTERS; n++)
        core_write(m->c, m->i, &r[n], v[n], false);
}

/* The modifiers among first..last in the order written: .row.col, the shape. */
static unsigned
words_between(const struct ptx_insn *p, enum ptx_mod first, enum ptx_mod last, uint16_t *out,
              unsigned room)
{
    unsigned n = 0;
    for (unsigned k = 0; k < 8 && n < room; k++)
        if (p->order[k] >= first && p->order[k] <= last)
            out[n++] = p->order[k];
    return n;
}

static enum ptx_mod
shape_of(const struct ptx_insn *p)
{
    uint16_t shape = 0;
    words_between(p, PTX_M_M8N8, PTX_M_M8N32K16, &shape, 1);
    return (enum ptx_mod)shape;
}

/* -- ldmatrix, stmatrix, movmatrix ------------------------------------------------------------ */

static unsigned
tiles_of(const struct ptx_insn *p)
{
    return ptx_has(p, PTX_M_X4) ? 4 : ptx_has(p, PTX_M_X2) ? 2 : ptx_has(p, PTX_M_X1) ? 1 : 0;
}

/* PTX ISA 9.7.14.5.15: lane 8 * t + k has the address of row k of tile t. */
static void
row_addresses(const struct move *m, const struct ptx_operand *o, unsigned tiles, value *row)
{
    struct core *c = m->c;
    uint32_t lanes = tiles == 4 ? ~0u : (1u << ROWS * tiles) - 1;
    value all = harmless(c, core_addresses_some(c, m->i, o, ROW_BYTES, m->op, lanes));
    for (unsigned k = 0; k < ROWS * tiles; k++)
        row[k] = emit_lane(&c->e, all, k);
}

static LLVMTypeRef
tile_bytes(struct core *c)
{
    return LLVMVectorType(core_scalar(c, 8), ROWS * ROW_BYTES);
}

/* What ldmatrix reads: halves, bytes, or bytes out of 16 numbers of 6 or 4 bits at a row's start.
 */
static bool
find_tiles(const struct move *m, unsigned *tiles, unsigned *bits)
{
    const struct ptx_insn *p = &m->i->i;
    enum ptx_type last = (enum ptx_type)p->type[p->type_count - 1];
    enum ptx_mod shape = shape_of(p);
    bool packed = p->type_count == 2 && p->type[0] == PTX_B8X16, trans = ptx_has(p, PTX_M_TRANS);
    *bits = packed && last == PTX_B6X16_P32         ? 6
            : packed && last == PTX_B4X16_P64       ? 4
            : p->type_count == 1 && last == PTX_B16 ? 16
            : p->type_count == 1 && last == PTX_B8  ? 8
                                                    : 0;
    *tiles = tiles_of(p) * (shape == PTX_M_M16N16 ? 2 : 1);
    bool fits = shape == PTX_M_M8N8     ? *bits == 16
                : shape == PTX_M_M8N16  ? (*bits == 6 || *bits == 4) && !trans
                : shape == PTX_M_M16N16 ? *bits && *bits <= 8 && trans && *tiles <= 4
                                        : false;
    return (fits && *tiles) || emit_fail(&m->c->e, "ldmatrix has no such shape and type");
}

/* Rows of 16 numbers become bytes: of 6 bits in the lower ones, of 4 in the middle (PTX ISA
 * 9.7.16.9.1). */
static value
unpacked_tile(struct core *c, value v, unsigned bits)
{
    enum { BYTES = ROWS * ROW_BYTES };
    unsigned low[BYTES], high[BYTES];
    value shift[BYTES];
    if (bits >= 8)
        return v;
    for (unsigned k = 0; k < BYTES; k++) {
        unsigned at = k % ROW_BYTES * bits, row = k / ROW_BYTES * ROW_BYTES;
        low[k] = row + at / 8;
        high[k] = row + (at / 8 + 1) % ROW_BYTES;
        shift[k] = LLVMConstInt(core_scalar(c, 16), at % 8, false);
    }
    LLVMTypeRef wide = LLVMVectorType(core_scalar(c, 16), BYTES);
    v = LLVMBuildBitCast(c->e.b, v, tile_bytes(c), "");
    value x = LLVMBuildZExt(c->e.b, shuffled(c, v, low, BYTES), wide, "");
    value y = LLVMBuildZExt(c->e.b, shuffled(c, v, high, BYTES), wide, "");
    x = v_or(&c->e, x, v_shlk(&c->e, y, 8));
    x = LLVMBuildLShr(c->e.b, x, LLVMConstVector(shift, BYTES), "");
    x = v_andk(&c->e, x, (1u << bits) - 1);
    x = bits == 4 ? v_shlk(&c->e, x, 2) : x;
    x = LLVMBuildTrunc(c->e.b, x, tile_bytes(c), "");
    return LLVMBuildBitCast(c->e.b, x, core_vector(c, 32), "");
}

/* 16 by 16 bytes, of which the tiles are rows: lane l gets bytes l / 4 (second register: and 8 on)
 * of rows 4 * (l % 4) and the next three. */
static void
transpose_bytes(struct core *c, value tile[2])
{
    value from[2], k[ROWS * ROW_BYTES];
    for (unsigned t = 0; t < 2; t++)
        from[t] = LLVMBuildBitCast(c->e.b, tile[t], tile_bytes(c), "");
    for (unsigned r = 0; r < 2; r++) {
        for (unsigned b = 0; b < ROWS * ROW_BYTES; b++) {
            unsigned l = b / 4, row = l % 4 * 4 + b % 4;
            k[b] = core_i32(c, row * ROW_BYTES + l / 4 + 8 * r);
        }
        value mask = LLVMConstVector(k, ROWS * ROW_BYTES);
        tile[r] = LLVMBuildShuffleVector(c->e.b, from[0], from[1], mask, "");
        tile[r] = LLVMBuildBitCast(c->e.b, tile[r], core_vector(c, 32), "");
    }
}

static bool
load_matrix(const struct move *m)
{
    const struct ptx_insn *p = &m->i->i;
    unsigned tiles, bits;
    value row[ROWS * 4], out[4];
    if (!find_tiles(m, &tiles, &bits) || !expect_registers(m, 0, tiles))
        return false;
    row_addresses(m, &p->operand[1], tiles, row);
    for (unsigned t = 0; t < tiles; t++) {
        out[t] = unpacked_tile(m->c, load_tile(m->c, row + ROWS * t), bits);
        if (bits == 16 && ptx_has(p, PTX_M_TRANS))
            out[t] = transposed_tile(m->c, out[t]);
    }
    for (unsigned t = 0; bits < 16 && ptx_has(p, PTX_M_TRANS) && t < tiles; t += 2)
        transpose_bytes(m->c, out + t);
    write_registers(m, 0, out);
    return true;
}

/* stmatrix of bytes: of 16 by 8 of them, lane l has two neighbours of row l / 4, then of row
 * l / 4 + 8; each column is 16 bytes of memory. */
static value
columns_of_bytes(struct core *c, value v)
{
    unsigned index[ROWS * ROW_BYTES];
    for (unsigned k = 0; k < ROWS * ROW_BYTES; k++) {
        unsigned column = k / ROW_BYTES, row = k % ROW_BYTES, lane = row % 8 * 4 + column / 2;
        index[k] = 4 * lane + column % 2 + row / 8 * 2;
    }
    v = LLVMBuildBitCast(c->e.b, v, tile_bytes(c), "");
    v = shuffled(c, v, index, ROWS * ROW_BYTES);
    return LLVMBuildBitCast(c->e.b, v, core_vector(c, 32), "");
}

static bool
store_matrix(const struct move *m)
{
    const struct ptx_insn *p = &m->i->i;
    unsigned tiles = tiles_of(p);
    value row[ROWS * 4], in[MATRIX_REGISTERS];
    bool trans = ptx_has(p, PTX_M_TRANS), bytes = p->type[0] == PTX_B8;
    bool fits = bytes ? shape_of(p) == PTX_M_M16N8 && trans
                      : shape_of(p) == PTX_M_M8N8 && p->type[0] == PTX_B16;
    if (!fits || !tiles)
        return emit_fail(&m->c->e, "stmatrix has no such shape and type");
    if (!expect_registers(m, 1, tiles))
        return false;
    row_addresses(m, &p->operand[0], tiles, row);
    read_registers(m, 1, 32, in);
    for (unsigned t = 0; t < tiles; t++)
        store_tile(m->c, row + ROWS * t,
                   bytes   ? columns_of_bytes(m->c, in[t])
                   : trans ? transposed_tile(m->c, in[t])
                           : in[t]);
    return true;
}

static bool
move_matrix(const struct move *m)
{
    value v;
    if (!expect_registers(m, 0, 1) || !expect_registers(m, 1, 1))
        return false;
    read_registers(m, 1, 32, &v);
    v = transposed_tile(m->c, v);
    write_registers(m, 0, &v);
    return true;
}

/* -- wmma.load, wmma.store -------------------------------------------------------------------- */

/* A matrix in memory: number (x, y) of a fragment lies at base + x * step[0] + y * step[1], in
 * bytes; 0: one number, as a constant. */
struct placed {
    struct matrix_layout layout;
    value base, stride; /* i64; stride in bytes, from one row (column) to the next */
    bool along_y;       /* neighbours in memory are neighbours along y (k of A and B, n of C) */
};

/* Bytes from the base to number n of lane l: constant part and how many strides. */
static void
place_of(const struct placed *w, unsigned n, unsigned l, uint64_t *bytes, uint64_t *strides)
{
    struct matrix_place p = w->layout.at[n][l];
    uint64_t near = w->along_y ? p.k : p.x;
    *strides = w->along_y ? p.x : p.k;
    *bytes = near * w->layout.bits / 8;
}

static value
address_of(struct core *c, const struct placed *w, unsigned n, unsigned l)
{
    uint64_t bytes, strides;
    place_of(w, n, l, &bytes, &strides);
    value far = v_mul(&c->e, w->stride, core_i64(c, strides));
    return v_add(&c->e, v_add(&c->e, w->base, far), core_i64(c, bytes));
}

static value
lane_addresses(struct core *c, const struct placed *w, unsigned n)
{
    value near[LANES], far[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        uint64_t bytes, strides;
        place_of(w, n, l, &bytes, &strides);
        near[l] = core_i64(c, bytes);
        far[l] = core_i64(c, strides);
    }
    value v = v_mul(&c->e, core_splat(c, w->stride), LLVMConstVector(far, LANES));
    v = v_add(&c->e, v, LLVMConstVector(near, LANES));
    return v_add(&c->e, v, core_splat(c, w->base));
}

/* Is register r a tile of 8 rows of 16 bytes in memory (transposed: of its columns)? */
static bool
is_tile(const struct placed *w, unsigned r, bool transposed)
{
    const struct matrix_layout *o = &w->layout;
    if (transposed ? o->bits != 16 || o->per_register != 2 : o->bits * o->per_register != 32)
        return false;
    struct matrix_place first = o->at[r * o->per_register][0];
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned n = 0; n < o->per_register; n++) {
            struct matrix_place p = o->at[r * o->per_register + n][l];
            if (p.x != first.x + l / 4 || p.k != first.k + l % 4 * o->per_register + n)
                return false;
        }
    return transposed != w->along_y;
}

static void
tile_rows(struct core *c, const struct placed *w, unsigned r, bool transposed, value *row)
{
    unsigned first = r * w->layout.per_register;
    for (unsigned k = 0; k < ROWS; k++) /* column k begins in lane k / 2, number k % 2 */
        row[k] =
            transposed ? address_of(c, w, first + k % 2, k / 2) : address_of(c, w, first, 4 * k);
}

/* Are the numbers of a register neighbours in memory: one access of the register's width? */
static unsigned
numbers_together(const struct placed *w, unsigned r)
{
    const struct matrix_layout *o = &w->layout;
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned n = 1; n < o->per_register; n++) {
            uint64_t a, b, s, t;
            place_of(w, r * o->per_register, l, &a, &s);
            place_of(w, r * o->per_register + n, l, &b, &t);
            if (o->bits >= 8 && (b != a + n * o->bits / 8 || s != t))
                return 1;
        }
    return o->per_register;
}

static value
gathered(struct core *c, value address, unsigned bits)
{
    LLVMTypeRef type = core_vector(c, bits);
    value p = LLVMBuildIntToPtr(
        c->e.b, address, LLVMVectorType(LLVMPointerTypeInContext(c->e.context, 0), LANES), "");
    LLVMTypeRef types[] = {type, LLVMTypeOf(p)};
    value args[] = {p, core_i32(c, 1), core_all_lanes(c), LLVMConstNull(type)};
    return emit_intrinsic(&c->e, "llvm.masked.gather", types, 2, args, 4);
}

static void
scattered(struct core *c, value address, value v)
{
    value p = LLVMBuildIntToPtr(
        c->e.b, address, LLVMVectorType(LLVMPointerTypeInContext(c->e.context, 0), LANES), "");
    LLVMTypeRef types[] = {LLVMTypeOf(v), LLVMTypeOf(p)};
    value args[] = {v, p, core_i32(c, 1), core_all_lanes(c)};
    emit_intrinsic(&c->e, "llvm.masked.scatter", types, 2, args, 4);
}

/* Register r of the fragment, read number by number or several at once. */
static value
load_numbers(const struct move *m, const struct placed *w, unsigned r)
{
    struct core *c = m->c;
    unsigned n = w->layout.per_register, together = numbers_together(w, r);
    unsigned bits = w->layout.bits * together, width = w->layout.bits * n;
    value all = NULL;
    for (unsigned k = 0; k < n; k += together) {
        value at = lane_addresses(c, w, r * n + k);
        at = core_announce_access(c, m->i, at, bits / 8, m->op);
        value v = v_zext(&c->e, gathered(c, at, bits), width);
        v = k ? v_shlk(&c->e, v, k * w->layout.bits) : v;
        all = all ? v_or(&c->e, all, v) : v;
    }
    return all;
}

static void
store_numbers(const struct move *m, const struct placed *w, unsigned r, value v)
{
    struct core *c = m->c;
    unsigned n = w->layout.per_register, together = numbers_together(w, r);
    unsigned bits = w->layout.bits * together;
    for (unsigned k = 0; k < n; k += together) {
        value at = lane_addresses(c, w, r * n + k);
        at = core_announce_access(c, m->i, at, bits / 8, m->op);
        scattered(c, at, v_trunc(&c->e, k ? v_lshrk(&c->e, v, k * w->layout.bits) : v, bits));
    }
}

static value
load_register(const struct move *m, const struct placed *w, unsigned r)
{
    value row[ROWS];
    for (unsigned t = 0; t < 2; t++) {
        /* Where some lanes are not active, or tools want each lane's address, the plain way. */
        if (core_mask(m->c) || m->i->tells & TELL_ACCESS || !is_tile(w, r, t))
            continue;
        tile_rows(m->c, w, r, t, row);
        value v = load_tile(m->c, row);
        return t ? transposed_tile(m->c, v) : v;
    }
    return load_numbers(m, w, r);
}

static void
store_register(const struct move *m, const struct placed *w, unsigned r, value v)
{
    value row[ROWS];
    for (unsigned t = 0; t < 2; t++) {
        if (core_mask(m->c) || m->i->tells & TELL_ACCESS || !is_tile(w, r, t))
            continue;
        tile_rows(m->c, w, r, t, row);
        store_tile(m->c, row, t ? transposed_tile(m->c, v) : v);
        return;
    }
    store_numbers(m, w, r, v);
}

/* The first active lane's value: all lanes must bring the same (PTX ISA 9.7.14.4.3). */
static value
one_for_all(struct core *c, value v)
{
    if (!core_mask(c))
        return emit_lane(&c->e, v, 0);
    value lane = v_call1_flag(&c->e, "llvm.cttz", core_mask_bits(c), false);
    return LLVMBuildExtractElement(c->e.b, v, v_andk(&c->e, lane, LANES - 1), "");
}

/* Which matrix a wmma.load or wmma.store moves, and how it lies in memory. */
static bool
place_matrix(const struct move *m, const struct ptx_operand *address, unsigned stride_operand,
             struct placed *w)
{
    struct core *c = m->c;
    const struct ptx_insn *p = &m->i->i;
    char which = ptx_has(p, PTX_M_A)   ? 'a'
                 : ptx_has(p, PTX_M_B) ? 'b'
                 : ptx_has(p, PTX_M_C) ? 'c'
                                       : 'd';
    enum ptx_type t = (enum ptx_type)p->type[0];
    struct matrix_shape s = {0};
    *(which == 'a' ? &s.a : which == 'b' ? &s.b : which == 'c' ? &s.c : &s.d) = t;
    if (!matrix_find(PTX_OP_WMMA, shape_of(p), &s))
        return emit_fail(&c->e, "wmma has no such shape and type");
    matrix_layout_of(&s, PTX_OP_WMMA, which, &w->layout);
    bool row = ptx_has(p, PTX_M_ROW);
    w->along_y = which == 'b' ? !row : row;
    unsigned rows = which == 'b' ? s.n : s.m, depth = which == 'a' || which == 'b' ? s.k : s.n;
    unsigned leading = w->along_y ? depth : rows, bits = t == PTX_B1 ? 1 : w->layout.bits;
    if (bits < 8 && !w->along_y)
        return emit_fail(&c->e, "wmma: numbers of %u bits lie along k only", bits);
    value stride =
        stride_operand < p->operand_count
            ? v_zext(&c->e,
                     one_for_all(c, core_value(c, m->i, &p->operand[stride_operand], 32, false)),
                     64)
            : core_i64(c, leading);
    w->stride = LLVMBuildLShr(c->e.b, v_mul(&c->e, stride, core_i64(c, bits)), core_i64(c, 3), "");
    w->base = one_for_all(c, core_addresses_some(c, m->i, address, 0, m->op, 0));
    return true;
}

static bool
load_fragment(const struct move *m)
{
    struct placed w;
    value out[MATRIX_REGISTERS];
    if (!place_matrix(m, &m->i->i.operand[1], 2, &w) || !expect_registers(m, 0, w.layout.registers))
        return false;
    for (unsigned r = 0; r < w.layout.registers; r++)
        out[r] = load_register(m, &w, r);
    write_registers(m, 0, out);
    return true;
}

static bool
store_fragment(const struct move *m)
{
    struct placed w;
    value in[MATRIX_REGISTERS];
    if (!place_matrix(m, &m->i->i.operand[0], 2, &w) || !expect_registers(m, 1, w.layout.registers))
        return false;
    read_registers(m, 1, w.layout.bits == 64 ? 64 : 32, in);
    for (unsigned r = 0; r < w.layout.registers; r++)
        store_register(m, &w, r, in[r]);
    return true;
}

/* -- products --------------------------------------------------------------------------------- */

/* Types of an mma or wmma.mma: d, a, b, c; wmma of f16 writes those of d and c alone. */
static void
types_of(const struct ptx_insn *p, struct matrix_shape *s)
{
    bool short_form = p->op == PTX_OP_WMMA && p->type_count == 2;
    s->d = (enum ptx_type)p->type[0];
    s->a = short_form ? PTX_F16 : (enum ptx_type)p->type[1];
    s->b = short_form ? PTX_F16 : (enum ptx_type)p->type[2];
    s->c = (enum ptx_type)p->type[short_form ? 1 : 3];
}

static bool
multiply(const struct move *m)
{
    const struct ptx_insn *p = &m->i->i;
    struct matrix_shape s = {0};
    uint16_t order[2] = {PTX_M_ROW, PTX_M_COL};
    value in[3][MATRIX_REGISTERS], out[MATRIX_REGISTERS];
    types_of(p, &s);
    if (matrix_is_run(p))
        return matrix_run(m->c, m->i);
    if (p->type_count > 4) /* the fifth is of scales */
        s.a = PTX_TYPE_NONE;
    if (!s.a || !s.b || !s.c || !s.d || !matrix_find((enum ptx_op)p->op, shape_of(p), &s))
        return emit_fail(&m->c->e, "%s has no such shape and types",
                         ptx_op_name((enum ptx_op)p->op));
    words_between(p, PTX_M_ROW, PTX_M_COL, order, 2);
    s.a_row = order[0] == PTX_M_ROW;
    s.b_row = order[1] == PTX_M_ROW;
    if (p->op == PTX_OP_MMA && s.layout != LAYOUT_QUADS && (!s.a_row || s.b_row))
        return emit_fail(&m->c->e, "mma of this shape takes .row.col");
    for (unsigned k = 0; k < 4; k++) {
        struct matrix_layout *layout = ls_alloc(sizeof *layout);
        matrix_layout_of(&s, (enum ptx_op)p->op, "dabc"[k], layout);
        bool fine = expect_registers(m, k, layout->registers);
        unsigned bits = layout->bits == 64 ? 64 : 32;
        ls_release(layout);
        if (!fine)
            return false;
        if (k)
            read_registers(m, k, bits, in[k - 1]);
    }
    if (!matrix_multiply(m->c, &s, (enum ptx_op)p->op, p, in[0], in[1], in[2], out))
        return false;
    write_registers(m, 0, out);
    return true;
}

bool
matrix_insn(struct core *c, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    struct move m = {.c = c, .i = i};
    bool store = p->op == PTX_OP_STMATRIX || ptx_has(p, PTX_M_STORE);
    m.op = store ? JIT_STORE : JIT_LOAD;
    c->e.lanes = LANES;
    c->e.mask = core_mask(c);
    switch (p->op) {
    case PTX_OP_LDMATRIX: return load_matrix(&m);
    case PTX_OP_STMATRIX: return store_matrix(&m);
    case PTX_OP_MOVMATRIX: return move_matrix(&m);
    case PTX_OP_WMMA:
        return ptx_has(p, PTX_M_LOAD) ? load_fragment(&m)
               : store                ? store_fragment(&m)
                                      : multiply(&m);
    default: return multiply(&m);
    }
}
