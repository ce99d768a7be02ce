/* SPDX-License-Identifier: Apache-2.0
 *
 * sync.c: the operands of instructions that wait for lanes of their warp, where the lanes may have come apart: the
 * values that each brought lie in the frame (control/wait.c).
 */
#include "jit/insn/insn.h"

#include "jit/ops/sync.h"

#include <string.h>

#define SITE(field) offsetof(struct sync_site, field)

/* -- the other kind: standing still ------------------------------------------------------------------- */

LLVMValueRef
core_sync_site(struct core *c, uint32_t block, size_t field)
{
    uint64_t at = c->sites_at + (uint64_t)c->site[block] * sizeof(struct sync_site) + field;
    LLVMValueRef k = core_i64(c, at);
    return LLVMBuildInBoundsGEP2(c->e.b, core_scalar(c, 8), c->frame, &k, 1, "");
}

LLVMValueRef
core_sync_sites(struct core *c)
{
    LLVMValueRef k = core_i64(c, c->sites_at);
    return LLVMBuildInBoundsGEP2(c->e.b, core_scalar(c, 8), c->frame, &k, 1, "");
}

LLVMValueRef
core_sync_active(struct core *c)
{
    return LLVMBuildLoad2(c->e.b, core_scalar(c, 32), core_sync_site(c, c->current, SITE(active)), "");
}

/* Input n of the whole group; what is constant stays so: emitters look at it. */
LLVMValueRef
core_sync_input(struct core *c, unsigned n, LLVMValueRef own)
{
    if (LLVMIsConstant(own) || n >= SYNC_INPUTS)
        return own;
    size_t field = SITE(joined) + n * sizeof(uint64_t) * LANES;
    LLVMValueRef v = LLVMBuildLoad2(c->e.b, core_vector(c, 64), core_sync_site(c, c->current, field), "");
    LLVMSetAlignment(v, 16);
    return LLVMBuildTrunc(c->e.b, v, LLVMTypeOf(own), "");
}
