/* SPDX-License-Identifier: Apache-2.0
 *
 * breakpoints.c: where breakpoints are, which of them the launch stands at, and watches.
 */
#include "cli/debug/session.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* -- places ------------------------------------------------------------------------------------ */

/* Of each function the first place of the line. */
static void
add_line(struct session *s, uint32_t module, const char *file, uint32_t line,
         struct place_list *out)
{
    const struct symbols *y = s->modules.at[module].symbols;
    for (size_t k = 0; k < y->function_count; k++) {
        const struct source_function *f = &y->functions[k];
        for (uint32_t p = f->body; p < f->end; p++) {
            const struct line_key *l = &y->lines.at[y->line_of[p]];
            if (!y->line_of[p] || l->line != line || !source_is(y->files.at[l->file], file))
                continue;
            VEC_PUSH(out, ((struct location){module, p}));
            break;
        }
    }
}

/* The first line with code at or behind the given one; 0: none. */
static uint32_t
line_with_code(struct session *s, const char *file, uint32_t line)
{
    uint32_t best = 0;
    for (size_t k = 0; k < s->modules.count; k++) {
        const struct symbols *y = s->modules.at[k].symbols;
        for (size_t n = 1; n < y->lines.count && !s->modules.at[k].linked; n++) {
            const struct line_key *l = &y->lines.at[n];
            if (l->line >= line && (!best || l->line < best) &&
                source_is(y->files.at[l->file], file))
                best = l->line;
        }
    }
    return best;
}

static bool
find_line(struct session *s, const char *file, uint32_t line, struct place_list *out,
          struct ls_error *err)
{
    bool known = false;
    for (size_t k = 0; k < s->modules.count; k++)
        for (size_t n = 0; n < s->modules.at[k].symbols->files.count; n++)
            known = known || source_is(s->modules.at[k].symbols->files.at[n], file);
    if (!known)
        return ls_fail(err, LS_ERR_INPUT, "No source file named %s.", file);
    for (; (line = line_with_code(s, file, line)); line++) {
        for (uint32_t k = 0; k < s->modules.count; k++)
            if (!s->modules.at[k].linked)
                add_line(s, k, file, line, out);
        if (out->count)
            return true;
    }
    return ls_fail(err, LS_ERR_INPUT, "No kernel has code at that line or behind it in %s.",
                   source_base(file));
}

static bool
find_function(struct session *s, const char *name, struct place_list *out, struct ls_error *err)
{
    for (uint32_t k = 0; k < s->modules.count; k++) {
        const struct symbols *y = s->modules.at[k].symbols;
        for (size_t n = 0; n < y->function_count && !s->modules.at[k].linked; n++)
            if (y->functions[n].end > y->functions[n].first &&
                symbols_is_named(&y->functions[n], name))
                VEC_PUSH(out, ((struct location){k, y->functions[n].body}));
    }
    return out->count > 0 || ls_fail(err, LS_ERR_INPUT, "Function \"%s\" not defined.", name);
}

static bool
find_place(struct session *s, const char *text, struct place_list *out, struct ls_error *err)
{
    struct world w = session_here(s);
    struct value v;
    int64_t n;
    const struct module *m = session_module(s);
    if (!evaluate(&w, text, NULL, &v, err) || !value_integer(&w, &v, &n, err))
        return false;
    if (!m || n < 0 || n >= m->symbols->place_count)
        return ls_fail(err, LS_ERR_INPUT, "%lld is no place of the kernel's module", (long long)n);
    VEC_PUSH(out, ((struct location){s->launch.module, (uint32_t)n}));
    return true;
}

