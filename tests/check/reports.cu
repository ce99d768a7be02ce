// SPDX-License-Identifier: Apache-2.0
// Cases by name, for reports_test.py: each mistake beside what is right. A line that a report must
// name ends in a comment: "line: NAME".
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__managed__ int counter;
__constant__ float factors[4] = {1, 1, 1, 1};

__global__ void
count(int n)
{
    if (threadIdx.x < n)
        atomicAdd(&counter, 1);
}

__global__ void
store(int *p)
{
    p[threadIdx.x] = 1;
}

template <class T>
__global__ void
scale(T *p, T by)
{
    p[threadIdx.x] = by * factors[threadIdx.x % 4];
}

__global__ void
bounded(int n)
{
    assert(threadIdx.x < n); // line: assert
}

__global__ void
hello(void)
{
    printf("hello from %d\n", threadIdx.x);
}

__device__ __noinline__ int
deeper(int n, volatile int *p)
{
    int more[16];
    more[n & 15] = p[n & 1];
    return n <= 0 ? more[p[0] & 15] : deeper(n - 1, p) + more[n & 15]; // line: deeper
}

__global__ void
recursive(int *p, int n)
{
    p[threadIdx.x] = deeper(n, p);
}

static void *
get(size_t bytes)
{
    void *p = NULL;
    cudaMalloc(&p, bytes); // line: get
    return p;
}

/* An owner, as C++ programs have it. */
struct buffer {
    int *at;
    explicit buffer(size_t n) { cudaMalloc(&at, n * sizeof *at); } // line: buffer
    ~buffer() { cudaFree(at); }
};

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t e = (call);                                                                    \
        if (e != cudaSuccess)                                                                      \
            printf("%s\n", cudaGetErrorString(e));                                                 \
    } while (0)

static void
managed(bool wrong)
{
    int *p = NULL;
    count<<<1, 32>>>(7);
    if (wrong)
        cudaMallocManaged(&p, 64); // line: managed
    cudaDeviceSynchronize();
    if (counter != 7)
        exit(9);
}

static void
leak(bool wrong)
{
    for (int k = 0; k < 3; k++) {
        int *p = (int *)get(128); // line: leak
        store<<<1, 32>>>(p);
        cudaDeviceSynchronize();
        if (!wrong || k == 1)
            cudaFree(p);
    }
}

static void
null_pointer(bool wrong)
{
    buffer b(32);
    store<<<1, 32>>>(wrong ? NULL : b.at); // line: null
    cudaDeviceSynchronize();
}

static void
bounds(bool wrong)
{
    buffer b(wrong ? 31 : 32); // line: bounds-owner
    store<<<1, 32>>>(b.at);    // line: bounds
    cudaDeviceSynchronize();
}

static void
assertion(bool wrong)
{
    bounded<<<1, 32>>>(wrong ? 5 : 32); // line: assert-launch
    cudaDeviceSynchronize();
}

static void
symbol(bool wrong)
{
    float host[8] = {1, 2, 3, 4};
    cudaMemcpyToSymbol(factors, host, wrong ? sizeof host : sizeof factors); // line: symbol
    buffer b(32);
    scale<<<1, 32>>>((float *)b.at, 2.0f);
    cudaDeviceSynchronize();
}

__device__ int words[4];

/* The variable's name in the place of its address. */
static void
shadow(bool wrong)
{
    int host[4] = {0};
    count<<<1, 32>>>(0);
    if (wrong)
        cudaMemcpy(words + 1, host, 8, cudaMemcpyHostToDevice); // line: shadow
    else
        cudaMemcpyToSymbol(words, host, 8, 4);
}

static void
checked(bool wrong)
{
    int host[32] = {0};
    buffer b(32);
    for (int k = 0; k < 4; k++)
        CHECK(cudaMemcpy(b.at, host, sizeof host, // line: checked
                         wrong ? cudaMemcpyDeviceToHost : cudaMemcpyDefault));
    store<<<1, 32>>>(b.at);
    cudaDeviceSynchronize();
}

static void
launch(bool wrong)
{
    buffer b(2048);
    scale<<<1, wrong ? 2048 : 1024>>>((float *)b.at, 1.0f); // line: launch
    cudaDeviceSynchronize();
}

