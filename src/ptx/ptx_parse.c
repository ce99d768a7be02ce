/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_parse.c: functions, and what a module holds besides. Start at ptx_parse, at the end.
 */
#include "ptx/ptx_priv.h"

#include <string.h>

/* -- functions --------------------------------------------------------------------------------- */

static void
triple(struct parser *p, uint32_t out[3])
{
    lex_next(p);
    for (int k = 0; k < 3; k++) {
        out[k] = (uint32_t)expr_count(p, "dimension", UINT32_MAX);
        if (!lex_take(p, ','))
            for (k++; k < 3; k++)
                out[k] = 1;
    }
}

static void
performance(struct parser *p, struct ptx_func *f)
{
    while (p->tok.kind == TOKEN_DOT && !p->failed) {
        if (lex_is_dot(p, "maxntid")) {
            triple(p, f->limits.maxntid);
        } else if (lex_is_dot(p, "reqntid")) {
            triple(p, f->limits.reqntid);
        } else if (lex_is_dot(p, "reqnctapercluster")) {
            triple(p, f->limits.reqnctapercluster);
        } else if (lex_take_dot(p, "minnctapersm")) {
            f->limits.minnctapersm = (uint32_t)expr_count(p, "number of blocks", UINT32_MAX);
        } else if (lex_take_dot(p, "maxnctapersm")) {
            expr_count(p, "number of blocks", UINT32_MAX);
        } else if (lex_take_dot(p, "maxnreg")) {
            f->limits.maxnreg = (uint32_t)expr_count(p, "number of registers", UINT32_MAX);
        } else if (lex_take_dot(p, "maxclusterrank")) {
            f->limits.maxclusterrank = (uint32_t)expr_count(p, "number of blocks", UINT32_MAX);
        } else if (lex_take_dot(p, "noreturn")) {
            f->noreturn = true;
        } else if (lex_is_dot(p, "pragma")) {
            parse_pragma(p);
        } else if (lex_take_dot(p, "explicitcluster")) {
            f->limits.explicit_cluster = true;
        } else if (lex_take_dot(p, "blocksareclusters")) {
            f->limits.blocks_are_clusters = true;
        } else if (lex_take_dot(p, "abi_preserve") || lex_take_dot(p, "abi_preserve_control")) {
            expr_count(p, "number of registers", UINT32_MAX);
        } else {
            fail_expected(p, "a body, or ';'");
        }
    }
}

/* One struct a name: a declaration's, filled in by the definition. */
static struct ptx_func *
add_function(struct parser *p, struct ptx_func *f, const struct token *at)
{
    struct symbol *s = symbol_find(p, f->name, strlen(f->name));
    if (!s)
        s = symbol_add_global(p, f->name, SYMBOL_FUNC, at->line, at->column);
    if (!s)
        return NULL;
    if (s->kind != SYMBOL_FUNC || (s->func && s->func->has_body && f->has_body)) {
        fail_at(p, at->line, at->column, "'%s' is already declared on line %u", f->name, s->line);
        return NULL;
    }
    if (!s->func || s->undeclared) {
        struct ptx_func *slot = s->func ? s->func : f;
        if (slot != f)
            *slot = *f;
        slot->index = (uint32_t)p->module.funcs.count;
        s->func = slot;
        s->line = at->line;
        s->undeclared = false;
        VEC_PUSH(&p->module.funcs, slot);
        return slot;
    }
    if (s->func->is_kernel != f->is_kernel || s->func->param_count != f->param_count ||
        s->func->result_count != f->result_count) {
        fail_at(p, at->line, at->column, "'%s' is declared differently on line %u", f->name,
                s->line);
        return NULL;
    }
    if (f->has_body) {
        f->index = s->func->index;
        if (f->linkage == PTX_LOCAL_LINKAGE && s->func->linkage != PTX_EXTERN)
            f->linkage = s->func->linkage;
        *s->func = *f;
    }
    return s->func;
}

