/* SPDX-License-Identifier: Apache-2.0
 *
 * record.c: see record.h. The program stops before every instruction of the block.
 */
#include "cli/debug/record.h"

#include "report/html.h"

#include <string.h>

__asm__(".section .rodata\n"
        "record_template: .incbin \"" LOCKSTEP_RECORD_PAGE "\"\n"
        ".byte 0\n"
        ".text\n");
extern const char record_template[] __asm__("record_template");

/* -- stops ------------------------------------------------------------------------------------- */

/* Every place of the launch's module stops, or none. */
static bool
set_stops(struct record *r, bool all, struct ls_error *err)
{
    const struct module *m = session_module(r->s);
    if (!m)
        return ls_fail(err, LS_ERR_INTERNAL, "the launch's module is not known");
    uint32_t count = m->symbols->place_count;
    uint32_t *flags = ls_alloc(sizeof *flags * (count + 1));
    for (uint32_t k = 0; k < count; k++)
        flags[k] = m->symbols->line_of[k] | (all ? DEBUG_BREAK : 0);
    struct debug_filter pass = {.place = NO_PLACE}; /* all: no block may be passed over */
    bool fine = target_flags(&r->s->target, m->number, flags, count, err) &&
                target_filters(&r->s->target, &pass, all ? 0 : 1, err);
    ls_release(flags);
    return fine;
}

/* Goes on; *event: where it came to, with the session knowing of it. */
static bool
go(struct record *r, enum debug_how how, enum target_event *event, struct ls_error *err)
{
    struct session *s = r->s;
    struct debug_go plan = {.how = how, .depth = UINT32_MAX};
    memcpy(plan.focus.block, r->block, sizeof r->block);
    *event = target_go(&s->target, &plan, err);
    s->launch.stands = *event == TARGET_STOP;
    return *event != TARGET_FAILED;
}

static bool
in_block(const struct record *r)
{
    return !memcmp(r->s->target.stop.at, r->block, sizeof r->block);
}

/* -- steps ------------------------------------------------------------------------------------- */

/* Masks of the block's warps; *found: it is there. */
static bool
find_alive(struct record *r, uint32_t *alive, bool *found, struct ls_error *err)
{
    uint32_t count;
    struct debug_warp *w = target_warps(&r->s->target, &count, err);
    *found = false;
    memset(alive, 0, sizeof *alive * r->warps);
    for (uint32_t k = 0; w && k < count; k++)
        if (!memcmp(w[k].block, r->block, sizeof r->block) && w[k].warp < r->warps) {
            alive[w[k].warp] = w[k].alive;
            *found = true;
        }
    ls_release(w);
    return w != NULL;
}

/* The step that went on is over; where the launch stands is known, or it is over, too. */
static bool
end_step(struct record *r, bool over, bool *found, struct ls_error *err)
{
    uint32_t *alive = ls_alloc(sizeof *alive * (r->warps + 1));
    *found = false;
    bool fine = over || find_alive(r, alive, found, err);
    if (fine && r->step) {
        fine = !r->stores || !*found || record_shared_changes(r, err);
        if (alive[r->warp] != r->alive[r->warp])
            json_object_set_new(r->step, "k", json_integer(alive[r->warp]));
        json_array_append_new(r->steps, r->step);
    }
    r->step = NULL;
    memcpy(r->alive, alive, sizeof *alive * r->warps);
    ls_release(alive);
    return fine;
}

/* The number, in the recording, of the function that holds the next instruction. */
static json_int_t
function_index(struct record *r)
{
    const struct module *m = session_module(r->s);
    const struct source_function *f = symbols_function_at(m->symbols, r->s->target.stop.place);
    const char *name = f ? f->name : "?";
    size_t k;
    json_t *known;
    json_array_foreach (r->functions, k, known)
        if (!strcmp(json_string_value(known), name))
            return (json_int_t)k;
    json_array_append_new(r->functions, json_string(name));
    return (json_int_t)json_array_size(r->functions) - 1;
}

