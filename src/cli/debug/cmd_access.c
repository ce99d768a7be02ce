/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_access.c: what the access under the cursor costs: banks of shared memory, sectors of global
 * and local memory. Addresses are the warp's own; costs are the model's.
 *
 * Where the cursor stands before an access of its line, the program goes on to it, and back.
 */
#include "cli/debug/commands.h"

#include "model/model.h"

#include <string.h>

struct pointed {
    const struct module *module;
    const struct source_function *f;
    const struct ptx_insn *insn;
    uint32_t place;
};

static bool
is_stack(const struct source_function *f, const struct ptx_operand *o)
{
    const char *name = o->base_kind == PTX_BASE_REG ? f->ptx->regs[o->reg].name : "";
    return !strcmp(name, "%SP") || !strcmp(name, "%SPL");
}

/* Of what the line does in memory the next of the kind: none of the frame's own variables. */
static bool
is_access(const struct source_function *f, uint32_t place, bool shared)
{
    const struct ptx_insn *i = &f->ptx->insns[place - f->first];
    const struct ptx_operand *o = ptx_address(i);
    bool known = o && i->space != PTX_SPACE_PARAM && i->space != PTX_SPACE_CONST;
    bool is_shared = i->space == PTX_SPACE_SHARED, any = i->space == PTX_SPACE_NONE;
    return known && !is_stack(f, o) && (any || is_shared == shared);
}

/* Whether the lane's guard lets it access. */
static bool
guard_holds(struct session *s, const struct pointed *p, const struct debug_thread *t, bool *holds,
            struct ls_error *err)
{
    uint32_t n = p->f->ptx->reg_count, guard = p->insn->guard;
    *holds = true;
    if (guard == PTX_NO_REG)
        return true;
    uint64_t(*values)[2] = ls_alloc(sizeof *values * (n + 1));
    uint8_t *known = ls_alloc(n + 1);
    struct debug_who who = {.thread = *t};
    bool fine = target_registers(&s->target, &who, n, values, known, err);
    *holds = fine && (values[guard][0] & 1) != p->insn->guard_negated;
    ls_release(values);
    ls_release(known);
    return fine;
}

static enum access_space
space_of(uint32_t space)
{
    return space == PTX_SPACE_SHARED  ? ACCESS_SHARED
           : space == PTX_SPACE_LOCAL ? ACCESS_LOCAL
           : space == PTX_SPACE_CONST ? ACCESS_CONSTANT
                                      : ACCESS_GLOBAL;
}

/* Addresses of the lanes that access the space of the first one; other lanes leave the mask. */
static bool
addresses(struct session *s, const struct pointed *p, struct access *a, struct ls_error *err)
{
    const struct debug_thread *focus = &s->focus.thread;
    uint32_t warp = session_linear(s, focus) / 32;
    bool first = true;
    for (uint32_t k = 0; k < 32; k++) {
        struct debug_thread t = session_thread_of(s, focus->block, warp, k);
        struct debug_symbol where;
        bool holds;
        if (!(a->mask >> k & 1))
            continue;
        if (!guard_holds(s, p, &t, &holds, err) ||
            (holds && !address_find(s, &t, p->f, p->insn, &where, err)))
            return false;
        if (holds && first)
            a->space = space_of(where.space);
        if (!holds || space_of(where.space) != a->space) {
            a->mask &= ~(1u << k);
            continue;
        }
        first = false;
        a->address[k] = where.address;
    }
    return true;
}

/* Counted from the first lane's. */
static uint64_t
sector_of(const struct access *a, uint32_t lane)
{
    uint32_t first = (uint32_t)__builtin_ctz(a->mask);
    uint64_t at = a->address[lane], from = a->address[first];
    if (a->space == ACCESS_LOCAL) { /* threads' words lie side by side there */
        at = model_local_address(0, at, lane);
        from = model_local_address(0, from, first);
    }
    return at / 32 - from / 32;
}

static void
show_lanes(struct session *s, const struct device_profile *d, const struct access *a)
{
    bool shared = a->space == ACCESS_SHARED;
    session_say(s, "  lane  address             %s\n", shared ? "bank" : "sector");
    for (uint32_t k = 0; k < 32; k++)
        if (a->mask >> k & 1)
            session_say(s, "  %4u  0x%-16llx  %llu\n", k, (unsigned long long)a->address[k],
                        (unsigned long long)(shared ? model_shared_bank(d, false, a->address[k])
                                                    : sector_of(a, k)));
}

