/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver API: contexts, modules from PTX text, launches, memory, streams, events, graphs,
 * linking, references, libraries, mapped memory, and what must fail.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/unit.h"

#include "cuda.h"
#include "lockstep.h"

#define OK(call) assert_int_equal(call, CUDA_SUCCESS)
#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

/* out[i] = factor * in[i] + offset (a module variable) */
static const char scale[] = HEAD
    ".global .align 4 .f32 offset = 0f3F800000;\n"
    ".visible .entry scale(.param .u64 out, .param .u64 in, .param .f32 factor, .param .u32 n)\n"
    "{\n"
    " .reg .pred %p; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %d<6>;\n"
    " mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    " mad.lo.s32 %r4, %r1, %r2, %r3; ld.param.u32 %r5, [n]; setp.ge.u32 %p, %r4, %r5; @%p ret;\n"
    " ld.param.u64 %d1, [in]; mul.wide.u32 %d2, %r4, 4; add.s64 %d1, %d1, %d2; ld.global.f32 %f1, "
    "[%d1];\n"
    " ld.param.f32 %f2, [factor]; ld.global.f32 %f3, [offset]; fma.rn.f32 %f1, %f1, %f2, %f3;\n"
    " ld.param.u64 %d3, [out]; add.s64 %d3, %d3, %d2; st.global.f32 [%d3], %f1; ret;\n"
    "}\n";

static CUcontext context;

static int
setup(void **state)
{
    (void)state;
    CUdevice d;
    OK(cuInit(0));
    OK(cuDeviceGet(&d, 0));
    OK(cuCtxCreate_v2(&context, 0, d));
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    OK(cuCtxDestroy(context));
    return 0;
}

/* Before everything else: nothing works before cuInit. */
static void
uninitialised(void **state)
{
    (void)state;
    int n;
    CUdeviceptr p;
    assert_int_equal(cuDeviceGetCount(&n), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(cuMemAlloc(&p, 16), CUDA_ERROR_NOT_INITIALIZED);
    OK(cuInit(0));
    assert_int_equal(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemAlloc(&p, 16), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuDeviceGetCount(&n));
    assert_true(n >= 1);
    assert_int_equal(cuDeviceGet(&n, 1000), CUDA_ERROR_INVALID_DEVICE);
}

static void
names(void **state)
{
    (void)state;
    const char *text;
    OK(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text));
    assert_string_equal(text, "CUDA_ERROR_INVALID_VALUE");
    OK(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
    assert_string_equal(text, "out of memory");
    assert_int_equal(cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
    assert_null(text);
}

static void
devices(void **state)
{
    (void)state;
    char name[100];
    int warp, major, minor, threads;
    size_t total;
    CUdevice d = 0;
    CUuuid a, b;
    OK(cuDeviceGetName(name, sizeof name, d));
    assert_true(strlen(name) > 0);
    OK(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, d));
    assert_int_equal(warp, 32);
    OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, d));
    OK(cuDeviceComputeCapability(&minor, &threads, d));
    assert_int_equal(minor, major);
    assert_int_equal(cuDeviceGetAttribute(&warp, (CUdevice_attribute)9999, d),
                     CUDA_ERROR_INVALID_VALUE);
    CUdevprop p;
    OK(cuDeviceGetProperties(&p, d));
    OK(cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, d));
    assert_int_equal(p.maxThreadsPerBlock, threads);
    OK(cuDeviceTotalMem(&total, d));
    assert_true(total > 1u << 20);
    OK(cuDeviceGetUuid(&a, d));
    OK(cuDeviceGetUuid(&b, d));
    assert_memory_equal(&a, &b, sizeof a);
    OK(cuDeviceGetPCIBusId(name, sizeof name, d));
    d = 77;
    OK(cuDeviceGetByPCIBusId(&d, name));
    assert_int_equal(d, 0);
}

