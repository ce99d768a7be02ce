/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches that are put off and run together (src/device/chain.c): whatever the program does in
 * between, it must find what it would have found had each run by itself. Random kernels on four
 * arrays, every result beside the host's; what may not be put off; calls that must not see anything
 * unfinished; failures.
 *
 *     put_off random SEED ROUNDS | calls | others | fails [exit] | threads
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static void
check(cudaError_t e, int line)
{
    if (e != cudaSuccess)
        printf("FAIL line %d: %s\n", line, cudaGetErrorString(e)), exit(1);
}
#define CHECK(call) check(call, __LINE__)

enum { N = (1 << 20) + 4099, THREADS = 256 };
typedef unsigned u;

/* Element i of the result, from what lies `left` before and `right` behind it. */
__host__ __device__ static u
mixed(const u *in, int i, int n, int left, int right, u add)
{
    u a = i >= left ? in[i - left] : 7, b = i + right < n ? in[i + right] : 11;
    return a * 5 + b * 3 + in[i] + add;
}

template <int LEFT, int RIGHT> __global__ void
mix(const u *in, u *out, int n, u add)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = mixed(in, i, n, LEFT, RIGHT, add);
}

__global__ void
update(u *x, const u *y, int n, u add)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] * 3 + y[i] + add;
}

__global__ void
turned(const u *in, u *out, int n, u add)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[n - 1 - i] + add;
}

__global__ void
every_other(const u *in, u *out, int n, u add)
{
    u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[2 * i < n ? 2 * i : 0] + add;
}

__global__ void
halves(const u *in, u *out, int n, u add) /* a block writes 1,024 bytes here and in the middle */
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        out[i] = in[i] ^ add;
        out[i + N / 2] = in[i] + add;
    }
}

template <int LEFT, int RIGHT> static void
run_mix(const u *in, u *out, int n, u add, int threads, cudaStream_t s)
{
    mix<LEFT, RIGHT><<<(n + threads - 1) / threads, threads, 0, s>>>(in, out, n, add);
}

static void
host_mix(const std::vector<u> &in, std::vector<u> &out, int n, int left, int right, u add)
{
    for (int i = 0; i < n; i++)
        out[i] = mixed(in.data(), i, n, left, right, add);
}

/* -- random ------------------------------------------------------------------------------------ */

static unsigned long long state;

static int
some(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (unsigned)n);
}

struct arrays {
    u *dev[4], *all;
    std::vector<u> host[4];
};

