/* SPDX-License-Identifier: Apache-2.0
 *
 * Random kernels: a tree of statements that can be written as PTX and evaluated in C, thread by
 * thread. Statements of the top level are reached by all threads of a block and may exchange values
 * between threads; below, every thread goes its own way: branches, loops with breaks, early exits,
 * graphs of blocks that jump anywhere.
 *
 *     struct program *p = program_new(seed);
 *     program_text(p, &text);           // .entry k(.param .u64 out, .param .u64 table, ...)
 *     program_run(p, &launch, out);     // what out must hold
 */
#ifndef LOCKSTEP_TESTS_FUZZ_GENERATE_H
#define LOCKSTEP_TESTS_FUZZ_GENERATE_H

#include "base/base.h"
#include "common/dice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORDS = 8,
    WIDES = 4,
    FLOATS = 4,
    PREDS = 4, /* %r, %d, %f, %p that programs compute with */
    OUT_WORDS = WORDS + 2 * WIDES + FLOATS + 1,
    TABLE = 2048,
    SUMS = 16,
    MAX_DEPTH = 4,
    MAX_THREADS = 512,
    NODES = 400,
};

/* One thread. */
struct thread {
    uint32_t r[WORDS], tid[3], ctaid;
    uint64_t d[WIDES];
    float f[FLOATS];
    bool p[PREDS], gone;
    uint32_t own[16]; /* its local array */
    uint32_t *sums;   /* of the grid */
};

enum kind {
    ASSIGN,
    GUARDED,
    IF,
    LOOP,
    WHILE,
    BREAK,
    CONTINUE,
    EXIT,
    JUMPY,
    SWITCH,
    TABLE_LOAD,
    AFFINE_LOAD,
    LOCAL_STORE,
    LOCAL_LOAD,
    CALL,
    VECTOR_LOAD,
    NARROW_LOAD,
    SUM, /* from here on: top level only */
    EXCHANGE,
    SHUFFLE,
    BALLOT,
    VOTE,
    TALLY,
    COUNT,
    NOTHING, /* what has been taken out */
};

struct node {
    uint8_t kind, op, dst, a, b, c, pred, negated;
    uint32_t k; /* a constant */
    struct node *body, *other, *next;
    uint8_t to[8][2]; /* JUMPY: successors of its blocks */
};

struct program {
    uint64_t state;
    struct node nodes[NODES];
    unsigned count, labels;
    struct node *top;
    uint32_t block[3], grid;
    bool crossed; /* a statement that looks at other threads follows: nobody may be gone */
};

static inline uint32_t
pick(struct program *p, uint32_t n)
{
    return dice_below(&p->state, n);
}

/* -- operations: text and meaning -------------------------------------------------------------- */

