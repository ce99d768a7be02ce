/* SPDX-License-Identifier: Apache-2.0
 *
 * post/forward.c: what a block has just stored in its shared memory, in registers. Of a tree of
 * additions each phase loads what the one before stored under a mask, one element beside it: the
 * processor cannot hand such a store on to the load, which waits until the store is in the cache
 * (five times 10 ns for 256 numbers). In functions of whole blocks (versions/regions.c) nobody else
 * sees the shared memory before the function returns, barriers or not. So, where addresses are the
 * start of shared memory plus a number:
 *
 *     loads    of words that are known to hold elements of one or two values are shuffles of these
 *     stores   whose words nobody loads any more before they are stored again or the block ends are
 *              left out (of static shared memory: beyond it lies what may fault)
 *
 * Both by the words of 4 bytes. Accesses by other addresses may touch all of them, except the
 * engine's own memory: frames, parameters, local memory. Runs after LLVM's passes, which have
 * unrolled short phases over the warps and folded masks; start with jit_forward().
 */
#include "jit/post/post.h"
#include "jit/build/value.h"

#include <string.h>

#define WHOLE_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

enum {
    WORD = 4,
    MOST_WORDS = 4096,      /* of shared memory, from its start */
    MOST_MEMORY = 32 << 20, /* for what is known at the ends of all blocks */
    MOST_BLOCKS = 500,
    MOST_MEETING = 4,    /* blocks that lead to one for which values are joined, */
    MOST_JOINED = 64,    /*   values */
    MOST_ELEMENTS = 256, /* of an access */
    UNMASKED = 0,
    MASK_KNOWN,
    MASK_UNKNOWN,
};

/* -- accesses ---------------------------------------------------------------------------------- */

/* How an instruction touches shared memory. */
struct touch {
    bool reads, writes;
    bool anywhere; /* else from `at` on, size bytes, */
    uint64_t at, size;
    unsigned bytes; /*   in elements of 4 or 8 bytes; 0: of others */
    unsigned elements;
    unsigned masked; /* UNMASKED, MASK_... */
    LLVMValueRef mask;
    LLVMValueRef value; /* that is stored */
};

struct forward {
    LLVMTargetDataRef layout;
    LLVMBuilderRef b;
    LLVMBasicBlockRef *block; /* each before those that it leads to, but for loops */
    uint32_t blocks;
    uint32_t words, static_words; /* of shared memory: looked at; of static variables */
    LLVMValueRef base;            /* the address of shared memory, known everywhere; NULL: none */
    VEC(LLVMValueRef) joined;     /* values that were joined where blocks meet */
    unsigned changed;
};

static void
find_place(const struct forward *f, struct touch *a, LLVMValueRef address, LLVMTypeRef type)
{
    struct address at = address_resolve(f->layout, address);
    if (at.root == ROOT_SHARED && at.known && at.offset < 1u << 30) {
        a->at = at.offset;
        a->size = LLVMStoreSizeOfType(f->layout, type);
        a->elements = element_count(type);
        a->bytes = at.offset % WORD || a->elements > MOST_ELEMENTS ? 0 : element_bytes(type);
    } else if (at.root == ROOT_SHARED || at.root == ROOT_OTHER) {
        a->anywhere = true;
    } else {
        a->reads = a->writes = false;
    }
}

static unsigned
mask_kind(LLVMValueRef mask)
{
    if (!LLVMIsConstant(mask))
        return MASK_UNKNOWN;
    for (unsigned k = 0; k < element_count(LLVMTypeOf(mask)); k++) {
        LLVMValueRef lane = LLVMGetAggregateElement(mask, k);
        if (!lane || !LLVMIsAConstantInt(lane))
            return MASK_UNKNOWN;
    }
    return MASK_KNOWN;
}

