/* SPDX-License-Identifier: Apache-2.0
 *
 * symbols.c: functions and lines of a module, and looking things up; variables and types are
 * dwarf.c's.
 */
#include "cli/inspect/symbols.h"

#include "jit/jit.h"

#include <stdlib.h>
#include <string.h>

static uint32_t
file_index(struct symbols *s, const char *name)
{
    for (size_t k = 0; k < s->files.count; k++)
        if (!strcmp(s->files.at[k], name))
            return (uint32_t)k;
    VEC_PUSH(&s->files, name);
    return (uint32_t)s->files.count - 1;
}

/* -- lines ------------------------------------------------------------------------------------- */

/* Behind what sets up the frame: clang gives that the function's own line without a column. */
static uint32_t
body_of(const struct ptx_func *f, uint32_t first)
{
    for (uint32_t k = 0; k < f->insn_count; k++) {
        uint32_t loc = f->insns[k].loc;
        if (loc && loc < f->loc_count && f->locs[loc].line && f->locs[loc].column)
            return first + k;
    }
    return first;
}

static int
by_line(const void *a, const void *b)
{
    const struct line_key *x = a, *y = b;
    return x->file != y->file ? (x->file < y->file ? -1 : 1)
                              : (x->line > y->line) - (x->line < y->line);
}

static struct line_key
line_of_insn(struct symbols *s, const struct ptx_func *f, const struct ptx_insn *i)
{
    const struct ptx_loc *l = jit_place_loc(f, i);
    if (l)
        return (struct line_key){file_index(s, s->module->files[l->file].name), l->line};
    return (struct line_key){file_index(s, s->module->path), i->line};
}

static void
number_lines(struct symbols *s)
{
    struct line_key *key = ls_alloc(sizeof *key * (s->place_count + 1));
    uint32_t place = 0;
    for (uint32_t k = 0; k < s->module->func_count; k++) {
        const struct ptx_func *f = s->module->funcs[k];
        for (uint32_t n = 0; n < f->insn_count; n++)
            key[place++] = line_of_insn(s, f, &f->insns[n]);
    }
    struct line_key *sorted = ls_alloc(sizeof *sorted * (place + 1));
    memcpy(sorted, key, sizeof *key * place);
    qsort(sorted, place, sizeof *sorted, by_line);
    VEC_PUSH(&s->lines, ((struct line_key){UINT32_MAX, 0}));
    for (uint32_t k = 0; k < place; k++)
        if (!k || by_line(&sorted[k], &sorted[k - 1]))
            VEC_PUSH(&s->lines, sorted[k]);
    s->line_of = arena_alloc(&s->arena, sizeof *s->line_of * (place + 1));
    for (uint32_t k = 0; k < place; k++) {
        const struct line_key *l =
            bsearch(&key[k], s->lines.at + 1, s->lines.count - 1, sizeof *s->lines.at, by_line);
        s->line_of[k] = (uint32_t)(l - s->lines.at);
    }
    ls_release(key);
    ls_release(sorted);
}

static void
add_functions(struct symbols *s)
{
    uint32_t place = 0;
    s->function_count = s->module->func_count;
    s->functions = ARENA_ARRAY(&s->arena, struct source_function, s->function_count + 1);
    for (uint32_t k = 0; k < s->function_count; k++) {
        const struct ptx_func *f = s->module->funcs[k];
        s->functions[k] = (struct source_function){.ptx = f,
                                                   .name = ls_readable_name(&s->arena, f->name),
                                                   .first = place,
                                                   .end = place + f->insn_count,
                                                   .body = body_of(f, place)};
        for (uint32_t n = 0; n < f->insn_count && !s->functions[k].has_lines; n++)
            s->functions[k].has_lines = jit_place_loc(f, &f->insns[n]) != NULL;
        place += f->insn_count;
    }
    s->place_count = place;
}

/* A step does not stop before the body, nor in a function of which no source is known (of our
 * headers) where others have one. */
static void
leave_out_places(struct symbols *s)
{
    bool any = false;
    for (size_t k = 0; k < s->function_count; k++)
        any |= s->functions[k].has_lines;
    for (size_t k = 0; k < s->function_count; k++) {
        const struct source_function *f = &s->functions[k];
        uint32_t end = any && !f->has_lines ? f->end : f->body;
        for (uint32_t p = f->first; p < end; p++)
            s->line_of[p] = 0;
    }
}

