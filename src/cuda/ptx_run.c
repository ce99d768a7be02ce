/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_run.c: one kernel of a PTX text on memory of the host, in one call (docs/ptx_run.md): what
 * emulator back ends of array libraries load. The text's first kernel runs to its end before the
 * call returns; arguments are pointers, and addresses that lie outside device memory are read and
 * written as host memory.
 *
 * Texts are remembered by their contents: a library runs the same kernel many times.
 */
#include "cuda/driver.h"

#include <pthread.h>
#include <string.h>

struct known {
    struct hash128 hash;
    size_t size;
    char *text;
    struct device_image *image;
    const char *kernel;
    struct known *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list */
static struct known *buckets[256];

static int
first_kernel(struct device_image *image, const char **out)
{
    const struct ptx_module *m;
    int r = (int)device_image_module(image, &m);
    for (uint32_t k = 0; r == CUDA_SUCCESS && k < m->func_count; k++)
        if (m->funcs[k]->is_kernel && m->funcs[k]->has_body) {
            *out = m->funcs[k]->name;
            return CUDA_SUCCESS;
        }
    return r != CUDA_SUCCESS ? r : cu_fail(CUDA_ERROR_NOT_FOUND, "the text has no kernel");
}

static int
load(const char *ptx, struct known **out)
{
    size_t size = strlen(ptx);
    struct ls_error err = {0};
    struct known new = {.size = size, .hash = ls_hash((struct hash128){0}, ptx, size)};
    struct known **bucket = &buckets[new.hash.lo % 256];
    for (struct known *k = *bucket; k; k = k->next)
        if (!memcmp(&k->hash, &new.hash, sizeof k->hash) && k->size == size) {
            *out = k;
            return CUDA_SUCCESS;
        }
    new.text = ls_alloc(size + 1);
    memcpy(new.text, ptx, size + 1);
    new.image = device_image_new(new.text, size, "PTX", &err);
    int r = new.image ? first_kernel(new.image, &new.kernel)
                      : cu_fail(CUDA_ERROR_INVALID_PTX, "%s", err.text);
    if (r != CUDA_SUCCESS) {
        device_image_free(new.image);
        ls_release(new.text);
        return r;
    }
    new.next = *bucket;
    *out = *bucket = ls_alloc(sizeof new);
    **out = new;
    return CUDA_SUCCESS;
}

static int
run(const char *ptx, int nargs, void **args, const int block[3], const int grid[3], int shared)
{
    struct device *d;
    struct known *text;
    struct device_launch l = {.dynamic_shared = (uint64_t)shared};
    if (!ptx || nargs < 0 || (nargs && !args) || shared < 0)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "ptx_run: arguments");
    int r = (int)device_use(&d);
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&lock);
    r = load(ptx, &text);
    pthread_mutex_unlock(&lock);
    if (r == CUDA_SUCCESS)
        r = (int)device_function_find(d, text->image, text->kernel, &l.function);
    if (r != CUDA_SUCCESS)
        return r;
    const struct ptx_func *f = device_function_ptx(l.function);
    if ((uint32_t)nargs != f->param_count)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "%s has %u parameters, %d are given", f->name,
                       f->param_count, nargs);
    for (int k = 0; k < 3; k++) {
        l.grid[k] = (uint32_t)grid[k];
        l.block[k] = (uint32_t)block[k];
    }
    void *places[nargs + 1];
    for (int k = 0; k < nargs; k++)
        places[k] =
            &args[k]; /* each word holds an argument: a pointer, or a number as wide at most */
    r = (int)device_launch(device_stream_default(d), &l, places);
    return r == CUDA_SUCCESS ? (int)device_synchronize(d) : r;
}

int
ptx_run(const char *ptx, int nargs, void **args, int blk_x, int blk_y, int blk_z, int grid_x,
        int grid_y, int grid_z, int shmem)
{
    int r = run(ptx, nargs, args, (int[3]){blk_x, blk_y, blk_z}, (int[3]){grid_x, grid_y, grid_z},
                shmem);
    if (r != CUDA_SUCCESS && !device_silenced())
        ls_warn("ptx_run: %s", device_reason());
    device_forget_reason();
    return r;
}
