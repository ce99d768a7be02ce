/* SPDX-License-Identifier: Apache-2.0
 *
 * jit/engine: the engine and the images it keeps: compile.c is the pipeline of one kernel in order,
 * kernels.c the kernels in memory, cache.c those on disk; link.c and orc.c put object code into
 * memory; bitcode.c is what the compiler driver has done with clang's code.
 */
#ifndef LOCKSTEP_JIT_ENGINE_H
#define LOCKSTEP_JIT_ENGINE_H

#include "jit/build/build.h"
#include "jit/engine/budget.h"
#include "jit/engine/link.h"

#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/TargetMachine.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

/* A compiled kernel: an object file and its description. */
struct facts;
struct jit_image {
    uint32_t frame_bytes;
    struct jit_needs needs;
    bool has_block, has_full, has_partial, has_barrier, polls, may_wait, recursive, pauses;
    uint32_t tier;     /* enum jit_tier: the form that the budget allowed */
    uint32_t aim;      /* of quick code: the form that better code is tried in first; not on disk */
    uint32_t quick_ms; /* quick code (pass quick-first): the time that it took; 0: it is not */
    VEC(uint32_t) functions; /* numbers of the functions whose code it holds; VEC_FREE */
    bool deferred;           /* their code is made when they are first called: it holds none */
    uint8_t *code;           /* ls_release */
    size_t size;
};

struct jit_engine {
    pthread_mutex_t lock;   /* of entries, machines, counts */
    pthread_cond_t changed; /* an entry is no longer in work */
    struct entry *entries;
    pthread_mutex_t functions_lock; /* of these; held while a function is made; before `lock` */
    struct function *functions;     /* engine/functions.c */
    struct jit_deferred *deferred;  /* of kernels */
    pthread_t improver;             /* makes better code; if improver_runs */
    pthread_cond_t due;             /* it may have something to do */
    bool improver_runs, ends;
    _Atomic pid_t improving; /* it compiles, in this process; 0: it does not */
    VEC(LLVMTargetMachineRef) machines[JIT_EFFORTS]; /* those that no compile uses now */
    struct jit_counts counts;
    pthread_mutex_t orc_lock;
    LLVMOrcLLJITRef orc; /* NULL until jit_link has turned an object down */
    char *host;          /* jit_host(): part of every key */
    char *cache;         /* folder, or NULL */
    uint64_t off;        /* passes that are switched off */
    char *remarks;       /* as in struct jit_options */
    struct jit_watch watch;
    uint64_t emitted_most, optimised_most; /* jit_set_budget */
    bool narrow;                           /* as in struct jit_options, */
    const struct jit_debugger *debugger;   /*   likewise */
    _Atomic bool closed;                   /* jit_close */
    bool reopened;                         /* jit_llvm_reopen */
    void (*compiled)(void);                /* jit_set_compiled; or NULL */
};

/* Of the sources that decide about code (cmake/engine_key.cmake). */
extern const char jit_sources_key[];

/* -- cache.c ----------------------------------------------------------------------------------- */

/* False: not there, damaged, or of another version: compile. */
bool jit_cache_load(struct jit_engine *e, struct hash128 key, struct jit_image *out);
/* Failures are not errors: the next run compiles again. */
void jit_cache_store(struct jit_engine *e, struct hash128 key, const struct jit_image *image);

/* -- constants.c, copies.c: a unit's device code as clang made it,
 * before any pass --------------- */

/* False: a kernel, or a function that is used, writes to a __constant__ variable: *err has the
 * place. */
bool jit_constants_kept(LLVMModuleRef m, struct ls_error *err);
/* Structures that are copied whole are read and written as vectors. */
void jit_widen_copies(LLVMModuleRef m);
/* annotations.c */
void jit_cluster_dims(LLVMModuleRef m);
void jit_grid_constants(LLVMModuleRef m);

/* -- callees.c, compile.c ---------------------------------------------------------------------- */

/* A function that a kernel really calls. */
struct jit_callee {
    const struct ptx_func *func;
    const struct called *called; /* of a kernel, which a call launches: NULL */
    struct wir *wir;             /* wir_free; NULL: a kernel's, or nobody needs it */
};

/* One kernel on its way, or one function of it. */
struct unit {
    struct jit_engine *engine;
    const struct jit_request *request;
    const struct ptx_func
        *function; /* NULL: the kernel, with its functions unless it defers them */
    struct wir *wir;
    uint32_t registers; /* of `wir`, as struct jit_needs has them */
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMTargetMachineRef machine; /* taken from the engine's; NULL: none */
    enum jit_tier tier, aim;      /* aim: the first form that may fit */
    enum jit_effort effort;       /* of `machine` */
    bool better;                  /* quick code will not do */
    bool hurry;   /* a form that takes long is put off, and quick code comes first */
    bool put_off; /* that is so of this form */
    bool over;    /* the form is larger than may be emitted */
    struct jit_image *image;
    struct text *classes;           /* for jit_dump, else NULL */
    struct text *graph;             /* likewise: the warp IR, and what passes decided */
    enum jit_pass first, last;      /* of the passes that are shown */
    struct jit_remarks *remarks;    /* NULL: nobody reads them */
    struct lines *lines;            /* NULL: no debugger of the host is there */
    VEC(struct jit_callee) callees; /* jit_unit_callees; jit_callees_free */
    bool wants_pointed;             /* they have those whose addresses are taken */
    bool defers;                    /* calls go to what jit_launch.functions has (pass
                                       deferred-functions) */
    struct ls_error *err;
};

