/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs single instructions through the emitters of src/jit, for one lane and for 32, with and
 * without the host's extensions, and compares every result with a reference in C.
 *
 *     static void ref_sad(uint64_t *d, const uint64_t *x, int arg) { ... }
 *     {"sad.u32", "w", "www", ref_sad, 0, EXACT}
 *
 * Widths of operands: p predicate, b 8, h 16, w 32, d 64 bits. The text is an instruction without
 * operands, or with them where they matter: immediates ("lop3.b32 d, a, b, c, 0x96"), "p|q".
 */
#ifndef LOCKSTEP_TESTS_JIT_HARNESS_H
#define LOCKSTEP_TESTS_JIT_HARNESS_H

#include "jit/ops/ops.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- an instruction from text ------------------------------------------------------------------ */

struct parsed {
    struct ptx_insn insn;
    struct ptx_operand operand[8];
    struct ptx_operand pair[2];
};

static inline void
harness_word(struct ptx_insn *i, const char *word)
{
    for (unsigned t = 1; t < PTX_TYPE_COUNT; t++) {
        if (strcmp(ptx_type_name((enum ptx_type)t), word) == 0) {
            i->type[i->type_count++] = (uint8_t)t;
            return;
        }
    }
    for (unsigned s = 1; s < PTX_SPACE_COUNT; s++) {
        if (strcmp(ptx_space_name((enum ptx_space)s), word) == 0) {
            i->space = (uint8_t)s;
            return;
        }
    }
    for (unsigned m = 1; m < PTX_MOD_COUNT; m++) {
        if (strcmp(ptx_mod_name((enum ptx_mod)m), word) == 0) {
            i->mods[m / 64] |= UINT64_C(1) << (m % 64);
            return;
        }
    }
    if (word[0] == 'v' && word[2] == 0) {
        i->vec = (uint8_t)(word[1] - '0');
        return;
    }
    fprintf(stderr, "unknown word .%s\n", word);
    abort();
}

