/* SPDX-License-Identifier: Apache-2.0
 *
 * access.c: one memory access of one warp, before it happens: which memory each lane goes to, and
 * whether it may. Lanes that may not are reported and kept from it (jit_warp.denied), so that the
 * kernel goes on; the others are handed to the memory's own file.
 */
#include "check/check_priv.h"
#include "check/peers.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum place_kind { IN_GLOBAL, IN_SHARED, IN_LOCAL, IN_PARAMS };

static const uint64_t window = 1ull << 32;
/* Marks ranges that are offsets in the block's shared memory. */
static const uint64_t shared_tag = 1ull << 62;

static uint64_t
shared_base(const struct block_state *b)
{
    return (uint64_t)(uintptr_t)b->block->shared;
}

/* -- what is wrong with an address ------------------------------------------------------------- */

static const char *
kind_name(enum allocation_kind kind)
{
    switch (kind) {
    case ALLOCATION_DEVICE: return "device memory";
    case ALLOCATION_VARIABLE: return "variable";
    case ALLOCATION_HOST: return "pinned host memory";
    case ALLOCATION_MANAGED: return "managed memory";
    case ALLOCATION_HEAP: return "memory of the kernel's malloc";
    case ALLOCATION_ARRAY: return "array";
    }
    return "memory";
}

static void
name_allocation(const struct allocation *a, char *out, size_t room)
{
    if (a->name && (a->kind == ALLOCATION_VARIABLE || a->kind == ALLOCATION_MANAGED))
        snprintf(out, room, "variable \"%s\" (%llu bytes)", a->name, (unsigned long long)a->size);
    else if (a->name && a->kind == ALLOCATION_HOST)
        snprintf(out, room, "array \"%s\" (%llu bytes)", a->name, (unsigned long long)a->size);
    else
        snprintf(out, room, "allocation %llu (%llu bytes of %s at 0x%llx)",
                 (unsigned long long)a->number, (unsigned long long)a->size, kind_name(a->kind),
                 (unsigned long long)a->base);
}

/* Whether the page is mapped in this process: what host code could use. */
static bool
is_host_memory(uint64_t address)
{
    unsigned char seen;
    uint64_t page = address & ~4095ull;
    return address >= 4096 && address < 1ull << 47 && mincore((void *)page, 1, &seen) == 0;
}

static void
distance_text(uint64_t a, uint32_t bytes, uint64_t base, uint64_t end, char *out, size_t room)
{
    int64_t at = (int64_t)a; /* offsets in shared memory may be negative */
    if (a == end)
        snprintf(out, room, "right past the end of");
    else if (at >= (int64_t)end)
        snprintf(out, room, "%llu bytes past the end of", (unsigned long long)(a - end));
    else if (at < (int64_t)base)
        snprintf(out, room, "%llu bytes before the start of", (unsigned long long)(base - a));
    else
        snprintf(out, room, "the last %llu of them past the end of",
                 (unsigned long long)(a + bytes - end));
}

/* The variable of shared memory that an offset lies in, or the last one before it. */
static const struct shared_var *
shared_variable(const struct launch *l, uint64_t offset)
{
    const struct shared_var *best = NULL;
    offset = (int64_t)offset < 0 ? 0 : offset;
    for (uint32_t k = 0; k < l->facts->shared_count; k++) {
        const struct shared_var *s = &l->facts->shared[k];
        if (s->offset <= offset && (!best || s->offset > best->offset))
            best = s;
    }
    return best;
}

static const struct root *
only_root(const struct visit *v)
{
    return v->facts->root_count == 1 ? &v->facts->root[0] : NULL;
}

/* -- what is missing --------------------------------------------------------------------------- */

static const char missing_index[] = "a test of the index before the access (if (i < n)), or more "
                                    "elements";
static const char missing_start[] = "a test of the index before the access: it is below 0";
static const char missing_dynamic[] =
    "bytes of dynamic shared memory, the third word of <<<>>>, or "
    "a smaller index";