static bool
begin_step(struct record *r, uint32_t line, struct ls_error *err)
{
    const struct debug_stop *stop = &r->s->target.stop;
    r->step = json_object();
    r->warp = stop->warp;
    r->line = line;
    r->lanes = stop->lanes;
    r->stores = false;
    json_object_set_new(r->step, "w", json_integer(stop->warp));
    json_object_set_new(r->step, "l", json_integer(line));
    json_object_set_new(r->step, "m", json_integer(stop->lanes));
    json_object_set_new(r->step, "f", json_integer(function_index(r)));
    record_values(r);
    if (line < r->first)
        r->first = line;
    if (line > r->last)
        r->last = line;
    return !r->o->registers || record_registers(r, err);
}

/* Whether the instruction that comes next belongs to the step that goes on. */
static bool
is_same_step(const struct record *r, uint32_t line)
{
    const struct debug_stop *stop = &r->s->target.stop;
    bool same_line = !line || line == r->line;
    return r->step && same_line && stop->warp == r->warp && stop->lanes == r->lanes &&
           stop->place > r->place;
}

static bool
waits_for_block(const struct record *r)
{
    const struct module *m = session_module(r->s);
    uint32_t place = r->s->target.stop.place;
    const struct source_function *f = symbols_function_at(m->symbols, place);
    uint16_t op = f ? f->ptx->insns[place - f->first].op : 0;
    return op == PTX_OP_BAR || op == PTX_OP_BARRIER || op == PTX_OP_BARRIER_CLUSTER;
}

/* One instruction of the block, which is executed next; *found: the block is still there. */
static bool
take_stop(struct record *r, bool *found, struct ls_error *err)
{
    const char *file = NULL;
    uint32_t line = 0, place = r->s->target.stop.place;
    arena_free(&r->s->scratch);
    const struct module *m = session_module(r->s);
    symbols_place_line(m->symbols, place, &file, &line);
    *found = true;
    if (!r->s->target.stop.lanes) /* nobody executes it */
        return true;
    if (file && !r->file)
        r->file = file;
    if (file && strcmp(file, r->file) != 0)
        line = 0; /* a header's: part of the line that calls it */
    if (!is_same_step(r, line)) {
        if (!end_step(r, false, found, err))
            return false;
        if ((line || r->line) && !begin_step(r, line ? line : r->line, err))
            return false;
    }
    r->place = place;
    if (r->step && waits_for_block(r))
        json_object_set_new(r->step, "b", json_integer(1));
    return !r->step || record_access(r, err);
}

/* To the block's first instruction. */
static bool
to_block(struct record *r, struct ls_error *err)
{
    enum target_event event = TARGET_STOP;
    const struct debug_stop *stop = &r->s->target.stop;
    for (int d = 0; d < 3; d++)
        if (r->block[d] >= stop->grid[d])
            return ls_fail(err, LS_ERR_USAGE, "there is no block (%u,%u,%u): %s", r->block[0],
                           r->block[1], r->block[2], session_kernel(r->s));
    if (!in_block(r) || stop->place == NO_PLACE) {
        if (!set_stops(r, false, err) || !go(r, DEBUG_GO_INSN, &event, err))
            return false;
        if (event != TARGET_STOP || !in_block(r))
            return ls_fail(err, LS_ERR_INPUT, "the block's first thread executes nothing");
    }
    r->warps = (stop->block[0] * stop->block[1] * stop->block[2] + 31) / 32;
    r->alive = ls_alloc(sizeof *r->alive * (r->warps + 1));
    for (uint32_t k = 0; k < r->warps; k++) {
        json_array_append_new(r->known, json_object());
        json_array_append_new(r->known_registers, json_object());
    }
    return set_stops(r, true, err);
}