static inline void
harness_operand(struct parsed *p, unsigned k, const char *text)
{
    static const char *const parts[] = {".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
    struct ptx_operand *o = &p->operand[k];
    o->kind = PTX_O_REG;
    o->negated = text[0] == '-' && (text[1] < '0' || text[1] > '9');
    const char *dot = strchr(text, '.');
    for (unsigned q = 0; dot && q < 6; q++)
        if (strcmp(dot, parts[q]) == 0)
            o->part = (uint8_t)(5 + q);
    if (strchr(text, '|')) {
        o->kind = PTX_O_PAIR;
        o->count = 2;
        o->elements = p->pair;
    } else if ((text[0] >= '0' && text[0] <= '9') || (text[0] == '-' && !o->negated)) {
        o->kind = PTX_O_INT;
        o->imm = strtoull(text, NULL, 0);
    } else if (strcmp(text, "_") == 0) {
        o->kind = PTX_O_SINK;
    }
}

/* nout, nin: operands where the text has none. */
static inline struct parsed *
harness_parse(const char *text, size_t nout, size_t nin)
{
    struct parsed *p = calloc(1, sizeof *p);
    char copy[256], *rest, *save = NULL;
    snprintf(copy, sizeof copy, "%s", text);
    p->insn.vec = 1;
    p->insn.guard = PTX_NO_REG;
    p->insn.operand = p->operand;
    rest = strchr(copy, ' ');
    if (rest)
        *rest++ = 0;
    char *word = strtok_r(copy, ".", &save);
    for (unsigned op = 1; op < PTX_OP_COUNT; op++)
        if (strcmp(ptx_op_name((enum ptx_op)op), word) == 0)
            p->insn.op = (uint16_t)op;
    if (p->insn.op == 0) {
        fprintf(stderr, "unknown instruction %s\n", word);
        abort();
    }
    while ((word = strtok_r(NULL, ".", &save)))
        harness_word(&p->insn, word);
    unsigned n = 0;
    for (char *o = rest ? strtok_r(rest, ", ", &save) : NULL; o; o = strtok_r(NULL, ", ", &save))
        harness_operand(p, n++, o);
    if (n == 0)
        for (; n < nout + nin; n++)
            p->operand[n].kind = PTX_O_REG;
    p->insn.operand_count = (uint8_t)n;
    return p;
}

/* -- compiling --------------------------------------------------------------------------------- */

/* Operands in memory: 32 values each, predicates as bytes. */
typedef void harness_fn(uint32_t mask, void *const *out, void *const *in);

/* [1]: a host without extensions, for the emitters' portable ways. */
struct harness {
    LLVMOrcLLJITRef jit[2];
    LLVMTargetMachineRef machine[2];
    unsigned count;
};

static inline void
harness_check(LLVMErrorRef error)
{
    if (error) {
        fprintf(stderr, "LLVM: %s\n", LLVMGetErrorMessage(error));
        abort();
    }
}

static inline LLVMTargetMachineRef
harness_machine(bool plain)
{
    char *message = NULL, *triple = LLVMGetDefaultTargetTriple();
    char *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
#if defined(__x86_64__)
    if (plain) {
        LLVMDisposeMessage(cpu);
        LLVMDisposeMessage(features);
        cpu = LLVMCreateMessage("x86-64-v2");
        features = LLVMCreateMessage("+cx16");
    }
#endif
    LLVMTargetRef target;
    if (LLVMGetTargetFromTriple(triple, &target, &message))
        abort();
    LLVMTargetMachineRef m =
        LLVMCreateTargetMachine(target, triple, cpu, features, LLVMCodeGenLevelDefault,
                                LLVMRelocPIC, LLVMCodeModelJITDefault);
    LLVMDisposeMessage(triple);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
    return m;
}

static inline void
harness_start(struct harness *h, bool plain)
{
    LLVMOrcJITTargetMachineBuilderRef builder =
        LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(harness_machine(plain));
    LLVMOrcLLJITBuilderRef jit = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(jit, builder);
    harness_check(LLVMOrcCreateLLJIT(&h->jit[plain], jit));
    h->machine[plain] = harness_machine(plain);
    LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(h->jit[plain]);
    const char *name;
    void *address;
    for (size_t i = 0; jit_math_symbol(i, &name, &address); i++) {
        LLVMOrcCSymbolMapPair pair = {
            LLVMOrcLLJITMangleAndIntern(h->jit[plain], name),
            {(LLVMOrcExecutorAddress)(uintptr_t)address, {LLVMJITSymbolGenericFlagsExported, 0}}};
        harness_check(LLVMOrcJITDylibDefine(library, LLVMOrcAbsoluteSymbols(&pair, 1)));
    }
    /* memcpy and the like, and the C library's functions that LLVM lowers intrinsics to */
    LLVMOrcDefinitionGeneratorRef process;
    harness_check(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
        &process, LLVMOrcLLJITGetGlobalPrefix(h->jit[plain]), NULL, NULL));
    LLVMOrcJITDylibAddGenerator(library, process);
}

static inline struct harness *
harness_new(void)
{
    struct harness *h = calloc(1, sizeof *h);
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    harness_start(h, false);
    harness_start(h, true);
    return h;
}

static inline void
harness_free(struct harness *h)
{
    for (unsigned k = 0; k < 2; k++) {
        harness_check(LLVMOrcDisposeLLJIT(h->jit[k]));
        LLVMDisposeTargetMachine(h->machine[k]);
    }
    free(h);
}

static inline unsigned
harness_bits(char width)
{
    return width == 'p'   ? 1
           : width == 'b' ? 8
           : width == 'h' ? 16
           : width == 'w' ? 32
           : width == 'q' ? 128
                          : 64;
}

static inline size_t
harness_bytes(char width)
{
    return width == 'p' ? 1 : harness_bits(width) / 8;
}

/* How an instruction is emitted once its operands are loaded. */
typedef bool harness_emit_fn(struct emit *e, const struct ptx_insn *i, LLVMValueRef *in,
                             unsigned nin, LLVMValueRef *out, const void *with);

static inline bool
harness_emit_plain(struct emit *e, const struct ptx_insn *i, LLVMValueRef *in, unsigned nin,
                   LLVMValueRef *out, const void *with)
{
    if (i->op == PTX_OP_CVT)
        return emit_cvt(e, i, in, nin, out);
    if (ptx_op_is(i->op, PTX_LANES))
        return emit_warp(e, i, in, nin, out);
    return emit_arith(e, i, in, nin, out);
}

static inline bool
harness_emit_math(struct emit *e, const struct ptx_insn *i, LLVMValueRef *in, unsigned nin,
                  LLVMValueRef *out, const void *with)
{
    return emit_math(e, with, in, nin, out);
}

