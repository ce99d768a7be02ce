/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor.c: copies of boxes of tensors between global and shared memory (jit_services.tensor), by
 * the map that memory/tensor_map.h describes. Rows are copied whole, or in the pieces of 16 bytes
 * that a swizzle moves; a lane's copy is done before the next lane's. Start at exec_tensor.
 */
#include "exec/exec_priv.h"
#include "memory/tensor_map.h"

#include <stdio.h>
#include <string.h>

enum { CHUNK = 16, FEW_ROWS = 4 };

/* One lane's. */
struct tensor {
    struct jit_warp *warp;
    struct jit_tensor_insn what;
    const struct jit_tensor_data *data;
    uint32_t place, lane;
    const struct tensor_map *map;
    struct tensor_where where;
    uint64_t shared;
    int64_t next; /* bytes to the box that is fetched while this one is copied; 0: none is */
    bool fetched; /* this one was */
};

static _Noreturn void __attribute__((format(printf, 4, 5)))
fail(const struct tensor *t, enum exec_status status, const char *what, const char *format, ...)
{
    char detail[200];
    va_list args;
    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    exec_escape(t->warp->owner, t->warp->warp, 1u << t->lane, t->place, true, status, what, detail);
}

/* -- what an H200 refuses ---------------------------------------------------------------------- */

static const char illegal[] = "illegal instruction", misaligned[] = "misaligned address";

/* A parameter that is no __grid_constant__ is copied to local memory where its address is taken,
 * and there lanes lie at multiples of 16 bytes. (An H200 refuses such a map.) */
static bool
is_local(const struct tensor *t, uint64_t at)
{
    const struct jit_block *b = t->warp->block;
    uint64_t lanes = (uint64_t)b->launch->warps * JIT_LANES;
    return at - (uint64_t)(uintptr_t)b->local < lanes * b->launch->local_stride;
}

static struct tensor_map *
map_at(const struct tensor *t, uint64_t align)
{
    uint64_t at = t->data->map[t->lane];
    if (at % align && !is_local(t, at))
        fail(t, EXEC_MISALIGNED, misaligned, "the tensor map at 0x%llx is not aligned to %llu",
             (unsigned long long)at, (unsigned long long)align);
    struct tensor_map *m = (struct tensor_map *)(uintptr_t)at;
    if (m->magic != TENSOR_MAP_MAGIC)
        fail(t, EXEC_INVALID_TENSOR, illegal,
             "what lies at 0x%llx is no tensor map (cuTensorMapEncodeTiled makes them)",
             (unsigned long long)at);
    return m;
}

/* What is stored begins inside of the tensor, and so do the pixels' boxes. */
static void
check_store(const struct tensor *t)
{
    const struct tensor_map *m = t->map;
    for (uint32_t k = 0; k < m->rank; k++)
        if (t->where.at[k] < 0)
            fail(t, EXEC_INVALID_TENSOR, illegal,
                 "coordinate %u is %d: what is stored begins in the tensor", k, t->where.at[k]);
    for (uint32_t k = 0; m->mode && k + 2 < m->rank; k++)
        if (m->lower[k] < 0 || m->upper[k] > 0)
            fail(
                t, EXEC_INVALID_TENSOR, illegal,
                "pixels are stored, but their box (%d, %d) reaches past the tensor in dimension %u",
                m->lower[k], m->upper[k], k + 1);
}

/* Where pixels begin, and the numbers of im2colInfo in the wide modes. There the first pixel may
 * lie left of the box (PTX ISA 5.5.5.1). */
static void
check_pixels(const struct tensor *t)
{
    const struct tensor_map *m = t->map;
    bool wide = t->where.mode != TENSOR_IM2COL;
    uint32_t halos = t->where.mode == TENSOR_IM2COL_W128 ? TENSOR_HALOS_W128 : TENSOR_HALOS_W;
    for (uint32_t k = 0; k < (wide ? 1 : m->rank - 2u); k++) {
        int64_t last = (int64_t)m->dim[k + 1] + m->upper[k];
        if ((t->where.at[k + 1] < m->lower[k] && !wide) || t->where.at[k + 1] > last)
            fail(t, EXEC_INVALID_TENSOR, illegal,
                 "coordinate %u is %d: the pixels' box is from %d to %lld", k + 1,
                 t->where.at[k + 1], m->lower[k], (long long)last);
    }
    if (wide && (t->where.halo >= halos || t->where.shift[0] >= TENSOR_W_OFFSETS))
        fail(t, EXEC_INVALID_TENSOR, illegal,
             "%s with {%u, %u}: wHalo is less than %u, wOffset than %u",
             tensor_mode_name(t->where.mode), t->where.halo, t->where.shift[0], halos,
             TENSOR_W_OFFSETS);
}

