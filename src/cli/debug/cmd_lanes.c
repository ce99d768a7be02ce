/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_lanes.c: one expression in all lanes: `lanes'.
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
