/* SPDX-License-Identifier: Apache-2.0
 *
 * Host code and memory: what only kernels and calls may touch (host_access wrong WAY ends by a
 * signal, with a message), and all that host code may (host_access right, together).
 */
#include <atomic>
#include <chrono>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        if ((call) != cudaSuccess)                                                                 \
            printf("FAIL line %d\n", __LINE__), exit(1);                                           \
    } while (0)

__device__ int variable = 3;
__managed__ int managed_variable = 4;
__global__ void fill(int *p, int from) { p[threadIdx.x] = from + threadIdx.x; }

static volatile int sink;

static void
wrong(const std::string &way)
{
    int *d, *v, own[32] = {0};
    CHECK(cudaMalloc(&d, 128));
    if (way == "at once")
        sink = *d;
    fill<<<1, 32>>>(d, 0);
    if (way == "behind a launch")
        sink = *d;
    CHECK(cudaDeviceSynchronize());
    if (way == "behind a wait")
        printf("%d\n", d[3]);
    if (way == "loop")
        for (int i = 0; i < 32; i++)
            d[i] = i;
    if (way == "memcpy")
        memcpy(own, d, 128);
    if (way == "strcpy")
        strcpy((char *)d, "text");
    if (way == "printf")
        printf("%s\n", (char *)d);
    CHECK(cudaGetSymbolAddress((void **)&v, variable));
    if (way == "variable")
        sink = *v;
    if (way == "thread")
        std::thread([d] { sink = d[1]; }).join();
    for (int k = 0; k < 3000; k++)
        CHECK(cudaMemcpy(own, d, 128, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d));
}

static void
step(int seed)
{
    int *d, h[32];
    CHECK(cudaMalloc(&d, 128));
    for (int k = 0; k < 500; k++) {
        fill<<<1, 32>>>(d, seed + k);
        CHECK(cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost));
        if (h[31] != seed + k + 31)
            printf("FAIL thread %d: %d\n", seed, h[31]), exit(1);
        CHECK(cudaMemset(d, 0, 128));
    }
    CHECK(cudaFree(d));
}

static void
right()
{
    int *pinned, *mapped, *seen, *device, *big;
    std::vector<int> own(1024), out(1024);
    std::vector<int *> managed(5000);
    CHECK(cudaMalloc(&device, 128));
    CHECK(cudaMallocManaged(&big, 8 << 20));
    for (int *&m : managed)
        CHECK(cudaMallocManaged(&m, 128));
    CHECK(cudaMallocHost(&pinned, 128));
    CHECK(cudaHostAlloc(&mapped, 128, cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&seen, mapped, 0));
    CHECK(cudaHostRegister(own.data(), 4096, cudaHostRegisterDefault));
    for (int *p : {managed[0], managed[4999], pinned, seen, own.data(), big, device}) {
        fill<<<1, 32>>>(p, 100);
        CHECK(cudaDeviceSynchronize());
        if (p != device && p[31] != 131)
            printf("FAIL %p: %d\n", p, p[31]), exit(1);
    }
    for (int *m : managed)
        *m = 1;
    managed_variable = mapped[2];
    CHECK(cudaMemcpy(out.data(), device, 128, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyFromSymbol(out.data() + 100, variable, 4));
    CHECK(cudaMemcpy2D(out.data() + 200, 8, device, 16, 8, 8, cudaMemcpyDeviceToHost));
    std::thread a(step, 1), b(step, 1000), c(step, 2000);
    a.join(), b.join(), c.join();
    printf("%d %d %d %d\n", managed_variable, out[31], out[100], out[202]);
}

/* Opening so many allocations takes a while, in which the kernels of other threads begin: they
 * touch the one that is opened last. Memory is shut again once the program has run for long enough.
 */
static void
begin_together()
{
    enum { THREADS = 3, ROUNDS = 4 };
    int *before, *last;
    std::atomic<int> arrived(0);
    std::vector<std::thread> all;
    for (int k = 0; k < 4000; k++)
        CHECK(cudaMalloc(&before, 65536));
    CHECK(cudaMalloc(&last, 65536));
    for (int t = 0; t < THREADS; t++)
        all.emplace_back([last, t, &arrived] {
            for (int k = 1; k <= ROUNDS; k++) {
                std::this_thread::sleep_for(std::chrono::milliseconds(500));
                for (arrived++; arrived < THREADS * k;)
                    std::this_thread::yield();
                fill<<<1, 32>>>(last + 32 * t, k);
                CHECK(cudaDeviceSynchronize());
            }
        });
    for (std::thread &t : all)
        t.join();
}

static sigjmp_buf back;

/* A program's own handler comes behind the message, as it would come on a GPU. */
static void
handled()
{
    int *d;
    CHECK(cudaMalloc(&d, 128));
    fill<<<1, 32>>>(d, 7);
    CHECK(cudaDeviceSynchronize());
    struct sigaction a = {}, before;
    a.sa_handler = [](int) { siglongjmp(back, 1); };
    sigaction(SIGSEGV, &a, &before);
    if (!sigsetjmp(back, 1))
        sink = *d;
    sigaction(SIGSEGV, &before, NULL);
    int h[32];
    CHECK(cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost));
    printf("goes on %d\n", h[1]);
}

int
main(int argc, char **argv)
{
    std::string what = argc > 1 ? argv[1] : "";
    if (what == "wrong")
        wrong(argv[2]);
    else if (what == "together")
        begin_together();
    else if (what == "handled")
        handled();
    else
        right();
}