/* Passes that are switched off, or may not run in this code. */
uint64_t jit_unit_off(const struct unit *u);
/* The function's warp IR, rewritten by the passes of that stage; NULL and an error. A kernel's
 * registers are counted before passes that only some code has: a program is told the same with a
 * tool and without. */
struct wir *jit_unit_wir(struct unit *u, const struct ptx_func *f);

/* A kernel's image: object code and what exec has to know. Several threads may compile at once.
 * better: not quick code; from: the first form that is tried. */
bool jit_compile(struct jit_engine *engine, const struct jit_request *r, const char *stem,
                 bool better, enum jit_tier from, struct jit_image *image, struct ls_error *err);
/* Its steps: the module, optimised; its code, to LLVMDisposeMemoryBuffer; the end, whatever came.
 */
bool jit_unit_begin(struct unit *u, const char *stem);
bool jit_unit_generate(struct unit *u, LLVMCodeGenFileType type, LLVMMemoryBufferRef *out);
void jit_unit_end(struct unit *u);
/* One function (r->kernel) that kernels defer: its image has that number alone. */
bool jit_compile_function(struct jit_engine *engine, const struct jit_request *r, const char *stem,
                          bool quick, struct jit_image *image, struct ls_error *err);
/* What emitters of the unit's functions begin with: LLVMDisposeBuilder(e.b), tools_free. */
struct core jit_unit_core(const struct unit *u, const struct wir *wir, struct facts *facts);
void jit_vector_attributes(LLVMContextRef context, LLVMValueRef f);
/* The functions that the kernel may call, and whether they are deferred. */
bool jit_unit_callees(struct unit *u);
void jit_callees_free(struct unit *u);
/* Their code, in the kernel's module, unless they are deferred; that of u->function. */
bool jit_emit_callees(struct unit *u, const char *stem);
bool jit_emit_function(struct unit *u, const char *stem);
/* What a function's lanes may wait for: a barrier, what others write, others of other blocks, their
 * turn in a schedule. */
struct waits {
    bool barrier, polls, outside, turn;
};
struct waits jit_waits(const struct wir *f);
/* What the image says of waiting becomes so. */
void jit_image_waits(struct jit_image *m, struct waits w);
/* What the functions are called that warps of all lanes and of some lanes begin with. */
void jit_names(const char *stem, char full[64], char partial[64]);

/* -- kernels.c --------------------------------------------------------------------------------- */

/* The name of a request's code on disk and in memory. */
struct hash128 jit_key(const struct jit_engine *e, const struct jit_request *r);
bool jit_same_request(const struct jit_request *a, const struct jit_request *b);
/* Once the process ends, by another copy of LLVM, whose machines are others. */
bool jit_may_compile(struct jit_engine *e, struct ls_error *err);

/* -- functions.c ------------------------------------------------------------------------------- */

/* What jit_kernel.deferred is; jit_undefer (NULL: nothing). functions: jit_kernel's. */
struct jit_deferred *jit_defer(struct jit_engine *e, const struct jit_request *r,
                               const struct jit_image *image, void **functions);
void jit_undefer(struct jit_engine *e, struct jit_deferred *d);
/* A launch that jit_runs() was told of is over. */
void jit_functions_ran(struct jit_engine *e, const struct jit_kernel *k);
/* Code of all functions; waits for its thread. */
void jit_functions_end(struct jit_engine *e);
/* That of a module's. */
void jit_functions_forget(struct jit_engine *e, const struct ptx_module *m);

/* -- host.c ------------------------------------------------------------------------------------ */

/* The version of the generator, the processor and its features; ls_release. */
char *jit_host(bool narrow, struct ls_error *err);

/* -- gdb.c ------------------------------------------------------------------------------------- */

/* For struct jit_debugger: the object, whose sections lie in memory at `place' (NULL: not there).
 * Of its functions those of warps are called `name'. ls_release. */
uint8_t *jit_gdb_object(const void *object, size_t size, void *const *place, const char *name,
                        size_t *bytes);

/* -- llvm.c ------------------------------------------------------------------------------------ */

/* Before anything of LLVM is called; false: it is not there. Again: does nothing. */
bool jit_llvm_open(struct ls_error *err);
/* A fresh copy of LLVM, for what is compiled while the process ends; machines of the first are
 * void. */
bool jit_llvm_reopen(struct ls_error *err);

/* -- machine.c --------------------------------------------------------------------------------- */

/* LLVM's code generator for this machine, which no other compile uses until it is given back. NULL:
 * failed. */
LLVMTargetMachineRef jit_machine_take(struct jit_engine *e, enum jit_effort effort,
                                      struct ls_error *err);
void jit_machine_give(struct jit_engine *e, enum jit_effort effort, LLVMTargetMachineRef machine);
void jit_machines_end(struct jit_engine *e);
/* Before LLVM's passes: what the module is for; and before its code is generated. */
void jit_machine_aim(LLVMTargetMachineRef machine, LLVMModuleRef m);
void jit_machine_generates(LLVMTargetMachineRef machine, LLVMModuleRef m);
/* What LLVM's time grows with: instructions as they were emitted; optimised: by the registers of
 * 512 bits that their values take, with the values that come together in phis (engine/budget.h). */
uint64_t jit_size(LLVMModuleRef m, bool optimised);

/* -- orc.c ------------------------------------------------------------------------------------- */

/* LLVM's own linker. NULL: failed, with the error. */
LLVMOrcResourceTrackerRef jit_orc_link(struct jit_engine *e, const struct jit_image *image,
                                       const char *stem, struct jit_wanted *wanted, size_t count,
                                       struct ls_error *err);
void jit_orc_unlink(LLVMOrcResourceTrackerRef code); /* NULL: nothing */
void jit_orc_end(struct jit_engine *e);

#endif