/* Operands: R words, D wide, F float, P predicates; first the result. */
static const struct operation {
    const char *text, *types;
} operations[] = {
    {"add.u32", "RRR"},        {"sub.s32", "RRR"},       {"mul.lo.u32", "RRR"},
    {"and.b32", "RRR"},        {"or.b32", "RRR"},        {"xor.b32", "RRR"},
    {"shl.b32", "RRR"},        {"shr.u32", "RRR"},       {"shr.s32", "RRR"},
    {"min.u32", "RRR"},        {"max.s32", "RRR"},       {"mad.lo.s32", "RRRR"},
    {"popc.b32", "RR"},        {"clz.b32", "RR"},        {"not.b32", "RR"},
    {"mul.hi.u32", "RRR"},     {"selp.b32", "RRRP"},     {"mov.u32", "RR"},
    {"cvt.u32.u64", "RD"},     {"cvt.s32.s8", "RR"},     {"cvt.u32.u16", "RR"},
    {"cvt.rzi.s32.f32", "RF"}, {"mov.b32", "RF"},        {"mul.wide.u32", "DRR"},
    {"mul.wide.s32", "DRR"},   {"mad.wide.u32", "DRRD"}, {"add.s64", "DDD"},
    {"sub.u64", "DDD"},        {"xor.b64", "DDD"},       {"shl.b64", "DDR"},
    {"shr.u64", "DDR"},        {"cvt.s64.s32", "DR"},    {"cvt.u64.u32", "DR"},
    {"min.s64", "DDD"},        {"selp.b64", "DDDP"},     {"add.rn.f32", "FFF"},
    {"mul.rn.f32", "FFF"},     {"fma.rn.f32", "FFFF"},   {"min.f32", "FFF"},
    {"cvt.rn.f32.s32", "FR"},  {"cvt.rn.f32.u64", "FD"}, {"sub.rn.f32", "FFF"},
    {"selp.f32", "FFFP"},      {"setp.lt.u32", "PRR"},   {"setp.lt.s32", "PRR"},
    {"setp.eq.s32", "PRR"},    {"setp.ge.u64", "PDD"},   {"setp.gt.f32", "PFF"},
    {"setp.neu.f32", "PFF"},   {"and.pred", "PPP"},      {"or.pred", "PPP"},
    {"xor.pred", "PPP"},       {"not.pred", "PP"},       {"bfe.u32", "RRRR"},
    {"div.u32", "RRK"},        {"rem.s32", "RRK"},       {"add.u32", "RRK"},
    {"mul.lo.u32", "RRK"},     {"and.b32", "RRK"},       {"shl.b32", "RRK"},
    {"lop3.b32", "RRRR"},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static inline float
canonical(float f)
{
    uint32_t nan = 0x7fffffff;
    if (isnan(f))
        memcpy(&f, &nan, sizeof f);
    return f;
}

static inline uint32_t
float_to_int(float f)
{
    if (isnan(f))
        return 0;
    return f >= 2147483648.0f   ? 0x7fffffffu
           : f < -2147483648.0f ? 0x80000000u
                                : (uint32_t)(int32_t)f;
}

static inline uint32_t
bits_of(float f)
{
    uint32_t w;
    memcpy(&w, &f, sizeof w);
    return w;
}

static inline uint32_t
field(uint32_t x, uint32_t pos, uint32_t len)
{
    pos &= 0xff, len &= 0xff;
    uint64_t v = pos > 63 ? 0 : (uint64_t)x >> pos;
    return (uint32_t)(len > 31 ? v : v & ((1u << len) - 1));
}

/* The numbers are the rows of the table above. */
static inline void
operate(const struct node *n, struct thread *t)
{
    uint32_t x = t->r[n->a % WORDS], y = t->r[n->b % WORDS], z = t->r[n->c % WORDS],
             *r = &t->r[n->dst % WORDS];
    uint64_t u = t->d[n->a % WIDES], v = t->d[n->b % WIDES], w = t->d[n->c % WIDES],
             *d = &t->d[n->dst % WIDES];
    float f = t->f[n->a % FLOATS], g = t->f[n->b % FLOATS], h = t->f[n->c % FLOATS],
          *o = &t->f[n->dst % FLOATS];
    bool i = t->p[n->a % PREDS], j = t->p[n->b % PREDS], k = t->p[n->c % PREDS],
         *p = &t->p[n->dst % PREDS];
    switch (n->op) {
    case 0: *r = x + y; break;
    case 1: *r = x - y; break;
    case 2: *r = x * y; break;
    case 3: *r = x & y; break;
    case 4: *r = x | y; break;
    case 5: *r = x ^ y; break;
    case 6: *r = y > 31 ? 0 : x << y; break;
    case 7: *r = y > 31 ? 0 : x >> y; break;
    case 8: *r = (uint32_t)((int32_t)x >> (y > 31 ? 31 : y)); break;
    case 9: *r = x < y ? x : y; break;
    case 10: *r = (int32_t)x > (int32_t)y ? x : y; break;
    case 11: *r = x * y + z; break;
    case 12: *r = (uint32_t)__builtin_popcount(x); break;
    case 13: *r = x ? (uint32_t)__builtin_clz(x) : 32; break;
    case 14: *r = ~x; break;
    case 15: *r = (uint32_t)((uint64_t)x * y >> 32); break;
    case 16: *r = k ? x : y; break;
    case 17: *r = x; break;
    case 18: *r = (uint32_t)u; break;
    case 19: *r = (uint32_t)(int32_t)(int8_t)x; break;
    case 20: *r = (uint16_t)x; break;
    case 21: *r = float_to_int(f); break;
    case 22: *r = bits_of(f); break;
    case 23: *d = (uint64_t)x * y; break;
    case 24: *d = (uint64_t)((int64_t)(int32_t)x * (int32_t)y); break;
    case 25: *d = (uint64_t)x * y + w; break;
    case 26: *d = u + v; break;
    case 27: *d = u - v; break;
    case 28: *d = u ^ v; break;
    case 29: *d = y > 63 ? 0 : u << y; break;
    case 30: *d = y > 63 ? 0 : u >> y; break;
    case 31: *d = (uint64_t)(int64_t)(int32_t)x; break;
    case 32: *d = x; break;
    case 33: *d = (int64_t)u < (int64_t)v ? u : v; break;
    case 34: *d = k ? u : v; break;
    case 35: *o = canonical(f + g); break;
    case 36: *o = canonical(f * g); break;
    case 37: *o = canonical(fmaf(f, g, h)); break;
    case 38:
        *o = isnan(f) && isnan(g) ? canonical(f)
             : f == 0 && g == 0   ? (signbit(f) ? f : g)
                                  : fminf(f, g);
        break;
    case 39: *o = (float)(int32_t)x; break;
    case 40: *o = (float)u; break;
    case 41: *o = canonical(f - g); break;
    case 42: *o = k ? f : g; break;
    case 43: *p = x < y; break;
    case 44: *p = (int32_t)x < (int32_t)y; break;
    case 45: *p = x == y; break;
    case 46: *p = u >= v; break;
    case 47: *p = f > g; break;
    case 48: *p = !(f == g); break;
    case 49: *p = i && j; break;
    case 50: *p = i || j; break;
    case 51: *p = i != j; break;
    case 52: *p = !i; break;
    case 53: *r = field(x, y, z); break;
    case 54: *r = x / n->k; break;
    case 55: *r = (uint32_t)((int32_t)x % (int32_t)n->k); break;
    case 56: *r = x + n->k; break;
    case 57: *r = x * n->k; break;
    case 58: *r = x & n->k; break;
    case 59: *r = x << (n->k & 31); break;
    default: *r = (x & y) | (~x & z); break; /* lop3 0xca */
    }
}

static inline void
operand_text(struct text *out, char type, unsigned number, uint32_t k)
{
    static const char names[] = "RDFP", letters[] = "rdfp";
    static const unsigned limit[] = {WORDS, WIDES, FLOATS, PREDS};
    if (type == 'K') {
        text_add(out, ", %u", k);
        return;
    }
    unsigned which = (unsigned)(strchr(names, type) - names);
    text_add(out, "%s%%%c%u", "", letters[which], number % limit[which]);
}

static inline void
operation_text(struct text *out, const struct node *n)
{
    const struct operation *o = &operations[n->op];
    const uint8_t number[] = {n->dst, n->a, n->b, n->c};
    text_add(out, "%s ", o->text);
    for (unsigned k = 0; o->types[k]; k++) {
        if (k && o->types[k] != 'K')
            text_add(out, ", ");
        /* A predicate in the last place is operand c. */
        unsigned from = o->types[k] == 'P' && k == 3 ? 3 : k;
        operand_text(out, o->types[k], number[from], n->op == 59 ? n->k & 31 : n->k);
    }
    text_add(out, n->op == 60 ? ", 0xca;\n" : ";\n");
    unsigned f = n->dst % FLOATS; /* which NaN these give is open */
    if (n->op == 35 || n->op == 36 || n->op == 37 || n->op == 41)
        text_add(out, "setp.nan.f32 %%q, %%f%u, %%f%u;\nselp.f32 %%f%u, 0f7FFFFFFF, %%f%u, %%q;\n",
                 f, f, f, f);
}

/* -- making ------------------------------------------------------------------------------------ */

static inline struct node *
node_new(struct program *p, enum kind kind)
{
    if (p->count == NODES)
        return NULL;
    struct node *n = &p->nodes[p->count++];
    *n = (struct node){.kind = (uint8_t)kind, .op = (uint8_t)pick(p, OPERATIONS)};
    n->dst = (uint8_t)pick(p, 64), n->a = (uint8_t)pick(p, 64), n->b = (uint8_t)pick(p, 64);
    n->c = (uint8_t)pick(p, 64), n->pred = (uint8_t)pick(p, PREDS),
    n->negated = (uint8_t)pick(p, 2);
    n->k = pick(p, 2) ? 1 + pick(p, 100) : 1 + pick(p, 0x7ffffffe);
    for (unsigned s = 0; s < 8; s++)
        n->to[s][0] = (uint8_t)pick(p, 9), n->to[s][1] = (uint8_t)pick(p, 9);
    return n;
}

static inline struct node *make_list(struct program *p, unsigned length, unsigned depth,
                                     unsigned loops);

static inline enum kind
choose(struct program *p, unsigned depth, unsigned loops)
{
    static const uint8_t weights[] = {40, 8, 12, 6, 4, 4, 3, 1, 4, 3, 5, 5,
                                      3,  3, 2,  3, 3, 3, 4, 4, 2, 2, 3};
    for (;;) {
        uint32_t at = pick(p, 127), k = 0;
        while (k < COUNT && at >= weights[k])
            at -= weights[k++];
        bool nested = k == IF || k == LOOP || k == WHILE || k == SWITCH;
        if ((nested && depth == MAX_DEPTH) || (k >= EXCHANGE && depth) ||
            ((k == BREAK || k == CONTINUE) && !loops) || (k == EXIT && (!depth || p->crossed)))
            continue;
        return (enum kind)k;
    }
}

static inline struct node *
make(struct program *p, unsigned depth, unsigned loops)
{
    enum kind kind = choose(p, depth, loops);
    unsigned threads = p->block[0] * p->block[1] * p->block[2];
    if (kind == SHUFFLE && threads % 32) /* a lane that does not exist has no value */
        kind = EXCHANGE;
    struct node *n = node_new(p, kind);
    if (!n)
        return NULL;
    if (kind == IF || kind == SWITCH) {
        n->body = make_list(p, 1 + pick(p, 4), depth + 1, loops);
        n->other = pick(p, 3) ? make_list(p, 1 + pick(p, 3), depth + 1, loops) : NULL;
    } else if (kind == LOOP || kind == WHILE) {
        n->body = make_list(p, 1 + pick(p, 5), depth + 1, loops + 1);
    }
    if ((kind == BREAK || kind == CONTINUE) && loops > 1)
        n->k = pick(p, 2); /* of the loop around the innermost one, too */
    else
        n->k = kind == BREAK || kind == CONTINUE ? 0 : n->k;
    return n;
}

static inline struct node *
make_list(struct program *p, unsigned length, unsigned depth, unsigned loops)
{
    struct node *first = NULL, **last = &first;
    for (unsigned k = 0; k < length && (*last = make(p, depth, loops)); k++)
        last = &(*last)->next;
    return first;
}

static inline struct program *
program_new(uint64_t seed)
{
    static const uint16_t shapes[][3] = {{32, 1, 1},  {64, 1, 1}, {1, 1, 1},  {33, 1, 1},
                                         {31, 1, 1},  {16, 4, 1}, {8, 8, 1},  {5, 7, 2},
                                         {128, 1, 1}, {3, 3, 3},  {16, 2, 2}, {100, 1, 1}};
    struct program *p = calloc(1, sizeof *p);
    p->state = seed;
    const uint16_t *shape = shapes[pick(p, sizeof shapes / sizeof *shapes)];
    for (unsigned d = 0; d < 3; d++)
        p->block[d] = shape[d];
    p->grid = 1 + pick(p, 3);
    /* Statements that look at other threads first, then ones that may end a thread. */
    p->crossed = true;
    p->top = make_list(p, 4 + pick(p, 16), 0, 0);
    struct node *end = p->top;
    while (end->next)
        end = end->next;
    p->crossed = false;
    struct node *tail = make_list(p, 3 + pick(p, 6), 1, 0);
    end->next = tail;
    return p;
}

/* -- as PTX ------------------------------------------------------------------------------------ */

/* Labels of a loop: where break and continue go. */
struct target {
    unsigned end, again;
};

static inline void list_text(struct program *p, const struct node *n, struct text *out,
                             unsigned depth, const struct target *loops, unsigned count);

static inline void
loop_text(struct program *p, const struct node *n, struct text *out, unsigned depth,
          const struct target *loops, unsigned count)
{
    struct target inner[MAX_DEPTH + 2];
    memcpy(inner, loops, count * sizeof *loops);
    unsigned head = p->labels++;
    inner[count] = (struct target){p->labels++, p->labels++};
    text_add(out, "and.b32 %%c%u, %%r%u, 7;\n", depth, n->a % WORDS);
    if (n->kind == WHILE)
        text_add(out, "L%u:\nsetp.eq.u32 %%q, %%c%u, 0;\n@%%q bra L%u;\n", head, depth,
                 inner[count].end);
    else
        text_add(out, "L%u:\n", head);
    list_text(p, n->body, out, depth + 1, inner, count + 1);
    text_add(out, "L%u:\nsub.u32 %%c%u, %%c%u, 1;\n", inner[count].again, depth, depth);
    if (n->kind == WHILE)
        text_add(out, "bra L%u;\n", head);
    else
        text_add(out, "setp.gt.s32 %%q, %%c%u, 0;\n@%%q bra L%u;\n", depth, head);
    text_add(out, "L%u:\n", inner[count].end);
}

/* Eight blocks that jump anywhere, 8: out; a thread takes at most 20 steps. */
static inline void
jumpy_text(struct program *p, const struct node *n, struct text *out)
{
    unsigned first = p->labels;
    p->labels += 9;
    text_add(out, "mov.u32 %%j, 20;\nbra L%u;\n", first);
    for (unsigned s = 0; s < 8; s++) {
        struct node one = *n;
        one.op = (uint8_t)((n->op + 7 * s) % OPERATIONS);
        one.a = (uint8_t)(n->a + s), one.dst = (uint8_t)(n->dst + 3 * s);
        text_add(out, "L%u:\n", first + s);
        operation_text(out, &one);
        text_add(out, "sub.u32 %%j, %%j, 1;\nsetp.eq.u32 %%q, %%j, 0;\n@%%q bra L%u;\n", first + 8);
        text_add(out, "and.b32 %%t, %%r%u, %u;\nsetp.ne.u32 %%q, %%t, 0;\n", (n->b + s) % WORDS,
                 1u << s % 5);
        text_add(out, "@%%q bra L%u;\nbra L%u;\n", first + n->to[s][0], first + n->to[s][1]);
    }
    text_add(out, "L%u:\n", first + 8);
}

static inline void
switch_text(struct program *p, const struct node *n, struct text *out, unsigned depth,
            const struct target *loops, unsigned count)
{
    unsigned a = p->labels++, b = p->labels++, end = p->labels++, list = p->labels++;
    text_add(out,
             "and.b32 %%t, %%r%u, 3;\nT%u: .branchtargets L%u, L%u, L%u, L%u;\nbrx.idx %%t, T%u;\n",
             n->a % WORDS, list, a, b, end, a, list);
    text_add(out, "L%u:\n", a);
    list_text(p, n->body, out, depth + 1, loops, count);
    text_add(out, "bra L%u;\nL%u:\n", end, b);
    list_text(p, n->other, out, depth + 1, loops, count);
    text_add(out, "L%u:\n", end);
}

static inline void
node_text(struct program *p, const struct node *n, struct text *out, unsigned depth,
          const struct target *loops, unsigned count)
{
    unsigned a, b, dst = n->dst % WORDS, src = n->a % WORDS;
    const char *no = n->negated ? "!" : "";
    switch (n->kind) {
    case NOTHING: break;
    case ASSIGN: operation_text(out, n); break;
    case GUARDED:
        text_add(out, "@%s%%p%u ", no, n->pred);
        operation_text(out, n);
        break;
    case IF:
        a = p->labels++, b = p->labels++;
        text_add(out, "@%s%%p%u bra L%u;\n", n->negated ? "" : "!", n->pred, a);
        list_text(p, n->body, out, depth + 1, loops, count);
        text_add(out, "bra L%u;\nL%u:\n", b, a);
        list_text(p, n->other, out, depth + 1, loops, count);
        text_add(out, "L%u:\n", b);
        break;
    case LOOP:
    case WHILE: loop_text(p, n, out, depth, loops, count); break;
    case BREAK:
        text_add(out, "@%s%%p%u bra L%u;\n", no, n->pred, loops[count - 1 - n->k].end);
        break;
    case CONTINUE:
        text_add(out, "@%s%%p%u bra L%u;\n", no, n->pred, loops[count - 1 - n->k].again);
        break;
    case EXIT: text_add(out, "@%s%%p%u bra DUMP;\n", no, n->pred); break;
    case JUMPY: jumpy_text(p, n, out); break;
    case SWITCH: switch_text(p, n, out, depth, loops, count); break;
    case TABLE_LOAD:
        text_add(out,
                 "and.b32 %%t, %%r%u, %u;\nmul.wide.u32 %%a, %%t, 4;\nadd.u64 %%a, %%a, %%table;\n"
                 "ld.global.u32 %%r%u, [%%a];\n",
                 src, TABLE - 1, dst);
        break;
    case AFFINE_LOAD: /* some multiple of a thread's index */
        text_add(out,
                 "mov.u32 %%t, %%tid.%c;\nmul.lo.u32 %%t, %%t, %u;\nmul.wide.u32 %%a, %%t, 4;\n"
                 "add.u64 %%a, %%a, %%table;\nld.global.u32 %%r%u, [%%a+%u];\n",
                 "xyz"[n->a % 3], n -> b % 4, dst, n -> c * 4);
        break;
    case LOCAL_STORE:
    case LOCAL_LOAD:
        text_add(out,
                 "and.b32 %%t, %%r%u, 15;\nshl.b32 %%t, %%t, 2;\nmov.u64 %%a, own;\ncvt.u64.u32 "
                 "%%b, %%t;\n"
                 "add.u64 %%a, %%a, %%b;\n",
                 src);
        text_add(out,
                 n->kind == LOCAL_STORE ? "st.local.u32 [%%a], %%r%u;\n"
                                        : "ld.local.u32 %%r%u, [%%a];\n",
                 dst);
        break;
    case CALL: text_add(out, "call (%%r%u), f, (%%r%u, %%r%u);\n", dst, src, n->b % WORDS); break;
    case VECTOR_LOAD: /* consecutive elements of neighbours, or the same ones, or some stride */
        text_add(out,
                 "mov.u32 %%t, %%tid.%c;\nmul.lo.u32 %%t, %%t, %u;\nmul.wide.u32 %%a, %%t, "
                 "16;\nadd.u64 %%a, %%a, %%table;\n",
                 "xyz"[n->a % 3], n -> b % 4);
        if (n->negated)
            text_add(out, "ld.global.v2.u32 {%%r%u, %%r%u}, [%%a+%u];\n", dst, (dst + 1) % WORDS,
                     n->c % 16 * 16);
        else
            text_add(out, "ld.global.v4.u32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%%a+%u];\n", dst,
                     (dst + 1) % WORDS, (dst + 2) % WORDS, (dst + 3) % WORDS, n->c % 16 * 16);
        break;
    case NARROW_LOAD:
        text_add(out,
                 "and.b32 %%t, %%r%u, %u;\nmul.wide.u32 %%a, %%t, 2;\nadd.u64 %%a, %%a, "
                 "%%table;\nld.global.%s %%r%u, [%%a];\n",
                 src, TABLE - 1,
                 n->k % 4 == 0   ? "u8"
                 : n->k % 4 == 1 ? "s8"
                 : n->k % 4 == 2 ? "u16"
                                 : "s16",
                 dst);
        break;
    case SUM:
        text_add(out,
                 "and.b32 %%t, %%r%u, %u;\nmul.wide.u32 %%a, %%t, 4;\nadd.u64 %%a, %%a, "
                 "%%sums;\nred.global.add.u32 [%%a], %%r%u;\n",
                 src, n->negated ? SUMS - 1 : 1, dst);
        break;
    case TALLY: /* sums in shared memory, read by everybody */
        text_add(out,
                 "and.b32 %%t, %%r%u, 7;\nshl.b32 %%t, %%t, 2;\nmov.u32 %%j, tally;\nadd.u32 %%t, "
                 "%%t, %%j;\n"
                 "red.shared.add.u32 [%%t], %%r%u;\nbar.sync 0;\nld.shared.u32 %%r%u, "
                 "[tally+%u];\nbar.sync 0;\n",
                 src, n->b % WORDS, dst, n->k % 8 * 4);
        break;
    case EXCHANGE:
        text_add(out,
                 "mad.lo.u32 %%t, %%me, 4, %%s;\nst.shared.u32 [%%t], %%r%u;\nbar.sync 0;\n"
                 "add.u32 %%t, %%me, %u;\nrem.u32 %%t, %%t, %%n;\nmad.lo.u32 %%t, %%t, 4, %%s;\n"
                 "ld.shared.u32 %%r%u, [%%t];\nbar.sync 0;\n",
                 src, n->k % 97, dst);
        break;
    case SHUFFLE:
        text_add(out, "shfl.sync.bfly.b32 %%r%u, %%r%u, %u, 31, %%w;\n", dst, src, n->k % 32);
        break;
    case BALLOT:
        text_add(out, "vote.sync.ballot.b32 %%r%u, %s%%p%u, %%w;\n", dst, no, n->pred);
        break;
    default:
        text_add(out, "vote.sync.%s.pred %%p%u, %s%%p%u, %%w;\n", n->k & 1 ? "any" : "all",
                 n->dst % PREDS, no, n->pred);
    }
}

static inline void
list_text(struct program *p, const struct node *n, struct text *out, unsigned depth,
          const struct target *loops, unsigned count)
{
    for (; n; n = n->next)
        node_text(p, n, out, depth, loops, count);
}

static inline void
program_text(struct program *p, struct text *out)
{
    struct target none[1] = {{0}};
    p->labels = 0;
    text_add(out,
             ".version 8.0\n.target sm_80\n.address_size 64\n.shared .align 4 .b8 "
             "room[%u];\n.shared .align 4 .b8 tally[32];\n",
             4 * MAX_THREADS);
    text_add(
        out,
        ".func (.reg .b32 %%x) f(.reg .b32 %%y, .reg .b32 %%z)\n{\n.reg .pred %%q;\nsetp.lt.u32 "
        "%%q, %%y, %%z;\n"
        "@%%q bra LESS;\nsub.u32 %%x, %%y, %%z;\nret;\nLESS:\nxor.b32 %%x, %%y, %%z;\nret;\n}\n");
    text_add(out,
             ".visible .entry k(.param .u64 out, .param .u64 table, .param .u64 sums)\n{\n.reg "
             ".b32 %%r<%u>; .reg .b64 %%d<%u>; "
             ".reg .f32 %%f<%u>; .reg .pred %%p<%u>; .reg .b32 %%c<%u>;\n.reg .b32 %%t, %%me, %%n, "
             "%%s, %%w, %%j; "
             ".reg .b64 %%a, %%b, %%out, %%table, %%sums; .reg .pred %%q;\n.local .align 4 .b8 "
             "own[64];\n",
             WORDS, WIDES, FLOATS, PREDS, MAX_DEPTH + 2);
    text_add(out,
             "ld.param.u64 %%out, [out];\nld.param.u64 %%table, [table];\nld.param.u64 %%sums, "
             "[sums];\nmov.u32 %%s, room;\n"
             "mov.u32 %%me, %%tid.z;\nmov.u32 %%t, %%ntid.y;\nmul.lo.u32 %%me, %%me, %%t;\nmov.u32 "
             "%%t, %%tid.y;\n"
             "add.u32 %%me, %%me, %%t;\nmov.u32 %%t, %%ntid.x;\nmul.lo.u32 %%me, %%me, "
             "%%t;\nmov.u32 %%t, %%tid.x;\n"
             "add.u32 %%me, %%me, %%t;\nmov.u32 %%n, %u;\nactivemask.b32 %%w;\n",
             p->block[0] * p->block[1] * p->block[2]);
    text_add(out, "mov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, %%tid.y;\nmov.u32 %%r2, "
                  "%%ctaid.x;\nmov.u32 %%r3, %%tid.z;\n"
                  "mad.lo.u32 %%r4, %%r0, 3, %%r1;\nmov.u32 %%r5, %%me;\nmov.u32 %%r6, "
                  "1000;\nmov.u32 %%r7, 0;\n"
                  "mov.u64 %%d0, 5;\ncvt.u64.u32 %%d1, %%r0;\nmov.u64 %%d2, -1;\nmul.wide.u32 "
                  "%%d3, %%r4, %%r6;\n"
                  "mov.f32 %%f0, 0f3f800000;\ncvt.rn.f32.u32 %%f1, %%r0;\nmov.f32 %%f2, "
                  "0fbf000000;\nmov.f32 %%f3, 0f00000000;\n"
                  "setp.lt.u32 %%p0, %%r0, 9;\nsetp.eq.u32 %%p1, %%r1, 0;\nsetp.gt.u32 %%p2, %%r5, "
                  "40;\nand.b32 %%t, %%r0, 1;\n"
                  "setp.eq.u32 %%p3, %%t, 1;\n");
    for (unsigned k = 0; k < 16; k++)
        text_add(out, "st.local.u32 [own+%u], %%r%u;\n", 4 * k, k % WORDS);
    text_add(out, "setp.eq.u32 %%q, %%me, 0;\nmov.u32 %%t, tally;\n");
    for (unsigned k = 0; k < 8; k++)
        text_add(out, "@%%q st.shared.u32 [%%t+%u], 0;\n", 4 * k);
    text_add(out, "bar.sync 0;\n");
    list_text(p, p->top, out, 0, none, 0);
    text_add(out,
             "DUMP:\nmov.u32 %%t, %%ctaid.x;\nmad.lo.u32 %%t, %%t, %%n, %%me;\nmul.wide.u32 %%a, "
             "%%t, %u;\nadd.u64 %%a, %%a, %%out;\n",
             4 * OUT_WORDS);
    for (unsigned k = 0; k < WORDS; k++)
        text_add(out, "st.global.u32 [%%a+%u], %%r%u;\n", 4 * k, k);
    for (unsigned k = 0; k < WIDES; k++) /* in words: a thread's part is not aligned to 8 bytes */
        text_add(out,
                 "cvt.u32.u64 %%t, %%d%u;\nst.global.u32 [%%a+%u], %%t;\nshr.u64 %%b, %%d%u, "
                 "32;\ncvt.u32.u64 %%t, %%b;\n"
                 "st.global.u32 [%%a+%u], %%t;\n",
                 k, 4 * (WORDS + 2 * k), k, 4 * (WORDS + 2 * k + 1));
    for (unsigned k = 0; k < FLOATS; k++)
        text_add(out, "st.global.f32 [%%a+%u], %%f%u;\n", 4 * (WORDS + 2 * WIDES + k), k);
    text_add(out, "mov.u32 %%r0, 0;\n");
    for (unsigned k = 0; k < PREDS; k++)
        text_add(out, "selp.u32 %%t, %u, 0, %%p%u;\nor.b32 %%r0, %%r0, %%t;\n", 1u << k, k);
    text_add(out, "st.global.u32 [%%a+%u], %%r0;\nret;\n}\n", 4 * (OUT_WORDS - 1));
}

/* -- evaluated --------------------------------------------------------------------------------- */

enum { GO_ON = -1, GONE = -2 }; /* or twice the number of loops to leave, plus 1 for continue */

static inline int run_list(const struct node *n, struct thread *t, const uint32_t *table);

static inline int
run_loop(const struct node *n, struct thread *t, const uint32_t *table)
{
    int32_t left = (int32_t)(t->r[n->a % WORDS] & 7);
    for (;;) {
        if (n->kind == WHILE && left == 0)
            return GO_ON;
        int how = run_list(n->body, t, table);
        if (how == GONE || how >= 2)
            return how == GONE ? GONE : how - 2;
        if (how == 0)
            return GO_ON;
        left--;
        if (n->kind == LOOP && left <= 0)
            return GO_ON;
    }
}

static inline void
run_jumpy(const struct node *n, struct thread *t)
{
    unsigned s = 0;
    for (unsigned left = 20; s < 8;) {
        struct node one = *n;
        one.op = (uint8_t)((n->op + 7 * s) % OPERATIONS);
        one.a = (uint8_t)(n->a + s), one.dst = (uint8_t)(n->dst + 3 * s);
        operate(&one, t);
        if (--left == 0)
            return;
        s = n->to[s][!(t->r[(n->b + s) % WORDS] & 1u << s % 5)];
    }
}

static inline int
run_one(const struct node *n, struct thread *t, const uint32_t *table)
{
    uint32_t x = t->r[n->a % WORDS], y = t->r[n->b % WORDS], *r = &t->r[n->dst % WORDS];
    bool holds = t->p[n->pred] != n->negated;
    switch (n->kind) {
    case NOTHING: break;
    case ASSIGN: operate(n, t); break;
    case GUARDED:
        if (holds)
            operate(n, t);
        break;
    case IF: return run_list(holds ? n->body : n->other, t, table);
    case SWITCH:
        if ((x & 3) == 2)
            break;
        return run_list((x & 3) == 1 ? n->other : n->body, t, table);
    case LOOP:
    case WHILE: return run_loop(n, t, table);
    case BREAK: return holds ? 2 * (int)n->k : GO_ON;
    case CONTINUE: return holds ? 2 * (int)n->k + 1 : GO_ON;
    case EXIT: return holds ? GONE : GO_ON;
    case JUMPY: run_jumpy(n, t); break;
    case TABLE_LOAD: *r = table[x % TABLE]; break;
    case AFFINE_LOAD: *r = table[t->tid[n->a % 3] * (n->b % 4) + n->c]; break;
    case LOCAL_STORE: t->own[x & 15] = *r; break;
    case LOCAL_LOAD: *r = t->own[x & 15]; break;
    case VECTOR_LOAD:
        for (unsigned e = 0; e < (n->negated ? 2u : 4u); e++)
            t->r[(n->dst + e) % WORDS] =
                table[t->tid[n->a % 3] * (n->b % 4) * 4 + n->c % 16 * 4 + e];
        break;
    case NARROW_LOAD: {
        uint32_t at = x % TABLE * 2, w = table[at / 4] >> at % 4 * 8;
        *r = n->k % 4 == 0   ? (uint8_t)w
             : n->k % 4 == 1 ? (uint32_t)(int8_t)w
             : n->k % 4 == 2 ? (uint16_t)w
                             : (uint32_t)(int16_t)w;
        break;
    }
    case SUM: t->sums[x & (n->negated ? SUMS - 1 : 1)] += *r; break;
    default: *r = x < y ? x ^ y : x - y; /* CALL */
    }
    return GO_ON;
}

static inline int
run_list(const struct node *n, struct thread *t, const uint32_t *table)
{
    for (; n; n = n->next) {
        int how = run_one(n, t, table);
        if (how != GO_ON)
            return how;
    }
    return GO_ON;
}

/* A statement that looks at other threads. */
static inline void
run_across(const struct node *n, struct thread *t, unsigned threads, uint32_t *tally)
{
    uint32_t old[MAX_THREADS], votes[MAX_THREADS / 32 + 1] = {0}, lanes[MAX_THREADS / 32 + 1] = {0};
    for (unsigned k = 0; k < threads; k++) {
        old[k] = t[k].r[n->a % WORDS];
        lanes[k / 32] |= 1u << k % 32;
        if (n->kind == TALLY)
            tally[old[k] & 7] += t[k].r[n->b % WORDS];
        votes[k / 32] |= (uint32_t)(t[k].p[n->pred] != n->negated) << k % 32;
    }
    for (unsigned k = 0; k < threads; k++) {
        unsigned from = k / 32 * 32 + (k % 32 ^ n->k % 32);
        if (n->kind == EXCHANGE)
            t[k].r[n->dst % WORDS] = old[(k + n->k % 97) % threads];
        else if (n->kind == TALLY)
            t[k].r[n->dst % WORDS] = tally[n->k % 8];
        else if (n->kind == SHUFFLE)
            t[k].r[n->dst % WORDS] = old[from];
        else if (n->kind == BALLOT)
            t[k].r[n->dst % WORDS] = votes[k / 32];
        else
            t[k].p[n->dst % PREDS] = n->k & 1 ? votes[k / 32] != 0 : votes[k / 32] == lanes[k / 32];
    }
}

static inline void
start(const struct program *p, struct thread *t, unsigned me, uint32_t ctaid, uint32_t *sums)
{
    *t = (struct thread){.ctaid = ctaid, .sums = sums};
    t->tid[0] = me % p->block[0], t->tid[1] = me / p->block[0] % p->block[1];
    t->tid[2] = me / p->block[0] / p->block[1];
    uint32_t r[] = {t->tid[0], t->tid[1], ctaid, t->tid[2], t->tid[0] * 3 + t->tid[1], me, 1000, 0};
    memcpy(t->r, r, sizeof r);
    uint64_t d[] = {5, r[0], ~0ull, (uint64_t)r[4] * 1000};
    memcpy(t->d, d, sizeof d);
    float f[] = {1, (float)r[0], -0.5f, 0};
    memcpy(t->f, f, sizeof f);
    t->p[0] = r[0]<9, t->p[1] = r[1] == 0, t->p[2] = me> 40, t->p[3] = r[0] & 1;
    for (unsigned k = 0; k < 16; k++)
        t->own[k] = r[k % WORDS];
}

/* What a run writes: each thread's registers, then the sums. */
static inline size_t
program_words(const struct program *p)
{
    return (size_t)OUT_WORDS * p->block[0] * p->block[1] * p->block[2] * p->grid + SUMS;
}

static inline void
program_run(const struct program *p, const uint32_t *table, uint32_t *out)
{
    uint32_t *sums = out + program_words(p) - SUMS;
    memset(sums, 0, SUMS * sizeof *sums);
    static struct thread t[MAX_THREADS];
    unsigned n = p->block[0] * p->block[1] * p->block[2];
    for (uint32_t b = 0; b < p->grid; b++) {
        uint32_t tally[8] = {0};
        for (unsigned k = 0; k < n; k++)
            start(p, &t[k], k, b, sums);
        for (const struct node *s = p->top; s; s = s->next) {
            if (s->kind >= EXCHANGE && s->kind < COUNT) {
                run_across(s, t, n, tally);
                continue;
            }
            for (unsigned k = 0; k < n; k++)
                if (!t[k].gone)
                    t[k].gone = run_one(s, &t[k], table) == GONE;
        }
        for (unsigned k = 0; k < n; k++, out += OUT_WORDS) {
            memcpy(out, t[k].r, sizeof t[k].r);
            memcpy(out + WORDS, t[k].d, sizeof t[k].d);
            memcpy(out + WORDS + 2 * WIDES, t[k].f, sizeof t[k].f);
            out[OUT_WORDS - 1] = 0;
            for (unsigned q = 0; q < PREDS; q++)
                out[OUT_WORDS - 1] |= (uint32_t)t[k].p[q] << q;
        }
    }
}

#endif
