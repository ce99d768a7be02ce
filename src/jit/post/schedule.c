/* SPDX-License-Identifier: Apache-2.0
 *
 * post/schedule.c: the order of sums. A thread that keeps 8 x 8 sums in registers adds to all of
 * them before it takes the next elements; a warp's 64 sums are 128 vectors of the host, of which 32
 * fit its registers, and every addition would load and store its sum. Between two effects on memory
 * the sums are independent of each other, so they are added up in groups that fit: a group from
 * first to last, then the next. What is read from shared memory for them is read again for each
 * group. Every sum is made of the same operations in the same order as before; only the order
 * between sums differs.
 *
 * A stretch is a piece of a block without calls and without stores to memory that others see. In it
 * a chain is a row of additions each of which only the next one uses. Stores to what nobody else
 * sees - the warp's struct and frame, its local memory where that is laid out by words - come at
 * the end of a stretch in another order, and loads of them get the value: sums may live there, too.
 * jit_order_sums() runs after LLVM's passes, which would undo it.
 */
#include "jit/post/post.h"
#include "jit/build/value.h"

#include <llvm-c/Target.h>
#include <stddef.h>
#include <string.h>

enum {
    SHORTEST = 3, /* additions of a chain that is worth it */
    DEEPEST = 12, /* of an operand that is made anew for each group */
    STEPS_COMPARED = 4,
    NO_CHAIN = -1,
    NO_PLACE = -1,
    UNCLEAR_PLACE = -2,
};

enum kind {
    PLAIN, /* does not depend on a chain: stays where it is, before the groups */
    CHEAP, /* the same, and may be made again for each group */
    LINK,  /* an addition of a chain */
    AFTER, /* depends on a chain: comes after the groups */
};

struct node {
    LLVMValueRef v;
    enum kind kind;
    int chain;
    int place; /* loads of a private place: its number, else NO_PLACE */
};

/* A piece of it that the stretch accesses. */
struct place {
    enum area area;
    uint64_t offset, size;
    LLVMValueRef value; /* what it holds, as far as the stretch knows; */
    LLVMValueRef store; /*   the last store to it, as long as that is to be moved */
    bool stored;
};

struct chain {
    VEC(LLVMValueRef) links;
    int group;
};

struct slot {
    LLVMValueRef key;
    uint32_t value;
};

struct stretch {
    LLVMBuilderRef b;
    struct private memory;
    VEC(struct node) nodes;
    struct slot *slots;  /* value -> number of its node + 1 */
    uint32_t slot_count; /* a power of two */
    VEC(struct chain) chains;
    VEC(struct place) places;
    unsigned changes; /* stretches in another order, and private stores and loads that went */
    LLVMTargetDataRef layout;
    const struct chain *current; /* the chain being emitted */
    /* What the group being emitted has of its own: original and copy, of this step and the last. */
    VEC(LLVMValueRef) originals;
    VEC(LLVMValueRef) copies;
};

const char jit_local_words[] = "lockstep-local-words";

/* -- the host's registers ---------------------------------------------------------------------- */

static unsigned
vector_bits(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") ? 512 : __builtin_cpu_supports("avx") ? 256 : 128;
#else
    return 128;
#endif
}

static unsigned
vector_registers(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") ? 32 : 16;
#else
    return 32;
#endif
}

/* -- which node a value is --------------------------------------------------------------------- */

static struct slot *
find_slot(const struct stretch *s, LLVMValueRef v)
{
    uint32_t at = (uint32_t)(((uintptr_t)v >> 4) * 0x9e3779b1u) & (s->slot_count - 1);
    while (s->slots[at].key && s->slots[at].key != v)
        at = (at + 1) & (s->slot_count - 1);
    return &s->slots[at];
}

static struct node *
node_of(const struct stretch *s, LLVMValueRef v)
{
    const struct slot *slot = find_slot(s, v);
    return slot->key ? &s->nodes.at[slot->value] : NULL;
}

static void
number_nodes(struct stretch *s)
{
    s->slot_count = 64;
    while (s->slot_count < 2 * s->nodes.count)
        s->slot_count *= 2;
    s->slots = ls_alloc(sizeof *s->slots * s->slot_count);
    for (uint32_t n = 0; n < s->nodes.count; n++)
        *find_slot(s, s->nodes.at[n].v) = (struct slot){s->nodes.at[n].v, n};
}

/* -- instructions ------------------------------------------------------------------------------ */