static const char missing_local[] = "a smaller index: the thread's own arrays end there";
static const char missing_memory[] = "memory behind the pointer: an allocation that did not fail";
static const char missing_pointer[] = "a pointer that is set, to memory of the device";
static const char missing_later_free[] = "the release behind the last access, not before it";
static const char missing_copy[] = "cudaMalloc and cudaMemcpy, or managed memory "
                                   "(cudaMallocManaged)";
static const char missing_exchange[] = "an exchange through global memory: each block has shared "
                                       "memory of its own";
static const char missing_space[] = "an address of the memory that the instruction is for";

static const char *
describe_shared(const struct visit *v, uint64_t offset, char *out, size_t room)
{
    const struct launch *l = v->b->launch;
    const struct root *r = only_root(v);
    const struct shared_var *of =
        r && r->kind == ROOT_SHARED ? &l->facts->shared[r->at] : shared_variable(l, offset);
    char where[100], in[200] = "";
    if (!of) {
        snprintf(out, room, "at offset %lld, the block has %llu bytes of shared memory",
                 (long long)(int64_t)offset, (unsigned long long)l->shared_bytes);
        return missing_index;
    }
    uint64_t end = of->size ? of->offset + of->size : l->shared_bytes;
    const struct shared_var *hit = offset < l->shared_bytes ? shared_variable(l, offset) : NULL;
    const uint64_t above = 1ull << 32; /* an offset below 0 has wrapped; above this it has not */
    distance_text(offset + above, v->bytes, of->offset + above, end + above, where, sizeof where);
    if (hit && hit != of)
        snprintf(in, sizeof in, ", in \"%s\"", hit->name);
    snprintf(out, room, "%s \"%s\" (%llu bytes%s)%s", where, of->name,
             (unsigned long long)(end - of->offset), of->size ? "" : ", dynamic", in);
    return offset + above < of->offset + above ? missing_start
           : of->size                          ? missing_index
                                               : missing_dynamic;
}

static enum finding_kind
describe_global(const struct visit *v, uint64_t a, char *out, size_t room, struct finding *f,
                const char **missing)
{
    const struct launch *l = v->b->launch;
    const struct range *e = v->expect;
    struct allocation near = {0}, found = {0}, own = {0};
    char where[100], name[200];
    *missing = missing_memory;
    if (ls_near_null(a, out, room))
        return FINDING_OUT_OF_BOUNDS;
    *missing = missing_index;
    bool live = l->memory && memory_find(l->memory, a, &found, &near);
    if (e->base && e->base < shared_tag && memory_find_reached(l->memory, e->base, &own)) {
        char in[220] = "";
        distance_text(a, v->bytes, own.base, own.base + own.size, where, sizeof where);
        name_allocation(&own, name, sizeof name);
        f->made = own.place;
        *missing = own.freed ? missing_later_free : a < own.base ? missing_start : missing_index;
        if (live && found.base != own.base) {
            char other[200];
            name_allocation(&found, other, sizeof other);
            snprintf(in, sizeof in, ", in %s", other);
        }
        snprintf(out, room, "%s %s%s", where, name, in);
        return FINDING_OUT_OF_BOUNDS;
    }
    if (near.size && near.freed && a >= near.base && a < near.base + near.size) {
        f->made = near.place;
        *missing = missing_later_free;
        name_allocation(&near, name, sizeof name);
        snprintf(out, room, "%llu bytes into %s, which was freed",
                 (unsigned long long)(a - near.base), name);
        return FINDING_OUT_OF_BOUNDS;
    }
    uint64_t far = a < near.base ? near.base - a : a - near.base - near.size;
    if (!live && (!near.size || far > 1 << 20) && is_host_memory(a)) {
        snprintf(out, room, "the address is memory of the host, not of the device");
        *missing = missing_copy;
        return FINDING_WRONG_SPACE;
    }
    if (!near.size || far > 1 << 30) {
        snprintf(out, room, "no memory is allocated at or near 0x%llx", (unsigned long long)a);
        *missing = missing_pointer;
        return FINDING_OUT_OF_BOUNDS;
    }
    distance_text(a, v->bytes, near.base, near.base + near.size, where, sizeof where);
    f->made = near.place;
    *missing = near.freed ? missing_later_free : a < near.base ? missing_start : missing_index;
    name_allocation(&near, name, sizeof name);
    snprintf(out, room, "%s %s%s", where, name, near.freed ? ", which was freed" : "");
    return FINDING_OUT_OF_BOUNDS;
}

