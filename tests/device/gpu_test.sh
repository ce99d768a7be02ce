# SPDX-License-Identifier: Apache-2.0
#
# The back end for a real GPU, without one: a second copy of liblockstep plays the driver. Programs
# must print the same on both; without a driver there is a message and an exit status.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL $*"; exit 1; }
[ -e "$BINARY_DIR/liblockstep.so" ] || { echo "SKIP: no library"; exit 77; }
cp -L "$BINARY_DIR/liblockstep.so" "$work/libcuda.so.1"
export LOCKSTEP_WORKERS=2

cat >"$work/all.cu" <<'C'
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cooperative_groups.h>
#define OK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
    printf("%d: %s: %s\n", __LINE__, #call, cudaGetErrorString(e_)); exit(1); } } while (0)
__constant__ float factors[4];
__device__ int counter = 5;
__managed__ int managed = 1;
__global__ void scale(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * factors[i % 4];
    if (i == 0) managed += 41;
    if (i == n - 1) printf("last %g\n", in[i]);
}
__global__ void sum(int *out, int n)
{
    extern __shared__ int s[];
    s[threadIdx.x] = (int)threadIdx.x < n ? (int)threadIdx.x : 0;
    __syncthreads();
    for (int k = blockDim.x / 2; k; k /= 2) {
        if ((int)threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (!threadIdx.x) { atomicAdd(&counter, s[0]); *out = s[0]; }
}
__global__ void look(float *out, cudaTextureObject_t t)
{
    out[threadIdx.x] = tex2D<float>(t, 0.5f + (float)(threadIdx.x % 4), 0.5f + (float)(threadIdx.x / 4));
}
__global__ void grid(int *out)
{
    atomicAdd(out, 1);
    cooperative_groups::this_grid().sync();
    if (!threadIdx.x && !blockIdx.x) out[1] = out[0];
}
__global__ void bad(int *p) { *p = 1; }
static void called(void *p) { *(int *)p += 1; }
int main()
{
    const int n = 1003;
    cudaDeviceProp p;
    OK(cudaGetDeviceProperties(&p, 0));
    printf("%d.%d %d\n", p.major, p.minor, p.warpSize);
    std::vector<float> host(n), back(n);
    for (int i = 0; i < n; i++) host[i] = (float)i;
    float f[4] = {1, 2, 3, 4}, *in, *out;
    OK(cudaMalloc(&in, n * 4)); OK(cudaMalloc(&out, n * 4));
    OK(cudaMemcpyToSymbol(factors, f, sizeof f));
    cudaStream_t s; cudaEvent_t a, b;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking)); OK(cudaEventCreate(&a)); OK(cudaEventCreate(&b));
    OK(cudaMemcpyAsync(in, host.data(), n * 4, cudaMemcpyHostToDevice, s));
    OK(cudaEventRecord(a, s));
    scale<<<(n + 127) / 128, 128, 0, s>>>(out, in, n);
    OK(cudaEventRecord(b, s)); OK(cudaStreamWaitEvent(0, b, 0));
    int calls = 0; OK(cudaLaunchHostFunc(s, called, &calls));
    OK(cudaMemcpyAsync(back.data(), out, n * 4, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    float ms = -1; OK(cudaEventElapsedTime(&ms, a, b));
    double total = 0; for (float x : back) total += x;
    printf("%g %d %d %d\n", total, managed, calls, ms >= 0);
    int *pair, values[2];
    OK(cudaMallocManaged(&pair, 8)); pair[0] = pair[1] = 0;
    sum<<<1, 256, 1024>>>(pair, 200); OK(cudaDeviceSynchronize());
    OK(cudaMemcpyFromSymbol(values, counter, 4));
    printf("%d %d\n", pair[0], values[0]);
    pair[0] = 0; void *args[] = {&pair};
    OK(cudaLaunchCooperativeKernel((void *)grid, dim3(4), dim3(32), args, 0, 0)); OK(cudaDeviceSynchronize());
    printf("%d\n", pair[1]);
    cudaArray_t array; cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    OK(cudaMallocArray(&array, &d, 4, 2)); OK(cudaMemcpy2DToArray(array, 0, 0, host.data() + 7, 20, 16, 2, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {}; r.resType = cudaResourceTypeArray; r.res.array.array = array;
    cudaTextureDesc t = {}; cudaTextureObject_t o;
    OK(cudaCreateTextureObject(&o, &r, &t, nullptr));
    look<<<1, 8>>>(out, o);
    OK(cudaMemset(out + 8, 0, 8)); OK(cudaMemset2D(out + 12, 16, 0xff, 4, 2));
    OK(cudaMemcpy(back.data(), out, 96, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++) printf("%g ", back[i]);
    printf("\n");
    cudaGraph_t g; cudaGraphExec_t x;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    sum<<<1, 64, 256, s>>>(pair, 10);
    OK(cudaStreamEndCapture(s, &g)); OK(cudaGraphInstantiate(&x, g, 0)); OK(cudaGraphLaunch(x, s)); OK(cudaStreamSynchronize(s));
    printf("%d\n", pair[0]);
    cudaFuncAttributes fa; OK(cudaFuncGetAttributes(&fa, sum));
    printf("%d\n", fa.maxThreadsPerBlock);
    OK(cudaDestroyTextureObject(o)); OK(cudaFreeArray(array)); OK(cudaFree(in)); OK(cudaFree(out));
    printf("%s\n", cudaGetErrorName(cudaFree(in)));
    sum<<<1, 4096>>>(pair, 1); printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    bad<<<1, 1>>>((int *)64);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    OK(cudaDeviceReset()); OK(cudaMalloc(&in, 4)); OK(cudaMemset(in, 0, 4)); OK(cudaDeviceSynchronize());
    return 3;
}
C
"$LOCKSTEP" cc "$work/all.cu" -o "$work/all" || fail "it does not compile"
LOCKSTEP_QUIET=1 "$work/all" >"$work/virtual" 2>&1; status=$?
[ $status = 3 ] || { cat "$work/virtual"; fail "status $status on the virtual GPU"; }
export LOCKSTEP_LIBCUDA=$work/libcuda.so.1
LOCKSTEP_QUIET=1 LOCKSTEP_DEVICE=gpu "$work/all" >"$work/gpu" 2>&1; status=$?
diff "$work/virtual" "$work/gpu" || fail "the two print different things"
[ $status = 3 ] || fail "status $status on the GPU"
# It was the driver that ran it: every launch is a call of its.
LOCKSTEP_TRACE=api LOCKSTEP_DEVICE=gpu "$work/all" 2>&1 | grep -q 'api: cuLaunchKernel(' || fail "no call of the driver"

# Mathematical functions come from lockstep: the driver has none.
cat >"$work/maths.cu" <<'C'
#include <cstdio>
__global__ void maths(double *o, float *f, double x)
{
    int e;
    o[0] = sin(x), o[1] = pow(x, 1.5), o[2] = exp(x), o[3] = erf(x), o[4] = atan2(x, 2.0), o[5] = fmod(100.0, x);
    o[6] = frexp(x, &e) + e, o[7] = log10(x), o[8] = cbrt(x), o[9] = hypot(x, 3.0), o[10] = cos(1e22 * x);
    f[0] = sinf(1e6f * (float)x), f[1] = powf((float)x, 2.5f), f[2] = tanhf((float)x), f[3] = normcdff((float)x);
}
int main()
{
    double *o; float *f;
    cudaMallocManaged(&o, 88); cudaMallocManaged(&f, 16);
    maths<<<1, 1>>>(o, f, 0.7);
    puts(cudaGetErrorString(cudaDeviceSynchronize()));
    for (int i = 0; i < 11; i++) printf("%.17g\n", o[i]);
    for (int i = 0; i < 4; i++) printf("%.9g\n", f[i]);
}
C
"$LOCKSTEP" cc "$work/maths.cu" -o "$work/maths" || fail "it does not compile"
"$LOCKSTEP" run --compare --tolerance 1e-14 "$work/maths" >"$work/out" 2>"$work/said" || { cat "$work/said"; fail "mathematics"; }
grep -q '0.6442176872376910' "$work/out" || { cat "$work/out"; fail "mathematics: the sine"; }
LOCKSTEP_TRACE=api LOCKSTEP_DEVICE=gpu "$work/maths" 2>&1 | grep -q 'api: cuLinkComplete(' || fail "nothing was linked"

# Texture references and preferences for shared memory or L1, as the suite's rungs use them.
for rung in texture/turn_reference cache_config/prefer; do
    "$LOCKSTEP" run --device gpu "$SOURCE_DIR/suite/$rung.cu" -- --size 100 >"$work/out" 2>&1 || { cat "$work/out"; fail "$rung"; }
    grep -q 'verified  yes' "$work/out" || fail "$rung: not verified"
done

# Classes with virtual functions; graphs with conditions and with memory of their own.
cat >"$work/graphs.cu" <<'C'
#include <cstdio>
#include <cstdlib>
#define OK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
    printf("%d: %s: %s\n", __LINE__, #call, cudaGetErrorString(e_)); exit(1); } } while (0)
struct shape { __device__ virtual int area() const = 0; __device__ virtual ~shape() {} };
struct square : shape { int a; __device__ square(int x) : a(x) {} __device__ int area() const override { return a * a; } };
struct line : shape { __device__ int area() const override { return 0; } };
__global__ void areas(int *out)
{
    shape *s = threadIdx.x % 2 ? (shape *)new square(threadIdx.x) : new line;
    out[threadIdx.x] = s->area();
    delete s;
}
__global__ void step(int *n, cudaGraphConditionalHandle h) { cudaGraphSetConditional(h, --*n > 0); }
__global__ void add(int *to, int x) { *to += x; }
__global__ void keep(int *to, const int *from) { *to = *from; }
static cudaGraphNode_t kernel(cudaGraph_t g, void *f, void **args, const cudaGraphNode_t *after)
{
    cudaGraphNode_t n;
    cudaKernelNodeParams p = {};
    p.func = f; p.gridDim = p.blockDim = dim3(1); p.kernelParams = args;
    OK(cudaGraphAddKernelNode(&n, g, after, after != nullptr, &p));
    return n;
}
int main()
{
    int *m, host[8];
    OK(cudaMalloc(&m, 64));
    areas<<<1, 8>>>(m); OK(cudaMemcpy(host, m, 32, cudaMemcpyDeviceToHost));
    for (int x : host) printf("%d ", x);
    cudaGraph_t g; cudaGraphExec_t x; cudaGraphConditionalHandle h; cudaGraphNode_t n;
    OK(cudaGraphCreate(&g, 0)); OK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams c = {};
    c.type = cudaGraphNodeTypeConditional; c.conditional.handle = h;
    c.conditional.type = cudaGraphCondTypeWhile; c.conditional.size = 1;
    OK(cudaGraphAddNode(&n, g, nullptr, 0, &c));
    int *sum = m + 1, five = 5; void *stepping[] = {&m, &h}, *adding[] = {&sum, &five};
    cudaGraphNode_t first = kernel(c.conditional.phGraph_out[0], (void *)step, stepping, nullptr);
    kernel(c.conditional.phGraph_out[0], (void *)add, adding, &first);
    OK(cudaGraphInstantiate(&x, g, 0));
    for (int times = 3; times < 5; times++) {
        int begin[2] = {times, 0};
        OK(cudaMemcpy(m, begin, 8, cudaMemcpyHostToDevice));
        OK(cudaGraphLaunch(x, 0)); OK(cudaMemcpy(host, m, 8, cudaMemcpyDeviceToHost));
        printf("%d %d ", host[0], host[1]);
    }
    OK(cudaGraphExecDestroy(x)); OK(cudaGraphDestroy(g));
    cudaStream_t s; int *own;
    OK(cudaStreamCreate(&s)); OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync(&own, 4, s)); OK(cudaMemsetAsync(own, 0, 4, s));
    add<<<1, 1, 0, s>>>(own, 7); keep<<<1, 1, 0, s>>>(m, own);
    OK(cudaFreeAsync(own, s)); OK(cudaStreamEndCapture(s, &g)); OK(cudaGraphInstantiate(&x, g, 0));
    for (int k = 0; k < 2; k++) { OK(cudaGraphLaunch(x, s)); OK(cudaStreamSynchronize(s)); }
    OK(cudaMemcpy(host, m, 4, cudaMemcpyDeviceToHost));
    printf("%d\n", host[0]);
}
C
"$LOCKSTEP" cc "$work/graphs.cu" -o "$work/graphs" || fail "it does not compile"
"$LOCKSTEP" run --compare "$work/graphs" >"$work/out" 2>"$work/said" || { cat "$work/said"; fail "graphs"; }
grep -q '^0 1 0 9 0 25 0 49 0 15 0 20 7$' "$work/out" || { cat "$work/out"; fail "graphs: other numbers"; }

# What the back end does not offer is named.
cat >"$work/parent.cu" <<'C'
#include <cstdio>
__global__ void child() {}
__global__ void parent() { child<<<1, 1>>>(); }
int main() { parent<<<1, 1>>>(); puts(cudaGetErrorName(cudaDeviceSynchronize())); }
C
"$LOCKSTEP" cc -rdc=true "$work/parent.cu" -o "$work/parent" || fail "it does not compile"
LOCKSTEP_DEVICE=gpu "$work/parent" >"$work/out" 2>&1
grep -q 'dynamic parallelism.*on a real GPU' "$work/out" || { cat "$work/out"; fail "dynamic parallelism is not named"; }

# run --device gpu and --compare
"$LOCKSTEP" run --device gpu "$work/all" >"$work/run" 2>/dev/null; [ $? = 3 ] || fail "run --device gpu"
"$LOCKSTEP" run --compare "$work/all" >/dev/null 2>"$work/said" || { cat "$work/said"; fail "--compare"; }
grep -q 'the same' "$work/said" || fail "--compare says nothing"
cat >"$work/differs.cu" <<'C'
#include <cstdio>
#include <cstdlib>
int main() { puts("same"); printf("x = %s\n", getenv("LOCKSTEP_DEVICE")[0] == 'g' ? "1.00001" : "1"); return 0; }
C
"$LOCKSTEP" cc "$work/differs.cu" -o "$work/differs" || fail "it does not compile"
"$LOCKSTEP" run --compare --tolerance 1e-7 "$work/differs" >/dev/null 2>"$work/said" && fail "a difference was not found"
grep -q 'x = 1.00001' "$work/said" || fail "the difference is not shown"
"$LOCKSTEP" run --compare --tolerance 1e-4 "$work/differs" >/dev/null 2>&1 || fail "the tolerance is not used"
"$LOCKSTEP" run --compare --tolerance 0 --ignore 'x =' "$work/differs" >/dev/null 2>&1 || fail "--ignore is not used"

# no driver
export LOCKSTEP_LIBCUDA=$work/nothing.so
"$LOCKSTEP" run --device gpu "$work/all" >/dev/null 2>"$work/said"; [ $? = 3 ] || fail "no driver: status"
grep -q 'no driver of a GPU' "$work/said" || fail "no driver: message"
echo 'int x;' >"$work/empty.c" && "$CC" -shared -fPIC "$work/empty.c" -o "$work/nothing.so"
"$LOCKSTEP" run --device gpu "$work/all" >/dev/null 2>"$work/said"; [ $? = 3 ] || fail "an empty driver: status"
grep -q 'a driver of CUDA' "$work/said" || fail "an empty driver: message"
LOCKSTEP_DEVICE=gpu "$work/all" >"$work/out" 2>&1 && fail "a program without a GPU ends well"
grep -q 'a driver of CUDA' "$work/out" || fail "a program without a GPU is not told"
echo PASS