/* The callee's attribute "memory": two bits for each kind of place, the lower one: reads. */
static void
find_effects(struct touch *a, LLVMValueRef call)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("memory", 6);
    LLVMValueRef callee = LLVMGetCalledValue(call);
    LLVMAttributeRef said = LLVMGetCallSiteEnumAttribute(call, WHOLE_FUNCTION, kind);
    if (!said && LLVMIsAFunction(callee))
        said = LLVMGetEnumAttributeAtIndex(callee, WHOLE_FUNCTION, kind);
    uint64_t effects = said ? LLVMGetEnumAttributeValue(said) : UINT64_MAX;
    a->reads = effects & 0x5555555555555555;
    a->writes = effects & 0xaaaaaaaaaaaaaaaa;
    a->anywhere = true;
}

static void
find_call(const struct forward *f, struct touch *a, LLVMValueRef v)
{
    bool load = calls_intrinsic(v, "llvm.masked.load"),
         store = calls_intrinsic(v, "llvm.masked.store");
    if (calls_intrinsic(v, "llvm.prefetch"))
        return;
    if (!load && !store) {
        find_effects(a, v);
        return;
    }
    a->reads = load;
    a->writes = store;
    a->mask = LLVMGetOperand(v, load ? 2 : 3);
    a->masked = mask_kind(a->mask);
    a->value = store ? LLVMGetOperand(v, 0) : NULL;
    find_place(f, a, LLVMGetOperand(v, store), store ? LLVMTypeOf(a->value) : LLVMTypeOf(v));
}

static struct touch
access_of(const struct forward *f, LLVMValueRef v)
{
    struct touch a = {0};
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMLoad:
    case LLVMStore:
        if (LLVMGetVolatile(v) || LLVMGetOrdering(v) != LLVMAtomicOrderingNotAtomic) {
            a.reads = a.writes = a.anywhere = true;
        } else if (LLVMIsALoadInst(v)) {
            a.reads = true;
            find_place(f, &a, LLVMGetOperand(v, 0), LLVMTypeOf(v));
        } else {
            a.writes = true;
            a.value = LLVMGetOperand(v, 0);
            find_place(f, &a, LLVMGetOperand(v, 1), LLVMTypeOf(a.value));
        }
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMInvoke: a.reads = a.writes = a.anywhere = true; break;
    case LLVMCall: find_call(f, &a, v); break;
    default: break;
    }
    return a;
}

/* Whether the access touches element k for certain. */
static bool
has_element(const struct touch *a, unsigned k)
{
    if (a->masked == MASK_UNKNOWN)
        return false;
    return a->masked == UNMASKED || LLVMConstIntGetZExtValue(LLVMGetAggregateElement(a->mask, k));
}

static uint64_t
first_word(const struct forward *f, const struct touch *a)
{
    return a->at / WORD < f->words ? a->at / WORD : f->words;
}

static uint64_t
end_word(const struct forward *f, const struct touch *a)
{
    uint64_t end = (a->at + a->size + WORD - 1) / WORD;
    return end < f->words ? end : f->words;
}

/* -- loads: what words hold -------------------------------------------------------------------- */

struct word {
    LLVMValueRef value; /* NULL: not known */
    uint16_t element;   /* of it; */
    uint8_t bytes;      /*   it has so many, */
    uint8_t part;       /*   of which these are the 4 from 4 * part on */
    bool masked;        /* stored under a mask */
};

static void
learn(const struct forward *f, const struct touch *a, struct word *w)
{
    if (a->anywhere) {
        memset(w, 0, f->words * sizeof *w);
        return;
    }
    if (!a->bytes || a->masked == MASK_UNKNOWN) {
        for (uint64_t k = first_word(f, a); k < end_word(f, a); k++)
            w[k].value = NULL;
        return;
    }
    for (unsigned k = 0; k < a->elements; k++)
        for (unsigned part = 0; has_element(a, k) && part < a->bytes / WORD; part++) {
            uint64_t at = (a->at + (uint64_t)k * a->bytes) / WORD + part;
            if (at < f->words)
                w[at] = (struct word){a->value, (uint16_t)k, (uint8_t)a->bytes, (uint8_t)part,
                                      a->masked != UNMASKED};
        }
}