struct symbols *
symbols_read(char *text, size_t size, const char *path, struct ls_error *err)
{
    struct symbols *s = ls_alloc(sizeof *s);
    s->text = text;
    s->text_size = size;
    s->module = ptx_parse(text, size, path, err);
    if (!s->module) {
        symbols_free(s);
        return NULL;
    }
    add_functions(s);
    number_lines(s);
    leave_out_places(s);
    if (!symbols_read_dwarf(s, s, err)) {
        symbols_free(s);
        return NULL;
    }
    return s;
}

void
symbols_free(struct symbols *s)
{
    if (!s)
        return;
    ptx_free(s->module);
    VEC_FREE(&s->globals);
    VEC_FREE(&s->types);
    VEC_FREE(&s->files);
    VEC_FREE(&s->lines);
    arena_free(&s->arena);
    ls_release(s->text);
    ls_release(s);
}

bool
symbols_is_unit_of(const struct symbols *unit, const struct symbols *s)
{
    bool any = false;
    for (size_t k = 0; k < unit->function_count; k++) {
        const struct ptx_func *f = unit->functions[k].ptx;
        const struct ptx_func *linked = f->has_body ? ptx_find_func(s->module, f->name) : NULL;
        if (f->has_body && (!linked || linked->insn_count != f->insn_count))
            return false;
        any = any || f->has_body;
    }
    return any;
}

/* -- looking up -------------------------------------------------------------------------------- */

const struct source_function *
symbols_function_at(const struct symbols *s, uint32_t place)
{
    for (size_t k = 0; k < s->function_count; k++)
        if (place >= s->functions[k].first && place < s->functions[k].end)
            return &s->functions[k];
    return NULL;
}

static bool
holds(const struct scope *c, uint32_t place)
{
    bool inside = !c->extent_count;
    for (size_t k = 0; k < c->extent_count && !inside; k++)
        inside = place >= c->extents[k].low && place < c->extents[k].high;
    return inside;
}

const struct scope *
symbols_scope_at(const struct source_function *f, uint32_t place)
{
    const struct scope *c = f ? f->scope : NULL;
    for (bool deeper = c != NULL; deeper;) {
        deeper = false;
        for (size_t k = 0; k < c->inner_count && !deeper; k++)
            if (holds(c->inner[k], place)) {
                c = c->inner[k];
                deeper = true;
            }
    }
    return c;
}

bool
symbols_place_line(const struct symbols *s, uint32_t place, const char **file, uint32_t *line)
{
    const struct source_function *f = symbols_function_at(s, place);
    if (!f)
        return false;
    const struct line_key *l = &s->lines.at[s->line_of[place]];
    if (!s->line_of[place]) { /* a prologue: the function's own line */
        const struct ptx_insn *i = &f->ptx->insns[place - f->first];
        const struct ptx_loc *own = jit_place_loc(f->ptx, i);
        *file = own ? s->module->files[own->file].name : s->module->path;
        *line = own ? own->line : f->has_lines ? f->ptx->line : i->line;
        return true;
    }
    *file = s->files.at[l->file];
    *line = l->line;
    return true;
}

bool
symbols_is_named(const struct source_function *f, const char *name)
{
    const char *whole = f->name, *last = whole;
    size_t n = strlen(name);
    if (!strcmp(whole, name) || !strcmp(f->ptx->name, name))
        return true;
    int depth = 0;
    for (const char *p = whole; *p; p++) {
        depth += (*p == '<') - (*p == '>');
        if (!depth && p[0] == ':' && p[1] == ':')
            last = p + 2;
    }
    const char *const forms[] = {whole, last};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        if (!strncmp(forms[k], name, n) && (!forms[k][n] || forms[k][n] == '<'))
            return true;
    return false;
}

struct type *
symbols_type(const struct symbols *s, const char *name)
{
    for (size_t k = 0; s && k < s->types.count; k++)
        if (!strcmp(s->types.at[k]->name, name))
            return s->types.at[k];
    return type_base(name);
}
