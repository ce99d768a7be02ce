/* SPDX-License-Identifier: Apache-2.0
 *
 * graphs.cu: work that the host orders by streams, events and graphs, or fails to. A case of the
 * argument's name; graphs_test.py knows which are right. Kernels read `from` and write `to`.
 */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { BLOCK = 64, N = 4 * BLOCK };

__global__ void
pass(int *to, const int *from)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    to[i] = from[i] + 1;
}
__global__ void
add(int *to)
{
    atomicAdd(&to[threadIdx.x], 1);
}
__global__ void
count_down(int *left, cudaGraphConditionalHandle h)
{
    cudaGraphSetConditional(h, --*left > 0);
}

static int *a, *b, *c, *d;
static cudaStream_t s, t;
static cudaEvent_t e;

static cudaGraphNode_t
kernel(cudaGraph_t g, int *to, const int *from, cudaGraphNode_t x = nullptr,
       cudaGraphNode_t y = nullptr)
{
    void *args[] = {&to, &from};
    cudaKernelNodeParams p = {};
    p.func = (void *)pass;
    p.gridDim = dim3(N / BLOCK);
    p.blockDim = dim3(BLOCK);
    p.kernelParams = args;
    cudaGraphNode_t n, after[] = {x, y};
    cudaGraphAddKernelNode(&n, g, after, !!x + !!y, &p);
    return n;
}

static cudaGraphNode_t
copy(cudaGraph_t g, int *to, const int *from, cudaGraphNode_t x = nullptr)
{
    cudaGraphNode_t n;
    cudaGraphAddMemcpyNode1D(&n, g, &x, !!x, to, from, 4 * N, cudaMemcpyDeviceToDevice);
    return n;
}

static void
run(cudaGraph_t g, cudaStream_t first, cudaStream_t second = nullptr)
{
    cudaGraphExec_t x;
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphLaunch(x, first);
    if (second)
        cudaGraphLaunch(x, second);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
}

static cudaGraph_t
loop(cudaGraph_t g, int *left, cudaGraphNode_t after, cudaGraphNode_t *out)
{
    cudaGraphConditionalHandle h;
    cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault);
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = h;
    p.conditional.type = cudaGraphCondTypeWhile;
    p.conditional.size = 1;
    cudaGraphAddNode(out, g, &after, nullptr, after ? 1 : 0, &p);
    void *args[] = {&left, &h};
    cudaGraphNodeParams k = {cudaGraphNodeTypeKernel};
    k.kernel.func = (void *)count_down;
    k.kernel.gridDim.x = k.kernel.gridDim.y = k.kernel.gridDim.z = 1;
    k.kernel.blockDim.x = k.kernel.blockDim.y = k.kernel.blockDim.z = 1;
    k.kernel.kernelParams = args;
    cudaGraphNode_t n;
    cudaGraphAddNode(&n, p.conditional.phGraph_out[0], nullptr, nullptr, 0, &k);
    return p.conditional.phGraph_out[0];
}

static void
host(void *count)
{
    ++*(int *)count;
}

/* Work of `fork` runs beside what the capture's own stream does; join: that waits for it. */
static cudaGraph_t
captured(int *beside, bool join)
{
    cudaGraph_t g;
    cudaEvent_t joined;
    cudaEventCreate(&joined);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    pass<<<N / BLOCK, BLOCK, 0, s>>>(b, a);
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e, 0);
    pass<<<N / BLOCK, BLOCK, 0, t>>>(c, b);
    cudaEventRecord(joined, t);
    if (join)
        cudaStreamWaitEvent(s, joined, 0);
    pass<<<N / BLOCK, BLOCK, 0, s>>>(d, beside);
    if (!join)
        cudaStreamWaitEvent(s, joined, 0);
    cudaStreamEndCapture(s, &g);
    cudaEventDestroy(joined);
    return g;
}

