/* SPDX-License-Identifier: Apache-2.0
 *
 * wir: the warp IR, in which the engine thinks of one kernel (or of one function that is really
 * called).
 *
 * It is PTX in a normal form. This kernel
 *
 *     .visible .entry clamp(.param .u64 p, .param .u32 n) {
 *         .reg .pred %q; .reg .b32 %r<3>; .reg .b64 %d<2>;
 *         ld.param.u64 %d0, [p];
 *         ld.param.u32 %r0, [n];
 *         mov.u32      %r1, %tid.x;
 *         setp.ge.u32  %q, %r1, %r0;
 *     @%q bra          DONE;
 *         mad.wide.u32 %d1, %r1, 4, %d0;
 *         ld.global.u32 %r1, [%d1];
 *         min.u32      %r1, %r1, 9;
 *     @!%q st.global.u32 [%d1], %r1;
 *     DONE:
 *         ret;
 *     }
 *
 * becomes five blocks, the last of which exits, printed by wir_print as
 *
 *     b0:
 *         ld.param.u64 %d0, [p];
 *         ld.param.u32 %r0, [n];
 *         mov.u32 %r1, %tid.x;
 *         setp.ge.u32 %q, %r1, %r0;
 *         @%q bra b3;
 *     b1:
 *         mad.wide.u32 %d1, %r1, 4, %d0;
 *         ld.global.u32 %r1_1, [%d1];     a web of its own: the thread's number and the loaded word
 *         min.u32 %r1_2, %r1_1, 9;        only shared a name
 *         @%q bra b3;                     a guard on what touches memory is a branch
 *     b2:
 *         st.global.u32 [%d1], %r1_2;
 *     b3:
 *         ret;
 *     b4:
 *
 * The normal form, which wir_verify holds every pass to:
 *
 *   - Calls of functions with a body are replaced by the body, but for recursion, calls through
 *     pointers and large functions where inlining them would make too much text (sizes.c);
 *     what is left goes to functions without a body. Parameter slots of inlined calls are
 *     registers where every access agrees.
 *   - A block is entered at its first instruction and left behind its last. Instructions that touch
 *     memory, call or wait stand under no guard: the guard is a branch around them. An instruction
 *     that waits for lanes of its warp (wir_syncs) begins a block; one that waits for other warps
 *     (a barrier) ends one.
 *   - Blocks stand in a weak topological order (Bourdoncle, "Efficient chaotic iteration strategies
 *     with widenings", 1993): loops are contiguous, every backward edge leads to the head of a loop
 *     around it, in irreducible graphs too. Lanes that part at a branch meet again because the
 *     pending block that comes next in this order runs first, and a loop's head runs only when
 *     nothing of its body is pending (thread frontiers: Diamos et al., "SIMD re-convergence at
 *     thread frontiers", 2011).
 *   - An atomic whose result nobody reads is a reduction (red), which need not be waited for.
 *   - A register is a web: its definitions reach uses together. Values are typed by the register
 *     (ptx_type).
 *   - Def-use chains and live ranges are those of the instructions.
 *
 * Text: wir_print writes a PTX module with `.pragma "lockstep wir"`, which ptx_parse and wir_new
 * read back: the same kernel, so that tests of passes are written as text. Everything below a
 * struct wir lives in its arena.
 *
 *   build.c     calls inlined, one flat list of instructions (slots.c: parameter slots; layout.c:
 *               where variables lie; shared.c: those that called functions name)
 *   sizes.c     which functions are too large to be inlined; exits.c: exit in those that are called
 *   waits.c     what waits for other warps and is no barrier becomes a loop
 *   blocks.c    cut into blocks; order.c: their order, loops, post-dominators
 *   webs.c      registers split into webs; live.c: what is alive where a block begins
 *   parameters.c  loads by a parameter's address name the parameter
 *   chains.c    which instructions write a register and which read it (def-use chains)
 *   edit.c      how passes change instructions
 *   print.c     as text
 *   verify.c    the normal form
 */