static inline LLVMValueRef
harness_load(struct emit *e, LLVMValueRef list, unsigned k, char width)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0);
    LLVMValueRef index = LLVMConstInt(LLVMInt32TypeInContext(e->context), k, false);
    LLVMValueRef at = LLVMBuildGEP2(e->b, pointer, list, &index, 1, "");
    LLVMValueRef place = LLVMBuildLoad2(e->b, pointer, at, "");
    if (width == 'L')
        return place;
    LLVMTypeRef t = emit_int(e, width == 'p' ? 8 : harness_bits(width));
    LLVMValueRef v = LLVMBuildLoad2(e->b, t, place, "");
    LLVMSetAlignment(v, 1);
    return width == 'p' ? LLVMBuildTrunc(e->b, v, emit_int(e, 1), "") : v;
}

static inline void
harness_store(struct emit *e, LLVMValueRef list, unsigned k, char width, LLVMValueRef v)
{
    LLVMValueRef place = harness_load(e, list, k, 'L');
    v = emit_splat(e, v);
    if (width == 'p')
        v = LLVMBuildZExt(e->b, v, emit_int(e, 8), "");
    LLVMSetAlignment(LLVMBuildStore(e->b, v, place), 1);
}

/* The instruction as a function of its own. Immediate operands of the text become constants. */
static inline harness_fn *
harness_compile(struct harness *h, const struct ptx_insn *i, const char *out, const char *in,
                unsigned lanes, bool plain_host, harness_emit_fn *emit, const void *with)
{
    struct ls_error error = {0};
    LLVMOrcThreadSafeContextRef safe = LLVMOrcCreateNewThreadSafeContext();
    LLVMContextRef c = LLVMOrcThreadSafeContextGetContext(safe);
    struct emit e = {
        .context = c, .lanes = lanes, .plain_host = plain_host, .insn = i, .err = &error};
    char name[32];
    snprintf(name, sizeof name, "f%u", h->count++);
    e.module = LLVMModuleCreateWithNameInContext(name, c);
    e.b = LLVMCreateBuilderInContext(c);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(c, 0);
    LLVMTypeRef params[] = {LLVMInt32TypeInContext(c), pointer, pointer};
    LLVMTypeRef t = LLVMFunctionType(LLVMVoidTypeInContext(c), params, 3, false);
    e.function = LLVMAddFunction(e.module, name, t);
    LLVMPositionBuilderAtEnd(e.b, LLVMAppendBasicBlockInContext(c, e.function, ""));
    e.mask_bits = LLVMGetParam(e.function, 0);
    e.mask = emit_bits_to_mask(&e, e.mask_bits);
    LLVMValueRef x[16], d[16] = {0};
    unsigned nin = 0, nout = (unsigned)strlen(out), first = i->operand_count;
    first = i->operand_count && i->operand[0].kind == PTX_O_PAIR ? 1 : i->op == PTX_OP_RED ? 0 : 1;
    for (unsigned k = 0; in[k]; k++, nin++) {
        unsigned o = first + k;
        if (emit == harness_emit_plain && o < i->operand_count && i->operand[o].kind == PTX_O_INT)
            x[nin] = emit_const(&e, harness_bits(in[k]), i->operand[o].imm);
        else
            x[nin] = harness_load(&e, LLVMGetParam(e.function, 2), k, in[k]);
    }
    if (!emit(&e, i, x, nin, d, with)) {
        fprintf(stderr, "%s\n", error.text);
        return NULL;
    }
    for (unsigned k = 0; k < nout; k++)
        harness_store(&e, LLVMGetParam(e.function, 1), k, out[k], d[k]);
    LLVMBuildRetVoid(e.b);
    LLVMDisposeBuilder(e.b);
    char *message = NULL;
    if (LLVMVerifyModule(e.module, LLVMReturnStatusAction, &message)) {
        fprintf(stderr, "%s\n", message);
        return NULL;
    }
    LLVMDisposeMessage(message);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    harness_check(LLVMRunPasses(e.module, "default<O2>", h->machine[plain_host], options));
    LLVMDisposePassBuilderOptions(options);
    if (getenv("HARNESS_DUMP"))
        LLVMDumpModule(e.module);
    LLVMOrcThreadSafeModuleRef m = LLVMOrcCreateNewThreadSafeModule(e.module, safe);
    LLVMOrcDisposeThreadSafeContext(safe);
    harness_check(LLVMOrcLLJITAddLLVMIRModule(h->jit[plain_host],
                                              LLVMOrcLLJITGetMainJITDylib(h->jit[plain_host]), m));
    LLVMOrcExecutorAddress address;
    harness_check(LLVMOrcLLJITLookup(h->jit[plain_host], &address, name));
    return (harness_fn *)(uintptr_t)address;
}