/* The elements of a load: of which of at most two values, and which; -1: not needed. */
struct recipe {
    LLVMValueRef from[2];
    unsigned source[MOST_ELEMENTS];
    int element[MOST_ELEMENTS];
    bool masked;
};

static bool
find_element(const struct forward *f, const struct touch *a, const struct word *w, unsigned k,
             struct recipe *r)
{
    uint64_t at = (a->at + (uint64_t)k * a->bytes) / WORD;
    if (at + a->bytes / WORD > f->words || !w[at].value || w[at].bytes != a->bytes || w[at].part)
        return false;
    if (a->bytes > WORD &&
        (w[at + 1].value != w[at].value || w[at + 1].element != w[at].element || !w[at + 1].part))
        return false;
    unsigned s = !r->from[0] || r->from[0] == w[at].value ? 0 : 1;
    if (r->from[s] && r->from[s] != w[at].value)
        return false;
    r->from[s] = w[at].value;
    r->source[k] = s;
    r->element[k] = w[at].element;
    r->masked |= w[at].masked;
    return true;
}

static bool
find_recipe(const struct forward *f, const struct touch *a, const struct word *w, struct recipe *r)
{
    r->from[0] = r->from[1] = NULL;
    r->masked = false;
    if (!a->reads || a->writes || a->anywhere || !a->bytes)
        return false;
    for (unsigned k = 0; k < a->elements; k++) {
        r->element[k] = -1;
        if ((a->masked == MASK_UNKNOWN || has_element(a, k)) && !find_element(f, a, w, k, r))
            return false;
    }
    /* A number that all lanes use comes from the cache with the instruction that uses it, unless
     * the processor has to wait for the store: not out of the middle of a register. */
    return r->from[0] && (a->elements > 1 || r->masked || !r->element[0]);
}

/* The value as a vector of integers, at least n elements long. */
static LLVMValueRef
as_vector(const struct forward *f, LLVMValueRef v, unsigned bytes, unsigned n)
{
    LLVMTypeRef i = LLVMIntTypeInContext(LLVMGetTypeContext(LLVMTypeOf(v)), bytes * 8);
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(i));
    unsigned has = element_count(LLVMTypeOf(v));
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind) {
        v = LLVMBuildBitCast(f->b, v, i, "");
        return LLVMBuildInsertElement(f->b, LLVMGetPoison(LLVMVectorType(i, n)), v,
                                      LLVMConstInt(word, 0, false), "");
    }
    v = LLVMBuildBitCast(f->b, v, LLVMVectorType(i, has), "");
    if (has >= n)
        return v;
    LLVMValueRef lane[MOST_ELEMENTS];
    for (unsigned k = 0; k < n; k++)
        lane[k] = k < has ? LLVMConstInt(word, k, false) : LLVMGetPoison(word);
    return LLVMBuildShuffleVector(f->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(lane, n),
                                  "");
}

/* Both sources, of one type. */
static LLVMValueRef
shuffled(const struct forward *f, const struct touch *a, const struct recipe *r)
{
    unsigned n = 1;
    for (unsigned s = 0; s < 2 && r->from[s]; s++)
        n = element_count(LLVMTypeOf(r->from[s])) > n ? element_count(LLVMTypeOf(r->from[s])) : n;
    LLVMValueRef x = as_vector(f, r->from[0], a->bytes, n), lane[MOST_ELEMENTS];
    LLVMValueRef y =
        r->from[1] ? as_vector(f, r->from[1], a->bytes, n) : LLVMGetPoison(LLVMTypeOf(x));
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(x)));
    bool same = !r->from[1] && n == a->elements;
    for (unsigned k = 0; k < a->elements; k++) {
        unsigned from = (unsigned)r->element[k] + (r->element[k] >= 0 ? r->source[k] * n : 0);
        same &= r->element[k] < 0 || from == k;
        lane[k] = r->element[k] < 0 ? LLVMGetPoison(word) : LLVMConstInt(word, from, false);
    }
    return same ? x : LLVMBuildShuffleVector(f->b, x, y, LLVMConstVector(lane, a->elements), "");
}