#ifndef LOCKSTEP_WIR_H
#define LOCKSTEP_WIR_H

#include "base/base.h"
#include "ptx/ptx.h"

/* -- the kernel -------------------------------------------------------------------------------- */

/* An instruction: registers are indices in wir.regs, variables of functions are the kernel's own
 * copies (var->index in wir.vars, var->func set). A parameter slot that fits in registers is one:
 * `ld.param %r, slot` has a REG operand where the text has an address, `st.param slot, %r` likewise
 * as its destination. */
struct wir_insn {
    struct ptx_insn i;
    const struct ptx_func *func; /* where it stands in the module */
    uint32_t place;              /* module-wide number: ptx_func.first_place + index */
    bool added; /* by a pass, for the instruction with that place: tools are told of that one alone
                 */
    uint8_t tells;  /* set of enum tell */
    bool begins;    /* wir_new_debug: the first of what its PTX instruction has become; */
    uint32_t frame; /*   and in which of wir.frames it stands */
};

/* What a tool that watches is told of an instruction. Nothing, where none does. */
enum tell {
    TELL_COUNT = 1,    /* how often it is executed, and by how many lanes */
    TELL_SYNC = 2,     /* how it orders lanes with others */
    TELL_ACCESS = 4,   /* which memory it accesses, before it does; */
    TELL_GUARD = 8,    /*   the tool answers which lanes may not (core_denied), and is shown what a
                          store stores; */
    TELL_NEW = 16,     /*   an access like one told before need not be told; */
    TELL_OFFSET = 32,  /*   of local memory, lanes at one offset are told as one pattern */
    TELL_COMPARE = 64, /* what lanes compare (setp) */
    TELL_ACCESSES = TELL_ACCESS | TELL_GUARD | TELL_NEW | TELL_OFFSET,
};

enum wir_end {
    WIR_JUMP,    /* to succ[0] */
    WIR_BRANCH,  /* to succ[0] where guard holds (not, if negated), else to succ[1] */
    WIR_SWITCH,  /* brx.idx: to succ[index], out of range: trap */
    WIR_EXIT,    /* lanes are done */
    WIR_BARRIER, /* bar.sync and kin (`end`), then succ[0] */
    WIR_TRAP,    /* the last instruction does not return */
};

struct wir_block {
    uint32_t first, count; /* instructions, without the one that ends it */
    uint8_t end;           /* enum wir_end */
    bool guard_negated;
    uint32_t guard;    /* BRANCH: predicate register */
    uint32_t end_insn; /* the instruction that ends it, or UINT32_MAX */
    uint32_t *succ, succ_count;
    uint32_t *pred, pred_count;
    bool sync;         /* its first instruction waits for other lanes of the warp: wir_syncs */
    uint32_t loop;     /* innermost loop, UINT32_MAX: none */
    uint32_t ipdom;    /* immediate post-dominator, UINT32_MAX: the end of the kernel */
    uint64_t *live_in; /* set of registers */
};

struct wir_loop {
    uint32_t head, last; /* blocks head..last; head is the first */
    uint32_t parent;     /* UINT32_MAX: none */
    bool waits;   /* holds an atomic, volatile or ordered access, a fence or a sleep: it may be
                     waiting for another warp, */
    bool outside; /* and for one of another block or cluster: not all of that is in shared memory */
};

struct wir_reg {
    uint8_t type; /* enum ptx_type */
    bool param;   /* a parameter slot */
    const char *name;
};

/* Where a variable of a function lives. */
enum wir_place {
    WIR_KERNEL_PARAM,
    WIR_SLOT, /* registers */
    WIR_LOCAL,
    WIR_SHARED,
    WIR_ARGUMENT, /* of a function that is really called: its caller's area, 32 lanes of var->size
                      bytes each, from offset * 32 */
};

struct wir_var {
    struct ptx_var *var;
    uint8_t place;
    uint64_t offset; /* in the parameter block, in local memory, in shared memory */
};

