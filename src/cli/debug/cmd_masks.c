/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_masks.c: who stands where and waits for what: `masks'. Where the launch has failed or was
 * interrupted, loops that wait are known by what they have read again and again.
 */
#include "cli/debug/commands.h"

#include <string.h>

static bool
same_block(const uint32_t a[3], const uint32_t b[3])
{
    return !memcmp(a, b, 3 * sizeof *a);
}

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

/* Lanes that a warp's *.sync instruction names, for the first of `lanes'; 0: it is none, or not
 * known. */
static uint32_t
members(struct session *s, const struct debug_warp *w, uint32_t lanes, uint32_t place)
{
    const struct module *m = session_module(s);
    const struct source_function *f = m ? symbols_function_at(m->symbols, place) : NULL;
    const struct ptx_insn *i = f ? &f->ptx->insns[place - f->first] : NULL;
    static const char *const named[] = {"bar.warp.sync", "shfl.sync",  "vote.sync",
                                        "match.",        "redux.sync", "elect.sync"};
    const char *text = insn_text(s, place);
    bool is_one = false;
    for (size_t k = 0; k < sizeof named / sizeof *named; k++)
        is_one = is_one || ls_starts_with(text, named[k]);
    if (!i || !is_one || !i->operand_count)
        return 0;
    const struct ptx_operand *o = &i->operand[i->operand_count - 1];
    if (o->kind != PTX_O_REG)
        return o->kind == PTX_O_INT ? (uint32_t)o->imm : 0;
    struct debug_who who = {
        .thread = session_thread_of(s, w->block, w->warp, (uint32_t)__builtin_ctz(lanes))};
    uint32_t n = f->ptx->reg_count;
    uint64_t(*values)[2] = ls_alloc(sizeof *values * (n + 1));
    uint8_t *known = ls_alloc(n + 1);
    struct ls_error unused;
    bool fine = target_registers(&s->target, &who, n, values, known, &unused) && known[o->reg];
    uint32_t mask = fine ? (uint32_t)values[o->reg][0] : 0;
    ls_release(values);
    ls_release(known);
    return mask;
}

/* Nothing more happens, or the user wanted to know why not. */
static bool
stands_still(const struct session *s)
{
    uint32_t why = s->target.stop.why;
    return why == DEBUG_WHY_FAULT || why == DEBUG_WHY_INTERRUPT;
}

/* A wgmma, and what waits for some, are executed when four warps have come. */
static bool
is_of_warpgroup(const char *insn)
{
    return strstr(insn, "wgmma.mma_async") || strstr(insn, "wgmma.wait_group");
}

static const char *
waits_for(struct session *s, const struct debug_warp *w, uint32_t lanes, uint32_t place)
{
    uint32_t missing;
    switch ((enum debug_warp_state)w->state) {
    case DEBUG_W_BARRIER:
        return arena_printf(&s->scratch, "waits at barrier %u: %s", w->barrier,
                            insn_text(s, place));
    case DEBUG_W_WAITS: return arena_printf(&s->scratch, "waits: %s", insn_text(s, place));
    default:
        missing = members(s, w, lanes, place) & w->alive & ~lanes;
        if (missing && stands_still(s))
            return arena_printf(&s->scratch, "waits for lanes %08x: %s", missing,
                                insn_text(s, place));
        if (stands_still(s) && place != NO_PLACE && is_of_warpgroup(insn_text(s, place)))
            return arena_printf(&s->scratch, "waits for warpgroup %u: %s", w->warp / 4,
                                insn_text(s, place));
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

/* -- loops that wait --------------------------------------------------------------------------- */

static void
say_mbarrier(struct session *s, uint64_t word)
{
    struct jit_mbarrier m = jit_mbarrier_of(word);
    session_say(s, ": an mbarrier, %u of %u arrivals missing", m.pending, m.expected);
}

static void
say_word(struct session *s, const struct debug_poll *p, const struct debug_memory *at)
{
    uint64_t word = 0;
    struct debug_symbol where;
    struct ls_error unused;
    const char *text = insn_text(s, p->place);
    if (!target_where(&s->target, at, &where, &unused) || p->bytes > sizeof word ||
        !target_read(&s->target, at, &word, &unused))
        return;
    session_say(s, "%s memory at 0x%llx", ptx_space_name((enum ptx_space)where.space),
                (unsigned long long)where.address);
    if (strstr(text, "mbarrier."))
        say_mbarrier(s, word);
    else
        session_say(s, p->bytes > 4 ? ", = 0x%llx" : ", = %lld",
                    (long long)(p->bytes > 4 ? word : (uint64_t)(int32_t)word));
}

static void
say_writer(struct session *s, const struct debug_memory *at)
{
    struct debug_write by;
    struct ls_error unused;
    if (!target_last(&s->target, at, &by, &unused))
        return;
    if (by.found)
        session_say(s, ", last written by thread %s of block %s at %s",
                    session_triple(s, by.thread.thread), session_triple(s, by.thread.block),
                    session_where(s, session_module(s), session_seen(s, &by.thread, by.place)));
    else
        session_say(s, ", which nobody has written in this launch");
}

static void
polls(struct session *s, const struct debug_poll *all, uint32_t count, const uint32_t *block)
{
    for (uint32_t k = 0; k < count; k++) {
        const struct debug_poll *p = &all[k];
        struct debug_memory at = {.address = p->address, .bytes = p->bytes};
        at.who.thread = session_thread_of(s, p->block, p->warp, (uint32_t)__builtin_ctz(p->lanes));
        if (!same_block(p->block, block))
            continue;
        session_say(s, "  warp %u, lanes %08x: poll ", p->warp, p->lanes);
        say_word(s, p, &at);
        say_writer(s, &at);
        session_say(s, "\n");
    }
}

bool
cmd_masks(struct session *s, const char *args, struct ls_error *err)
{
    uint32_t count = 0;
    bool all = !strcmp(args, "-a");
    if (*args && !all)
        return ls_fail(err, LS_ERR_USAGE, "masks takes -a, not `%s'", args);
    if (!s->launch.stands)
        return ls_fail(err, LS_ERR_USAGE, "No kernel is being run.");
    const uint32_t *block = s->focus.valid ? s->focus.thread.block : s->target.stop.at;
    struct debug_warp *w = target_warps(&s->target, &count, err);
    if (!w)
        return false;
    uint32_t polled = 0;
    struct ls_error unused;
    struct debug_poll *p = stands_still(s) ? target_polls(&s->target, &polled, &unused) : NULL;
    for (uint32_t k = 0, to; k < count; k = to) {
        for (to = k + 1; to < count && same_block(w[to].block, w[k].block);)
            to++;
        if (!all && !same_block(w[k].block, block))
            continue;
        session_say(s, "block %s\n", session_triple(s, w[k].block));
        for (uint32_t n = k; n < to; n++)
            mask_rows(s, &w[n]);
        missing(s, w, k, to);
        polls(s, p, polled, w[k].block);
    }
    ls_release(p);
    ls_release(w);
    return true;
}
