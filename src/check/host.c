/* SPDX-License-Identifier: Apache-2.0
 *
 * host.c: what the host's calls say: memory that comes and goes and is copied, waits, errors,
 * leaks. The order of its work on streams: work.c.
 */
#include "check/constants.h"
#include "check/host.h"

#include <stdio.h>
#include <string.h>

void
check_host(struct jit_tool *t, uint32_t (*here)(void),
           const struct host_place *(*place)(uint32_t number))
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    c->host_here = here;
    c->host_place = place;
}

/* -- copies and fills -------------------------------------------------------------------------- */

/* True: shadow memory knows whose work it was. Of the host's memory it knows what kernels do. */
static bool
touch_row(struct check *c, uint64_t address, uint64_t size, unsigned how, const char *what)
{
    bool writes = how & CHECK_TOUCH_WRITE, notes = writes && !(how & CHECK_TOUCH_HOST);
    struct announced next;
    if (notes)
        constants_written(c->constants, address, size);
    if (!work_announced(c, &next) || !next.several) {
        if (notes)
            global_range(c->global, address, size, 0, true);
        return false;
    }
    uint32_t work = work_new(c, NULL, what, NULL);
    if (!next.alone && (c->groups & CHECK_RACE))
        global_compare(c, address, size, writes, work, next.knows.at);
    if (notes)
        global_range(c->global, address, size, work, true);
    return notes;
}

void
check_touched(struct jit_tool *t, const struct check_rows *rows, unsigned how, const char *what)
{
    struct check *c = (struct check *)t;
    bool writes = how & CHECK_TOUCH_WRITE;
    if (!c || !rows->width || !rows->count)
        return;
    struct flight f = {.rows = *rows, .writes = writes, .what = what};
    for (uint64_t row = 0; row < rows->count; row++)
        f.marked |= touch_row(c, rows->at + row * rows->pitch, rows->width, how, what);
    flight_begin(c, &f);
}

void
check_fetched(struct jit_tool *t, const struct allocation *from, uint64_t address, uint64_t size)
{
    struct check *c = (struct check *)t;
    uint64_t first = 0;
    if (!c || from->kind != ALLOCATION_DEVICE || !(c->groups & CHECK_INIT))
        return;
    struct holes holes = {0};
    uint64_t count = global_unwritten(c->global, address, size, &first, &holes);
    if (!count || holes_are_padding(&holes, address + size))
        return;
    struct finding f = {
        .kind = FINDING_UNINITIALIZED, .severity = SEVERITY_WARNING, .space = "global"};
    f.access = (struct side){.valid = true,
                             .op = "copy to the host",
                             .address = first,
                             .size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size,
                             .host = host_here(c)};
    f.made = from->place;
    snprintf(
        f.message, sizeof f.message,
        "a copy of %llu bytes to the host takes %llu along that nothing has written, the first at "
        "byte %llu of allocation %llu (%llu bytes)",
        (unsigned long long)size, (unsigned long long)count,
        (unsigned long long)(first - from->base), (unsigned long long)from->number,
        (unsigned long long)from->size);
    finding_add(c, &f);
}

/* What is the same as a byte or as a word says what is meant: -1, 0x3f3f3f3f. */
void
check_filled(struct jit_tool *t, uint32_t value, uint64_t bytes)
{
    struct check *c = (struct check *)t;
    int32_t number = (int32_t)value;
    uint32_t byte = value & 0xff;
    if (!c || !(c->groups & CHECK_API) || !bytes || (number >= -128 && number <= 255) ||
        value == byte * 0x01010101u)
        return;
    struct finding f = {.kind = FINDING_CUT_FILL, .severity = SEVERITY_WARNING, .space = ""};
    f.access = (struct side){.valid = true, .op = "fill", .host = host_here(c)};
    snprintf(f.message, sizeof f.message,
             "a fill of %llu bytes with %d (0x%x): each becomes the lowest byte of that, 0x%02x",
             (unsigned long long)bytes, number, value, byte);
    snprintf(f.missing, sizeof f.missing,
             "a value from 0 to 255; for words a kernel, or cuMemsetD32");
    finding_add(c, &f);
}

/* By halves: most copies are of what is written throughout, or nowhere. */
static void
copy_unwritten(struct check *c, uint64_t from, uint64_t to, uint64_t size)
{
    uint64_t first = from;
    struct holes holes = {0};
    uint64_t count = size ? global_unwritten(c->global, from, size, &first, &holes) : 0,
             before = first - from;
    if (!count)
        return;
    if (count == size - before) {
        global_range(c->global, to + before, count, 0, false);
        return;
    }
    uint64_t half = (size - before + 1) / 2;
    copy_unwritten(c, first, to + before, half);
    copy_unwritten(c, first + half, to + before + half, size - before - half);
}

