/* SPDX-License-Identifier: Apache-2.0
 *
 * capture.cu: what makes a capture invalid, with the error that the call gives, and what does not.
 * After each case the capture is ended, and its error compared, too.
 */
#include <cstdio>
#include <cstdlib>
#include <thread>

__global__ void
add(int *x, int n)
{
    x[threadIdx.x] += n;
}

static int failures;

#define IS(what, got, wanted)                                                                      \
    do {                                                                                           \
        cudaError_t g_ = (got), w_ = (wanted);                                                     \
        if (g_ != w_)                                                                              \
            failures++, printf("FAIL %d: %s: %s, not %s\n", __LINE__, what, cudaGetErrorName(g_),  \
                               cudaGetErrorName(w_));                                              \
        cudaGetLastError(); /* so that check sees that the program looks */                        \
    } while (0)
#define OK(call) IS(#call, call, cudaSuccess)

struct stage {
    cudaStream_t stream, other, third; /* captures; blocking; not blocking */
    cudaEvent_t event, outside;
    int *x, *y;
};
static stage s;
static int host[32];

static cudaError_t from_other_thread();

/* A call made while s.stream captures (once a launch is in its graph), what it returns, and whether
 * the capture lives. `nonblocking`: s.stream is one that the legacy stream does not wait for. */
struct row {
    const char *name;
    cudaError_t (*call)();
    cudaError_t wanted;
    bool lives;
    cudaStreamCaptureMode mode;
    bool nonblocking;
};
static const cudaStreamCaptureMode GLOBAL = cudaStreamCaptureModeGlobal,
                                   THREAD = cudaStreamCaptureModeThreadLocal,
                                   RELAXED = cudaStreamCaptureModeRelaxed;
static const cudaError_t FINE = cudaSuccess, UNSUPPORTED = cudaErrorStreamCaptureUnsupported,
                         IMPLICIT = cudaErrorStreamCaptureImplicit;

static const row rows[] = {
    {"nothing", [] { return cudaSuccess; }, FINE, true, GLOBAL, false},
    {"cudaStreamSynchronize", [] { return cudaStreamSynchronize(s.stream); }, UNSUPPORTED, false,
     GLOBAL, false},
    {"cudaStreamSynchronize, relaxed", [] { return cudaStreamSynchronize(s.stream); }, UNSUPPORTED,
     false, RELAXED, false},
    {"cudaStreamQuery", [] { return cudaStreamQuery(s.stream); }, UNSUPPORTED, false, GLOBAL,
     false},
    {"cudaDeviceSynchronize", [] { return cudaDeviceSynchronize(); }, UNSUPPORTED, false, GLOBAL,
     false},
    {"cudaDeviceSynchronize, not blocking", [] { return cudaDeviceSynchronize(); }, UNSUPPORTED,
     false, GLOBAL, true},
    {"another stream's wait", [] { return cudaStreamSynchronize(s.third); }, FINE, true, GLOBAL,
     false},
    {"captured event",
     [] {
         cudaEventRecord(s.event, s.stream);
         return cudaEventSynchronize(s.event);
     },
     cudaErrorCapturedEvent, false, GLOBAL, false},
    {"captured event's query",
     [] {
         cudaEventRecord(s.event, s.stream);
         return cudaEventQuery(s.event);
     },
     cudaErrorCapturedEvent, false, RELAXED, false},
    {"event outside", [] { return cudaEventQuery(s.outside); }, UNSUPPORTED, false, GLOBAL, false},
    {"event outside, relaxed", [] { return cudaEventQuery(s.outside); }, FINE, true, RELAXED,
     false},
    {"wait for an event outside", [] { return cudaStreamWaitEvent(s.stream, s.outside, 0); },
     cudaErrorStreamCaptureIsolation, false, GLOBAL, false},
    {"legacy launch",
     [] {
         add<<<1, 32>>>(s.x, 1);
         return cudaGetLastError();
     },
     IMPLICIT, false, GLOBAL, false},
    {"legacy launch, not blocking",
     [] {
         add<<<1, 32>>>(s.x, 1);
         return cudaGetLastError();
     },
     FINE, true, GLOBAL, true},
    {"cudaMemcpy", [] { return cudaMemcpy(host, s.x, 4, cudaMemcpyDeviceToHost); }, IMPLICIT, false,
     GLOBAL, false},
    {"legacy wait", [] { return cudaStreamSynchronize(0); }, IMPLICIT, false, GLOBAL, false},
    {"cudaMalloc", [] { return cudaMalloc(&s.y, 4); }, UNSUPPORTED, false, GLOBAL, true},
    {"cudaMalloc, this thread's", [] { return cudaMalloc(&s.y, 4); }, UNSUPPORTED, false, THREAD,
     true},
    {"cudaMalloc, relaxed", [] { return cudaMalloc(&s.y, 4); }, FINE, true, RELAXED, true},
    {"cudaFree", [] { return cudaFree(s.y); }, UNSUPPORTED, false, GLOBAL, true},
    {"cudaFree(NULL)", [] { return cudaFree(NULL); }, FINE, true, GLOBAL, true},
    {"cudaMallocHost",
     [] {
         int *p;
         return cudaMallocHost(&p, 4);
     },
     UNSUPPORTED, false, GLOBAL, true},
    {"another thread's cudaMalloc", from_other_thread, UNSUPPORTED, false, GLOBAL, true},
    {"another thread's cudaMalloc, this thread's", from_other_thread, FINE, true, THREAD, true},
    {"a second capture", [] { return cudaStreamBeginCapture(s.stream, GLOBAL); },
     cudaErrorInvalidValue, true, GLOBAL, false},
};

