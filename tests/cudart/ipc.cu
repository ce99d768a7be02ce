/* SPDX-License-Identifier: Apache-2.0
 *
 * ipc.cu: memory, events and pools of one process in another. The program runs itself again as the
 * other process.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

enum { LARGE = 100001, SMALL = 25 };

struct letter {
    cudaIpcMemHandle_t large, small, freed, neighbour;
    cudaIpcEventHandle_t event;
    cudaMemPoolPtrExportData data;
    int pool, round;
};

static __global__ void
add(int *p, int n, int v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += v;
}
static void
launch(int *p, int n, int v, cudaStream_t s = 0)
{
    add<<<(n + 127) / 128, 128, 0, s>>>(p, n, v);
    OK(cudaGetLastError());
}
static int
wrong(const int *p, int n, int add_to)
{
    int *host = (int *)malloc(n * sizeof(int)), bad = 0;
    OK(cudaMemcpy(host, p, n * sizeof(int), cudaMemcpyDefault));
    for (int i = 0; i < n; i++)
        bad += host[i] != i + add_to;
    free(host);
    return bad;
}

static int
other_process(const letter *m)
{
    int *large, *again, *small, *neighbour, *pooled, *none;
    cudaEvent_t event;
    cudaMemPool_t pool;
    cudaIpcMemHandle_t damaged = m->large;
    OK(cudaIpcOpenMemHandle((void **)&large, m->large, cudaIpcMemLazyEnablePeerAccess));
    OK(cudaIpcOpenMemHandle((void **)&again, m->large, cudaIpcMemLazyEnablePeerAccess));
    EXPECT("opened twice", large == again, 1);
    OK(cudaIpcCloseMemHandle(again));
    OK(cudaIpcOpenMemHandle((void **)&small, m->small, 0));
    OK(cudaIpcOpenMemHandle((void **)&neighbour, m->neighbour, 0));
    OK(cudaIpcOpenEventHandle(&event, m->event));
    OK(cudaStreamWaitEvent(0, event, 0));
    EXPECT("large memory", wrong(large, LARGE, m->round), 0);
    EXPECT("small memory", wrong(small, SMALL, m->round), 0);
    EXPECT("its neighbour", wrong(neighbour, SMALL, 5), 0);
    launch(large, LARGE, 10);
    launch(small, SMALL, 20);
    OK(cudaMemPoolImportFromShareableHandle(&pool, (void *)(size_t)m->pool,
                                            cudaMemHandleTypePosixFileDescriptor, 0));
    cudaMemPoolPtrExportData data = m->data;
    OK(cudaMemPoolImportPointer((void **)&pooled, pool, &data));
    EXPECT("memory of a pool", wrong(pooled, LARGE, 0), 0);
    launch(pooled, LARGE, 7);
    OK(cudaFreeAsync(pooled, 0));
    OK(cudaEventRecord(event, 0));
    OK(cudaDeviceSynchronize());
    OK(cudaIpcCloseMemHandle(large));
    EXPECT("closed twice", cudaIpcCloseMemHandle(large), cudaErrorInvalidValue);
    EXPECT("freed memory", cudaIpcOpenMemHandle((void **)&none, m->freed, 0),
           cudaErrorInvalidValue);
    memset(&damaged, 0x5a, 8);
    EXPECT("no handle", cudaIpcOpenMemHandle((void **)&none, damaged, 0), cudaErrorInvalidValue);
    EXPECT("an event's handle", cudaIpcOpenEventHandle(&event, *(cudaIpcEventHandle_t *)&m->large),
           cudaErrorInvalidValue);
    return failures != 0;
}

/* The other process, with the letter in a file. */
static void
run(const char *self, const char *path, const letter *m)
{
    FILE *f = fopen(path, "wb");
    fwrite(m, sizeof *m, 1, f);
    fclose(f);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        execl(self, self, path, "other", (char *)NULL);
        _exit(9);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT("the other process", status, 0);
}

static void
fill(int *p, int n)
{
    int *host = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        host[i] = i;
    OK(cudaMemcpy(p, host, n * sizeof(int), cudaMemcpyDefault));
    free(host);
}

int
main(int argc, char **argv)
{
    letter m = {};
    if (argc > 2) {
        FILE *f = fopen(argv[1], "rb");
        if (!f || fread(&m, sizeof m, 1, f) != 1)
            return puts("FAIL no letter"), 1;
        fclose(f);
        return other_process(&m);
    }
    int *large, *small, *neighbour, *freed, *pooled;
    cudaEvent_t event, plain;
    cudaMemPool_t pool;
    cudaMemPoolProps props = {};
    OK(cudaMalloc(&large, LARGE * 4));
    OK(cudaMalloc(&small, SMALL * 4));
    OK(cudaMalloc(&neighbour, SMALL * 4));
    OK(cudaMalloc(&freed, LARGE * 4));
    fill(large, LARGE), fill(small, SMALL), fill(neighbour, SMALL), fill(freed, LARGE);
    launch(neighbour, SMALL, 5);
    OK(cudaIpcGetMemHandle(&m.large, large));
    OK(cudaIpcGetMemHandle(&m.small, small));
    OK(cudaIpcGetMemHandle(&m.neighbour, neighbour));
    OK(cudaIpcGetMemHandle(&m.freed, freed));
    OK(cudaFree(freed));
    OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
    OK(cudaEventCreate(&plain));
    OK(cudaIpcGetEventHandle(&m.event, event));
    EXPECT("a plain event", cudaIpcGetEventHandle(&m.event, plain), cudaErrorInvalidValue);
    void *none, *host;
    EXPECT("own memory", cudaIpcOpenMemHandle(&none, m.large, 0), cudaErrorDeviceUninitialized);
    OK(cudaMallocHost(&host, 64));
    cudaIpcMemHandle_t h;
    EXPECT("host memory", cudaIpcGetMemHandle(&h, host), cudaErrorInvalidValue);
    cudaGetLastError();
    props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    OK(cudaMemPoolCreate(&pool, &props));
    OK(cudaMallocFromPoolAsync((void **)&pooled, LARGE * 4, pool, 0));
    fill(pooled, LARGE);
    OK(cudaMemPoolExportToShareableHandle(&m.pool, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    OK(cudaMemPoolExportPointer(&m.data, pooled));
    for (m.round = 0; m.round < 4; m.round += 3) {
        run(argv[0], argv[1], &m);
        OK(cudaEventSynchronize(event));
        EXPECT("large memory, changed", wrong(large, LARGE, m.round + 10), 0);
        EXPECT("small memory, changed", wrong(small, SMALL, m.round + 20), 0);
        EXPECT("its neighbour", wrong(neighbour, SMALL, 5), 0);
        EXPECT("memory of a pool, changed", wrong(pooled, LARGE, 7), 0);
        launch(large, LARGE, -7); /* what the next round begins with: 3 */
        launch(small, SMALL, -17);
        launch(pooled, LARGE, -7);
    }
    OK(cudaFreeAsync(pooled, 0));
    OK(cudaMemPoolDestroy(pool));
    OK(cudaFree(large));
    OK(cudaFree(small));
    /* Addresses that were shared hold what this process alone writes. */
    OK(cudaMalloc(&large, LARGE * 4));
    fill(large, LARGE);
    launch(large, LARGE, 1);
    EXPECT("memory after sharing", wrong(large, LARGE, 1), 0);
    return failures != 0;
}
