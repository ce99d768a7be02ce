/* SPDX-License-Identifier: Apache-2.0
 *
 * resources.h: how many blocks of a kernel a multiprocessor holds at once, in plain C from the
 * limits that the device names: blocks, threads, registers, shared memory; the smallest decides.
 * Registers and shared memory are given out in portions of which a program is told nothing, so that
 * the true number may be a little smaller where one of these two decides.
 */
#ifndef RESOURCES_H
#define RESOURCES_H

#include "../common/suite.h"

struct resident {
    int blocks;
    const char *limit; /* what decides */
    bool exact;
};

static inline int
resources_most_blocks(const struct cudaDeviceProp *d)
{
    int most = 0;
    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxBlocksPerMultiprocessor, 0));
    return most > 0 ? most : d->maxBlocksPerMultiProcessor;
}

static inline struct resident
resources_resident(const struct cudaDeviceProp *d, int threads, int registers, size_t shared_bytes)
{
    int warps = suite_div_up(threads, d->warpSize);
    int by_threads = d->maxThreadsPerMultiProcessor / (warps * d->warpSize);
    int by_registers =
        registers ? d->regsPerMultiprocessor / (registers * warps * d->warpSize) : 1 << 20;
    int by_shared = shared_bytes ? (int)(d->sharedMemPerMultiprocessor / shared_bytes) : 1 << 20;
    struct resident r = {resources_most_blocks(d), "blocks", true};
    if (by_threads < r.blocks)
        r = {by_threads, "threads", true};
    if (by_registers < r.blocks)
        r = {by_registers, "registers", false};
    if (by_shared < r.blocks)
        r = {by_shared, "shared memory", false};
    return r;
}

/* One line of the table, and the comparison of the two answers. */
static inline void
resources_compare(struct suite *s, const char *name, int threads, int registers,
                  size_t shared_bytes, int found)
{
    struct resident r = resources_resident(&s->device, threads, registers, shared_bytes);
    suite_say(s, "%-10s %8d %10d %8zu %9d %7d  %s\n", name, threads, registers, shared_bytes, found,
              found * suite_div_up(threads, 32), r.limit);
    suite_expect(s, found <= r.blocks, "no limit is exceeded");
    suite_expect(s, found >= r.blocks / 2, "portions cost less than half");
    if (r.exact && found != r.blocks && registers <= 16 && shared_bytes == 0)
        suite_wrong(s, "%s with %d threads: %d blocks are resident, should be %d", name, threads,
                    found, r.blocks);
}

static inline void
resources_heading(const struct suite *s)
{
    suite_say(s, "%-10s %8s %10s %8s %9s %7s  %s\n", "kernel", "threads", "registers", "shared",
              "resident", "warps", "limited by");
}

#endif
