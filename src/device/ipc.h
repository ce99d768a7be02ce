/* SPDX-License-Identifier: Apache-2.0
 *
 * ipc.h: handles of memory (ipc.c) and events (ipc_event.c) that other processes open.
 */
#ifndef LOCKSTEP_DEVICE_IPC_H
#define LOCKSTEP_DEVICE_IPC_H

#include "device/backend.h"

#define IPC_MAGIC 0x3143504c /* "LPC1" */

enum content { CONTENT_MEMORY = 1, CONTENT_EVENT };

/* What a handle of 64 bytes holds. */
struct content_of_handle {
    uint32_t magic, content;
    int32_t process, file;
    uint64_t mark; /* names the file: numbers of processes and files come again */
    uint64_t bytes, offset, size;
};
_Static_assert(sizeof(struct content_of_handle) <= DEVICE_IPC_BYTES, "a handle has 64 bytes");

#endif
