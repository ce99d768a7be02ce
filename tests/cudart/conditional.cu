/* SPDX-License-Identifier: Apache-2.0
 *
 * conditional.cu: conditional nodes of graphs: if, if with else, while, switch, one in the body of
 * another, defaults that each launch sets anew, copies that outlive the graph they were made from.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <unistd.h>

#include "expect.h"

static __global__ void
set_from(const int *from, cudaGraphConditionalHandle h)
{
    cudaGraphSetConditional(h, (unsigned)*from);
}
static __global__ void
add(int *to, int n)
{
    *to += n;
}
/* Leaves the loop when *left is zero. */
static __global__ void
count_down(int *left, int *rounds, cudaGraphConditionalHandle h)
{
    ++*rounds;
    cudaGraphSetConditional(h, --*left > 0);
}
/* Every thread sets the same: a word, not a byte, and no race. */
static __global__ void
count_down_block(int *left, cudaGraphConditionalHandle h)
{
    __shared__ int now;
    if (threadIdx.x == 0)
        now = --*left;
    __syncthreads();
    cudaGraphSetConditional(h, now > 0);
}

static int *memory; /* managed: 0 condition, 1 ..: results */

static cudaGraphNode_t
kernel(cudaGraph_t g, const cudaGraphNode_t *after, void *f, void **args, unsigned threads = 1)
{
    cudaGraphNode_t n = nullptr;
    cudaGraphNodeParams p = {cudaGraphNodeTypeKernel};
    p.kernel.func = f;
    p.kernel.gridDim.x = p.kernel.gridDim.y = p.kernel.gridDim.z = 1;
    p.kernel.blockDim.x = threads;
    p.kernel.blockDim.y = p.kernel.blockDim.z = 1;
    p.kernel.kernelParams = args;
    OK(cudaGraphAddNode(&n, g, after, nullptr, after ? 1 : 0, &p));
    return n;
}

static cudaGraph_t *
conditional(cudaGraph_t g, const cudaGraphNode_t *after, cudaGraphConditionalHandle h,
            cudaGraphConditionalNodeType type, unsigned size)
{
    cudaGraphNode_t n;
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = h;
    p.conditional.type = type;
    p.conditional.size = size;
    OK(cudaGraphAddNode(&n, g, after, nullptr, after ? 1 : 0, &p));
    cudaGraphNodeType t = cudaGraphNodeTypeEmpty;
    OK(cudaGraphNodeGetType(n, &t));
    EXPECT("its type", t, cudaGraphNodeTypeConditional);
    return p.conditional.phGraph_out;
}

static void
add_to(cudaGraph_t g, int *to, int n)
{
    void *args[] = {&to, &n};
    kernel(g, nullptr, (void *)add, args);
}

/* Launches with the condition's source at each value, and compares memory[1 ..] with what it should
 * be. */
static void
choose(cudaGraphConditionalNodeType type, unsigned bodies, const char *name)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphConditionalHandle h;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphConditionalHandleCreate(&h, g));
    void *args[] = {&memory, &h};
    cudaGraphNode_t first = kernel(g, nullptr, (void *)set_from, args);
    cudaGraph_t *body = conditional(g, &first, h, type, bodies);
    for (unsigned b = 0; b < bodies; b++)
        add_to(body[b], memory + 1 + b, 1 + (int)b);
    OK(cudaGraphInstantiate(&x, g, 0));
    OK(cudaGraphDestroy(g)); /* the executable graph keeps what it needs */
    for (int value = 0; value < 6; value++) {
        int want = type == cudaGraphCondTypeSwitch ? value : value ? 0 : 1;
        for (int i = 1; i < 8; i++)
            memory[i] = 0;
        memory[0] = value;
        OK(cudaGraphLaunch(x, 0));
        OK(cudaDeviceSynchronize());
        for (int b = 0; b < 6; b++)
            EXPECT(name, memory[1 + b], b == want && b < (int)bodies ? 1 + b : 0);
    }
    OK(cudaGraphExecDestroy(x));
}