static void
parse_signature(struct parser *p, struct ptx_func *f, struct token *at)
{
    while (lex_take_dot(p, "noreturn"))
        f->noreturn = true;
    if (lex_is(p, '(')) {
        if (f->is_kernel)
            fail_here(p, "a kernel has no results");
        parse_parameters(p, f, true, false);
    }
    *at = p->tok;
    f->name = lex_name(p, "a function's name");
    if (lex_is(p, '('))
        parse_parameters(p, f, false, false);
    performance(p, f);
    if (f->is_kernel && f->param_bytes > PTX_LIMIT_PARAMETERS)
        fail_at(p, at->line, at->column, "the parameters of '%s' take %llu bytes: more than %d",
                f->name, (unsigned long long)f->param_bytes, PTX_LIMIT_PARAMETERS);
}

static void
parse_function(struct parser *p, enum ptx_linkage linkage)
{
    struct ptx_func *f = ARENA_NEW(p->arena, struct ptx_func);
    *f = (struct ptx_func){.is_kernel = lex_is_dot(p, "entry"),
                           .linkage = (uint8_t)linkage,
                           .line = p->tok.line,
                           .module = p->m};
    struct token at;
    lex_next(p);
    scope_open(p);
    VEC_PUSH(&p->body.locs, ((struct ptx_loc){0}));
    p->body.loc = 0;
    p->body.func = f;
    parse_signature(p, f, &at);
    if (!lex_take(p, ';') && !p->failed)
        parse_body(p, f);
    p->body.func = NULL;
    p->body.regs.count = p->body.locals.count = p->body.locs.count = 0;
    scope_close(p);
    if (p->failed || (f->is_kernel && !f->has_body && linkage != PTX_EXTERN))
        return;
    struct ptx_func *g = add_function(p, f, &at);
    if (!g)
        return;
    for (uint32_t k = 0; k < g->param_count; k++)
        g->params[k]->func = g;
    for (uint32_t k = 0; k < g->result_count; k++)
        g->results[k]->func = g;
    for (uint32_t k = 0; k < g->var_count; k++)
        g->vars[k]->func = g;
}

/* .alias a, b; gives b's body the declared name a as well (PTX ISA 11.6). */
static void
parse_alias(struct parser *p)
{
    lex_next(p);
    struct alias a = {.at = p->tok};
    a.name = lex_name(p, "a function");
    lex_expect(p, ',');
    a.of = lex_name(p, "a function");
    lex_expect(p, ';');
    VEC_PUSH(&p->module.aliases, a);
}

/* -- the module -------------------------------------------------------------------------------- */

/* A file's name: bytes that are no plain characters come as \303, a quote as \". */
static const char *
unescaped(struct parser *p, const struct token *t)
{
    char *text = arena_strndup(p->arena, t->at, t->count), *to = text;
    for (const char *from = text; *from;) {
        unsigned byte = 0, digits = 0;
        if (*from != '\\' || !from[1]) {
            *to++ = *from++;
            continue;
        }
        for (from++; digits < 3 && *from >= '0' && *from <= '7'; digits++)
            byte = 8 * byte + (unsigned)(*from++ - '0');
        if (!digits)
            *to++ = *from++;
        else if ((char)byte)
            *to++ = (char)byte;
    }
    *to = 0;
    return text;
}

void
parse_file(struct parser *p)
{
    lex_next(p);
    uint64_t n = expr_count(p, "file number", PTX_LIMIT_FILES);
    const char *name = p->tok.kind == TOKEN_STRING ? unescaped(p, &p->tok) : "";
    if (p->tok.kind != TOKEN_STRING)
        fail_expected(p, "a file's name");
    lex_next(p);
    while (lex_take(p, ','))
        expr_count(p, "number", UINT64_MAX);
    while (p->module.files.count <= n && !p->failed)
        VEC_PUSH(&p->module.files, ((struct ptx_file){0}));
    if (!p->failed)
        p->module.files.at[n].name = name;
}