/* Is the address another block's shared memory? */
static bool
other_shared(const struct visit *v, uint64_t a)
{
    struct launch *l = v->b->launch;
    bool hit = false;
    pthread_mutex_lock(&l->lock);
    for (struct block_state *b = l->blocks; b; b = b->next)
        hit = hit || (b != v->b && a - b->window < window);
    pthread_mutex_unlock(&l->lock);
    return hit;
}

static void
report_bad(const struct visit *v, uint32_t lane, uint64_t a, enum place_kind in)
{
    const struct launch *l = v->b->launch;
    static const char *const spaces[] = {"global", "shared", "local", "param"};
    enum { BELOW = 1 << 16 }; /* a generic address there is an index into shared memory below 0 */
    if (in == IN_GLOBAL && v->space == PTX_SPACE_NONE && l->shared_bytes &&
        shared_base(v->b) - a <= BELOW)
        in = IN_SHARED;
    struct finding f = {.kind = FINDING_OUT_OF_BOUNDS, .space = spaces[in]};
    char what[400];
    const char *missing = missing_local;
    bool wrong = in == IN_SHARED && (v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_LOCAL ||
                                     v->space == PTX_SPACE_CONST);
    bool lent = in == IN_GLOBAL && other_shared(v, a);
    if (lent)
        f.kind = FINDING_WRONG_SPACE, missing = missing_exchange,
        snprintf(what, sizeof what, "shared memory of another block");
    else if (wrong)
        f.kind = FINDING_WRONG_SPACE, missing = missing_space,
        snprintf(what, sizeof what,
                 "an instruction for %s memory was given the address of shared memory",
                 ptx_space_name((enum ptx_space)v->space));
    else if (in == IN_SHARED)
        missing = describe_shared(v, a - shared_base(v->b), what, sizeof what);
    else if (in == IN_LOCAL)
        snprintf(what, sizeof what, "outside the thread's %u bytes of local memory",
                 l->facts->local_bytes);
    else
        f.kind = describe_global(v, a, what, sizeof what, &f, &missing);
    if (v->space == PTX_SPACE_CONST)
        f.space = "constant";
    if (!finding_wanted(l, f.kind, f.rank, l->facts, v->place, NULL, 0, v->b->block->ctaid))
        return;
    f.access = side_of(v, lane, in == IN_SHARED ? a - shared_base(v->b) : a);
    snprintf(f.message, sizeof f.message, "%s of %u bytes: %s", access_name(v->op), v->bytes, what);
    snprintf(f.missing, sizeof f.missing, "%s", missing);
    finding_add(l->check, &f);
}

static void
report_misaligned(const struct visit *v, uint32_t lane, uint64_t a, enum place_kind in)
{
    const struct launch *l = v->b->launch;
    struct finding f = {.kind = FINDING_MISALIGNED,
                        .space = in == IN_SHARED  ? "shared"
                                 : in == IN_LOCAL ? "local"
                                                  : "global"};
    if (!finding_wanted(l, f.kind, f.rank, l->facts, v->place, NULL, 0, v->b->block->ctaid))
        return;
    f.access = side_of(v, lane, in == IN_SHARED ? a - shared_base(v->b) : a);
    snprintf(f.message, sizeof f.message,
             "%s of %u bytes at an address that is no multiple of %u: 0x%llx", access_name(v->op),
             v->bytes, v->facts->align, (unsigned long long)f.access.address);
    snprintf(f.missing, sizeof f.missing,
             "an address that is a multiple of %u, or an access for each element", v->facts->align);
    finding_add(l->check, &f);
}