static void
contexts(void **state)
{
    (void)state;
    CUcontext other, now, primary;
    CUdevice d;
    unsigned flags;
    int active;
    OK(cuCtxCreate_v2(&other, CU_CTX_SCHED_SPIN, 0));
    OK(cuCtxGetCurrent(&now));
    assert_ptr_equal(now, other);
    OK(cuCtxGetFlags(&flags));
    assert_int_equal(flags, CU_CTX_SCHED_SPIN);
    OK(cuCtxPopCurrent(&now));
    assert_ptr_equal(now, other);
    OK(cuCtxGetCurrent(&now));
    assert_ptr_equal(now, context);
    OK(cuCtxPushCurrent(other));
    OK(cuCtxGetDevice(&d));
    assert_int_equal(d, 0);
    OK(cuCtxDestroy(other));
    assert_int_equal(cuCtxDestroy(other), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxGetCurrent(&now));
    assert_ptr_equal(now, context);
    OK(cuDevicePrimaryCtxRetain(&primary, 0));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_true(active);
    assert_int_equal(cuCtxDestroy(primary), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuCtxSynchronize());
}

/* What a context owns ends with it. */
static void
context_owns(void **state)
{
    (void)state;
    CUcontext other;
    CUdeviceptr p;
    CUmodule m;
    CUfunction f;
    OK(cuCtxCreate_v2(&other, 0, 0));
    OK(cuMemAlloc(&p, 1 << 20));
    OK(cuModuleLoadData(&m, scale));
    OK(cuCtxDestroy(other));
    assert_int_equal(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuModuleGetFunction(&f, m, "scale"), CUDA_ERROR_INVALID_HANDLE);
}

enum { N = 1001 };

static void
launches(void **state)
{
    (void)state;
    CUmodule m;
    CUfunction f;
    CUdeviceptr in, out, offset;
    size_t size;
    float host[N], back[N], factor = 2.5f, more = 10;
    unsigned n = N;
    for (int k = 0; k < N; k++)
        host[k] = (float)k;
    OK(cuModuleLoadData(&m, scale));
    OK(cuModuleGetFunction(&f, m, "scale"));
    assert_int_equal(cuModuleGetFunction(&f, m, "scales"), CUDA_ERROR_NOT_FOUND);
    OK(cuModuleGetFunction(&f, m, "scale"));
    OK(cuMemAlloc(&in, sizeof host));
    OK(cuMemAlloc(&out, sizeof host));
    OK(cuMemcpyHtoD(in, host, sizeof host));
    void *args[] = {&out, &in, &factor, &n};
    OK(cuLaunchKernel(f, (N + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
    OK(cuMemcpyDtoH(back, out, sizeof back));
    for (int k = 0; k < N; k++)
        assert_float_equal(back[k], 2.5f * (float)k + 1, 0);
    /* a module's variable, and parameters as a block */
    OK(cuModuleGetGlobal(&offset, &size, m, "offset"));
    assert_int_equal(size, 4);
    OK(cuMemcpyHtoD(offset, &more, sizeof more));
    struct {
        CUdeviceptr out, in;
        float factor;
        unsigned n;
    } block = {out, in, -1, N};
    size = sizeof block;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    OK(cuMemsetD8(out, 0, sizeof back));
    OK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
    OK(cuMemcpyDtoH(back, out, sizeof back));
    for (int k = 0; k < N; k++)
        assert_float_equal(back[k], 10 - (float)k, 0);
    /* the oldest way: shape and parameters set on the function */
    OK(cuFuncSetBlockShape(f, 256, 1, 1));
    OK(cuParamSetv(f, 0, &block, sizeof block));
    OK(cuParamSetf(f, 16, 4.0f));
    OK(cuParamSeti(f, 20, 5));
    OK(cuParamSetSize(f, sizeof block));
    OK(cuLaunchGrid(f, 1, 1));
    OK(cuMemcpyDtoH(back, out, sizeof back));
    assert_float_equal(back[4], 26, 0);
    assert_float_equal(back[5], 5, 0); /* n was 5 */
    /* what must fail */
    assert_int_equal(cuLaunchKernel(f, 1, 1, 1, 4096, 1, 1, 0, NULL, args, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(f, 0, 1, 1, 32, 1, 1, 0, NULL, args, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchKernel((CUfunction)args, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL),
                     CUDA_ERROR_INVALID_HANDLE);
    OK(cuMemFree(in));
    OK(cuMemFree(out));
    OK(cuModuleUnload(m));
    assert_int_equal(cuModuleUnload(m), CUDA_ERROR_INVALID_HANDLE);
}

static void
functions(void **state)
{
    (void)state;
    CUmodule m, from;
    CUfunction f, all[2];
    const char *name;
    size_t offset, size;
    int value, blocks, grid;
    unsigned count;
    OK(cuModuleLoadDataEx(&m, scale, 0, NULL, NULL));
    OK(cuModuleGetFunction(&f, m, "scale"));
    OK(cuFuncGetName(&name, f));
    assert_string_equal(name, "scale");
    OK(cuFuncGetModule(&from, f));
    assert_ptr_equal(from, m);
    OK(cuModuleGetFunctionCount(&count, m));
    assert_int_equal(count, 1);
    OK(cuModuleEnumerateFunctions(all, 1, m));
    assert_ptr_equal(all[0], f);
    OK(cuFuncGetParamInfo(f, 2, &offset, &size));
    assert_int_equal(offset, 16);
    assert_int_equal(size, 4);
    assert_int_equal(cuFuncGetParamInfo(f, 4, &offset, &size), CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, f));
    assert_int_equal(value, 70);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    assert_true(value >= 256);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 128, 0));
    assert_true(blocks >= 1);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &value, f, NULL, 0, 0));
    assert_true(value % 32 == 0 && grid >= 1);
    OK(cuModuleUnload(m));
}