void
parse_pragma(struct parser *p)
{
    lex_next(p);
    do {
        if (p->tok.kind != TOKEN_STRING)
            fail_expected(p, "a string");
        else if (!strcmp(lex_text(p, &p->tok), "lockstep replicated"))
            p->m->replicated = true;
        else if (!strcmp(lex_text(p, &p->tok), "lockstep wir"))
            p->m->is_wir = true;
        lex_next(p);
    } while (lex_take(p, ',') && !p->failed);
    lex_expect(p, ';');
}

/* The strings of .debug_str, which .loc's function_name points into. */
static void
collect_string(struct parser *p)
{
    struct token t = p->tok;
    lex_next(p);
    if (t.kind == TOKEN_NAME && lex_is(p, ':')) {
        const char *name = arena_strndup(&p->temporary, t.at, t.count);
        words_add(&p->module.debug_labels, &p->temporary, name, 0,
                  (uint32_t)p->module.debug_str.count);
    } else if (t.kind == TOKEN_INT) {
        char c = (char)t.integer;
        text_add_bytes(&p->module.debug_str, &c, 1);
    }
}

static void
parse_section(struct parser *p)
{
    lex_next(p);
    bool strings = lex_is_dot(p, "debug_str");
    lex_next(p); /* its name */
    lex_expect(p, '{');
    while (!lex_is(p, '}') && !p->failed) {
        if (p->tok.kind == TOKEN_END)
            fail_here(p, "the text ends inside a section");
        else if (strings)
            collect_string(p);
        else
            lex_next(p);
    }
    lex_expect(p, '}');
}

static void
parse_version(struct parser *p)
{
    lex_next(p);
    struct token t = p->tok;
    if (t.kind != TOKEN_FLOAT && t.kind != TOKEN_INT) {
        fail_expected(p, "a version");
        return;
    }
    double v = t.kind == TOKEN_FLOAT ? bits_double(t.integer) : (double)t.integer;
    if (t.is_f32 || !(v >= 1 && v < 100)) {
        fail_here(p, "'%.*s' is not a version", (int)t.count, t.at);
        return;
    }
    p->m->version = (uint32_t)(v * 10 + 0.5);
    p->module.has_version = true;
    lex_next(p);
}

