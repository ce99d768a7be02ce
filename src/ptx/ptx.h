/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx: PTX text to kernel, the one intermediate form of lockstep.
 *
 * This text
 *
 *     .visible .entry twice(.param .u64 p) {
 *         .reg .pred %q; .reg .b32 %r<3>; .reg .b64 %d<2>;
 *         .loc 1 5 9
 *         ld.param.u64 %d0, [p];
 *         mov.u32      %r0, %tid.x;
 *         setp.gt.u32  %q, %r0, 9;
 *     @%q bra          DONE;
 *         mad.wide.u32 %d1, %r0, 4, %d0;
 *         ld.global.f32 %r1, [%d1+16];
 *     DONE:
 *         ret;
 *     }
 *
 * becomes one ptx_func with is_kernel set, one parameter `p` of 8 bytes at offset 0, six registers
 * (numbered through, whatever their names), and seven instructions. `ld.global.f32 %r1, [%d1+16]`
 * is { op LD, space GLOBAL, type[0] F32, operand[0] {REG, reg %r1},
 * operand[1] {ADDRESS, base_kind REG, reg %d1, offset 16} }, `@%q bra DONE` is { op BRA, guard %q,
 * operand[0] {LABEL, label DONE} }. Operands stand in the order of the text, destinations first.
 * Nested scopes are resolved: every register, variable and label has a number of its own.
 *
 * Sections in the manual: PTX ISA 4 (syntax), 5 (state spaces, types, variables), 7 (ABI),
 * 9.7 (instructions), 10 (special registers), 11 (directives).
 *
 * Ownership: everything below a ptx_module lives in its arena and is freed by ptx_free.
 */
#ifndef LOCKSTEP_PTX_H
#define LOCKSTEP_PTX_H

#include "base/base.h"

/* -- enumerations from tables --------------------------------------------------------------- */

/* Types: TYPE(NAME, "spelling", bytes, kind) in ptx_types.def; kind: p predicate, b untyped,
 * u unsigned, s signed, f float, v packed float or integer, o opaque (texref, ...). */
enum ptx_type {
    PTX_TYPE_NONE,
#define TYPE(name, text, bytes, kind) PTX_##name,
#include "ptx/ptx_types.def"
#undef TYPE
    PTX_TYPE_COUNT
};

/* Instructions: OP(NAME, "base mnemonic", status, "note") in ptx_ops.def. The mnemonic is the text
 * up to the first dot, with these exceptions, where a second word belongs to the name:
 * bar.warp -> BAR_WARP, barrier.cluster -> BARRIER_CLUSTER, cp.async -> CP_ASYNC,
 * cp.async.bulk -> CP_ASYNC_BULK, mbarrier.* -> MBARRIER (the verb is a modifier), ... */
enum ptx_op {
    PTX_OP_NONE,
#define OP(name, text, status, note) PTX_OP_##name,
#include "ptx/ptx_ops.def"
#undef OP
    PTX_OP_COUNT
};

/* All other dot words: MOD(NAME, "spelling") in ptx_mods.def: rounding, comparison, cache
 * operators, scopes, semantics, .wide, .hi, .lo, .ftz, .sat, .sync, shapes, ... */
enum ptx_mod {
    PTX_MOD_NONE,
#define MOD(name, text) PTX_M_##name,
#include "ptx/ptx_mods.def"
#undef MOD
    PTX_MOD_COUNT
};

/* Special registers: SREG(NAME, "%spelling", bytes) in ptx_sregs.def (%tid.x -> PTX_SR_TID_X). */
enum ptx_sreg {
    PTX_SR_NONE,
#define SREG(name, text, bytes) PTX_SR_##name,
#include "ptx/ptx_sregs.def"
#undef SREG
    PTX_SR_COUNT
};

