/* SPDX-License-Identifier: Apache-2.0
 *
 * post/window.c: vectors that begin a few words apart.
 *
 *     sum += taps[k] * in[i + k]      for k = 0 to 8: nine vectors of which eight lie across two
 *                                     lines, each two accesses to the first cache; of what has just
 *                                     been stored in other vectors each waits until these are in
 *                                     the cache
 *
 * Together they read a window that is no longer than one of them and eight words. So the window is
 * loaded once, in vectors side by side, and what begins between two of these is shuffled out of
 * both: of memory that the function stores to, which are then the vectors that were stored, all of
 * them; else every other one, for loads and shuffles have different ports of the processor (in C, 9
 * taps in the second cache: all loaded 68 us, all shuffled 63, every other one 57; from a tile 94
 * and 75). No byte is read that the loads do not read. Runs after LLVM's passes, within stretches
 * of code that write nothing; start with jit_windows().
 */
#include "jit/post/post.h"

#include <string.h>

enum {
    WORD = 4,
    PIECE = 16,     /* words of a vector register */
    MOST_TERMS = 4, /* of an address */
    DEEPEST = 10,
    MOST_LOADS = 256, /* of a stretch */
    MOST_PIECES = 64, /* of a window */
    MOST_STORED = 64,
};

/* An address: each value so many times, and a number. */
struct window_address {
    struct {
        LLVMValueRef v;
        int64_t times;
    } term[MOST_TERMS];
    unsigned terms;
    bool fits;
    int64_t plus;
};

struct window_load {
    LLVMValueRef v;
    struct window_address at;
    unsigned words, order; /* order: in the code */
    bool done;
};

struct windows {
    LLVMBuilderRef b;
    LLVMTypeRef i32, i64;
    VEC(struct window_load) loads;    /* of the stretch */
    LLVMValueRef stored[MOST_STORED]; /* what addresses that the function stores to are made of */
    unsigned stored_count;
    unsigned made; /* windows that were cut */
};

/* Loads of one window, by address. */
struct window {
    struct window_load *load[MOST_LOADS];
    unsigned count, words, chunks;
    LLVMValueRef chunk[MOST_PIECES]; /* NULL: not loaded yet */
    unsigned start[MOST_PIECES];     /* in words from the window's */
    LLVMValueRef pointer, before;    /* of the load that comes first; */
    int64_t pointer_plus;
};

/* -- addresses --------------------------------------------------------------------------------- */

static void decompose(struct window_address *p, LLVMValueRef v, int64_t times, unsigned depth);

static void
add_term(struct window_address *p, LLVMValueRef v, int64_t times)
{
    for (unsigned k = 0; k < p->terms; k++)
        if (p->term[k].v == v) {
            p->term[k].times += times;
            return;
        }
    p->fits &= p->terms < MOST_TERMS;
    if (!p->fits)
        return;
    p->term[p->terms].v = v;
    p->term[p->terms++].times = times;
}

static bool
is_number(LLVMValueRef v)
{
    return LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64;
}

static void
decompose_instruction(struct window_address *p, LLVMValueRef v, int64_t times, unsigned depth)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMValueRef x = LLVMGetOperand(v, 0),
                 y = LLVMGetNumOperands(v) > 1 ? LLVMGetOperand(v, 1) : NULL;
    if (op == LLVMAdd || (op == LLVMOr && LLVMGetIsDisjoint(v))) {
        decompose(p, x, times, depth);
        decompose(p, y, times, depth);
    } else if (op == LLVMShl && is_number(y) && LLVMConstIntGetZExtValue(y) < 16) {
        decompose(p, x, times << LLVMConstIntGetZExtValue(y), depth);
    } else if (op == LLVMGetElementPtr && LLVMGetNumOperands(v) == 2 &&
               LLVMGetTypeKind(LLVMGetGEPSourceElementType(v)) == LLVMIntegerTypeKind &&
               LLVMGetIntTypeWidth(LLVMGetGEPSourceElementType(v)) == 8) {
        decompose(p, x, times, depth);
        decompose(p, y, times, depth);
    } else {
        add_term(p, v, times);
    }
}

