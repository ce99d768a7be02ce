/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_insn.c: instructions, labels, places, and the bodies of functions. Start at parse_body.
 */
#include "ptx/ptx_priv.h"

#include <string.h>

/* -- instructions ------------------------------------------------------------------------------ */

static void
take_modifier(struct parser *p, struct ptx_insn *i, uint32_t *order)
{
    const struct word *w = dot_word(p);
    if (!w) {
        fail_here(p, "'.%.*s' is not a modifier of PTX", (int)p->tok.count, p->tok.at);
        return;
    }
    switch (w->kind) {
    case WORD_TYPE:
        if (i->type_count == PTX_MAX_TYPES)
            fail_here(p, "more than %d types", PTX_MAX_TYPES);
        else
            i->type[i->type_count++] = (uint8_t)w->value;
        break;
    case WORD_SPACE:
        if (i->space == PTX_SPACE_NONE)
            i->space = (uint8_t)w->value;
        else
            i->space2 = (uint8_t)w->value;
        break;
    case WORD_VEC: i->vec = (uint8_t)w->value; break;
    default:
        i->mods[w->value / 64] |= 1ull << (w->value % 64);
        if (*order < 8)
            i->order[(*order)++] = (uint16_t)w->value;
    }
    lex_next(p);
}

/* The longest row that the dot words begin with: bar, bar.warp. */
static void
take_mnemonic(struct parser *p, struct ptx_insn *i)
{
    struct token t = p->tok;
    const struct word *w = words_find(&p->table.ops, t.at, t.count);
    if (!w) {
        fail_here(p, "%.*s is not a PTX instruction", t.count < 60 ? (int)t.count : 60, t.at);
        return;
    }
    uint32_t op = w->value, words = w->kind;
    lex_next(p);
    struct lex_state after = lex_save(p);
    for (uint32_t k = 1; k < words && p->tok.kind == TOKEN_DOT && p->tok.glued; k++) {
        size_t n = (size_t)(p->tok.at + p->tok.count - t.at);
        lex_next(p);
        w = words_find(&p->table.ops, t.at, n);
        if (w) {
            op = w->value;
            after = lex_save(p);
        }
    }
    lex_restore(p, &after);
    if (p->failed)
        return;
    i->op = (uint16_t)op;
    if (op == PTX_OP_NONE)
        fail_at(p, t.line, t.column, "%.*s is not a PTX instruction", (int)t.count, t.at);
    else if (ptx_op_status((enum ptx_op)op) == PTX_LEFT_OUT)
        fail_unsupported(p, &t, ptx_op_name((enum ptx_op)op));
}

static void
parse_insn(struct parser *p)
{
    struct ptx_insn i = {.guard = PTX_NO_REG, .vec = 1, .loc = p->body.loc};
    uint32_t order = 0;
    if (lex_take(p, '@')) {
        i.guard_negated = lex_take(p, '!');
        struct token t = p->tok;
        const char *name = lex_name(p, "a predicate");
        struct symbol *s = symbol_find(p, name, strlen(name));
        if (!s || s->kind != SYMBOL_REG || s->parts > 1 ||
            p->body.regs.at[s->index].type != PTX_PRED)
            fail_at(p, t.line, t.column, "'%s' is not a predicate register", name);
        else
            i.guard = s->index;
    }
    i.line = p->tok.line;
    i.column = p->tok.column;
    if (p->tok.kind != TOKEN_NAME) {
        fail_expected(p, "an instruction");
        return;
    }
    p->mnemonic = p->tok;
    take_mnemonic(p, &i);
    while (p->tok.kind == TOKEN_DOT && !p->failed) {
        p->mnemonic.count = (uint32_t)(p->tok.at + p->tok.count - p->mnemonic.at);
        take_modifier(p, &i, &order);
    }
    if (!p->failed)
        parse_operands(p, &i);
    lex_expect(p, ';');
    if (!p->failed)
        check_insn(p, &i);
    VEC_PUSH(&p->body.insns, i);
}

/* Names behind a label, up to the semicolon. */
static void
parse_target_names(struct parser *p, struct ptx_targets *t)
{
    VEC(struct token) names = {0};
    do {
        struct token at = p->tok;
        lex_name(p, t->kind == 'b' ? "a label" : "a function");
        VEC_PUSH(&names, at);
    } while (lex_take(p, ',') && !p->failed);
    t->count = (uint32_t)names.count;
    if (t->kind == 'b')
        t->labels = ARENA_ARRAY(p->arena, uint32_t, names.count + 1);
    else
        t->funcs = ARENA_ARRAY(p->arena, struct ptx_func *, names.count + 1);
    for (size_t k = 0; k < names.count && !p->failed; k++) {
        const struct token *at = &names.at[k];
        const char *name = lex_text(p, at);
        if (t->kind == 'b') {
            add_label_use(p, NULL, &t->labels[k], name, false, at);
            continue;
        }
        struct symbol *s = symbol_of_function(p, name, at->line, at->column);
        if (s && s->kind != SYMBOL_FUNC)
            fail_at(p, at->line, at->column, "'%s' is not a function", name);
        else if (s)
            t->funcs[k] = s->func;
    }
    VEC_FREE(&names);
}

