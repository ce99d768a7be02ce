/* SPDX-License-Identifier: Apache-2.0
 *
 * memory: the address space of a virtual device.
 *
 * Device memory is reserved address space of this process: a device pointer is a host pointer, so
 * that unchecked loads and stores cost nothing. Each device reserves one range (PROT_NONE) and maps
 * pages as allocations need them; allocations are 512-byte aligned like the runtime's, separated by
 * guard gaps, and listed in a sorted table that answers "what is at this address". Blocks' shared
 * memory is a window: 4 GiB of reserved space, of which only what the kernel has is accessible; an
 * address that is right modulo 2^32 alone finds the window mapped once more (window.c).
 *
 * All functions are safe to call from several threads.
 */
#ifndef LOCKSTEP_MEMORY_H
#define LOCKSTEP_MEMORY_H

#include "base/base.h"

struct memory;

enum allocation_kind {
    ALLOCATION_DEVICE,   /* cudaMalloc and kin */
    ALLOCATION_VARIABLE, /* a module's .global or .const variable */
    ALLOCATION_HOST,     /* pinned or mapped host memory */
    ALLOCATION_MANAGED,
    ALLOCATION_HEAP,  /* malloc in a kernel */
    ALLOCATION_ARRAY, /* cudaArray */
};

struct allocation {
    uint64_t base, size;
    enum allocation_kind kind;
    uint64_t number;  /* counted from 1 in order of allocation */
    const char *name; /* of a variable, else NULL */
    bool read_only;   /* constant memory */
    bool freed;       /* remembered after it was freed, until its addresses are used again */
    int device;
    uint32_t place; /* of host code that made it, as memory_set_place has it; 0: not known */
};

/* A device with `bytes` of memory, at most three quarters of what the host has. */
struct memory *memory_new(int device, uint64_t bytes, struct ls_error *err);
void memory_free(struct memory *m);

/* Zero on failure: out of device memory. align: 0 means 512. The name is copied. Contents: zero
 * pages or what was there before. */
uint64_t memory_alloc(struct memory *m, uint64_t size, uint64_t align, enum allocation_kind kind,
                      const char *name);
/* How much kernels may have allocated at a time (ALLOCATION_HEAP); nothing at first. */
void memory_limit_heap(struct memory *m, uint64_t bytes);
/* Registers memory that somebody else owns (pinned host memory). The name is copied; NULL: none. */
bool memory_adopt(struct memory *m, uint64_t base, uint64_t size, enum allocation_kind kind,
                  const char *name);
/* Marks the allocation that starts at base as constant memory. */
bool memory_set_read_only(struct memory *m, uint64_t base);
/* Notes the place of the program that made the allocation that starts at base. */
bool memory_set_place(struct memory *m, uint64_t base, uint32_t place);
/* False: no allocation starts there (or it is not live). */
bool memory_release(struct memory *m, uint64_t base);
/* The live allocation that holds the address; false: none. nearest (may be NULL): the nearest one,
 * live or freed, for messages. */
bool memory_find(struct memory *m, uint64_t address, struct allocation *found,
                 struct allocation *nearest);
/* Lets m's device access peer's managed allocations, and with `all` the others, too; a later call
 * for the same peer replaces `all`. m keeps the pointer: peer has to live at least as long. */
void memory_set_peer(struct memory *m, struct memory *peer, bool all);
/* As memory_find, also among peers' allocations that the device may access. */
bool memory_find_reached(struct memory *m, uint64_t address, struct allocation *found);
/* True when all of [address, address + size) lies in one live allocation. */
bool memory_covers(struct memory *m, uint64_t address, uint64_t size);
void memory_usage(struct memory *m, uint64_t *used, uint64_t *total, uint64_t *allocations);
/* Calls f for each live allocation, in order of address; f must not call this layer. */
void memory_each(struct memory *m, void (*f)(const struct allocation *, void *), void *context);

/* Keeps memory of the device from the host. From the first call on managed memory has pages of its
 * own. shut: neither host nor device reach device memory; managed memory and pinned memory stay as
 * they are. */
void memory_set_shut(struct memory *m, bool shut);
/* Whether the address lies in what the device has reserved. Takes no lock. */
bool memory_owns(const struct memory *m, uint64_t address);

/* A window of 4 GiB of address space whose first `size` bytes can be read and written; in a cluster
 * those of each block, a stride of MEMORY_WINDOW_STRIDE behind the one before. */
enum { MEMORY_WINDOW_STRIDE = 1 << 24 };
struct memory_window {
    uint8_t *at; /* NULL: none */
    uint64_t size;
    uint32_t blocks;
    uint8_t *whole; /* what is reserved, and how much */
    uint64_t whole_bytes;
    bool wrapped; /* memory_window_wrap has mapped it once more */
};
/* Wide: much more is reserved on both sides, for memory_window_wrap; where there is no room for
 * that, it is not. */
bool memory_window_init(struct memory_window *w, bool wide, struct ls_error *err);
/* What the window held is lost when its size changes. */
bool memory_window_set(struct memory_window *w, uint64_t size, uint32_t blocks,
                       struct ls_error *err);
/* Whether all of [address, address + bytes) is memory of one of its blocks. */
bool memory_window_covers(const struct memory_window *w, uint64_t address, uint64_t bytes);
void memory_window_fini(struct memory_window *w);
/* An access to `address` has faulted. Where that is outside of a wide window, but means a byte of
 * it modulo 2^32, the window is mapped there, too: the access can be made again. May be called by a
 * signal's handler, of the thread that uses the window. */
bool memory_window_wrap(struct memory_window *w, uint64_t address);

/* The place in a window that an address of its space means: such addresses are 32 bits wide (PTX
 * ISA 6.4.1), so that sums with more bits wrap. From 2 GiB before the window's start on: a negative
 * distance stays one. */
static inline uint64_t
memory_window_place(const uint8_t *window, uint64_t address)
{
    uint64_t start = (uint64_t)(uintptr_t)window;
    return start + (uint64_t)(int64_t)(int32_t)(uint32_t)(address - start);
}

#endif