void
check_copied(struct jit_tool *t, uint64_t from, uint64_t to, uint64_t size)
{
    struct check *c = (struct check *)t;
    if (c && (c->groups & CHECK_INIT))
        copy_unwritten(c, from, to, size);
}

/* -- waits of the host ------------------------------------------------------------------------- */

/* What the host knows to be over needs no look any more. */
static void
host_learned(struct check *c)
{
    struct clock host = work_host(c);
    flights_land(c, host.at);
}

void
check_joined_stream(struct jit_tool *t, uint64_t stream)
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    work_join_stream(c, stream);
    host_learned(c);
}

void
check_joined_event(struct jit_tool *t, const void *event)
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    work_join_event(c, event);
    host_learned(c);
}

void
check_joined_all(struct jit_tool *t)
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    work_join_all(c);
    host_learned(c);
}

/* -- memory ------------------------------------------------------------------------------------ */

void
check_allocated(struct jit_tool *t, const struct allocation *a)
{
    struct check *c = (struct check *)t;
    bool plain = a->kind == ALLOCATION_DEVICE || a->kind == ALLOCATION_HEAP;
    if (c)
        global_range(c->global, a->base, (a->size + 3) & ~3ull, 0, !plain);
}

void
check_freed(struct jit_tool *t, const struct allocation *a)
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    __atomic_fetch_add(&c->memory_version, 1, __ATOMIC_RELAXED);
    flights_forget(c, a->base, a->size);
}

bool
check_heap(struct jit_warp *w, uint32_t lane, uint64_t address, uint64_t size, uint32_t place)
{
    struct block_state *b = w->block->tool;
    struct allocation a = {.base = address, .size = size, .kind = ALLOCATION_HEAP}, found, near;
    if (!b)
        return true;
    struct check *c = b->launch->check;
    if (size) {
        check_allocated(&c->tool, &a);
        return true;
    }
    check_freed(&c->tool, &a);
    bool live = memory_find(b->launch->memory, address, &found, &near);
    if (live && found.base == address && found.kind == ALLOCATION_HEAP)
        return true;
    struct finding f = {.kind = FINDING_INVALID_FREE, .space = "global"};
    if (!finding_wanted(b->launch, f.kind, f.rank, b->launch->facts, place, NULL, 0, NULL))
        return false;
    struct visit v = {.b = b, .w = w, .place = place, .warp = w->warp};
    f.access = side_of(&v, lane, address);
    f.access.op = "free";
    snprintf(f.message, sizeof f.message, "free of 0x%llx, %s", (unsigned long long)address,
             near.freed && near.base == address ? "which was freed already"
             : live                             ? "which malloc in a kernel did not give"
                                                : "where nothing is allocated");
    snprintf(f.missing, sizeof f.missing, "one free for each pointer that malloc in a kernel gave");
    finding_add(c, &f);
    return false;
}

/* -- what calls say ---------------------------------------------------------------------------- */

void
check_bad_free(struct jit_tool *t, const char *call, uint64_t address,
               const struct allocation *nearest)
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    struct finding f = {.kind = FINDING_INVALID_FREE};
    f.space = "";
    f.access = (struct side){.valid = true, .op = call, .address = address, .host = host_here(c)};
    const char *why = "no allocation starts there";
    if (nearest && nearest->freed && nearest->base == address) {
        why = "it was freed already";
        f.made = nearest->place;
    }
    snprintf(f.message, sizeof f.message, "%s(0x%llx): %s", call, (unsigned long long)address, why);
    snprintf(f.missing, sizeof f.missing,
             "one release for each allocation, of the pointer that it "
             "gave; NULL may be released again");
    finding_add(c, &f);
}

