/* SPDX-License-Identifier: Apache-2.0
 *
 * The benchmark's rows as OpenCL kernels (rows.cl), on the first platform whose name holds the
 * given text and on its first processor:
 *
 *     rows_opencl PLATFORM FOLDER OPTIONS ...
 *
 * FOLDER holds rows.cl; OPTIONS, such as -cl-fast-relaxed-math, go to its compiler ("" for none);
 * then rows.h's options. What building took is written to stderr. Exit status 3: there is no such
 * platform.
 */
#define CL_TARGET_OPENCL_VERSION 120
#define _GNU_SOURCE
#include "rows.h"

#include <CL/cl.h>

enum { TILE = 32, STEPS = 8 };

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_mem mem_a, mem_b, mem_c, mem_taps, mem_start, mem_column, mem_bytes, mem_bins;
static cl_kernel kernel, second; /* the row's; avg_global for what avg_temporal leaves */

static void
check(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "rows_opencl: %s failed: error %d\n", what, error);
    exit(1);
}

/* -- the platform ------------------------------------------------------------------------------ */

static cl_device_id
find_device(const char *text)
{
    cl_platform_id all[16];
    cl_device_id device;
    cl_uint count = 0;
    if (clGetPlatformIDs(16, all, &count) != CL_SUCCESS)
        count = 0;
    for (cl_uint i = 0; i < count && i < 16; i++) {
        char name[256] = "";
        clGetPlatformInfo(all[i], CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
        if (strstr(name, text) &&
            clGetDeviceIDs(all[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL) == CL_SUCCESS)
            return device;
    }
    fprintf(stderr, "no OpenCL platform is called %s\n", text);
    exit(3);
}

static char *
read_text(const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/rows.cl", folder);
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    if (!f || !text || !fread(text, 1, (1 << 20) - 1, f)) {
        fprintf(stderr, "rows_opencl: cannot read %s\n", path);
        exit(1);
    }
    fclose(f);
    return text;
}

static void
begin(const char *platform, const char *folder, const char *extra)
{
    cl_device_id device = find_device(platform);
    cl_int error;
    char options[512], *text = read_text(folder);
    const char *source = text;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    check(error, "clCreateProgramWithSource");
    snprintf(options, sizeof options, "-DBLOCK=%d -DTAPS=%d -DBOX=%d -DTILE=%d -DSTEPS=%d %s",
             ROW_BLOCK, ROW_TAPS, ROW_BOX, TILE, STEPS, extra);
    double start = row_seconds(CLOCK_MONOTONIC);
    error = clBuildProgram(program, 1, &device, options, NULL, NULL);
    fprintf(stderr, "built in %.3f ms\n", 1e3 * (row_seconds(CLOCK_MONOTONIC) - start));
    if (error != CL_SUCCESS) {
        char log[8192] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(error, "clBuildProgram");
    free(text);
}

/* -- the rows ---------------------------------------------------------------------------------- */

struct shape {
    int groups_x, groups_y, x, y;
};

static struct shape
shape_of(enum row_id row, int n)
{
#define GRID(t, w, h)                                                                              \
    (struct shape)                                                                                 \
    {                                                                                              \
        (n + (t)-1) / (t), (n + (t)-1) / (t), w, h                                                 \
    }
    switch (row) {
    case ROW_sgemm_naive:
    case ROW_sgemm_tiled16:
    case ROW_conv2d_basic:
    case ROW_conv2d_tile16: return GRID(16, 16, 16);
    case ROW_sgemm_tiled32:
    case ROW_transpose_naive:
    case ROW_transpose_tiled32:
    case ROW_transpose_pad33: return GRID(32, 32, 32);
    case ROW_transpose_pad33x8: return GRID(32, 32, 8);
    case ROW_sgemm_reg4:
    case ROW_sgemm_reg4s: return GRID(64, 16, 16);
    case ROW_sgemm_reg8: return GRID(128, 16, 16);
    case ROW_conv2d_tile20: return GRID(16, 20, 20);
    case ROW_reduce_gridstride:
    case ROW_reduce_atomic:
    case ROW_hist_local:
    case ROW_hist_global: return (struct shape){256, 1, ROW_BLOCK, 1};
    case ROW_empty_waited:
    case ROW_empty_queued: return (struct shape){1, 1, ROW_BLOCK, 1};
    case ROW_empty_blocks: return (struct shape){ROW_MANY_BLOCKS, 1, ROW_BLOCK, 1};
    default: return (struct shape){(n + ROW_BLOCK - 1) / ROW_BLOCK, 1, ROW_BLOCK, 1};
    }
#undef GRID
}

static void
enqueue(cl_kernel k, struct shape s)
{
    size_t local[2] = {(size_t)s.x, (size_t)s.y};
    size_t global[2] = {local[0] * (size_t)s.groups_x, local[1] * (size_t)s.groups_y};
    check(clEnqueueNDRangeKernel(queue, k, 2, NULL, global, local, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
}

static void
set_memory(cl_kernel k, cl_uint index, cl_mem m)
{
    check(clSetKernelArg(k, index, sizeof m, &m), "clSetKernelArg");
}

/* The arguments that stay the same in every run; the last is a number. */
static void
set_arguments(const struct row *row, int n)
{
    cl_mem direct[] = {mem_a, mem_c}, product[] = {mem_a, mem_b, mem_c},
           taps[] = {mem_a, mem_c, mem_taps};
    cl_mem sparse[] = {mem_start, mem_column, mem_b, mem_a, mem_c},
           histogram[] = {mem_bytes, mem_bins};
    cl_mem *list = direct;
    cl_uint count = 2;
    switch (row->kind) {
    case ROW_PRODUCT: list = product, count = 3; break;
    case ROW_CONV1D:
    case ROW_CONV2D: list = taps, count = 3; break;
    case ROW_SPMV: list = sparse, count = 5; break;
    case ROW_HISTOGRAM: list = histogram; break;
    case ROW_EMPTY: return;
    case ROW_BARRIER: n = row - row_table == ROW_barriers_many ? ROW_BARRIERS / 2 : 0; break;
    default: break;
    }
    for (cl_uint i = 0; i < count; i++)
        set_memory(kernel, i, list[i]);
    check(clSetKernelArg(kernel, count, sizeof n, &n), "clSetKernelArg");
    if (second)
        check(clSetKernelArg(second, 2, sizeof n, &n), "clSetKernelArg");
}

static void
run_average(struct shape s)
{
    int turns = second ? ROW_TURNS / STEPS : ROW_TURNS, rest = second ? ROW_TURNS % STEPS : 0;
    cl_mem from = mem_a, to = (turns + rest) % 2 ? mem_c : mem_b;
    for (int i = 0; i < turns + rest; i++) {
        cl_kernel k = i < turns ? kernel : second;
        set_memory(k, 0, from);
        set_memory(k, 1, to);
        enqueue(k, s);
        from = to;
        to = to == mem_b ? mem_c : mem_b;
    }
}

static void
run(const struct row *row, struct row_data *d)
{
    enum row_id id = (enum row_id)(row - row_table);
    struct shape s = shape_of(id, d->n);
    cl_uint zero = 0;
    if (id == ROW_reduce_atomic)
        check(clEnqueueFillBuffer(queue, mem_c, &zero, 4, 0, 4, 0, NULL, NULL),
              "clEnqueueFillBuffer");
    if (row->kind == ROW_HISTOGRAM)
        check(clEnqueueFillBuffer(queue, mem_bins, &zero, 4, 0, sizeof d->bins, 0, NULL, NULL),
              "clEnqueueFillBuffer");
    for (int i = 0; i < row->launches; i++) {
        if (row->kind == ROW_AVERAGE)
            run_average(s);
        else
            enqueue(kernel, s);
        if (id == ROW_empty_waited)
            check(clFinish(queue), "clFinish");
    }
    check(clFinish(queue), "clFinish");
}

static cl_mem
upload(const void *from, size_t bytes)
{
    cl_int error;
    cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes ? bytes : 4, NULL, &error);
    check(error, "clCreateBuffer");
    if (bytes)
        check(clEnqueueWriteBuffer(queue, m, CL_TRUE, 0, bytes, from, 0, NULL, NULL),
              "clEnqueueWriteBuffer");
    return m;
}

static cl_kernel
named_kernel(const char *name)
{
    cl_int error;
    cl_kernel k = clCreateKernel(program, name, &error);
    check(error, name);
    return k;
}

static bool
prepare(const struct row *row, struct row_data *d)
{
    if (row->kind == ROW_COPY || row->kind == ROW_FMA)
        return false;
    bool sparse = row->kind == ROW_SPMV, average = row->kind == ROW_AVERAGE;
    kernel = named_kernel(row->kind == ROW_EMPTY     ? "empty"
                          : row->kind == ROW_BARRIER ? "barriers"
                                                     : row->name);
    second = row - row_table == ROW_avg_temporal ? named_kernel("avg_global") : NULL;
    mem_a = upload(d->a, d->count * 4);
    mem_b = average ? upload(d->a, d->count * 4) : upload(d->b, d->count_b * 4);
    mem_c = upload(d->c, d->count_c * 4);
    mem_taps = upload(d->taps, sizeof d->taps);
    mem_start = upload(d->start, sparse ? (d->count + 1) * 4 : 0);
    mem_column = upload(d->column, sparse ? d->count_b * 4 : 0);
    mem_bytes = upload(d->bytes, row->kind == ROW_HISTOGRAM ? (size_t)d->n : 0);
    mem_bins = upload(d->bins, sizeof d->bins);
    set_arguments(row, d->n);
    return true;
}

static void
fetch(const struct row *row, struct row_data *d)
{
    (void)row;
    check(clEnqueueReadBuffer(queue, mem_bins, CL_TRUE, 0, sizeof d->bins, d->bins, 0, NULL, NULL),
          "reading");
    if (d->count_c)
        check(clEnqueueReadBuffer(queue, mem_c, CL_TRUE, 0, d->count_c * 4, d->c, 0, NULL, NULL),
              "reading");
}

static void
release(struct row_data *d)
{
    (void)d;
    cl_mem all[] = {mem_a, mem_b, mem_c, mem_taps, mem_start, mem_column, mem_bytes, mem_bins};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        clReleaseMemObject(all[i]);
    clReleaseKernel(kernel);
    if (second)
        clReleaseKernel(second);
}

int
main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: %s PLATFORM FOLDER OPTIONS ...\n", argv[0]);
        return 2;
    }
    begin(argv[1], argv[2], argv[3]);
    const struct row_program p = {prepare, run, fetch, release};
    return row_main(&p, argc - 3, argv + 3);
}