static void
parse_targets(struct parser *p, const char *name, const struct token *at)
{
    struct ptx_targets t = {.name = name, .line = at->line};
    if (lex_take_dot(p, "branchtargets")) {
        t.kind = 'b';
        parse_target_names(p, &t);
    } else if (lex_take_dot(p, "calltargets")) {
        t.kind = 'c';
        parse_target_names(p, &t);
    } else {
        lex_next(p);
        t.kind = 'p';
        t.prototype = ARENA_NEW(p->arena, struct ptx_func);
        t.prototype->name = "_";
        t.prototype->module = p->m;
        if (lex_is(p, '('))
            parse_parameters(p, t.prototype, true, true);
        lex_name(p, "_");
        if (lex_is(p, '('))
            parse_parameters(p, t.prototype, false, true);
        while ((p->tok.kind == TOKEN_DOT || p->tok.kind == TOKEN_INT) && !p->failed) {
            t.prototype->noreturn |= lex_is_dot(p, "noreturn");
            lex_next(p); /* .abi_preserve 4 */
        }
    }
    lex_expect(p, ';');
    struct symbol *s = symbol_add(p, name, SYMBOL_TARGETS, at->line, at->column);
    if (!s)
        return;
    s->index = (uint32_t)p->body.targets.count;
    VEC_PUSH(&p->body.label_symbols, s);
    VEC_PUSH(&p->body.targets, t);
}

static struct ptx_loc
parse_place(struct parser *p)
{
    struct ptx_loc l = {0};
    l.file = (uint32_t)expr_count(p, "file number", PTX_LIMIT_FILES);
    l.line = (uint32_t)expr_count(p, "line", UINT32_MAX);
    l.column = (uint32_t)expr_count(p, "column", UINT32_MAX);
    return l;
}

/* The place of a call: the last .loc of the same place, which has the chain above it. */
static uint32_t
find_loc(struct parser *p, const struct ptx_loc *l)
{
    for (size_t k = p->body.locs.count, n = 0; k-- > 1 && n < 1000; n++) {
        const struct ptx_loc *x = &p->body.locs.at[k];
        if (x->file == l->file && x->line == l->line && x->column == l->column)
            return (uint32_t)k;
    }
    VEC_PUSH(&p->body.locs, *l);
    return (uint32_t)p->body.locs.count - 1;
}

/* .loc file line column, function_name label+offset, inlined_at file line column (PTX ISA 11.5) */
void
parse_loc(struct parser *p)
{
    lex_next(p);
    struct ptx_loc l = parse_place(p);
    struct loc_name name = {.func = p->body.func};
    while (lex_take(p, ',') && !p->failed) {
        struct token t = p->tok;
        const char *word = lex_name(p, "function_name or inlined_at");
        if (!strcmp(word, "function_name")) {
            name.label = lex_name(p, "a label");
            name.offset = (uint64_t)expr_offset(p);
        } else if (!strcmp(word, "inlined_at")) {
            struct ptx_loc caller = parse_place(p);
            l.inlined_at = p->body.func ? find_loc(p, &caller) : 0;
        } else {
            fail_at(p, t.line, t.column, "function_name or inlined_at expected, not '%s'", word);
        }
    }
    if (!p->body.func || p->failed)
        return;
    p->body.loc = name.loc = (uint32_t)p->body.locs.count;
    VEC_PUSH(&p->body.locs, l);
    if (name.label)
        VEC_PUSH(&p->module.loc_names, name);
}

static void
add_label(struct parser *p, const char *name, const struct token *at)
{
    struct symbol *s = symbol_add(p, name, SYMBOL_LABEL, at->line, at->column);
    if (!s)
        return;
    s->index = (uint32_t)p->body.labels.count;
    VEC_PUSH(&p->body.label_symbols, s);
    VEC_PUSH(&p->body.labels, ((struct ptx_label){name, (uint32_t)p->body.insns.count, at->line}));
}