/* The whole block; *end: what became of it. */
static bool
record_steps(struct record *r, json_t *alive, const char **end, struct ls_error *err)
{
    enum target_event event = TARGET_STOP;
    const struct debug_stop *stop = &r->s->target.stop;
    bool found, there = true;
    if (!find_alive(r, r->alive, &found, err) || !record_shared_begin(r, err))
        return false;
    for (uint32_t k = 0; k < r->warps; k++)
        json_array_append_new(alive, json_integer(r->alive[k]));
    *end = "all threads have exited";
    while (there && event == TARGET_STOP && stop->why != DEBUG_WHY_END) {
        if (stop->why == DEBUG_WHY_FAULT) {
            *end = arena_strndup(&r->s->keep, r->s->target.payload.at, r->s->target.payload.count);
            break;
        }
        if (stop->why == DEBUG_WHY_INTERRUPT)
            return ls_fail(err, LS_ERR_INPUT, "interrupted");
        if (in_block(r) && stop->place != NO_PLACE && !take_stop(r, &there, err))
            return false;
        if (!in_block(r) && !end_step(r, false, &there, err))
            return false;
        if (json_array_size(r->steps) >= r->steps_left || !r->cells_left) {
            *end = r->cells_left
                       ? "the recording ends here: it has as many steps as a page holds"
                       : "the recording ends here: it has as many values of registers as a page "
                         "holds; without --registers there is room for more steps";
            break;
        }
        if (there && !go(r, DEBUG_GO_ON, &event, err))
            return false;
    }
    return end_step(r, true, &found, err);
}

/* -- the page ---------------------------------------------------------------------------------- */

static json_t *
source_lines(struct record *r)
{
    json_t *lines = json_array();
    for (uint32_t line = r->first; line <= r->last; line++) {
        const char *text = source_line(r->s, r->file, line);
        json_t *row = json_string(text ? text : "");
        json_array_append_new(lines, row ? row : json_string("?")); /* not UTF-8 */
    }
    return lines;
}

/* The template with its two words replaced. */
static void
fill(struct text *out, const char *title, const char *json)
{
    for (const char *p = record_template; *p;) {
        size_t n = strcspn(p, "@");
        text_add_bytes(out, p, n);
        p += n;
        if (!strncmp(p, "@TITLE@", 7)) {
            html_escape(out, title);
            p += 7;
        } else if (!strncmp(p, "@RECORD@", 8)) {
            text_add(out, "%s", json);
            p += 8;
        } else if (*p) {
            text_add_bytes(out, p++, 1);
        }
    }
}

/* "</script>" in a line of source would end the script that holds the recording. */
static char *
without_tags(const char *json)
{
    struct text t = {0};
    for (; *json; json++)
        if (*json == '<')
            text_add(&t, "\\u003c");
        else
            text_add_bytes(&t, json, 1);
    return t.at;
}

static json_t *
block_json(struct record *r, json_t *alive, const char *end)
{
    const uint32_t *b = r->s->target.stop.block, *at = r->block;
    return json_pack("{s:[i,i,i],s:[i,i,i],s:i,s:O,s:i,s:o,s:O,s:{s:I,s:O},s:s,s:O}", "block", b[0],
                     b[1], b[2], "at", at[0], at[1], at[2], "warps", r->warps, "alive", alive,
                     "first", r->first, "lines", source_lines(r), "functions", r->functions,
                     "shared", "words", (json_int_t)((r->shared_bytes + 3) / 4), "names", r->names,
                     "end", end, "steps", r->steps);
}

static bool
write_page(const json_t *page, const char *title, const char *path, struct ls_error *err)
{
    char *json = page ? json_dumps(page, JSON_COMPACT) : NULL,
         *safe = json ? without_tags(json) : NULL;
    struct text out = {0};
    if (!safe)
        return ls_fail(err, LS_ERR_INTERNAL, "the recording could not be written");
    fill(&out, title, safe);
    bool fine = ls_write_file(path, out.at, out.count, err);
    free(json);
    free(safe);
    text_free(&out);
    return fine;
}

static void
record_free(struct record *r)
{
    json_decref(r->steps);
    json_decref(r->step);
    json_decref(r->names);
    json_decref(r->known);
    json_decref(r->known_registers);
    json_decref(r->functions);
    ls_release(r->stored);
    ls_release(r->alive);
    ls_release(r->shared);
    ls_release(r->leaf);
}

/* -- blocks ------------------------------------------------------------------------------------ */

/* What is recorded so far. */
struct page {
    json_t *blocks;
    size_t steps, cells; /* for which there is room */
    const char *file;
};

