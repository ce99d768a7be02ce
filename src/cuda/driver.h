/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda: the driver API (include/cuda.h), thin over device. What its files share.
 *
 *   api.c        the end of every call: results, their names, reasons, trace; calls by name
 *   calls.c      the table of calls; those that are refused
 *   by_name.c    calls by name; old_names.c: those whose versions are alike
 *   device.c     initialisation, devices
 *   context.c    contexts, limits, peers
 *   module.c     modules from PTX text, JIT options; link.c: linking; library.c: libraries
 *   function.c   functions: attributes, launches (three ways), occupancy
 *   memory.c     allocation, host and managed memory, pools, pointers
 *   mapping.c    address ranges and the memory that is mapped into them
 *   ipc.c        memory, events and pools of other processes
 *   copy.c       copies and fills
 *   stream.c     streams, events, capture
 *   array.c      arrays, textures, surfaces, references
 *   tensor.c     tensor maps
 *   graph.c      graphs
 *   languages.c  what programs in other languages than C say of themselves (include/lockstep.h)
 *   ptx_run.c    one kernel of a PTX text on memory of the host, in one call
 *
 * The library is liblockstep itself; lib/libcuda.so.1 and lib/libgpuocelot.so are other names of it
 * (docs/driver.md).
 *
 * Handles are the device layer's own: a CUstream is a struct device_stream and so a cudaStream_t, a
 * CUfunction is a struct device_function; only contexts, modules, libraries and references are
 * things of this layer. A context is a view of its device: contexts of one device share its memory.
 *
 * Every call of the API is a row of cuda_calls.def and ends in CU(result, "arguments", ...), which
 * turns the device layer's number into the API's, says why under LOCKSTEP_VERBOSE and writes the
 * call under LOCKSTEP_TRACE=api.
 */
#ifndef LOCKSTEP_CUDA_DRIVER_H
#define LOCKSTEP_CUDA_DRIVER_H

#include "device/device.h"

/* What the APIs' headers declare is what the library exports. */
#pragma GCC visibility push(default)
#include "cuda.h"
#include "lockstep.h"
#pragma GCC visibility pop

/* -- api.c ------------------------------------------------------------------------------------- */

/* The result is evaluated first: the arguments may show what the call stored. */
#define CU(result, ...)                                                                            \
    do {                                                                                           \
        int cu_result_ = (int)(result);                                                            \
        return cu_done(__func__, cu_result_, __VA_ARGS__);                                         \
    } while (0)
CUresult cu_done(const char *call, int result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* device_fail with one of the API's numbers. */
#define cu_fail(error, ...) ((int)device_fail((enum device_result)(error), __VA_ARGS__))
#define cu_null(name) cu_fail(CUDA_ERROR_INVALID_VALUE, name " is NULL")
/* "Not supported", said on stderr too. */
int cu_refuse(const char *why);

/* -- context.c --------------------------------------------------------------------------------- */

/* Fails before cuInit. */
int cu_need_init(void);
/* The calling thread's context's device, in working order. */
int cu_use(struct device **out);
/* The device of that number. */
int cu_device(CUdevice number, struct device **out);
/* The body of a call that stores a property of the device d of that number. */
#define CU_DEVICE_PROPERTY(out, ordinal, value)                                                    \
    do {                                                                                           \
        struct device *d;                                                                          \
        int r_ = (out) ? cu_device(ordinal, &d) : cu_null(#out);                                   \
        if (r_ == CUDA_SUCCESS)                                                                    \
            *(out) = (value);                                                                      \
        CU(r_, #ordinal "=%d", ordinal);                                                           \
    } while (0)
/* The calling thread's context; NULL: none. */
CUcontext cu_current(void);
CUcontext cu_primary(struct device *d);
bool cu_context_is(CUcontext ctx);

/* What a context owns and takes along when it is destroyed. */
enum cu_owned { CU_OWNED_MODULE, CU_OWNED_MEMORY, CU_OWNED_STREAM, CU_OWNED_EVENT, CU_OWNED_ARRAY };
void cu_own(enum cu_owned kind, uint64_t handle);
/* The caller has freed it. */
void cu_disown(enum cu_owned kind, uint64_t handle);

/* Keeps why the calling thread's last call failed (lockstep_reason). */
void cu_keep_reason(const char *text);

/* -- module.c ---------------------------------------------------------------------------------- */

/* The function behind a CUfunction or a CUkernel, on the current context's device. */
int cu_function(CUfunction handle, struct device_function **out);
void cu_module_destroy(uint64_t handle);
/* What stands in a file, for ls_release; on an error *out is NULL. argument: what the call names
 * the path. */
int cu_read_file(const char *path, const char *argument, char **out, size_t *size);
/* The module that a function came from; NULL: none of ours. */
CUmodule cu_module_of(const struct device_function *f);

/* -- stream.c, copy.c, array.c ----------------------------------------------------------------- */

int cu_stream(CUstream handle, struct device_stream **out);
int cu_copy_of(const CUDA_MEMCPY3D *p, struct device_copy *out);

/* A reference that lies in a module: its variable holds the handle of what is bound. */
CUtexref cu_texref_new(uint64_t variable);
void cu_texref_free(CUtexref ref);

#endif
