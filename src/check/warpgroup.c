/* SPDX-License-Identifier: Apache-2.0
 *
 * warpgroup.c: what wgmma asks of programs (PTX ISA 9.7.15), told of where it is executed: its
 * registers (in_flight.c), fence.proxy.async, descriptors. What it reads of shared memory lasts
 * until it was waited for, like a copy in the background (async.c).
 */
#include "check/transfers.h"
#include "check/warpgroup.h"
#include "memory/tensor_map.h"

#include <stdio.h>
#include <string.h>

/* -- findings ---------------------------------------------------------------------------------- */

void
misuse_tell(struct block_state *b, uint32_t thread, enum finding_kind kind, uint32_t place,
            uint32_t other, uint32_t by, const char *message, const char *missing)
{
    const struct launch *l = b->launch;
    struct finding f = {.kind = kind, .space = ""};
    bool two = other != place;
    if (!finding_wanted(l, kind, 0, l->facts, place, two ? l->facts : NULL, two ? other : 0,
                        b->block->ctaid))
        return;
    f.access = side_of_thread(b, thread, place, kind == FINDING_WARPGROUP ? "wgmma" : "tcgen05");
    if (two)
        f.other = side_of_thread(b, by, other, "access");
    snprintf(f.message, sizeof f.message, "%s", message);
    snprintf(f.missing, sizeof f.missing, "%s", missing);
    finding_add(l->check, &f);
}

void
misuse_of_registers(struct block_state *b, uint32_t thread, uint32_t place)
{
    static const struct {
        const char *message, *missing;
    } texts[] = {
        [FAULT_USED] = {"a register of D is read while the wgmma that computes it is in flight",
                        "wgmma.commit_group and wgmma.wait_group before it"},
        [FAULT_OVERWRITTEN] = {"a register of A or D is written while a wgmma in flight has it",
                               "wgmma.commit_group and wgmma.wait_group before it"},
        [FAULT_UNFENCED] = {"a register of A or D was written, and no wgmma.fence stands between "
                            "that and the wgmma that takes it",
                            "wgmma.fence.sync.aligned before the first wgmma"},
        [FAULT_LOADED] = {"a register is used that a tcgen05.ld may not have loaded yet",
                          "tcgen05.wait::ld.sync.aligned before it"},
    };
    const struct kernel_facts *k = b->launch->facts;
    for (uint32_t n = 0; n < k->fault_count; n++)
        if (k->fault[n].wgmma == place)
            misuse_tell(b, thread,
                        k->fault[n].kind == FAULT_LOADED ? FINDING_TENSOR_MEMORY
                                                         : FINDING_WARPGROUP,
                        place, k->fault[n].place, thread, texts[k->fault[n].kind].message,
                        texts[k->fault[n].kind].missing);
}

/* What an instruction reads by a descriptor of shared memory. */
struct matrix {
    enum finding_kind kind;
    uint32_t thread, place;
    uint64_t descriptor;
    enum tensor_swizzle swizzle;
    const char *name;
};

/* A tile that was copied by a tensor map is swizzled by its addresses: the descriptor names the
 * same swizzle, and base offset 0, wherever the tile begins (PTX ISA 9.7.15.5.1.2, 9.7.16.4.1). Of
 * what threads have stored nobody knows which pattern they had in mind. */
static void
look_at_matrix(struct block_state *b, const struct matrix *m)
{
    static const struct {
        uint32_t bytes;
        const char *atoms;
    } names[TENSOR_SWIZZLES] = {[TENSOR_SWIZZLE_NONE] = {16, ""},
                                [TENSOR_SWIZZLE_32] = {32, ""},
                                [TENSOR_SWIZZLE_64] = {64, ""},
                                [TENSOR_SWIZZLE_128] = {128, ""},
                                [TENSOR_SWIZZLE_128_ATOM_32] = {128, " in atoms of 32"}};
    const struct transfer *t = transfer_of(b, (m->descriptor & 0x3fff) << 4);
    uint32_t width = names[m->swizzle].bytes, base = m->descriptor >> 49 & 7;
    char message[300], missing[200];
    if (!t || !t->box || !names[t->swizzle].bytes)
        return;
    if (t->swizzle != m->swizzle) {
        snprintf(
            message, sizeof message,
            "%s is read with a swizzle of %u bytes%s, and was copied with one of %u%s (16: none)",
            m->name, width, names[m->swizzle].atoms, names[t->swizzle].bytes,
            names[t->swizzle].atoms);
        snprintf(missing, sizeof missing, "one swizzle in the descriptor and in the tensor map");
    } else if (base & (width / 16 - 1)) {
        snprintf(message, sizeof message,
                 "%s is read with base offset %u, and was copied by a tensor map, which swizzles "
                 "by addresses",
                 m->name, base);
        snprintf(missing, sizeof missing, "base offset 0");
    } else {
        return;
    }
    misuse_tell(b, m->thread, m->kind, m->place, t->place, m->thread, message, missing);
}

void
matrix_of_tcgen05(struct block_state *b, uint32_t thread, uint64_t descriptor, const char *name,
                  uint32_t place)
{
    static const uint8_t swizzles[8] = {[1] = TENSOR_SWIZZLE_128_ATOM_32,
                                        [2] = TENSOR_SWIZZLE_128,
                                        [4] = TENSOR_SWIZZLE_64,
                                        [6] = TENSOR_SWIZZLE_32};
    struct matrix m = {FINDING_TENSOR_MEMORY,      thread, place, descriptor,
                       swizzles[descriptor >> 61], name};
    look_at_matrix(b, &m);
}

static void
matrix_of_wgmma(struct block_state *b, uint32_t warp, uint64_t descriptor, const char *name,
                uint32_t place)
{
    static const uint8_t swizzles[4] = {TENSOR_SWIZZLE_NONE, TENSOR_SWIZZLE_128, TENSOR_SWIZZLE_64,
                                        TENSOR_SWIZZLE_32};
    struct matrix m = {FINDING_WARPGROUP, warp * JIT_LANES,           place,
                       descriptor,        swizzles[descriptor >> 62], name};
    look_at_matrix(b, &m);
}

void
warpgroup_begin(struct block_state *b, uint32_t warp, const uint64_t *descriptor, uint32_t count,
                uint32_t place)
{
    if (!(b->launch->check->groups & CHECK_SYNC))
        return;
    misuse_of_registers(b, warp * JIT_LANES, place);
    if (count > 1)
        matrix_of_wgmma(b, warp, descriptor[1], "A", place);
    matrix_of_wgmma(b, warp, descriptor[0], "B", place);
}