/* What may stand beside sm_90 in .target (PTX ISA 11.1.2). */
static bool
known_target(const char *name)
{
    static const char *const names[] = {"compute_",        "debug",
                                        "texmode_unified", "texmode_independent",
                                        "texmode_raw",     "map_f64_to_f32"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (ls_starts_with(name, names[k]))
            return true;
    return false;
}

static void
parse_address_size(struct parser *p)
{
    lex_next(p);
    struct token t = p->tok;
    uint64_t n = expr_count(p, "address size", UINT32_MAX);
    if (n != 64)
        fail_at(p, t.line, t.column, ".address_size %llu is not supported: only 64 is",
                (unsigned long long)n);
    p->m->address_size = (uint32_t)n;
}

static void
parse_target(struct parser *p)
{
    lex_next(p);
    do {
        struct token t = p->tok;
        const char *name = lex_name(p, "a target");
        if (ls_starts_with(name, "sm_")) {
            uint32_t n = 0;
            const char *c = name + 3;
            for (; *c >= '0' && *c <= '9' && n < 100000; c++)
                n = n * 10 + (uint32_t)(*c - '0');
            if (!n || (*c && strcmp(c, "a") && strcmp(c, "f")))
                fail_at(p, t.line, t.column, "'%s' is not a target", name);
            p->m->target = n;
            p->m->target_suffix_a = *c == 'a';
        } else if (!known_target(name)) {
            fail_at(p, t.line, t.column, "'%s' is not a target", name);
        }
    } while (lex_take(p, ',') && !p->failed);
    p->module.has_target = true;
}

/* A directive that stands by itself; false: something else comes. */
static bool
parse_directive(struct parser *p)
{
    static const struct {
        const char *name;
        void (*parse)(struct parser *p);
    } rows[] = {{"target", parse_target}, {"address_size", parse_address_size},
                {"alias", parse_alias},   {"file", parse_file},
                {"pragma", parse_pragma}, {"section", parse_section},
                {"loc", parse_loc}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (lex_is_dot(p, rows[k].name)) {
            rows[k].parse(p);
            return true;
        }
    return false;
}

static void
module_item(struct parser *p)
{
    enum ptx_linkage linkage = PTX_LOCAL_LINKAGE;
    for (bool more = true; more;) {
        if (lex_take_dot(p, "visible"))
            linkage = PTX_VISIBLE;
        else if (lex_take_dot(p, "extern"))
            linkage = PTX_EXTERN;
        else if (lex_take_dot(p, "weak"))
            linkage = PTX_WEAK;
        else if (lex_take_dot(p, "common"))
            linkage = PTX_COMMON;
        else
            more = false;
    }
    const struct word *w = dot_word(p);
    if (lex_is_dot(p, "version"))
        parse_version(p);
    else if (!p->module.has_version)
        fail_here(p, "a module begins with .version");
    else if (parse_directive(p))
        return;
    else if (lex_is_dot(p, "entry") || lex_is_dot(p, "func"))
        parse_function(p, linkage);
    else if (w && w->kind == WORD_SPACE)
        parse_variable(p, linkage);
    else
        fail_expected(p, "a directive, a variable or a function");
}

static void
free_parser(struct parser *p)
{
    VEC_FREE(&p->module.vars);
    VEC_FREE(&p->module.funcs);
    VEC_FREE(&p->module.files);
    VEC_FREE(&p->module.undeclared);
    VEC_FREE(&p->module.loc_names);
    VEC_FREE(&p->module.aliases);
    text_free(&p->module.debug_str);
    VEC_FREE(&p->body.regs);
    VEC_FREE(&p->body.locals);
    VEC_FREE(&p->body.insns);
    VEC_FREE(&p->body.labels);
    VEC_FREE(&p->body.label_symbols);
    VEC_FREE(&p->body.targets);
    VEC_FREE(&p->body.locs);
    VEC_FREE(&p->body.uses);
    VEC_FREE(&p->parents);
    ls_release(p->buckets);
    arena_free(&p->temporary);
}

static void
resolve_aliases(struct parser *p)
{
    for (size_t k = 0; k < p->module.aliases.count && !p->failed; k++) {
        const struct alias *a = &p->module.aliases.at[k];
        struct symbol *s = symbol_find(p, a->name, strlen(a->name));
        struct symbol *of = symbol_find(p, a->of, strlen(a->of));
        const char *wrong = !s || s->kind != SYMBOL_FUNC                            ? a->name
                            : !of || of->kind != SYMBOL_FUNC || !of->func->has_body ? a->of
                                                                                    : NULL;
        if (wrong) {
            fail_at(p, a->at.line, a->at.column, "'%s' is not a function that an alias can have",
                    wrong);
            return;
        }
        uint32_t index = s->func->index;
        uint8_t linkage = s->func->linkage;
        *s->func = *of->func;
        s->func->name = a->name;
        s->func->index = index;
        s->func->linkage = linkage;
    }
}

static void
resolve_loc_names(struct parser *p)
{
    for (size_t k = 0; k < p->module.loc_names.count; k++) {
        const struct loc_name *n = &p->module.loc_names.at[k];
        const struct word *w = words_find(&p->module.debug_labels, n->label, strlen(n->label));
        uint64_t at = w ? w->value + n->offset : UINT64_MAX;
        if (at < p->module.debug_str.count && n->loc < n->func->loc_count)
            n->func->locs[n->loc].inlined_function =
                arena_strndup(p->arena, p->module.debug_str.at + at,
                              strnlen(p->module.debug_str.at + at, p->module.debug_str.count - at));
    }
}

/* Without the places of declarations whose variable was defined later. */
static void
keep_vars(struct parser *p, struct ptx_module *m)
{
    m->vars = VEC_COPY(p->arena, &p->module.vars);
    for (size_t k = 0; k < p->module.vars.count; k++)
        if (m->vars[k]) {
            m->vars[k]->index = m->var_count;
            m->vars[m->var_count++] = m->vars[k];
        }
}

static void
finish(struct parser *p)
{
    struct ptx_module *m = p->m;
    for (size_t k = 0; k < p->module.undeclared.count; k++) {
        struct symbol *s = p->module.undeclared.at[k];
        if (s->undeclared) {
            fail_at(p, s->line, s->column, "'%s' is not declared", s->name);
            return;
        }
    }
    resolve_aliases(p);
    resolve_loc_names(p);
    keep_vars(p, m);
    m->funcs = VEC_COPY(p->arena, &p->module.funcs);
    m->files = VEC_COPY(p->arena, &p->module.files);
    m->func_count = (uint32_t)p->module.funcs.count;
    m->file_count = (uint32_t)p->module.files.count;
    for (size_t k = 0; k < p->module.funcs.count && !p->failed; k++)
        check_calls(p, p->module.funcs.at[k]);
}

struct ptx_module *
ptx_parse(const char *text, size_t size, const char *path, struct ls_error *err)
{
    struct parser *p = ls_alloc(sizeof *p);
    p->err = err;
    p->m = ls_alloc(sizeof *p->m);
    p->arena = &p->m->arena;
    p->m->path = arena_strdup(p->arena, path);
    p->m->text = arena_strndup(p->arena, text, size);
    p->m->text_bytes = size;
    p->m->hash = ls_hash((struct hash128){0, 0}, text, size);
    p->m->address_size = 64;
    p->path = p->m->path;
    p->cursor = p->line_start = text;
    p->end = text + size;
    p->line = 1;
    tables_init(p);
    lex_next(p);
    while (!p->failed && p->tok.kind != TOKEN_END)
        module_item(p);
    if (!p->failed && !p->module.has_version)
        fail_here(p, "the text holds no PTX module");
    if (!p->failed)
        finish(p);
    struct ptx_module *m = p->m;
    bool failed = p->failed;
    free_parser(p);
    ls_release(p);
    if (failed) {
        ptx_free(m);
        return NULL;
    }
    return m;
}

void
ptx_free(struct ptx_module *m)
{
    for (int k = 0; m && k < PTX_DERIVATIONS; k++)
        if (m->derived[k])
            m->derived[k]->release(m->derived[k]);
    ARENA_RELEASE(m);
}

struct ptx_derived *
ptx_derive(const struct ptx_module *m, enum ptx_derivation which,
           struct ptx_derived *(*make)(const struct ptx_module *m))
{
    struct ptx_derived **at = &((struct ptx_module *)m)->derived[which];
    struct ptx_derived *there = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    if (there)
        return there;
    struct ptx_derived *own = make(m);
    if (__atomic_compare_exchange_n(at, &there, own, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return own;
    own->release(own); /* another thread was faster */
    return there;
}

struct ptx_func *
ptx_find_func(const struct ptx_module *m, const char *name)
{
    for (uint32_t k = 0; k < m->func_count; k++)
        if (!strcmp(m->funcs[k]->name, name))
            return m->funcs[k];
    return NULL;
}

struct ptx_var *
ptx_find_var(const struct ptx_module *m, const char *name)
{
    for (uint32_t k = 0; k < m->var_count; k++)
        if (!strcmp(m->vars[k]->name, name))
            return m->vars[k];
    return NULL;
}