/* A first element in the middle of 16 bytes ends a kernel on an H200, also where no byte of the box
 * lies in the tensor. */
static void
check_place(const struct tensor *t)
{
    const struct tensor_map *m = t->map;
    uint32_t bytes = tensor_type_bytes((enum tensor_type)m->type);
    if (m->rank != t->what.rank || !tensor_map_serves(m, t->where.mode))
        fail(t, EXEC_INVALID_TENSOR, illegal,
             "the map is of %u dimensions, %s, the instruction of %u, %s", m->rank,
             tensor_mode_name((enum tensor_mode)m->mode), t->what.rank,
             tensor_mode_name(t->where.mode));
    if (!m->interleave && (int64_t)t->where.at[0] * bytes % CHUNK)
        fail(t, EXEC_INVALID_TENSOR, illegal,
             "coordinate 0 is %d, of elements of %u bytes: a box begins at multiples of 16 bytes",
             t->where.at[0], bytes);
    if (t->what.flags & JIT_TENSOR_ROWS && (m->interleave || m->box[1] != 1))
        fail(t, EXEC_INVALID_TENSOR, illegal, "four rows are copied by a map whose box is one row");
    if (t->what.op != JIT_TENSOR_LOAD)
        check_store(t);
    if (t->where.mode)
        check_pixels(t);
    if (t->shared % 128)
        fail(t, EXEC_MISALIGNED, misaligned, "the box in shared memory is not aligned to 128");
}

/* -- one row ----------------------------------------------------------------------------------- */

/* To nearest even at 10 bits of the fraction, as an H200 does; subnormal numbers, too. */
static uint32_t
rounded(uint32_t w)
{
    if ((w & 0x7fffffff) > 0x7f800000)
        return 0x7fffe000;
    return (w + 0xfff + (w >> 13 & 1)) & 0xffffe000;
}

/* Elements of these types come rounded from memory. */
static void
round_row(const struct tensor_map *m, uint8_t *row, uint32_t bytes)
{
    if (m->type != TENSOR_TF32 && m->type != TENSOR_TF32_FTZ)
        return;
    for (uint32_t k = 0; k + 4 <= bytes; k += 4) {
        uint32_t w;
        memcpy(&w, row + k, 4);
        w = rounded(w);
        memcpy(row + k, &w, 4);
    }
}

static void
fill(const struct tensor_map *m, uint8_t *at, uint32_t bytes)
{
    if (!m->fill) {
        memset(at, 0, bytes);
        return;
    }
    for (uint32_t k = 0; k < bytes; k++) /* NaN, as an H200 has it: 0x7ff7 in each half word */
        at[k] = k & 1 ? 0x7f : 0xf7;
}

static void
read_row(const struct tensor_map *m, const struct tensor_slab *s, uint64_t from, uint8_t *row,
         uint32_t bytes)
{
    if (s->low)
        fill(m, row, s->low);
    memcpy(row + s->low, (const void *)(uintptr_t)(from + s->low), s->high - s->low);
    if (s->high < bytes)
        fill(m, row + s->high, bytes - s->high);
    round_row(m, row + s->low, s->high - s->low);
}

/* Where the 16 bytes at offset `at` of the box lie. The window begins at a multiple of what a
 * swizzle looks at. */
static uint8_t *
chunk_at(const struct tensor *t, uint64_t at)
{
    return (uint8_t *)(uintptr_t)tensor_swizzled((enum tensor_swizzle)t->map->swizzle,
                                                 t->shared + at);
}

/* Which bits of addresses a swizzle changes is the same in a line of 128 bytes. */
static uint64_t
changed_at(const struct tensor *t, uint64_t at)
{
    return tensor_swizzled((enum tensor_swizzle)t->map->swizzle, at) ^ at;
}

