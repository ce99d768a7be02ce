// SPDX-License-Identifier: Apache-2.0
//
// One value at a time: arrays in all widths, halves, functions, integers with division, doubles.
#include "shapes.h"

__global__ void
add(float *a, float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void
add_quads(float *a, float *b, float *c, int n)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n)
        return;
    float4 x = *(float4 *)(a + i), y = *(float4 *)(b + i);
    *(float4 *)(c + i) = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

__global__ void
add_halves(half *a, half *b, half *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = __hadd(a[i], b[i]);
}

__global__ void
add_half_pairs(half *a, half *b, half *c, int n)
{
    int i = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 7 >= n)
        return;
    half2 x[4], y[4], z[4];
    *(float4 *)x = *(float4 *)(a + i);
    *(float4 *)y = *(float4 *)(b + i);
#pragma unroll
    for (int k = 0; k < 4; k++)
        z[k] = __hadd2(x[k], y[k]);
    *(float4 *)(c + i) = *(float4 *)z;
}

__global__ void
stride_sum(const float *x, float *y, long n, float a)
{
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}

__global__ void
logistic(float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 1.0f / (1.0f + expf(-fminf(fmaxf(x[i], -80.f), 80.f)));
}

__global__ void
bend(float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        y[i] = 0.5f * v * (1.0f + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
    }
}

__global__ void
bend_halves(half *x, half *y, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n)
        return;
    half2 v = *(half2 *)(x + i), w;
    half one = __float2half(1.f);
    w.x = one / (one + hexp(-v.x));
    w.y = one / (one + hexp(-v.y));
    *(half2 *)(y + i) = w;
}

__global__ void
error_functions(const float *s, const float *k, float *call, float *put, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float t = 0.5f + s[i], root = sqrtf(t), d1 = (logf((1 + s[i]) / (1 + k[i])) + 0.07f * t) / (0.3f * root), d2 = d1 - 0.3f * root;
    float c1 = 0.5f * erfcf(-d1 * 0.70710678f), c2 = 0.5f * erfcf(-d2 * 0.70710678f), e = expf(-0.02f * t);
    call[i] = s[i] * c1 - k[i] * e * c2;
    put[i] = k[i] * e * (1 - c2) - s[i] * (1 - c1);
}

__global__ void
polynomial(float *x, float *y, int n, int degree)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i], s = 1;
    for (int k = 0; k < degree; k++)
        s = s * v + 0.5f;
    y[i] = s;
}

__global__ void
doubles(const double *x, double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = sqrt(x[i] * x[i] + 2.0) / (1.0 + x[i]);
}

__global__ void
double_series(const double *x, double *y, int n, int terms)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double s = 0, t = x[i];
    for (int k = 1; k <= terms; k++) {
        s += sin(t * k) * exp(-0.1 * k);
        t *= 0.99;
    }
    y[i] = s;
}

__global__ void
remainders(const int *x, int *y, int n, int a, int b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int row = i / a, column = i % a, v = x[i];
    y[row * a + column] = (v * row + column) % b + v / (b + (v & 7));
}

__global__ void
hashes(unsigned *x, int n, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned h = x[i];
    for (int k = 0; k < turns; k++) {
        h ^= h >> 16;
        h *= 0x85ebca6b;
        h ^= h >> 13;
        h *= 0xc2b2ae35;
        h ^= h >> 16;
    }
    x[i] = h;
}

__global__ void
random_numbers(unsigned long long *state, float *y, int n, int each)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned long long s = state[i];
    float sum = 0;
    for (int k = 0; k < each; k++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        float u = (float)(unsigned)(s >> 32) * 2.3283064e-10f, v = sqrtf(-2 * logf(u + 1e-9f)) * cosf(6.2831853f * u);
        sum += v;
    }
    y[i] = sum;
    state[i] = s;
}

__global__ void
bytes_to_grey(const uchar4 *in, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (unsigned char)(0.299f * in[i].x + 0.587f * in[i].y + 0.114f * in[i].z);
}

__global__ void
rotate_pairs(const float *x, float *y, int rows, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * n)
        return;
    float a = x[2 * i], b = x[2 * i + 1];
    int position = i / n, t = i % n;
    float angle = position * (1.0f / powf(10000.0f, t / (n * 2.0f))), s = sinf(angle), c = cosf(angle);
    y[2 * i] = a * c - b * s;
    y[2 * i + 1] = a * s + b * c;
}

int
main(void)
{
    const int most = 1 << 22;
    float *a = numbers<float>(most), *b = numbers<float>(most), *c = numbers<float>(most), *d = numbers<float>(most);
    half *h = numbers<half>(most), *g = numbers<half>(most), *k = numbers<half>(most);
    double *x = numbers<double>(most / 4), *y = numbers<double>(most / 4);
    int *p = numbers<int>(most, 1000), *q = numbers<int>(most, 1000);
    unsigned long long *state = numbers<unsigned long long>(most / 4, 1 << 20);
    for (int n : {1 << 18, 1 << 20, most}) {
        THRICE(add<<<over(n, 256), 256>>>(a, b, c, n));
        THRICE(add_quads<<<over(n, 1024), 256>>>(a, b, c, n));
        THRICE(add_halves<<<over(n, 256), 256>>>(h, g, k, n));
        THRICE(add_half_pairs<<<over(n, 2048), 256>>>(h, g, k, n));
        THRICE(stride_sum<<<264, 256>>>(a, b, n, 2.f));
        THRICE(logistic<<<over(n, 256), 256>>>(a, b, n));
        THRICE(bend<<<over(n, 256), 256>>>(a, b, n));
        THRICE(bend_halves<<<over(n, 512), 256>>>(h, k, n));
        THRICE(bytes_to_grey<<<over(n, 256), 256>>>((uchar4 *)p, (unsigned char *)q, n));
    }
    for (int n : {1 << 18, 1 << 20}) {
        THRICE(error_functions<<<over(n, 128), 128>>>(a, b, c, d, n));
        THRICE(polynomial<<<over(n, 256), 256>>>(a, b, n, 200));
        THRICE(doubles<<<over(n, 256), 256>>>(x, y, n));
        THRICE(remainders<<<over(n, 256), 256>>>(p, q, n, 1000, 777));
        THRICE(hashes<<<over(n, 256), 256>>>((unsigned *)p, n, 50));
        THRICE(rotate_pairs<<<over(n / 2, 256), 256>>>(a, b, n / 2 / 512, 512));
    }
    THRICE(polynomial<<<66, 128>>>(a, b, 66 * 128, 4000));
    THRICE(double_series<<<over(1 << 14, 128), 128>>>(x, y, 1 << 14, 16));
    THRICE(double_series<<<over(1 << 17, 128), 128>>>(x, y, 1 << 17, 4));
    THRICE(random_numbers<<<over(1 << 14, 256), 256>>>(state, c, 1 << 14, 50));
    THRICE(random_numbers<<<over(1 << 17, 256), 256>>>(state, c, 1 << 17, 10));
    return 0;
}