static LLVMValueRef
replacement(const struct forward *f, const struct touch *a, const struct recipe *r,
            LLVMValueRef load)
{
    LLVMTypeRef type = LLVMTypeOf(load);
    LLVMPositionBuilderBefore(f->b, load);
    LLVMValueRef v = shuffled(f, a, r);
    LLVMValueRef zero = LLVMConstNull(LLVMInt32TypeInContext(LLVMGetTypeContext(type)));
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        v = LLVMBuildExtractElement(f->b, v, zero, "");
    v = LLVMBuildBitCast(f->b, v, type, "");
    if (a->masked == UNMASKED || LLVMIsUndef(LLVMGetOperand(load, 3)))
        return v;
    return LLVMBuildSelect(f->b, a->mask, v, LLVMGetOperand(load, 3), "");
}

static void
forward_block(struct forward *f, LLVMBasicBlockRef block, struct word *w)
{
    struct recipe r;
    for (LLVMValueRef v = LLVMGetFirstInstruction(block), next; v; v = next) {
        next = LLVMGetNextInstruction(v);
        struct touch a = access_of(f, v);
        if (a.writes)
            learn(f, &a, w);
        if (!find_recipe(f, &a, w, &r))
            continue;
        LLVMReplaceAllUsesWith(v, replacement(f, &a, &r, v));
        LLVMInstructionEraseFromParent(v);
        f->changed++;
    }
}

/* -- stores: which words are still read -------------------------------------------------------- */

static void
read_words(const struct forward *f, const struct touch *a, uint64_t *live)
{
    if (a->anywhere) {
        memset(live, 0xff, (f->words + 63) / 64 * sizeof *live);
        return;
    }
    for (uint64_t k = first_word(f, a); k < end_word(f, a); k++)
        live[k / 64] |= 1ull << k % 64;
}

/* The words that the store writes are not read before; *dead: nor after it. */
static void
write_words(const struct forward *f, const struct touch *a, uint64_t *live, bool *dead)
{
    bool fits = a->at + a->size <= (uint64_t)f->words * WORD;
    *dead = fits && !a->anywhere;
    for (uint64_t k = first_word(f, a); *dead && k < end_word(f, a); k++)
        *dead = !(live[k / 64] >> k % 64 & 1);
    for (unsigned k = 0; !a->anywhere && a->bytes && k < a->elements; k++)
        for (unsigned part = 0; has_element(a, k) && part < a->bytes / WORD; part++) {
            uint64_t at = (a->at + (uint64_t)k * a->bytes) / WORD + part;
            if (at < f->words)
                live[at / 64] &= ~(1ull << at % 64);
        }
}

/* Back from what is live at the block's end; remove: dead stores go. */
static void
live_block(struct forward *f, LLVMBasicBlockRef block, uint64_t *live, bool remove)
{
    for (LLVMValueRef v = LLVMGetLastInstruction(block), before; v; v = before) {
        before = LLVMGetPreviousInstruction(v);
        struct touch a = access_of(f, v);
        bool dead = false;
        if (a.writes)
            write_words(f, &a, live, &dead);
        if (a.reads)
            read_words(f, &a, live);
        if (dead && remove && !a.reads) {
            LLVMInstructionEraseFromParent(v);
            f->changed++;
        }
    }
}

/* -- a function -------------------------------------------------------------------------------- */

static uint32_t
number_of(const struct forward *f, LLVMBasicBlockRef block)
{
    uint32_t k = 0;
    while (k < f->blocks && f->block[k] != block)
        k++;
    return k;
}