/* A conditional node has its name in the graph's text. */
static void
drawn(void)
{
    cudaGraph_t g;
    cudaGraphConditionalHandle h;
    char path[] = "/tmp/graph-XXXXXX", text[1024] = "";
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphConditionalHandleCreate(&h, g));
    conditional(g, nullptr, h, cudaGraphCondTypeIf, 1);
    close(mkstemp(path));
    OK(cudaGraphDebugDotPrint(g, path, 0));
    FILE *f = fopen(path, "r");
    EXPECT("written", f && fread(text, 1, sizeof text - 1, f) > 0, true);
    EXPECT("named", strstr(text, "label=\"conditional\"") != nullptr, true);
    fclose(f);
    unlink(path);
    OK(cudaGraphDestroy(g));
}

static void
loops(void)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphConditionalHandle outer, inner;
    cudaStream_t s;
    int *left = memory, *rounds = memory + 1, *inner_left = memory + 2, three = 3;
    OK(cudaStreamCreate(&s));
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphConditionalHandleCreate(&outer, g, 1, cudaGraphCondAssignDefault));
    cudaGraph_t body = conditional(g, nullptr, outer, cudaGraphCondTypeWhile, 1)[0];
    OK(cudaGraphConditionalHandleCreate(&inner, body, 1, cudaGraphCondAssignDefault));
    OK(cudaStreamBeginCaptureToGraph(s, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, s>>>(inner_left, three);
    const cudaGraphNode_t *last;
    size_t count;
    cudaStreamCaptureStatus status;
    OK(cudaStreamGetCaptureInfo(s, &status, nullptr, nullptr, &last, nullptr, &count));
    EXPECT("nodes to wait for", count, 1);
    cudaGraphNode_t after = last[0], loop;
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = inner;
    p.conditional.type = cudaGraphCondTypeWhile;
    p.conditional.size = 1;
    OK(cudaGraphAddNode(&loop, body, &after, nullptr, 1, &p));
    OK(cudaStreamUpdateCaptureDependencies(s, &loop, nullptr, 1, cudaStreamSetCaptureDependencies));
    count_down<<<1, 1, 0, s>>>(left, rounds, outer);
    OK(cudaStreamEndCapture(s, nullptr));
    void *args[] = {&inner_left, &inner};
    kernel(p.conditional.phGraph_out[0], nullptr, (void *)count_down_block, args, 96);
    OK(cudaGraphInstantiate(&x, g, 0));
    for (int n = 1; n < 40; n += 19) {
        memory[0] = n, memory[1] = 0, memory[2] = 0;
        OK(cudaGraphLaunch(x, s));
        OK(cudaStreamSynchronize(s));
        EXPECT("rounds of while", memory[1], n);
        /* The inner value is set to 1 when the graph is launched, not in each round: after the
         * first round the inner loop does not run, and each round adds 3. */
        EXPECT("inner while", memory[2], (n - 1) * 3);
    }
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
    OK(cudaStreamDestroy(s));
}

static void
mistakes(void)
{
    cudaGraph_t g;
    cudaGraphNode_t n;
    cudaGraphConditionalHandle h;
    OK(cudaGraphCreate(&g, 0));
    EXPECT("flags", cudaGraphConditionalHandleCreate(&h, g, 0, 2), cudaErrorInvalidValue);
    OK(cudaGraphConditionalHandleCreate(&h, g));
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.type = cudaGraphCondTypeWhile;
    p.conditional.size = 1;
    EXPECT("no handle", cudaGraphAddNode(&n, g, nullptr, nullptr, 0, &p), cudaErrorInvalidValue);
    p.conditional.handle = h;
    p.conditional.size = 2;
    EXPECT("two bodies", cudaGraphAddNode(&n, g, nullptr, nullptr, 0, &p), cudaErrorInvalidValue);
    p.conditional.size = 0;
    EXPECT("no bodies", cudaGraphAddNode(&n, g, nullptr, nullptr, 0, &p), cudaErrorInvalidValue);
    OK(cudaGraphDestroy(g));
}

int
main(void)
{
    OK(cudaMallocManaged(&memory, 64));
    choose(cudaGraphCondTypeIf, 1, "if");
    choose(cudaGraphCondTypeIf, 2, "if and else");
    choose(cudaGraphCondTypeSwitch, 5, "switch");
    loops();
    drawn();
    mistakes();
    cudaGetLastError();
    OK(cudaFree(memory));
    return failures != 0;
}
