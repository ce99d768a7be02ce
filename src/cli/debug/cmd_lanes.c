/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_lanes.c: what the lanes of warps have in common and what not: `lanes', `masks'.
 */
#include "cli/debug/commands.h"

#include <string.h>

/* -- lanes EXPR -------------------------------------------------------------------------------- */

struct lane_row {
    const char *value;
    uint32_t place;
    struct debug_thread thread;
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

/* Lanes that stand at one place: their value where they agree, else eight a line. */
static void
show_group(struct session *s, const struct lane_row *row, uint32_t count, uint32_t lanes)
{
    enum { A_LINE = 8, WIDE = 24 };
    const char *first = row[__builtin_ctz(lanes)].value;
    size_t width = 0;
    bool same = true;
    for (uint32_t k = 0; k < count; k++) {
        size_t n = lanes >> k & 1 ? strlen(row[k].value) : 0;
        width = n > width ? n : width;
        same = same && (!(lanes >> k & 1) || !strcmp(row[k].value, first));
    }
    if (same && __builtin_popcount(lanes) > 1) {
        session_say(s, "    all %d: %s\n", __builtin_popcount(lanes), first);
        return;
    }
    uint32_t a_line = width > WIDE ? 1 : A_LINE;
    for (uint32_t k = 0; k < count; k += a_line) {
        uint32_t part = (a_line == A_LINE ? 0xffu : 1u) << k & lanes;
        if (!part)
            continue;
        session_say(s, "    %2u:", k);
        for (uint32_t m = k; m < k + a_line && m < count && part >> m; m++)
            session_say(s, " %*s", a_line == 1 ? 0 : (int)width,
                        lanes >> m & 1 ? row[m].value : ".");
        session_say(s, "\n");
    }
}

static void
show_warp(struct session *s, const struct debug_warp *w, const char *text, char letter)
{
    struct lane_row row[32];
    uint32_t count = 0, left = 0;
    const uint32_t *n = s->target.stop.block;
    uint32_t own = session_linear(s, &s->focus.thread);
    for (uint32_t k = 0; k < 32 && w->warp * 32 + k < n[0] * n[1] * n[2]; k++) {
        struct lane_row *r = &row[count++];
        r->thread = session_thread_of(s, w->block, w->warp, k);
        r->place = w->place[k];
        bool gone = w->place[k] == NO_PLACE;
        r->value = gone ? "-" : value_in(s, &r->thread, w->place[k], text, letter);
        left |= 1u << k;
    }
    session_say(s, "block %s warp %u: %s\n", session_triple(s, w->block), w->warp, text);
    while (left) {
        uint32_t place = row[__builtin_ctz(left)].place, lanes = 0;
        for (uint32_t k = 0; k < count; k++)
            lanes |= (uint32_t)(row[k].place == place) << k;
        left &= ~lanes;
        bool here = own / 32 == w->warp && lanes >> own % 32 & 1;
        uint32_t first = (uint32_t)__builtin_ctz(lanes);
        if (place == NO_PLACE) {
            session_say(s, "  lanes %08x have exited\n", lanes);
            continue;
        }
        session_say(s, "%c lanes %08x at %s\n", here ? '*' : ' ', lanes,
                    session_where_lane(s, w, first));
        show_group(s, row, count, lanes);
    }
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
    const struct source_function *f = m ? symbols_function_at(m->symbols, place) : NULL;
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
                    session_where_lane(s, w, first), waits_for(s, w, lanes, place));
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