/* Text that is wrong: the error, and the log that says where. */
static void
wrong_text(void **state)
{
    (void)state;
    CUmodule m;
    char log[400] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    setenv("LOCKSTEP_QUIET", "1", 1);
    assert_int_equal(
        cuModuleLoadDataEx(&m, HEAD ".entry k()\n{\n frobnicate.u32 %r1;\n}\n", 2, options, values),
        CUDA_ERROR_INVALID_PTX);
    assert_non_null(strstr(log, "frobnicate"));
    assert_int_equal(cuModuleLoadData(&m, "\x7f"
                                          "ELF\2\1\1"),
                     CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_int_equal(cuModuleLoad(&m, "/nowhere.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
    unsetenv("LOCKSTEP_QUIET");
}

static void
linking(void **state)
{
    (void)state;
    static char a[] =
        HEAD ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
             ".visible .entry k(.param .u64 p) {\n .reg .b64 %d; .reg .b32 %r<3>;\n"
             " .param .b32 x; .param .b32 r; ld.param.u64 %d, [p]; ld.global.u32 %r1, [%d];\n"
             " st.param.b32 [x], %r1; call (r), twice, (x); ld.param.b32 %r2, [r];\n"
             " st.global.u32 [%d], %r2; ret;\n}\n";
    static char b[] =
        HEAD ".visible .func (.param .b32 r) twice(.param .b32 x) {\n .reg .b32 %r;\n"
             " ld.param.b32 %r, [x]; add.u32 %r, %r, %r; st.param.b32 [r], %r; ret;\n}\n";
    CUlinkState s;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    void *image;
    size_t size;
    unsigned value = 21;
    OK(cuLinkCreate(0, NULL, NULL, &s));
    OK(cuLinkAddData(s, CU_JIT_INPUT_PTX, a, sizeof a, "a", 0, NULL, NULL));
    OK(cuLinkAddData(s, CU_JIT_INPUT_PTX, b, sizeof b, "b", 0, NULL, NULL));
    OK(cuLinkComplete(s, &image, &size));
    OK(cuModuleLoadData(&m, image));
    OK(cuLinkDestroy(s));
    OK(cuModuleGetFunction(&f, m, "k"));
    OK(cuMemAlloc(&p, 4));
    OK(cuMemcpyHtoD(p, &value, 4));
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&p}, NULL));
    OK(cuMemcpyDtoH(&value, p, 4));
    assert_int_equal(value, 42);
    OK(cuMemFree(p));
    OK(cuModuleUnload(m));
}

