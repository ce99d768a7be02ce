/* SPDX-License-Identifier: Apache-2.0
 *
 * exec: the block whose code faulted runs once more, in code that announces every access before it
 * happens, until one is found that no memory is behind. What the first run wrote does not matter:
 * after such an error the context is lost, as on a GPU. A block that takes another way this time is
 * reported without place and thread.
 */
#include "exec/exec_priv.h"

#include <stdio.h>
#include <string.h>

enum { REPLAY_SECONDS = 10, NULL_BYTES = 65536 };

static const char *const op_names[] = {"load", "store", "atomic operation"};

/* Where the address would have to lie: text about what is near. */
static void
describe(const struct exec_slot *s, uint64_t a, uint32_t bytes, char *out, size_t room)
{
    uint64_t shared = (uint64_t)(uintptr_t)s->shared.at, local = (uint64_t)(uintptr_t)s->block.local;
    struct allocation near = {0}, found;
    out[0] = 0;
    if (a - shared < 1ull << 32) {
        snprintf(out, room, "offset %llu, shared memory of the block has %llu bytes",
                 (unsigned long long)(a - shared), (unsigned long long)s->shared.size);
        return;
    }
    if (a < NULL_BYTES) { /* before the next: a kernel without local memory has it at 0 */
        snprintf(out, room, a ? "null pointer plus %llu" : "null pointer", (unsigned long long)a);
        return;
    }
    if (local && (a - local < exec_slot_local_bytes(s) + 65536 || local - a < 65536)) {
        snprintf(out, room, "outside the thread's local memory");
        return;
    }
    if (!s->run->request->memory ||
        memory_find(s->run->request->memory, a, &found, &near) || !near.size)
        return;
    const char *freed = near.freed ? ", which was freed" : "";
    char name[120] = "";
    if (near.name)
        snprintf(name, sizeof name, " \"%s\"", near.name);
    if (a >= near.base + near.size)
        snprintf(out, room, "%llu bytes past the end of allocation %llu%s (%llu bytes at 0x%llx%s)",
                 (unsigned long long)(a - near.base - near.size), (unsigned long long)near.number,
                 name, (unsigned long long)near.size, (unsigned long long)near.base, freed);
    else if (a < near.base)
        snprintf(out, room, "%llu bytes before allocation %llu%s (%llu bytes at 0x%llx%s)",
                 (unsigned long long)(near.base - a), (unsigned long long)near.number, name,
                 (unsigned long long)near.size, (unsigned long long)near.base, freed);
    else
        snprintf(out, room, "in allocation %llu%s (%llu bytes at 0x%llx%s)",
                 (unsigned long long)near.number, name, (unsigned long long)near.size,
                 (unsigned long long)near.base, freed);
    (void)bytes;
}

static bool
is_good(const struct exec_slot *s, uint64_t a, uint32_t bytes)
{
    uint64_t shared = (uint64_t)(uintptr_t)s->shared.at, local = (uint64_t)(uintptr_t)s->block.local;
    if (a - shared < 1ull << 32)
        return a - shared + bytes <= s->shared.size;
    if (local && a - local < exec_slot_local_bytes(s))
        return a - local + bytes <= exec_slot_local_bytes(s);
    uint64_t params = (uint64_t)(uintptr_t)s->block.launch->params;
    if (s->run->request->kernel && a - params < s->run->request->kernel->param_bytes)
        return true;
    return s->run->request->memory && memory_covers(s->run->request->memory, a, bytes);
}

void
exec_access(struct jit_warp *w, uint32_t lanes, const uint64_t *address, uint32_t bytes,
            uint32_t space, uint32_t op, uint32_t place)
{
    struct exec_slot *s = w->owner;
    if (!s->run->replaying || space == PTX_SPACE_PARAM)
        return;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(lanes);
        uint64_t a = address[l];
        if (space == PTX_SPACE_SHARED || space == PTX_SPACE_SHARED_CLUSTER)
            a = memory_window_place(s->shared.at, a);
        if (is_good(s, a, bytes))
            continue;
        char what[160], detail[400];
        snprintf(what, sizeof what, "illegal address: %s of %u bytes at 0x%llx",
                 op_names[op < 3 ? op : 0], bytes, (unsigned long long)a);
        describe(s, a, bytes, detail, sizeof detail);
        s->worker->fault.address = a;
        exec_escape(s, w->warp, 1u << l, place, true, EXEC_ILLEGAL_ADDRESS, what, detail);
    }
    if (exec_now() > s->run->replay_deadline)
        exec_escape(s, w->warp, 0, 0, false, EXEC_FAILED, "", NULL);
}