/* -- where lanes go ---------------------------------------------------------------------------- */

static bool
local_lane(const struct visit *v, uint32_t lane, uint64_t a, bool *inside)
{
    const struct jit_block *k = v->b->block;
    uint64_t stride = k->launch->local_stride, local = (uint64_t)(uintptr_t)k->local;
    if (!stride || !local)
        return false;
    uint64_t mine = local + (v->warp * (uint64_t)JIT_LANES + lane) * stride;
    *inside = a - mine < stride && a - mine + v->bytes <= stride;
    return *inside || a - local < v->b->local_bytes;
}

static bool
in_range(const struct range *r, uint64_t a, uint32_t bytes)
{
    return a >= r->base && a < r->end && r->end - a >= bytes;
}

/* In a live allocation: the one of the place's root when it has one, else any. */
static bool
global_good(const struct visit *v, uint64_t a)
{
    struct block_state *b = v->b;
    const struct launch *l = b->launch;
    const struct range *e = v->expect;
    struct allocation found;
    if (e->base && e->base < shared_tag)
        return in_range(e, a, v->bytes);
    uint64_t version = __atomic_load_n(&l->check->memory_version, __ATOMIC_RELAXED);
    if (b->found.version == version && in_range(&b->found.last, a, v->bytes))
        return true;
    if (!l->memory || !memory_find_reached(l->memory, a, &found))
        return false;
    b->found.last = (struct range){found.base, found.base + found.size};
    b->found.version = version;
    return in_range(&b->found.last, a, v->bytes);
}

static bool
shared_good(const struct visit *v, uint64_t a)
{
    const struct launch *l = v->b->launch;
    const struct range *e = v->expect;
    uint64_t offset = a - shared_base(v->b);
    if (v->space != PTX_SPACE_NONE && v->space != PTX_SPACE_SHARED &&
        v->space != PTX_SPACE_SHARED_CLUSTER)
        return false;
    if (e->base >= shared_tag)
        return in_range(e, offset + shared_tag, v->bytes);
    return offset < l->shared_bytes && l->shared_bytes - offset >= v->bytes;
}

static enum place_kind
classify(const struct visit *v, uint32_t lane, uint64_t a, bool *good)
{
    const struct launch *l = v->b->launch;
    if (a - shared_base(v->b) < window || v->space == PTX_SPACE_SHARED) {
        *good = shared_good(v, a);
        return IN_SHARED;
    }
    if (local_lane(v, lane, a, good) || v->space == PTX_SPACE_LOCAL)
        return IN_LOCAL;
    if (a - (uint64_t)(uintptr_t)l->launch->params < l->param_bytes) {
        *good = v->op == JIT_LOAD;
        return IN_PARAMS;
    }
    *good = global_good(v, a);
    return IN_GLOBAL;
}

/* Whether the access would be allowed if it were one byte long: then its alignment is what is
 * wrong. */
static bool
begins_well(const struct visit *v, uint32_t lane, uint64_t a)
{
    struct visit one = *v;
    bool good = false;
    one.bytes = 1;
    classify(&one, lane, a, &good);
    return good;
}

/* Lanes that all go to shared memory or to the allocation lately found, and may. */
static bool
is_split(const struct visit *v, const uint64_t *address, uint32_t *to)
{
    const struct block_state *b = v->b;
    const struct range *last = &b->found.last;
    uint64_t own = shared_base(b), room = b->launch->shared_bytes, size = last->end - last->base;
    uint32_t shared = 0, global = 0;
    uint64_t odd = 0;
    if (v->space != PTX_SPACE_NONE || v->expect->base || v->facts->align != v->bytes ||
        room < v->bytes || size < v->bytes ||
        b->found.version != __atomic_load_n(&b->launch->check->memory_version, __ATOMIC_RELAXED))
        return false;
    for (uint32_t l = 0; l < JIT_LANES; l++) {
        shared |= (uint32_t)(address[l] - own <= room - v->bytes) << l;
        global |= (uint32_t)(address[l] - last->base <= size - v->bytes) << l;
        odd |= v->lanes >> l & 1 ? address[l] : 0;
    }
    to[IN_SHARED] = shared & v->lanes;
    to[IN_GLOBAL] = global & v->lanes & ~shared;
    return !(v->lanes & ~(shared | global)) && !(odd & (v->bytes - 1)) &&
           !(v->bytes & (v->bytes - 1));
}