enum { SWIZZLED = 128 };

static inline void
move_line(uint8_t *to, uint64_t to_changed, const uint8_t *from, uint64_t from_changed)
{
#pragma GCC unroll 8
    for (uint64_t k = 0; k < SWIZZLED; k += CHUNK)
        memcpy(to + (k ^ to_changed), from + (k ^ from_changed), CHUNK);
}

/* Rows begin and end at multiples of 16 bytes, of which those of a line are moved by one rule. */
static void
scatter_row(const struct tensor *t, uint64_t at, const uint8_t *row, uint32_t bytes)
{
    uint64_t a = t->shared + at;
    for (uint32_t k = 0, n; k < bytes; k += n, a += n) {
        uint64_t changed = changed_at(t, a);
        n = a % SWIZZLED || bytes - k < SWIZZLED ? CHUNK : SWIZZLED;
        if (n == SWIZZLED)
            move_line((uint8_t *)(uintptr_t)a, changed, row + k, 0);
        else
            memcpy((void *)(uintptr_t)(a ^ changed), row + k, CHUNK);
    }
}

static void
gather_row(const struct tensor *t, uint64_t at, uint8_t *row, uint32_t bytes)
{
    uint64_t a = t->shared + at;
    for (uint32_t k = 0, n; k < bytes; k += n, a += n) {
        uint64_t changed = changed_at(t, a);
        n = a % SWIZZLED || bytes - k < SWIZZLED ? CHUNK : SWIZZLED;
        if (n == SWIZZLED)
            move_line(row + k, 0, (const uint8_t *)(uintptr_t)a, changed);
        else
            memcpy(row + k, (const void *)(uintptr_t)(a ^ changed), CHUNK);
    }
}

/* -- a box ------------------------------------------------------------------------------------- */

/* Rows have at most 256 elements of 8 bytes, or 256 slices of 32. */
enum { ROW_MOST = 256 * 32 };

/* Bytes of a box have come from there, or gone: the tools that follow copies are told by rows. */
static void
tell_row(const struct tensor *t, uint64_t to, uint64_t from, uint32_t bytes)
{
    if (t->what.flags & JIT_TENSOR_ANNOUNCED && bytes)
        exec_announce_move(t->warp, t->lane, to, from,
                           bytes | (uint32_t)t->map->swizzle << JIT_MOVE_BITS, t->place);
}

/* Rows of a box are far from each other in device memory, on a page each, where the processor does
 * not guess what comes next: the next FETCHED bytes of a slab are on their way while a row is
 * copied (pass fetched-boxes). What is read goes to the second cache: rows whose distance is a
 * power of two share a set of the first. */
enum { FETCHED = 8192, LINE = 64 };

static void
fetch_row(const struct tensor_slab *s, uint32_t row, bool write)
{
    uint64_t at = s->global + row * s->step, end = at + s->high;
    for (at = (at + s->low) & ~(uint64_t)(LINE - 1); row < s->rows && at < end; at += LINE) {
        if (write)
            __builtin_prefetch((const void *)(uintptr_t)at, 1);
        else
            __builtin_prefetch((const void *)(uintptr_t)at, 0, 2);
    }
}

/* Before row r is copied: how many rows further on the next to be fetched is. */
static uint32_t
fetch_first(const struct tensor *t, const struct tensor_walk *w, const struct tensor_slab *s,
            bool write)
{
    if (!(t->what.flags & JIT_TENSOR_FETCHES) || t->fetched)
        return s->rows; /* none is */
    uint32_t ahead = FETCHED / w->row + 1;
    for (uint32_t r = 0; r < ahead; r++)
        fetch_row(s, r, write);
    return ahead;
}

/* Pass next-boxes: where the last box began that this thread copied by an instruction and a map,
 * and how far from the one before it. Blocks of a grid and turns of a loop go on in equal steps. */
struct last_box {
    uint64_t map, at, fetched; /* fetched: where the box begins that was */
    int64_t step;
    uint32_t place;
};
enum { LAST_BOXES = 16 };

/* Two equal steps make a third one likely. A box that is copied once more, to another block of a
 * multicast, is no step. */