enum ptx_space {
    PTX_SPACE_NONE, /* no space written: a generic address */
    PTX_SPACE_REG,
    PTX_SPACE_SREG,
    PTX_SPACE_CONST,
    PTX_SPACE_GLOBAL,
    PTX_SPACE_LOCAL,
    PTX_SPACE_PARAM,
    PTX_SPACE_SHARED,         /* .shared, .shared::cta */
    PTX_SPACE_SHARED_CLUSTER, /* .shared::cluster */
    PTX_SPACE_TEX,            /* .tex (old form of .global .texref) */
    PTX_SPACE_COUNT
};

unsigned ptx_type_bytes(enum ptx_type t); /* 0 for .pred and opaque types */
char ptx_type_kind(enum ptx_type t);
const char *ptx_type_name(enum ptx_type t); /* "f32" */
const char *ptx_op_name(enum ptx_op op);    /* "ld" */
const char *ptx_mod_name(enum ptx_mod m);
const char *ptx_sreg_name(enum ptx_sreg r); /* "%tid.x" */
bool ptx_sreg_is_thread(enum ptx_sreg r);   /* a coordinate of the thread: %tid.x, .y, .z */
/* Something that all threads of a block read alike, whenever they do: sizes and places of the block
 * and of the grid. */
bool ptx_sreg_is_block(enum ptx_sreg r);
const char *ptx_space_name(enum ptx_space s);

/* Status of an instruction's row. */
enum ptx_status { PTX_FULL, PTX_PARTIAL, PTX_LEFT_OUT };
enum ptx_status ptx_op_status(enum ptx_op op);

/* What holds of an instruction whatever its operands are: a row of ptx_traits.def. */
enum ptx_trait {
    PTX_REGISTERS = 1,  /* it reads and writes registers, nothing else */
    PTX_RESULTLESS = 2, /* it writes none of its operands */
    PTX_BRANCHED = 4,   /* it reads or writes memory, calls or waits: not to be done for lanes whose
                           guard is false */
    PTX_YIELDS = 8,     /* it accesses memory that other threads may access too, or sleeps */
    PTX_BY_SPACE = 16,  /* PTX_YIELDS holds in state spaces that threads share */
    PTX_AROUND = 32,    /* it reaches global memory otherwise than as ld, st, atom and red do */
    PTX_UNTOLD = 64,    /* it may write memory that `lockstep check` has no address of beforehand */
    PTX_LANES = 128,    /* its result is made of what several lanes of a warp give */
    PTX_SPECIAL = 256,  /* of float it runs in the special function unit, or begins there */
};
bool ptx_op_is(enum ptx_op op, enum ptx_trait trait);

/* -- operands ---------------------------------------------------------------------------------- */

enum ptx_operand_kind {
    PTX_O_NONE,
    PTX_O_REG,    /* reg */
    PTX_O_SREG,   /* sreg */
    PTX_O_INT,    /* imm: two's complement, 64 bits */
    PTX_O_FLOAT,  /* imm: bits of a double for 0d and decimal text; imm_is_f32: bits of a float (0f)
                   */
    PTX_O_SYMBOL, /* a variable's or function's address as a value (mov %d, table): var or func,
                     offset */
    PTX_O_ADDRESS, /* [base + offset]: base is reg, var, param or nothing (absolute) */
    PTX_O_LABEL,   /* label */
    PTX_O_VECTOR,  /* {a, b, c, d}: elements */
    PTX_O_SINK,    /* _ */
    PTX_O_PAIR,    /* p|q : elements[0], elements[1]; either may be SINK */
    PTX_O_FUNC,    /* call target by name: func */
    PTX_O_LIST,    /* (a, b, ...) of call, or the coordinate list of tex: elements */
    PTX_O_TEX,     /* [tex, coords] or [tex, samp, coords]: elements in that order */
    PTX_O_TARGETS, /* .branchtargets / .calltargets / .callprototype by name: target */
};

enum ptx_base_kind { PTX_BASE_NONE, PTX_BASE_REG, PTX_BASE_VAR };