void
exec_pattern(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset,
             uint32_t bytes, uint32_t space, uint32_t op, uint32_t place)
{
    uint64_t address[JIT_LANES];
    for (uint32_t l = 0; l < JIT_LANES; l++)
        address[l] = base + (uint64_t)(int64_t)(offset ? offset[l] : 0);
    exec_access(w, lanes, address, bytes, space, op, place);
}

/* One block; what became of it, EXEC_OK where it ended well. */
static struct exec_fault
run_again(struct exec_run *again, uint64_t block)
{
    struct ls_error err;
    struct exec_worker w = {.id = 0};
    struct exec_entry entry;
    exec_launch_fill(&again->launch, again->request, again->code->kernel, &exec_services, again);
    atomic_init(&again->stop, UINT64_MAX);
    struct exec_slot *s = exec_slot_take(again, &err);
    if (!s)
        return (struct exec_fault){.status = EXEC_OK};
    exec_thread_enter(again->pool, &w, &entry);
    exec_block_begin(s, block);
    bool failed = exec_block_run(s, &w) == BLOCK_FAILED;
    exec_thread_leave(&entry);
    text_free(&s->out); /* printed by the first run already */
    s->out = (struct text){0};
    exec_slot_give(again->pool, s);
    return failed ? w.fault : (struct exec_fault){.status = EXEC_OK};
}

void
exec_replay(struct exec_run *run, struct exec_fault *f)
{
    struct ls_error err;
    const struct jit_kernel *k = run->code->instrumented
                                     ? run->code->instrumented(run->code->context, &err)
                                     : NULL;
    if (!k)
        return;
    struct exec_code code = {.kernel = k, .apart = run->code->apart, .events = JIT_EVENT_ACCESS,
                             .context = run->code->context};
    struct exec_run again = {.pool = run->pool, .request = run->request, .code = &code,
                             .blocks = run->blocks, .replaying = true};
    again.replay_deadline = exec_now() + REPLAY_SECONDS * 1000000000ull;
    struct exec_fault found = run_again(&again, f->block);
    if (found.status == EXEC_ILLEGAL_ADDRESS && found.has_place) {
        found.address = f->address;
        *f = found;
    }
}

/* Compares with the state of some round before: the one of round 1, 2, 4, 8, ... (Brent). */
void
exec_replay_round(struct exec_slot *s)
{
    struct exec_run *run = s->run;
    struct exec_look *l = &run->look;
    if (exec_now() > run->replay_deadline)
        exec_escape(s, 0, 0, 0, false, EXEC_FAILED, "", NULL);
    uint64_t slot = exec_hash_slot(s);
    if (l->rounds && slot == l->slot && exec_hash_memory(run) == l->memory)
        exec_stuck_report(s);
    if (++l->rounds == l->step) {
        l->slot = slot;
        l->memory = exec_hash_memory(run);
        l->step *= 2;
    }
}

/* Lanes that stand still inside of a warp have code of their own, for which there is no such form. */
static const struct jit_kernel *
no_apart(void *context, uint32_t events, struct ls_error *err)
{
    (void)context, (void)events;
    ls_fail(err, LS_ERR_UNSUPPORTED, "lanes that wait for each other");
    return NULL;
}

/* The block whose loop never ends, in code that leaves each loop after some turns: which threads are in it, and
 * where. A block that takes another way this time is reported without. */
void
exec_replay_loop(struct exec_run *run, struct exec_fault *f)
{
    struct ls_error err;
    const struct jit_kernel *k = run->code->turns ? run->code->turns(run->code->context, &err) : NULL;
    if (!k || k->pauses)
        return;
    struct exec_code code = {.kernel = k, .apart = no_apart, .context = run->code->context};
    struct exec_run again = {.pool = run->pool, .request = run->request, .code = &code,
                             .blocks = run->blocks, .replaying = true, .turning = true, .look = {.step = 1}};
    again.replay_deadline = exec_now() + REPLAY_SECONDS * 1000000000ull;
    struct exec_fault found = run_again(&again, f->block);
    if (found.status != EXEC_DEADLOCK || !strstr(found.detail, EXEC_TURNING_TEXT))
        return;
    found.status = EXEC_ENDLESS;
    snprintf(found.what, sizeof found.what, "%s", f->what);
    size_t n = strlen(found.detail);
    snprintf(found.detail + n, sizeof found.detail - n, ": %s", f->detail);
    *f = found;
}
