/* SPDX-License-Identifier: Apache-2.0
 *
 * pinned.cu: the host's own loads and stores of pinned memory, beside work on a stream that may not
 * be over; each case by its name.
 */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

enum { COUNT = 1024, BYTES = COUNT * sizeof(int), BLOCK = 256 };

__global__ void
fill(int *p, int v)
{
    p[blockIdx.x * BLOCK + threadIdx.x] = v;
}

__global__ void
sum(const int *p, int *out)
{
    if (p[blockIdx.x * BLOCK + threadIdx.x] > 100)
        atomicAdd(out, 1);
}

__global__ void
publish(int *data, volatile int *flag)
{
    data[threadIdx.x] = 7;
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0)
        *flag = 1;
}

__global__ void
publish_atomic(int *data, int *flag)
{
    data[threadIdx.x] = 7;
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicExch_system(flag, 1);
}

/* Of the device's scope: the host has no part in it. */
__global__ void
count(int *p)
{
    atomicAdd(p, 1);
}

static std::atomic<int> ready;
static volatile int taken;

static void
take(void *p)
{
    taken = ((int *)p)[3];
    ready = 1;
}

static void
take_of_stream(cudaStream_t s, cudaError_t error, void *p)
{
    take(p);
}

static int *h, *other, *d, *e;
static cudaStream_t s, second;
static cudaEvent_t event;
static volatile int seen;

static void
to_host(int *to)
{
    fill<<<COUNT / BLOCK, BLOCK, 0, s>>>(d, 3);
    cudaMemcpyAsync(to, d, BYTES, cudaMemcpyDeviceToHost, s);
}

static void
to_device(const int *from)
{
    cudaMemcpyAsync(d, from, BYTES, cudaMemcpyHostToDevice, s);
    count<<<1, 32, 0, s>>>(d);
}

/* Two buffers in turn; `waits`: for the copy of the one before it is filled again. */
static void
feed(bool waits)
{
    cudaEvent_t done[2];
    int *buffer[2] = {h, other};
    for (int k = 0; k < 2; k++)
        cudaEventCreate(&done[k]);
    for (int k = 0; k < 6; k++) {
        if (k > 1 && waits)
            cudaEventSynchronize(done[k % 2]);
        for (int i = 0; i < COUNT; i++)
            buffer[k % 2][i] = k + i;
        to_device(buffer[k % 2]);
        cudaEventRecord(done[k % 2], s);
    }
    for (int k = 0; k < 2; k++)
        cudaEventDestroy(done[k]);
}

/* An array that the program has made itself, of which the first and the last page have other
 * things, too. */
static void
registered(bool waits)
{
    char *all = (char *)malloc(16 * BYTES);
    int *p = (int *)(all + 100);
    memset(all, 0, 16 * BYTES);
    cudaHostRegister(p, 8 * BYTES, cudaHostRegisterDefault);
    to_host(p + COUNT);
    if (waits)
        cudaStreamSynchronize(s);
    seen = p[COUNT + 500];
    all[99] = 1;
    cudaStreamSynchronize(s);
    cudaHostUnregister(p);
    p[COUNT + 500] = 1;
    free(all);
}