struct ptx_operand {
    uint8_t kind;      /* enum ptx_operand_kind */
    uint8_t base_kind; /* ADDRESS: enum ptx_base_kind */
    bool negated;      /* !p, and -r where the manual allows it */
    bool imm_is_f32;
    uint8_t part; /* video instructions and vector registers: r.x -> 1, .y 2, .z 3, .w 4, .b0 5 ...
                     .h1 10 */
    uint16_t sreg;
    uint32_t reg;   /* index in ptx_func.regs */
    uint32_t count; /* VECTOR, PAIR, LIST, TEX: elements */
    union {
        uint64_t imm;
        int64_t offset;  /* SYMBOL, ADDRESS */
        uint32_t label;  /* index in ptx_func.labels */
        uint32_t target; /* index in ptx_func.targets */
    };
    struct ptx_var *var;   /* SYMBOL, ADDRESS (base VAR) */
    struct ptx_func *func; /* SYMBOL of a function, FUNC */
    struct ptx_operand *elements;
};

/* -- instructions ------------------------------------------------------------------------------ */

enum { PTX_MAX_TYPES = 5, PTX_MOD_WORDS = 8, PTX_NO_REG = 0xffffffffu };

struct ptx_insn {
    uint16_t op; /* enum ptx_op */
    uint8_t type_count;
    uint8_t type[PTX_MAX_TYPES]; /* type suffixes in the order written: cvt.f32.s32 -> F32, S32 */
    uint8_t space;               /* enum ptx_space: first space written */
    uint8_t space2;              /* second one: cp.async.shared.global, cvta.to.global, ... */
    uint8_t vec;                 /* .v2 .v4 .v8, else 1 */
    uint8_t operand_count;
    bool guard_negated;
    uint32_t guard;               /* @p: register index, or PTX_NO_REG */
    uint64_t mods[PTX_MOD_WORDS]; /* set of enum ptx_mod */
    uint16_t order[8]; /* the first eight modifiers in the order written (enum ptx_mod) */
    struct ptx_operand *operand;
    uint32_t line, column; /* in the PTX text, from 1 */
    uint32_t loc;          /* index in ptx_func.locs: the source place; 0: unknown */
};

static inline bool
ptx_has(const struct ptx_insn *i, enum ptx_mod m)
{
    return i->mods[m / 64] >> (m % 64) & 1;
}

/* The operand that is an address in memory, the first one; NULL: none. */
const struct ptx_operand *ptx_address(const struct ptx_insn *i);

/* -- variables --------------------------------------------------------------------------------- */

struct ptx_var;
struct ptx_func;

/* The address of a variable or function inside an initialiser. */
struct ptx_reloc {
    uint64_t at;         /* byte offset inside the initialiser */
    uint8_t bytes;       /* 8, 4; or 1 with shift (mask(symbol) forms) */
    uint8_t shift;       /* in bits: which part of the address */
    bool generic;        /* generic(symbol): the generic address */
    struct ptx_var *var; /* one of both */
    struct ptx_func *func;
    int64_t addend;
};

enum ptx_linkage { PTX_LOCAL_LINKAGE, PTX_EXTERN, PTX_VISIBLE, PTX_WEAK, PTX_COMMON };

struct ptx_var {
    const char *name;      /* as written */
    uint8_t space;         /* enum ptx_space */
    uint8_t type;          /* element type */
    uint8_t vec;           /* 1, 2, 4 */
    uint8_t linkage;       /* enum ptx_linkage */
    bool unsized;          /* extern __shared__ float s[]: dynamic shared memory */
    bool managed;          /* .attribute(.managed) */
    uint32_t align;        /* in bytes, a power of two, never 0 */
    uint64_t size;         /* in bytes; 0 when unsized */
    uint32_t index;        /* in module->vars, or in func->vars */
    struct ptx_func *func; /* NULL: module scope */
    uint64_t param_offset; /* kernel parameters: byte offset in the parameter block */
    uint8_t *init;         /* size bytes, or NULL: zero */
    struct ptx_reloc *relocs;
    uint32_t reloc_count;
    uint32_t line;
};

/* -- functions --------------------------------------------------------------------------------- */