bool
breakpoints_find(struct session *s, const char *spec, struct place_list *out, struct ls_error *err)
{
    uint64_t line;
    const char *colon = strrchr(spec, ':'), *file = source_current(s);
    if (*spec == '*')
        return find_place(s, spec + 1, out, err);
    if (!*spec) {
        if (!session_need_focus(s, err))
            return false;
        VEC_PUSH(out, ((struct location){s->launch.module, session_place(s)}));
        return true;
    }
    if (ls_parse_u64(spec, &line) ||
        ((*spec == '+' || *spec == '-') && ls_parse_u64(spec + 1, &line))) {
        uint32_t here = 0;
        const char *unused;
        const struct module *m = session_module(s);
        if (!file)
            return ls_fail(err, LS_ERR_INPUT,
                           "No kernel of the program is known yet: write "
                           "FILE:LINE");
        if (!isdigit((unsigned char)*spec) && m && session_place(s) != NO_PLACE)
            symbols_place_line(m->symbols, session_place(s), &unused, &here);
        line = *spec == '+' ? here + line : *spec == '-' ? (here > line ? here - line : 1) : line;
        return find_line(s, file, (uint32_t)(line < UINT32_MAX ? line : UINT32_MAX), out, err);
    }
    if (colon && colon > spec && colon[-1] != ':' && ls_parse_u64(colon + 1, &line))
        return find_line(s, arena_strndup(&s->scratch, spec, (size_t)(colon - spec)),
                         (uint32_t)(line < UINT32_MAX ? line : UINT32_MAX), out, err);
    return find_function(s, spec, out, err);
}

/* -- the list ---------------------------------------------------------------------------------- */

static char *
copied(const char *text)
{
    return text ? strcpy(ls_alloc(strlen(text) + 1), text) : NULL;
}

struct breakpoint *
breakpoints_add(struct session *s, enum breakpoint_kind kind, const char *spec)
{
    struct breakpoint *b = ls_alloc(sizeof *b);
    b->kind = kind;
    b->enabled = true;
    b->spec = copied(spec);
    b->number = ++s->breaks.last;
    VEC_PUSH(&s->breaks.all, b);
    return b;
}

void
breakpoints_remove(struct session *s, struct breakpoint *b)
{
    struct ls_error unused;
    if (b->armed && s->target.state == TARGET_STANDS) {
        struct debug_watch gone = {.number = b->number};
        target_watch(&s->target, &gone, &unused);
    }
    for (size_t k = 0; k < s->breaks.all.count; k++)
        if (s->breaks.all.at[k] == b) {
            memmove(&s->breaks.all.at[k], &s->breaks.all.at[k + 1],
                    sizeof b * (s->breaks.all.count - k - 1));
            s->breaks.all.count--;
            break;
        }
    VEC_FREE(&b->at);
    ls_release(b->spec);
    ls_release(b->condition);
    ls_release(b->commands);
    ls_release(b->log);
    ls_release(b);
}

struct breakpoint *
breakpoints_number(const struct session *s, uint64_t number)
{
    for (size_t k = 0; k < s->breaks.all.count; k++)
        if (s->breaks.all.at[k]->number == number)
            return s->breaks.all.at[k];
    return NULL;
}

void
breakpoints_resolve(struct session *s, uint32_t module)
{
    for (size_t k = 0; k < s->breaks.all.count; k++) {
        struct breakpoint *b = s->breaks.all.at[k];
        struct place_list found = {0};
        struct ls_error unused;
        bool known = b->kind != BREAKPOINT || *b->spec == '*';
        size_t kept = 0;
        for (size_t n = 0; n < b->at.count; n++)
            if (!s->modules.at[b->at.at[n].module].linked)
                b->at.at[kept++] = b->at.at[n];
        b->at.count = kept;
        for (size_t n = 0; n < b->at.count; n++)
            known = known || b->at.at[n].module == module;
        if (known || !breakpoints_find(s, b->spec, &found, &unused)) {
            VEC_FREE(&found);
            continue;
        }
        for (size_t n = 0; n < found.count; n++)
            if (found.at[n].module == module)
                VEC_PUSH(&b->at, found.at[n]);
        VEC_FREE(&found);
    }
}