static void
same(const arrays &a, int k, const char *what)
{
    std::vector<u> got(N);
    CHECK(cudaMemcpy(got.data(), a.dev[k], N * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        if (got[i] != a.host[k][i]) {
            printf("FAIL %s: array %d, element %d of %d: %u, not %u\n", what, k, i, N, got[i],
                   a.host[k][i]);
            exit(1);
        }
}

/* Sometimes in one allocation, the arrays right behind each other, not on borders of lines or
 * blocks. */
static void
make(arrays &a)
{
    bool one = some(2);
    a.all = NULL;
    if (one)
        CHECK(cudaMalloc(&a.all, (4 * N + 64) * sizeof(u)));
    for (int k = 0; k < 4; k++) {
        if (one)
            a.dev[k] = a.all + k * (N + 3);
        else
            CHECK(cudaMalloc(&a.dev[k], N * 4));
        a.host[k].resize(N);
        for (int i = 0; i < N; i++)
            a.host[k][i] = (u)i * 2654435761u + k;
        CHECK(cudaMemcpy(a.dev[k], a.host[k].data(), N * 4, cudaMemcpyHostToDevice));
    }
}

static void
drop(arrays &a)
{
    for (int k = 0; k < 4 && !a.all; k++)
        CHECK(cudaFree(a.dev[k]));
    if (a.all)
        CHECK(cudaFree(a.all));
}

static void
random_launch(arrays &a, cudaStream_t s)
{
    int from = some(4), to = (from + 1 + some(3)) % 4, n = some(3) ? N : N - some(N / 4),
        what = some(12);
    int threads = some(8) ? THREADS : 128;
    u add = (u)some(1000);
    const u *in = a.dev[from];
    u *out = a.dev[to];
    std::vector<u> &x = a.host[from], &y = a.host[to];
    switch (what) {
    case 0: case 1: case 2:
        run_mix<1, 1>(in, out, n, add, threads, s);
        host_mix(x, y, n, 1, 1, add);
        break;
    case 3: case 4:
        run_mix<0, 0>(in, out, n, add, threads, s);
        host_mix(x, y, n, 0, 0, add);
        break;
    case 5:
        run_mix<300, 2>(in, out, n, add, threads, s);
        host_mix(x, y, n, 300, 2, add);
        break;
    case 6:
        run_mix<5, 1500>(in, out, n, add, threads, s);
        host_mix(x, y, n, 5, 1500, add);
        break;
    case 7:
        run_mix<100, 100000>(in, out, n, add, threads, s); /* too far to stay in a cache */
        host_mix(x, y, n, 100, 100000, add);
        break;
    case 8: case 9:
        update<<<(n + threads - 1) / threads, threads, 0, s>>>(out, in, n, add);
        for (int i = 0; i < n; i++)
            y[i] = y[i] * 3 + x[i] + add;
        break;
    case 10:
        turned<<<(n + threads - 1) / threads, threads, 0, s>>>(in, out, n, add);
        for (int i = 0; i < n; i++)
            y[i] = x[n - 1 - i] + add;
        break;
    default:
        if (some(2)) {
            every_other<<<(n + threads - 1) / threads, threads, 0, s>>>(in, out, n, add);
            for (u i = 0; i < (u)n; i++)
                y[i] = x[2 * i < (u)n ? 2 * i : 0] + add;
        } else {
            halves<<<(N + threads - 1) / threads, threads, 0, s>>>(in, out, N, add);
            for (int i = 0; i < N / 2; i++)
                y[i] = x[i] ^ add;
            for (int i = 0; i < N / 2; i++)
                y[i + N / 2] = x[i] + add;
        }
    }
}

static void
random_rounds(int seed, int rounds)
{
    state = (unsigned long long)seed;
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    for (int r = 0; r < rounds; r++) {
        arrays a;
        char what[64];
        make(a);
        for (int k = 0, count = 2 + some(r % 4 ? 16 : 90); k < count; k++)
            random_launch(a, some(2) ? s : 0);
        snprintf(what, sizeof what, "seed %d, round %d", seed, r);
        for (int k = 0; k < 4; k++)
            same(a, k, what);
        drop(a);
    }
    CHECK(cudaStreamDestroy(s));
}

/* -- what calls see ---------------------------------------------------------------------------- */

__global__ void
add_one(u *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += 1;
}

static void
add_twice(u *x, cudaStream_t s = 0)
{
    add_one<<<(N + 255) / 256, 256, 0, s>>>(x, N);
    add_one<<<(N + 255) / 256, 256, 0, s>>>(x, N);
}

static u expected, *seen;

/* A device pointer is a host pointer here: what a launch has really done shows without a call, to
 * who reads it as a debugger does. The file is opened before there are threads: a sanitizer does
 * not see the guard of a local static in a program that is not instrumented. */
static const int memory = open("/proc/self/mem", O_RDONLY);

static u
peek(const u *x)
{
    u value = 0;
    if (pread(memory, &value, sizeof value, (off_t)x) != sizeof value)
        perror("FAIL /proc/self/mem"), exit(1);
    return value;
}

static void
is(const u *x, u value, const char *when)
{
    u first = peek(x), last = peek(x + N - 1);
    if (first != value || last != value)
        printf("FAIL %s: %u and %u, not %u\n", when, first, last, value), exit(1);
}

static void
host_function(void *)
{
    is(seen, expected, "host function");
}

static void
begin(u *x)
{
    add_twice(x);
    is(x, expected, "before any call"); /* put off */
    expected += 2;
}

static void
calls()
{
    u *x, *y, *m;
    std::vector<u> h(N);
    cudaEvent_t e, f;
    cudaStream_t s;
    float ms;
    CHECK(cudaMalloc(&x, N * 4));
    CHECK(cudaMemset(x, 0, N * 4));
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaEventCreate(&e));
    CHECK(cudaEventCreate(&f));
    seen = x;
#define AFTER(call) begin(x), CHECK(call), is(x, expected, #call)
    AFTER(cudaDeviceSynchronize());
    AFTER(cudaStreamSynchronize(0));
    AFTER(cudaStreamQuery(s));
    AFTER(cudaGetLastError());
    AFTER(cudaPeekAtLastError());
    AFTER(cudaEventRecord(e, s));
    AFTER(cudaEventSynchronize(e));
    AFTER(cudaEventQuery(e));
    CHECK(cudaEventRecord(f));
    AFTER(cudaEventElapsedTime(&ms, e, f));
    AFTER(cudaStreamWaitEvent(s, e, 0));
    AFTER(cudaLaunchHostFunc(s, host_function, NULL));
    AFTER(cudaMemcpyAsync(h.data(), x, N * 4, cudaMemcpyDeviceToHost, s));
    if (h[0] != expected || h[N - 1] != expected)
        printf("FAIL copied %u\n", h[0]), exit(1);
    AFTER(cudaMalloc(&y, N * 4));
    AFTER(cudaMemcpy(y, x, N * 4, cudaMemcpyDeviceToDevice));
    is(y, expected, "copy");
    AFTER(cudaFree(y));
    AFTER(cudaMallocManaged(&m, N * 4));
    AFTER(cudaStreamDestroy(s));
    begin(x);
    pid_t child = fork();
    if (!child) /* what was put off is done once, not again in the child's exit */
        exit(0);
    is(x, expected, "fork");
    waitpid(child, NULL, 0);
    is(x, expected, "fork");
    begin(x);
    CHECK(cudaMemset(x, 0, N * 4));
    is(x, expected = 0, "cudaMemset");
    begin(x);
    add_one<<<1, 64>>>(x, 0); /* too small to wait, and after the others */
    is(x, expected, "a small launch");
    begin(x);
    cudaGraph_t g;
    cudaGraphExec_t run;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add_twice(x, s);
    CHECK(cudaStreamEndCapture(s, &g));
    CHECK(cudaGraphInstantiate(&run, g, NULL, NULL, 0));
    begin(x);
    CHECK(cudaGraphLaunch(run, s));
    is(x, expected += 2, "graph");
    memset(m, 0, N * 4);
    add_twice(m); /* the host may look at it while it runs */
    is(m, 2, "managed memory");
    CHECK(cudaDeviceSynchronize());
}

/* -- what is not put off ----------------------------------------------------------------------- */

__global__ void count_all(u *x, int n) { atomicAdd(&x[(blockIdx.x * 256 + threadIdx.x) % n], 1); }
__global__ void
ordered(volatile u *x, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        x[i] = x[i] + 1;
}
__global__ void
looped(u *x, int n)
{
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * 2048)
        x[i] += 1;
}
__global__ void
indirect(u *x, const u *at, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        x[at[i]] += 1;
}
__global__ void shared(u *x, int n)
{
    __shared__ u s[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    s[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n)
        x[i] = s[threadIdx.x] + 1;
}

static void
others()
{
    u *x, *at, blocks = (N + 255) / 256, value = 0;
    std::vector<u> h(N);
    for (u i = 0; i < N; i++)
        h[i] = i;
    CHECK(cudaMalloc(&x, N * 4));
    CHECK(cudaMalloc(&at, N * 4));
    CHECK(cudaMemset(x, 0, N * 4));
    CHECK(cudaMemcpy(at, h.data(), N * 4, cudaMemcpyHostToDevice));
    for (int k = 0; k < 3; k++) {
        add_twice(x); /* what comes next settles it */
        ordered<<<blocks, 256>>>(x, N), is(x, value += 3, "volatile");
        looped<<<2048, 256>>>(x, N), is(x, value += 1, "a loop");
        indirect<<<blocks, 256>>>(x, at, N), is(x, value += 1, "an index from memory");
        shared<<<blocks, 256>>>(x, N), is(x, value += 1, "shared memory");
    }
    CHECK(cudaMemset(x, 0, N * 4));
    count_all<<<blocks, 256>>>(x, 1);
    if (peek(x) != blocks * 256)
        printf("FAIL an atomic\n"), exit(1);
    CHECK(cudaDeviceSynchronize());
}

/* -- failures ---------------------------------------------------------------------------------- */

template <int K> __global__ void
goes_on(u *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += K;
}

/* Behind x, the last allocation, is nothing: the fourth launch fails there, and the seventh, which
 * comes to it in an earlier block. */
static void
fails(bool at_exit)
{
    enum { ALL = 2 << 20, MORE = 1 << 19 };
    u *x;
    CHECK(cudaMalloc(&x, ALL * sizeof(u)));
    for (int k = 0; k < 3; k++)
        add_one<<<ALL / 256, 256>>>(x, ALL);
    goes_on<1><<<(ALL + MORE) / 256, 256>>>(x, ALL + MORE);
    add_one<<<ALL / 256, 256>>>(x, ALL);
    add_one<<<ALL / 256, 256>>>(x, ALL);
    goes_on<2><<<(ALL + MORE) / 256, 256>>>(x + 70000, ALL + MORE);
    if (at_exit)
        exit(0);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(e));
    printf("%s\n", cudaGetErrorName(cudaMemset(x, 0, 4)));
}

/* -- several threads --------------------------------------------------------------------------- */

static void
worker(int seed)
{
    u *x;
    cudaStream_t s;
    CHECK(cudaMalloc(&x, N * 4));
    CHECK(cudaMemset(x, 0, N * 4));
    CHECK(cudaStreamCreate(&s));
    for (u k = 1; k <= 12; k++) {
        add_twice(x, s);
        add_twice(x, s);
        if ((k + seed) % 3 == 0)
            CHECK(cudaStreamSynchronize(s)), is(x, 4 * k, "thread");
    }
    std::vector<u> h(N);
    CHECK(cudaMemcpy(h.data(), x, N * 4, cudaMemcpyDeviceToHost));
    for (u v : h)
        if (v != 48)
            printf("FAIL thread: %u\n", v), exit(1);
    CHECK(cudaFree(x));
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "random")) {
        random_rounds(atoi(argv[2]), atoi(argv[3]));
    } else if (!strcmp(what, "calls")) {
        calls();
    } else if (!strcmp(what, "others")) {
        others();
    } else if (!strcmp(what, "fails")) {
        fails(argc > 2);
    } else {
        std::thread a(worker, 0), b(worker, 1), c(worker, 2);
        a.join(), b.join(), c.join();
    }
    return 0;
}
