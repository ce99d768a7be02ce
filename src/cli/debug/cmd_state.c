/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_state.c: `info state': all that the block has, and device memory, as numbers that are the
 * same where the state is: two moments can be compared, of one run or of two.
 */
#include "cli/debug/commands.h"

#include <string.h>

struct state {
    struct hash128 registers, local, shared, device;
};

static bool
add_memory(struct session *s, struct debug_memory at, struct hash128 *h, struct ls_error *err)
{
    enum { PART = 1 << 20 };
    uint8_t *bytes = ls_alloc(PART);
    bool fine = true;
    uint64_t left = at.bytes;
    for (; left && fine; left -= at.bytes, at.address += at.bytes) {
        at.bytes = left < PART ? left : PART;
        fine = target_read(&s->target, &at, bytes, err);
        if (fine)
            *h = ls_hash(*h, bytes, at.bytes);
    }
    ls_release(bytes);
    return fine;
}

/* Registers that hold something, of all calls that the thread is in. */
static bool
add_registers(struct session *s, const struct debug_thread *t, struct hash128 *h,
              struct ls_error *err)
{
    const struct module *m = session_module(s);
    uint32_t count = 0;
    bool fine = true;
    struct debug_frame *frames = target_frames(&s->target, t, &count, err);
    for (uint32_t k = 0; frames && k < count && fine; k++) {
        uint32_t n = m->symbols->functions[frames[k].function].ptx->reg_count;
        uint64_t(*values)[2] = ls_alloc(sizeof *values * (n + 1));
        uint8_t *known = ls_alloc(n + 1);
        struct debug_who who = {.thread = *t, .frame = k};
        fine = target_registers(&s->target, &who, n, values, known, err);
        *h = ls_hash(*h, &frames[k], sizeof frames[k]);
        for (uint32_t r = 0; r < n && fine; r++)
            if (known[r])
                *h = ls_hash(*h, values[r], sizeof values[r]);
        ls_release(values);
        ls_release(known);
    }
    ls_release(frames);
    return frames && fine;
}

static bool
add_thread(struct session *s, const struct debug_thread *t, struct state *x, struct ls_error *err)
{
    struct debug_memory at = {.who = {.thread = *t}, .space = PTX_SPACE_LOCAL};
    struct debug_symbol local;
    if (!add_registers(s, t, &x->registers, err) || !target_where(&s->target, &at, &local, err))
        return false;
    at.bytes = local.bytes;
    return add_memory(s, at, &x->local, err);
}

static bool
add_block(struct session *s, const uint32_t block[3], struct state *x, struct ls_error *err)
{
    uint32_t count = 0;
    bool fine = true;
    struct debug_warp *w = target_warps(&s->target, &count, err);
    for (uint32_t k = 0; w && k < count && fine; k++)
        for (uint32_t l = 0; l < 32 && fine && !memcmp(w[k].block, block, sizeof w[k].block); l++) {
            struct debug_thread t = session_thread_of(s, w[k].block, w[k].warp, l);
            x->registers = ls_hash(x->registers, &w[k].place[l], sizeof w[k].place[l]);
            if (w[k].alive >> l & 1)
                fine = add_thread(s, &t, x, err);
        }
    ls_release(w);
    struct debug_memory at = {.space = PTX_SPACE_SHARED};
    struct debug_symbol shared;
    memcpy(at.who.thread.block, block, sizeof at.who.thread.block);
    if (!w || !fine || !target_where(&s->target, &at, &shared, err))
        return false;
    at.bytes = shared.bytes;
    return add_memory(s, at, &x->shared, err);
}

static bool
add_device(struct session *s, struct state *x, struct ls_error *err)
{
    struct debug_symbol a;
    struct ls_error none;
    for (uint64_t n = 1; target_allocation(&s->target, n, &a, &none); n = a.number + 1ull) {
        struct debug_memory at = {
            .space = PTX_SPACE_GLOBAL, .address = a.address, .bytes = a.bytes};
        x->device = ls_hash(x->device, &a.number, sizeof a.number);
        if (!add_memory(s, at, &x->device, err))
            return false;
    }
    return true;
}

bool
info_state(struct session *s, const char *args, struct ls_error *err)
{
    struct state x = {.registers = {1, 1}, .local = {2, 1}, .shared = {3, 1}, .device = {4, 1}};
    (void)args;
    if (!session_need_focus(s, err) || !add_block(s, s->focus.thread.block, &x, err) ||
        !add_device(s, &x, err))
        return false;
    session_say(s,
                "position %llu, block %s: registers %016llx, local memory %016llx,\n"
                "shared memory %016llx; device memory %016llx\n",
                (unsigned long long)s->target.stop.position,
                session_triple(s, s->focus.thread.block), (unsigned long long)x.registers.lo,
                (unsigned long long)x.local.lo, (unsigned long long)x.shared.lo,
                (unsigned long long)x.device.lo);
    return true;
}