static void
show_cost(struct session *s, const struct pointed *p, struct access *a)
{
    const struct device_profile *d = s->device;
    struct access_cost cost;
    struct text text = {0};
    static const char *const spaces[] = {"shared", "global", "local", "constant"};
    ptx_print_insn(p->f->ptx, p->insn, &text);
    const char *words = text.at ? word_skip(text.at) : "";
    session_say(s, "%s  %.*s\n%s %s, %u bytes a lane, lanes %08x\n",
                session_where(s, p->module, p->place), (int)strcspn(words, "\n"), words,
                spaces[a->space], a->op == ACCESS_STORE ? "store" : "load", a->width, a->mask);
    text_free(&text);
    show_lanes(s, d, a);
    model_access(d, a, &cost);
    if (a->space == ACCESS_SHARED)
        session_say(s, "%u wavefront%s where %u suffice%s, %u bank conflict%s: %u-way\n",
                    cost.wavefronts, cost.wavefronts == 1 ? "" : "s", cost.wavefronts_ideal,
                    cost.wavefronts_ideal == 1 ? "s" : "", cost.bank_conflicts,
                    cost.bank_conflicts == 1 ? "" : "s", cost.degree);
    else if (cost.transaction_count)
        session_say(s, "%u transactions\n", cost.transaction_count);
    else
        session_say(s, "%u sector%s where %u suffice%s\n", cost.sectors,
                    cost.sectors == 1 ? "" : "s", cost.sectors_ideal,
                    cost.sectors_ideal == 1 ? "s" : "");
}

/* The access stands at the cursor now. False, *other: it is of the other kind of memory. */
static bool
show_here(struct session *s, bool shared, bool *other, struct ls_error *err)
{
    uint32_t count = 0;
    struct pointed p = {.module = session_module(s), .place = s->focus.frames[0].place};
    p.f = symbols_function_at(p.module->symbols, p.place);
    p.insn = &p.f->ptx->insns[p.place - p.f->first];
    struct access a = {.width = address_bytes(p.insn)};
    a.op = p.insn->op == PTX_OP_LD || p.insn->op == PTX_OP_LDU ? ACCESS_LOAD
           : p.insn->op == PTX_OP_ST                           ? ACCESS_STORE
                                                               : ACCESS_ATOMIC;
    struct debug_warp *w = target_warps(&s->target, &count, err);
    for (uint32_t k = 0; w && k < count; k++)
        for (uint32_t lane = 0; lane < 32; lane++)
            if (!memcmp(w[k].block, s->focus.thread.block, sizeof w[k].block) &&
                w[k].warp == session_linear(s, &s->focus.thread) / 32 &&
                w[k].place[lane] == p.place)
                a.mask |= 1u << lane;
    ls_release(w);
    if (!w || !addresses(s, &p, &a, err))
        return false;
    *other = shared != (a.space == ACCESS_SHARED);
    if (!*other)
        show_cost(s, &p, &a);
    return true;
}

static bool
access_here(struct session *s, bool shared, struct ls_error *err)
{
    enum { MOST = 400 };
    if (!session_need_focus(s, err))
        return false;
    const struct module *m = session_module(s);
    uint64_t position = s->target.stop.position;
    struct debug_thread t = s->focus.thread;
    uint32_t line = m->symbols->line_of[s->focus.frames[0].place];
    bool fine = true, found = false, other = false;
    for (int k = 0; fine && !found && k < MOST; k++) {
        uint32_t place = s->focus.valid ? s->focus.frames[0].place : NO_PLACE;
        const struct source_function *f = symbols_function_at(m->symbols, place);
        if (!f || m->symbols->line_of[place] != line)
            break;
        if (is_access(f, place, shared)) {
            fine = show_here(s, shared, &other, err);
            found = fine && !other;
        }
        enum target_event event;
        struct debug_go go = running_plan(s, DEBUG_GO_INSN, s->focus.frame_count - 1);
        if (fine && !found)
            fine = running_quiet(s, &go, &event, err) && event == TARGET_STOP;
    }
    if (s->target.state == TARGET_STANDS && s->target.stop.position != position)
        fine = running_to_position(s, position, err) && session_focus(s, &t, err) && fine;
    return fine && (found || ls_fail(err, LS_ERR_INPUT, "This line makes no access to %s memory.",
                                     shared ? "shared" : "global or local"));
}

bool
cmd_bank(struct session *s, const char *args, struct ls_error *err)
{
    (void)args;
    return access_here(s, true, err);
}

bool
cmd_sectors(struct session *s, const char *args, struct ls_error *err)
{
    (void)args;
    return access_here(s, false, err);
}