/* Blocks in the order in which a walk leaves them, turned round. */
static void
walk(struct forward *f, LLVMBasicBlockRef entry, uint32_t most)
{
    struct step {
        LLVMBasicBlockRef block;
        unsigned next;
    } *stack = ls_alloc(sizeof *stack * (most + 1));
    LLVMBasicBlockRef *seen = ls_alloc(sizeof *seen * (most + 1)),
                      *left = ls_alloc(sizeof *left * (most + 1));
    uint32_t depth = 1, seen_count = 1, count = 0;
    stack[0] = (struct step){.block = entry};
    seen[0] = entry;
    while (depth) {
        struct step *s = &stack[depth - 1];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(s->block);
        if (s->next == LLVMGetNumSuccessors(end)) {
            left[count++] = s->block;
            depth--;
            continue;
        }
        LLVMBasicBlockRef to = LLVMGetSuccessor(end, s->next++);
        uint32_t k = 0;
        while (k < seen_count && seen[k] != to)
            k++;
        if (k < seen_count)
            continue;
        seen[seen_count++] = to;
        stack[depth++] = (struct step){.block = to};
    }
    f->blocks = count;
    f->block = ls_alloc(sizeof *f->block * (count + 1));
    for (uint32_t k = 0; k < count; k++)
        f->block[k] = left[count - 1 - k];
    ls_release(stack);
    ls_release(seen);
    ls_release(left);
}

/* -- where blocks meet ------------------------------------------------------------------------- */

struct meeting {
    LLVMBasicBlockRef block;
    uint32_t from[MOST_MEETING]; /* numbers of the blocks that lead to it */
    uint32_t count;
    bool loop; /* or more than MOST_MEETING: nothing is known */
};

static struct meeting
meeting_at(const struct forward *f, uint32_t number)
{
    struct meeting m = {.block = f->block[number]};
    for (uint32_t p = 0; p < f->blocks; p++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(f->block[p]);
        unsigned leads = 0;
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
            leads += LLVMGetSuccessor(end, s) == m.block;
        if (!leads)
            continue;
        m.loop |= p >= number || m.count == MOST_MEETING || leads > 1;
        if (!m.loop)
            m.from[m.count++] = p;
    }
    return m;
}

static bool
same_word(const struct word *a, const struct word *b)
{
    return a->value == b->value && a->element == b->element && a->bytes == b->bytes &&
           a->part == b->part;
}

/* Whether the words from w on hold all of the vector v. */
static bool
holds_all(const struct word *w, LLVMValueRef v, uint32_t words)
{
    unsigned parts = element_bytes(LLVMTypeOf(v)) / WORD;
    for (uint32_t k = 0; k < words; k++)
        if (w[k].value != v || w[k].element != k / parts || w[k].part != k % parts)
            return false;
    return true;
}

/* The value of the type that the words from `at` on have at the end of block p: loaded where it is
 * not known. */
static LLVMValueRef
value_from(const struct forward *f, uint32_t p, const struct word *known, uint32_t at,
           LLVMTypeRef type, uint32_t words)
{
    LLVMContextRef x = LLVMGetTypeContext(type);
    LLVMValueRef v = known[at].value, n = LLVMConstInt(LLVMInt64TypeInContext(x), at * WORD, false);
    if (v && LLVMTypeOf(v) == type && holds_all(&known[at], v, words))
        return v;
    LLVMPositionBuilderBefore(f->b, LLVMGetBasicBlockTerminator(f->block[p]));
    v = LLVMBuildGEP2(f->b, LLVMInt8TypeInContext(x), f->base, &n, 1, "");
    v = LLVMBuildLoad2(f->b, type, v, "");
    LLVMSetAlignment(v, 1);
    return v;
}

/* A vector that one of the blocks has stored, and others may not have: joined to one value, so that
 * the block that all lead to need not load it on the way on which it was just stored. */
