/* SPDX-License-Identifier: Apache-2.0
 *
 * What a tool, which watches launches, is told of them: start at struct jit_tool.
 */
#ifndef LOCKSTEP_JIT_TOOL_H
#define LOCKSTEP_JIT_TOOL_H

#include "jit/jit.h"

/* Where a warp stands. */
enum jit_stands { JIT_STANDS_READY, JIT_STANDS_BARRIER, JIT_STANDS_WAITS, JIT_STANDS_DONE };
struct jit_standing {
    enum jit_stands what;
    struct jit_warp *warp;
    uint32_t alive; /* lanes that have not exited */
    /* per lane that waits (BARRIER, WAITS) at a block's barrier: its number, else UINT32_MAX */
    uint32_t barrier[JIT_LANES];
};

/* One launch, as tools see it. */
struct jit_tool_launch {
    const struct ptx_module *module;
    const struct ptx_func *kernel;
    const struct jit_kernel *code;
    const struct jit_launch *launch;
    uint64_t shared_bytes;              /* of a block: static and dynamic */
    uint32_t sm_count, resident_blocks; /* of the device: on all of its SMs */
    uint64_t id;                        /* exec_request.tool_id: what the device layer passes */
    struct memory *memory;              /* of the device; NULL: none known */
    struct jit_warp *parent; /* a launch from a kernel: the warp that made it; NULL: the host's */
    uint64_t stream;         /* and the stream it named */
    const char *whole; /* why it must hear of all blocks; NULL: launch_begin may set *sampled, */
    bool *sampled;     /*   and jit_tool.counts says then which ones it hears of */
    bool spread;       /* its blocks may run at the same time, on several workers */
    /* What a warp of a block in flight does. */
    void (*look)(const struct jit_block *b, uint32_t warp, struct jit_standing *out);
};

/* A warp of a block has failed; what it has changed is as it was then. */
struct jit_fault {
    struct jit_warp *warp; /* NULL: not known */
    uint32_t lanes;        /* 0: not known */
    uint32_t place;
    bool has_place, has_address;
    uint64_t address;
    const char *text;
};

/* M * N * K, of factors of so many bits each; zeros of a sparse A are among the K. */
struct jit_product {
    uint32_t m, n, k, bits;
};

/* A tool watches launches: check, profile and debug implement this, exec and generated code call it
 * (examples/tool has a small one). One tool at a time watches a launch. Functions that are NULL are
 * not called. The ones marked (many) may be called by several threads at once, for different
 * blocks. */
struct jit_tool {
    uint32_t events; /* set of enum jit_event */
    /* Before the first block; the result becomes launch->tool. */
    void *(*launch_begin)(struct jit_tool *t, const struct jit_tool_launch *l);
    /* After the last; fine: no error ended it. */
    void (*launch_end)(struct jit_tool *t, const struct jit_tool_launch *l, bool fine);
    /* (many) Whether the tool hears of that block (its linear number) of a launch that it takes a
     * sample of. The others run in plain code, behind these. */
    bool (*counts)(const struct jit_launch *l, uint64_t block);
    /* (many) A block begins. b->tool and b->counts are the tool's: NULL at first, then as the last
     * block left them that used the same jit_block in this launch; block_begin sets counts when it
     * asked for JIT_EVENT_COUNT. They are the tool's to free, in launch_end. */
    void (*block_begin)(struct jit_block *b);
    /* (many) All its threads have exited. Not called for blocks given up after an error. */
    void (*block_end)(struct jit_block *b);
    /* (many) For those. */
    void (*block_dropped)(struct jit_block *b);
    /* (many) A barrier is complete, its threads are not yet released. arrived[w]: lanes of warp w
     * that came to it; waiting[w]: of those, the ones that wait for it (not bar.arrive). */
    void (*barrier)(struct jit_block *b, uint32_t barrier, const uint32_t *arrived,
                    const uint32_t *waiting, uint32_t place);
    /* (many) Before that: lanes of a warp come to the barrier at this place, for `threads` threads
     * (0: all). Not called when all warps that live come whole and to the same place. */
    void (*arrive)(struct jit_warp *w, uint32_t lanes, uint32_t barrier, uint32_t threads,
                   uint32_t place);
    /* (many) malloc in a kernel gave, or free takes, the memory at `address` (size 0: free). False,
     * for free: it must not be done. */
    bool (*heap)(struct jit_warp *w, uint32_t lane, uint64_t address, uint64_t size,
                 uint32_t place);
    /* (many) As in jit_services. */
    void (*access)(struct jit_warp *w, uint32_t lanes, const uint64_t *address, uint32_t bytes,
                   uint32_t space, uint32_t op, uint32_t place);
    void (*pattern)(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset,
                    uint32_t bytes, uint32_t space, uint32_t op, uint32_t place);
    void (*halves)(struct jit_warp *w, uint32_t lanes, uint64_t base, uint64_t apart,
                   const int32_t *offset, uint32_t bytes, uint32_t space, uint32_t op,
                   uint32_t place);
    void (*batch)(struct jit_warp *w, uint32_t lanes, const struct jit_batch_base *base,
                  const struct jit_batch_table *table, uint32_t way);
    void (*sync)(struct jit_warp *w, uint32_t lanes, const uint32_t *members, uint32_t place);
    void (*async)(struct jit_warp *w, uint32_t lanes, uint32_t what, const uint64_t *barrier,
                  uint32_t number, uint32_t place);
    /* (many) A lane of the warp has a matrix unit multiply (tcgen05.mma): what its descriptors say;
     * of two blocks once, with all of their rows. */
    void (*product)(struct jit_warp *w, const struct jit_product *p, uint32_t place);
    /* (many) Threads of the warp waited for all that their block launched. */
    void (*joined)(struct jit_warp *w);
    /* JIT_EVENT_STEP: launches run on the thread that makes them. */
    struct jit_steps *steps;
    void (*step)(struct jit_warp *w);
    /* The same: asked before a block begins, where blocks run one after the other: whether it may
     * run in code of which the tool is told nothing, which runs its warps in the same order.
     * block_begin sets its counts then: their sum is by how much the position goes up. */
    bool (*passes)(struct jit_tool *t, const uint32_t ctaid[3], uint64_t number);
    /* The launch fails, before anything of it is given up. Where place and lanes are not known the
     * first call (f->text NULL) may fill them in; may come from a signal's handler. */
    void (*fault)(struct jit_fault *f);
    /* Whether a text that the kernel prints is to be shown: of `size` bytes, from *skip on. */
    void (*printed)(struct jit_tool *t, uint64_t size, uint64_t *skip);
    /* The module is about to be freed. */
    void (*forget)(struct jit_tool *t, const struct ptx_module *m);
};

#endif
