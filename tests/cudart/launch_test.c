/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels through the runtime API: registration, parameters, limits of the profile, errors that
 * stay and errors that do not, symbols, attributes, graphs of kernels.
 */
#include "cudart/program.h"

static int
add_on(int *d, int n, int v, unsigned blocks, unsigned threads, cudaStream_t s)
{
    void *args[] = {&d, &n, &v};
    return (int)cudaLaunchKernel(&add_stub, dims(blocks, 1, 1), dims(threads, 1, 1), args, 0, s);
}

static void
check_filled(const int *d, int n, int value)
{
    int *h = malloc((size_t)n * 4);
    OK(cudaMemcpy(h, d, (size_t)n * 4, cudaMemcpyDeviceToHost));
    for (int k = 0; k < n; k++)
        assert_int_equal(h[k], value);
    free(h);
}

static void
launches(void **state)
{
    int *d, n = 1000;
    OK(cudaMalloc((void **)&d, 4000));
    OK(cudaMemset(d, 0, 4000));
    assert_int_equal(__cudaPushCallConfiguration(dims(4, 1, 1), dims(256, 1, 1), 3, NULL), 0);
    dim3 g, b;
    size_t shared;
    cudaStream_t s = (cudaStream_t)5;
    OK(__cudaPopCallConfiguration(&g, &b, &shared, &s));
    assert_int_equal(g.x * 10 + shared, 43);
    assert_int_equal(b.x, 256);
    assert_null(s);
    FAILS(__cudaPopCallConfiguration(&g, &b, &shared, &s), cudaErrorMissingConfiguration);
    OK(add_on(d, n, 7, 4, 256, NULL));
    OK(cudaDeviceSynchronize());
    check_filled(d, n, 7);
    OK(cudaConfigureCall(dims(4, 1, 1), dims(256, 1, 1), 0, NULL));
    int v = 3;
    OK(cudaSetupArgument(&d, 8, 0));
    OK(cudaSetupArgument(&n, 4, 8));
    OK(cudaSetupArgument(&v, 4, 12));
    OK(cudaLaunch(&add_stub));
    check_filled(d, n, 10);
    cudaKernel_t k;
    OK(__cudaGetKernel(&k, &add_stub));
    void *args[] = {&d, &n, &v};
    OK(__cudaLaunchKernel(k, dims(4, 1, 1), dims(256, 1, 1), args, 0, NULL));
    check_filled(d, n, 13);
    assert_int_equal(cudaGetLastError(), cudaErrorMissingConfiguration);
    OK(cudaFree(d));
}

static void
limits(void **state)
{
    struct cudaDeviceProp p;
    OK(cudaGetDeviceProperties(&p, 0));
    int t = p.maxThreadsPerBlock;
    void *none[1] = {NULL};
#define LAUNCH(stub, g, b, s) cudaLaunchKernel(&stub, g, b, none, s, NULL)
    OK(LAUNCH(nothing_stub, dims(1, 1, 1), dims((unsigned)t, 1, 1), 0));
    FAILS(LAUNCH(nothing_stub, dims(1, 1, 1), dims((unsigned)t + 1, 1, 1), 0),
          cudaErrorInvalidConfiguration);
    FAILS(LAUNCH(nothing_stub, dims(1, 1, 1), dims(2, (unsigned)t / 2 + 1, 1), 0),
          cudaErrorInvalidConfiguration);
    FAILS(LAUNCH(nothing_stub, dims(1, 1, 1), dims(1, 1, (unsigned)p.maxThreadsDim[2] + 1), 0),
          cudaErrorInvalidConfiguration);
    FAILS(LAUNCH(nothing_stub, dims(0, 1, 1), dims(1, 1, 1), 0), cudaErrorInvalidConfiguration);
    FAILS(LAUNCH(nothing_stub, dims(1, 1, 1), dims(0, 1, 1), 0), cudaErrorInvalidConfiguration);
    FAILS(LAUNCH(nothing_stub, dims(1, (unsigned)p.maxGridSize[1] + 1, 1), dims(1, 1, 1), 0),
          cudaErrorInvalidConfiguration);
    FAILS(LAUNCH(few_stub, dims(1, 1, 1), dims(65, 1, 1), 0), cudaErrorLaunchOutOfResources);
    OK(LAUNCH(few_stub, dims(1, 1, 1), dims(64, 1, 1), 0));
    OK(LAUNCH(nothing_stub, dims(1, 1, 1), dims(1, 1, 1), p.sharedMemPerBlock));
    FAILS(LAUNCH(nothing_stub, dims(1, 1, 1), dims(1, 1, 1), p.sharedMemPerBlock + 1),
          cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(&nothing_stub, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            (int)p.sharedMemPerBlockOptin));
    OK(LAUNCH(nothing_stub, dims(1, 1, 1), dims(1, 1, 1), p.sharedMemPerBlockOptin));
    FAILS(LAUNCH(nothing_stub, dims(1, 1, 1), dims(1, 1, 1), p.sharedMemPerBlockOptin + 1),
          cudaErrorInvalidValue);
    FAILS(cudaFuncSetAttribute(&nothing_stub, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)p.sharedMemPerBlockOptin + 1),
          cudaErrorInvalidValue);
    FAILS(cudaFuncSetAttribute(&shared_stub, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)p.sharedMemPerBlockOptin - 1023),
          cudaErrorInvalidValue);
    FAILS(LAUNCH(unknown_stub, dims(1, 1, 1), dims(1, 1, 1), 0), cudaErrorInvalidDeviceFunction);
    FAILS(LAUNCH(missing_stub, dims(1, 1, 1), dims(1, 1, 1), 0), cudaErrorInvalidDeviceFunction);
    FAILS(cudaLaunchKernel(&add_stub, dims(1, 1, 1), dims(1, 1, 1), none, 0, NULL),
          cudaErrorInvalidValue);
    /* None of them stays; each was the last error once. */
    assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidValue);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
}