void
check_kernel_failed(struct jit_tool *t, enum check_end how, const struct ptx_module *m,
                    const struct ptx_func *kernel, bool has_place, uint32_t place,
                    const uint32_t block[3], const uint32_t thread[3], const char *text)
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    static const enum finding_kind kind[] = {FINDING_DEADLOCK,   FINDING_ENDLESS,
                                             FINDING_DIVERGENCE, FINDING_OUT_OF_BOUNDS,
                                             FINDING_API_ERROR,  FINDING_API_ERROR};
    struct finding f = {.kind = kind[how]};
    if (how >= CHECK_END_ASSERT)
        f.title = how == CHECK_END_ASSERT ? "Assertion failed" : "Kernel ended in an error";
    struct jit_tool_launch l = {.module = m, .kernel = kernel};
    const struct kernel_facts *k = facts_of_kernel(c, &l);
    f.space = "";
    if (has_place && !finding_is_new(c, f.kind, f.rank, k, place, NULL, 0, NULL))
        return;
    const char *op = how == CHECK_END_ENDLESS   ? "loop"
                     : how <= CHECK_END_BARRIER ? "barrier"
                     : how == CHECK_END_ASSERT  ? "assert"
                                                : "kernel";
    f.access = (struct side){.valid = true,
                             .op = op,
                             .kernel = k,
                             .place = place,
                             .has_place = has_place,
                             .has_thread = true,
                             .launch = c->host_launches,
                             .host = host_here(c)};
    memcpy(f.access.block, block, sizeof f.access.block);
    memcpy(f.access.thread, thread, sizeof f.access.thread);
    snprintf(f.message, sizeof f.message, "%s", text);
    if (how == CHECK_END_DEADLOCK)
        snprintf(
            f.missing, sizeof f.missing, "%s",
            strstr(text, " of the mbarrier ")
                ? "as many arrivals and bytes in a phase as the mbarrier was told to expect; "
                  "each wait names the parity of the phase that it is for"
            : strstr(text, "cluster's barrier")
                ? "an arrival by every thread of every block of the cluster, and one wait for each"
            : strstr(text, " what does not change")
                ? "a store, an unlock or an arrival that comes before somebody waits for it"
                : "all threads of the block at the same barrier");
    if (how == CHECK_END_ENDLESS)
        snprintf(f.missing, sizeof f.missing,
                 "a step in the loop that brings its condition nearer to its end; where another "
                 "thread is to end it: an atomic or volatile load");
    if (how > CHECK_END_ASSERT && strstr(text, "cudaLimitStackSize"))
        snprintf(f.missing, sizeof f.missing,
                 "an end of the recursion, or a larger stack: "
                 "cudaDeviceSetLimit(cudaLimitStackSize, bytes)");
    finding_add(c, &f);
}

static const char *
remedy(const char *error, const char *why)
{
    static const struct {
        const char *error, *words, *missing;
    } rows[] = {
#define REMEDY(error, words, missing) {error, words, missing},
#include "check/remedies.def"
#undef REMEDY
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (ls_ends_with(error, rows[k].error) && strstr(why, rows[k].words))
            return rows[k].missing;
    return "";
}

void
check_call_failed(struct jit_tool *t, const char *call, const char *error, const char *why)
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    constants_written(c->constants, 0, UINT64_MAX); /* what failed may have been to set them */
    struct finding f = {.kind = FINDING_API_ERROR, .severity = SEVERITY_ERROR};
    f.space = "";
    f.access = (struct side){.valid = true, .op = call, .host = host_here(c)};
    f.error = error;
    snprintf(f.message, sizeof f.message, "%s returned %s%s%s", call, error,
             why && *why ? ": " : "", why ? why : "");
    snprintf(f.missing, sizeof f.missing, "%s", remedy(error, why ? why : ""));
    finding_add(c, &f);
}

void
check_lost_output(struct jit_tool *t, const char *kernel, uint32_t host)
{
    struct check *c = (struct check *)t;
    struct finding f = {.kind = FINDING_LOST_OUTPUT, .severity = SEVERITY_WARNING, .space = ""};
    if (!c)
        return;
    f.access = (struct side){.valid = true, .op = "printf", .host = host};
    snprintf(f.message, sizeof f.message,
             "kernel %.200s printed, and nothing waits for it before the program ends", kernel);
    snprintf(f.missing, sizeof f.missing, "cudaDeviceSynchronize() after the launch");
    finding_add(c, &f);
}

enum check_use
check_in_use(struct jit_tool *t, uint64_t page)
{
    struct check *c = (struct check *)t;
    struct clock known = work_host(c);
    struct side side;
    const char *what;
    if (!global_host_race(c, page, 4096, CHECK_HOST_WRITE, known.at, &side, NULL) &&
        !flight_host(c, page, 4096, true, known.at, &what))
        return CHECK_USE_NONE;
    bool written = global_host_race(c, page, 4096, CHECK_HOST_READ, known.at, &side, NULL) ||
                   flight_host(c, page, 4096, false, known.at, &what);
    return written ? CHECK_USE_WRITE : CHECK_USE_READ;
}

/* What the host does to managed or pinned memory against work that it has not waited for. A load of
 * what a kernel has stored for the system to see orders the host behind that kernel: programs that
 * wait for a flag do so. */
