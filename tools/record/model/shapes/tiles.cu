// SPDX-License-Identifier: Apache-2.0
//
// Tiles in shared memory: products, transposes, small matrices, few blocks that wait for themselves.
#include "shapes.h"

template <int TILE>
__global__ void
product_tiles(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int t = 0; t < n / TILE; t++) {
        as[ty][tx] = a[row * n + t * TILE + tx];
        bs[ty][tx] = b[(t * TILE + ty) * n + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

/* Every thread a column of 8 or a square of 8 x 8 of the result. */
template <int BM, int BN, int BK, int TM>
__global__ void
product_columns(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[BM * BK], bs[BK * BN];
    int column = threadIdx.x % BN, row = threadIdx.x / BN;
    a += blockIdx.y * BM * n;
    b += blockIdx.x * BN;
    c += blockIdx.y * BM * n + blockIdx.x * BN;
    float sum[TM] = {0};
    for (int k0 = 0; k0 < n; k0 += BK) {
        as[threadIdx.x] = a[threadIdx.x / BK * n + threadIdx.x % BK];
        bs[threadIdx.x] = b[threadIdx.x / BN * n + threadIdx.x % BN];
        __syncthreads();
        a += BK;
        b += BK * n;
        for (int k = 0; k < BK; k++) {
            float v = bs[k * BN + column];
            for (int i = 0; i < TM; i++)
                sum[i] += as[(row * TM + i) * BK + k] * v;
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; i++)
        c[(row * TM + i) * n + column] = sum[i];
}

template <int BM, int BN, int BK, int TM, int TN>
__global__ void
product_squares(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[BK][BM], bs[BK][BN];
    const int threads = BM * BN / (TM * TN);
    int tx = threadIdx.x % (BN / TN), ty = threadIdx.x / (BN / TN);
    float sum[TM][TN] = {{0}}, u[TM], v[TN];
    for (int k0 = 0; k0 < n; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK / 4; i += threads) {
            float4 x = *(const float4 *)&a[(size_t)(blockIdx.y * BM + i / (BK / 4)) * n + k0 + i % (BK / 4) * 4];
            as[i % (BK / 4) * 4 + 0][i / (BK / 4)] = x.x;
            as[i % (BK / 4) * 4 + 1][i / (BK / 4)] = x.y;
            as[i % (BK / 4) * 4 + 2][i / (BK / 4)] = x.z;
            as[i % (BK / 4) * 4 + 3][i / (BK / 4)] = x.w;
        }
        for (int i = threadIdx.x; i < BN * BK / 4; i += threads)
            *(float4 *)&bs[i / (BN / 4)][i % (BN / 4) * 4] =
                *(const float4 *)&b[(size_t)(k0 + i / (BN / 4)) * n + blockIdx.x * BN + i % (BN / 4) * 4];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k++) {
#pragma unroll
            for (int i = 0; i < TM; i++)
                u[i] = as[k][ty * TM + i];
#pragma unroll
            for (int i = 0; i < TN; i++)
                v[i] = bs[k][tx * TN + i];
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++)
                    sum[i][j] += u[i] * v[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++)
            c[(size_t)(blockIdx.y * BM + ty * TM + i) * n + blockIdx.x * BN + tx * TN + j] = sum[i][j];
}

__global__ void
transpose_plain(const float *a, float *b, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        b[x * n + y] = a[y * n + x];
}

template <int PAD>
__global__ void
transpose_tiles(const float *a, float *b, int n)
{
    __shared__ float tile[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = a[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        b[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

/* One block decomposes one small matrix. */
__global__ void
decompose(float *m, int n)
{
    __shared__ float s[32][32];
    int t = threadIdx.x;
    m += blockIdx.x * 32;
    for (int i = 0; i < 32; i++)
        s[i][t] = m[i * n + t];
    __syncthreads();
    for (int i = 0; i < 31; i++) {
        if (t > i) {
            for (int j = 0; j < i; j++)
                s[t][i] -= s[t][j] * s[j][i];
            s[t][i] /= s[i][i] + 2.f;
        }
        __syncthreads();
        if (t > i)
            for (int j = 0; j < i + 1; j++)
                s[i + 1][t] -= s[i + 1][j] * s[j][t];
        __syncthreads();
    }
    for (int i = 1; i < 32; i++)
        m[i * n + t] = s[i][t];
}

__global__ void
steps_in_one_block(const float *in, float *out, int n, int steps)
{
    extern __shared__ float s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s[i] = in[blockIdx.x * n + i];
    __syncthreads();
    for (int k = 0; k < steps; k++) {
        for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
            int stride = 1 << k % 8, low = i & (stride - 1), at = 2 * i - low;
            float a = s[at], b = s[at + stride];
            s[at] = a + b;
            s[at + stride] = a - b;
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[blockIdx.x * n + i] = s[i];
}

int
main(void)
{
    const int most = 2048;
    float *a = numbers<float>(most * most), *b = numbers<float>(most * most), *c = numbers<float>(most * most);
    for (int n : {256, 512}) {
        THRICE(product_tiles<16><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n));
        THRICE(product_tiles<32><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, c, n));
        THRICE(product_columns<64, 64, 8, 8><<<dim3(n / 64, n / 64), 512>>>(a, b, c, n));
        THRICE(product_squares<128, 128, 8, 8, 8><<<dim3(n / 128, n / 128), 256>>>(a, b, c, n));
        THRICE(product_squares<64, 64, 16, 4, 4><<<dim3(n / 64, n / 64), 256>>>(a, b, c, n));
    }
    THRICE(product_tiles<32><<<dim3(32, 32), dim3(32, 32)>>>(a, b, c, 1024));
    THRICE(product_squares<128, 128, 8, 8, 8><<<dim3(8, 8), 256>>>(a, b, c, 1024));
    for (int n : {512, 1024, 2048}) {
        THRICE(transpose_plain<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, n));
        THRICE(transpose_plain<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, n));
        THRICE(transpose_tiles<0><<<dim3(n / 32, n / 32), dim3(32, 8)>>>(a, b, n));
        THRICE(transpose_tiles<1><<<dim3(n / 32, n / 32), dim3(32, 8)>>>(a, b, n));
    }
    THRICE(decompose<<<1, 32>>>(c, 2048));
    THRICE(decompose<<<64, 32>>>(c, 2048));
    THRICE(steps_in_one_block<<<1, 512, 8192>>>(a, b, 2048, 64));
    THRICE(steps_in_one_block<<<512, 512, 8192>>>(a, b, 2048, 16));
    return 0;
}
