/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep.h: what liblockstep offers beside CUDA's APIs, for programs in other languages than C
 * and for whoever makes kernels by themselves. CUDA programs need none of it. See docs/driver.md,
 * docs/ptx_run.md.
 *
 * Tools (check, profile) know a C program's lines from its stack and its arrays from the calls that
 * make them. An interpreter's program has neither: it says both with these functions. Without a
 * tool kernels reach the process's memory in any case, and all but lockstep_reason and ptx_run do
 * nothing of use.
 *
 * Functions that return int return 0, or a number of the driver API's errors (CUresult of cuda.h).
 * All may be called by several threads. Strings are UTF-8 and end in a zero byte.
 */
#ifndef LOCKSTEP_H
#define LOCKSTEP_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

enum lockstep_tool { LOCKSTEP_TOOL_NONE, LOCKSTEP_TOOL_PROFILE, LOCKSTEP_TOOL_CHECK };

/* Which tool watches this process: an enum lockstep_tool. Starts the tool, and makes the first
 * device. */
int lockstep_tool(void);

/* The calling thread's calls come from this line from now on: "launched at prog.py:7 in main". file
 * NULL: from where its stack says again. The strings are copied. */
void lockstep_place(const char *function, const char *file, unsigned line);

/* An array of ordinary memory that kernels may touch. */
struct lockstep_array {
    const char *name; /* for messages; copied */
    void *at;         /* the caller's, for as long as the array is known */
    size_t size;      /* bytes, more than 0 */
    const uint8_t
        *set; /* a byte for each 4 bytes of the array, the last of them begun ones too: 0: nobody
               * has ever written them. NULL: all are written. Read during the call alone. */
};

/* Kernels of the next launches may access these arrays, until lockstep_arrays_over; what they
 * access beside them is a finding. Arrays may not overlap one another nor other registered memory
 * (CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED). On failure none of them is known. */
int lockstep_arrays(const struct lockstep_array *arrays, size_t count);

/* They are ordinary memory again; to be called when the launches have been waited for. The first
 * error of arrays that were not known (CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED), after all others are
 * over. */
int lockstep_arrays_over(const struct lockstep_array *arrays, size_t count);

/* Why the calling thread's last failed call of the driver API or of this header failed, in words;
 * "": nothing is known. The library's, until the thread's next call. */
const char *lockstep_reason(void);

/* Runs the first kernel of a PTX text to its end. args[k] is the k-th argument itself, a pointer or
 * a number of up to 8 bytes, and no pointer to it; pointers may be plain memory of the host, which
 * kernels read and write in place. blk_*: threads of a block; grid_*: blocks; shmem: bytes of
 * dynamic shared memory. The reason of a failure is on stderr. The text is copied and remembered.
 */
int ptx_run(const char *ptx, int nargs, void **args, int blk_x, int blk_y, int blk_z, int grid_x,
            int grid_y, int grid_z, int shmem);

#if defined(__cplusplus)
}
#endif

#endif
