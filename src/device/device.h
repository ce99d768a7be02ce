/* SPDX-License-Identifier: Apache-2.0
 *
 * device: the virtual devices of this process, the modules loaded on them, and launches.
 *
 * A process has LOCKSTEP_DEVICES devices (1) of the profile that LOCKSTEP_GPU or LOCKSTEP_CC names
 * (else the model's default); LOCKSTEP_WORKERS threads run the blocks of all of them. Everything is
 * made when first asked for and lives until the process ends or device_reset. All functions may be
 * called by several threads.
 *
 * The APIs above (cudart, cuda) and `lockstep launch` are thin over this header.
 */
#ifndef LOCKSTEP_DEVICE_H
#define LOCKSTEP_DEVICE_H

#include "exec/exec.h"
#include "jit/jit.h"
#include "memory/memory.h"
#include "model/model.h"

struct device;
struct device_module;

/* Devices of this process; 0 and the reason when the environment asks for something impossible. */
int device_count(struct ls_error *err);
struct device *device_get(int ordinal, struct ls_error *err);
int device_ordinal(const struct device *d);
const struct device_profile *device_profile(const struct device *d);
struct memory *device_memory(struct device *d);
uint32_t device_workers(void);

/* The image of a program ("LOCKSTEP" container) or PTX text ended by NUL; kept by reference until it
 * is first needed. name: for messages. */
struct device_module *device_module_new(const void *image, const char *name);
void device_module_free(struct device_module *m);
/* Parsed when first asked for; NULL: the text is wrong. */
const struct ptx_module *device_module_ptx(struct device_module *m, struct ls_error *err);
/* Address of a module variable on a device; its size to *size (may be NULL). 0: no such variable. */
uint64_t device_module_variable(struct device *d, struct device_module *m, const char *name,
                                uint64_t *size, struct ls_error *err);
/* The variable is the host's memory at `address` (managed variables): before the first launch. */
void device_module_bind(struct device_module *m, const char *name, uint64_t address);
/* Gives all bound variables the initial values of the module's text. */
void device_module_fill_bound(struct device_module *m);

/* Per-function settings that launches obey. */
struct device_function {
    struct device_module *module;
    const struct ptx_func *func;
    uint32_t max_dynamic_shared; /* what cudaFuncSetAttribute allows beyond the default; 0: default */
};

enum device_status {
    DEVICE_OK,
    DEVICE_INVALID_CONFIGURATION, /* dimensions beyond the profile's limits */
    DEVICE_OUT_OF_RESOURCES,      /* registers, or .maxntid exceeded */
    DEVICE_INVALID_VALUE,         /* too much shared memory, missing parameters */
    DEVICE_BAD_MODULE,            /* PTX that does not load or compile */
    DEVICE_FAILED,                /* the kernel ended with an error: report says which */
};

struct device_launch {
    const struct device_function *function;
    uint32_t grid[3], block[3];
    uint64_t dynamic_shared;
    void *const *args;     /* one pointer per parameter, or */
    const void *params;    /* the parameter block, */
    size_t params_size;    /* of this size */
    bool cooperative;
};

/* Runs to the end. report->text holds the message for every status but OK. */
enum device_status device_run(struct device *d, const struct device_launch *l,
                              struct exec_report *report);
/* The compiled kernel for a block shape (for attributes and occupancy). */
const struct jit_kernel *device_kernel(const struct device_function *f, const uint32_t block[3],
                                       struct ls_error *err);
/* Frees all memory of the device (cudaDeviceReset). Modules load their variables anew. */
void device_reset(struct device *d);

#endif