static void
statement(struct parser *p)
{
    const struct word *w = dot_word(p);
    if (lex_is_dot(p, "loc")) {
        parse_loc(p);
    } else if (lex_is_dot(p, "file")) {
        parse_file(p);
    } else if (lex_is_dot(p, "pragma")) {
        parse_pragma(p);
    } else if (w && w->kind == WORD_SPACE && w->value == PTX_SPACE_REG) {
        parse_reg(p);
    } else if (w && w->kind == WORD_SPACE) {
        parse_variable(p, PTX_LOCAL_LINKAGE);
    } else if (p->tok.kind == TOKEN_NAME) {
        struct lex_state at_name = lex_save(p);
        struct token t = p->tok;
        lex_next(p);
        if (lex_is(p, ':')) {
            lex_next(p);
            const char *name = lex_text(p, &t);
            if (lex_is_dot(p, "branchtargets") || lex_is_dot(p, "calltargets") ||
                lex_is_dot(p, "callprototype"))
                parse_targets(p, name, &t);
            else
                add_label(p, name, &t);
            return;
        }
        if (p->failed)
            return;
        lex_restore(p, &at_name);
        parse_insn(p);
    } else {
        parse_insn(p);
    }
}

/* The function's labels by name and scope, for resolve_labels: scopes are closed by then. */
struct label_table {
    struct symbol **slot;
    uint32_t mask;
};

static uint32_t
label_hash(uint32_t hash, uint32_t scope)
{
    hash ^= scope * 2654435761u;
    return hash ^ hash >> 15;
}

static struct label_table
make_label_table(struct parser *p)
{
    struct label_table t = {.mask = 15};
    while (t.mask < p->body.label_symbols.count * 2)
        t.mask = t.mask * 2 + 1;
    t.slot = ls_alloc(sizeof *t.slot * ((size_t)t.mask + 1));
    for (size_t k = 0; k < p->body.label_symbols.count; k++) {
        struct symbol *s = p->body.label_symbols.at[k];
        uint32_t h = label_hash(s->hash, s->scope) & t.mask;
        while (t.slot[h])
            h = (h + 1) & t.mask;
        t.slot[h] = s;
    }
    return t;
}

/* The label of this name in the use's scope, or in one around it. */
static struct symbol *
find_label(struct parser *p, const struct label_table *t, const struct label_use *u)
{
    uint32_t hash = words_hash(u->name, strlen(u->name));
    for (uint32_t scope = u->scope; scope; scope = p->parents.at[scope])
        for (uint32_t h = label_hash(hash, scope) & t->mask; t->slot[h]; h = (h + 1) & t->mask)
            if (t->slot[h]->scope == scope && !strcmp(t->slot[h]->name, u->name))
                return t->slot[h];
    return NULL;
}

static void
resolve_labels(struct parser *p)
{
    struct label_table t = make_label_table(p);
    for (size_t k = 0; k < p->body.uses.count && !p->failed; k++) {
        struct label_use *u = &p->body.uses.at[k];
        struct symbol *found = find_label(p, &t, u);
        if (!found)
            fail_at(p, u->line, u->column, "label '%s' is not defined", u->name);
        else if (u->wants_targets != (found->kind == SYMBOL_TARGETS))
            fail_at(p, u->line, u->column, "'%s' is %s", u->name,
                    u->wants_targets ? "a label, not a list of targets"
                                     : "a list of targets, not a label");
        else if (!u->operand)
            *u->label = found->index;
        else if (u->wants_targets)
            u->operand->target = found->index;
        else
            u->operand->label = found->index;
    }
    ls_release(t.slot);
}

#define KEEP(field, count_field)                                                                   \
    f->field = VEC_COPY(p->arena, &p->body.field);                                                 \
    f->count_field = (uint32_t)p->body.field.count;                                                \
    p->body.field.count = 0

void
parse_body(struct parser *p, struct ptx_func *f)
{
    uint32_t depth = p->depth;
    lex_expect(p, '{');
    while (!p->failed) {
        if (p->tok.kind == TOKEN_END) {
            fail_here(p, "the text ends inside function '%s'", f->name);
        } else if (lex_take(p, '{')) {
            scope_open(p);
        } else if (lex_is(p, '}')) {
            lex_next(p);
            if (p->depth == depth)
                break;
            scope_close(p);
        } else {
            statement(p);
        }
    }
    if (!p->failed)
        resolve_labels(p);
    KEEP(regs, reg_count);
    KEEP(insns, insn_count);
    KEEP(labels, label_count);
    KEEP(targets, target_count);
    KEEP(locs, loc_count);
    f->vars = VEC_COPY(p->arena, &p->body.locals);
    f->var_count = (uint32_t)p->body.locals.count;
    p->body.locals.count = 0;
    p->body.uses.count = 0;
    p->body.label_symbols.count = 0;
    f->has_body = true;
}