static void
repeated(bool wrong)
{
    for (int k = 0; k < 5; k++)
        count<<<1, wrong ? 1025 : 1024>>>(0); // line: repeated
    cudaDeviceSynchronize();
}

/* What it prints reaches the host when something waits. */
static void
output(bool wrong)
{
    hello<<<1, 1>>>(); // line: output
    if (!wrong)
        cudaDeviceSynchronize();
}

/* A copy that waits does, too; the next launch empties the buffer before hello may have printed. */
static void
seen_output(bool wrong)
{
    int value = 0;
    hello<<<1, 1>>>(); // line: seen
    if (!wrong)
        cudaMemcpyFromSymbol(&value, counter, sizeof value);
    else
        count<<<1, 1>>>(1);
}

static void
recursion(bool wrong)
{
    buffer b(32);
    cudaMemset(b.at, 0, 128);
    recursive<<<1, 1>>>(b.at, wrong ? 1000 : 3); // line: recursion
    cudaDeviceSynchronize();
}

/* A kernel's error is told once; the calls that fail for it are not. */
static void
sticky(bool wrong)
{
    buffer b(32);
    store<<<1, 32>>>(wrong ? NULL : b.at);
    for (int k = 0; k < 3; k++)
        CHECK(cudaDeviceSynchronize());
}

/* Questions whose answer is an error. */
static void
probes(bool wrong)
{
    int n, value, host[32], *p;
    struct cudaPointerAttributes a;
    cudaEvent_t e;
    cudaEventCreate(&e);
    CHECK(cudaGetDeviceCount(&n));
    CHECK(cudaDeviceCanAccessPeer(&value, 0, n > 1));
    CHECK(cudaPointerGetAttributes(&a, host));
    cudaHostRegister(host, sizeof host, 0);
    cudaHostRegister(host, sizeof host, 0);
    cudaHostUnregister(host);
    cudaMalloc(&p, sizeof host);
    store<<<1, 32>>>(p);
    cudaEventRecord(e);
    while (cudaEventQuery(e) == cudaErrorNotReady)
        ;
    cudaPeekAtLastError();
    cudaEventDestroy(e);
    cudaFree(p);
    if (wrong)
        cudaEventDestroy(e); // line: probes
}

static void
host_access(bool wrong)
{
    buffer b(32);
    store<<<1, 32>>>(b.at);
    cudaDeviceSynchronize();
    int value = 0;
    if (wrong)
        value = b.at[3]; // line: host
    else
        cudaMemcpy(&value, b.at + 3, sizeof value, cudaMemcpyDeviceToHost);
    printf("%d\n", value);
}

static void
unwritten(bool wrong)
{
    int host[32];
    buffer b(32);
    if (!wrong)
        store<<<1, 32>>>(b.at);
    else
        count<<<1, 32>>>(1);
    cudaMemcpy(host, b.at, sizeof host, cudaMemcpyDeviceToHost); // line: unwritten
}

/* A copy in one stream beside a kernel in another. */
static void
two_streams(bool wrong)
{
    static int host[32];
    buffer b(32);
    cudaStream_t one, two;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    store<<<1, 32, 0, one>>>(b.at); // line: streams-launch
    if (!wrong)
        cudaStreamSynchronize(one);
    cudaMemcpyAsync(b.at, host, sizeof host, cudaMemcpyHostToDevice, two); // line: streams-copy
    cudaDeviceSynchronize();
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
}

static void
twice(bool wrong)
{
    int *p = (int *)get(128);
    store<<<1, 32>>>(p);
    cudaFree(p);
    if (wrong)
        cudaFree(p); // line: twice
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*f)(bool wrong);
    } cases[] = {{"managed", managed}, {"leak", leak}, {"null", null_pointer},
                 {"bounds", bounds}, {"assert", assertion}, {"symbol", symbol},
                 {"shadow", shadow}, {"checked", checked}, {"launch", launch},
                 {"probes", probes}, {"host", host_access}, {"repeated", repeated},
                 {"output", output}, {"seen", seen_output}, {"sticky", sticky},
                 {"recursion", recursion}, {"unwritten", unwritten}, {"twice", twice},
                 {"streams", two_streams}};
    for (size_t k = 0; argc == 3 && k < sizeof cases / sizeof *cases; k++)
        if (!strcmp(cases[k].name, argv[1])) {
            cases[k].f(!strcmp(argv[2], "wrong"));
            return 0;
        }
    return 2;
}
