/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/fetch.c: what the next blocks will load is fetched while this one computes.
 *
 * Blocks run one after the other, and mostly each reads on where the last one ended. But a block is
 * short and its loads come first: the processor looks ahead some hundred instructions, less than a
 * block has, and the host's prefetchers begin anew with each page. In sums of three neighbours by way
 * of shared memory 65 % of the samples waited for the block's own loads (docs/decisions/0009). So, in
 * functions of whole blocks, each such place keeps where the first warp read in the last block; as far
 * as that is from where it reads now, times the blocks that have 1,024 threads, lies what is fetched.
 *
 * Fetching never faults, and where the guess is wrong a line is read in vain: at the end of a row of
 * blocks, and where another worker's blocks begin.
 */
#include "jit/memory/memory.h"

void
core_prefetch(struct core *c, LLVMValueRef at)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMValueRef args[] = {core_ptr(c, at), core_i32(c, 0), core_i32(c, 3), core_i32(c, 1)};
    emit_intrinsic(&c->e, "llvm.prefetch", &ptr, 1, args, 4);
}

enum { AHEAD_THREADS = 1024 };

static bool registers_near(const struct core *c, uint32_t x, uint32_t y, int64_t scale, int64_t *apart);

/* The same operand, or registers made alike: what they are apart, times scale, is added to *apart. */
static bool
operands_near(const struct core *c, const struct ptx_operand *x, const struct ptx_operand *y, int64_t scale,
              int64_t *apart)
{
    if (x->kind != y->kind || x->negated || y->negated || x->part || y->part)
        return false;
    if (x->kind == PTX_O_REG)
        return registers_near(c, x->reg, y->reg, scale, apart);
    if (x->kind != PTX_O_INT)
        return false;
    *apart += scale * (int64_t)(x->imm - y->imm);
    return true;
}

/* What a register is the sum of, and a number: that, times scale, is added to *apart. */
static uint32_t
without_numbers(const struct core *c, uint32_t x, int64_t scale, int64_t *apart)
{
    for (;;) {
        const struct flow_insn *i = flow_only_writer(c->flow, x);
        if (!i || i->i.op != PTX_OP_ADD || i->i.guard != PTX_NO_REG || i->i.operand_count != 3 ||
            i->i.operand[1].kind != PTX_O_REG || i->i.operand[1].negated || i->i.operand[1].part ||
            i->i.operand[2].kind != PTX_O_INT)
            return x;
        *apart += scale * (int64_t)i->i.operand[2].imm;
        x = i->i.operand[1].reg;
    }
}

/* The sum, the product with a number of the text, or the conversion that makes each of them. */
static bool
registers_near(const struct core *c, uint32_t x, uint32_t y, int64_t scale, int64_t *apart)
{
    x = without_numbers(c, x, scale, apart);
    y = without_numbers(c, y, -scale, apart);
    const struct flow_insn *i = flow_only_writer(c->flow, x), *j = flow_only_writer(c->flow, y);
    if (x == y)
        return true;
    if (!i || !j || i->i.op != j->i.op || i->i.operand_count != j->i.operand_count || i->i.guard != PTX_NO_REG ||
        j->i.guard != PTX_NO_REG || scale < -LINE || scale > LINE)
        return false;
    const struct ptx_operand *a = i->i.operand, *b = j->i.operand;
    switch (i->i.op) {
    case PTX_OP_ADD:
        return operands_near(c, &a[1], &b[1], scale, apart) && operands_near(c, &a[2], &b[2], scale, apart);
    case PTX_OP_MUL:
        return a[2].kind == PTX_O_INT && b[2].kind == PTX_O_INT && a[2].imm == b[2].imm && a[2].imm <= LINE &&
               operands_near(c, &a[1], &b[1], scale * (int64_t)a[2].imm, apart);
    case PTX_OP_CVT:
        return operands_near(c, &a[1], &b[1], scale, apart);
    default:
        return false;
    }
}

