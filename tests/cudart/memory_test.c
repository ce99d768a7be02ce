/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory through the runtime API: copies in all directions with awkward sizes against plain C, what
 * is refused, pinned and managed memory, arrays, textures' descriptors, properties, streams,
 * events.
 */
#include "cudart/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "device/device.h"

enum { ROOM = 70000 };

static void
fill_random(unsigned char *p, size_t n, unsigned seed)
{
    for (size_t k = 0; k < n; k++)
        p[k] = (unsigned char)((seed = seed * 1664525u + 1013904223u) >> 24);
}

static void
copies(void **state)
{
    static unsigned char a[ROOM], b[ROOM], want[ROOM];
    unsigned char *d, *e, *pinned;
    OK(cudaMalloc((void **)&d, ROOM));
    OK(cudaMalloc((void **)&e, ROOM));
    OK(cudaMallocHost((void **)&pinned, ROOM));
    static const size_t sizes[] = {1, 3, 17, 255, 4096, 4097, 65535, 69999};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t n = sizes[k], offset = k % 3;
        n = n + offset > ROOM ? ROOM - offset : n;
        fill_random(a, ROOM, (unsigned)k);
        memset(want, 0xee, ROOM);
        memcpy(want + offset, a, n);
        OK(cudaMemset(d, 0xee, ROOM));
        OK(cudaMemcpy(d + offset, a, n, cudaMemcpyHostToDevice));
        OK(cudaMemcpy(e, d, ROOM, cudaMemcpyDeviceToDevice));
        OK(cudaMemcpyAsync(pinned, e, ROOM, cudaMemcpyDefault, NULL));
        OK(cudaMemcpy(b, pinned, ROOM, cudaMemcpyHostToHost));
        assert_memory_equal(b, want, ROOM);
        OK(cudaMemcpyPeer(d, 0, e, 0, ROOM));
        OK(cudaMemcpy(b, d, ROOM, cudaMemcpyDeviceToHost));
        assert_memory_equal(b, want, ROOM);
    }
    FAILS(cudaMemcpy(d, a, ROOM + 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpy(d + 1, a, ROOM, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpy(a, b, 10, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpy(a, d, 10, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpy(d, e, 10, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpy(NULL, a, 10, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpy(d, NULL, 10, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpy(d, a, 10, (enum cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
    FAILS(cudaMemset(a, 0, 10), cudaErrorInvalidValue);
    FAILS(cudaMemset(d, 0, ROOM + 1), cudaErrorInvalidValue);
    OK(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    OK(cudaFree(d));
    FAILS(cudaFree(d), cudaErrorInvalidValue);
    FAILS(cudaMemcpy(d, a, 10, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaFree(e + 1), cudaErrorInvalidValue);
    FAILS(cudaFree(pinned), cudaErrorInvalidValue);
    FAILS(cudaFreeHost(e), cudaErrorInvalidValue);
    OK(cudaFree(e));
    OK(cudaFree(NULL));
    OK(cudaFreeHost(pinned));
    FAILS(cudaFreeHost(pinned), cudaErrorInvalidValue);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
    OK(cudaGetLastError());
}

/* To pages that are not there yet, some of them large, and to neighbours that are. */
static void
copies_to_fresh_memory(void **state)
{
    enum { SIZE = (9 << 20) + 4567, BEFORE = 12345, ALL = SIZE + BEFORE + (1 << 20) };
    unsigned char *d, *want = malloc(SIZE);
    fill_random(want, SIZE, 77);
    OK(cudaMalloc((void **)&d, SIZE));
    OK(cudaMemcpy(d, want, SIZE, cudaMemcpyHostToDevice));
    for (int turn = 0; turn < 2; turn++) {
        unsigned char *to =
            mmap(NULL, ALL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(to != MAP_FAILED);
        for (size_t k = 0; turn == 1 && k < ALL; k += 3 << 20)
            to[k] = 0x5a;
        OK(cudaMemcpy(to + BEFORE, d, SIZE, cudaMemcpyDeviceToHost));
        assert_memory_equal(to + BEFORE, want, SIZE);
        assert_int_equal(to[0], turn == 1 ? 0x5a : 0);
        for (size_t k = 1; k < BEFORE; k++)
            assert_int_equal(to[k], 0);
        for (size_t k = BEFORE + SIZE; k < ALL; k++)
            assert_int_equal(to[k], turn == 1 && k % (3 << 20) == 0 ? 0x5a : 0);
        munmap(to, ALL);
    }
    OK(cudaFree(d));
    free(want);
}

static void
allocation(void **state)
{
    void *p, *q;
    size_t free0, free1, total;
    OK(cudaMemGetInfo(&free0, &total));
    FAILS(cudaMalloc(&p, total + 1), cudaErrorMemoryAllocation);
    FAILS(cudaMalloc(&p, SIZE_MAX), cudaErrorMemoryAllocation);
    OK(cudaMalloc(&p, 0));
    assert_null(p);
    OK(cudaMalloc(&p, 1 << 20));
    OK(cudaMemGetInfo(&free1, NULL));
    assert_int_equal(free0 - free1, 1 << 20);
    OK(cudaMalloc(&q, 100));
    assert_int_equal((uintptr_t)q % 256, 0);
    FAILS(cudaMalloc(NULL, 4), cudaErrorInvalidValue);
    OK(cudaFree(p));
    OK(cudaFree(q));
    OK(cudaMallocAsync(&p, 64, NULL));
    OK(cudaFreeAsync(p, NULL));
    FAILS(cudaMallocManaged(&p, 0, cudaMemAttachGlobal), cudaErrorInvalidValue);
    OK(cudaMallocManaged(&p, 1000, cudaMemAttachGlobal));
    strcpy(p, "both sides");
    OK(cudaMemPrefetchAsync(p, 1000, 0, NULL));
    FAILS(cudaMemPrefetchAsync(p, 1001, 0, NULL), cudaErrorInvalidValue);
    FAILS(cudaMemPrefetchAsync(p, 1000, 7, NULL), cudaErrorInvalidDevice);
    struct cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, (char *)p + 999));
    assert_int_equal(a.type, cudaMemoryTypeManaged);
    OK(cudaPointerGetAttributes(&a, &a));
    assert_int_equal(a.type, cudaMemoryTypeUnregistered);
    OK(cudaFree(p));
    char *h = malloc(5000);
    OK(cudaHostRegister(h, 5000, cudaHostRegisterMapped));
    FAILS(cudaHostRegister(h + 100, 10, 0), cudaErrorHostMemoryAlreadyRegistered);
    OK(cudaHostGetDevicePointer(&p, h + 10, 0));
    assert_ptr_equal(p, h + 10);
    OK(cudaPointerGetAttributes(&a, h));
    assert_int_equal(a.type, cudaMemoryTypeHost);
    OK(cudaHostUnregister(h));
    FAILS(cudaHostUnregister(h), cudaErrorHostMemoryNotRegistered);
    FAILS(cudaHostGetDevicePointer(&p, h, 0), cudaErrorInvalidValue);
    free(h);
    cudaGetLastError();
}

static void
pitched(void **state)
{
    enum { W = 37, H = 11, D = 5 };
    unsigned char a[D][H][W], b[D][H][W], *d;
    size_t pitch;
    fill_random(a[0][0], sizeof a, 1);
    OK(cudaMallocPitch((void **)&d, &pitch, W, H));
    assert_true(pitch >= W && pitch % 32 == 0);
    OK(cudaMemset2D(d, pitch, 0x55, W, H));
    OK(cudaMemcpy2D(d + 3, pitch, &a[0][0][3], W, W - 3, H, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(b, W, d, pitch, W, H, cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            assert_int_equal(b[0][y][x], x < 3 ? 0x55 : a[0][y][x]);
    FAILS(cudaMemcpy2D(d, W - 1, a, W, W, H, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    FAILS(cudaMemcpy2D(d, pitch, a, W, W, H + 1000, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    OK(cudaFree(d));
    struct cudaPitchedPtr p;
    OK(cudaMalloc3D(&p, (struct cudaExtent){W, H, D}));
    OK(cudaMemset3D(p, 0, (struct cudaExtent){W, H, D}));
    struct cudaMemcpy3DParms m = {
        .srcPtr = {a, W, W, H}, .dstPtr = p, .extent = {W, H, D}, .kind = cudaMemcpyHostToDevice};
    OK(cudaMemcpy3D(&m));
    memset(b, 0, sizeof b);
    /* One corner back: from (5, 2, 1), 20 x 7 x 3. */
    struct cudaMemcpy3DParms back = {.srcPtr = p,
                                     .srcPos = {5, 2, 1},
                                     .dstPtr = {b, W, W, H},
                                     .dstPos = {1, 0, 2},
                                     .extent = {20, 7, 3},
                                     .kind = cudaMemcpyDeviceToHost};
    OK(cudaMemcpy3D(&back));
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 7; y++)
            assert_memory_equal(&b[z + 2][y][1], &a[z + 1][y + 2][5], 20);
    assert_int_equal(b[2][7][1], 0);
    OK(cudaFree(p.ptr));
    cudaGetLastError();
}

static void
arrays(void **state)
{
    enum { W = 19, H = 7 };
    float a[H][W], b[H][W];
    float *flat = a[0];
    for (int k = 0; k < W * H; k++)
        flat[k] = (float)k;
    struct cudaChannelFormatDesc f = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat),
                                 g;
    cudaArray_t x, y;
    struct cudaExtent e;
    OK(cudaMallocArray(&x, &f, W, H, 0));
    OK(cudaMallocArray(&y, &f, W, H, 0));
    OK(cudaArrayGetInfo(&g, &e, NULL, x));
    assert_memory_equal(&f, &g, sizeof f);
    assert_int_equal(e.width * 1000 + e.height * 10 + e.depth, W * 1000 + H * 10);
    OK(cudaMemcpyToArray(x, 0, 0, a, sizeof a, cudaMemcpyHostToDevice));
    OK(cudaMemcpyArrayToArray(y, 0, 0, x, 0, 0, sizeof a, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy2DFromArray(b, sizeof b[0], y, 0, 0, sizeof b[0], H, cudaMemcpyDeviceToHost));
    assert_memory_equal(a, b, sizeof a);
    OK(cudaMemcpyFromArray(b, x, 4, 1, 30 * 4, cudaMemcpyDeviceToHost));
    assert_memory_equal(b, &a[1][1], 30 * 4);
    struct cudaMemcpy3DParms m = {.srcArray = x,
                                  .srcPos = {2, 3, 0},
                                  .dstPtr = {b, sizeof b[0], W, H},
                                  .extent = {5, 4, 1},
                                  .kind = cudaMemcpyDeviceToHost};
    OK(cudaMemcpy3D(&m));
    assert_memory_equal(&b[3][0], &a[6][2], 20);
    FAILS(cudaMemcpy2DToArray(x, 4, 0, a, sizeof a[0], sizeof a[0], H, cudaMemcpyHostToDevice),
          cudaErrorInvalidValue);
    f.y = 16;
    FAILS(cudaMallocArray(&y, &f, W, H, 0), cudaErrorInvalidChannelDescriptor);
    cudaTextureObject_t t;
    struct cudaResourceDesc r = {.resType = cudaResourceTypeArray}, got;
    struct cudaTextureDesc d = {.filterMode = cudaFilterModeLinear,
                                .normalizedCoords = 1,
                                .addressMode = {cudaAddressModeWrap, cudaAddressModeMirror}};
    r.res.array.array = x;
    OK(cudaCreateTextureObject(&t, &r, &d, NULL));
    const struct texture *c = (const struct texture *)t;
    assert_int_equal(c->magic, TEXTURE_MAGIC);
    assert_int_equal(c->dimensions, 2);
    assert_int_equal(c->level[0].width, W);
    assert_int_equal(c->level[0].height, H);
    assert_int_equal(c->address[1], TEXTURE_MIRROR);
    assert_true(c->filter_linear && c->normalized_coordinates);
    assert_true(((float *)(c->level[0].base + 2 * c->level[0].pitch))[5] == a[2][5]);
    OK(cudaGetTextureObjectResourceDesc(&got, t));
    assert_ptr_equal(got.res.array.array, x);
    FAILS(cudaDestroySurfaceObject(t), cudaErrorInvalidValue);
    OK(cudaDestroyTextureObject(t));
    FAILS(cudaDestroyTextureObject(t), cudaErrorInvalidValue);
    /* References: the handle is the variable's value. */
    uint64_t *slot;
    image_shadow.addressMode[0] = cudaAddressModeClamp;
    OK(cudaBindTextureToArray(&image_shadow, x, &g));
    OK(cudaGetSymbolAddress((void **)&slot, &image_shadow));
    assert_int_equal(((const struct texture *)*slot)->level[0].width, W);
    how_shadow.filterMode = cudaFilterModeLinear;
    how_shadow.addressMode[0] = how_shadow.addressMode[1] = cudaAddressModeClamp;
    OK(cudaBindTextureToArray(&how_shadow, x, &g));
    float *device, read[64];
    void *args[] = {&device};
    OK(cudaMalloc((void **)&device, sizeof read));
    OK(cudaLaunchKernel(&from_image_stub, dims(1, 1, 1), dims(W, 1, 1), args, 0, NULL));
    OK(cudaMemcpy(read, device, sizeof read, cudaMemcpyDeviceToHost));
    for (int k = 0; k < W; k++) {
        assert_true(read[k] == a[0][k]);
        assert_true(read[32 + k] == (a[0][k] + a[0][k ? k - 1 : 0]) / 2);
    }
    OK(cudaUnbindTexture(&how_shadow));
    OK(cudaFree(device));
    OK(cudaUnbindTexture(&image_shadow));
    assert_int_equal(*slot, 0);
    OK(cudaFreeArray(x));
    FAILS(cudaFreeArray(x), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}

static void
properties(void **state)
{
    struct cudaDeviceProp p;
    const struct device_profile *m = model_find_device("a100");
    int v, n;
    OK(cudaGetDeviceCount(&n));
    assert_int_equal(n, 2);
    OK(cudaGetDeviceProperties(&p, 1));
    assert_string_equal(p.name, m->name);
    assert_int_equal(p.major * 10 + p.minor, m->cc_major * 10 + m->cc_minor);
    assert_int_equal(p.totalGlobalMem, m->memory_bytes);
    assert_int_equal(p.multiProcessorCount, m->sm_count);
    assert_int_equal(p.sharedMemPerBlock, m->shared_per_block);
    assert_int_equal(p.regsPerBlock, m->registers_per_block);
    assert_int_equal(p.maxThreadsPerBlock, m->max_threads_per_block);
    assert_int_equal(p.clockRate, m->clock_khz);
    OK(cudaDeviceGetAttribute(&v, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    assert_int_equal(v, m->shared_per_block_optin);
    OK(cudaDeviceGetAttribute(&v, cudaDevAttrL2CacheSize, 0));
    assert_int_equal(v, m->l2_bytes);
    FAILS(cudaDeviceGetAttribute(&v, (enum cudaDeviceAttr)9999, 0), cudaErrorInvalidValue);
    FAILS(cudaGetDeviceProperties(&p, 2), cudaErrorInvalidDevice);
    FAILS(cudaGetDeviceProperties(NULL, 0), cudaErrorInvalidValue);
    FAILS(cudaSetDevice(2), cudaErrorInvalidDevice);
    char bus[16];
    OK(cudaDeviceGetPCIBusId(bus, sizeof bus, 1));
    OK(cudaDeviceGetByPCIBusId(&v, bus));
    assert_int_equal(v, 1);
    size_t limit;
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    OK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    assert_int_equal(limit, 4096);
    FAILS(cudaDeviceSetLimit((enum cudaLimit)77, 1), cudaErrorUnsupportedLimit);
    cudaGetLastError();
}

static void
peers(void **state)
{
    int *a, *b, can, v = 42, got = 0;
    OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    assert_int_equal(can, 1);
    OK(cudaMalloc((void **)&a, 4));
    OK(cudaDeviceEnablePeerAccess(1, 0));
    FAILS(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
    FAILS(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
    OK(cudaDeviceDisablePeerAccess(1));
    FAILS(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
    OK(cudaSetDevice(1));
    OK(cudaMalloc((void **)&b, 4));
    struct cudaPointerAttributes at;
    OK(cudaPointerGetAttributes(&at, b));
    assert_int_equal(at.device, 1);
    OK(cudaMemcpy(a, &v, 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpyPeer(b, 1, a, 0, 4));
    OK(cudaMemcpy(&got, b, 4, cudaMemcpyDeviceToHost));
    assert_int_equal(got, 42);
    OK(cudaDeviceReset());
    FAILS(cudaFree(b), cudaErrorInvalidValue);
    OK(cudaSetDevice(0));
    OK(cudaMemcpy(&got, a, 4, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    cudaGetLastError();
}

static int order[8], ordered;

static void
note(void *data)
{
    order[ordered++] = (int)(intptr_t)data;
}

static void
call_back(cudaStream_t s, cudaError_t e, void *data)
{
    assert_int_equal(e, cudaSuccess);
    note(data);
}

static void
streams_and_events(void **state)
{
    cudaStream_t s, t;
    cudaEvent_t a, b, untimed;
    unsigned flags;
    int priority, least, greatest;
    float ms = -1;
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    assert_true(greatest < least);
    OK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, greatest - 10));
    OK(cudaStreamGetPriority(s, &priority));
    assert_int_equal(priority, greatest);
    OK(cudaStreamGetFlags(s, &flags));
    assert_int_equal(flags, cudaStreamNonBlocking);
    FAILS(cudaStreamCreateWithFlags(&t, 0x80), cudaErrorInvalidValue);
    OK(cudaStreamCreate(&t));
    OK(cudaEventCreate(&a));
    OK(cudaEventCreateWithFlags(&b, cudaEventBlockingSync));
    OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    OK(cudaEventQuery(a));
    FAILS(cudaEventElapsedTime(&ms, a, b), cudaErrorInvalidResourceHandle);
    OK(cudaEventRecord(a, s));
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    OK(cudaLaunchHostFunc(s, note, (void *)1));
    OK(cudaStreamAddCallback(s, call_back, (void *)2, 0));
    OK(cudaEventRecord(b, s));
    OK(cudaStreamWaitEvent(t, b, 0));
    OK(cudaLaunchHostFunc(t, note, (void *)3));
    OK(cudaEventSynchronize(b));
    OK(cudaStreamSynchronize(t));
    OK(cudaStreamQuery(s));
    assert_int_equal(ordered, 3);
    for (int k = 0; k < 3; k++)
        assert_int_equal(order[k], k + 1);
    OK(cudaEventElapsedTime(&ms, a, b));
    assert_true(ms >= 20 && ms < 20000);
    OK(cudaEventRecord(untimed, NULL));
    FAILS(cudaEventElapsedTime(&ms, a, untimed), cudaErrorInvalidResourceHandle);
    OK(cudaEventDestroy(a));
    FAILS(cudaEventDestroy(a), cudaErrorInvalidResourceHandle);
    FAILS(cudaEventRecord(a, s), cudaErrorInvalidResourceHandle);
    OK(cudaStreamDestroy(s));
    FAILS(cudaStreamSynchronize(s), cudaErrorInvalidResourceHandle);
    FAILS(cudaStreamDestroy(NULL), cudaErrorInvalidResourceHandle);
    OK(cudaStreamDestroy(t));
    FAILS(cudaDestroyExternalMemory((cudaExternalMemory_t)&ms), cudaErrorNotSupported);
    FAILS(cudaIpcCloseMemHandle(&ms), cudaErrorInvalidValue);
    cudaGetLastError();
}

static void
names(void **state)
{
    assert_string_equal(cudaGetErrorName(cudaSuccess), "cudaSuccess");
    assert_string_equal(cudaGetErrorString(cudaSuccess), "no error");
    assert_string_equal(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
    assert_string_equal(cudaGetErrorString(cudaErrorIllegalAddress),
                        "an illegal memory access was encountered");
    assert_string_equal(cudaGetErrorName((cudaError_t)12345), "unrecognized error code");
}

int
main(void)
{
    setenv("LOCKSTEP_QUIET", "1", 1);
    setenv("LOCKSTEP_GPU", "a100", 1);
    setenv("LOCKSTEP_DEVICES", "2", 1);
    register_program();
    return UNIT_TESTS(copies, copies_to_fresh_memory, allocation, pitched, arrays, properties,
                      peers, streams_and_events, names);
}
