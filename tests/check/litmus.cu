/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the litmus programs of litmus.py: a file of PTX modules with a kernel each, behind lines
 * "name blocks threads bytes". Prints of each "ran name" and what its threads' registers held.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, REGISTERS = 8, MEMORY = 512 };

static void
must(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s: error %d\n", what, (int)result);
    exit(2);
}

int
main(int argc, char **argv)
{
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
    char name[64];
    unsigned int blocks, threads, bytes, values[THREADS * REGISTERS];
    CUdevice device;
    CUcontext context;
    CUdeviceptr memory, out;
    if (!f) {
        fprintf(stderr, "litmus FILE\n");
        return 2;
    }
    must(cuInit(0), "cuInit");
    must(cuDeviceGet(&device, 0), "cuDeviceGet");
    must(cuCtxCreate(&context, 0, device), "cuCtxCreate");
    must(cuMemAlloc(&memory, MEMORY), "cuMemAlloc");
    must(cuMemAlloc(&out, sizeof values), "cuMemAlloc");
    while (fscanf(f, "%63s %u %u %u\n", name, &blocks, &threads, &bytes) == 4) {
        char *text = (char *)calloc(bytes + 1, 1);
        CUmodule module;
        CUfunction kernel;
        void *arguments[] = {&memory, &out};
        if (fread(text, 1, bytes, f) != bytes)
            return 2;
        must(cuModuleLoadData(&module, text), name);
        must(cuModuleGetFunction(&kernel, module, name), name);
        must(cuMemsetD8(memory, 0, MEMORY), "cuMemsetD8");
        must(cuMemsetD8(out, 0, sizeof values), "cuMemsetD8");
        must(cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, 0, arguments, 0), name);
        must(cuCtxSynchronize(), name);
        must(cuMemcpyDtoH(values, out, sizeof values), "cuMemcpyDtoH");
        printf("ran %s", name);
        for (int k = 0; k < THREADS * REGISTERS; k++)
            printf(" %u", values[k]);
        printf("\n");
        free(text);
    }
    cuMemFree(memory);
    cuMemFree(out);
    fclose(f);
    return 0;
}
