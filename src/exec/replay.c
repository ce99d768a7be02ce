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

/* -- loops ------------------------------------------------------------------------------------------------------- */

void
exec_compare(struct jit_warp *w, uint32_t lanes, const uint64_t *a, const uint64_t *b, uint32_t place)
{
    const struct exec_slot *s = w->owner;
    struct exec_compares *c = s->run->compared ? &s->run->compared[w->warp] : NULL;
    uint32_t k = 0;
    if (!c)
        return;
    while (k < c->count && c->at[k].place != place)
        k++;
    if (k == c->count && c->count == EXEC_COMPARES)
        k = 0; /* the oldest goes */
    else if (k == c->count)
        c->count++;
    memmove(&c->at[k], &c->at[k + 1], (c->count - 1 - k) * sizeof c->at[0]);
    struct exec_compare *last = &c->at[c->count - 1];
    last->place = place;
    last->lanes = lanes;
    memcpy(last->a, a, sizeof last->a);
    memcpy(last->b, b, sizeof last->b);
}

/* An operand's bits as a number: where it is an integer, in *integer. */
static double
number_of(enum ptx_type type, uint64_t bits, int64_t *integer)
{
    float f;
    double d;
    *integer = (int64_t)bits;
    switch (type) {
    case PTX_F32:
        memcpy(&f, &bits, sizeof f);
        return f;
    case PTX_F64:
        memcpy(&d, &bits, sizeof d);
        return d;
    case PTX_S16: *integer = (int16_t)bits; break;
    case PTX_S32: *integer = (int32_t)bits; break;
    default: break;
    }
    return 0;
}

/* -1, 0, 1; 2: one is not a number. */
static int
order_of(enum ptx_type type, uint64_t a, uint64_t b)
{
    int64_t i, j;
    double x = number_of(type, a, &i), y = number_of(type, b, &j);
    if (type == PTX_F32 || type == PTX_F64)
        return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
    bool is_signed = type == PTX_S16 || type == PTX_S32 || type == PTX_S64;
    bool less = is_signed ? i < j : (uint64_t)i < (uint64_t)j;
    return i == j ? 0 : less ? -1 : 1;
}

static void
number_text(enum ptx_type type, uint64_t bits, struct text *out)
{
    int64_t i;
    double x = number_of(type, bits, &i);
    if (type == PTX_F32 || type == PTX_F64)
        text_add(out, type == PTX_F32 ? "%.7g" : "%.16g", x);
    else if (type == PTX_S16 || type == PTX_S32 || type == PTX_S64)
        text_add(out, "%lld", (long long)i);
    else
        text_add(out, bits >> 32 ? "0x%llx" : "%llu", (unsigned long long)bits);
}

/* What the first thread in the loop compared in its last turn: "; thread (0,0,0) finds 3 < 10 (a.cu:7)". */
static void
compare_text(const struct exec_run *run, const struct exec_fault *f, struct text *out)
{
    static const char *const relation[] = {"<", "==", ">", "unordered with"};
    const struct exec_compares *c = &run->compared[f->warp];
    uint32_t lane = (uint32_t)__builtin_ctz(f->lanes), at[3], shown = 0;
    exec_thread_coordinates(run->request->block, f->warp * JIT_LANES + lane, at);
    for (uint32_t k = c->count; k-- > 0;) {
        const struct exec_compare *one = &c->at[k];
        const struct ptx_func *func;
        const struct ptx_insn *i;
        char place[300] = "";
        if (!(one->lanes >> lane & 1) || !jit_place(run->request->module, one->place, &func, &i))
            continue;
        enum ptx_type type = (enum ptx_type)i->type[0];
        exec_place_text(run, one->place, place, sizeof place);
        if (shown++)
            text_add(out, ", ");
        else
            text_add(out, "; thread (%u,%u,%u) finds ", at[0], at[1], at[2]);
        number_text(type, one->a[lane], out);
        int order = order_of(type, one->a[lane], one->b[lane]);
        text_add(out, " %s ", relation[order + 1]);
        number_text(type, one->b[lane], out);
        text_add(out, "%s%s%s", place[0] ? " (" : "", place, place[0] ? ")" : "");
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
    for (uint32_t k = 0; k < s->warps; k++)
        run->compared[k].count = 0;
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
    again.compared = ls_alloc(EXEC_MAX_WARPS * sizeof *again.compared);
    struct exec_fault found = run_again(&again, f->block);
    if (found.status == EXEC_DEADLOCK && strstr(found.detail, EXEC_TURNING_TEXT)) {
        struct text t = {0};
        text_add(&t, "%s", found.detail);
        compare_text(&again, &found, &t);
        text_add(&t, "; %s", f->detail);
        found.status = EXEC_ENDLESS;
        snprintf(found.what, sizeof found.what, "%s", f->what);
        snprintf(found.detail, sizeof found.detail, "%s", t.at);
        text_free(&t);
        *f = found;
    }
    ls_release(again.compared);
}