static void
graphs(const char *what)
{
    cudaGraph_t g, inner;
    cudaGraphNode_t x, y, z;
    int calls = 0;
    cudaGraphCreate(&g, 0);
    if (!strcmp(what, "edge")) {
        kernel(g, c, b, kernel(g, b, a));
        run(g, s);
    } else if (!strcmp(what, "no-edge")) {
        kernel(g, b, a);
        kernel(g, c, b);
        run(g, s);
    } else if (!strcmp(what, "diamond")) {
        x = kernel(g, b, a);
        y = kernel(g, c, b, x);
        z = kernel(g, d, b, x);
        kernel(g, b, c, y, z);
        run(g, s);
        printf("%d\n", calls);
    } else if (!strcmp(what,
                       "diamond-half")) { /* the last one comes before one of the readers is done */
        x = kernel(g, b, a);
        y = kernel(g, c, b, x);
        kernel(g, d, b, x);
        kernel(g, b, c, y);
        run(g, s);
    } else if (!strcmp(what, "atomics")) {
        for (int k = 0; k < 2; k++) {
            void *args[] = {&b};
            cudaKernelNodeParams p = {};
            p.func = (void *)add;
            p.gridDim = dim3(1);
            p.blockDim = dim3(BLOCK);
            p.kernelParams = args;
            cudaGraphAddKernelNode(&x, g, nullptr, 0, &p);
        }
        run(g, s);
    } else if (!strcmp(what, "copy")) {
        copy(g, c, b, kernel(g, b, a));
        run(g, s);
    } else if (!strcmp(what, "copy-beside")) {
        kernel(g, b, a);
        copy(g, c, b);
        run(g, s);
    } else if (!strcmp(what, "fill-beside")) {
        cudaMemsetParams m = {};
        m.dst = b;
        m.elementSize = 4;
        m.width = N;
        m.height = 1;
        cudaGraphAddMemsetNode(&x, g, nullptr, 0, &m);
        kernel(g, c, b);
        run(g, s);
    } else if (!strcmp(what, "host-between")) {
        cudaHostNodeParams p = {host, &calls};
        x = kernel(g, b, a);
        cudaGraphAddHostNode(&y, g, &x, 1, &p);
        kernel(g, c, b, y);
        run(g, s);
    } else if (!strcmp(what, "child")) {
        cudaGraphCreate(&inner, 0);
        kernel(inner, c, b);
        kernel(inner, d, b);
        x = kernel(g, b, a);
        cudaGraphAddChildGraphNode(&y, g, &x, 1, inner);
        kernel(g, b, d, y);
        run(g, s);
        cudaGraphDestroy(inner);
    } else if (!strcmp(what, "child-beside")) {
        cudaGraphCreate(&inner, 0);
        kernel(inner, c, b);
        kernel(g, b, a);
        cudaGraphAddChildGraphNode(&y, g, nullptr, 0, inner);
        run(g, s);
        cudaGraphDestroy(inner);
    } else if (!strcmp(what, "loop")) {
        int five = 5;
        cudaMemcpy(d, &five, 4, cudaMemcpyHostToDevice);
        cudaGraph_t body = loop(g, d, kernel(g, b, a), &y);
        kernel(body, b, a, kernel(body, c, b));
        kernel(g, c, b, y);
        run(g, s);
    } else if (!strcmp(what, "loop-beside")) {
        int five = 5;
        cudaMemcpy(d, &five, 4, cudaMemcpyHostToDevice);
        kernel(loop(g, d, nullptr, &y), c, b);
        kernel(g, b, a);
        run(g, s);
    } else if (!strcmp(what, "event")) { /* recorded by a node; another stream waits for it */
        cudaGraphAddEventRecordNode(&y, g, &(x = kernel(g, b, a)), 1, e);
        cudaGraphExec_t exec;
        cudaGraphInstantiate(&exec, g, 0);
        cudaGraphLaunch(exec, s);
        cudaStreamWaitEvent(t, e, 0);
        pass<<<N / BLOCK, BLOCK, 0, t>>>(c, b);
        cudaDeviceSynchronize();
        cudaGraphExecDestroy(exec);
        cudaGraphDestroy(g);
    } else if (!strcmp(what, "event-wait")) { /* a node waits for another stream */
        pass<<<N / BLOCK, BLOCK, 0, t>>>(b, a);
        cudaEventRecord(e, t);
        cudaGraphAddEventWaitNode(&x, g, nullptr, 0, e);
        kernel(g, c, b, x);
        run(g, s);
    } else if (!strcmp(what, "after-stream")) {
        pass<<<N / BLOCK, BLOCK, 0, s>>>(b, a);
        kernel(g, c, b);
        kernel(g, d, b);
        run(g, s);
    } else if (!strcmp(what, "other-stream")) {
        pass<<<N / BLOCK, BLOCK, 0, t>>>(b, a);
        kernel(g, c, b);
        run(g, s);
    } else if (!strcmp(what, "before-stream")) {
        kernel(g, c, a);
        kernel(g, b, a);
        cudaGraphExec_t exec;
        cudaGraphInstantiate(&exec, g, 0);
        cudaGraphLaunch(exec, s);
        pass<<<N / BLOCK, BLOCK, 0, s>>>(d, b);
        pass<<<N / BLOCK, BLOCK, 0, s>>>(d, c);
        cudaDeviceSynchronize();
        cudaGraphExecDestroy(exec);
        cudaGraphDestroy(g);
    } else if (!strcmp(what, "twice")) {
        kernel(g, c, a);
        kernel(g, b, a);
        run(g, s, s);
    } else if (!strcmp(
                   what,
                   "twice-beside")) { /* a launch of an executable graph waits for its last one */
        cudaGraph_t h;
        kernel(g, c, a);
        cudaGraphClone(&h, g);
        cudaGraphExec_t exec;
        cudaGraphInstantiate(&exec, h, 0);
        cudaGraphLaunch(exec, t);
        run(g, s);
        cudaGraphExecDestroy(exec);
        cudaGraphDestroy(h);
    } else if (!strcmp(what, "captured")) {
        cudaGraphDestroy(g);
        run(captured(b, false), s);
    } else if (!strcmp(what, "captured-join")) {
        cudaGraphDestroy(g);
        run(captured(c, true), s);
    } else if (!strcmp(what, "captured-no-join")) {
        cudaGraphDestroy(g);
        run(captured(c, false), s);
    } else {
        cudaGraphDestroy(g);
        printf("no case %s\n", what);
    }
}