#define CASE(name) if (!strcmp(what, name))

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    cudaMalloc(&d, BYTES);
    cudaMalloc(&e, BYTES);
    cudaMallocHost(&h, BYTES);
    cudaMallocHost(&other, 2 * BYTES);
    cudaMemset(d, 0, BYTES);
    cudaMemset(e, 0, BYTES);
    memset(h, 0, BYTES);
    memset(other, 0, 2 * BYTES);
    cudaStreamCreate(&s);
    cudaStreamCreate(&second);
    cudaEventCreate(&event);
    cudaDeviceSynchronize();
    CASE("load-behind-copy")
    {
        to_host(h);
        seen = h[5];
    }
    CASE("store-behind-copy")
    {
        to_host(h);
        h[5] = 1;
    }
    CASE("load-waited")
    {
        to_host(h);
        cudaStreamSynchronize(s);
        seen = h[5];
        h[6] = 1;
    }
    CASE("load-event")
    {
        to_host(h);
        cudaEventRecord(event, s);
        cudaEventSynchronize(event);
        seen = h[5];
    }
    CASE("load-early-event")
    {
        fill<<<COUNT / BLOCK, BLOCK, 0, s>>>(d, 3);
        cudaEventRecord(event, s);
        cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, s);
        cudaEventSynchronize(event);
        seen = h[5];
    }
    CASE("load-asked")
    {
        to_host(h);
        while (cudaStreamQuery(s) != cudaSuccess)
            ;
        seen = h[5];
    }
    CASE("load-other-stream")
    {
        to_host(h);
        fill<<<1, 32, 0, second>>>(e, 1);
        cudaStreamSynchronize(second);
        seen = h[5];
    }
    CASE("load-elsewhere")
    {
        to_host(other);
        seen = h[5] + other[COUNT + 5];
        h[1] = other[COUNT + 1] = 4;
    }
    CASE("store-before-copy-is-over")
    {
        to_device(h);
        h[5] = 1;
    }
    CASE("load-of-source")
    {
        to_device(h);
        seen = h[5];
    }
    CASE("store-waited")
    {
        to_device(h);
        cudaStreamSynchronize(s);
        h[5] = 1;
    }
    CASE("store-behind-memcpy")
    {
        cudaMemcpy(d, h, BYTES, cudaMemcpyHostToDevice);
        count<<<1, 32, 0, s>>>(d);
        h[5] = 1;
    }
    CASE("load-behind-kernel")
    {
        fill<<<1, BLOCK, 0, s>>>(h, 3);
        seen = h[5];
    }
    CASE("load-behind-kernel-waited")
    {
        fill<<<1, BLOCK, 0, s>>>(h, 3);
        cudaStreamSynchronize(s);
        seen = h[5];
    }
    CASE("store-kernel-reads")
    {
        sum<<<1, BLOCK, 0, s>>>(h, d);
        h[5] = 1;
    }
    CASE("load-kernel-reads")
    {
        sum<<<1, BLOCK, 0, s>>>(h, d);
        seen = h[5];
    }
    CASE("flag")
    {
        publish<<<1, BLOCK, 0, s>>>(h, other);
        while (!*(volatile int *)other)
            ;
        seen = h[5];
    }
    CASE("flag-atomic")
    {
        publish_atomic<<<1, BLOCK, 0, s>>>(h, other);
        while (!*(volatile int *)other)
            ;
        seen = h[5];
    }
    CASE("flag-of-device")
    {
        count<<<1, BLOCK, 0, s>>>(other);
        seen = *(volatile int *)other;
    }
    CASE("function")
    {
        to_host(h);
        cudaLaunchHostFunc(s, take, h);
        cudaStreamSynchronize(s);
        seen = h[5];
    }
    CASE("function-other-stream")
    {
        to_host(h);
        cudaLaunchHostFunc(second, take, h);
    }
    CASE("function-tells")
    {
        to_host(h);
        cudaLaunchHostFunc(s, take, h);
        while (!ready)
            ;
        seen = h[5];
    }
    CASE("callback")
    {
        to_host(h);
        cudaStreamAddCallback(s, take_of_stream, h, 0);
        while (!ready)
            ;
        seen = h[5];
    }
    CASE("registered") registered(false);
    CASE("registered-waited") registered(true);
    CASE("buffers") feed(false);
    CASE("buffers-waited") feed(true);
    CASE("thread")
    {
        to_host(h);
        std::thread t([] { seen = h[5]; });
        t.join();
    }
    CASE("thread-waited")
    {
        to_host(h);
        std::thread t([] {
            cudaStreamSynchronize(s);
            seen = h[5];
        });
        t.join();
    }
    CASE("written-to-file")
    {
        to_host(h);
        cudaStreamSynchronize(s);
        FILE *f = fopen("/dev/null", "w");
        setvbuf(f, NULL, _IONBF, 0);
        if (fwrite(h, 1, BYTES, f) != BYTES)
            printf("FAIL: not written\n");
        fclose(f);
    }
    cudaDeviceSynchronize();
    cudaFreeHost(h);
    cudaFreeHost(other);
    cudaEventDestroy(event);
    cudaStreamDestroy(s);
    cudaStreamDestroy(second);
    cudaFree(d);
    cudaFree(e);
    return 0;
}
