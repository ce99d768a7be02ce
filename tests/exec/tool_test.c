/* SPDX-License-Identifier: Apache-2.0
 *
 * What a tool is told of a launch: counts per instruction, accesses with their lanes and addresses,
 * completed barriers, synchronisation, blocks. The kernel is small enough to know every number.
 */
#include "exec/exec.h"
#include "jit/tool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include "common/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 5 blocks of 40 threads: a whole warp and one of 8 lanes. Lanes below 4 of each block take the
 * branch; everybody stores to shared memory, waits, and reads a neighbour's; odd threads count. */
static const char text[] = ".version 7.8\n.target sm_70\n.address_size 64\n"
                           ".shared .align 4 .b8 tile[160];\n"
                           ".visible .entry k(.param .u64 p)\n{\n"
                           ".reg .b64 %rd<8>; .reg .b32 %r<16>; .reg .pred %p<4>;\n"
                           "ld.param.u64 %rd1, [p];\n"  /* 0 */
                           "mov.u32 %r1, %tid.x;\n"     /* 1 */
                           "setp.lt.u32 %p1, %r1, 4;\n" /* 2 */
                           "@!%p1 bra L1;\n"            /* 3 */
                           "add.u32 %r2, %r1, 1;\n"     /* 4: 4 lanes of warp 0 */
                           "L1:\n"
                           "shl.b32 %r3, %r1, 2;\n"                   /* 5 */
                           "mov.u32 %r4, tile;\n"                     /* 6 */
                           "add.u32 %r5, %r4, %r3;\n"                 /* 7 */
                           "st.shared.u32 [%r5], %r1;\n"              /* 8 */
                           "bar.sync 0;\n"                            /* 9 */
                           "ld.shared.u32 %r6, [tile+4];\n"           /* 10: one address */
                           "shfl.sync.idx.b32 %r7, %r1, 0, 31, -1;\n" /* 11 */
                           "and.b32 %r8, %r1, 1;\n"                   /* 12 */
                           "setp.eq.u32 %p2, %r8, 1;\n"               /* 13 */
                           "@%p2 add.u32 %r9, %r1, %r6;\n"            /* 14: guarded */
                           "membar.gl;\n"                             /* 15 */
                           "atom.global.add.u32 %r10, [%rd1], %r7;\n" /* 16 */
                           "ret;\n}\n";                               /* 17 */

enum { BLOCKS = 5, THREADS = 40, WARPS = 2, PLACES = 18 };

struct state {
    struct jit_tool tool;
    uint64_t counts[(PLACES + 1) * JIT_COUNTS];
    _Atomic uint32_t begun, ended, barriers, fences, syncs;
    _Atomic uint32_t lanes[PLACES], calls[PLACES];
    bool wrong;
};
static struct state st;

static void *
launch_begin(struct jit_tool *t, const struct jit_tool_launch *l)
{
    assert_int_equal(l->shared_bytes, 160);
    assert_int_equal(l->id, 77);
    return t;
}

static void
block_begin(struct jit_block *b)
{
    b->counts = st.counts;
    st.begun++;
    st.wrong |= b->launch->tool != &st.tool;
}

static void
block_end(struct jit_block *b)
{
    (void)b;
    st.ended++;
}

static void
barrier(struct jit_block *b, uint32_t number, const uint32_t *arrived, const uint32_t *waiting,
        uint32_t place)
{
    (void)b;
    st.barriers++;
    st.wrong |= number || place != 9 || arrived[0] != ~0u || arrived[1] != 0xff ||
                waiting[0] != ~0u || waiting[1] != 0xff;
}

static void
access_seen(struct jit_warp *w, uint32_t lanes, const uint64_t *address, uint32_t bytes,
            uint32_t space, uint32_t op, uint32_t place)
{
    if (space == PTX_SPACE_PARAM || place >= PLACES)
        return;
    st.calls[place]++;
    st.lanes[place] += (uint32_t)__builtin_popcount(lanes);
    uint64_t shared = (uint64_t)(uintptr_t)w->block->shared;
    for (uint32_t l = 0; l < JIT_LANES; l++)
        if (lanes >> l & 1 && place == 8)
            st.wrong |= address[l] != shared + 4 * (w->warp * 32 + l) || op != JIT_STORE;
        else if (lanes >> l & 1 && place == 10)
            st.wrong |= address[l] != shared + 4 || op != JIT_LOAD;
    st.wrong |= bytes != 4;
}

