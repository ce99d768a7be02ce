/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_operand.c: operands of instructions (PTX ISA 6).
 */
#include "ptx/ptx_priv.h"

#include <stdio.h>
#include <string.h>

/* -- operands ---------------------------------------------------------------------------------- */

void
add_label_use(struct parser *p, struct ptx_operand *o, uint32_t *label, const char *name,
              bool wants_targets, const struct token *t)
{
    VEC_PUSH(&p->body.uses, ((struct label_use){o, label, name, p->scopes[p->depth].id, t->line,
                                                t->column, wants_targets}));
}

static uint8_t
part_of(struct parser *p)
{
    static const char *const parts[] = {"x", "y", "z", "w", "b0", "b1", "b2", "b3", "h0", "h1"};
    static const char *const colours[] = {"r", "g", "b", "a"};
    if (p->tok.kind != TOKEN_DOT || !p->tok.glued)
        return 0;
    for (uint8_t k = 0; k < 10; k++)
        if (lex_take_dot(p, parts[k]))
            return (uint8_t)(k + 1);
    for (uint8_t k = 0; k < 4; k++)
        if (lex_take_dot(p, colours[k]))
            return (uint8_t)(k + 1);
    return 0;
}

static bool
special_register(struct parser *p, const struct token *name, struct ptx_operand *o)
{
    char text[64];
    if (name->count > 40)
        return false;
    memcpy(text, name->at, name->count);
    text[name->count] = 0;
    size_t n = name->count;
    if (p->tok.kind == TOKEN_DOT && p->tok.glued && p->tok.count < 20) {
        snprintf(text + n, sizeof text - n, ".%.*s", (int)p->tok.count, p->tok.at);
        const struct word *w = words_find(&p->table.sregs, text, strlen(text));
        if (w) {
            lex_next(p);
            o->kind = PTX_O_SREG;
            o->sreg = (uint16_t)w->value;
            return true;
        }
    }
    const struct word *w = words_find(&p->table.sregs, text, n);
    if (!w)
        return false;
    o->kind = PTX_O_SREG;
    o->sreg = (uint16_t)w->value;
    return true;
}

static struct ptx_operand operand(struct parser *p, const struct ptx_insn *i);

static void
elements(struct parser *p, const struct ptx_insn *i, struct ptx_operand *o, int close)
{
    VEC(struct ptx_operand) list = {0};
    while (!lex_is(p, close) && !p->failed && p->tok.kind != TOKEN_END) {
        if (list.count >= PTX_LIMIT_ELEMENTS)
            fail_here(p, "more than %d elements", PTX_LIMIT_ELEMENTS);
        struct ptx_operand e = operand(p, i);
        VEC_PUSH(&list, e);
        if (!lex_take(p, ','))
            break;
    }
    lex_expect(p, close);
    o->count = (uint32_t)list.count;
    o->elements = VEC_COPY(p->arena, &list);
    VEC_FREE(&list);
}

/* What follows the map's address, which becomes the first element. */
static void
place_in_tensor(struct parser *p, const struct ptx_insn *i, struct ptx_operand *o)
{
    struct ptx_operand map = *o, where = {0};
    elements(p, i, &where, ']');
    *o = (struct ptx_operand){.kind = PTX_O_TEX, .count = where.count + 1};
    o->elements = ARENA_ARRAY(p->arena, struct ptx_operand, o->count);
    memcpy(o->elements + 1, where.elements, sizeof *where.elements * where.count);
    if (map.base_kind == PTX_BASE_REG && !map.offset)
        map = (struct ptx_operand){.kind = PTX_O_REG, .reg = map.reg};
    o->elements[0] = map;
}

/* A register where a vector cannot stand. */
static uint32_t
one_register(struct parser *p, const struct symbol *s, const struct token *t)
{
    if (s->parts > 1)
        fail_at(p, t->line, t->column, "'%s' is a vector of registers", s->name);
    return s->index;
}