static bool
find_host_race(struct check *c, uint64_t address, enum check_host_op op, const struct clock *known,
               struct side *out)
{
    const char *what;
    uint32_t met = 0;
    if (global_host_race(c, address, 1, op, known->at, out, &met))
        return true;
    if (flight_host(c, address, 1, op != CHECK_HOST_READ, known->at, &what)) {
        *out = (struct side){.valid = true, .op = what, .address = address};
        return true;
    }
    if (met && op == CHECK_HOST_READ) {
        work_join_job(c, met);
        host_learned(c);
    }
    return false;
}

bool
check_host_access(struct jit_tool *t, const struct allocation *a, uint64_t address,
                  enum check_host_op op, const char *at, uint32_t host)
{
    struct check *c = (struct check *)t;
    bool writes = op != CHECK_HOST_READ;
    const char *does = writes ? "writes" : "reads";
    struct finding f = {.kind = FINDING_WRONG_SPACE, .space = "global"};
    char name[80], where[400];
    const struct host_place *p = host && c->host_place ? c->host_place(host) : NULL;
    const char *function = p && p->count && p->frame[0].function ? p->frame[0].function : "";
    snprintf(where, sizeof where, "%.200s%s%.150s%s", function, *function ? " (" : "", at,
             *function ? ")" : "");
    if (a->name && (a->kind == ALLOCATION_VARIABLE || a->kind == ALLOCATION_MANAGED))
        snprintf(name, sizeof name, "variable \"%.60s\"", a->name);
    else
        snprintf(name, sizeof name, "allocation %llu", (unsigned long long)a->number);
    f.access = (struct side){
        .valid = true, .op = writes ? "host store" : "host load", .address = address, .host = host};
    f.made = a->place;
    bool pinned = a->kind == ALLOCATION_HOST;
    if (a->kind != ALLOCATION_MANAGED && !pinned) {
        snprintf(f.message, sizeof f.message,
                 "host code in %s %s byte %llu of %s, which is device memory: on a GPU the program "
                 "ends here",
                 where, does, (unsigned long long)(address - a->base), name);
        snprintf(f.missing, sizeof f.missing, "cudaMemcpy, or managed memory (cudaMallocManaged)");
        finding_add(c, &f);
        return true;
    }
    f.kind = FINDING_HOST_RACE;
    f.space = pinned ? "host" : "global";
    struct clock known = work_host(c), supposed = work_supposed(c);
    struct side same;
    if (!find_host_race(c, address, op, &known, &f.other))
        return false;
    bool perhaps = !find_host_race(c, address, op, &supposed, &same);
    if (perhaps)
        f.severity = SEVERITY_WARNING;
    const struct kernel_facts *k = f.other.kernel;
    snprintf(f.message, sizeof f.message,
             "host code in %s %s byte %llu of %s %s while %s%s may still %s it", where, does,
             (unsigned long long)(address - a->base), pinned ? "pinned" : "managed", name,
             k ? "kernel " : "a ", k ? k->name : f.other.op,
             !k                            ? "use"
             : !strcmp(f.other.op, "load") ? "read"
                                           : "write");
    snprintf(f.missing, sizeof f.missing, "%s",
             perhaps ? "a wait of the host before that, unless the host function behind it in its "
                       "stream has told this code that it is over"
                     : "a wait of the host before that: cudaDeviceSynchronize(), or for the stream "
                       "or an event");
    finding_add(c, &f);
    return true;
}

void
check_leak(struct jit_tool *t, const struct allocation *a)
{
    struct check *c = (struct check *)t;
    static const char *const call[] = {"cudaMalloc",         "variable",
                                       "cudaMallocHost",     "cudaMallocManaged",
                                       "malloc in a kernel", "cudaMallocArray"};
    static const char *const release[] = {
        "cudaFree", "", "cudaFreeHost", "cudaFree", "free in a kernel", "cudaFreeArray"};
    if (!c)
        return;
    struct finding f = {.kind = FINDING_LEAK, .severity = SEVERITY_WARNING, .bytes = a->size};
    f.space = a->kind == ALLOCATION_HOST ? "host" : "global";
    f.access = (struct side){.valid = true,
                             .op = call[a->kind],
                             .address = a->base,
                             .size = a->size > UINT32_MAX ? UINT32_MAX : (uint32_t)a->size,
                             .host = a->place};
    snprintf(f.message, sizeof f.message, "allocation %llu, %llu bytes of %s, was never freed",
             (unsigned long long)a->number, (unsigned long long)a->size, call[a->kind]);
    snprintf(f.missing, sizeof f.missing, "%s before the program ends", release[a->kind]);
    finding_add(c, &f);
}
