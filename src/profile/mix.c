/* SPDX-License-Identifier: Apache-2.0
 *
 * mix.c: what executed instructions are: floating-point, integer and special-function operations,
 * branches, barriers. Classes are those of the Programming Guide's throughput table; loads and
 * stores are counted where their addresses are known (verdict.c).
 */
#include "profile/profile_priv.h"

#include <string.h>

/* Operations per thread and instruction of floating-point type: a fused multiply-add is two. */
static uint32_t
float_operations(const struct ptx_insn *i)
{
    switch (i->op) {
    case PTX_OP_FMA:
    case PTX_OP_MAD: return 2;
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL: return 1;
    default: return ptx_op_is(i->op, PTX_SPECIAL);
    }
}

static bool
is_integer(const struct ptx_insn *i)
{
    return (i->op >= PTX_OP_ADD && i->op <= PTX_OP_MADC) ||
           (i->op >= PTX_OP_SET && i->op <= PTX_OP_SHR) || i->op == PTX_OP_PRMT ||
           (i->op >= PTX_OP_VADD && i->op <= PTX_OP_VSET4);
}

/* A division of integers is some 20 instructions (Programming Guide, "Integer Arithmetic": up to
 * 20), of 64 bits three times as many (assumed). Divisors that are constants are multiplications
 * already. */
static uint32_t
division_steps(const struct ptx_insn *i, enum ptx_type type)
{
    enum { STEPS = 20, WIDE_STEPS = 60 };
    bool whole = type >= PTX_U8 && type <= PTX_S64;
    if (!whole || (i->op != PTX_OP_DIV && i->op != PTX_OP_REM))
        return 0;
    return ptx_type_bytes(type) > 4 ? WIDE_STEPS : STEPS;
}

static bool
wgmma_shape(const struct ptx_insn *i, unsigned *n, unsigned *k)
{
    for (int mod = PTX_M_M64N8K8; mod <= PTX_M_M64N256K256; mod++)
        if (ptx_has(i, (enum ptx_mod)mod))
            return sscanf(ptx_mod_name((enum ptx_mod)mod), "m64n%uk%u", n, k) == 2;
    return false;
}

/* Operations of a matrix instruction of a whole warp; of a warpgroup's a quarter. Zeros of a sparse
 * matrix count, as the hardware counts them. */
static uint64_t
matrix_operations(const struct ptx_insn *i)
{
    unsigned m, n, k;
    if (i->op == PTX_OP_WGMMA_MMA_ASYNC)
        return wgmma_shape(i, &n, &k) ? 2ull * 16 * n * k : 0;
    if (i->op != PTX_OP_MMA && !(i->op == PTX_OP_WMMA && ptx_has(i, PTX_M_MMA)))
        return 0;
    for (int mod = PTX_M_M8N8K4; mod <= PTX_M_M8N32K16; mod++)
        if (ptx_has(i, (enum ptx_mod)mod) &&
            sscanf(ptx_mod_name((enum ptx_mod)mod), "m%un%uk%u", &m, &n, &k) == 3)
            return 2ull * m * n * k;
    return 0;
}

/* Rows of 64 bytes that a warp's part of a wgmma reads of shared memory: its 16 rows of A, if they
 * are there, and a quarter of B. An H200 counts wavefronts of 128 bytes, never more. */
static uint64_t
wgmma_rows(const struct ptx_insn *i)
{
    unsigned n, k;
    if (!wgmma_shape(i, &n, &k))
        return 0;
    return (n / 8 << ptx_has(i, PTX_M_SP)) + (i->operand[1].kind == PTX_O_VECTOR ? 0 : 8);
}

/* The type of a matrix instruction's factors: of four types (d, a, b, c) the second one; two are of
 * 16-bit ones. */
static double
matrix_weight(const struct ptx_insn *i)
{
    enum ptx_type a = i->type_count > 2 ? i->type[1] : PTX_F16;
    if (a == PTX_F64)
        return 16; /* 2048 to 128, 1024 to 64 (model_tensor.def) */
    if (a == PTX_TF32)
        return 2;
    unsigned bytes = ptx_type_bytes(a);
    return bytes == 1    ? 0.5
           : bytes       ? 1
           : a == PTX_B1 ? 1.0 / 16
                         : 0.25; /* of 0 bytes: 4 bits, 1 bit */
}