static void
cooperative(void **state)
{
    void *none[1] = {NULL};
    struct cudaDeviceProp p;
    int blocks;
    OK(cudaGetDeviceProperties(&p, 0));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &nothing_stub, 1024, 0));
    assert_int_equal(blocks, p.maxThreadsPerMultiProcessor / 1024);
    unsigned most = (unsigned)(blocks * p.multiProcessorCount);
    OK(cudaLaunchCooperativeKernel(&nothing_stub, dims(most, 1, 1), dims(1024, 1, 1), none, 0,
                                   NULL));
    FAILS(cudaLaunchCooperativeKernel(&nothing_stub, dims(most + 1, 1, 1), dims(1024, 1, 1), none,
                                      0, NULL),
          cudaErrorCooperativeLaunchTooLarge);
    FAILS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &nothing_stub, 0, 0),
          cudaErrorInvalidValue);
    size_t room;
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, &nothing_stub, 2, 128));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &nothing_stub, 128, room));
    assert_true(blocks >= 2);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &nothing_stub, 128, room + 1));
    assert_true(blocks < 2);
    cudaGetLastError();
}

static void
symbols(void **state)
{
    int table[16], got[16], *d, value = 100;
    size_t size;
    void *at;
    for (int k = 0; k < 16; k++)
        table[k] = k * k;
    OK(cudaMalloc((void **)&d, 64));
    OK(cudaMemcpyFromSymbol(&value, &counter_shadow, 4, 0, cudaMemcpyDeviceToHost));
    assert_int_equal(value, 5);
    value = 100;
    OK(cudaMemcpyToSymbol(table_shadow, table, 64, 0, cudaMemcpyHostToDevice));
    OK(cudaMemcpyToSymbolAsync(&counter_shadow, &value, 4, 0, cudaMemcpyHostToDevice, NULL));
    void *args[] = {&d};
    OK(cudaLaunchKernel(&from_table_stub, dims(1, 1, 1), dims(16, 1, 1), args, 0, NULL));
    OK(cudaMemcpy(got, d, 64, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 16; k++)
        assert_int_equal(got[k], k * k + 100);
    OK(cudaMemcpyFromSymbol(got, table_shadow, 8, 56, cudaMemcpyDeviceToHost));
    assert_int_equal(got[1], 225);
    OK(cudaGetSymbolSize(&size, table_shadow));
    assert_int_equal(size, 64);
    OK(cudaGetSymbolAddress(&at, &counter_shadow));
    OK(cudaMemcpy(&value, at, 4, cudaMemcpyDeviceToHost));
    assert_int_equal(value, 100);
    FAILS(cudaMemcpyToSymbol(table_shadow, table, 64, 1, cudaMemcpyHostToDevice),
          cudaErrorInvalidValue);
    FAILS(cudaMemcpyToSymbol(table_shadow, table, 64, 0, cudaMemcpyDeviceToHost),
          cudaErrorInvalidMemcpyDirection);
    FAILS(cudaMemcpyToSymbol("table", table, 64, 0, cudaMemcpyHostToDevice),
          cudaErrorInvalidSymbol);
    OK(cudaFree(d));
    cudaGetLastError();
}

static void
attributes(void **state)
{
    struct cudaFuncAttributes a;
    const char *name;
    OK(cudaFuncGetAttributes(&a, &shared_stub));
    assert_int_equal(a.sharedSizeBytes, 1024);
    assert_int_equal(a.constSizeBytes, 64);
    assert_int_equal(a.ptxVersion, 80);
    assert_true(a.numRegs > 0);
    OK(cudaFuncGetAttributes(&a, &few_stub));
    assert_int_equal(a.maxThreadsPerBlock, 64);
    OK(cudaFuncGetName(&name, &few_stub));
    assert_string_equal(name, "few");
    OK(cudaFuncSetCacheConfig(&few_stub, cudaFuncCachePreferL1));
    FAILS(cudaFuncGetAttributes(NULL, &few_stub), cudaErrorInvalidValue);
    FAILS(cudaFuncGetAttributes(&a, &unknown_stub), cudaErrorInvalidDeviceFunction);
    cudaGetLastError();
}

static void
sticky(void **state)
{
    void *none[1] = {NULL}, *p;
    int count;
    /* The launch is fine; what it does is found by whoever asks next, for ever. */
    OK(cudaLaunchKernel(&stop_stub, dims(1, 1, 1), dims(1, 1, 1), none, 0, NULL));
    FAILS(cudaPeekAtLastError(), cudaErrorLaunchFailure);
    FAILS(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    FAILS(cudaGetLastError(), cudaErrorLaunchFailure);
    FAILS(cudaGetLastError(), cudaErrorLaunchFailure);
    FAILS(cudaMalloc(&p, 4), cudaErrorLaunchFailure);
    FAILS(cudaLaunchKernel(&nothing_stub, dims(1, 1, 1), dims(1, 1, 1), none, 0, NULL),
          cudaErrorLaunchFailure);
    OK(cudaGetDeviceCount(&count));
    OK(cudaDeviceReset());
    OK(cudaGetLastError());
    OK(cudaMalloc(&p, 4));
    OK(cudaLaunchKernel(&nothing_stub, dims(1, 1, 1), dims(1, 1, 1), none, 0, NULL));
    OK(cudaDeviceSynchronize());
    /* Variables begin anew. */
    OK(cudaMemcpyFromSymbol(&count, &counter_shadow, 4, 0, cudaMemcpyDeviceToHost));
    assert_int_equal(count, 5);
}

static void
illegal_address(void **state)
{
    int *wild = (int *)0x10000;
    OK(add_on(wild, 1, 1, 1, 32, NULL));
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    int *d;
    OK(cudaMalloc((void **)&d, 1 << 20));
    OK(cudaFree(d));
    OK(add_on(d, 1, 1, 1, 32, NULL));
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
}

/* -- graphs ------------------------------------------------------------------------------------ */

static void
count_call(void *data)
{
    ++*(int *)data;
}

static void
explicit_graph(void **state)
{
    int *d, n = 100, two = 2, calls = 0, out[100], *other;
    OK(cudaMalloc((void **)&d, 400));
    OK(cudaMalloc((void **)&other, 400));
    cudaGraph_t g;
    cudaGraphNode_t set, add, get, call;
    cudaGraphExec_t x;
    OK(cudaGraphCreate(&g, 0));
    struct cudaMemsetParams m = {
        .dst = d, .value = 0x01010101, .elementSize = 4, .width = 100, .height = 1};
    void *args[] = {&d, &n, &two};
    struct cudaKernelNodeParams k = {&add_stub, {1, 1, 1}, {128, 1, 1}, 0, args, NULL}, back;
    struct cudaHostNodeParams h = {count_call, &calls};
    OK(cudaGraphAddMemsetNode(&set, g, NULL, 0, &m));
    OK(cudaGraphAddKernelNode(&add, g, &set, 1, &k));
    OK(cudaGraphAddMemcpyNode1D(&get, g, &add, 1, out, d, 400, cudaMemcpyDeviceToHost));
    OK(cudaGraphAddHostNode(&call, g, &get, 1, &h));
    OK(cudaGraphKernelNodeGetParams(add, &back));
    assert_ptr_equal(back.func, &add_stub);
    assert_int_equal(*(int *)back.kernelParams[2], 2);
    size_t count = 0;
    OK(cudaGraphGetNodes(g, NULL, &count));
    assert_int_equal(count, 4);
    OK(cudaGraphGetEdges(g, NULL, NULL, &count));
    assert_int_equal(count, 3);
    OK(cudaGraphInstantiate(&x, g, 0));
    two = 50; /* arguments were copied */
    OK(cudaGraphLaunch(x, NULL));
    OK(cudaStreamSynchronize(NULL));
    assert_int_equal(out[0], 0x01010103);
    assert_int_equal(out[99], 0x01010103);
    OK(cudaGraphExecKernelNodeSetParams(x, add, &k));
    OK(cudaGraphLaunch(x, NULL));
    assert_int_equal(out[99], 0x01010101 + 50);
    OK(cudaGraphNodeSetEnabled(x, add, 0));
    OK(cudaGraphDestroy(g));
    OK(cudaGraphLaunch(x, NULL));
    assert_int_equal(out[99], 0x01010101);
    assert_int_equal(calls, 3);
    OK(cudaGraphExecDestroy(x));
    FAILS(cudaGraphLaunch(x, NULL), cudaErrorInvalidValue);
    cudaGetLastError();
    OK(cudaFree(d));
    OK(cudaFree(other));
}

/* Nothing is taken out of a graph that allocates. */
static void
removal(void **state)
{
    cudaGraph_t g, other;
    cudaGraphNode_t memory, first, second;
    struct cudaMemAllocNodeParams p = {
        .poolProps = {.allocType = cudaMemAllocationTypePinned,
                      .location = {.type = cudaMemLocationTypeDevice, .id = 0}},
        .bytesize = 256};
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddEmptyNode(&first, g, NULL, 0));
    OK(cudaGraphAddEmptyNode(&second, g, &first, 1));
    OK(cudaGraphCreate(&other, 0));
    FAILS(cudaGraphRemoveDependencies(other, &first, &second, 1), cudaErrorInvalidValue);
    OK(cudaGraphRemoveDependencies(g, &first, &second, 1));
    FAILS(cudaGraphAddDependencies(other, &first, &second, 1), cudaErrorInvalidValue);
    OK(cudaGraphAddDependencies(g, &first, &second, 1));
    OK(cudaGraphDestroy(other));
    OK(cudaGraphAddMemAllocNode(&memory, g, NULL, 0, &p));
    FAILS(cudaGraphRemoveDependencies(g, &first, &second, 1), cudaErrorInvalidValue);
    FAILS(cudaGraphDestroyNode(first), cudaErrorInvalidValue);
    cudaGetLastError();
    OK(cudaGraphDestroy(g));
}

static void
captured_graph(void **state)
{
    int *d, n = 64, out[64], v = 3;
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    cudaGraph_t g;
    cudaGraphExec_t x;
    enum cudaStreamCaptureStatus status;
    OK(cudaMalloc((void **)&d, 256));
    OK(cudaMemset(d, 0, 256));
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreate(&b));
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    OK(cudaStreamIsCapturing(a, &status));
    assert_int_equal(status, cudaStreamCaptureStatusActive);
    OK(add_on(d, n, v, 1, 64, a));
    OK(cudaEventRecord(fork, a));
    OK(cudaStreamWaitEvent(b, fork, 0));
    OK(add_on(d, 32, 10, 1, 64, b));
    OK(cudaEventRecord(join, b));
    OK(cudaStreamWaitEvent(a, join, 0));
    OK(cudaMemcpyAsync(out, d, 256, cudaMemcpyDeviceToHost, a));
    OK(cudaStreamEndCapture(a, &g));
    cudaGetLastError();
    size_t count;
    OK(cudaGraphGetNodes(g, NULL, &count));
    assert_int_equal(count, 3);
    /* Nothing ran yet. */
    OK(cudaMemcpy(out, d, 256, cudaMemcpyDeviceToHost));
    assert_int_equal(out[0], 0);
    OK(cudaGraphInstantiate(&x, g, 0));
    for (int k = 1; k <= 3; k++) {
        OK(cudaGraphLaunch(x, b));
        assert_int_equal(out[0], 13 * k);
        assert_int_equal(out[63], 3 * k);
    }
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    FAILS(cudaMemset(d, 0, 4), cudaErrorStreamCaptureImplicit);
    FAILS(cudaStreamSynchronize(a), cudaErrorStreamCaptureInvalidated);
    FAILS(cudaStreamEndCapture(a, &g), cudaErrorStreamCaptureInvalidated);
    assert_null(g);
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    OK(cudaEventRecord(fork, a));
    OK(cudaStreamWaitEvent(b, fork, 0));
    OK(add_on(d, 32, 10, 1, 64, b));
    FAILS(cudaStreamEndCapture(b, &g), cudaErrorStreamCaptureUnmatched);
    FAILS(cudaStreamEndCapture(a, &g), cudaErrorStreamCaptureUnjoined);
    FAILS(cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal),
          cudaErrorStreamCaptureUnsupported);
    cudaGetLastError();
    OK(cudaGraphExecDestroy(x));
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
}

int
main(void)
{
    setenv("LOCKSTEP_QUIET", "1", 1);
    setenv("LOCKSTEP_GPU", "a100", 1);
    register_program();
    return UNIT_TESTS(launches, limits, cooperative, symbols, attributes, sticky, illegal_address,
                      explicit_graph, removal, captured_graph);
}