/* May it be moved within a stretch? */
static bool
is_pure(LLVMValueRef v)
{
    if (LLVMIsALoadInst(v))
        return !LLVMGetVolatile(v) && LLVMGetOrdering(v) == LLVMAtomicOrderingNotAtomic;
    if (LLVMIsACallInst(v))
        return calls_intrinsic(v, "llvm.fma") || calls_intrinsic(v, "llvm.masked.gather") ||
               calls_intrinsic(v, "llvm.masked.load");
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFNeg:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMBitCast:
    case LLVMIntToPtr:
    case LLVMPtrToInt:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMSelect:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
    case LLVMGetElementPtr: return true;
    default: return false;
    }
}

/* One scalar in all lanes, or two vectors behind each other: no instruction, or part of a load. */
static bool
is_cheap_shuffle(LLVMValueRef v)
{
    unsigned n = LLVMGetNumMaskElements(v);
    bool splat = true, joined = true, repeated = true;
    unsigned from = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(v, 0)));
    for (unsigned k = 0; k < n; k++) {
        int m = LLVMGetMaskValue(v, k);
        splat &= m <= 0;
        joined &= m == (int)k || m < 0;
        repeated &= m == (int)(k % from) || m < 0;
    }
    return splat || joined || repeated;
}

static bool
is_cheap(const struct stretch *s, LLVMValueRef v)
{
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMLoad: return private_in_shared(&s->memory, LLVMGetOperand(v, 0));
    case LLVMBitCast: return true;
    case LLVMInsertElement: return LLVMIsUndef(LLVMGetOperand(v, 0));
    case LLVMShuffleVector: return is_cheap_shuffle(v);
    default: return false;
    }
}

static bool
used_once(LLVMValueRef v)
{
    LLVMUseRef u = LLVMGetFirstUse(v);
    return u && !LLVMGetNextUse(u);
}

static bool
is_operation(LLVMValueRef v, unsigned bits)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind || LLVMGetVectorSize(t) != JIT_LANES)
        return false;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetElementType(t));
    if (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMGetElementType(t)) < bits)
        return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return op == LLVMFAdd || op == LLVMAdd || calls_intrinsic(v, "llvm.fma");
}

/* -- chains ------------------------------------------------------------------------------------ */

static bool
depends(const struct stretch *s, LLVMValueRef v)
{
    const struct node *n = node_of(s, v);
    return n && (n->kind == LINK || n->kind == AFTER);
}

/* The operand that carries the sum: of an fma the third, of an addition the one that is a link. */
static unsigned
sum_operand(const struct stretch *s, LLVMValueRef v)
{
    if (LLVMIsACallInst(v))
        return 2;
    const struct node *second = node_of(s, LLVMGetOperand(v, 1));
    return second && second->kind == LINK ? 1 : 0;
}

static unsigned
operand_count(LLVMValueRef v)
{
    return LLVMIsACallInst(v) ? LLVMGetNumArgOperands(v) : (unsigned)LLVMGetNumOperands(v);
}

static void
begin_chain(struct stretch *s, struct node *n)
{
    n->kind = LINK;
    n->chain = (int)s->chains.count;
    struct chain c = {.group = NO_CHAIN};
    VEC_PUSH(&s->chains, c);
    VEC_PUSH(&s->chains.at[n->chain].links, n->v);
}

static void
classify_operation(struct stretch *s, struct node *n)
{
    unsigned sum = sum_operand(s, n->v);
    for (unsigned k = 0; k < operand_count(n->v); k++)
        if (k != sum && depends(s, LLVMGetOperand(n->v, k))) {
            n->kind = AFTER;
            return;
        }
    LLVMValueRef from = LLVMGetOperand(n->v, sum);
    const struct node *before = node_of(s, from);
    if (!before || before->kind == PLAIN || before->kind == CHEAP) {
        begin_chain(s, n);
    } else if (before->kind == LINK && used_once(from) && LLVMTypeOf(from) == LLVMTypeOf(n->v)) {
        n->kind = LINK;
        n->chain = before->chain;
        VEC_PUSH(&s->chains.at[n->chain].links, n->v);
    } else {
        n->kind = AFTER;
    }
}