/* -- what it becomes --------------------------------------------------------------------------- */

static bool
is_whole(enum ptx_type t)
{
    return t >= PTX_U8 && t <= PTX_S64;
}

static bool
is_wide(enum ptx_type t)
{
    return ptx_type_bytes(t) == 8 && t != PTX_F64;
}

static const char *
called(const struct ptx_insn *i)
{
    for (uint32_t k = 0; k < i->operand_count; k++)
        if (i->operand[k].kind == PTX_O_FUNC && i->operand[k].func)
            return i->operand[k].func->name;
    return NULL;
}

/* Conversions run in the special function unit where a number of floating-point type, to or from an
 * integer, or a double takes part; single precision from integers, and halves, do not. */
static const char *
conversion(const struct ptx_insn *i)
{
    enum ptx_type to = i->type[0], from = i->type_count > 1 ? i->type[1] : PTX_TYPE_NONE;
    bool whole = is_whole(to), same = whole == is_whole(from);
    if (to == PTX_F64 || from == PTX_F64)
        return "cvt.f64";
    if (same)
        return !whole && (ptx_has(i, PTX_M_RMI) || ptx_has(i, PTX_M_RPI) || ptx_has(i, PTX_M_RZI) ||
                          ptx_has(i, PTX_M_RNI))
                   ? "cvt.rmi"
                   : NULL;
    if (is_wide(to) || is_wide(from))
        return "cvt.64";
    return whole ? "cvt.int" : NULL;
}

/* The row of model_expansions.def for an instruction, by name: how many machine instructions it
 * expands to was measured there. NULL: it is a single one. */
static const char *
expansion_name(const struct ptx_insn *i, char text[32])
{
    enum ptx_type type = i->type_count ? i->type[0] : PTX_TYPE_NONE;
    const char *kind = "", *suffix = ptx_type_name(type);
    switch (i->op) {
    case PTX_OP_CALL: return called(i);
    case PTX_OP_CVT: return conversion(i);
    case PTX_OP_SHFL:
    case PTX_OP_MATCH:
    case PTX_OP_REDUX: return ptx_op_name((enum ptx_op)i->op);
    case PTX_OP_POPC:
    case PTX_OP_CLZ:
    case PTX_OP_BREV:
    case PTX_OP_BFIND:
    case PTX_OP_BFE:
    case PTX_OP_BFI: suffix = ptx_type_bytes(type) == 8 ? "64" : "32"; break;
    case PTX_OP_DIV:
    case PTX_OP_REM:
    case PTX_OP_SQRT:
    case PTX_OP_RCP:
    case PTX_OP_RSQRT:
    case PTX_OP_SIN:
    case PTX_OP_COS:
    case PTX_OP_LG2:
    case PTX_OP_EX2:
    case PTX_OP_TANH:
        kind = ptx_has(i, PTX_M_APPROX) ? ".approx" : ptx_has(i, PTX_M_FULL) ? ".full" : "";
        break;
    case PTX_OP_MUL:
    case PTX_OP_MAD:
        if (ptx_has(i, PTX_M_WIDE))
            return "mad.wide";
        if (ptx_has(i, PTX_M_HI))
            kind = ".hi";
        else if (is_wide(type))
            suffix = "64";
        break;
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MIN:
    case PTX_OP_MAX:
    case PTX_OP_SHL:
    case PTX_OP_SHR:
    case PTX_OP_FMA:
    case PTX_OP_SETP:
    case PTX_OP_SELP:
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_NOT:
    case PTX_OP_NEG:
        if (is_wide(type))
            suffix = "64";
        break;
    default: return NULL;
    }
    /* snprintf took a sixth of a program's time that has thousands of short launches. */
    strcpy(stpcpy(stpcpy(stpcpy(text, ptx_op_name((enum ptx_op)i->op)), kind), "."), suffix);
    return text;
}

const struct expansion *
mix_expansion(const struct ptx_insn *i)
{
    char text[32];
    const char *name = expansion_name(i, text);
    return name ? model_expansion(name) : NULL;
}

static bool
is_barrier(const struct ptx_insn *i)
{
    return i->op == PTX_OP_BAR || i->op == PTX_OP_BARRIER || i->op == PTX_OP_BARRIER_CLUSTER;
}

