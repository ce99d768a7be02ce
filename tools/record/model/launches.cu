// SPDX-License-Identifier: Apache-2.0
//
// What launches, the start of blocks and copies take, as CSV: kernels that do nothing by blocks, threads and shared
// memory; blocks that wait a number of clocks, whose starts add to that; copies by grid, width and unrolling; the time
// between events around one launch.
#include "bench.h"

__global__ void
nothing(int *out)
{
    if (out && threadIdx.x > 2000)
        *out = 1;
}

/* Each thread waits so many clocks from its block's start. */
__global__ void
spin(long long clocks)
{
    long long begin = clock64();
    while (clock64() - begin < clocks)
        ;
}

/* Every `period`-th block waits `factor` times as long. */
__global__ void
uneven(long long clocks, int period, int factor)
{
    long long begin = clock64(), all = blockIdx.x % period == 0 ? clocks * factor : clocks;
    while (clock64() - begin < all)
        ;
}

/* n dependent multiply-adds of each thread. */
__global__ void
work(float *out, int n, float b)
{
    float x = threadIdx.x;
#pragma unroll 8
    for (int i = 0; i < n; i++)
        x = x * b + 1.f;
    if (x == 12345.f)
        *out = x;
}

template <class T, int UNROLL>
__global__ void
copy(T *to, const T *from, long n)
{
    long step = (long)gridDim.x * blockDim.x, i = blockIdx.x * (long)blockDim.x + threadIdx.x;
#pragma unroll 1
    for (; i + (UNROLL - 1) * step < n; i += UNROLL * step) {
        T v[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            v[u] = from[i + u * step];
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            to[i + u * step] = v[u];
    }
    for (; i < n; i += step)
        to[i] = from[i];
}

template <class T>
__global__ void
copy_each(T *to, const T *from, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = from[i];
}

__global__ void
read_only(const float4 *from, long n, float *out)
{
    float sum = 0;
    long step = (long)gridDim.x * blockDim.x;
#pragma unroll 4
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += step) {
        float4 v = from[i];
        sum += v.x + v.y + v.z + v.w;
    }
    if (sum == 12345.f)
        *out = sum;
}

__global__ void
write_only(float4 *to, long n)
{
    long step = (long)gridDim.x * blockDim.x;
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += step)
        to[i] = make_float4(1, 2, 3, 4);
}

static void
starts(void)
{
    for (long blocks : {1l, 132l, 1056l, 4224l, 16896l, 65536l, 262144l, 1048576l})
        for (int threads : {32, 64, 128, 256, 512, 1024})
            for (int shared : {0, 1024, 32768}) {
                if (blocks / scale() < 1 || (shared && threads != 128))
                    continue;
                double us = microseconds([&] { nothing<<<blocks / scale(), threads, shared>>>(nullptr); }, 10, 5);
                row("nothing", shared ? "shared" : "plain", blocks, threads, shared, us, "us");
            }
    for (int clocks : {500, 2000, 8000, 32000})
        for (int threads : {32, 128, 512, 1024})
            for (long blocks : {132l, 264l, 1056l, 4224l, 16896l, 65536l}) {
                if (blocks / scale() < 1)
                    continue;
                double us = microseconds([&] { spin<<<blocks / scale(), threads>>>(clocks); }, 1, 3);
                row("spin", "even", blocks, threads, clocks, us, "us");
            }
    for (int period : {2, 4, 16, 132, 1000})
        for (int factor : {4, 16}) {
            double us = microseconds([&] { uneven<<<4224 / scale() + 1, 1024>>>(2000, period, factor); }, 1, 3);
            row("spin", "uneven", period, 1024, factor, us, "us");
        }
    float *out = device_memory<float>(1);
    for (int n : {8, 64, 256, 1024, 4096})
        for (int threads : {32, 64, 128, 256, 512, 1024})
            for (long blocks : {132l, 1320l, 13200l, 65536l}) {
                if (blocks / scale() < 1)
                    continue;
                double us = microseconds([&] { work<<<blocks / scale(), threads>>>(out, n, 1.5f); }, 3, 3);
                row("work", "fma", blocks, threads, n, us, "us");
            }
    /* One launch between two events, as programs time it, beside a mean over many. */
    row("launch", "alone", 1, 32, 0, microseconds([&] { nothing<<<1, 32>>>(nullptr); }, 1, 51), "us");
    row("launch", "many", 1, 32, 0, microseconds([&] { nothing<<<1, 32>>>(nullptr); }, 500, 5), "us");
    row("launch", "alone_spin", 132, 128, 20000, microseconds([&] { spin<<<132, 128>>>(20000); }, 1, 51), "us");
    row("launch", "many_spin", 132, 128, 20000, microseconds([&] { spin<<<132, 128>>>(20000); }, 100, 5), "us");
}

template <class T>
static void
copies(const char *how, char *to, char *from, long bytes)
{
    long n = bytes / (long)sizeof(T);
    int sms = sm_count();
    for (int threads : {128, 256, 1024})
        for (long a_sm : {1l, 2l, 4l, 8l, 16l}) {
            if (a_sm * threads > 2048)
                continue;
            double one = microseconds([&] { copy<T, 1><<<sms * a_sm, threads>>>((T *)to, (T *)from, n); }, 1, 3);
            double four = microseconds([&] { copy<T, 4><<<sms * a_sm, threads>>>((T *)to, (T *)from, n); }, 1, 3);
            char name[64];
            snprintf(name, sizeof name, "%s_unroll1", how);
            row("copy", name, sms * a_sm, threads, bytes, 2e-3 * (double)bytes / one, "GB/s");
            snprintf(name, sizeof name, "%s_unroll4", how);
            row("copy", name, sms * a_sm, threads, bytes, 2e-3 * (double)bytes / four, "GB/s");
        }
    for (int threads : {32, 64, 128, 256, 512, 1024}) {
        double us = microseconds([&] { copy_each<T><<<(n + threads - 1) / threads, threads>>>((T *)to, (T *)from, n); }, 1, 3);
        char name[64];
        snprintf(name, sizeof name, "%s_each", how);
        row("copy", name, (n + threads - 1) / threads, threads, bytes, 2e-3 * (double)bytes / us, "GB/s");
    }
}

int
main(void)
{
    long bytes = (1l << 30) / scale();
    char *from = device_memory<char>((size_t)bytes), *to = device_memory<char>((size_t)bytes);
    float *out = device_memory<float>(1);
    int sms = sm_count();
    printf("what,how,a,b,c,value,unit\n");
    starts();
    for (long size : {1l << 20, 1l << 22, 1l << 23, 1l << 24, 1l << 25, 1l << 26, 1l << 28, 1l << 30}) {
        size = std::min(size, bytes);
        double r = microseconds([&] { read_only<<<8 * sms, 256>>>((float4 *)from, size / 16, out); }, 4, 5);
        double w = microseconds([&] { write_only<<<8 * sms, 256>>>((float4 *)to, size / 16); }, 4, 5);
        double c = microseconds([&] { copy<float4, 4><<<8 * sms, 256>>>((float4 *)to, (float4 *)from, size / 16); }, 4, 5);
        row("rate", "read", size, 256, 8 * sms, 1e-3 * (double)size / r, "GB/s");
        row("rate", "write", size, 256, 8 * sms, 1e-3 * (double)size / w, "GB/s");
        row("rate", "copy", size, 256, 8 * sms, 2e-3 * (double)size / c, "GB/s");
    }
    copies<float>("float", to, from, bytes);
    copies<float4>("float4", to, from, bytes);
    return 0;
}