static void
classify(struct stretch *s)
{
    for (uint32_t k = 0; k < s->nodes.count; k++) {
        struct node *n = &s->nodes.at[k];
        if (is_operation(n->v, 32)) {
            classify_operation(s, n);
            continue;
        }
        bool after = false;
        for (unsigned o = 0; o < operand_count(n->v); o++)
            after |= depends(s, LLVMGetOperand(n->v, o));
        n->kind = after ? AFTER : n->place != NO_PLACE || is_cheap(s, n->v) ? CHEAP : PLAIN;
    }
}

/* Short chains are no chains. */
static uint32_t
drop_short(struct stretch *s)
{
    uint32_t left = 0;
    for (uint32_t k = 0; k < s->chains.count; k++) {
        struct chain *c = &s->chains.at[k];
        if (c->links.count >= SHORTEST) {
            left++;
            continue;
        }
        for (uint32_t l = 0; l < c->links.count; l++)
            node_of(s, c->links.at[l])->kind = AFTER;
        c->links.count = 0;
    }
    return left;
}

/* -- groups ------------------------------------------------------------------------------------ */

/* What a group reads in its first steps. */
struct operands {
    VEC(LLVMValueRef) of[STEPS_COMPARED];
};

static unsigned
note_operands(struct operands *set, LLVMValueRef link, unsigned sum, uint32_t step, bool add)
{
    unsigned fresh = 0;
    for (unsigned k = 0; k < operand_count(link); k++) {
        bool known = k == sum;
        for (uint32_t n = 0; !known && n < set->of[step].count; n++)
            known = set->of[step].at[n] == LLVMGetOperand(link, k);
        fresh += !known;
        if (add && !known)
            VEC_PUSH(&set->of[step], LLVMGetOperand(link, k));
    }
    return fresh;
}

/* How many operands the chain adds to the group's. */
static unsigned
join_cost(const struct stretch *s, struct operands *set, const struct chain *c, bool add)
{
    unsigned cost = 0;
    for (uint32_t step = 0; step < STEPS_COMPARED && step < c->links.count; step++)
        cost += note_operands(set, c->links.at[step], sum_operand(s, c->links.at[step]), step, add);
    return cost;
}

/* Fills the group: each time with the chain that shares most with those that are in it. */
static void
fill_group(struct stretch *s, int group, uint32_t first, uint32_t room)
{
    struct operands set = {0};
    for (uint32_t next = first, taken = 0; next < s->chains.count && taken < room; taken++) {
        s->chains.at[next].group = group;
        join_cost(s, &set, &s->chains.at[next], true);
        unsigned least = UINT32_MAX;
        next = (uint32_t)s->chains.count;
        for (uint32_t k = first; k < s->chains.count; k++) {
            const struct chain *c = &s->chains.at[k];
            unsigned cost =
                c->group == NO_CHAIN && c->links.count ? join_cost(s, &set, c, false) : least;
            if (cost < least) {
                least = cost;
                next = k;
            }
        }
    }
    for (uint32_t k = 0; k < STEPS_COMPARED; k++)
        VEC_FREE(&set.of[k]);
}

/* -- emitting ---------------------------------------------------------------------------------- */

/* A load of a private place may come after its store only when that
 * stores the sum begun with it. */
static bool
may_copy(const struct stretch *s, const struct node *n)
{
    if (n->kind != CHEAP)
        return n->kind == PLAIN && used_once(n->v);
    if (n->place == NO_PLACE || !s->places.at[n->place].stored)
        return true;
    LLVMValueRef last = s->current->links.at[s->current->links.count - 1];
    return used_once(n->v) && s->places.at[n->place].value == last;
}

static LLVMValueRef
copy_of(struct stretch *s, LLVMValueRef v, unsigned depth)
{
    const struct node *n = node_of(s, v);
    if (!n || depth > DEEPEST || !may_copy(s, n))
        return v;
    for (uint32_t k = 0; k < s->originals.count; k++)
        if (s->originals.at[k] == v)
            return s->copies.at[k];
    LLVMValueRef copy = LLVMInstructionClone(v);
    for (unsigned k = 0; k < operand_count(v); k++)
        LLVMSetOperand(copy, k, copy_of(s, LLVMGetOperand(v, k), depth + 1));
    LLVMInsertIntoBuilder(s->b, copy);
    VEC_PUSH(&s->originals, v);
    VEC_PUSH(&s->copies, copy);
    return copy;
}

static void
emit_link(struct stretch *s, LLVMValueRef link)
{
    for (unsigned k = 0; k < operand_count(link); k++)
        LLVMSetOperand(link, k, copy_of(s, LLVMGetOperand(link, k), 0));
    LLVMInstructionRemoveFromParent(link);
    LLVMInsertIntoBuilder(s->b, link);
}