/* .reg .v4 .f32 %v is four: %v$part0 to %v$part3. */
struct ptx_reg {
    const char *name; /* "%r3" */
    uint8_t type;     /* enum ptx_type */
};

struct ptx_label {
    const char *name;
    uint32_t insn; /* index of the instruction it stands before; insn_count at the end */
    uint32_t line;
};

/* A place in the source: .loc, with its inlining chain. */
struct ptx_loc {
    uint32_t file; /* index in module->files */
    uint32_t line, column;
    uint32_t inlined_at; /* index in locs of the call's place, 0: none */
    const char *inlined_function;
};

/* A list behind a label: .branchtargets, .calltargets, .callprototype. */
struct ptx_targets {
    const char *name;
    uint32_t line;
    char kind; /* 'b', 'c', 'p' */
    uint32_t count;
    uint32_t *labels;           /* 'b' */
    struct ptx_func **funcs;    /* 'c' */
    struct ptx_func *prototype; /* 'p': a function without body and name */
};

struct ptx_func {
    const char *name;
    struct ptx_module *module;
    bool is_kernel;
    bool has_body;
    bool noreturn;
    uint8_t linkage;
    uint32_t index; /* in module->funcs */
    uint32_t line;
    /* Parameters and results: .param variables or .reg ones. For a .reg parameter var->space is
     * PTX_SPACE_REG and reg_of_param gives the register. */
    struct ptx_var **params;
    uint32_t *param_regs; /* PTX_NO_REG for .param ones */
    uint32_t param_count;
    struct ptx_var **results;
    uint32_t *result_regs;
    uint32_t result_count;
    uint64_t param_bytes; /* kernels: size of the parameter block */
    struct ptx_reg *regs;
    uint32_t reg_count;
    struct ptx_var **vars; /* function scope: .shared .local .param .const .global */
    uint32_t var_count;
    struct ptx_insn *insns;
    uint32_t insn_count;
    struct ptx_label *labels;
    uint32_t label_count;
    struct ptx_targets *targets;
    uint32_t target_count;
    struct ptx_loc *locs; /* locs[0] is "unknown" */
    uint32_t loc_count;
    struct { /* performance directives; 0: not given */
        uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg, maxclusterrank;
        uint32_t reqnctapercluster[3];
        bool explicit_cluster;    /* .explicitcluster: a launch has to name its clusters */
        bool blocks_are_clusters; /* .blocksareclusters: a launch's grid counts clusters */
    } limits;
};

struct ptx_file {
    const char *name; /* as in .file; index is the number in the text */
};

/* What higher layers have worked out of a module and keep with it; ptx_free calls release. */
enum ptx_derivation { PTX_SHARED_LAYOUT, PTX_CALLED_FUNCTIONS, PTX_DERIVATIONS };

struct ptx_derived {
    void (*release)(struct ptx_derived *);
};

struct ptx_module {
    struct arena arena;
    struct ptx_derived *derived[PTX_DERIVATIONS]; /* ptx_derive */
    const char *path;                             /* for messages: "k.ptx", "prog.cu:sm_90" */
    const char *text; /* what it was parsed from; NULL: linked from several */
    size_t text_bytes;
    struct hash128 hash; /* of the text */
    uint32_t version;    /* 7.8 -> 78 */
    uint32_t target;     /* sm_90a -> 90 */
    bool target_suffix_a;
    bool replicated; /* .pragma "lockstep replicated": lanes store copies of one value on purpose */
    bool is_wir; /* .pragma "lockstep wir": text of the warp IR (wir/wir.h): a jump behind a branch
                    that no label stands before is that branch's other way, no instruction */
    uint32_t address_size;
    struct ptx_file *files;
    uint32_t file_count;
    struct ptx_var **vars; /* module scope */
    uint32_t var_count;
    struct ptx_func **funcs;
    uint32_t func_count;
};

/* What the wrapper of a program's device code points to: `lockstep cc` writes it, src/device reads
 * it. The text follows, ended by a NUL that size does not count. */
