/* SPDX-License-Identifier: Apache-2.0
 *
 * old_names.cu: the driver's first names, looked up as programs do that load it; nan() in kernels.
 */
#include <cstdio>
#include <cuda.h>
#include <dlfcn.h>

__global__ void
none(double *d)
{
    d[0] = nan("");
    d[1] = nanf("1");
}

int
main()
{
    static const char *const names[] = {"cuCtxDestroy", "cuCtxPushCurrent", "cuCtxPopCurrent",
                                        "cuStreamDestroy", "cuEventDestroy"};
    void *at[5];
    int bad = 0;
    for (int i = 0; i < 5; i++)
        bad |= !(at[i] = dlsym(RTLD_DEFAULT, names[i]));
    CUcontext context, popped = nullptr;
    bad |= cuInit(0) || cuCtxCreate(&context, 0, 0);
    bad |= ((CUresult(*)(CUcontext *))at[2])(&popped) || popped != context;
    bad |= ((CUresult(*)(CUcontext))at[1])(context) || ((CUresult(*)(CUcontext))at[0])(context);
    double *d;
    cudaMallocManaged(&d, 2 * sizeof *d);
    none<<<1, 1>>>(d);
    bad |= cudaDeviceSynchronize() != cudaSuccess || d[0] == d[0] || d[1] == d[1];
    puts(bad ? "wrong" : "ok");
    return bad;
}
