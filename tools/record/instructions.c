/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the kernels that `instructions.py emit DIR` wrote, on a real GPU, through the driver API:
 * DIR/NAME.ptx with DIR/NAME.in gives DIR/NAME.out, or DIR/NAME.err where the driver's compiler
 * refuses the form. Usage: instructions DIR
 */
#include "driver.h"

#include <string.h>

enum { CASES = 512, BLOCK = 128 };

static void
write_file(const char *folder, const char *name, const char *suffix, const void *at, size_t size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(at, 1, size, f) != size) {
        perror(path);
        exit(1);
    }
    fclose(f);
}

/* One form: compiled, run, results written. False: refused. */
static int
run(const char *folder, const char *name, size_t in_size, size_t out_size)
{
    static char log[4096];
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    size_t size;
    char *ptx = read_file(folder, name, ".ptx", &size);
    CUmodule module;
    CUfunction function;
    log[0] = 0;
    CUresult r = cuModuleLoadDataEx(&module, ptx, 2, options, values);
    free(ptx);
    if (r != CUDA_SUCCESS) {
        write_file(folder, name, ".err", log, strlen(log));
        return 0;
    }
    check(cuModuleGetFunction(&function, module, "run"), name);
    char *in = read_file(folder, name, ".in", &size);
    char *out = calloc(1, out_size);
    CUdeviceptr device_in, device_out;
    check(cuMemAlloc(&device_in, in_size ? in_size : 8), name);
    check(cuMemAlloc(&device_out, out_size), name);
    check(cuMemcpyHtoD(device_in, in, in_size), name);
    check(cuMemsetD8(device_out, 0, out_size), name);
    void *params[] = {&device_in, &device_out};
    check(cuLaunchKernel(function, CASES / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, params, NULL), name);
    check(cuCtxSynchronize(), name);
    check(cuMemcpyDtoH(out, device_out, out_size), name);
    write_file(folder, name, ".out", out, out_size);
    check(cuMemFree(device_in), name);
    check(cuMemFree(device_out), name);
    check(cuModuleUnload(module), name);
    free(in);
    free(out);
    return 1;
}

int
main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: instructions DIR\n");
        return 2;
    }
    begin_device();
    size_t size, forms = 0, good = 0;
    char *manifest = read_file(argv[1], "manifest", "", &size), *save = NULL;
    for (char *line = strtok_r(manifest, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char name[256];
        size_t in_size, out_size;
        if (sscanf(line, "%255s %zu %zu", name, &in_size, &out_size) != 3)
            continue;
        forms++;
        good += (size_t)run(argv[1], name, in_size, out_size);
    }
    fprintf(stderr, "%zu of %zu forms recorded\n", good, forms);
    return 0;
}