static void
foresee(struct tensor *t, uint64_t at)
{
    static _Thread_local struct last_box boxes[LAST_BOXES];
    uint64_t map = t->data->map[t->lane];
    struct last_box *b = &boxes[(t->place + map / TENSOR_MAP_BYTES) % LAST_BOXES];
    int64_t step = (int64_t)(at - b->at);
    if (b->map != map || b->place != t->place) {
        *b = (struct last_box){.map = map, .at = at, .place = t->place};
        return;
    }
    t->fetched = b->fetched == at;
    if (!step)
        return;
    t->next = step == b->step ? step : 0;
    b->fetched = t->next ? at + (uint64_t)step : 0;
    b->step = step;
    b->at = at;
}

static void
fetch_next(const struct tensor *t, const struct tensor_slab *s, uint32_t row)
{
    struct tensor_slab next = *s;
    next.global += (uint64_t)t->next;
    if (t->next)
        fetch_row(&next, row, false);
}

static void
load_slab(const struct tensor *t, const struct tensor_walk *w, const struct tensor_slab *s)
{
    uint8_t row[ROW_MOST];
    bool plain = s->low == 0 && s->high == w->row && t->map->type < TENSOR_TF32;
    uint32_t ahead = fetch_first(t, w, s, false);
    for (uint32_t r = 0; r < s->rows; r++) {
        fetch_row(s, r + ahead, false);
        fetch_next(t, s, r);
        uint64_t from = s->global + r * s->step, at = s->at + (uint64_t)r * w->pitch;
        tell_row(t, t->shared + at + s->low, from + s->low, s->high - s->low);
        if (t->map->swizzle && plain) {
            scatter_row(t, at, (const uint8_t *)(uintptr_t)from, w->row);
        } else if (t->map->swizzle) {
            read_row(t->map, s, from, row, w->row);
            scatter_row(t, at, row, w->row);
        } else {
            read_row(t->map, s, from, (uint8_t *)(uintptr_t)(t->shared + at), w->row);
        }
    }
}

/* How many bytes of a row are stored: whole groups of 16, so that an H200 also writes to what lies
 * behind a tensor whose rows end within one. */
static uint32_t
stored_bytes(const struct tensor_walk *w, const struct tensor_slab *s)
{
    uint32_t end = (s->high + CHUNK - 1) & ~(CHUNK - 1u);
    return s->high == s->low ? 0 : (end < w->row ? end : w->row) - s->low;
}

/* Past the caches, as threads' stores of whole lines go in a large launch: what is written has not
 * to be read before. The worker sees its own at once; who else may look before the launch ends
 * (JIT_TENSOR_UNSEEN: nobody) is told by a store that comes later. */
static bool
streams(const struct tensor *t, const struct tensor_walk *w, const struct tensor_slab *s)
{
    uint64_t bytes = w->row;
    for (uint32_t k = 1; k < t->map->rank; k++)
        bytes = t->map->stride[k - 1] * t->map->dim[k];
    return t->what.flags & JIT_TENSOR_STREAMS && t->warp->block->launch->block_streams &&
           bytes >= EXEC_STREAM_BYTES && (s->global | s->step | w->row) % LINE == 0 &&
           s->low == 0 && s->high == w->row;
}

static void
stream_slab(const struct tensor *t, const struct tensor_walk *w, const struct tensor_slab *s)
{
    uint8_t row[ROW_MOST];
    for (uint32_t r = 0; r < s->rows; r++) {
        uint64_t to = s->global + r * s->step, at = s->at + (uint64_t)r * w->pitch;
        const uint8_t *from = (const uint8_t *)(uintptr_t)(t->shared + at);
        if (t->map->swizzle) {
            gather_row(t, at, row, w->row);
            from = row;
        }
        jit_stream(to, from, w->row);
    }
    if (!(t->what.flags & JIT_TENSOR_UNSEEN))
        jit_streamed();
}