/* In halves of an instruction. Address spaces cost nothing, parameters are mostly operands of what
 * uses them, half of the moves name a register anew, and half of the sums of 64 bits are addresses
 * that loads and multiply-adds take in: with these four shares the instructions of the suite's
 * kernels (tests/data/h200_suite_counters.csv) come nearest to the hardware's. */
static uint32_t
slots_of(const struct ptx_insn *i, const struct expansion *e)
{
    bool sum = (i->op == PTX_OP_ADD || i->op == PTX_OP_SUB) && i->type_count && is_wide(i->type[0]);
    if (e)
        return sum ? 3 : 2u * e->instructions;
    return i->op == PTX_OP_CVTA ? 0 : i->op == PTX_OP_MOV || i->space == PTX_SPACE_PARAM ? 1 : 2;
}

/* Products of integers run in the pipe of multiply-adds, which takes sums as well. */
static bool
is_product(const struct ptx_insn *i)
{
    return i->op == PTX_OP_MUL || i->op == PTX_OP_MAD;
}

/* What the pipes do for it; beside the operations that a program means (flops). */
static void
add_pipes(struct sums *s, const struct ptx_insn *i, const struct expansion *e, uint64_t lanes)
{
    enum ptx_type type = i->type_count ? i->type[0] : PTX_TYPE_NONE;
    uint32_t meant = type == PTX_F64 ? float_operations(i) : 0; /* a multiply-add is two */
    s->integer_operations += e->whole * lanes;
    s->alu_operations += is_product(i) ? 0 : e->whole * lanes;
    s->special_operations += e->special * lanes;
    s->f64_operations += (2u * e->f64 > meant ? e->f64 - (meant + 1) / 2 : 0) * lanes;
}

bool
mix_is_bulk(const struct ptx_insn *i)
{
    switch (i->op) {
    case PTX_OP_CP_ASYNC_BULK:
    case PTX_OP_CP_ASYNC_BULK_TENSOR:
    case PTX_OP_CP_REDUCE_ASYNC_BULK:
    case PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR: return true;
    default: return false;
    }
}

/* Copies in bulk by the tensor memory accelerator, and accesses by way of the cluster's window. */
static void
add_copies(struct sums *s, const struct ptx_insn *i, uint64_t warps)
{
    bool tensor = i->op == PTX_OP_CP_ASYNC_BULK_TENSOR;
    bool bulk = i->op == PTX_OP_CP_ASYNC_BULK && !ptx_has(i, PTX_M_PREFETCH) &&
                i->operand_count > 2; /* others commit and wait */
    bool shared = i->space == PTX_SPACE_SHARED || i->space == PTX_SPACE_SHARED_CLUSTER;
    bool from_global = i->space2 == PTX_SPACE_GLOBAL;
    bool loads = tensor ? i->operand[0].kind != PTX_O_TEX : shared && from_global;
    if (tensor || bulk)
        *(loads ? &s->tma_loads : &s->tma_stores) += warps;
    if (i->op == PTX_OP_CP_REDUCE_ASYNC_BULK || i->op == PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR)
        s->tma_reductions += warps;
    if (i->space == PTX_SPACE_SHARED_CLUSTER &&
        (i->op == PTX_OP_LD || i->op == PTX_OP_ST || i->op == PTX_OP_ATOM || i->op == PTX_OP_RED ||
         i->op == PTX_OP_ST_ASYNC || i->op == PTX_OP_RED_ASYNC))
        s->dsmem += warps;
}