static void
join(struct forward *f, const struct meeting *m, struct word **known, uint32_t at, LLVMValueRef v,
     struct word *w)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    unsigned parts = element_bytes(type) / WORD;
    uint32_t words = element_count(type) * parts;
    LLVMBasicBlockRef from[MOST_MEETING];
    LLVMValueRef value[MOST_MEETING];
    for (uint32_t k = 0; k < m->count; k++) {
        from[k] = f->block[m->from[k]];
        value[k] = value_from(f, m->from[k], known[m->from[k]], at, type, words);
    }
    LLVMPositionBuilderBefore(f->b, LLVMGetFirstInstruction(m->block));
    LLVMValueRef phi = LLVMBuildPhi(f->b, type, "");
    LLVMAddIncoming(phi, value, from, m->count);
    VEC_PUSH(&f->joined, phi);
    for (uint32_t k = 0; k < words; k++)
        w[at + k] = (struct word){phi, (uint16_t)(k / parts), (uint8_t)(parts * WORD),
                                  (uint8_t)(k % parts), false};
}

static void
join_all(struct forward *f, const struct meeting *m, struct word **known, struct word *w)
{
    unsigned most = MOST_JOINED;
    for (uint32_t p = 0; p < m->count; p++) {
        const struct word *x = known[m->from[p]];
        for (uint32_t at = 0; at < f->words && most; at++) {
            LLVMValueRef v = x[at].value;
            if (!v || w[at].value || x[at].element || x[at].part ||
                LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind)
                continue;
            uint64_t words =
                (uint64_t)element_count(LLVMTypeOf(v)) * element_bytes(LLVMTypeOf(v)) / WORD;
            if (at + words > f->words || at + words > f->static_words ||
                !holds_all(&x[at], v, (uint32_t)words))
                continue;
            join(f, m, known, at, v, w);
            most--;
        }
    }
}

/* What is known at the start of a block: what is at the end of all that lead to it. */
static void
meet(struct forward *f, uint32_t number, struct word **known, struct word *w)
{
    struct meeting m = meeting_at(f, number);
    if (m.loop || !m.count)
        return;
    memcpy(w, known[m.from[0]], f->words * sizeof *w);
    for (uint32_t p = 1; p < m.count; p++)
        for (uint32_t k = 0; k < f->words; k++) {
            const struct word *x = &known[m.from[p]][k];
            w[k].masked |= x->masked;
            if (!same_word(&w[k], x))
                w[k].value = NULL;
        }
    if (m.count > 1 && f->base)
        join_all(f, &m, known, w);
}

/* Joined values that nobody uses, and what was loaded for them. */
static void
drop_joined(struct forward *f)
{
    for (size_t k = f->joined.count; k-- > 0;) {
        LLVMValueRef phi = f->joined.at[k];
        if (LLVMGetFirstUse(phi))
            continue;
        LLVMValueRef value[MOST_MEETING];
        unsigned count = LLVMCountIncoming(phi);
        for (unsigned p = 0; p < count; p++)
            value[p] = LLVMGetIncomingValue(phi, p);
        LLVMInstructionEraseFromParent(phi);
        for (unsigned p = 0; p < count; p++)
            if (LLVMIsALoadInst(value[p]) && !LLVMGetFirstUse(value[p]))
                LLVMInstructionEraseFromParent(value[p]);
    }
    f->joined.count = 0;
}

static void
forward_loads(struct forward *f)
{
    struct word **known = ls_alloc(sizeof *known * (f->blocks + 1));
    for (uint32_t k = 0; k < f->blocks; k++) {
        known[k] = ls_alloc(sizeof **known * (f->words + 1));
        if (k)
            meet(f, k, known, known[k]);
        forward_block(f, f->block[k], known[k]);
    }
    for (uint32_t k = 0; k < f->blocks; k++)
        ls_release(known[k]);
    ls_release(known);
    drop_joined(f);
}

/* From which word on something may be read after the function's end: beyond static shared memory
 * there may be none, and a store that faults is to do so. */
static uint32_t
read_from(const struct forward *f, LLVMValueRef end)
{
    if (LLVMGetNumSuccessors(end))
        return f->words;
    bool done = LLVMIsAReturnInst(end) && LLVMIsAConstantInt(LLVMGetOperand(end, 0)) &&
                LLVMConstIntGetZExtValue(LLVMGetOperand(end, 0)) == JIT_DONE;
    return done ? f->static_words : 0;
}

