/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the kernels that programs.py has written to a folder on this machine's GPU: a line of
 * FOLDER/list is "name gx gy gz threads cx cy cz bytes inputs" (cx 0: no cluster). Prints
 * name,error,words that differ from FOLDER/NAME.want.
 */
#include "../driver.h"

#include <string.h>

static int
run(const char *folder, const char *name, const unsigned *g, unsigned threads, const unsigned *c,
    size_t bytes, unsigned inputs, unsigned *wrong)
{
    size_t size;
    char *text = read_file(folder, name, ".ptx", &size), log[4096] = "";
    CUmodule module;
    CUfunction f;
    CUdeviceptr at[4];
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log}, *args[4];
    int r = cuModuleLoadDataEx(&module, text, 2, options, values);
    if (r)
        fprintf(stderr, "%s: %s\n", name, log);
    if (r || (r = cuModuleGetFunction(&f, module, "run")))
        return r;
    cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    cuMemAlloc(&at[0], bytes);
    cuMemsetD8(at[0], 0, bytes);
    args[0] = &at[0];
    for (unsigned k = 1; k <= inputs; k++) {
        char suffix[20];
        snprintf(suffix, sizeof suffix, ".in%u", k);
        void *data = read_file(folder, name, suffix, &size);
        cuMemAlloc(&at[k], size + 16);
        cuMemcpyHtoD(at[k], data, size);
        args[k] = &at[k];
    }
    CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    a.value.clusterDim.x = c[0], a.value.clusterDim.y = c[1], a.value.clusterDim.z = c[2];
    CUlaunchConfig l = {.gridDimX = g[0], .gridDimY = g[1], .gridDimZ = g[2], .blockDimX = threads,
                        .blockDimY = 1, .blockDimZ = 1, .attrs = &a, .numAttrs = c[0] != 0};
    r = cuLaunchKernelEx(&l, f, args, NULL);
    r = r ? r : (int)cuCtxSynchronize();
    unsigned *got = calloc(1, bytes), *want = read_file(folder, name, ".want", &size);
    r = r ? r : (int)cuMemcpyDtoH(got, at[0], bytes);
    for (size_t k = 0; k < bytes / 4; k++)
        if (got[k] != want[k] && !(*wrong)++)
            fprintf(stderr, "%s: word %zu is 0x%x, not 0x%x\n", name, k, got[k], want[k]);
    return r;
}

int
main(int argc, char **argv)
{
    char path[500], name[100];
    unsigned g[3], c[3], threads, inputs;
    size_t bytes;
    if (argc < 2)
        return 2;
    begin_device();
    snprintf(path, sizeof path, "%s/list", argv[1]);
    FILE *list = fopen(path, "r");
    while (list && fscanf(list, "%99s %u %u %u %u %u %u %u %zu %u", name, &g[0], &g[1], &g[2],
                          &threads, &c[0], &c[1], &c[2], &bytes, &inputs) == 10) {
        unsigned wrong = 0;
        int r = run(argv[1], name, g, threads, c, bytes, inputs, &wrong);
        printf("%s,%d,%u\n", name, r, wrong);
        fflush(stdout);
    }
    return 0;
}
