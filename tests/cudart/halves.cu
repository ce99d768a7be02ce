/* SPDX-License-Identifier: Apache-2.0
 *
 * Host code's conversions of half are the library's, and say what the kernel's say.
 */
#include <cuda_fp16.h>

#include <cstdio>
#include <cstring>
#include <dlfcn.h>

__global__ void
convert(const double *in, unsigned short *of_float, unsigned short *of_double, float *back, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half a = __float2half((float)in[i]), b = __double2half(in[i]);
    of_float[i] = __half_as_ushort(a);
    of_double[i] = __half_as_ushort(b);
    back[i] = __half2float(b);
}

int
main()
{
    enum { N = 30000 };
    double *in;
    unsigned short *of_float, *of_double;
    float *back;
    int unlike = 0;
    cudaMallocManaged(&in, N * sizeof *in);
    cudaMallocManaged(&of_float, N * sizeof *of_float);
    cudaMallocManaged(&of_double, N * sizeof *of_double);
    cudaMallocManaged(&back, N * sizeof *back);
    for (int i = 0; i < N; i++) /* halfway between halves, and a little beside it */
        in[i] = (1 + (2 * (i % 1000) + 1) / 2048.0 + (i % 3 - 1) * 1e-12) * (1 << i % 17) *
                0x1p-20 * (i % 2 ? -1 : 1);
    convert<<<(N + 127) / 128, 128>>>(in, of_float, of_double, back, N);
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++) {
        __half a = __float2half((float)in[i]), b = __double2half(in[i]);
        float f = __half2float(b);
        unlike += __half_as_ushort(a) != of_float[i] || __half_as_ushort(b) != of_double[i] ||
                  memcmp(&f, &back[i], sizeof f) != 0;
    }
    const char *const names[] = {"__extendhfsf2", "__truncsfhf2", "__truncdfhf2"};
    for (const char *name : names) {
        Dl_info from = {};
        void *at = dlsym(RTLD_DEFAULT, name);
        if (at && dladdr(at, &from))
            printf("%s: %s\n", name,
                   strstr(from.dli_fname, "liblockstep") ? "lockstep" : from.dli_fname);
    }
    printf("%d unlike\n", unlike);
    cudaFree(in);
    cudaFree(of_float);
    cudaFree(of_double);
    cudaFree(back);
    return 0;
}
