/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_lanes.c: what the lanes of warps have in common and what not: `lanes', `masks'.
 */
#include "cli/debug/commands.h"

#include <string.h>

/* -- lanes EXPR -------------------------------------------------------------------------------- */

struct lane_row {
    const char *value, *where;
    struct debug_thread thread;
    bool active; /* stands where the focus does */
};

static bool
same_block(const uint32_t a[3], const uint32_t b[3])
{
    return !memcmp(a, b, 3 * sizeof *a);
}

static const char *
value_in(struct session *s, const struct debug_thread *t, uint32_t place, const char *text,
         char letter)
{
    struct debug_frame frame = {.place = place};
    struct world w = session_world(s, t, &frame, 0);
    struct text out = {0};
    struct ls_error err = {0};
    struct value v;
    w.no_effects = true;
    w.types = &s->scratch;
    bool fine = evaluate(&w, text, NULL, &v, &err) && format_short(&w, &v, letter, &out, &err);
    const char *kept = fine ? arena_strdup(&s->scratch, out.at ? out.at : "")
                            : arena_printf(&s->scratch, "<%s>", err.text);
    text_free(&out);
    return kept;
}

/* Lanes that follow each other and agree are one row. */
static void
show_rows(struct session *s, const struct lane_row *row, uint32_t count, const char *text)
{
    const uint32_t *focus = s->focus.thread.thread;
    session_say(s, "  %-7s %-24s %-16s %s\n", "lanes", "threads", "at", text);
    for (uint32_t k = 0, n; k < count; k += n) {
        for (n = 1; k + n < count && !strcmp(row[k].value, row[k + n].value) &&
                    !strcmp(row[k].where, row[k + n].where);)
            n++;
        char lanes[16], threads[64];
        bool here = false;
        for (uint32_t m = k; m < k + n; m++)
            here = here || (!memcmp(row[m].thread.thread, focus, 3 * sizeof *focus) &&
                            same_block(row[m].thread.block, s->focus.thread.block));
        snprintf(lanes, sizeof lanes, n > 1 ? "%u-%u" : "%u", k, k + n - 1);
        snprintf(threads, sizeof threads, n > 1 ? "%s-%s" : "%s",
                 session_triple(s, row[k].thread.thread),
                 session_triple(s, row[k + n - 1].thread.thread));
        session_say(s, "%c %-7s %-24s %-16s %s\n",
                    here            ? '*'
                    : row[k].active ? '>'
                                    : ' ',
                    lanes, threads, row[k].where, row[k].value);
    }
}

static void
show_warp(struct session *s, const struct debug_warp *w, const char *text, char letter)
{
    struct lane_row row[32];
    uint32_t count = 0, places = 0, place[32];
    const uint32_t *n = s->target.stop.block;
    for (uint32_t k = 0; k < 32 && w->warp * 32 + k < n[0] * n[1] * n[2]; k++) {
        struct lane_row *r = &row[count++];
        r->thread = session_thread_of(s, w->block, w->warp, k);
        r->active = w->place[k] != NO_PLACE && w->place[k] == session_place(s);
        bool gone = w->place[k] == NO_PLACE;
        r->where = gone ? "exited" : session_where(s, session_module(s), w->place[k]);
        r->value = gone ? "-" : value_in(s, &r->thread, w->place[k], text, letter);
        uint32_t known = 0;
        while (known < places && place[known] != w->place[k])
            known++;
        if (known == places)
            place[places++] = w->place[k];
    }
    session_say(s, "block %s warp %u%s\n", session_triple(s, w->block), w->warp,
                places > 1 ? arena_printf(&s->scratch, ": lanes stand at %u places", places) : "");
    show_rows(s, row, count, text);
}

bool
cmd_lanes(struct session *s, const char *args, struct ls_error *err)
{
    struct format_word f;
    uint32_t count = 0;
    bool all = false, any = false;
    if (!strncmp(args, "-a", 2) && (!args[2] || args[2] == ' ' || args[2] == '/')) {
        all = true;
        args = word_skip(args + 2);
    }
    if (!word_format(&args, &f, err) || !session_need_focus(s, err))
        return false;
    if (!*args)
        return ls_fail(err, LS_ERR_USAGE, "Argument required (expression to compute).");
    struct debug_warp *w = target_warps(&s->target, &count, err);
    if (!w)
        return false;
    uint32_t own = session_linear(s, &s->focus.thread) / 32;
    for (uint32_t k = 0; k < count; k++)
        if (same_block(w[k].block, s->focus.thread.block) && (all || w[k].warp == own)) {
            show_warp(s, &w[k], args, f.letter);
            any = true;
        }
    ls_release(w);
    return any || ls_fail(err, LS_ERR_INPUT, "The block of the thread in focus is over.");
}