static void
store_slab(const struct tensor *t, const struct tensor_walk *w, const struct tensor_slab *s)
{
    uint8_t row[ROW_MOST];
    if (streams(t, w, s)) {
        stream_slab(t, w, s);
        return;
    }
    uint32_t bytes = stored_bytes(w, s), ahead = fetch_first(t, w, s, true);
    for (uint32_t r = 0; r < s->rows && bytes; r++) {
        fetch_row(s, r + ahead, true);
        uint64_t to = s->global + r * s->step + s->low, at = s->at + (uint64_t)r * w->pitch;
        const uint8_t *from = (const uint8_t *)(uintptr_t)(t->shared + at);
        if (t->what.op == JIT_TENSOR_STORE)
            tell_row(t, to, t->shared + at + s->low, bytes);
        if (t->map->swizzle && t->what.op == JIT_TENSOR_STORE && bytes == w->row &&
            bytes % CHUNK == 0) {
            gather_row(t, at, (uint8_t *)(uintptr_t)to, bytes);
            continue;
        }
        if (t->map->swizzle) {
            gather_row(t, at, row, w->row);
            from = row;
        }
        if (t->what.op == JIT_TENSOR_STORE)
            memcpy((void *)(uintptr_t)to, from + s->low, bytes);
        else if (!jit_reduce((enum jit_reduction)t->what.reduction, t->map->type, to,
                             (uint64_t)(uintptr_t)from + s->low, bytes))
            fail(t, EXEC_INVALID_TENSOR, illegal, "the reduction is none of tensors of type %u",
                 t->map->type);
    }
}

/* gather4 and scatter4 are four boxes, one behind the other in shared memory (PTX ISA 5.5.3.2). */
static uint32_t
boxes_of(const struct tensor *t)
{
    return t->what.flags & JIT_TENSOR_ROWS ? FEW_ROWS : 1;
}

static struct tensor
box_of(const struct tensor *t, uint32_t k)
{
    struct tensor one = *t;
    struct tensor_walk w;
    if (!k)
        return one;
    one.where.at[1] = t->data->at[1 + k][t->lane];
    tensor_walk_begin(&w, one.map, &one.where);
    one.shared += k * tensor_walk_extent(&w);
    return one;
}

static void
copy_box(struct tensor *t)
{
    struct tensor_walk w;
    struct tensor_slab s;
    tensor_walk_begin(&w, t->map, &t->where);
    for (bool first = true; tensor_walk_next(&w, &s); first = false) {
        if (first && t->what.flags & JIT_TENSOR_NEXT)
            foresee(t, s.global);
        if (t->what.op == JIT_TENSOR_LOAD)
            load_slab(t, &w, &s);
        else
            store_slab(t, &w, &s);
    }
}

static void
copy(const struct tensor *t)
{
    for (uint32_t k = 0; k < boxes_of(t); k++) {
        struct tensor one = box_of(t, k);
        copy_box(&one);
    }
}

/* -- what tools and the search for a fault are told -------------------------------------------- */

static bool
announce(const struct tensor *t, uint64_t at, uint32_t bytes, uint32_t space, enum jit_access_op op)
{
    return exec_announce(t->warp, t->lane, at, bytes, space, op, t->place);
}

static void
tell(const struct tensor *t, enum jit_async what, uint64_t at, uint32_t number)
{
    if (t->what.flags & JIT_TENSOR_ANNOUNCED)
        exec_announce_async(t->warp, t->lane, what, at, number, t->place);
}

/* False: some of it must not be done. */
static bool
announce_slab(const struct tensor *t, const struct tensor_walk *w, const struct tensor_slab *s)
{
    bool loads = t->what.op == JIT_TENSOR_LOAD, fine = true;
    enum jit_access_op op = loads                            ? JIT_LOAD
                            : t->what.op == JIT_TENSOR_STORE ? JIT_STORE
                                                             : JIT_ATOMIC;
    uint32_t bytes = loads ? s->high - s->low : stored_bytes(w, s);
    bool whole = s->step == bytes && !(w->pitch > w->row);
    uint64_t at = s->global + s->low;
    if (bytes && whole)
        return announce(t, at, bytes * s->rows, PTX_SPACE_GLOBAL, op);
    for (uint32_t r = 0; bytes && r < s->rows && fine; r++, at += s->step)
        fine = announce(t, at, bytes, PTX_SPACE_GLOBAL, op);
    return fine;
}