/* wir_new_debug: a function's text as it stands in the kernel's, once for each call of it. */
struct wir_frame {
    const struct ptx_func *func;
    uint32_t caller;   /* UINT32_MAX: none; else the frame that calls it, */
    uint32_t call;     /*   at that place */
    uint32_t reg_base; /* register k of the function is reg_base + k */
    /* Per ptx_func.vars, .params, .results: the variable that stands for it. */
    struct ptx_var *const *vars, *const *params, *const *results;
};

/* Def-use chains, as rows of numbers that lie one behind the other: row k of x is x[x_at[k]..x_at[k
 * + 1]). Read them by wir_defs and what follows it. */
struct wir_chains {
    uint32_t *def_at, *def; /* per instruction: registers that it writes */
    uint32_t *use_at, *use; /* per instruction: registers that it reads; from base_at on those */
    uint32_t *base_at;      /*   that are bases of addresses */
    uint32_t *writer_at, *writer; /* per register: instructions that write it */
    uint32_t *reader_at, *reader; /* per register: instructions that read it */
    uint32_t *block_of;           /* per instruction: its block; UINT32_MAX: no path leads to it */
};

struct wir {
    struct arena arena;
    const struct ptx_module *module;
    const struct ptx_func *kernel;
    struct wir_insn *insns;
    uint32_t insn_count;
    struct wir_block *blocks; /* in order; block 0 is the entry */
    uint32_t block_count;
    struct wir_loop *loops;
    uint32_t loop_count;
    struct wir_reg *regs;
    uint32_t reg_count;
    uint32_t reg_words; /* length of a set of registers, in 64-bit words */
    struct wir_var *vars;
    uint32_t var_count;
    uint64_t *shared_offset; /* per module variable: offset in shared memory (.shared ones), */
    bool *shared_used;       /*   and whether it is there at all */
    uint32_t local_bytes, shared_bytes; /* shared: static; dynamic shared memory begins there */
    /* Functions that are called and not inlined: recursion, large ones; and whether pointers are
     * called. */
    const struct ptx_func **calls;
    uint32_t call_count;
    bool indirect;
    uint32_t argument_bytes;  /* of a function: parameters and results of one lane */
    struct wir_frame *frames; /* wir_new_debug; frames[0] is the kernel's own */
    uint32_t frame_count;
    struct wir_chains chains;
};

/* A kernel, or a function that is called through a pointer or recursively. NULL and an error with a
 * place: undefined functions, a kernel too large. `known` says which functions without a body may
 * be called (mathematics, externals). */
struct wir *wir_new(const struct ptx_module *m, const struct ptx_func *kernel,
                    bool (*known)(const char *name), struct ls_error *err);
/* The same; a block begins wherever a warp gives way in a schedule (wir_gives_way). */
struct wir *wir_new_scheduled(const struct ptx_module *m, const struct ptx_func *kernel,
                              bool (*known)(const char *name), struct ls_error *err);
/* The same for a debugger: registers are not split into webs, atomics keep their results, and every
 * PTX instruction has become at least one that begins it, a call that is inlined, too. */
struct wir *wir_new_debug(const struct ptx_module *m, const struct ptx_func *kernel,
                          bool (*known)(const char *name), struct ls_error *err);
/* As wir_new, for blocks that a debugger passes over: a call that is inlined is an instruction that
 * is counted, too, as many times as a debugger comes to it. */
struct wir *wir_new_passed(const struct ptx_module *m, const struct ptx_func *kernel,
                           bool (*known)(const char *name), struct ls_error *err);
/* Every loop counts as one that may wait for others. */
void wir_all_wait(struct wir *f);
void wir_free(struct wir *f);

/* taken[ptx_func.index] becomes true for every function whose address the module takes. */
void wir_addresses(const struct ptx_module *m, bool *taken);

/* Whether an instruction waits for the lanes that its member mask names: bar.warp.sync, shfl.sync,
 * ... (PTX ISA 9.7.13); they begin blocks. */