void
mix_add(struct sums *s, const struct ptx_insn *i, enum mix_as as, uint64_t warps, uint64_t lanes,
        uint64_t divergent)
{
    enum ptx_type type = i->type_count ? i->type[0] : PTX_TYPE_NONE;
    uint32_t steps = division_steps(i, type);
    s->divisions += steps ? lanes : 0;
    s->division_instructions += steps ? (steps - 1) * warps : 0;
    s->instructions += warps;
    s->thread_instructions += lanes;
    add_copies(s, i, warps);
    const struct expansion *e = as == MIX_EXPANDED || as == MIX_QUARTER ? mix_expansion(i) : NULL;
    s->issue_slots += as == MIX_FOLDED
                          ? 0
                          : slots_of(i, e) * warps / (as == MIX_QUARTER ? 2 * TURNS_TOGETHER : 2);
    if (i->op == PTX_OP_TEX || i->op == PTX_OP_TLD4) {
        s->access[SPACE_TEXTURE][OPERATION_LOAD][METRIC_REQUESTS] += warps;
        s->access[SPACE_TEXTURE][OPERATION_LOAD][METRIC_THREADS] += lanes;
    }
    if (i->op == PTX_OP_BRA || i->op == PTX_OP_BRX) {
        s->branches += warps;
        s->branches_divergent += divergent;
    } else if (is_barrier(i)) {
        s->barriers += warps;
    } else if (i->op == PTX_OP_MMA || i->op == PTX_OP_WMMA || i->op == PTX_OP_WGMMA_MMA_ASYNC) {
        uint64_t flops = matrix_operations(i) * warps;
        s->tensor_flops += flops;
        s->wgmma += i->op == PTX_OP_WGMMA_MMA_ASYNC ? warps : 0;
        s->wgmma_rows += i->op == PTX_OP_WGMMA_MMA_ASYNC ? wgmma_rows(i) * warps : 0;
        s->tensor_work += (uint64_t)((double)flops * matrix_weight(i));
    } else if (i->op == PTX_OP_CVT && i->type_count > 1 &&
               ((type == PTX_F64 && i->type[1] == PTX_F32) ||
                (type == PTX_F32 && i->type[1] == PTX_F64))) {
        s->conversions += lanes;
    } else if (type == PTX_F64) {
        s->flops_f64 += float_operations(i) * lanes;
    } else if (type == PTX_F32 || type == PTX_F32X2) {
        s->flops_f32 += float_operations(i) * lanes * (type == PTX_F32 ? 1 : 2);
        s->special_operations += ptx_op_is(i->op, PTX_SPECIAL) && !e ? lanes : 0;
    } else if (is_integer(i) && !e && as < MIX_QUARTER) {
        s->integer_operations += steps ? steps * lanes : lanes;
        s->alu_operations += is_product(i) ? 0 : steps ? steps * lanes : lanes;
    }
    if (e && as != MIX_QUARTER)
        add_pipes(s, i, e, lanes);
}

/* -- atomics ----------------------------------------------------------------------------------- */

/* Sums in shared memory of floats and of 64 bits are loops around compare-and-swap: hardware has
 * those of 32-bit integers. */
static bool
is_loop(const struct ptx_insn *i)
{
    enum ptx_type type = i->type_count ? i->type[0] : PTX_TYPE_NONE;
    bool swap = ptx_has(i, PTX_M_CAS) || ptx_has(i, PTX_M_EXCH);
    return !swap &&
           (ptx_type_bytes(type) == 8 || !(is_whole(type) || (type >= PTX_B8 && type <= PTX_B64)));
}

void
mix_atomic(struct sums *s, const struct ptx_insn *i, const struct site *site, enum atomic_as as)
{
    struct sums all = {0};
    enum ptx_type type = i->type_count ? i->type[0] : PTX_TYPE_NONE;
    if (site->operation != OPERATION_ATOMIC || (i->op != PTX_OP_ATOM && i->op != PTX_OP_RED))
        return;
    verdict_fold(site, &all);
    const uint64_t *n = all.access[site->space][OPERATION_ATOMIC];
    bool one = n[METRIC_WORDS] == n[METRIC_REQUESTS]; /* all lanes of every access at one word */
    if (site->space == SPACE_SHARED && is_loop(i)) {
        s->shared_loops += n[METRIC_WAVEFRONTS];
        s->shared_locks += one ? n[METRIC_WAVEFRONTS] : 0;
    }
    if (site->space != SPACE_GLOBAL)
        return;
    s->atomic_passes += as == ATOMIC_TOGETHER ? n[METRIC_REQUESTS] : n[METRIC_SECTORS];
    if (ptx_has(i, PTX_M_CAS))
        s->atomic_swaps += as == ATOMIC_ONCE ? 0 : n[METRIC_LINES];
    else if (type == PTX_F32 || type == PTX_F64)
        s->atomic_floats +=
            n[METRIC_WORDS] ? n[METRIC_LINES] * n[METRIC_THREADS] / n[METRIC_WORDS] : 0;
}
