/* SPDX-License-Identifier: Apache-2.0
 *
 * Times every kernel of a CUDA program that is linked to the shared runtime: loaded before it, stands between the
 * program and cudaLaunchKernel, with an event on either side of each launch. At the end writes, as CSV to the file
 * that KERNEL_TIMES names, per kernel, grid and block: launches, microseconds of the first three, their mean over all.
 * Before each the stream waits for the host for a moment, in which event, launch and event are submitted: what the host
 * takes for that is not measured. CUDA_MODULE_LOADING=EAGER keeps loading the kernel out of its first launch.
 * KERNEL_REPEAT=N makes each launch N times more and takes the median of those: for kernels that may run again on what
 * they have written.
 *
 *     cc -O2 -shared -fPIC -o timer.so timer.c -ldl
 *     CUDA_MODULE_LOADING=EAGER KERNEL_TIMES=times.csv LD_PRELOAD=./timer.so ./program
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    unsigned x, y, z;
} dim3;

enum { KERNELS = 4096, LAUNCHES = 4096, MOST_LAUNCHES = 3000, MOST_REPEATS = 31 };
typedef int launch_function(const void *, dim3, dim3, void **, size_t, void *);

static struct {
    const void *function, *handle;
    const char *name;
} known[KERNELS];
static struct {
    const char *name;
    dim3 grid, block;
    size_t shared;
    int registers, local, blocks; /* a thread's registers and bytes of local memory, blocks that an SM holds */
    long count;
    double first[3], sum, least;
} seen[LAUNCHES];
static int known_count, seen_count;

static void *
next(const char *name)
{
    void *f = dlsym(RTLD_NEXT, name);
    if (!f) {
        fprintf(stderr, "timer: no %s\n", name);
        exit(1);
    }
    return f;
}

static void
write_times(void)
{
    const char *path = getenv("KERNEL_TIMES");
    FILE *f = path ? fopen(path, "w") : stderr;
    if (!f)
        return;
    fprintf(f, "kernel,grid,block,shared,registers,local,blocks_per_sm,launches,us_1,us_2,us_3,us_mean,us_least\n");
    for (int i = 0; i < seen_count; i++)
        fprintf(f, "%s,%u %u %u,%u %u %u,%zu,%d,%d,%d,%ld,%.2f,%.2f,%.2f,%.2f,%.2f\n", seen[i].name, seen[i].grid.x, seen[i].grid.y,
                seen[i].grid.z, seen[i].block.x, seen[i].block.y, seen[i].block.z, seen[i].shared, seen[i].registers, seen[i].local, seen[i].blocks, seen[i].count,
                seen[i].first[0], seen[i].first[1], seen[i].first[2], seen[i].sum / (double)seen[i].count, seen[i].least);
    if (path)
        fclose(f);
}