static void
pattern_seen(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset,
             uint32_t bytes, uint32_t space, uint32_t op, uint32_t place)
{
    uint64_t address[JIT_LANES];
    for (uint32_t l = 0; l < JIT_LANES; l++)
        address[l] = base + (uint64_t)(int64_t)(offset ? offset[l] : 0);
    access_seen(w, lanes, address, bytes, space, op, place);
}

static void
sync_seen(struct jit_warp *w, uint32_t lanes, const uint32_t *members, uint32_t place)
{
    (void)w;
    if (members) {
        st.syncs++;
        st.wrong |= place != 11 || members[0] != ~0u;
    } else {
        st.fences++;
        st.wrong |= place != 15;
    }
    st.wrong |= lanes == 0;
}

static void
test_events(void **unused)
{
    (void)unused;
    struct ls_error err = {0};
    struct ptx_module *m = ptx_parse(text, sizeof text - 1, "k.ptx", &err);
    assert_non_null(m);
    struct jit_engine *jit = jit_new(&(struct jit_options){0}, &err);
    struct exec_pool *pool = exec_new(1, &err); /* one worker: counts are shared by all blocks */
    assert_true(jit && pool);
    uint32_t *sum = calloc(1, 4);
    uint64_t params[1] = {(uint64_t)(uintptr_t)sum}, symbols[1] = {0};
    st.tool = (struct jit_tool){.events = JIT_EVENT_ACCESS | JIT_EVENT_COUNT | JIT_EVENT_SYNC,
                                .launch_begin = launch_begin,
                                .block_begin = block_begin,
                                .block_end = block_end,
                                .barrier = barrier,
                                .access = access_seen,
                                .pattern = pattern_seen,
                                .sync = sync_seen};
    struct exec_request r = {.jit = jit,
                             .module = m,
                             .kernel = ptx_find_func(m, "k"),
                             .grid = {BLOCKS, 1, 1},
                             .block = {THREADS, 1, 1},
                             .params = (const uint8_t *)params,
                             .symbols = symbols,
                             .tool = &st.tool,
                             .tool_id = 77};
    struct exec_report report;
    bool fine = exec_run(pool, &r, &report);
    if (!fine)
        fprintf(stderr, "%s\n", report.text);
    assert_true(fine);
    assert_false(st.wrong);
    assert_int_equal(st.begun, BLOCKS);
    assert_int_equal(st.ended, BLOCKS);
    assert_int_equal(st.barriers, BLOCKS);
    assert_int_equal(st.syncs, BLOCKS * WARPS);
    assert_int_equal(st.fences, BLOCKS * WARPS);
    jit_counts_sum(st.counts, PLACES);
    for (uint32_t p = 0; p < PLACES; p++) {
        const uint64_t *n = &st.counts[JIT_COUNTS * p];
        uint64_t lanes = p == 4 ? 4 : p == 14 ? THREADS / 2 : THREADS;
        assert_int_equal(n[JIT_COUNT_WARPS], BLOCKS * (p == 4 ? 1 : WARPS));
        assert_int_equal(n[JIT_COUNT_LANES], BLOCKS * lanes);
        assert_int_equal(n[JIT_COUNT_DIVERGENT], p == 3 ? BLOCKS : 0);
        bool memory = p == 8 || p == 10 || p == 16;
        assert_int_equal(st.calls[p], memory ? BLOCKS * WARPS : 0);
        assert_int_equal(st.lanes[p], memory ? BLOCKS * THREADS : 0);
    }
    assert_int_equal(*sum, BLOCKS * 8 * 32); /* the second warp's lanes add thread 32 */
    free(sum);
    exec_free(pool);
    jit_free(jit);
    ptx_free(m);
}

int
main(void)
{
    return UNIT_TESTS(test_events);
}
