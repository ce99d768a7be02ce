/* SPDX-License-Identifier: Apache-2.0
 *
 * Windows: 4 GiB of address space each, for the shared memory of a block, or of those of a cluster.
 * Accesses are 32 bytes at most, so that behind the 4 GiB a page that is never accessible catches
 * what starts inside and ends outside.
 *
 * Addresses of shared memory are 32 bits wide; a register of 64 bits is truncated (PTX ISA 6.4.1,
 * "Addresses as operands"). Compilers of 64-bit code rely on that:
 *
 *     mul.wide.u32 %o, %i, 4       %i = -t as an unsigned number: 2^34 - 4 t
 *     add.s64      %a, %s, %o      in 32 bits it is s - 4 t
 *     ld.shared    %x, [%a]
 *
 * To cut off the upper bits of each such address would cost every kernel what one in hundreds
 * needs. So a wide window has REACH bytes reserved before and behind its 4 GiB, more than 2^32
 * elements of 16 bytes, which such an address cannot leave; it faults there, and the handler maps
 * the window at that place, too.
 *
 * A window begins at a multiple of 4 GiB, as on a GPU. So what cvta.to.shared makes of any address
 * has that address's lower 32 bits: zero of a null pointer, which CUTLASS's assertions of alignment
 * rely on for tensors that are not there.
 */
#define _GNU_SOURCE /* mremap */
#include "memory/memory.h"

#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };
static const uint64_t space = 4ull << 30, window_bytes = (4ull << 30) + PAGE, reach = 68ull << 30;

/* From a multiple of `space` on. */
static uint8_t *
reserve(uint64_t bytes)
{
    uint8_t *p =
        mmap(NULL, bytes + space, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    uint64_t before = -(uint64_t)(uintptr_t)p % space;
    if (before)
        munmap(p, before);
    munmap(p + before + bytes, space - before);
    return p + before;
}

static uint64_t
pages_of(uint64_t size)
{
    return (size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

bool
memory_window_init(struct memory_window *w, bool wide, struct ls_error *err)
{
    *w = (struct memory_window){.whole_bytes = 2 * reach + window_bytes};
    w->whole = wide ? reserve(w->whole_bytes) : NULL;
    w->at = w->whole ? w->whole + reach : NULL;
    if (!w->at) {
        w->whole_bytes = window_bytes;
        w->at = w->whole = reserve(window_bytes);
    }
    if (!w->at)
        return ls_fail(err, LS_ERR_SYSTEM,
                       "no address space for a block's memory window (4 GiB): %m");
    return true;
}

/* All of it as it was at first. */
static bool
unwrap(struct memory_window *w)
{
    w->wrapped = false;
    w->size = 0;
    return mmap(w->whole, w->whole_bytes, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

/* The pages from `from` to `end` of each block's memory get these rights. */
static bool
protect(const struct memory_window *w, uint32_t blocks, uint64_t from, uint64_t end, int rights)
{
    bool ok = true;
    for (uint64_t r = 0; r < blocks && ok && from < end; r++)
        ok = mprotect(w->at + r * MEMORY_WINDOW_STRIDE + from, end - from, rights) == 0;
    return ok;
}

bool
memory_window_set(struct memory_window *w, uint64_t size, uint32_t blocks, struct ls_error *err)
{
    uint64_t most = blocks > 1 ? MEMORY_WINDOW_STRIDE : 4ull << 30;
    if (size > most)
        return ls_fail(err, LS_ERR_INPUT, "a block's memory window of %llu bytes: %llu at most",
                       (unsigned long long)size, (unsigned long long)most);
    bool ok = !w->wrapped || unwrap(w);
    uint64_t old_end = pages_of(w->size), end = pages_of(size);
    if (ok && blocks != w->blocks) {
        ok = protect(w, w->blocks, 0, old_end, PROT_NONE);
        old_end = 0;
    }
    ok = ok && protect(w, blocks, old_end, end, PROT_READ | PROT_WRITE) &&
         protect(w, blocks, end, old_end, PROT_NONE);
    if (!ok)
        return ls_fail(err, LS_ERR_MEMORY, "a block's memory window of %llu bytes: %m",
                       (unsigned long long)size);
    w->size = size;
    w->blocks = blocks;
    return true;
}

bool
memory_window_covers(const struct memory_window *w, uint64_t address, uint64_t bytes)
{
    uint64_t at = address - (uint64_t)(uintptr_t)w->at, rank = at / MEMORY_WINDOW_STRIDE;
    if (w->blocks > 1)
        at %= MEMORY_WINDOW_STRIDE;
    return at <= w->size && bytes <= w->size - at && (w->blocks <= 1 || rank < w->blocks);
}

void
memory_window_fini(struct memory_window *w)
{
    if (w->whole)
        munmap(w->whole, w->whole_bytes);
    *w = (struct memory_window){0};
}

/* Replaces the private pages of [at, at + end) by shared ones with the same content, since only
 * shared pages can be mapped at a second address. */
static bool
make_shareable(uint8_t *at, uint64_t end)
{
    void *copy = mmap(NULL, end, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return false;
    memcpy(copy, at, end);
    if (mremap(copy, end, end, MREMAP_MAYMOVE | MREMAP_FIXED, at) != MAP_FAILED)
        return true;
    munmap(copy, end);
    return false;
}

bool
memory_window_wrap(struct memory_window *w, uint64_t address)
{
    uint64_t offset = address - (uint64_t)(uintptr_t)w->at, end = pages_of(w->size);
    uint64_t within = (uint32_t)offset, turns = offset - within, blocks = w->blocks;
    uint64_t rank = blocks > 1 ? within / MEMORY_WINDOW_STRIDE : 0;
    uint64_t last = (blocks - 1) * MEMORY_WINDOW_STRIDE + end;
    uint64_t before = (uint64_t)(w->at - w->whole); /* 0: not wide */
    if (!before || !turns || rank >= blocks || within - rank * MEMORY_WINDOW_STRIDE >= end ||
        before + turns > w->whole_bytes - last)
        return false;
    bool ok = true;
    for (uint64_t r = 0; r < blocks && ok; r++) {
        uint8_t *at = w->at + r * MEMORY_WINDOW_STRIDE;
        ok = (w->wrapped || make_shareable(at, end)) &&
             mremap(at, 0, end, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)((uintptr_t)at + turns)) !=
                 MAP_FAILED; /* turns may be below zero */
    }
    w->wrapped = true;
    return ok;
}
