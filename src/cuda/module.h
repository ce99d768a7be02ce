/* SPDX-License-Identifier: Apache-2.0
 *
 * module.h: modules and libraries, inside module.c, link.c and library.c.
 */
#ifndef LOCKSTEP_CUDA_MODULE_H
#define LOCKSTEP_CUDA_MODULE_H

#include "cuda/driver.h"

#include <time.h>

enum { MODULE_MAGIC = 0x4d4f4431, LIBRARY_MAGIC = 0x4c494231, KERNEL_MAGIC = 0x4b524e31 };

struct reference {
    const char *name; /* the PTX variable's */
    CUtexref texref;
    struct reference *next;
};

struct CUmod_st {
    uint32_t magic; /* while it lives */
    char *data;     /* what the image refers to */
    struct device_image *image;
    struct reference *references;
    struct CUmod_st *next;
};

struct CUkern_st {
    uint32_t magic;
    CUlibrary library;
    const char *name;
    struct CUkern_st *next;
};

struct CUlib_st {
    uint32_t magic;
    struct CUmod_st module;
    struct CUkern_st *kernels;
};

struct load_options {
    char *log[2]; /* info, error */
    size_t room[2];
    void **written[2]; /* where the length of what was written goes */
    void **wall_time;
    uint32_t most_registers; /* 0: as many as a kernel wants */
};

/* The bytes of what a call that loads data was given: known, or (0) as its head or its end says. */
int module_data_size(const void *data, size_t known, size_t *out);
/* Before something is compiled and after it: what the options want to be told. */
void module_options(unsigned n, const CUjit_option *options, void **values,
                    struct load_options *out);
void module_options_end(const struct load_options *o, int result, const struct timespec *begin);
int module_init(CUmodule m, struct device *d, const void *data, size_t known, const char *path,
                const struct load_options *o);
void module_fini(CUmodule m);
/* From now on cu_module_of finds it. */
void module_list(CUmodule m);
unsigned module_each_kernel(struct device_image *image,
                            void (*f)(const char *name, unsigned k, void *context), void *context);
int module_global(CUdeviceptr *at, size_t *bytes, CUmodule m, const char *name);

#endif
