/* SPDX-License-Identifier: Apache-2.0
 *
 * mpi.c: memory that a program hands to MPI, as check sees it. preload/mpi.c, which comes before
 * the MPI library in programs under `lockstep check`, calls these two around each transfer. Device
 * memory is memory of the process here, so MPI reads and writes it like any other. For the order of
 * work a transfer is work on a stream of its own: it knows what the host knows when it begins, and
 * the host knows it when it is over.
 */
#include "device/device_priv.h"

#include "check/check.h"

#define EXPORT __attribute__((visibility("default")))
#define FIRST_STREAM 0x4d50490000000000u /* no stream of the program has such a number */

enum { TRANSFERS = 32 }; /* at a time; more are not looked at */

static struct {
    pthread_mutex_t lock;
    bool open;
    bool used[TRANSFERS];
} mpi = {.lock = PTHREAD_MUTEX_INITIALIZER};

EXPORT uint32_t lockstep_mpi_begin(const char *call, const void *at, uint64_t bytes, int writes);
EXPORT void lockstep_mpi_end(uint32_t number);

/* A number for lockstep_mpi_end; 0: none of the device's memory, or nobody watches. */
uint32_t
lockstep_mpi_begin(const char *call, const void *at, uint64_t bytes, int writes)
{
    struct allocation a;
    uint64_t address = (uint64_t)(uintptr_t)at;
    uint32_t number = 0;
    if (!tool_check() || !bytes || !device_find(address, &a))
        return 0;
    pthread_mutex_lock(&mpi.lock);
    if (!mpi.open) /* other processes and MPI's own threads read and write it, too, whenever they
                      like */
        guard_open();
    mpi.open = true;
    while (number < TRANSFERS && mpi.used[number])
        number++;
    if (number < TRANSFERS)
        mpi.used[number] = true;
    pthread_mutex_unlock(&mpi.lock);
    if (number == TRANSFERS)
        return 0;
    unsigned how = (writes ? CHECK_TOUCH_WRITE : CHECK_TOUCH_READ) |
                   (a.kind == ALLOCATION_HOST ? CHECK_TOUCH_HOST : 0);
    struct check_rows rows = {.at = address, .width = bytes, .pitch = bytes, .count = 1};
    check_work(tool_check(), FIRST_STREAM + number, false, false);
    if (!writes && a.kind != ALLOCATION_HOST)
        check_fetched(tool_check(), &a, address, bytes);
    check_touched(tool_check(), &rows, how, call);
    return number + 1;
}

void
lockstep_mpi_end(uint32_t number)
{
    if (!number || !tool_check())
        return;
    check_joined_stream(tool_check(), FIRST_STREAM + number - 1);
    pthread_mutex_lock(&mpi.lock);
    mpi.used[number - 1] = false;
    pthread_mutex_unlock(&mpi.lock);
}