/* Nothing is read before this that comes after it: else LLVM reads once for all groups, and keeps
 * it. */
static void
emit_fence(struct stretch *s)
{
    LLVMTypeRef none = LLVMVoidTypeInContext(LLVMGetTypeContext(LLVMTypeOf(s->memory.warp)));
    static const char clobber[] = "~{memory}";
    LLVMTypeRef type = LLVMFunctionType(none, NULL, 0, false);
    LLVMValueRef empty = LLVMGetInlineAsm(type, "", 0, clobber, sizeof clobber - 1, true, false,
                                          LLVMInlineAsmDialectATT, false);
    LLVMBuildCall2(s->b, type, empty, NULL, 0, "");
}

/* Of this value; NULL: all that are left. */
static void
emit_stores(struct stretch *s, LLVMValueRef value)
{
    for (uint32_t k = 0; k < s->places.count; k++) {
        struct place *p = &s->places.at[k];
        if (p->store && (!value || p->value == value)) {
            LLVMInstructionRemoveFromParent(p->store);
            LLVMInsertIntoBuilder(s->b, p->store);
            p->store = NULL;
        }
    }
}

static void
emit_group(struct stretch *s, int group)
{
    bool more = true;
    for (uint32_t step = 0; more; step++) {
        more = false;
        for (uint32_t k = 0; k < s->chains.count; k++) {
            const struct chain *c = &s->chains.at[k];
            if (c->group != group || step >= c->links.count)
                continue;
            s->current = c;
            emit_link(s, c->links.at[step]);
            more = true;
        }
        s->originals.count = s->copies.count = 0;
    }
    for (uint32_t k = 0; k < s->chains.count; k++)
        if (s->chains.at[k].group == group)
            emit_stores(s, s->chains.at[k].links.at[s->chains.at[k].links.count - 1]);
    emit_fence(s);
}

static void
emit_after(struct stretch *s)
{
    for (uint32_t k = 0; k < s->nodes.count; k++)
        if (s->nodes.at[k].kind == AFTER) {
            LLVMInstructionRemoveFromParent(s->nodes.at[k].v);
            LLVMInsertIntoBuilder(s->b, s->nodes.at[k].v);
        }
}

static void
drop_unused(struct stretch *s)
{
    for (uint32_t k = (uint32_t)s->nodes.count; k-- > 0;) {
        const struct node *n = &s->nodes.at[k];
        if ((n->kind == PLAIN || n->kind == CHEAP) && !LLVMGetFirstUse(n->v))
            LLVMInstructionEraseFromParent(n->v);
    }
}

static void
reorder(struct stretch *s, uint32_t room)
{
    emit_fence(s);
    int groups = 0;
    for (uint32_t k = 0; k < s->chains.count; k++)
        if (s->chains.at[k].group == NO_CHAIN && s->chains.at[k].links.count)
            fill_group(s, groups++, k, room);
    for (int g = 0; g < groups; g++)
        emit_group(s, g);
    emit_after(s);
    drop_unused(s);
}

/* -- stretches --------------------------------------------------------------------------------- */

static uint32_t
registers_of(const struct stretch *s)
{
    for (uint32_t k = 0; k < s->chains.count; k++)
        if (s->chains.at[k].links.count) {
            LLVMTypeRef t = LLVMGetElementType(LLVMTypeOf(s->chains.at[k].links.at[0]));
            LLVMTypeKind kind = LLVMGetTypeKind(t);
            unsigned bits = kind == LLVMIntegerTypeKind  ? LLVMGetIntTypeWidth(t)
                            : kind == LLVMFloatTypeKind  ? 32
                            : kind == LLVMDoubleTypeKind ? 64
                                                         : 16;
            return (bits * JIT_LANES + vector_bits() - 1) / vector_bits();
        }
    return 1;
}

static void
end_stretch(struct stretch *s, LLVMValueRef end)
{
    LLVMPositionBuilderBefore(s->b, end);
    if (s->nodes.count >= 8 * SHORTEST) {
        number_nodes(s);
        classify(s);
        uint32_t chains = drop_short(s), each = registers_of(s), registers = vector_registers();
        /* Three quarters for sums, the rest for what is added. */
        if (chains * each > 3 * registers / 4) {
            reorder(s, registers / 2 / each ? registers / 2 / each : 1);
            emit_stores(s, NULL);
            s->changes++;
        }
        ls_release(s->slots);
        for (uint32_t k = 0; k < s->chains.count; k++)
            VEC_FREE(&s->chains.at[k].links);
    }
    s->chains.count = s->nodes.count = s->places.count = 0;
    s->memory.local.count = 0;
    s->memory.local_stored = false;
}

