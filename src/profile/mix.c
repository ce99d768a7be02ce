/* SPDX-License-Identifier: Apache-2.0
 *
 * mix.c: what executed instructions are: floating-point, integer and special-function operations,
 * branches, barriers. Classes are those of the Programming Guide's throughput table; loads and
 * stores are counted where their addresses are known (verdict.c).
 */
#include "profile/profile_priv.h"

#include <stdio.h>

/* Operations per thread and instruction of floating-point type: a fused multiply-add is two. */
static uint32_t
float_operations(const struct ptx_insn *i)
{
    switch (i->op) {
    case PTX_OP_FMA:
    case PTX_OP_MAD:
        return 2;
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL:
    case PTX_OP_DIV:
    case PTX_OP_RCP:
    case PTX_OP_SQRT:
    case PTX_OP_RSQRT:
    case PTX_OP_SIN:
    case PTX_OP_COS:
    case PTX_OP_LG2:
    case PTX_OP_EX2:
    case PTX_OP_TANH:
        return 1;
    default:
        return 0;
    }
}

/* On single-precision numbers these run in the special function unit, or begin there. */
static bool
is_special(const struct ptx_insn *i)
{
    switch (i->op) {
    case PTX_OP_DIV:
    case PTX_OP_RCP:
    case PTX_OP_SQRT:
    case PTX_OP_RSQRT:
    case PTX_OP_SIN:
    case PTX_OP_COS:
    case PTX_OP_LG2:
    case PTX_OP_EX2:
    case PTX_OP_TANH:
        return true;
    default:
        return false;
    }
}

static bool
is_integer(const struct ptx_insn *i)
{
    return (i->op >= PTX_OP_ADD && i->op <= PTX_OP_MADC) ||
           (i->op >= PTX_OP_SET && i->op <= PTX_OP_SHR) || i->op == PTX_OP_PRMT ||
           (i->op >= PTX_OP_VADD && i->op <= PTX_OP_VSET4);
}

/* A division of integers is some 20 instructions (Programming Guide, "Integer Arithmetic": up to 20), of 64 bits
 * three times as many (assumed). Divisors that are constants are multiplications already. */
static uint32_t
division_steps(const struct ptx_insn *i, enum ptx_type type)
{
    enum { STEPS = 20, WIDE_STEPS = 60 };
    bool whole = type >= PTX_U8 && type <= PTX_S64;
    if (!whole || (i->op != PTX_OP_DIV && i->op != PTX_OP_REM))
        return 0;
    return ptx_type_bytes(type) > 4 ? WIDE_STEPS : STEPS;
}

/* Operations of a matrix instruction of a whole warp. */
static uint64_t
matrix_operations(const struct ptx_insn *i)
{
    unsigned m, n, k;
    if (i->op != PTX_OP_MMA && !(i->op == PTX_OP_WMMA && ptx_has(i, PTX_M_MMA)))
        return 0;
    for (int mod = PTX_M_M8N8K4; mod <= PTX_M_M8N32K16; mod++)
        if (ptx_has(i, (enum ptx_mod)mod) && sscanf(ptx_mod_name((enum ptx_mod)mod), "m%un%uk%u", &m, &n, &k) == 3)
            return 2ull * m * n * k;
    return 0;
}

/* The type of a matrix instruction's factors: of four types (d, a, b, c) the second one; two are of 16-bit ones. */
static double
matrix_weight(const struct ptx_insn *i)
{
    enum ptx_type a = i->type_count > 2 ? i->type[1] : PTX_F16;
    if (a == PTX_F64)
        return 16; /* 2048 to 128, 1024 to 64 (model_tensor.def) */
    if (a == PTX_TF32)
        return 2;
    unsigned bytes = ptx_type_bytes(a);
    return bytes == 1 ? 0.5 : bytes ? 1 : a == PTX_B1 ? 1.0 / 16 : 0.25; /* of 0 bytes: 4 bits, 1 bit */
}

static bool
is_barrier(const struct ptx_insn *i)
{
    return i->op == PTX_OP_BAR || i->op == PTX_OP_BARRIER || i->op == PTX_OP_BARRIER_CLUSTER;
}

void
mix_add(struct sums *s, const struct ptx_insn *i, uint64_t warps, uint64_t lanes, uint64_t divergent)
{
    enum ptx_type type = i->type_count ? i->type[0] : PTX_TYPE_NONE;
    uint32_t steps = division_steps(i, type);
    s->divisions += steps ? lanes : 0;
    s->division_instructions += steps ? (steps - 1) * warps : 0;
    s->instructions += warps;
    s->thread_instructions += lanes;
    if (i->op == PTX_OP_TEX || i->op == PTX_OP_TLD4) {
        s->access[SPACE_TEXTURE][OPERATION_LOAD][METRIC_REQUESTS] += warps;
        s->access[SPACE_TEXTURE][OPERATION_LOAD][METRIC_THREADS] += lanes;
    }
    if (i->op == PTX_OP_BRA || i->op == PTX_OP_BRX) {
        s->branches += warps;
        s->branches_divergent += divergent;
    } else if (is_barrier(i)) {
        s->barriers += warps;
    } else if (i->op == PTX_OP_MMA || i->op == PTX_OP_WMMA) {
        uint64_t flops = matrix_operations(i) * warps;
        s->tensor_flops += flops;
        s->tensor_work += (uint64_t)((double)flops * matrix_weight(i));
    } else if (i->op == PTX_OP_CVT && i->type_count > 1 &&
               ((type == PTX_F64 && i->type[1] == PTX_F32) || (type == PTX_F32 && i->type[1] == PTX_F64))) {
        s->conversions += lanes;
    } else if (type == PTX_F64) {
        s->flops_f64 += float_operations(i) * lanes;
    } else if (type == PTX_F32 || type == PTX_F32X2) {
        s->flops_f32 += float_operations(i) * lanes * (type == PTX_F32 ? 1 : 2);
        s->special_operations += is_special(i) ? lanes : 0;
    } else if (is_integer(i)) {
        s->integer_operations += steps ? steps * lanes : lanes;
    }
}