struct ptx_container {
    char magic[8]; /* PTX_CONTAINER_MAGIC, no NUL */
    uint32_t version;
    uint32_t flags;
    uint64_t size;
};
#define PTX_CONTAINER_MAGIC "LOCKSTEP"
enum { PTX_CONTAINER_VERSION = 1, PTX_CONTAINER_RELOCATABLE = 1 };
/* The text of the next whole container from at on, as in an object or an archive of them, and its
 * size; NULL where none begins before end. Of the caller's bytes. */
const char *ptx_next_container(const char *at, const char *end, size_t *size);

/* Parses size bytes of PTX text (need not end in NUL; one at the end is ignored). On failure NULL
 * and the first error: "path:line:column: what". Unknown or left-out instructions fail here, so a
 * module that loads holds none. */
struct ptx_module *ptx_parse(const char *text, size_t size, const char *path, struct ls_error *err);
void ptx_free(struct ptx_module *m);
/* The module's, made when first asked for; from any thread. */
struct ptx_derived *ptx_derive(const struct ptx_module *m, enum ptx_derivation which,
                               struct ptx_derived *(*make)(const struct ptx_module *m));
/* No device could hold it: more constant memory than there is. Of a whole program's module; the
 * parts of ptx_link are not asked. */
bool ptx_fits(const struct ptx_module *m, const char *path, struct ls_error *err);
/* Appends the text with .maxnreg for each kernel that has no bounds of its own (.maxntid, .reqntid,
 * .maxnreg), which is what nvcc's -maxrregcount and CU_JIT_MAX_REGISTERS ask for. */
void ptx_limit_registers(const char *text, size_t size, uint32_t most, struct text *out);

/* Several modules into one (separate compilation): externs are resolved by name, weak ones once.
 * Consumes nothing: the parts are copied. */
struct ptx_module *ptx_link(struct ptx_module *const *parts, size_t count, const char *path,
                            struct ls_error *err);

/* What a kernel reaches: by calls, by addresses that code takes, by those in variables' initial
 * values. By index in the module; owned. */
struct ptx_reached {
    bool *var, *func;
    bool anywhere; /* a call goes through a pointer */
};
struct ptx_reached ptx_reach(const struct ptx_module *m, const struct ptx_func *kernel);
void ptx_reached_free(struct ptx_reached *r);

/* False: a kernel has more static shared memory than its architecture allows, in ptxas' words. */
bool ptx_check_shared(const struct ptx_module *m, struct ls_error *err);

struct ptx_func *ptx_find_func(const struct ptx_module *m, const char *name); /* NULL: none */
struct ptx_var *ptx_find_var(const struct ptx_module *m, const char *name);

/* Prints a module as PTX text that parses to the same module (round trip, tests, --dump). */
void ptx_print(const struct ptx_module *m, struct text *out);
void ptx_print_insn(const struct ptx_func *f, const struct ptx_insn *i, struct text *out);
/* Names that registers, and variables of functions, are printed under, by number. */
struct ptx_print_names {
    const char *const *reg;
    const bool *predicate; /* per register */
    const char *const *var;
    const char *targets; /* of the list that a call through a pointer names (ptx_print_targets) */
};
/* A list or prototype of the function (.callprototype and its kin) behind the label `name`, a line;
 * not of branches. */
void ptx_print_targets(const struct ptx_func *f, uint32_t target, const char *name,
                       struct text *out);
/* The same of an instruction whose registers and variables are not a function's own. */
void ptx_print_insn_as(const struct ptx_insn *i, const struct ptx_print_names *names,
                       struct text *out);
/* Selects what ptx_print_around prints of a module: what stands around one function, which the
 * caller prints. */
struct ptx_print_part {
    const struct ptx_func *f;
    const char *pragma;
    const bool *vars; /* per variable of the module: it is wanted */
    bool functions; /* other functions with a body are; those without always, other kernels never */
    void (*body)(void *context, struct text *out); /* what stands between f's braces */
    void *context;
};
void ptx_print_around(const struct ptx_module *m, const struct ptx_print_part *part,
                      struct text *out);

#endif