bool
breakpoints_send(struct session *s, struct ls_error *err)
{
    bool fine = true;
    if (s->target.state != TARGET_STANDS)
        return true;
    for (uint32_t m = 0; m < s->modules.count && fine; m++) {
        const struct symbols *y = s->modules.at[m].symbols;
        if (!s->modules.at[m].loaded)
            continue;
        uint32_t *flags = ls_alloc(sizeof *flags * (y->place_count + 1));
        memcpy(flags, y->line_of, sizeof *flags * y->place_count);
        for (size_t k = 0; k < s->breaks.all.count; k++) {
            const struct breakpoint *b = s->breaks.all.at[k];
            for (size_t n = 0; n < b->at.count && b->enabled && b->kind == BREAKPOINT && !s->muted;
                 n++)
                if (b->at.at[n].module == m)
                    flags[b->at.at[n].place] |= DEBUG_BREAK;
        }
        fine = target_flags(&s->target, s->modules.at[m].number, flags, y->place_count, err);
        ls_release(flags);
    }
    return fine && breakpoints_send_filters(s, err) && breakpoints_send_findings(s, err);
}

bool
breakpoints_arm(struct session *s, struct breakpoint *b, struct ls_error *err)
{
    struct debug_watch w = {.number = b->number, .kinds = b->watch_kinds, .at = b->memory};
    if (!b->enabled || s->muted)
        w.at.bytes = 0;
    b->armed = target_watch(&s->target, &w, err);
    return b->armed;
}

/* -- where it has stopped ---------------------------------------------------------------------- */

static bool
breakpoints_condition_holds(struct session *s, const char *condition,
                            const struct debug_thread *thread, bool *holds, struct ls_error *err)
{
    struct arena own = {0};
    struct debug_frame frame = {.place = s->target.stop.place};
    struct world w = session_world(s, thread, &frame, 0);
    struct value v;
    w.arena = w.types = &own;
    bool fine = evaluate(&w, condition, NULL, &v, err) && value_truth(&w, &v, holds, err);
    arena_free(&own);
    return fine;
}

static bool
is_at(const struct session *s, const struct breakpoint *b)
{
    if (!b->enabled || b->kind != BREAKPOINT)
        return false;
    for (size_t k = 0; k < b->at.count; k++)
        if (b->at.at[k].module == s->launch.module && b->at.at[k].place == s->target.stop.place)
            return true;
    return false;
}

/* The first lane, the one in focus before all others, for which the condition holds. */
static bool
lane_of(struct session *s, const struct breakpoint *b, uint32_t *lane)
{
    const struct debug_stop *stop = &s->target.stop;
    uint32_t lanes = b->kind == WATCHPOINT   ? 1u << (stop->watch_lane & 31)
                     : b->kind == CATCHPOINT ? 1u << *lane
                                             : stop->lanes;
    for (uint32_t k = 0; k < 32; k++) {
        bool holds = true;
        struct ls_error err = {0};
        if (!(lanes >> k & 1))
            continue;
        struct debug_thread t = session_thread_of(s, stop->at, stop->warp, k);
        *lane = k;
        if (!b->condition)
            return true;
        if (!breakpoints_condition_holds(s, b->condition, &t, &holds, &err)) {
            fprintf(stderr, "Error in testing condition for breakpoint %u:\n%s\n", b->number,
                    err.text);
            return true;
        }
        if (holds)
            return true;
    }
    return false;
}

struct breakpoint *
breakpoints_hit(struct session *s, uint32_t *lane)
{
    const struct debug_stop *stop = &s->target.stop;
    struct breakpoint *first = NULL;
    breakpoints_note_findings(s);
    for (size_t k = 0; k < s->breaks.all.count; k++) {
        struct breakpoint *b = s->breaks.all.at[k];
        uint32_t here = 0;
        bool at = stop->why == DEBUG_WHY_WATCH
                      ? b->kind == WATCHPOINT && b->enabled && b->number == stop->watch
                  : b->kind == CATCHPOINT ? b->enabled && breakpoints_at_finding(s, b, &here)
                                          : is_at(s, b);
        if (!at || !lane_of(s, b, &here))
            continue;
        b->hits++;
        if (b->ignore) {
            b->ignore--;
            continue;
        }
        if (first)
            continue;
        first = b;
        *lane = here;
    }
    return first;
}