bool wir_syncs(const struct ptx_insn *i);
/* Whether it accesses memory that other threads may access, too, or sleeps. */
bool wir_gives_way(const struct ptx_insn *i);
/* Whether it is a barrier that reduces over the threads of a block and gives them all the same. */
bool wir_votes(const struct ptx_insn *i);
/* Whether an operand is an address in a parameter of the kernel, one that the text gives. */
bool wir_is_parameter(const struct wir *f, const struct ptx_operand *o);

/* seen[b] becomes true for `from` and every block that is reached from it without passing `end`
 * (UINT32_MAX: none) or a block seen already. */
void wir_reach(const struct wir *f, uint32_t from, uint32_t end, bool *seen);

/* Whether the loop has a barrier in it; the innermost one around the block that has, UINT32_MAX:
 * none. */
bool wir_has_barrier(const struct wir *f, const struct wir_loop *l);
uint32_t wir_barrier_loop(const struct wir *f, uint32_t block);

/* Calls visit for each register operand of an instruction; write: it is a destination. For what
 * changes registers while the warp IR is made, or looks at text that is none; all else asks the
 * chains. */
void wir_visit(const struct wir_insn *i,
               void (*visit)(struct ptx_operand *o, bool write, void *context), void *context);

static inline bool
set_has(const uint64_t *set, uint32_t i)
{
    return set[i / 64] >> (i % 64) & 1;
}
static inline void
set_add(uint64_t *set, uint32_t i)
{
    set[i / 64] |= (uint64_t)1 << (i % 64);
}
static inline void
set_remove(uint64_t *set, uint32_t i)
{
    set[i / 64] &= ~((uint64_t)1 << (i % 64));
}

/* -- def-use chains (chains.c) ----------------------------------------------------------------- */

/* Registers, or numbers of instructions (indices in wir.insns), in the arena. */
struct span {
    const uint32_t *at;
    uint32_t count;
};

static inline struct span
span_of(const uint32_t *all, uint32_t first, uint32_t end)
{
    return (struct span){all + first, end - first};
}
/* Registers that instruction n writes, in the order of its operands. One stands there twice that
 * two operands name. */
static inline struct span
wir_defs(const struct wir *f, uint32_t n)
{
    return span_of(f->chains.def, f->chains.def_at[n], f->chains.def_at[n + 1]);
}
/* Registers that it reads: guard, values, bases of addresses. */
static inline struct span
wir_uses(const struct wir *f, uint32_t n)
{
    return span_of(f->chains.use, f->chains.use_at[n], f->chains.use_at[n + 1]);
}
/* The same without bases of addresses. */
static inline struct span
wir_values(const struct wir *f, uint32_t n)
{
    return span_of(f->chains.use, f->chains.use_at[n], f->chains.base_at[n]);
}
/* Instructions that write a register, and that read it, in ascending order; the ones that end
 * blocks are among them, so a branch reads its guard. */
static inline struct span
wir_writers(const struct wir *f, uint32_t reg)
{
    return span_of(f->chains.writer, f->chains.writer_at[reg], f->chains.writer_at[reg + 1]);
}
static inline struct span
wir_readers(const struct wir *f, uint32_t reg)
{
    return span_of(f->chains.reader, f->chains.reader_at[reg], f->chains.reader_at[reg + 1]);
}
static inline void
set_add_all(uint64_t *set, struct span regs)
{
    for (uint32_t k = 0; k < regs.count; k++)
        set_add(set, regs.at[k]);
}
/* The instruction's number; UINT32_MAX: it is a copy, none of wir.insns. */
static inline uint32_t
wir_index(const struct wir *f, const struct wir_insn *i)
{
    return i >= f->insns && i < f->insns + f->insn_count ? (uint32_t)(i - f->insns) : UINT32_MAX;
}
/* The block's instructions are [first, wir_block_end), the one that ends it included. */
static inline uint32_t
wir_block_end(const struct wir *f, uint32_t block)
{
    const struct wir_block *b = &f->blocks[block];
    return b->first + b->count + (b->end_insn != UINT32_MAX);
}
/* The registers that the block's instructions write, in their order: in chains.def the rows of
 * consecutive instructions lie one behind the other. */