/* -- values ------------------------------------------------------------------------------------ */

static inline uint64_t
harness_random(uint64_t *state) /* xorshift64* */
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/* Ugly values of a width: integers' and floats' together, then random ones. */
static inline size_t
harness_values(char width, uint64_t *v, size_t room)
{
    static const uint64_t pred[] = {0, 1},
                          word16[] = {0,      1,      2,      3,      5,      15,     16,
                                      17,     31,     0x7f,   0x80,   0xff,   0x100,  0x3ff,
                                      0x400,  0x401,  0x7ff,  0x3bff, 0x3c00, 0x3c01, 0x3555,
                                      0x3f80, 0x3f7f, 0x4200, 0x5bff, 0x63ff, 0x7bff, 0x7c00,
                                      0x7c01, 0x7dff, 0x7e00, 0x7f7f, 0x7f80, 0x7f81, 0x7fff,
                                      0x8000, 0x8001, 0x80ff, 0x8400, 0xbc00, 0xbf80, 0xfbff,
                                      0xfc00, 0xfe00, 0xff7f, 0xff80, 0xfffe, 0xffff, 0x1234,
                                      0xcafe};
    static const uint64_t word32[] = {
        0,          1,          2,          7,          8,          16,         24,
        31,         32,         33,         0x80,       0xff,       0x7fff,     0x8000,
        0x10000,    0x007fffff, 0x00800000, 0x00800001, 0x33000000, 0x33800000, 0x3f000000,
        0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000, 0x40200000, 0x40490fdb, 0x477fefff,
        0x477ff000, 0x4b000001, 0x4effffff, 0x4f000000, 0x7f7fffff, 0x7f800000, 0x7f800001,
        0x7fc12345, 0x7fffffff, 0x80000000, 0x80000001, 0x807fffff, 0x80800000, 0xb8800001,
        0xbf000000, 0xbf800000, 0xc2c80000, 0xcf000000, 0xff7fffff, 0xff800000, 0xffc00000,
        0xfffffffe, 0xffffffff, 0xdeadbeef};
    static const uint64_t word64[] = {0,
                                      1,
                                      2,
                                      31,
                                      32,
                                      33,
                                      63,
                                      64,
                                      65,
                                      0xff,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      0x100000000,
                                      0x000fffffffffffff,
                                      0x0010000000000000,
                                      0x0010000000000001,
                                      0x36a0000000000000,
                                      0x380fffffffffffff,
                                      0x3810000000000000,
                                      0x3e60000000000000,
                                      0x3f10000000000001,
                                      0x3fdfffffffffffff,
                                      0x3fe0000000000000,
                                      0x3ff0000000000000,
                                      0x3ff0000000000001,
                                      0x3ff0000010000000,
                                      0x3ff0000010000001,
                                      0x3ff8000000000000,
                                      0x4004000000000000,
                                      0x400921fb54442d18,
                                      0x40efffe000000000,
                                      0x40effe0000000000,
                                      0x41dfffffffc00000,
                                      0x41e0000000000000,
                                      0x41efffffffe00001,
                                      0x43dfffffffffffff,
                                      0x43e0000000000000,
                                      0x43f0000000000000,
                                      0x47efffffe0000000,
                                      0x47effffff0000000,
                                      0x7fefffffffffffff,
                                      0x7ff0000000000000,
                                      0x7ff0000000000001,
                                      0x7ff8000000012345,
                                      0x7fffffffffffffff,
                                      0x8000000000000000,
                                      0x8000000000000001,
                                      0x8010000000000000,
                                      0xbff0000000000000,
                                      0xc1e0000000000000,
                                      0xc1e0000000200000,
                                      0xc3e0000000000000,
                                      0xffefffffffffffff,
                                      0xfff0000000000000,
                                      0xfff8000000000000,
                                      0xffffffff80000000,
                                      0xfffffffffffffffe,
                                      0xffffffffffffffff,
                                      0x0123456789abcdef,
                                      0xfedcba9876543210};
    static uint64_t state = 0x9e3779b97f4a7c15;
    const uint64_t *from = width == 'p'                   ? pred
                           : width == 'h' || width == 'b' ? word16
                           : width == 'w'                 ? word32
                                                          : word64;
    size_t n = (width == 'p'                   ? sizeof pred
                : width == 'h' || width == 'b' ? sizeof word16
                : width == 'w'                 ? sizeof word32
                                               : sizeof word64) /
               sizeof *from;
    uint64_t mask =
        harness_bits(width) >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << harness_bits(width)) - 1;
    for (size_t k = 0; k < room; k++) {
        if (k < n) {
            v[k] = from[k] & mask;
            continue;
        }
        if (width == 'p')
            return n;
        v[k] = harness_random(&state) & mask;
        if (k % 3 == 0 && width == 'w') /* near 1 as a float */
            v[k] = (v[k] & 0x83ffffff) | 0x3c000000;
        if (k % 3 == 0 && width == 'd')
            v[k] = (v[k] & UINT64_C(0x80ffffffffffffff)) | UINT64_C(0x3f00000000000000);
    }
    return room;
}

