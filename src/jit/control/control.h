/* SPDX-License-Identifier: Apache-2.0
 *
 * jit/control: lanes that move between the blocks of a warp function: sets of pending lanes,
 * suspension and the frame, lanes that wait for others of their warp.
 */
#ifndef LOCKSTEP_JIT_CONTROL_H
#define LOCKSTEP_JIT_CONTROL_H

#include "jit/values/values.h"
#include "jit/code_map.h"

/* -- frame.c ----------------------------------------------------------------------------------- */

/* Registers alive at any block of the set. */
void frame_live(const struct wir *f, const uint64_t *blocks, uint64_t *out);
/* Saves the registers of the set; not those in `kept` (NULL: none). */
void frame_save(struct core *c, const uint64_t *set, const uint64_t *kept);
void frame_restore(struct core *c, const uint64_t *set);
/* For each block the set of registers whose values the frame holds where the block begins. One
 * allocation, which the caller frees. */
uint64_t **frame_kept(const struct core *c);
/* Whether what is alive where block b goes on is saved at its end: a loop with barriers begins
 * there. */
bool frame_saves_at(const struct core *c, uint32_t b);
/* For lanes that stand apart: every register has a place that does not depend on what is known of
 * it. Fills c->saved.frame_at with them; returns the bytes. */
uint32_t frame_apart(const struct core *c, uint32_t *at);
/* Leaves there what lanes pending at `block` and elsewhere need (UINT32_MAX: at any), or takes all
 * of it. */
void frame_leave(struct core *c, uint32_t block);
void frame_take(struct core *c);

/* -- home.c ------------------------------------------------------------------------------------ */

/* c->form.in_memory: where registers, pending and waiting lie; what they hold when the kernel
 * begins. */
void core_home_storage(struct core *c);
void core_home_begin(struct core *c);
void core_home_sums(struct core *c); /* pass frame-sums: the sums of wgmma get homes */
static inline bool
core_is_home(const struct core *c, uint32_t reg)
{
    return c->form.in_memory || (c->saved.homed && set_has(c->saved.homed, reg));
}
/* For a debugger: where all of it lies behind a struct jit_activation. map->wir is there. */
void homes_lay_out(struct jit_code_map *map);
void homes_end(struct jit_code_map *map);
/* A called function returns. */
void core_home_leave(struct core *c);

/* -- lanes.c ----------------------------------------------------------------------------------- */

/* Sends these lanes to the two successors of block b, and goes on with whoever runs next. */
void core_part(struct core *c, uint32_t b, LLVMValueRef taken, LLVMValueRef fallen);
/* The block's lanes are elsewhere (pending or waiting): runs the others. */
void core_go_elsewhere(struct core *c, uint32_t block);
/* versions/full_mask.c: all lanes go to block t. */
void core_full_mask_go(struct core *c, uint32_t t);
void lanes_add(struct core *c, LLVMValueRef at, LLVMValueRef lanes);
/* Lanes go to block t. Threads that are at the kernel's end exit at once: others may be counting
 * those that have not. */
void lanes_send(struct core *c, uint32_t t, LLVMValueRef lanes);
/* The same to several blocks. */
void lanes_send_all(struct core *c, const uint32_t *t, const LLVMValueRef *lanes, uint32_t count);
/* Lanes that exit in a call return from it (wir/exits.c); barriers wait for them no more. */
void lanes_exit_call(struct core *c);
/* Runs block t with its pending lanes. */
void lanes_take(struct core *c, uint32_t t, LLVMValueRef lanes);
uint32_t lanes_new_resume(struct core *c);
/* Saves what `blocks` need, returns `why`, and leaves the builder where the next call goes on, with
 * everything loaded again. */
void lanes_suspend(struct core *c, enum jit_exit why, const uint64_t *blocks);
uint64_t *lanes_blocks(struct core *c, const uint64_t *from);
/* A jump back to the head of a loop that may be waiting for somebody: gives way when its fuel is
 * spent. The builder stands where the head's lanes are in `mask`. */
void lanes_spend_fuel(struct core *c, uint32_t h);
bool lanes_is_waiting_head(const struct core *c, uint32_t from, uint32_t h);
void lanes_dispatch(struct core *c, uint32_t from, const uint32_t *targets, uint32_t count,
                    bool some_certain, uint32_t last);

/* -- wait.c ------------------------------------------------------------------------------------ */

void core_sync_test(struct core *c, uint32_t block);
void core_sync_leave(struct core *c); /* after all blocks: c->saved.leave, if anybody goes there */
/* shape.apart: the lanes of the block stand still, those that need not go on. */
void core_sync_wait(struct core *c, uint32_t block);
LLVMValueRef core_sync_new(struct core *c, uint32_t block);
void core_sync_storage(struct core *c);
void core_sync_begin(struct core *c);
/* No lane can run: SYNC_WOKEN when some can after all, SYNC_HELD when some stand still. */
LLVMValueRef core_sync_retry(struct core *c);
/* Tells exec who stands where. */
void core_sync_tell(struct core *c);

/* -- turn.c ------------------------------------------------------------------------------------ */

/* form.scheduled: where block b begins; gives way there if it begins with an access to memory. */
void core_turn(struct core *c, uint32_t b);

#endif