static bool
announce_shared(const struct tensor *t, const struct tensor_walk *w)
{
    enum jit_access_op op = t->what.op == JIT_TENSOR_LOAD ? JIT_STORE : JIT_LOAD;
    uint64_t extent = tensor_walk_extent(w);
    if (w->pitch <= w->row)
        return announce(t, t->shared, (uint32_t)extent, PTX_SPACE_SHARED, op);
    for (uint64_t at = 0; at < extent; at += w->pitch)
        for (uint32_t k = 0; k < w->row; k += CHUNK)
            if (!announce(t, (uint64_t)(uintptr_t)chunk_at(t, at + k), CHUNK, PTX_SPACE_SHARED, op))
                return false;
    return true;
}

static bool
announce_box(const struct tensor *t)
{
    struct tensor_walk w;
    struct tensor_slab s;
    tensor_walk_begin(&w, t->map, &t->where);
    bool fine = t->what.op != JIT_TENSOR_LOAD || announce_shared(t, &w);
    while (fine && tensor_walk_next(&w, &s))
        fine = announce_slab(t, &w, &s);
    return fine && (t->what.op == JIT_TENSOR_LOAD || announce_shared(t, &w));
}

static bool
announce_all(const struct tensor *t)
{
    bool fine = true;
    for (uint32_t k = 0; fine && k < boxes_of(t); k++) {
        struct tensor one = box_of(t, k);
        fine = announce_box(&one);
    }
    return fine;
}

/* -- instructions ------------------------------------------------------------------------------ */

/* im2colInfo: the offsets of pixels, or {wHalo, wOffset}. */
static void
find_info(struct tensor *t)
{
    uint16_t info[3] = {0};
    for (uint32_t k = 0; k < 3 && t->what.op == JIT_TENSOR_LOAD && t->what.mode; k++)
        info[k] = (uint16_t)t->data->shift[k][t->lane];
    _Static_assert((int)JIT_TENSOR_IM2COL_W128 == (int)TENSOR_IM2COL_W128, "numbered alike");
    t->where.mode = (enum tensor_mode)t->what.mode;
    t->where.halo = 0;
    memcpy(t->where.shift, info, sizeof info);
    if (t->where.mode > TENSOR_IM2COL) {
        t->where.halo = info[0];
        t->where.shift[0] = info[1];
        t->where.shift[1] = t->where.shift[2] = 0;
    }
}

static void
begin_copy(struct tensor *t)
{
    t->map = map_at(t, 64);
    tell(t, JIT_ASYNC_MAP, t->data->map[t->lane], t->map->swizzle);
    t->shared = t->data->shared[t->lane];
    for (uint32_t k = 0; k < t->what.rank; k++)
        t->where.at[k] = t->data->at[k][t->lane];
    find_info(t);
    check_place(t);
    for (uint32_t k = 1; k < boxes_of(t); k++) {
        struct tensor one = box_of(t, k);
        if (t->what.op != JIT_TENSOR_LOAD)
            check_store(&one);
    }
}

/* A box into one block's shared memory, whose mbarrier learns of it. */
static void
load_box(const struct tensor *t, uint64_t barrier)
{
    tell(t, JIT_ASYNC_TENSOR, 0, 1);
    bool fine = !(t->what.flags & JIT_TENSOR_ANNOUNCED) || announce_all(t);
    tell(t, JIT_ASYNC_BULK, barrier, 0);
    if (fine)
        copy(t);
    jit_mbarrier_complete(barrier, boxes_of(t) * tensor_map_bytes(t->map, &t->where));
    tell(t, JIT_ASYNC_AFTER, barrier, 0);
}

/* Copies a box into shared memory; a multicast copies it to the same offset in each block of the
 * mask. With cta_group::2 a pair of blocks has one mbarrier, in its even block or in its odd one as
 * the address of the instruction's mbarrier says. */