static void
live_after(const struct forward *f, uint32_t number, uint64_t **live, uint64_t *out)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(f->block[number]);
    memset(out, 0, (f->words + 63) / 64 * sizeof *out);
    for (uint32_t k = read_from(f, end); k < f->words; k++)
        out[k / 64] |= 1ull << k % 64;
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
        uint32_t to = number_of(f, LLVMGetSuccessor(end, s));
        for (uint32_t k = 0; k < (f->words + 63) / 64; k++)
            out[k] |= live[to][k];
    }
}

static void
drop_stores(struct forward *f)
{
    size_t bytes = (f->words + 63) / 64 * sizeof(uint64_t);
    uint64_t **live = ls_alloc(sizeof *live * (f->blocks + 1)), *now = ls_alloc(bytes + 8);
    for (uint32_t k = 0; k < f->blocks; k++)
        live[k] = ls_alloc(bytes + 8);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = f->blocks; k-- > 0;) {
            live_after(f, k, live, now);
            live_block(f, f->block[k], now, false);
            changed |= memcmp(now, live[k], bytes) != 0;
            memcpy(live[k], now, bytes);
        }
    }
    for (uint32_t k = 0; k < f->blocks; k++) {
        live_after(f, k, live, now);
        live_block(f, f->block[k], now, true);
    }
    for (uint32_t k = 0; k < f->blocks; k++)
        ls_release(live[k]);
    ls_release(live);
    ls_release(now);
}

/* The load of shared memory's address at the function's start. */
static LLVMValueRef
find_base(const struct forward *f)
{
    for (LLVMValueRef v = LLVMGetFirstInstruction(f->block[0]); v; v = LLVMGetNextInstruction(v)) {
        if (!LLVMIsALoadInst(v) || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind)
            continue;
        struct address a = address_resolve(f->layout, v);
        if (a.root == ROOT_SHARED && a.known && !a.offset)
            return v;
    }
    return NULL;
}

/* How many words the accesses by known addresses reach; 0: there are not both loads and stores. */
static uint32_t
words_of(const struct forward *f)
{
    uint64_t end = 0;
    bool reads = false, writes = false;
    for (uint32_t k = 0; k < f->blocks; k++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(f->block[k]); v;
             v = LLVMGetNextInstruction(v)) {
            struct touch a = access_of(f, v);
            bool counts = !a.anywhere && a.bytes;
            reads |= counts && a.reads;
            writes |= counts && a.writes;
            end = counts && a.at + a.size > end ? a.at + a.size : end;
        }
    end = (end + WORD - 1) / WORD;
    return !reads || !writes ? 0 : end < MOST_WORDS ? (uint32_t)end : MOST_WORDS;
}

static void
forward_function(struct forward *f, LLVMValueRef function)
{
    uint32_t count = LLVMCountBasicBlocks(function);
    if (count > MOST_BLOCKS)
        return;
    walk(f, LLVMGetEntryBasicBlock(function), count);
    f->words = words_of(f);
    f->base = find_base(f);
    if (f->words && (uint64_t)f->words * f->blocks * sizeof(struct word) <= MOST_MEMORY) {
        forward_loads(f);
        drop_stores(f);
    }
    ls_release(f->block);
}

unsigned
jit_forward(LLVMModuleRef m, uint32_t shared_bytes)
{
    struct forward f = {.b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m)),
                        .layout = LLVMGetModuleDataLayout(m),
                        .static_words = shared_bytes / WORD};
    for (LLVMValueRef v = LLVMGetFirstFunction(m); v; v = LLVMGetNextFunction(v))
        if (!LLVMIsDeclaration(v))
            forward_function(&f, v);
    LLVMDisposeBuilder(f.b);
    VEC_FREE(&f.joined);
    return f.changed;
}