static bool
streams(const char *what)
{
    cudaStream_t blocking;
    cudaStreamCreate(&blocking);
    if (!strcmp(what, "stream-event")) {
        pass<<<N / BLOCK, BLOCK, 0, s>>>(b, a);
        cudaEventRecord(e, s);
        cudaStreamWaitEvent(t, e, 0);
        pass<<<N / BLOCK, BLOCK, 0, t>>>(c, b);
    } else if (!strcmp(what, "stream-event-early")) {
        cudaEventRecord(e, s);
        pass<<<N / BLOCK, BLOCK, 0, s>>>(b, a);
        cudaStreamWaitEvent(t, e, 0);
        pass<<<N / BLOCK, BLOCK, 0, t>>>(c, b);
    } else if (!strcmp(what, "stream-legacy")) {
        pass<<<N / BLOCK, BLOCK, 0, blocking>>>(b, a);
        pass<<<N / BLOCK, BLOCK>>>(c, b);
        pass<<<N / BLOCK, BLOCK, 0, blocking>>>(d, c);
    } else if (!strcmp(what, "stream-legacy-beside")) { /* s does not wait for the legacy stream */
        pass<<<N / BLOCK, BLOCK>>>(b, a);
        pass<<<N / BLOCK, BLOCK, 0, s>>>(c, b);
    } else if (!strcmp(what, "stream-host-wait")) {
        pass<<<N / BLOCK, BLOCK, 0, s>>>(b, a);
        cudaStreamSynchronize(s);
        pass<<<N / BLOCK, BLOCK, 0, t>>>(c, b);
    } else if (!strcmp(what, "stream-wrong-wait")) {
        pass<<<N / BLOCK, BLOCK, 0, s>>>(b, a);
        cudaStreamSynchronize(t);
        pass<<<N / BLOCK, BLOCK, 0, t>>>(c, b);
    } else if (!strcmp(what, "stream-query")) {
        pass<<<N / BLOCK, BLOCK, 0, s>>>(b, a);
        while (cudaStreamQuery(s) != cudaSuccess)
            ;
        pass<<<N / BLOCK, BLOCK, 0, t>>>(c, b);
    } else if (!strcmp(what,
                       "stream-ordered")) { /* memory of a stream goes to another with an event */
        int *m;
        cudaMallocAsync(&m, 4 * N, s);
        pass<<<N / BLOCK, BLOCK, 0, s>>>(m, a);
        cudaEventRecord(e, s);
        cudaStreamWaitEvent(t, e, 0);
        pass<<<N / BLOCK, BLOCK, 0, t>>>(c, m);
        cudaFreeAsync(m, t);
    } else if (!strcmp(what, "managed-prefetch")) {
        int *m;
        cudaMallocManaged(&m, 4 * N);
        for (int k = 0; k < N; k++)
            m[k] = k;
        cudaMemLocation where = {cudaMemLocationTypeDevice, 0};
        (void)where;
        pass<<<N / BLOCK, BLOCK, 0, s>>>(b, m);
        cudaStreamSynchronize(s);
        m[3] = 4;
        pass<<<N / BLOCK, BLOCK, 0, t>>>(m, b);
        cudaStreamSynchronize(t);
        printf("%d\n", m[3]);
        cudaFree(m);
    } else if (!strcmp(what, "managed-streams")) {
        int *m;
        cudaMallocManaged(&m, 4 * N);
        memset(m, 0, 4 * N);
        pass<<<N / BLOCK, BLOCK, 0, s>>>(b, m);
        pass<<<N / BLOCK, BLOCK, 0, t>>>(m, a);
        cudaDeviceSynchronize();
        cudaFree(m);
    } else {
        cudaStreamDestroy(blocking);
        return false;
    }
    cudaDeviceSynchronize();
    cudaStreamDestroy(blocking);
    return true;
}

int
main(int argc, char **argv)
{
    int **all[] = {&a, &b, &c, &d};
    for (int **p : all) {
        cudaMalloc(p, 4 * N);
        cudaMemset(*p, 0, 4 * N);
    }
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    cudaDeviceSynchronize();
    if (argc > 1 && !streams(argv[1]))
        graphs(argv[1]);
    cudaEventDestroy(e);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    for (int **p : all)
        cudaFree(*p);
    return 0;
}