static bool
is_address(LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMPointerTypeKind ||
           (LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == 64);
}

static void
decompose(struct window_address *p, LLVMValueRef v, int64_t times, unsigned depth)
{
    if (is_number(v)) {
        p->plus = /* modulo 2^64, as addresses are */
            (int64_t)((uint64_t)p->plus + (uint64_t)times * (uint64_t)LLVMConstIntGetSExtValue(v));
        return;
    }
    bool cast = LLVMIsAIntToPtrInst(v) || LLVMIsAPtrToIntInst(v);
    if (cast && is_address(v) && is_address(LLVMGetOperand(v, 0)))
        decompose(p, LLVMGetOperand(v, 0), times, depth + 1);
    else if (!LLVMIsAInstruction(v) || !is_address(v) || depth > DEEPEST)
        add_term(p, v, times);
    else
        decompose_instruction(p, v, times, depth + 1);
}

static struct window_address
place_of(LLVMValueRef address)
{
    struct window_address p = {.fits = true};
    decompose(&p, address, 1, 0);
    return p;
}

static bool
has_term(const struct window_address *p, LLVMValueRef v, int64_t times)
{
    for (unsigned k = 0; k < p->terms; k++)
        if (p->term[k].v == v)
            return p->term[k].times == times;
    return false;
}

/* They differ by a number. */
static bool
are_apart(const struct window_address *a, const struct window_address *b)
{
    if (a->terms != b->terms || !a->fits || !b->fits)
        return false;
    for (unsigned k = 0; k < a->terms; k++)
        if (!has_term(b, a->term[k].v, a->term[k].times))
            return false;
    return true;
}

/* -- a window ---------------------------------------------------------------------------------- */

static int64_t
words_in(const struct window *w, const struct window_load *l)
{
    return (l->at.plus - w->load[0]->at.plus) / WORD;
}

/* All loads that lie in one window with the first one that is not done yet, in order. */
static void
collect(struct windows *s, struct window_load *first, struct window *w)
{
    *w = (struct window){.count = 0};
    for (size_t k = (size_t)(first - s->loads.at); k < s->loads.count; k++) {
        struct window_load *l = &s->loads.at[k];
        if (l->done || !are_apart(&first->at, &l->at) || (l->at.plus - first->at.plus) % WORD)
            continue;
        unsigned at = w->count++;
        for (; at > 0 && w->load[at - 1]->at.plus > l->at.plus; at--)
            w->load[at] = w->load[at - 1];
        w->load[at] = l;
    }
    /* Up to the first gap. */
    unsigned n = 0;
    w->words = w->load[0]->words;
    while (n < w->count && words_in(w, w->load[n]) <= w->words) {
        unsigned end = (unsigned)words_in(w, w->load[n]) + w->load[n]->words;
        w->words = end > w->words ? end : w->words;
        n++;
    }
    w->count = n;
    w->chunks = (w->words + PIECE - 1) / PIECE;
    const struct window_load *earliest = w->load[0];
    for (unsigned k = 0; k < n; k++) {
        w->load[k]->done = true;
        earliest = w->load[k]->order < earliest->order ? w->load[k] : earliest;
    }
    w->before = earliest->v;
    w->pointer = LLVMGetOperand(earliest->v, 0);
    w->pointer_plus = earliest->at.plus;
}

static LLVMValueRef
shuffle(struct windows *s, LLVMValueRef a, LLVMValueRef b, const int *lane, unsigned n)
{
    LLVMValueRef v[2 * PIECE];
    for (unsigned k = 0; k < n; k++)
        v[k] = lane[k] < 0 ? LLVMGetPoison(s->i32) : LLVMConstInt(s->i32, (unsigned)lane[k], false);
    return LLVMBuildShuffleVector(s->b, a, b ? b : LLVMGetPoison(LLVMTypeOf(a)),
                                  LLVMConstVector(v, n), "");
}

/* PIECE words of the window, as whole numbers: only of these LLVM shifts two registers (valignd),
 * of others it permutes them by a vector of numbers and loses one. The last ones by themselves
 * where a register has as many; else with those before. */