static void
judge(struct visit *v, const uint64_t *address)
{
    uint32_t to[4] = {0}, denied = 0;
    if (is_split(v, address, to)) {
        v->w->denied = 0;
        if (to[IN_SHARED] && !region_judged(v, to[IN_SHARED], address))
            shared_access(v, to[IN_SHARED], address);
        if (to[IN_GLOBAL] && !read_only_range(v, &v->b->found.last))
            counters_access(v, to[IN_GLOBAL], address);
        return;
    }
    memset(to, 0, sizeof to);
    uint32_t align = v->facts->align ? v->facts->align : 1;
    if (v->bytes < align) /* a part of it */
        align = v->bytes & -v->bytes;
    for (uint32_t left = v->lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t a = address[lane];
        bool good = false;
        enum place_kind in = classify(v, lane, a, &good);
        if ((a & (align - 1)) && (good || begins_well(v, lane, a))) {
            report_misaligned(v, lane, a, in);
            denied |= 1u << lane;
        } else if (good) {
            to[in] |= 1u << lane;
        } else {
            report_bad(v, lane, a, in);
            denied |= 1u << lane;
        }
    }
    v->w->denied = denied;
    v->b->shared.doubtful |= denied != 0; /* what is remembered lies in shared memory whole */
    if (to[IN_SHARED] && !region_judged(v, to[IN_SHARED], address))
        shared_access(v, to[IN_SHARED], address);
    if (to[IN_GLOBAL])
        counters_access(v, to[IN_GLOBAL], address);
    if (to[IN_LOCAL])
        local_access(v, to[IN_LOCAL], address);
}

/* The mbarrier that a transfer names. */
static const struct place_facts of_mbarrier = {
    .flags = PLACE_STRONG | PLACE_ATOMIC | PLACE_MBARRIER, .align = 8, .used = ~0u};
static const struct range anywhere;

static bool
begin_visit(struct visit *v, struct jit_warp *w, uint32_t lanes, uint32_t bytes, uint32_t space,
            uint32_t op, uint32_t place)
{
    struct block_state *b = w->block->tool;
    w->denied = 0;
    if (!b || space == PTX_SPACE_PARAM)
        return false;
    *v = (struct visit){.b = b,
                        .w = w,
                        .lanes = lanes,
                        .bytes = bytes,
                        .space = space,
                        .op = op,
                        .place = place,
                        .warp = w->warp};
    uint32_t at = place;
    if (b->facts[at].source && op == JIT_LOAD)
        at = b->facts[at].source;
    const struct place_facts *f = v->facts = &b->facts[at];
    v->expect = &b->expect[at];
    if (op == JIT_ATOMIC && f->align && !(f->flags & PLACE_ATOMIC)) {
        v->facts = &of_mbarrier;
        v->expect = &anywhere;
    }
    bool elsewhere =
        space == PTX_SPACE_GLOBAL || space == PTX_SPACE_LOCAL || space == PTX_SPACE_CONST;
    if (((op != JIT_LOAD || b->recording) && !elsewhere) || v->facts->flags & ~PLACE_STORE ||
        b->block->note == b->block->note_end)
        notes_before(b);
    if (b->pending[w->warp].count)
        order_flush(b, w->warp);
    if (b->copied.of[w->warp])
        copies_visit(v);
    return true;
}

/* Addresses of shared memory as their 32 bits say (memory_window_place): those given, where that
 * changes none, else own[]. */
static const uint64_t *
places_of(const struct block_state *b, const uint64_t *address, uint64_t own[JIT_LANES])
{
    uint64_t changed = 0;
    for (uint32_t l = 0; l < JIT_LANES; l++) {
        own[l] = memory_window_place(b->block->window, address[l]);
        changed |= own[l] ^ address[l];
    }
    return changed ? own : address;
}

