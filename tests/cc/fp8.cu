/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_fp8.h: every code widened on host and device, and floats narrowed: against the nearest code
 * found by trying all.
 */
#include <cuda_fp8.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 4096 };

/* What a code means, by the formats' definition. */
static double
meaning(unsigned code, bool e4m3)
{
    int m = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15, e = (code & 0x7f) >> m;
    double f = code & ((1 << m) - 1), sign = code & 0x80 ? -1 : 1;
    if (e4m3 ? (code & 0x7f) == 0x7f : (code & 0x7f) > 0x7c)
        return NAN;
    if (!e4m3 && (code & 0x7f) == 0x7c)
        return sign * INFINITY;
    return sign * (e ? ldexp(1 + f / (1 << m), e - bias) : ldexp(f / (1 << m), 1 - bias));
}

static unsigned
nearest(double x, bool e4m3)
{
    unsigned best = 0, sign = signbit(x) ? 0x80 : 0;
    if (isnan(x))
        return 0x7f;
    for (unsigned c = 0; c < 0x7f; c++) {
        double y = meaning(c, e4m3), d = fabs(fabs(x) - y),
               old = fabs(fabs(x) - meaning(best, e4m3));
        if (isfinite(y) && (isinf(x) || d < old || (d == old && !(c & 1))))
            best = c;
    }
    return sign | best;
}

__global__ void
convert(const float *x, unsigned char *a, unsigned char *b, float *wide)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = __nv_fp8_e4m3(x[i]).__x;
    b[i] = __nv_fp8_e5m2(x[i]).__x;
    if (i < 256) {
        __nv_fp8_e4m3 e;
        __nv_fp8_e5m2 f;
        e.__x = f.__x = (unsigned char)i;
        wide[i] = (float)e;
        __nv_fp8x2_e5m2 two;
        two.__x = (unsigned short)(i | i << 8);
        wide[256 + i] = ((float2)two).y;
    }
}

int
main()
{
    float *x, *wide;
    unsigned char *a, *b;
    int bad = 0;
    cudaMallocManaged(&x, N * 4), cudaMallocManaged(&wide, 512 * 4);
    cudaMallocManaged(&a, N), cudaMallocManaged(&b, N);
    for (int i = 0; i < N; i++) {
        x[i] = ldexpf((float)(rand() % 513 - 256), rand() % 32 - 24);
        if (i < 4)
            x[i] = i == 0 ? NAN : i == 1 ? INFINITY : i == 2 ? -INFINITY : -0.0f;
    }
    convert<<<N / 128, 128>>>(x, a, b, wide);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return printf("FAIL %s\n", cudaGetErrorString(cudaGetLastError())), 1;
    for (int i = 0; i < N; i++) {
        bad += a[i] != nearest(x[i], true) || __nv_fp8_e4m3(x[i]).__x != a[i];
        bad += b[i] != nearest(x[i], false) || __nv_fp8_e5m2(x[i]).__x != b[i];
    }
    for (unsigned c = 0; c < 256; c++)
        for (int k = 0; k < 2; k++) {
            __nv_fp8_interpretation_t kind = k ? __NV_E5M2 : __NV_E4M3;
            double want = meaning(c, !k),
                   host = __half2float(__half(__nv_cvt_fp8_to_halfraw((unsigned char)c, kind)));
            double device = wide[256 * k + c];
            bad += isnan(want) ? !isnan(host) || !isnan(device) : want != host || want != device;
        }
    bad += __nv_cvt_double_to_fp8(1e9, __NV_NOSAT, __NV_E5M2) != 0x7c;
    bad += __nv_cvt_double_to_fp8(-1e9, __NV_NOSAT, __NV_E4M3) != 0xff;
    bad += (float)__nv_fp8_e4m3(__float2half(1.5f)) != 1.5f;
    printf(bad ? "FAIL: %d conversions\n" : "fp8: fine\n", bad);
    return bad != 0;
}