/* They read less than a line apart: a[i] and a[i + 1], of which the first one's lines are enough. */
static bool
are_neighbours(const struct core *c, const struct flow_insn *i, const struct flow_insn *j)
{
    const struct ptx_operand *x = &i->i.operand[1], *y = &j->i.operand[1];
    int64_t apart = x->offset - y->offset;
    return x->base_kind == PTX_BASE_REG && y->base_kind == PTX_BASE_REG &&
           registers_near(c, x->reg, y->reg, 1, &apart) && apart > -LINE && apart < LINE;
}

/* Where the place keeps its two numbers, in the frame of the first warp; UINT32_MAX: not fetched for. */
static uint32_t
room_of(struct core *c, const struct flow_insn *i)
{
    bool done = c->memory->fetch_count == sizeof c->memory->fetch / sizeof *c->memory->fetch;
    for (uint32_t k = 0; k < c->memory->fetch_count; k++) {
        if (c->memory->fetch[k].insn == i)
            return c->memory->fetch[k].at;
        done |= are_neighbours(c, c->memory->fetch[k].insn, i);
    }
    if (done)
        return UINT32_MAX;
    c->memory->fetch[c->memory->fetch_count].insn = i;
    c->memory->fetch[c->memory->fetch_count].at = frame_room(c, 16);
    return c->memory->fetch[c->memory->fetch_count++].at;
}

/* How far on the block that is to be fetched for reads. */
static LLVMValueRef
distance(struct core *c, uint32_t room, LLVMValueRef now)
{
    LLVMBuilderRef b = c->e.b;
    const uint32_t *dim = c->facts->shape.block;
    uint32_t threads = dim[0] * dim[1] * dim[2], blocks = threads < AHEAD_THREADS ? AHEAD_THREADS / threads : 1;
    LLVMTypeRef i64 = core_scalar(c, 64), ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMValueRef frame = core_load_field(c, c->phases->first, offsetof(struct jit_warp, frame), ptr);
    LLVMValueRef last = core_load_field(c, frame, room, i64), kept = core_load_field(c, frame, room + 8, i64);
    LLVMValueRef first = LLVMBuildICmp(b, LLVMIntEQ, c->in.warp_index, core_i32(c, 0), "");
    LLVMValueRef step = LLVMBuildMul(b, LLVMBuildSub(b, now, last, ""), core_i64(c, blocks), "");
    step = LLVMBuildSelect(b, first, step, kept, "");
    core_store_field(c, frame, room, LLVMBuildSelect(b, first, now, last, ""));
    core_store_field(c, frame, room + 8, step);
    return step;
}

LLVMValueRef
core_fetch_first(struct core *c, LLVMValueRef now)
{
    return distance(c, frame_room(c, 16), now);
}

bool
core_fetches(const struct core *c, const struct flow_insn *i)
{
    return emit_on(&c->e, PASS_PREFETCH_BLOCKS) && c->phases && c->flow->blocks[c->now.current].loop == UINT32_MAX && i->i.op == PTX_OP_LD &&
           (i->i.space == PTX_SPACE_GLOBAL || i->i.space == PTX_SPACE_NONE);
}

void
core_fetch(struct core *c, const struct flow_insn *i, LLVMValueRef *at, unsigned count, unsigned bytes)
{
    LLVMBuilderRef b = c->e.b;
    uint32_t room = room_of(c, i);
    if (room == UINT32_MAX)
        return;
    emit_fired(&c->e, PASS_PREFETCH_BLOCKS, "%u %s of %u bytes", count, count == 1 ? "run" : "runs", bytes);
    LLVMValueRef step = distance(c, room, at[0]);
    for (unsigned k = 0; k < count; k++)
        for (unsigned line = 0; line < bytes; line += LINE)
            core_prefetch(c, LLVMBuildAdd(b, LLVMBuildAdd(b, at[k], step, ""), core_i64(c, line), ""));
}