static bool
record_block(struct session *s, const struct record_options *o, const uint32_t block[3],
             struct page *p, struct ls_error *err)
{
    struct record r = {.s = s,
                       .o = o,
                       .steps_left = p->steps,
                       .cells_left = p->cells,
                       .first = UINT32_MAX,
                       .steps = json_array(),
                       .names = json_array(),
                       .known = json_array(),
                       .known_registers = json_array(),
                       .functions = json_array()};
    json_t *alive = json_array();
    const char *end = "";
    memcpy(r.block, block, sizeof r.block);
    bool fine = to_block(&r, err) && record_steps(&r, alive, &end, err);
    size_t count = json_array_size(r.steps);
    if (fine && !count)
        fine = ls_fail(err, LS_ERR_INPUT,
                       "no line of the kernel is known: compile with -G or -lineinfo");
    if (fine) {
        json_array_append_new(p->blocks, block_json(&r, alive, end));
        p->steps -= count < p->steps ? count : p->steps;
        p->cells = r.cells_left;
        p->file = r.file;
    }
    json_decref(alive);
    record_free(&r);
    return fine;
}

/* One after the other, each from the launch's begin on: blocks may run by turns. *missing: NULL, or
 * what the page has no room for. */
static bool
record_blocks(struct session *s, const struct record_options *o, struct page *p,
              const char **missing, struct ls_error *err)
{
    uint32_t grid[3];
    memcpy(grid, s->target.stop.grid, sizeof grid);
    uint64_t count = (uint64_t)grid[0] * grid[1] * grid[2];
    for (uint64_t n = 0; n < count; n++) {
        uint32_t at[3] = {(uint32_t)(n % grid[0]), (uint32_t)(n / grid[0] % grid[1]),
                          (uint32_t)(n / grid[0] / grid[1])};
        if (!p->steps || !p->cells) {
            *missing =
                arena_printf(&s->keep,
                             "blocks from %s on, %llu of %llu, are not there: the "
                             "page has as many %s as it holds",
                             session_triple(s, at), (unsigned long long)(count - n),
                             (unsigned long long)count, p->steps ? "values of registers" : "steps");
            fprintf(stderr, "lockstep debug: %s\n", *missing);
            return true;
        }
        if ((n && !running_to_position(s, 0, err)) || !record_block(s, o, at, p, err))
            return false;
        if (s->target.stop.why == DEBUG_WHY_FAULT && n + 1 < count) {
            *missing = arena_printf(&s->keep,
                                    "the launch failed in block %s: of %llu blocks %llu are not "
                                    "there",
                                    session_triple(s, s->target.stop.at), (unsigned long long)count,
                                    (unsigned long long)(count - n - 1));
            fprintf(stderr, "lockstep debug: %s\n", *missing);
            return true;
        }
    }
    return true;
}

bool
record_page(struct session *s, const struct record_options *o, const char *path,
            struct ls_error *err)
{
    struct page p = {.blocks = json_array(), .steps = RECORD_STEPS, .cells = RECORD_CELLS};
    const char *missing = NULL;
    FILE *out = s->out;
    s->out = stderr; /* what a person would be told where the launch begins */
    bool fine = running_start(s, true, err);
    s->out = out;
    if (fine && !s->launch.stands)
        fine = ls_fail(err, LS_ERR_INPUT, "%s launches no kernel", s->name);
    fine = fine && (o->all ? record_blocks(s, o, &p, &missing, err)
                           : record_block(s, o, o->block, &p, err));
    if (fine) {
        const char *which = o->all ? ""
                                   : arena_printf(&s->keep, ", block (%u,%u,%u)", o->block[0],
                                                  o->block[1], o->block[2]);
        const char *title =
            arena_printf(&s->keep, "%s%s, of %s", session_kernel(s), which, source_base(p.file));
        json_t *page =
            o->all ? json_pack("{s:O,s:s}", "blocks", p.blocks, "missing", missing ? missing : "")
                   : json_incref(json_array_get(p.blocks, 0));
        fine = write_page(page, title, path, err);
        json_decref(page);
    }
    json_decref(p.blocks);
    target_kill(&s->target);
    return fine;
}
