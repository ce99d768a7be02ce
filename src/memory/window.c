/* SPDX-License-Identifier: Apache-2.0
 *
 * Windows: 4 GiB of address space each, for the shared or local memory of a block. Offsets in
 * generated code are 32 bits wide and accesses at most 32 bytes, so that behind the 4 GiB a page
 * that is never accessible catches what starts inside and ends outside.
 */
#include "memory/memory.h"

#include <sys/mman.h>

enum { PAGE = 4096 };
static const uint64_t window_bytes = (4ull << 30) + PAGE;

uint8_t *
memory_window_new(struct ls_error *err)
{
    void *p = mmap(NULL, window_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        ls_fail(err, LS_ERR_SYSTEM, "no address space for a block's memory window (4 GiB): %m");
        return NULL;
    }
    return p;
}

bool
memory_window_set(uint8_t *window, uint64_t old_size, uint64_t size, struct ls_error *err)
{
    uint64_t old_end = (old_size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    uint64_t end = (size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    if (size > 4ull << 30)
        return ls_fail(err, LS_ERR_INPUT, "a block's memory window of %llu bytes: 4 GiB at most",
                       (unsigned long long)size);
    int rc = 0;
    if (end > old_end)
        rc = mprotect(window + old_end, end - old_end, PROT_READ | PROT_WRITE);
    else if (end < old_end)
        rc = mprotect(window + end, old_end - end, PROT_NONE);
    if (rc != 0)
        return ls_fail(err, LS_ERR_MEMORY, "a block's memory window of %llu bytes: %m",
                       (unsigned long long)size);
    return true;
}

void
memory_window_free(uint8_t *window)
{
    if (window)
        munmap(window, window_bytes);
}
