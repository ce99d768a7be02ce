/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_layout: which element of a matrix lies in which register of which lane (PTX ISA 9.7.14.4 and
 * 9.7.14.5; wmma's, which are not documented, as read on an H200).
 *
 * One rule makes nearly all of them. Lane l stands at x = l / 4 (along m of A, n of B) and at the
 * l % 4 th group of numbers along k, a register holding as many numbers of one row as fit:
 *
 *     register 0: x = l / 4, k = l % 4 * per_register ...
 *
 * Further registers step by 8 along x, by 4 * per_register along k, then by 16 along x.
 */
#include "jit/insn/insn.h"
#include "jit/insn/matrix.h"

#include <string.h>

static const struct layout_row {
    enum ptx_op op;
    enum ptx_mod shape;
    uint16_t m, n, k;
    enum layout_kind layout;
    const char *inputs, *accumulators;
} rows[] = {
#define MATRIX(op, shape, m, n, k, layout, inputs, accumulators)                                   \
    {PTX_OP_##op, PTX_M_##shape, m, n, k, LAYOUT_##layout, inputs, accumulators},
#include "jit/insn/matrix.def"
#undef MATRIX
};

bool
matrix_lists(const char *words, enum ptx_type t)
{
    const char *name = ptx_type_name(t);
    size_t n = strlen(name);
    for (const char *s = words; *s; s += strcspn(s, " "), s += *s == ' ')
        if (strcspn(s, " ") == n && !strncmp(s, name, n))
            return true;
    return false;
}

bool
matrix_find(enum ptx_op op, enum ptx_mod shape, struct matrix_shape *s)
{
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const struct layout_row *r = &rows[k];
        if (r->op != op || r->shape != shape)
            continue;
        if ((s->a && !matrix_lists(r->inputs, s->a)) || (s->b && !matrix_lists(r->inputs, s->b)) ||
            (s->c && !matrix_lists(r->accumulators, s->c)) ||
            (s->d && !matrix_lists(r->accumulators, s->d)))
            continue;
        s->m = r->m;
        s->n = r->n;
        s->k = r->k;
        s->layout = r->layout;
        return true;
    }
    return false;
}

static unsigned
number_bits(enum ptx_type t)
{
    return t == PTX_S4 || t == PTX_U4 ? 4 : 8 * ptx_type_bytes(t);
}

/* A or B: `size` rows along x, `depth` numbers along k; x_first: steps of 8 along x come before
 * those along k. */
static void
input_layout(struct matrix_layout *o, unsigned size, unsigned depth, bool x_first)
{
    unsigned step = 4 * o->per_register, along_k = depth / step, along_x = size >= 16 ? 2 : 1;
    unsigned first = x_first ? along_x : along_k, second = x_first ? along_k : along_x;
    for (unsigned r = 0; r < o->registers; r++) {
        unsigned low = r % first, high = r / first % second, rest = r / (first * second);
        unsigned x = 8 * (x_first ? low : high) + 16 * rest, k = step * (x_first ? high : low);
        for (unsigned n = 0; n < o->per_register; n++)
            for (unsigned l = 0; l < LANES; l++)
                o->at[r * o->per_register + n][l] = (struct matrix_place){
                    (uint16_t)((x + l / 4) % size), (uint16_t)(k + l % 4 * o->per_register + n)};
    }
}

/* C or D: pairs of neighbours in a row, then 8 rows on, then 8 columns. */
static void
result_layout(struct matrix_layout *o, const struct matrix_shape *s)
{
    bool swapped = s->layout == LAYOUT_SWAPPED;
    unsigned eights = (swapped ? s->n : s->m) / 8;
    for (unsigned i = 0; i < o->registers * o->per_register; i++)
        for (unsigned l = 0; l < LANES; l++) {
            unsigned x = l / 4 + 8 * (i / 2 % eights), y = l % 4 * 2 + i % 2 + 8 * (i / 2 / eights);
            o->at[i][l] = swapped ? (struct matrix_place){(uint16_t)y, (uint16_t)x}
                                  : (struct matrix_place){(uint16_t)x, (uint16_t)y};
        }
}

/* PTX ISA 9.7.14.5.1: lanes 4q..4q+3 and 16+4q..16+4q+3 hold product q. The products lie along a
 * diagonal here: x counts 8 for each. */
static void
quads_layout(struct matrix_layout *o, const struct matrix_shape *s, char which)
{
    bool wide = o->per_register == 1; /* C and D of f32 */
    for (unsigned i = 0; i < o->registers * o->per_register; i++)
        for (unsigned l = 0; l < LANES; l++) {
            unsigned q = 8 * (l % 16 / 4), half = l < 16 ? 0 : 4, t = l % 4;
            struct matrix_place p;
            if (which == 'a')
                p = s->a_row ? (struct matrix_place){(uint16_t)(q + half + t), (uint16_t)i}
                             : (struct matrix_place){(uint16_t)(q + half + i), (uint16_t)t};
            else if (which == 'b')
                p = s->b_row ? (struct matrix_place){(uint16_t)(q + half + i), (uint16_t)t}
                             : (struct matrix_place){(uint16_t)(q + half + t), (uint16_t)i};
            else if (wide)
                p = (struct matrix_place){(uint16_t)(q + half + (l & 1) + (i & 2)),
                                          (uint16_t)(q + (i & 4) + (l & 2) + (i & 1))};
            else
                p = (struct matrix_place){(uint16_t)(q + half + t), (uint16_t)(q + i)};
            o->at[i][l] = p;
        }
}

void
matrix_layout_of(const struct matrix_shape *s, enum ptx_op op, char which, struct matrix_layout *o)
{
    enum ptx_type t = which == 'a' ? s->a : which == 'b' ? s->b : which == 'c' ? s->c : s->d;
    bool input = which == 'a' || which == 'b', bits = t == PTX_B1;
    unsigned depth = bits ? s->k / 32 : s->k;
    memset(o, 0, sizeof *o);
    o->bits = bits ? 32 : number_bits(t);
    o->per_register = o->bits >= 32 ? 1 : 32 / o->bits;
    if (s->layout == LAYOUT_QUADS) {
        o->registers = input ? 2 : 8 / o->per_register;
        quads_layout(o, s, which);
        return;
    }
    unsigned size = which == 'a' ? s->m : which == 'b' ? s->n : s->m * s->n;
    o->registers = (input ? size * depth : size) / (LANES * o->per_register);
    if (op == PTX_OP_WMMA && input && t == PTX_F16)
        o->registers = 8; /* what is left over repeats the matrix */
    if (input)
        input_layout(o, size, depth, (which == 'a') == (s->layout == LAYOUT_PLAIN) || size > 16);
    else
        result_layout(o, s);
}