static void
load(struct tensor *t)
{
    const struct jit_block *b = t->warp->block;
    uint64_t barrier = t->data->barrier[t->lane], own = t->shared,
             window = (uint64_t)(uintptr_t)b->window;
    uint32_t blocks = t->data->blocks[t->lane];
    if (!(t->what.flags & JIT_TENSOR_MULTICAST)) {
        load_box(t, barrier);
        return;
    }
    if (blocks >> b->launch->cluster_blocks)
        fail(t, EXEC_INVALID_TENSOR, illegal, "multicast to blocks 0x%x of a cluster of %u", blocks,
             b->launch->cluster_blocks);
    for (uint32_t rest = blocks; rest; rest &= rest - 1) {
        uint64_t rank = (uint64_t)__builtin_ctz(rest), to = rank << JIT_RANK_BIT;
        uint64_t mask = (1ull << JIT_RANK_BIT) - 1, tells = to;
        if (t->what.flags & JIT_TENSOR_PAIR)
            tells = ((rank & ~1ull) | ((barrier - window) >> JIT_RANK_BIT & 1)) << JIT_RANK_BIT;
        if (tells >> JIT_RANK_BIT >= b->launch->cluster_blocks)
            fail(t, EXEC_INVALID_TENSOR, illegal,
                 "cta_group::2 in a cluster of %u: block %u has no peer", b->launch->cluster_blocks,
                 (uint32_t)rank);
        t->shared = window + to + ((own - window) & mask);
        load_box(t, window + tells + ((barrier - window) & mask));
    }
}

static void
replace(const struct tensor *t)
{
    static const char *const fields[] = {
        "global_address", "rank",     "box_dim",           "global_dim",   "global_stride",
        "element_stride", "elemtype", "interleave_layout", "swizzle_mode", "swizzle_atomicity",
        "fill_mode"};
    uint64_t value = t->data->value[t->lane];
    struct tensor_map *m = map_at(t, 128);
    if (!tensor_map_replace(m, (enum tensor_field)t->what.field, t->what.ordinal, value))
        fail(t, EXEC_INVALID_TENSOR, illegal, "tensormap.replace: 0x%llx is no value of .%s",
             (unsigned long long)value, fields[t->what.field]);
}

static bool
same_map(uint64_t a, uint64_t b)
{
    return a == b || !memcmp((const void *)(uintptr_t)a, (const void *)(uintptr_t)b,
                             TENSOR_MAP_BYTES); /* each lane's own copy of a parameter */
}

/* A lane before this one stores the same box to the same place. */
static bool
is_stored_already(const struct tensor *t, uint32_t done)
{
    const struct jit_tensor_data *d = t->data;
    uint32_t coordinates = t->what.flags & JIT_TENSOR_ROWS ? 1 + FEW_ROWS : t->what.rank;
    for (; done; done &= done - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(done), k = 0;
        while (k < coordinates && d->at[k][l] == d->at[k][t->lane])
            k++;
        if (k == coordinates && same_map(d->map[l], d->map[t->lane]) &&
            d->shared[l] == d->shared[t->lane])
            return true;
    }
    return false;
}

void
exec_tensor(struct jit_warp *w, uint32_t lanes, uint64_t what, uint32_t place,
            const struct jit_tensor_data *data)
{
    struct tensor t = {.warp = w, .data = data, .place = place};
    uint32_t all = lanes;
    memcpy(&t.what, &what, sizeof t.what);
    for (; lanes; lanes &= lanes - 1) {
        t.lane = (uint32_t)__builtin_ctz(lanes);
        switch ((enum jit_tensor_op)t.what.op) {
        case JIT_TENSOR_LOAD:
            begin_copy(&t);
            load(&t);
            break;
        case JIT_TENSOR_STORE:
            if (is_stored_already(&t, all & ~lanes))
                break; /* CUTLASS's epilogues: a whole warp stores what one thread could */
            __attribute__((fallthrough));
        case JIT_TENSOR_REDUCE:
            begin_copy(&t);
            if (!(t.what.flags & JIT_TENSOR_ANNOUNCED) || announce_all(&t))
                copy(&t);
            break;
        case JIT_TENSOR_REPLACE:
            replace(&t);
            tell(&t, JIT_ASYNC_MAP_SET, data->map[t.lane], 0);
            break;
        case JIT_TENSOR_COPY_MAP:
            memcpy((void *)(uintptr_t)data->map[t.lane],
                   (const void *)(uintptr_t)data->shared[t.lane], TENSOR_MAP_BYTES);
            tell(&t, JIT_ASYNC_MAP_SET, data->map[t.lane], 0);
            break;
        }
    }
}