/* [reg+imm], [var+imm], [imm]; tex: [t, {x, y}]; tensors: [map, {x, y}]. The bracket is taken. */
static void
address(struct parser *p, const struct ptx_insn *i, struct ptx_operand *o)
{
    bool texture = i->op == PTX_OP_TEX || i->op == PTX_OP_TLD4 || i->op == PTX_OP_SULD ||
                   i->op == PTX_OP_SUST || i->op == PTX_OP_TXQ || i->op == PTX_OP_SUQ ||
                   i->op == PTX_OP_SURED;
    if (texture) {
        o->kind = PTX_O_TEX;
        elements(p, i, o, ']');
        return;
    }
    o->kind = PTX_O_ADDRESS;
    o->base_kind = PTX_BASE_NONE;
    if (p->tok.kind == TOKEN_NAME) {
        struct token t = p->tok;
        struct symbol *s = symbol_find(p, t.at, t.count);
        lex_next(p);
        if (s && s->kind == SYMBOL_REG) {
            o->base_kind = PTX_BASE_REG;
            o->reg = one_register(p, s, &t);
        } else if (s && s->kind == SYMBOL_VAR) {
            o->base_kind = PTX_BASE_VAR;
            o->var = s->var;
        } else {
            fail_at(p, t.line, t.column, "'%.*s' is not declared", (int)t.count, t.at);
        }
        o->offset = expr_offset(p);
    } else {
        o->offset = (int64_t)expr_count(p, "address", UINT64_MAX);
    }
    if (lex_take(p, ',')) { /* [map, {x, y}] */
        place_in_tensor(p, i, o);
        return;
    }
    lex_expect(p, ']');
}

/* Whether the operand being read is the function: the first one, or the one behind (results). */
static bool
is_call_target(const struct ptx_insn *i)
{
    return i->operand_count == 0 || (i->operand_count == 1 && i->operand[0].kind == PTX_O_LIST);
}

/* A register, a vector of them, or a part of one. */
static void
register_operand(struct parser *p, const struct symbol *s, const struct token *t,
                 struct ptx_operand *o)
{
    *o = (struct ptx_operand){.kind = PTX_O_REG, .reg = s->index, .part = part_of(p)};
    if (s->parts == 1)
        return;
    if (o->part > s->parts)
        fail_at(p, t->line, t->column, "'%s' has %u parts", s->name, s->parts);
    if (o->part) {
        o->reg += o->part - 1u;
        o->part = 0;
        return;
    }
    *o = (struct ptx_operand){.kind = PTX_O_VECTOR, .count = s->parts};
    o->elements = ARENA_ARRAY(p->arena, struct ptx_operand, s->parts);
    for (uint8_t k = 0; k < s->parts; k++)
        o->elements[k] = (struct ptx_operand){.kind = PTX_O_REG, .reg = s->index + k};
}

static void
named_operand(struct parser *p, const struct ptx_insn *i, struct ptx_operand *o)
{
    struct token t = p->tok;
    lex_next(p);
    if (t.count == 1 && t.at[0] == '_') {
        o->kind = PTX_O_SINK;
        return;
    }
    struct symbol *s = symbol_find(p, t.at, t.count);
    if (!s && t.at[0] == '%' && special_register(p, &t, o))
        return;
    if (s && s->kind == SYMBOL_REG) {
        register_operand(p, s, &t, o);
        return;
    }
    const char *name = lex_text(p, &t);
    if (s && s->kind == SYMBOL_VAR) {
        o->kind = PTX_O_SYMBOL;
        o->var = s->var;
        o->offset = expr_element(p, s->var) + expr_offset(p);
        return;
    }
    if (s && s->kind == SYMBOL_FUNC) {
        o->kind = i->op == PTX_OP_CALL ? PTX_O_FUNC : PTX_O_SYMBOL;
        o->func = s->func;
        return;
    }
    if (i->op == PTX_OP_BRA) {
        o->kind = PTX_O_LABEL;
        add_label_use(p, NULL, NULL, name, false, &t);
        return;
    }
    if (i->op == PTX_OP_BRX || (i->op == PTX_OP_CALL && !is_call_target(i))) {
        o->kind = PTX_O_TARGETS;
        add_label_use(p, NULL, NULL, name, true, &t);
        return;
    }
    if (t.at[0] == '%' || (i->op != PTX_OP_CALL && i->op != PTX_OP_MOV)) {
        fail_at(p, t.line, t.column, "'%s' is not declared", name);
        return;
    }
    s = symbol_of_function(p, name, t.line, t.column);
    if (s && s->kind != SYMBOL_FUNC)
        fail_at(p, t.line, t.column, "'%s' is not a function", name);
    o->kind = i->op == PTX_OP_CALL ? PTX_O_FUNC : PTX_O_SYMBOL;
    o->func = s && s->kind == SYMBOL_FUNC ? s->func : NULL;
}