static void
memory(void **state)
{
    (void)state;
    CUdeviceptr p, q, base;
    size_t pitch, size, left, total;
    unsigned char rows[3][100], back[3][100];
    unsigned type;
    void *host;
    for (unsigned k = 0; k < sizeof rows; k++)
        (&rows[0][0])[k] = (unsigned char)(k * 7);
    OK(cuMemGetInfo(&left, &total));
    assert_true(left <= total);
    OK(cuMemAllocPitch(&p, &pitch, 100, 3, 4));
    assert_true(pitch >= 100);
    CUDA_MEMCPY2D to = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = rows,
                        .srcPitch = 100,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstDevice = p,
                        .dstPitch = pitch,
                        .WidthInBytes = 100,
                        .Height = 3};
    OK(cuMemcpy2D(&to));
    OK(cuMemsetD2D8(p + 10, pitch, 0xee, 5, 2));
    CUDA_MEMCPY2D from = {.dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = back,
                          .dstPitch = 100,
                          .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = p,
                          .srcPitch = pitch,
                          .WidthInBytes = 100,
                          .Height = 3};
    OK(cuMemcpy2D(&from));
    memset(&rows[0][10], 0xee, 5);
    memset(&rows[1][10], 0xee, 5);
    assert_memory_equal(rows, back, sizeof rows);
    OK(cuMemGetAddressRange(&base, &size, p + 17));
    assert_int_equal(base, p);
    assert_int_equal(size, 3 * pitch);
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
    OK(cuMemHostAlloc(&host, 64, CU_MEMHOSTALLOC_DEVICEMAP));
    OK(cuMemHostGetDevicePointer(&q, host, 0));
    OK(cuMemsetD32(q, 0x01020304, 16));
    assert_int_equal(((unsigned *)host)[15], 0x01020304);
    OK(cuMemFreeHost(host));
    assert_int_equal(cuMemHostGetDevicePointer(&q, &type, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAllocManaged(&q, 4096, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemPrefetchAsync(q, 4096, 0, NULL));
    OK(cuMemFree(q));
    assert_int_equal(cuMemcpyDtoH(back, p + 3 * pitch - 4, 8), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(p));
    assert_int_equal(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemAlloc(&p, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemAlloc(&p, (size_t)1 << 60), CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuMemAllocAsync(&p, 256, NULL));
    OK(cuMemFreeAsync(p, NULL));
}

static void
called(void *data)
{
    ++*(int *)data;
}

static void
told(CUstream s, CUresult r, void *data)
{
    (void)s;
    *(int *)data = 100 + (int)r;
}

static void
streams(void **state)
{
    (void)state;
    CUstream s;
    CUevent a, b;
    CUcontext c;
    float ms = -1;
    int count = 0, priority;
    OK(cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, -1));
    OK(cuStreamGetPriority(s, &priority));
    assert_int_equal(priority, -1);
    OK(cuStreamGetCtx(NULL, &c));
    assert_ptr_equal(c, context);
    OK(cuEventCreate(&a, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&b, CU_EVENT_DEFAULT));
    OK(cuEventRecord(a, s));
    OK(cuLaunchHostFunc(s, called, &count));
    OK(cuEventRecord(b, s));
    OK(cuStreamWaitEvent(NULL, b, 0));
    OK(cuEventSynchronize(b));
    assert_int_equal(count, 1);
    OK(cuEventElapsedTime(&ms, a, b));
    assert_true(ms >= 0);
    OK(cuStreamAddCallback(s, told, &count, 0));
    assert_int_equal(count, 100);
    OK(cuStreamQuery(s));
    OK(cuStreamSynchronize(s));
    OK(cuEventDestroy(a));
    assert_int_equal(cuEventDestroy(a), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventDestroy(b));
    OK(cuStreamDestroy(s));
    assert_int_equal(cuStreamSynchronize(s), CUDA_ERROR_INVALID_HANDLE);
}

static void
roots(CUgraph g, CUgraphNode first)
{
    CUgraphNode second, found[3];
    size_t count = 0;
    OK(cuGraphGetRootNodes(g, NULL, &count));
    assert_int_equal(count, 1);
    OK(cuGraphAddEmptyNode(&second, g, NULL, 0));
    count = 3;
    OK(cuGraphGetRootNodes(g, found, &count));
    assert_int_equal(count, 2);
    assert_true(found[0] == first && found[1] == second && !found[2]);
    found[1] = NULL;
    count = 1;
    OK(cuGraphGetRootNodes(g, found, &count));
    assert_int_equal(count, 1);
    assert_true(found[0] == first && !found[1]);
    assert_int_equal(cuGraphGetRootNodes(NULL, found, &count), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphGetRootNodes(g, found, NULL), CUDA_ERROR_INVALID_VALUE);
}

static void
dependencies(CUgraphNode first, CUgraphNode second)
{
    CUgraphNode found[2];
    size_t count = 7;
    OK(cuGraphNodeGetDependencies(first, NULL, &count));
    assert_int_equal(count, 0);
    count = 2;
    OK(cuGraphNodeGetDependencies(second, found, &count));
    assert_int_equal(count, 1);
    assert_true(found[0] == first && !found[1]);
    assert_int_equal(cuGraphNodeGetDependencies(NULL, found, &count), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphNodeGetDependencies(first, found, NULL), CUDA_ERROR_INVALID_VALUE);
}

/* A node that depends on two is taken from one of them, and then the other goes. */
static void
removal(void)
{
    CUgraph g, other;
    CUgraphNode first, second, both, far, found[2];
    size_t count;
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphCreate(&other, 0));
    OK(cuGraphAddEmptyNode(&first, g, NULL, 0));
    OK(cuGraphAddEmptyNode(&second, g, NULL, 0));
    OK(cuGraphAddEmptyNode(&both, g, (CUgraphNode[]){first, second}, 2));
    OK(cuGraphAddEmptyNode(&far, other, NULL, 0));
    OK(cuGraphRemoveDependencies(g, NULL, NULL, 0));
    OK(cuGraphAddDependencies(g, NULL, NULL, 0));
    assert_int_equal(cuGraphAddDependencies(other, &first, &second, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphRemoveDependencies(g, &first, &both, 1));
    count = 2;
    OK(cuGraphNodeGetDependencies(both, found, &count));
    assert_int_equal(count, 1);
    assert_true(found[0] == second);
    assert_int_equal(cuGraphRemoveDependencies(g, &first, &both, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphRemoveDependencies(g, &far, &both, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphRemoveDependencies(other, &second, &both, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphRemoveDependencies(NULL, &second, &both, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphRemoveDependencies(g, NULL, &both, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphRemoveDependencies(g, &second, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphDestroyNode(second));
    assert_int_equal(cuGraphDestroyNode(second), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphDestroyNode(NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphGetNodes(g, NULL, &count));
    assert_int_equal(count, 2);
    OK(cuGraphNodeGetDependencies(both, NULL, &count));
    assert_int_equal(count, 0);
    OK(cuGraphDestroy(g));
    OK(cuGraphDestroy(other));
}

/* The calls of CUDA 10, by their names: what lies behind their shorter parameters is not read. */
static void
first_graph_calls(void **state)
{
    (void)state;
    CUresult (*add)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
                    const CUDA_KERNEL_NODE_PARAMS_v1 *);
    CUresult (*set)(CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS_v1 *);
    CUmodule m;
    CUgraph g;
    CUgraphNode node;
    CUgraphExec x;
    CUdeviceptr p;
    float one = 1, back, factor = 3;
    unsigned n = 1;
    struct {
        CUDA_KERNEL_NODE_PARAMS_v1 params;
        uint64_t behind[2];
    } run = {{.gridDimX = 1,
              .gridDimY = 1,
              .gridDimZ = 1,
              .blockDimX = 32,
              .blockDimY = 1,
              .blockDimZ = 1,
              .kernelParams = (void *[]){&p, &p, &factor, &n}},
             {0x5a5a5a5a5a5a5a5a, 0x5a5a5a5a5a5a5a5a}};
    OK(cuGetProcAddress("cuGraphAddKernelNode", (void **)&add, 10000, 0, NULL));
    OK(cuGetProcAddress("cuGraphExecKernelNodeSetParams", (void **)&set, 11000, 0, NULL));
    OK(cuModuleLoadData(&m, scale));
    OK(cuModuleGetFunction(&run.params.func, m, "scale"));
    OK(cuMemAlloc(&p, 4));
    OK(cuMemcpyHtoD(p, &one, 4));
    OK(cuGraphCreate(&g, 0));
    assert_int_equal(add(&node, g, NULL, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(add(&node, g, NULL, 0, &run.params));
    OK(cuGraphInstantiate(&x, g, 0));
    OK(cuGraphLaunch(x, NULL));
    OK(cuMemcpyDtoH(&back, p, 4));
    assert_float_equal(back, 4, 0); /* 3 * 1 + 1 */
    factor = 5;
    OK(set(x, node, &run.params));
    OK(cuGraphLaunch(x, NULL));
    OK(cuMemcpyDtoH(&back, p, 4));
    assert_float_equal(back, 21, 0);
    OK(cuGraphExecDestroy(x));
    OK(cuGraphDestroy(g));
    OK(cuMemFree(p));
    OK(cuModuleUnload(m));
}

/* What the kernel left stays there while it is switched off. */
static void
enabled(CUgraph g, CUgraphNode kernel, CUdeviceptr out, const float *back)
{
    CUgraphNode empty;
    CUgraphExec x;
    unsigned on = 7;
    OK(cuGraphAddEmptyNode(&empty, g, NULL, 0));
    OK(cuGraphInstantiate(&x, g, 0));
    OK(cuGraphNodeGetEnabled(x, kernel, &on));
    assert_int_equal(on, 1);
    OK(cuGraphNodeSetEnabled(x, kernel, 0));
    OK(cuGraphNodeGetEnabled(x, kernel, &on));
    assert_int_equal(on, 0);
    OK(cuMemsetD32(out, 0x40400000, 4));
    OK(cuGraphLaunch(x, NULL));
    assert_float_equal(back[0], 3, 0);
    OK(cuGraphNodeSetEnabled(x, kernel, 1));
    OK(cuGraphLaunch(x, NULL));
    assert_float_equal(back[0], 7, 0);
    assert_int_equal(cuGraphNodeSetEnabled(NULL, kernel, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphNodeSetEnabled(x, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphNodeSetEnabled(x, empty, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphNodeGetEnabled(x, empty, &on), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphNodeGetEnabled(x, kernel, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphExecDestroy(x));
}

static void
graphs(void **state)
{
    (void)state;
    CUmodule m;
    CUfunction f;
    CUgraph g;
    CUgraphNode fill, kernel, copy;
    CUgraphExec x;
    CUstream s;
    CUdeviceptr in, out;
    float back[4], factor = 3;
    unsigned n = 4;
    size_t count = 0;
    OK(cuModuleLoadData(&m, scale));
    OK(cuModuleGetFunction(&f, m, "scale"));
    OK(cuMemAlloc(&in, 16));
    OK(cuMemAlloc(&out, 16));
    OK(cuGraphCreate(&g, 0));
    CUDA_MEMSET_NODE_PARAMS set = {
        .dst = in, .value = 0x40000000, .elementSize = 4, .width = 4, .height = 1};
    CUDA_KERNEL_NODE_PARAMS run = {.func = f,
                                   .gridDimX = 1,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = 32,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .kernelParams = (void *[]){&out, &in, &factor, &n}};
    CUDA_MEMCPY3D get = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .srcDevice = out,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = back,
                         .WidthInBytes = 16,
                         .Height = 1,
                         .Depth = 1};
    OK(cuGraphAddMemsetNode(&fill, g, NULL, 0, &set, context));
    OK(cuGraphAddKernelNode(&kernel, g, &fill, 1, &run));
    OK(cuGraphAddMemcpyNode(&copy, g, &kernel, 1, &get, context));
    OK(cuGraphGetNodes(g, NULL, &count));
    assert_int_equal(count, 3);
    roots(g, fill);
    dependencies(fill, kernel);
    removal();
    OK(cuGraphInstantiate(&x, g, 0));
    OK(cuGraphLaunch(x, NULL));
    assert_float_equal(back[3], 7, 0);
    factor = 5;
    OK(cuGraphExecKernelNodeSetParams(x, kernel, &run));
    OK(cuGraphLaunch(x, NULL));
    assert_float_equal(back[0], 11, 0);
    OK(cuGraphExecDestroy(x));
    enabled(g, kernel, out, back);
    OK(cuGraphDestroy(g));
    assert_int_equal(cuGraphLaunch(x, NULL), CUDA_ERROR_INVALID_VALUE);
    /* by capture */
    OK(cuStreamCreate(&s, 0));
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemsetD32Async(in, 0, 4, s));
    OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s, run.kernelParams, NULL));
    OK(cuMemcpyDtoHAsync(back, out, 16, s));
    back[0] = -1;
    OK(cuStreamEndCapture(s, &g));
    assert_float_equal(back[0], -1, 0); /* nothing has run yet */
    OK(cuGraphInstantiate(&x, g, 0));
    OK(cuGraphLaunch(x, s));
    OK(cuStreamSynchronize(s));
    assert_float_equal(back[0], 1, 0);
    OK(cuGraphExecDestroy(x));
    OK(cuGraphDestroy(g));
    OK(cuStreamDestroy(s));
    OK(cuMemFree(in));
    OK(cuMemFree(out));
    OK(cuModuleUnload(m));
}

/* A texture reference of a module, set up in any order, and an object. */
static void
textures(void **state)
{
    (void)state;
    static const char text[] = HEAD
        ".global .texref picture;\n"
        ".visible .entry look(.param .u64 out, .param .u64 object) {\n"
        " .reg .f32 %f<10>; .reg .b64 %d<3>; .reg .b32 %r;\n"
        " ld.param.u64 %d1, [out]; mov.f32 %f1, 0f3FC00000; mov.f32 %f2, 0f3F000000;\n"
        " tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [picture, {%f1,%f2}]; st.global.f32 [%d1], %f3;\n"
        " ld.param.u64 %d2, [object];\n"
        " tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [%d2, {%f1,%f2}]; st.global.f32 [%d1+4], %f3; "
        "ret;\n}\n";
    CUmodule m;
    CUfunction f;
    CUtexref ref;
    CUarray array;
    CUtexObject object;
    CUdeviceptr out;
    float data[2][3] = {{1, 2, 3}, {4, 5, 6}}, back[2];
    CUDA_ARRAY_DESCRIPTOR d = {3, 2, CU_AD_FORMAT_FLOAT, 1};
    OK(cuArrayCreate(&array, &d));
    CUDA_MEMCPY2D to = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = data,
                        .srcPitch = 12,
                        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                        .dstArray = array,
                        .WidthInBytes = 12,
                        .Height = 2};
    OK(cuMemcpy2D(&to));
    OK(cuModuleLoadData(&m, text));
    OK(cuModuleGetFunction(&f, m, "look"));
    OK(cuModuleGetTexRef(&ref, m, "picture"));
    OK(cuTexRefSetArray(ref, array, CU_TRSA_OVERRIDE_FORMAT));
    OK(cuTexRefSetFilterMode(ref, CU_TR_FILTER_MODE_POINT));
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    resource.res.array.hArray = array;
    CUDA_TEXTURE_DESC reading = {.flags = CU_TRSF_NORMALIZED_COORDINATES,
                                 .addressMode = {CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_WRAP}};
    OK(cuTexObjectCreate(&object, &resource, &reading, NULL));
    OK(cuMemAlloc(&out, 8));
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&out, &object}, NULL));
    OK(cuMemcpyDtoH(back, out, 8));
    assert_float_equal(back[0], 2, 0); /* texel (1, 0) */
    assert_float_equal(back[1], 5, 0); /* (1.5, 0.5) wraps to the middle: texel (1, 1) */
    OK(cuTexObjectDestroy(object));
    assert_int_equal(cuTexObjectDestroy(object), CUDA_ERROR_INVALID_VALUE);
    OK(cuArrayDestroy(array));
    OK(cuMemFree(out));
    OK(cuModuleUnload(m));
}

static void
libraries(void **state)
{
    (void)state;
    CUlibrary l;
    CUkernel k;
    CUfunction f;
    unsigned n;
    OK(cuLibraryLoadData(&l, scale, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernelCount(&n, l));
    assert_int_equal(n, 1);
    OK(cuLibraryGetKernel(&k, l, "scale"));
    OK(cuKernelGetFunction(&f, k));
    CUdeviceptr p;
    float factor = 2;
    unsigned count = 1;
    OK(cuMemAlloc(&p, 4));
    OK(cuMemsetD32(p, 0x3f800000, 1));
    OK(cuLaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&p, &p, &factor, &count},
                      NULL));
    OK(cuMemcpyDtoH(&factor, p, 4));
    assert_float_equal(factor, 3, 0);
    OK(cuMemFree(p));
    OK(cuLibraryUnload(l));
    assert_int_equal(cuKernelGetFunction(&f, k), CUDA_ERROR_INVALID_HANDLE);
}

/* Two pieces of memory side by side in one range are one to a copy; access and mapping are two
 * things. */
static void
mappings(void **state)
{
    (void)state;
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUmemAccessDesc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle a, b, again;
    CUdeviceptr p, alias;
    size_t g;
    int file;
    unsigned value = 0;
    OK(cuMemGetAllocationGranularity(&g, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    OK(cuMemAddressReserve(&p, 2 * g, 0, 0, 0));
    OK(cuMemAddressReserve(&alias, g, 0, 0, 0));
    OK(cuMemCreate(&a, g, &prop, 0));
    OK(cuMemCreate(&b, g, &prop, 0));
    OK(cuMemMap(p, g, 0, a, 0));
    assert_int_equal(cuMemMap(p, g, 0, b, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemMap(p + g, g, 0, b, 0));
    assert_int_equal(cuMemsetD32(p, 1, 1), CUDA_ERROR_INVALID_VALUE); /* no access yet */
    OK(cuMemSetAccess(p, 2 * g, &access, 1));
    OK(cuMemsetD32(p, 0x11111111, 2 * g / 4));
    /* the same memory at another address, by way of a descriptor */
    OK(cuMemExportToShareableHandle(&file, b, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    OK(cuMemImportFromShareableHandle(&again, (void *)(uintptr_t)file,
                                      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(file);
    OK(cuMemMap(alias, g, 0, again, 0));
    OK(cuMemSetAccess(alias, g, &access, 1));
    OK(cuMemsetD32(alias + 8, 7, 1));
    OK(cuMemcpyDtoH(&value, p + g + 8, 4));
    assert_int_equal(value, 7);
    OK(cuMemRelease(a));
    OK(cuMemRelease(b));
    OK(cuMemRelease(again));
    assert_int_equal(cuMemAddressFree(p, 2 * g), CUDA_ERROR_INVALID_VALUE); /* still mapped */
    OK(cuMemUnmap(p, 2 * g));
    OK(cuMemUnmap(alias, g));
    assert_int_equal(cuMemsetD32(p, 1, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAddressFree(p, 2 * g));
    OK(cuMemAddressFree(alias, g));
}

/* A kernel's error stays until its context is destroyed. */
static void
errors(void **state)
{
    (void)state;
    static const char bad[] =
        HEAD ".visible .entry bad(.param .u64 p) {\n .reg .b64 %d; .reg .b32 %r;\n"
             " ld.param.u64 %d, [p]; ld.global.u32 %r, [%d]; add.u32 %r, %r, 1; st.global.u32 "
             "[%d], %r; ret;\n}\n";
    CUcontext own;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p = 64, q;
    setenv("LOCKSTEP_QUIET", "1", 1);
    OK(cuCtxCreate_v2(&own, 0, 0));
    OK(cuModuleLoadData(&m, bad));
    OK(cuModuleGetFunction(&f, m, "bad"));
    cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&p}, NULL);
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(cuMemAlloc(&q, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
    OK(cuCtxDestroy(own));
    OK(cuCtxSynchronize());
    OK(cuMemAlloc(&q, 4));
    OK(cuMemFree(q));
    unsetenv("LOCKSTEP_QUIET");
}

/* The same text again and again on plain host memory. */
static void
emulator(void **state)
{
    (void)state;
    static const char text[] = HEAD ".visible .entry add(.param .u64 a, .param .u64 b, .param .u32 "
                                    "k) {\n .reg .b64 %d<3>; .reg .b32 %r<4>;\n"
                                    " ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; mov.u32 %r1, "
                                    "%ctaid.x; mov.u32 %r2, %ntid.x;\n"
                                    " mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3; "
                                    "cvt.u64.u32 %d0, %r1; shl.b64 %d0, %d0, 2;\n"
                                    " add.u64 %d1, %d1, %d0; add.u64 %d2, %d2, %d0; ld.global.u32 "
                                    "%r1, [%d2]; ld.param.u32 %r2, [k];\n"
                                    " add.u32 %r1, %r1, %r2; st.global.u32 [%d1], %r1; ret;\n}\n";
    unsigned *a = malloc(96 * sizeof *a), *b = malloc(96 * sizeof *b);
    for (unsigned k = 0; k < 96; k++)
        b[k] = k;
    for (unsigned round = 0; round < 3; round++) {
        void *args[] = {a, b, (void *)(uintptr_t)(1000 * round)};
        assert_int_equal(ptx_run(text, 3, args, 32, 1, 1, 3, 1, 1, 0), 0);
        for (unsigned k = 0; k < 96; k++)
            assert_int_equal(a[k], k + 1000 * round);
    }
    setenv("LOCKSTEP_QUIET", "1", 1);
    assert_int_not_equal(ptx_run(text, 2, (void *[]){a, b}, 32, 1, 1, 1, 1, 1, 0), 0);
    assert_int_not_equal(ptx_run("nonsense", 0, NULL, 1, 1, 1, 1, 1, 1, 0), 0);
    unsetenv("LOCKSTEP_QUIET");
    free(a);
    free(b);
}

int
main(void)
{
    int failed = UNIT_TESTS(uninitialised); /* before cuInit */
    return failed + UNIT_TESTS_IN(setup, teardown, names, devices, contexts, context_owns, launches,
                                  functions, wrong_text, linking, memory, streams,
                                  first_graph_calls, graphs, textures, libraries, mappings, errors,
                                  emulator);
}