/* -- comparing --------------------------------------------------------------------------------- */

typedef void ref_fn(uint64_t *d, const uint64_t *x, int arg);

enum { EXACT, NAN32, NAN64, NAN16, NANBF, NAN32X2, NAN16X2, NANBFX2, SKIP_UNDEFINED };

/* Equal, where any NaN is as good as another one (kind NAN*). */
static inline bool
harness_same(uint64_t a, uint64_t b, int kind)
{
    if (a == b)
        return true;
    switch (kind) {
    case NAN32: return (a & 0x7fffffff) > 0x7f800000 && (b & 0x7fffffff) > 0x7f800000;
    case NAN64: return (a << 1) > (UINT64_C(0x7ff) << 53) && (b << 1) > (UINT64_C(0x7ff) << 53);
    case NAN16: return (a & 0x7fff) > 0x7c00 && (b & 0x7fff) > 0x7c00;
    case NANBF: return (a & 0x7fff) > 0x7f80 && (b & 0x7fff) > 0x7f80;
    case NAN16X2:
    case NANBFX2:
        return harness_same(a & 0xffff, b & 0xffff, kind == NAN16X2 ? NAN16 : NANBF) &&
               harness_same(a >> 16, b >> 16, kind == NAN16X2 ? NAN16 : NANBF);
    case NAN32X2:
        return harness_same(a & 0xffffffff, b & 0xffffffff, NAN32) &&
               harness_same(a >> 32, b >> 32, NAN32);
    default: return false;
    }
}

struct form {
    const char *text, *out, *in;
    ref_fn *ref;
    int arg, kind;
};

/* All combinations of the operands' ugly values, up to about `limit` cases (by taking fewer values
 * of each). Calls run(batch of 32, n valid). */
struct cases {
    unsigned nin;
    size_t count[8];
    uint64_t value[8][512];
    size_t index[8];
    bool done;
};

static inline void
cases_init(struct cases *c, const char *in, size_t limit)
{
    memset(c, 0, sizeof *c);
    c->nin = (unsigned)strlen(in);
    unsigned wide = 0;
    for (unsigned k = 0; k < c->nin; k++)
        wide += in[k] != 'p';
    size_t each = wide <= 1 ? 512 : (size_t)pow((double)limit, 1.0 / wide);
    for (unsigned k = 0; k < c->nin; k++)
        c->count[k] = harness_values(in[k], c->value[k], each > 512 ? 512 : each);
}

static inline bool
cases_next(struct cases *c, uint64_t *x)
{
    if (c->done)
        return false;
    for (unsigned k = 0; k < c->nin; k++)
        x[k] = c->value[k][c->index[k]];
    unsigned k = 0;
    while (k < c->nin && ++c->index[k] == c->count[k])
        c->index[k++] = 0;
    c->done = k == c->nin;
    return true;
}

struct batch {
    uint64_t x[32][8];
    uint8_t in[8][32 * 16] __attribute__((aligned(64)));
    uint8_t out[8][32 * 16] __attribute__((aligned(64)));
    unsigned n;
};