static void
constant_operand(struct parser *p, struct ptx_operand *o)
{
    struct token t = p->tok;
    bool minus = false;
    if (lex_is(p, '-')) {
        lex_next(p);
        if (p->tok.kind == TOKEN_FLOAT) {
            minus = true;
        } else if (p->tok.kind == TOKEN_NAME) {
            struct symbol *s = symbol_find(p, p->tok.at, p->tok.count);
            if (s && s->kind == SYMBOL_REG) {
                o->kind = PTX_O_REG;
                o->reg = one_register(p, s, &t);
                o->negated = true;
                lex_next(p);
                return;
            }
        } else {
            int64_t v = expr_primary(p);
            o->kind = PTX_O_INT;
            o->imm = 0 - (uint64_t)v;
            return;
        }
    }
    t = p->tok;
    if (t.kind == TOKEN_FLOAT) {
        lex_next(p);
        o->kind = PTX_O_FLOAT;
        o->imm = t.integer ^ (minus ? (t.is_f32 ? 1ull << 31 : 1ull << 63) : 0);
        o->imm_is_f32 = t.is_f32;
        return;
    }
    o->kind = PTX_O_INT;
    o->imm = expr_count(p, "constant", UINT64_MAX);
}

static struct ptx_operand
operand(struct parser *p, const struct ptx_insn *i)
{
    struct ptx_operand o = {0};
    if (p->expression_depth > 8) {
        fail_here(p, "operands are nested too deeply");
        return o;
    }
    p->expression_depth++;
    if (lex_take(p, '{')) {
        o.kind = PTX_O_VECTOR;
        elements(p, i, &o, '}');
    } else if (i->op == PTX_OP_CALL && lex_take(p, '(')) {
        o.kind = PTX_O_LIST;
        elements(p, i, &o, ')');
    } else if (lex_take(p, '[')) {
        address(p, i, &o);
    } else if (lex_take(p, '!')) {
        o = operand(p, i);
        o.negated = !o.negated;
    } else if (p->tok.kind == TOKEN_NAME &&
               !(p->tok.count == 7 && !memcmp(p->tok.at, "WARP_SZ", 7))) {
        named_operand(p, i, &o);
    } else {
        constant_operand(p, &o);
    }
    p->expression_depth--;
    return o;
}

void
parse_operands(struct parser *p, struct ptx_insn *i)
{
    VEC(struct ptx_operand) list = {0};
    VEC(size_t) use_of = {0};
    size_t first_use = p->body.uses.count;
    while (!lex_is(p, ';') && !p->failed && p->tok.kind != TOKEN_END) {
        i->operand_count = (uint8_t)list.count;
        i->operand = list.at;
        struct ptx_operand o = operand(p, i);
        if (lex_take(p, '|')) {
            struct ptx_operand second = operand(p, i);
            struct ptx_operand pair = {.kind = PTX_O_PAIR, .count = 2};
            pair.elements = ARENA_ARRAY(p->arena, struct ptx_operand, 2);
            pair.elements[0] = o;
            pair.elements[1] = second;
            o = pair;
        }
        if (list.count >= 32) {
            fail_here(p, "too many operands");
            break;
        }
        VEC_PUSH(&list, o);
        VEC_PUSH(&use_of, p->body.uses.count);
        if (!lex_take(p, ','))
            break;
        if (lex_is(p, ';'))
            fail_here(p, "an operand expected after ','");
    }
    i->operand_count = (uint8_t)list.count;
    i->operand = VEC_COPY(p->arena, &list);
    /* Uses of labels met above point at their operands' final place. */
    for (size_t k = 0, u = first_use; k < list.count; k++)
        for (; u < use_of.at[k]; u++)
            p->body.uses.at[u].operand = &i->operand[k];
    VEC_FREE(&list);
    VEC_FREE(&use_of);
}
