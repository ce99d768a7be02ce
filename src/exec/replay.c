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

enum { REPLAY_SECONDS = 10 };

/* Runs one block; returns the fault in which it ended, EXEC_OK: in none. */
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
    exec_block_begin(s, block - block % again->cluster);
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
    const struct jit_kernel *k =
        run->code->instrumented ? run->code->instrumented(run->code->context, &err) : NULL;
    if (!k)
        return;
    struct exec_code code = {.kernel = k,
                             .apart = run->code->apart,
                             .events = JIT_EVENT_ACCESS,
                             .context = run->code->context};
    struct exec_run again = {.pool = run->pool,
                             .request = run->request,
                             .code = &code,
                             .blocks = run->blocks,
                             .cluster = run->cluster,
                             .replay.on = true};
    again.replay.deadline = exec_now() + REPLAY_SECONDS * 1000000000ull;
    struct exec_fault found = run_again(&again, f->block);
    if (found.status == EXEC_ILLEGAL_ADDRESS && found.has_place) {
        found.address = f->address;
        *f = found;
    }
}

/* -- loops ------------------------------------------------------------------------------------- */

/* An operand's bits as a number: where it is an integer, in *integer. */
static double
number_of(enum ptx_type type, uint64_t bits, int64_t *integer)
{
    float f;
    double d;
    *integer = (int64_t)bits;
    switch (type) {
    case PTX_F32: memcpy(&f, &bits, sizeof f); return f;
    case PTX_F64: memcpy(&d, &bits, sizeof d); return d;
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

/* What the first thread in the loop compared in its last turn: "; thread (0,0,0) finds 3 < 10
 * (a.cu:7)". */
static void
compare_text(const struct exec_run *run, const struct exec_fault *f, struct text *out)
{
    static const char *const relation[] = {"<", "==", ">", "unordered with"};
    const struct exec_compares *c = &run->replay.compared[f->warp];
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

/* Lanes that stand still inside of a warp have code of their own, for
 * which there is no such form. */
static const struct jit_kernel *
no_apart(void *context, uint32_t events, struct ls_error *err)
{
    (void)context, (void)events;
    ls_fail(err, LS_ERR_UNSUPPORTED, "lanes that wait for each other");
    return NULL;
}

/* The block whose loop never ends, in code that leaves each loop after some turns: which threads
 * are in it, and where. A block that takes another way this time is reported without. */
void
exec_replay_loop(struct exec_run *run, struct exec_fault *f)
{
    struct ls_error err;
    const struct jit_kernel *k =
        run->code->turns ? run->code->turns(run->code->context, &err) : NULL;
    if (!k || k->pauses)
        return;
    struct exec_code code = {.kernel = k, .apart = no_apart, .context = run->code->context};
    struct exec_run again = {.pool = run->pool,
                             .request = run->request,
                             .code = &code,
                             .blocks = run->blocks,
                             .cluster = run->cluster,
                             .replay.on = true};
    again.replay.deadline = exec_now() + REPLAY_SECONDS * 1000000000ull;
    again.replay.compared = ls_alloc(EXEC_MAX_WARPS * sizeof *again.replay.compared);
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
    ls_release(again.replay.compared);
}
