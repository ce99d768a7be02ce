/* SPDX-License-Identifier: Apache-2.0
 *
 * The five kernels of STREAM on a GPU as BabelStream describes them (Deakin et al., "GPU-STREAM
 * v2.0", 2016), written from its text: copy, multiply, add, triad on doubles, an element a thread
 * in blocks of 1,024, and a dot product by four blocks an SM. Prints of each its verdict, and bytes
 * of the arrays over its time by events. Argument: elements (2^20).
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>

enum { B = 1024 };
static const double S = 0.4;

__global__ void
copy(const double *a, double *c)
{
    int i = blockIdx.x * B + threadIdx.x;
    c[i] = a[i];
}

__global__ void
multiply(double *b, const double *c)
{
    int i = blockIdx.x * B + threadIdx.x;
    b[i] = S * c[i];
}

__global__ void
add(const double *a, const double *b, double *c)
{
    int i = blockIdx.x * B + threadIdx.x;
    c[i] = a[i] + b[i];
}

__global__ void
triad(double *a, const double *b, const double *c)
{
    int i = blockIdx.x * B + threadIdx.x;
    a[i] = b[i] + S * c[i];
}

__global__ void
dot(const double *a, const double *b, double *sums, int n)
{
    __shared__ double part[B];
    double sum = 0;
    for (int i = blockIdx.x * B + threadIdx.x; i < n; i += B * gridDim.x)
        sum += a[i] * b[i];
    part[threadIdx.x] = sum;
    for (int k = B / 2; k > 0; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k)
            part[threadIdx.x] += part[threadIdx.x + k];
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
}

__global__ void
fill(double *a, double *b, double *c)
{
    int i = blockIdx.x * B + threadIdx.x;
    a[i] = 0.1;
    b[i] = 0.2;
    c[i] = 0;
}

static bool
is(const double *x, int n, double want)
{
    bool good = true;
    double *host = (double *)malloc(n * sizeof *host);
    cudaMemcpy(host, x, n * sizeof *host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        good = good && fabs(host[i] - want) < 1e-12;
    free(host);
    return good;
}

int
main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20, sms, bad = 0;
    double *a, *b, *c, *sums;
    cudaEvent_t begin, end;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    int groups = 4 * sms;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaMalloc(&a, n * sizeof *a);
    cudaMalloc(&b, n * sizeof *b);
    cudaMalloc(&c, n * sizeof *c);
    cudaMalloc(&sums, groups * sizeof *sums);
    fill<<<n / B, B>>>(a, b, c);
    auto timed = [&](const char *name, double arrays, auto launch, auto right) {
        float ms;
        cudaEventRecord(begin);
        launch();
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
        bool good = right();
        bad += !good;
        printf("%s %s %.1f GB/s\n", name, good ? "right" : "wrong",
               1e-6 * arrays * n * sizeof *a / ms);
    };
    timed(
        "copy", 2, [&] { copy<<<n / B, B>>>(a, c); }, [&] { return is(c, n, 0.1); });
    timed(
        "multiply", 2, [&] { multiply<<<n / B, B>>>(b, c); }, [&] { return is(b, n, S * 0.1); });
    timed(
        "add", 3, [&] { add<<<n / B, B>>>(a, b, c); }, [&] { return is(c, n, 0.1 + S * 0.1); });
    double last = S * 0.1 + S * (0.1 + S * 0.1), all = 0;
    timed(
        "triad", 3, [&] { triad<<<n / B, B>>>(a, b, c); }, [&] { return is(a, n, last); });
    timed(
        "dot", 2, [&] { dot<<<groups, B>>>(a, b, sums, n); },
        [&] {
            double *host = (double *)malloc(groups * sizeof *host);
            cudaMemcpy(host, sums, groups * sizeof *host, cudaMemcpyDeviceToHost);
            for (int i = 0; i < groups; i++)
                all += host[i];
            free(host);
            return fabs(all / n / (last * S * 0.1) - 1) < 1e-9;
        });
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return bad != 0;
}