static LLVMValueRef
chunk(struct windows *s, struct window *w, unsigned k)
{
    if (w->chunk[k])
        return w->chunk[k];
    unsigned rest = w->words - k * PIECE, n = PIECE;
    w->start[k] = k * PIECE;
    if (rest < PIECE && (rest == 2 || rest == 4 || rest == 8))
        n = rest;
    else if (rest < PIECE)
        w->start[k] = w->words - PIECE;
    LLVMPositionBuilderBefore(s->b, w->before);
    int64_t plus = w->load[0]->at.plus + (int64_t)w->start[k] * WORD - w->pointer_plus;
    LLVMValueRef at = LLVMIsAIntToPtrInst(w->pointer) && is_address(LLVMGetOperand(w->pointer, 0))
                          ? LLVMGetOperand(w->pointer, 0)
                          : LLVMBuildPtrToInt(s->b, w->pointer, s->i64, "");
    at = LLVMBuildAdd(s->b, at, LLVMConstInt(s->i64, (uint64_t)plus, true), "");
    at = LLVMBuildIntToPtr(s->b, at, LLVMTypeOf(w->pointer), "");
    LLVMValueRef v = LLVMBuildLoad2(s->b, LLVMVectorType(s->i32, n), at, "");
    LLVMSetAlignment(v, 1);
    int lane[PIECE];
    for (unsigned l = 0; l < PIECE; l++)
        lane[l] = l < n ? (int)l : -1;
    w->chunk[k] = n == PIECE ? v : shuffle(s, v, NULL, lane, PIECE);
    return w->chunk[k];
}

/* PIECE words from one on. */
static LLVMValueRef
piece(struct windows *s, struct window *w, unsigned first, LLVMValueRef user)
{
    unsigned k = first / PIECE;
    LLVMValueRef a = chunk(s, w, k),
                 b = k + 1 < w->chunks && first % PIECE ? chunk(s, w, k + 1) : NULL;
    LLVMPositionBuilderBefore(s->b, user);
    if (!b)
        return a;
    if (w->start[k + 1] == first)
        return b;
    int lane[PIECE];
    for (unsigned l = 0; l < PIECE; l++) {
        unsigned at = first + l;
        lane[l] = (int)(at / PIECE == k ? at - w->start[k] : PIECE + at - w->start[k + 1]);
    }
    return shuffle(s, a, b, lane, PIECE);
}

static void
replace(struct windows *s, struct window *w, struct window_load *l)
{
    unsigned first = (unsigned)words_in(w, l);
    LLVMValueRef v = piece(s, w, first, l->v);
    if (l->words == 2 * PIECE) {
        LLVMValueRef high = piece(s, w, first + PIECE, l->v);
        int lane[2 * PIECE];
        for (unsigned k = 0; k < 2 * PIECE; k++)
            lane[k] = (int)k;
        v = shuffle(s, v, high, lane, 2 * PIECE);
    }
    LLVMReplaceAllUsesWith(l->v, LLVMBuildBitCast(s->b, v, LLVMTypeOf(l->v), ""));
}

static bool
is_stored(const struct windows *s, const struct window_address *p)
{
    for (unsigned k = 0; k < s->stored_count; k++)
        if (has_term(p, s->stored[k], 1))
            return true;
    return false;
}

static void
consider(struct windows *s, struct window *w)
{
    unsigned pieces = 0, seen = 0, index[PIECE] = {0};
    for (unsigned k = 0; k < w->count; k++) {
        unsigned off = (unsigned)words_in(w, w->load[k]) % PIECE;
        pieces += off ? w->load[k]->words / PIECE : 0;
        if (off && !index[off])
            index[off] = ++seen;
    }
    bool all = is_stored(s, &w->load[0]->at);
    if (w->chunks > MOST_PIECES || seen < 2 || pieces < 2 * w->chunks)
        return;
    s->made++;
    LLVMValueRef gone[MOST_LOADS];
    unsigned n = 0;
    for (unsigned k = 0; k < w->count; k++) {
        unsigned off = (unsigned)words_in(w, w->load[k]) % PIECE;
        if (!all && off && index[off] % 2)
            continue;
        replace(s, w, w->load[k]);
        gone[n++] = w->load[k]->v;
    }
    while (n)
        LLVMInstructionEraseFromParent(gone[--n]);
}