void
__cudaRegisterFunction(void **binary, const char *function, char *device, const char *name, int limit, void *tid, void *bid,
                       void *block, void *grid, int *warp)
{
    static void (*real)(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
    if (!real) {
        real = next("__cudaRegisterFunction");
        atexit(write_times);
    }
    if (known_count < KERNELS) {
        known[known_count].function = function;
        known[known_count++].name = strdup(name);
    }
    real(binary, function, device, name, limit, tid, bid, block, grid, warp);
}

int
__cudaGetKernel(void **kernel, const void *function)
{
    static int (*real)(void **, const void *);
    if (!real)
        real = next("__cudaGetKernel");
    int status = real(kernel, function);
    for (int i = 0; i < known_count && !status; i++)
        if (known[i].function == function)
            known[i].handle = *kernel;
    return status;
}

/* What the runtime's cudaFuncAttributes begins with. */
struct attributes {
    size_t shared, constant, local;
    int most_threads, registers;
    char others[256];
};

static void
ask(const void *kernel, dim3 block, size_t shared, int at)
{
    static int (*get)(struct attributes *, const void *), (*fit)(int *, const void *, int, size_t);
    struct attributes a;
    if (!get) {
        get = next("cudaFuncGetAttributes");
        fit = next("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    }
    if (get(&a, kernel) || fit(&seen[at].blocks, kernel, (int)(block.x * block.y * block.z), shared))
        return;
    seen[at].registers = a.registers;
    seen[at].local = (int)a.local;
}

static int
begin(const void *kernel, dim3 grid, dim3 block, size_t shared)
{
    const char *name = "?";
    for (int i = 0; i < known_count; i++)
        if (known[i].function == kernel || known[i].handle == kernel)
            name = known[i].name;
    for (int i = 0; i < seen_count; i++)
        if (seen[i].name == name && seen[i].shared == shared && !memcmp(&seen[i].grid, &grid, sizeof grid) &&
            !memcmp(&seen[i].block, &block, sizeof block))
            return i;
    if (seen_count == LAUNCHES)
        return -1;
    seen[seen_count].name = name;
    seen[seen_count].grid = grid;
    seen[seen_count].block = block;
    seen[seen_count].shared = shared;
    ask(kernel, block, shared, seen_count);
    return seen_count++;
}

static void
pause_stream(void *unused)
{
    (void)unused;
    usleep(40);
}

static int
rising(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The median over the repeats, without the first launch; of a launch that is not repeated itself. Negative: not timed. */
static float
milliseconds(launch_function *real, const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, void *stream,
             int *status)
{
    static int (*create)(void **), (*record)(void *, void *), (*wait)(void *), (*elapsed)(float *, void *, void *);
    static int (*host)(void *, void (*)(void *), void *);
    static void *event[2];
    static int repeats;
    float ms[MOST_REPEATS + 1] = {0};
    if (!create) {
        create = next("cudaEventCreate");
        record = next("cudaEventRecord");
        wait = next("cudaEventSynchronize");
        elapsed = next("cudaEventElapsedTime");
        host = next("cudaLaunchHostFunc");
        create(&event[0]);
        create(&event[1]);
        repeats = getenv("KERNEL_REPEAT") ? atoi(getenv("KERNEL_REPEAT")) : 0;
        repeats = repeats < 0 ? 0 : repeats > MOST_REPEATS ? MOST_REPEATS : repeats;
    }
    for (int i = 0; i <= repeats; i++) {
        if (host(stream, pause_stream, NULL) || record(event[0], stream)) {
            *status = i ? 0 : real(kernel, grid, block, arguments, shared, stream);
            return -1;
        }
        *status = real(kernel, grid, block, arguments, shared, stream);
        if (record(event[1], stream) || wait(event[1]) || elapsed(&ms[i], event[0], event[1]) || *status)
            return -1;
    }
    if (!repeats)
        return ms[0];
    qsort(ms + 1, (size_t)repeats, sizeof *ms, rising);
    return ms[1 + repeats / 2];
}

static int
timed(launch_function *real, const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, void *stream)
{
    int at = begin(kernel, grid, block, shared), status;
    if (at < 0 || seen[at].count >= MOST_LAUNCHES)
        return real(kernel, grid, block, arguments, shared, stream);
    double us = 1e3 * milliseconds(real, kernel, grid, block, arguments, shared, stream, &status);
    if (us < 0)
        return status;
    if (seen[at].count < 3)
        seen[at].first[seen[at].count] = us;
    if (!seen[at].count || us < seen[at].least)
        seen[at].least = us;
    seen[at].sum += us;
    seen[at].count++;
    return 0;
}

int
cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, void *stream)
{
    static launch_function *real;
    if (!real)
        real = next("cudaLaunchKernel");
    return timed(real, function, grid, block, arguments, shared, stream);
}

int
__cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, void *stream)
{
    static launch_function *real;
    if (!real)
        real = next("__cudaLaunchKernel");
    return timed(real, kernel, grid, block, arguments, shared, stream);
}