static inline void
batch_pack(struct batch *b, const char *in, unsigned first)
{
    for (unsigned k = 0; in[k]; k++) {
        size_t bytes = harness_bytes(in[k]);
        for (unsigned lane = 0; lane + first < 32; lane++)
            memcpy(b->in[k] + lane * bytes, &b->x[lane + first][k], bytes);
    }
}

static inline uint64_t
batch_result(const struct batch *b, unsigned k, unsigned lane, char width)
{
    uint64_t v = 0;
    size_t bytes = harness_bytes(width);
    memcpy(&v, b->out[k] + lane * bytes, bytes > 8 ? 8 : bytes);
    return v;
}

static inline unsigned
harness_compare(const struct form *f, const struct batch *b, unsigned lane, unsigned at,
                const char *way)
{
    uint64_t want[4] = {0};
    f->ref(want, b->x[at], f->arg);
    for (unsigned k = 0; f->out[k]; k++) {
        uint64_t got = batch_result(b, k, lane, f->out[k]);
        uint64_t mask = harness_bits(f->out[k]) >= 64
                            ? ~UINT64_C(0)
                            : (UINT64_C(1) << harness_bits(f->out[k])) - 1;
        if (harness_same(got, want[k] & mask, k == 0 ? f->kind : EXACT))
            continue;
        fprintf(stderr, "%s (%s): result %u of", f->text, way, k);
        for (unsigned a = 0; f->in[a]; a++)
            fprintf(stderr, " %#" PRIx64, b->x[at][a]);
        fprintf(stderr, ": %#" PRIx64 ", should be %#" PRIx64 "\n", got, want[k] & mask);
        return 1;
    }
    return 0;
}

/* Runs one form in three ways; gives the number of mismatches (at most a few are printed). */
static inline unsigned
harness_run(struct harness *h, const struct form *f, size_t limit, size_t *cases)
{
    static const char *const ways[] = {"32 lanes", "1 lane", "32 lanes, plain host"};
    unsigned bad = 0;
    struct parsed *p = harness_parse(f->text, strlen(f->out), strlen(f->in));
    harness_fn *fn[3];
    for (unsigned w = 0; w < 3; w++) {
        fn[w] = harness_compile(h, &p->insn, f->out, f->in, w == 1 ? 1 : 32, w == 2,
                                harness_emit_plain, NULL);
        if (!fn[w]) {
            fprintf(stderr, "%s: cannot be compiled\n", f->text);
            return 1;
        }
    }
    static struct batch b;
    struct cases c;
    cases_init(&c, f->in, limit);
    void *in[8], *out[8];
    for (unsigned k = 0; k < 8; k++) {
        in[k] = b.in[k];
        out[k] = b.out[k];
    }
    bool more = true;
    while (more && bad < 4) {
        for (b.n = 0; b.n < 32 && (more = cases_next(&c, b.x[b.n])); b.n++)
            ;
        for (unsigned w = 0; w < 3; w++) {
            for (unsigned first = 0; first < (w == 1 ? b.n : 1); first++) {
                batch_pack(&b, f->in, first);
                fn[w](0xffffffff, out, in);
                for (unsigned lane = 0; lane < (w == 1 ? 1 : b.n) && bad < 4; lane++) {
                    for (unsigned k = 0; p->insn.operand_count > 1 && f->in[k]; k++)
                        if (p->operand[1 + k].kind == PTX_O_INT)
                            b.x[first + lane][k] = p->operand[1 + k].imm;
                    bad += harness_compare(f, &b, lane, first + lane, ways[w]);
                    *cases += 1;
                }
            }
        }
    }
    free(p);
    return bad;
}

/* All forms, or those that ONLY names; how many are wrong. limit: cases of each. */
static inline unsigned
harness_run_all(const struct form *forms, size_t count, size_t limit)
{
    struct harness *h = harness_new();
    unsigned bad = 0;
    const char *only = getenv("ONLY");
    for (size_t k = 0; k < count; k++) {
        size_t cases = 0;
        if (only && !strstr(forms[k].text, only))
            continue;
        unsigned wrong = harness_run(h, &forms[k], limit, &cases);
        printf("%-40s %8zu cases%s\n", forms[k].text, cases, wrong ? "  WRONG" : "");
        bad += wrong != 0;
    }
    harness_free(h);
    return bad;
}

#endif