/* -- stretches of code ------------------------------------------------------------------------- */

static void
end_stretch(struct windows *s)
{
    struct window w;
    for (size_t k = 0; k < s->loads.count; k++) {
        if (s->loads.at[k].done)
            continue;
        collect(s, &s->loads.at[k], &w);
        consider(s, &w);
    }
    s->loads.count = 0;
}

static bool
is_words(LLVMTypeRef t)
{
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind)
        return false;
    LLVMTypeRef e = LLVMGetElementType(t);
    bool word = LLVMGetTypeKind(e) == LLVMFloatTypeKind ||
                (LLVMGetTypeKind(e) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(e) == 32);
    return word && (LLVMGetVectorSize(t) == PIECE || LLVMGetVectorSize(t) == 2 * PIECE);
}

/* Whether no load may depend on the instruction: it writes no memory and orders none. */
static bool
is_harmless(LLVMValueRef v)
{
    LLVMValueRef f;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMStore:
    case LLVMFence:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMInvoke: return false;
    case LLVMCall: /* intrinsics that give a result write nothing */
        f = LLVMGetCalledValue(v);
        if (!LLVMIsAFunction(f) || !LLVMGetIntrinsicID(f))
            return false;
        return LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVoidTypeKind ||
               calls_intrinsic(v, "llvm.prefetch");
    default: return true;
    }
}

static void
see_block(struct windows *s, LLVMBasicBlockRef block)
{
    unsigned order = 0;
    LLVMValueRef next;
    for (LLVMValueRef v = LLVMGetFirstInstruction(block); v; v = next) {
        next = LLVMGetNextInstruction(v);
        if (!is_harmless(v) || s->loads.count == MOST_LOADS)
            end_stretch(s);
        if (!LLVMIsALoadInst(v) || LLVMGetVolatile(v) ||
            LLVMGetOrdering(v) != LLVMAtomicOrderingNotAtomic || !is_words(LLVMTypeOf(v)))
            continue;
        struct window_load l = {v, place_of(LLVMGetOperand(v, 0)), LLVMGetVectorSize(LLVMTypeOf(v)),
                                order++, false};
        if (l.at.fits)
            VEC_PUSH(&s->loads, l);
    }
    end_stretch(s);
}

static void
note_stores(struct windows *s, LLVMBasicBlockRef block)
{
    for (LLVMValueRef v = LLVMGetFirstInstruction(block); v; v = LLVMGetNextInstruction(v)) {
        if (!LLVMIsAStoreInst(v) || !is_words(LLVMTypeOf(LLVMGetOperand(v, 0))))
            continue;
        struct window_address p = place_of(LLVMGetOperand(v, 1));
        for (unsigned k = 0; k < p.terms && s->stored_count < MOST_STORED; k++)
            if (p.term[k].times == 1)
                s->stored[s->stored_count++] = p.term[k].v;
    }
}

unsigned
jit_windows(LLVMModuleRef m)
{
    LLVMContextRef x = LLVMGetModuleContext(m);
    struct windows s = {.b = LLVMCreateBuilderInContext(x),
                        .i32 = LLVMInt32TypeInContext(x),
                        .i64 = LLVMInt64TypeInContext(x)};
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        s.stored_count = 0;
        for (LLVMBasicBlockRef k = LLVMGetFirstBasicBlock(f); k; k = LLVMGetNextBasicBlock(k))
            note_stores(&s, k);
        for (LLVMBasicBlockRef k = LLVMGetFirstBasicBlock(f); k; k = LLVMGetNextBasicBlock(k))
            see_block(&s, k);
    }
    LLVMDisposeBuilder(s.b);
    VEC_FREE(&s.loads);
    return s.made;
}
