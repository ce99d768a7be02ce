/* SPDX-License-Identifier: Apache-2.0
 *
 * waiting.c: what lanes wait for, noted for the report of a deadlock (barrier.c), and for a
 * debugger.
 */
#include "exec/exec_priv.h"

#include <string.h>

void
exec_note_waiting(struct exec_slot *s, uint32_t warp, uint32_t lanes, uint32_t barrier,
                  uint32_t place)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t t = warp * JIT_LANES + (uint32_t)__builtin_ctz(left);
        s->lane.place[t] = place;
        s->lane.barrier[t] = (uint8_t)barrier;
    }
}

void
exec_held(struct jit_warp *w, uint32_t lanes, uint32_t place)
{
    exec_note_waiting(w->owner, w->warp, lanes, EXEC_OWN_WARP, place);
}

void
exec_note_outside(struct exec_slot *s, uint32_t warp, uint32_t inside)
{
    uint32_t waiting = inside;
    for (uint32_t left = s->barriers_used; left; left &= left - 1)
        waiting |= s->barrier[__builtin_ctz(left)].waiting[warp];
    exec_note_waiting(s, warp, s->warp[warp].lanes & ~waiting, EXEC_ELSEWHERE, 0);
}

void
exec_note_polling(struct exec_slot *s, uint32_t warp, uint32_t lanes, uint32_t place)
{
    exec_note_waiting(s, warp, lanes, EXEC_POLLING, place);
}

/* Notes that lanes wait in a loop. Of a warp that gave way (JIT_YIELD) only the lanes in its votes
 * are in the loop; the others stand behind it and wait for them. */
void
exec_note_turning(struct exec_slot *s, uint32_t warp, uint32_t lanes, uint32_t place)
{
    uint32_t turning = s->returned[warp] == JIT_YIELD ? s->warp[warp].barrier_votes & lanes : lanes;
    exec_note_waiting(s, warp, turning, EXEC_TURNING, place);
    exec_note_waiting(s, warp, lanes & ~turning, EXEC_BEHIND, place);
}

void
exec_look(const struct jit_block *b, uint32_t warp, struct jit_standing *out)
{
    static const enum jit_stands stands[] = {[WARP_READY] = JIT_STANDS_READY,
                                             [WARP_AT_BARRIER] = JIT_STANDS_BARRIER,
                                             [WARP_WAITING] = JIT_STANDS_WAITS,
                                             [WARP_DONE] = JIT_STANDS_DONE};
    struct exec_slot *s = b->owner;
    *out = (struct jit_standing){
        .what = stands[s->state[warp]], .warp = &s->warp[warp], .alive = exec_alive(s, warp)};
    memset(out->barrier, 0xff, sizeof out->barrier);
    for (uint32_t left = s->barriers_used; left; left &= left - 1) {
        uint32_t number = (uint32_t)__builtin_ctz(left);
        for (uint32_t l = s->barrier[number].waiting[warp]; l; l &= l - 1)
            out->barrier[__builtin_ctz(l)] = number;
    }
}
