/* SPDX-License-Identifier: Apache-2.0
 *
 * device, inside: the process, its devices, its modules.
 */
#ifndef LOCKSTEP_DEVICE_PRIV_H
#define LOCKSTEP_DEVICE_PRIV_H

#include "device/device.h"

#include <pthread.h>

enum { DEVICE_MOST = 64 };

struct device {
    int ordinal;
    const struct device_profile *profile;
    struct memory *memory;
    _Atomic uint64_t launches;
};

struct bound {
    const char *name;
    uint64_t address;
};

struct device_module {
    const void *image;
    const char *name;
    struct ptx_module *ptx;
    bool parsed;
    struct ls_error error;           /* why it did not parse */
    uint64_t *symbols[DEVICE_MOST];  /* per device, per variable: address */
    VEC(struct bound) bound;
    struct device_module *next;
};

struct process {
    pthread_mutex_t lock;
    bool started;
    int count;
    const struct device_profile *profile;
    struct jit_engine *jit;
    struct exec_pool *pool;
    struct device *device[DEVICE_MOST];
    struct device_module *modules;
};

struct process *device_process(void);
/* Addresses of the module's variables on the device, allocated and initialised on first use. */
const uint64_t *device_module_symbols(struct device *d, struct device_module *m,
                                      struct ls_error *err);

#endif