/* -- masks ------------------------------------------------------------------------------------- */

/* The instruction's own text, without its names of source. */
static const char *
insn_text(struct session *s, uint32_t place)
{
    const struct module *m = session_module(s);
    const struct function *f = m ? symbols_function_at(m->symbols, place) : NULL;
    struct text text = {0};
    if (!f)
        return "?";
    ptx_print_insn(f->ptx, &f->ptx->insns[place - f->first], &text);
    const char *p = text.at ? word_skip(text.at) : "";
    const char *kept = arena_strndup(&s->scratch, p, strcspn(p, "\n"));
    text_free(&text);
    return kept;
}

static const char *
waits_for(struct session *s, const struct debug_warp *w, uint32_t lanes, uint32_t place)
{
    switch ((enum debug_warp_state)w->state) {
    case DEBUG_W_BARRIER:
        return arena_printf(&s->scratch, "waits at barrier %u: %s", w->barrier,
                            insn_text(s, place));
    case DEBUG_W_WAITS: return arena_printf(&s->scratch, "waits: %s", insn_text(s, place));
    default:
        return lanes == w->alive || place == NO_PLACE
                   ? arena_printf(&s->scratch, "next: %s", insn_text(s, place))
                   : arena_printf(&s->scratch, "next of these: %s", insn_text(s, place));
    }
}

static void
mask_rows(struct session *s, const struct debug_warp *w)
{
    uint32_t left = w->alive;
    const uint32_t *n = s->target.stop.block;
    uint32_t threads = n[0] * n[1] * n[2], all = threads - w->warp * 32;
    all = all >= 32 ? UINT32_MAX : (1u << all) - 1;
    session_say(s, "  warp %-3u alive %08x%s\n", w->warp, w->alive,
                w->alive == all ? "" : arena_printf(&s->scratch, ", exited %08x", all & ~w->alive));
    while (left) {
        uint32_t first = (uint32_t)__builtin_ctz(left), lanes = 0, place = w->place[first];
        for (uint32_t k = first; k < 32; k++)
            if (left >> k & 1 && w->place[k] == place)
                lanes |= 1u << k;
        left &= ~lanes;
        bool here = s->focus.valid && same_block(w->block, s->focus.thread.block) &&
                    session_linear(s, &s->focus.thread) / 32 == w->warp &&
                    lanes >> session_linear(s, &s->focus.thread) % 32 & 1;
        session_say(s, "%c   %08x  %-16s %s\n", here ? '*' : ' ', lanes,
                    session_where(s, session_module(s), place), waits_for(s, w, lanes, place));
    }
}

/* Warps that have not come where others of their block wait. */
static void
missing(struct session *s, const struct debug_warp *w, uint32_t from, uint32_t to)
{
    for (uint32_t barrier = 0; barrier < JIT_BARRIERS; barrier++) {
        struct text late = {0};
        uint32_t there = 0;
        for (uint32_t k = from; k < to; k++) {
            if (w[k].state == DEBUG_W_BARRIER && w[k].barrier == barrier)
                there++;
            else if (w[k].alive && w[k].state != DEBUG_W_DONE)
                text_add(&late, "%s%u", late.count ? ", " : "", w[k].warp);
        }
        if (there && late.count)
            session_say(s, "  barrier %u: %u warp%s wait%s for warp%s %s\n", barrier, there,
                        there == 1 ? "" : "s", there == 1 ? "s" : "",
                        strchr(late.at, ',') ? "s" : "", late.at);
        text_free(&late);
    }
}

bool
cmd_masks(struct session *s, const char *args, struct ls_error *err)
{
    uint32_t count = 0;
    bool all = !strcmp(args, "-a");
    if (*args && !all)
        return ls_fail(err, LS_ERR_USAGE, "masks takes -a, not `%s'", args);
    if (!s->stands)
        return ls_fail(err, LS_ERR_USAGE, "No kernel is being run.");
    const uint32_t *block = s->focus.valid ? s->focus.thread.block : s->target.stop.at;
    struct debug_warp *w = target_warps(&s->target, &count, err);
    if (!w)
        return false;
    for (uint32_t k = 0, to; k < count; k = to) {
        for (to = k + 1; to < count && same_block(w[to].block, w[k].block);)
            to++;
        if (!all && !same_block(w[k].block, block))
            continue;
        session_say(s, "block %s\n", session_triple(s, w[k].block));
        for (uint32_t n = k; n < to; n++)
            mask_rows(s, &w[n]);
        missing(s, w, k, to);
    }
    ls_release(w);
    return true;
}