static inline struct span
wir_block_defs(const struct wir *f, uint32_t block)
{
    return span_of(f->chains.def, f->chains.def_at[f->blocks[block].first],
                   f->chains.def_at[wir_block_end(f, block)]);
}

/* The only instruction that writes the register; NULL: none does, or several. */
const struct wir_insn *wir_only_writer(const struct wir *f, uint32_t reg);
/* The last one of [first, end) that writes it; UINT32_MAX: none. */
uint32_t wir_last_writer(const struct wir *f, uint32_t reg, uint32_t first, uint32_t end);
/* The first one of [first, end) that writes it; UINT32_MAX: none. */
uint32_t wir_next_writer(const struct wir *f, uint32_t reg, uint32_t first, uint32_t end);
/* The last one before insns[end] in the block that writes it; UINT32_MAX: none, or `end` is an
 * instruction of another block. */
uint32_t wir_writer_before(const struct wir *f, uint32_t block, uint32_t reg, uint32_t end);
/* The same instruction; NULL also if it has a guard, so that other lanes keep an older value. */
const struct wir_insn *wir_maker_before(const struct wir *f, uint32_t block, uint32_t reg,
                                        uint32_t end);
/* Whether an operand, a register or a number, is before insns[end] what it was before insns[n], n
 * <= end, both of one block. */
bool wir_same_since(const struct wir *f, const struct ptx_operand *o, uint32_t n, uint32_t end);

/* -- text (print.c) ---------------------------------------------------------------------------- */

/* What a printer adds as comments, each NULL for nothing: at the head, behind a block's label,
 * behind insns[n] on its line, and in lines of their own behind that. */
struct wir_notes {
    void (*head)(void *context, struct text *out);
    void (*block)(void *context, uint32_t b, struct text *out);
    void (*insn)(void *context, uint32_t n, struct text *out);
    void (*after)(void *context, uint32_t n, struct text *out);
    void *context;
};
/* A module that ptx_parse and wir_new read back. The block that exits stands last; a jump that the
 * program had no instruction for, to a block that does not come next, is one when it is read. notes
 * NULL: none. */
void wir_print(const struct wir *f, const struct wir_notes *notes, struct text *out);

/* -- changes (edit.c) -------------------------------------------------------------------------- */

struct wir_change {
    uint32_t n;    /* what stands before insns[n], or */
    bool replaces; /*   for it */
    struct wir_insn insn;
};

/* A pass's changes: {.f = kernel}, listed in ascending order of n while the kernel stays as it is,
 * then made at once. */
struct wir_edit {
    struct wir *f;
    VEC(struct wir_change) changes;
    VEC(struct wir_reg) regs;
    uint32_t *first; /* per instruction: its first change, UINT32_MAX: none; while they are made */
};

/* The instruction is copied with its operands. It ends no block and waits for no lanes; before:
 * tools hear nothing of it, replace: the instruction that stays insns[n] for them. */
void wir_edit_before(struct wir_edit *e, uint32_t n, const struct ptx_insn *i);
void wir_edit_replace(struct wir_edit *e, uint32_t n, const struct ptx_insn *i);
/* A new register; name lives as long as the kernel. */
uint32_t wir_edit_register(struct wir_edit *e, enum ptx_type type, const char *name);
/* Makes the changes, finds chains and live ranges anew, and empties the list. Returns how many
 * there were. */
unsigned wir_edit_apply(struct wir_edit *e);

/* -- the normal form (verify.c) ---------------------------------------------------------------- */

/* False: not so, and *err says which rule, and where. */
bool wir_verify(const struct wir *f, struct ls_error *err);

#endif