/* The place's number; NO_PLACE: not private; UNCLEAR_PLACE: the stretch must end before it. */
static int
find_place(struct stretch *s, LLVMValueRef address, LLVMTypeRef type)
{
    uint64_t offset, size = LLVMStoreSizeOfType(s->layout, type);
    enum area area = private_area(&s->memory, address, &offset);
    if (area == AREA_NONE || area == AREA_UNCLEAR)
        return area == AREA_NONE ? NO_PLACE : UNCLEAR_PLACE;
    for (uint32_t k = 0; k < s->places.count; k++) {
        const struct place *p = &s->places.at[k];
        if (p->area != area || offset + size <= p->offset || p->offset + p->size <= offset)
            continue;
        return p->offset == offset && p->size == size ? (int)k : UNCLEAR_PLACE;
    }
    VEC_PUSH(&s->places, ((struct place){.area = area, .offset = offset, .size = size}));
    return (int)s->places.count - 1;
}

/* False: the stretch ends before it. */
static bool
take_store(struct stretch *s, LLVMValueRef v)
{
    if (LLVMGetVolatile(v) || LLVMGetOrdering(v) != LLVMAtomicOrderingNotAtomic)
        return false;
    LLVMValueRef value = LLVMGetOperand(v, 0);
    int place = find_place(s, LLVMGetOperand(v, 1), LLVMTypeOf(value));
    if (place < 0)
        return false;
    struct place *p = &s->places.at[place];
    s->memory.local_stored |= p->area == AREA_LOCAL;
    if (p->store) {
        LLVMInstructionEraseFromParent(p->store);
        s->changes++;
    }
    p->store = v;
    p->stored = true;
    p->value = value;
    return true;
}

static bool
take_load(struct stretch *s, LLVMValueRef v)
{
    int place = find_place(s, LLVMGetOperand(v, 0), LLVMTypeOf(v));
    if (place == UNCLEAR_PLACE)
        return false;
    struct place *p = place < 0 ? NULL : &s->places.at[place];
    if (p && p->value && LLVMTypeOf(p->value) == LLVMTypeOf(v)) {
        LLVMReplaceAllUsesWith(v, p->value);
        LLVMInstructionEraseFromParent(v);
        s->changes++;
        return true;
    }
    if (p && p->store)
        return false;
    if (p)
        p->value = v;
    VEC_PUSH(&s->nodes, ((struct node){.v = v, .chain = NO_CHAIN, .place = place}));
    return true;
}

static bool
take(struct stretch *s, LLVMValueRef v)
{
    if (LLVMIsAStoreInst(v))
        return take_store(s, v);
    if (!is_pure(v) ||
        (LLVMIsACallInst(v) && s->memory.local_stored && !calls_intrinsic(v, "llvm.fma")))
        return false;
    if (LLVMIsALoadInst(v))
        return take_load(s, v);
    VEC_PUSH(&s->nodes, ((struct node){.v = v, .chain = NO_CHAIN, .place = NO_PLACE}));
    return true;
}

static void
order_block(struct stretch *s, LLVMBasicBlockRef block)
{
    for (LLVMValueRef v = LLVMGetFirstInstruction(block), next; v; v = next) {
        next = LLVMGetNextInstruction(v);
        if (LLVMIsAPHINode(v) || take(s, v))
            continue;
        end_stretch(s, v);
        take(s, v);
    }
}

unsigned
jit_order_sums(LLVMModuleRef m)
{
    struct stretch s = {.b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m)),
                        .layout = LLVMGetModuleDataLayout(m)};
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        s.memory.warp = LLVMGetParam(f, 0);
        s.memory.local_words =
            LLVMGetStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                          jit_local_words, strlen(jit_local_words));
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block))
            order_block(&s, block);
    }
    LLVMDisposeBuilder(s.b);
    VEC_FREE(&s.nodes);
    VEC_FREE(&s.chains);
    VEC_FREE(&s.places);
    VEC_FREE(&s.originals);
    VEC_FREE(&s.copies);
    return s.changes;
}