static bool
of_shared(uint32_t space)
{
    return space == PTX_SPACE_SHARED || space == PTX_SPACE_SHARED_CLUSTER;
}

/* Of a cluster: lanes that go to other blocks' shared memory are done with; *denied: those that
 * must not. False: all are. */
static bool
of_peers(struct visit *v, const uint64_t *address, uint32_t *denied)
{
    *denied = peers_take(v, address);
    if (v->lanes)
        peers_own(v, address);
    else
        v->w->values = NULL;
    return v->lanes != 0;
}

void
check_access(struct jit_warp *w, uint32_t lanes, const uint64_t *address, uint32_t bytes,
             uint32_t space, uint32_t op, uint32_t place)
{
    struct visit v;
    uint64_t own[JIT_LANES];
    uint32_t theirs = 0;
    const struct block_state *b = w->block->tool;
    if (space == PTX_SPACE_SHARED && b && b->following &&
        region_lanes(w, lanes, address, bytes, op, place))
        return;
    bool good = begin_visit(&v, w, lanes, bytes, space, op, place);
    /* Those inside of the block's memory are what their 32 bits say. */
    bool done = good && space == PTX_SPACE_SHARED && !v.b->peers && !v.b->recording &&
                shared_lanes(&v, address);
    if (good && !done && of_shared(space))
        address = places_of(v.b, address, own);
    if (good && v.b->peers && !of_peers(&v, address, &theirs))
        return;
    if (good && v.b->recording && space == PTX_SPACE_SHARED)
        region_add(&v, lanes, 0, NULL, address);
    if (good && !done && !(space == PTX_SPACE_LOCAL && local_lanes(&v, address)) &&
        !(space == PTX_SPACE_SHARED && shared_lanes(&v, address)) &&
        !(op == JIT_LOAD && global_lanes(&v, address)) &&
        !(op == JIT_ATOMIC && counters_lanes(&v, address)) && !runs_lanes(&v, address))
        judge(&v, address);
    if (good)
        region_copies(v.b);
    w->denied |= theirs;
    w->values = NULL; /* the next store may be one that shows none */
}

void
check_pattern(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset,
              uint32_t bytes, uint32_t space, uint32_t op, uint32_t place)
{
    struct visit v;
    uint64_t address[JIT_LANES];
    uint32_t theirs = 0;
    if (op == JIT_STORE && space == PTX_SPACE_GLOBAL &&
        runs_store(w, lanes, base, offset, bytes, place))
        return;
    const struct block_state *b = w->block->tool;
    if (space == PTX_SPACE_SHARED && b && b->following &&
        region_pattern(w, lanes, base, offset, bytes, op, place))
        return;
    bool good = begin_visit(&v, w, lanes, bytes, space, op, place);
    if (good && of_shared(space))
        base = memory_window_place(v.b->block->window, base);
    if (good && v.b->peers) {
        for (uint32_t l = 0; l < JIT_LANES; l++)
            address[l] = base + (uint64_t)(int64_t)(offset ? offset[l] : 0);
        if (!of_peers(&v, address, &theirs))
            return;
    }
    if (good && v.b->recording && space == PTX_SPACE_SHARED)
        region_add(&v, lanes, base, offset, NULL);
    bool done = !good || shared_pattern(&v, base, offset) || global_pattern(&v, base, offset) ||
                (op != JIT_ATOMIC && runs_pattern(&v, base, offset));
    for (uint32_t l = 0; l < JIT_LANES && !done; l++)
        address[l] = base + (uint64_t)(int64_t)(offset ? offset[l] : 0);
    if (!done &&
        !(op == JIT_ATOMIC && (counters_lanes(&v, address) || runs_pattern(&v, base, offset))))
        judge(&v, address);
    if (good)
        region_copies(v.b);
    w->denied |= theirs;
    w->values = NULL;
}
