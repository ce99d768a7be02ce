/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/fetch.c: what the next blocks will load is fetched while this one computes.
 *
 * Blocks run one after the other, and mostly each reads on where the last one ended. But a block is
 * short and its loads come first: the processor looks ahead some hundred instructions, less than a
 * block has, and the host's prefetchers begin anew with each page. In sums of three neighbours by
 * way of shared memory 65 % of the samples waited for the block's own loads
 * (docs/performance-log.md). So, in functions of whole blocks, each such place keeps where the
 * first warp read in the last block; as far as that is from where it reads now, times the blocks
 * that have 768 threads, lies what is fetched.
 *
 * Fetching never faults, and where the guess is wrong a line is read in vain: at the end of a row
 * of blocks, and where another worker's blocks begin.
 */
#include "jit/memory/memory.h"

/* locality: llvm.prefetch's, 3 the first cache, 2 the second. */
static void
prefetch(struct core *c, LLVMValueRef at, uint32_t locality)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMValueRef args[] = {core_ptr(c, at), core_i32(c, 0), core_i32(c, locality), core_i32(c, 1)};
    emit_intrinsic(&c->e, "llvm.prefetch", &ptr, 1, args, 4);
}

/* What is fetched into the first cache holds one of the processor's 16 line buffers until memory
 * has answered, and loads find none free. A tree of sums over 256 MiB takes 27.4 ms that way, 20.1
 * by way of the second cache. */
void
core_prefetch(struct core *c, LLVMValueRef at)
{
    prefetch(c, at, 2);
}

void
core_prefetch_first(struct core *c, LLVMValueRef at)
{
    prefetch(c, at, 3);
}

enum { AHEAD_THREADS = 768 }; /* 1,024: the same tree of sums 20.1 ms instead of 16.0 */

/* How far on the block that is to be fetched for reads. */
static LLVMValueRef
distance(struct core *c, uint32_t room, LLVMValueRef now)
{
    LLVMBuilderRef b = c->e.b;
    const uint32_t *dim = c->facts->shape.block;
    uint32_t threads = dim[0] * dim[1] * dim[2],
             blocks = threads < AHEAD_THREADS ? AHEAD_THREADS / threads : 1;
    LLVMTypeRef i64 = core_scalar(c, 64), ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMValueRef frame =
        core_load_field(c, c->regions->first, offsetof(struct jit_warp, frame), ptr);
    LLVMValueRef last = core_load_field(c, frame, room, i64),
                 kept = core_load_field(c, frame, room + 8, i64);
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

void
core_fetch(struct core *c, const struct wir_insn *i, uint32_t slot, LLVMValueRef *at,
           unsigned count, unsigned bytes)
{
    LLVMBuilderRef b = c->e.b;
    if (slot == c->memory.fetch_count) {
        c->memory.fetch[slot].insn = i;
        c->memory.fetch[slot].at = frame_room(c, 16);
        c->memory.fetch_count++;
    }
    LLVMValueRef step = distance(c, c->memory.fetch[slot].at, at[0]);
    for (unsigned k = 0; k < count; k++)
        for (unsigned line = 0; line < bytes; line += LINE)
            core_prefetch(c,
                          LLVMBuildAdd(b, LLVMBuildAdd(b, at[k], step, ""), core_i64(c, line), ""));
}
