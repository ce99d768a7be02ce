/* SPDX-License-Identifier: Apache-2.0
 *
 * mix.c: what executed instructions are: floating-point, integer and special-function operations,
 * branches, barriers. Classes are those of the Programming Guide's throughput table; loads and
 * stores are counted where their addresses are known (verdict.c).
 */
#include "profile/profile_priv.h"

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

static bool
is_barrier(const struct ptx_insn *i)
{
    return i->op == PTX_OP_BAR || i->op == PTX_OP_BARRIER || i->op == PTX_OP_BARRIER_CLUSTER;
}

void
mix_add(struct sums *s, const struct ptx_insn *i, uint64_t warps, uint64_t lanes, uint64_t divergent)
{
    enum ptx_type type = i->type_count ? i->type[0] : PTX_TYPE_NONE;
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
    } else if (type == PTX_F64) {
        s->flops_f64 += float_operations(i) * lanes;
    } else if (type == PTX_F32 || type == PTX_F32X2) {
        s->flops_f32 += float_operations(i) * lanes * (type == PTX_F32 ? 1 : 2);
        s->special_operations += is_special(i) ? lanes : 0;
    } else if (is_integer(i)) {
        s->integer_operations += lanes;
    }
}