static cudaError_t
from_other_thread()
{
    cudaError_t r;
    int *p = NULL;
    std::thread([&] { r = cudaMalloc(&p, 4); }).join();
    if (p && r == cudaSuccess)
        std::thread([&] { cudaFree(p); }).join();
    return r;
}

static void
run(const row &r)
{
    cudaGraph_t graph = NULL;
    cudaStreamCaptureStatus status;
    OK(cudaStreamCreateWithFlags(&s.stream,
                                 r.nonblocking ? cudaStreamNonBlocking : cudaStreamDefault));
    OK(cudaMalloc(&s.y, 4));
    int *old = s.y;
    OK(cudaStreamBeginCapture(s.stream, r.mode));
    add<<<1, 32, 0, s.stream>>>(s.x, 1);
    IS(r.name, r.call(), r.wanted);
    OK(cudaStreamIsCapturing(s.stream, &status));
    if (status != (r.lives ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated))
        failures++, printf("FAIL %s: status %d\n", r.name, (int)status);
    add<<<1, 32, 0, s.stream>>>(s.x, 1);
    IS(r.name, cudaPeekAtLastError(), r.lives ? cudaSuccess : cudaErrorStreamCaptureInvalidated);
    if (!r.lives)
        IS(r.name, cudaStreamSynchronize(s.stream), cudaErrorStreamCaptureInvalidated);
    IS(r.name, cudaStreamEndCapture(s.stream, &graph),
       r.lives ? cudaSuccess : cudaErrorStreamCaptureInvalidated);
    if ((graph != NULL) != r.lives)
        failures++, printf("FAIL %s: a graph %p\n", r.name, (void *)graph);
    OK(cudaStreamIsCapturing(s.stream, &status));
    if (status != cudaStreamCaptureStatusNone)
        failures++, printf("FAIL %s: status %d after the end\n", r.name, (int)status);
    cudaGetLastError();
    OK(cudaStreamSynchronize(s.stream));
    if (graph)
        OK(cudaGraphDestroy(graph));
    if (s.y != old)
        OK(cudaFree(s.y));
    OK(cudaFree(old));
    OK(cudaStreamDestroy(s.stream));
}

/* Streams that joined, captures that meet, another thread that ends one. */
static void
several()
{
    cudaGraph_t graph = NULL, second = NULL;
    cudaStreamCaptureStatus status;
    OK(cudaStreamCreate(&s.stream));
    OK(cudaStreamBeginCapture(s.stream, GLOBAL));
    OK(cudaEventRecord(s.event, s.stream));
    OK(cudaStreamWaitEvent(s.other, s.event, 0)); /* joins */
    IS("a joined stream's wait", cudaStreamSynchronize(s.other), UNSUPPORTED);
    OK(cudaStreamIsCapturing(s.stream, &status));
    if (status != cudaStreamCaptureStatusInvalidated)
        failures++, printf("FAIL the origin lives\n");
    IS("a joined stream ends it", cudaStreamEndCapture(s.other, &graph),
       cudaErrorStreamCaptureInvalidated);
    IS("its end", cudaStreamEndCapture(s.stream, &graph), cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamSynchronize(s.other)); /* it is free again */
    IS("its event", cudaEventQuery(s.event), cudaErrorCapturedEvent);

    OK(cudaStreamBeginCapture(s.stream, GLOBAL));
    OK(cudaStreamBeginCapture(s.other, GLOBAL));
    OK(cudaEventRecord(s.event, s.stream));
    IS("two captures", cudaStreamWaitEvent(s.other, s.event, 0), cudaErrorStreamCaptureMerge);
    IS("the one", cudaStreamEndCapture(s.stream, &graph), cudaErrorStreamCaptureInvalidated);
    IS("the other", cudaStreamEndCapture(s.other, &second), cudaErrorStreamCaptureInvalidated);

    cudaError_t r;
    OK(cudaStreamBeginCapture(s.stream, GLOBAL));
    std::thread([&] { r = cudaStreamEndCapture(s.stream, &graph); }).join();
    IS("another thread ends it", r, cudaErrorStreamCaptureWrongThread);
    OK(cudaStreamEndCapture(s.stream, &graph));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamBeginCapture(s.stream, RELAXED));
    std::thread([&] { r = cudaStreamEndCapture(s.stream, &graph); }).join();
    IS("another thread ends a relaxed one", r, cudaSuccess);
    OK(cudaGraphDestroy(graph));

    cudaStreamCaptureMode mode = RELAXED;
    OK(cudaStreamBeginCapture(s.stream, GLOBAL));
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    OK(cudaMalloc(&s.y, 4)); /* the thread says that it knows what it does */
    OK(cudaFree(s.y));
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    if (mode != RELAXED)
        failures++, printf("FAIL mode %d\n", (int)mode);
    OK(cudaStreamEndCapture(s.stream, &graph));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(s.stream));
    cudaGetLastError();
}

int
main()
{
    OK(cudaMalloc(&s.x, 128));
    OK(cudaMemset(s.x, 0, 128));
    OK(cudaStreamCreate(&s.other));
    OK(cudaStreamCreateWithFlags(&s.third, cudaStreamNonBlocking));
    OK(cudaEventCreate(&s.event));
    OK(cudaEventCreate(&s.outside));
    OK(cudaEventRecord(s.outside, s.third));
    for (const row &r : rows)
        run(r);
    several();
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(host, s.x, 128, cudaMemcpyDeviceToHost));
    if (host[0] != 1) /* of all the launches one was not captured */
        failures++, printf("FAIL %d launches ran\n", host[0]);
    OK(cudaEventDestroy(s.event));
    OK(cudaEventDestroy(s.outside));
    OK(cudaStreamDestroy(s.other));
    OK(cudaStreamDestroy(s.third));
    OK(cudaFree(s.x));
    printf("%s\n", failures ? "wrong" : "fine");
    return failures != 0;
}
