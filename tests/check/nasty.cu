/* SPDX-License-Identifier: Apache-2.0
 *
 * nasty.cu: programs that end, fork, handle signals, or ask for too much in ways that a tool in the
 * same process could lose findings by, crash of, or wait for for ever. One case an argument;
 * nasty_test.py has what must come of each. Most make one finding first, an access past the end
 * (`past`).
 */
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

enum { N = 31 };

__global__ void
past(int *x)
{
    x[threadIdx.x] = 1;
}
__global__ void
past_again(int *x)
{
    x[threadIdx.x + 1] = 1;
}
__global__ void
fine(int *x)
{
    if (threadIdx.x < N)
        x[threadIdx.x] = 2;
}
__global__ void
spin(volatile int *x)
{
    while (x[0] != 77)
        ;
}
__global__ void
deep(int *x, int n)
{
    if (n)
        x[n % N] = n;
}
/* Never ends where there is no step. */
__global__ void
loop(int *x, int n, int step)
{
    int i = 0;
    while (i < n)
        i += step;
    x[threadIdx.x % N] = i;
}
__global__ void
nest(int *x)
{
    loop<<<1, 32>>>(x, 5, 0);
}
/* Takes longer than anybody waits, and is another state in each turn. */
__global__ void
spin_on(unsigned long long *x)
{
    for (unsigned long long i = 1; i; i += 2)
        x[i & 7] = i;
}
template <int K>
__global__ void
many(int *x)
{
    x[threadIdx.x + K] = K;
}
__device__ int recursive(int n);
__device__ __noinline__ int
recursive(int n)
{
    int pad[64];
    for (int k = 0; k < 64; k++)
        pad[k] = n + k;
    return n <= 0 ? pad[3] : recursive(n - 1) + pad[n % 64];
}
__global__ void
recurse(int *x, int n)
{
    x[threadIdx.x % N] = recursive(n);
}

static int *x, *y; /* y: 64 bytes, never freed */
static const char *self;

static void
found()
{
    past<<<1, 32>>>(x);
    cudaDeviceSynchronize();
}

/* -- static objects ---------------------------------------------------------------------------- */

struct at_end {
    void (*run)() = nullptr;
    ~at_end()
    {
        if (run)
            run();
    }
};
static at_end early; /* made before anything of CUDA's */

static at_end &
late()
{
    static at_end one;
    return one;
}

/* -- signals ----------------------------------------------------------------------------------- */

static sigjmp_buf back;
static void
jump(int)
{
    siglongjmp(back, 1);
}
static void
leave(int)
{
    _exit(7);
}
static void
leave_politely(int)
{
    exit(7);
}
static volatile int *const nowhere = (int *)16;

static volatile sig_atomic_t urgent;
static int urgent_count;
static void
call_nothing(int)
{
    urgent = urgent + 1;
}
static void
alarm_in_kernel(int number)
{
    std::thread([number] { usleep(300000); kill(getpid(), number); }).detach();
}

static void
call_in_handler(int)
{
    past_again<<<1, 32>>>(x);
    cudaDeviceSynchronize();
}

/* -- host functions ---------------------------------------------------------------------------- */

static void
host_frees(void *p)
{
    cudaFree(p);
}
static void
host_launches(void *)
{
    fine<<<1, 32>>>(x);
}
static void
host_exits(void *)
{
    exit(0);
}
static void
callback_waits(cudaStream_t s, cudaError_t, void *)
{
    cudaStreamSynchronize(s);
}
static void
host_counts(void *p)
{
    ++*(int *)p;
}

static void
child_of_fork(void (*what)())
{
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        what();
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (status)
        printf("child %x\n", status);
}

struct nasty {
    const char *name;
    void (*run)();
};
/* clang-format off: a row a case */
static const nasty all[] = {
    /* ends */
    {"return", [] { found(); }},
    {"_exit", [] { found(); _exit(0); }},
    {"_Exit", [] { found(); _Exit(3); }},
    {"quick_exit", [] { found(); quick_exit(0); }},
    {"exec", [] { found(); execl("/bin/true", "true", (char *)NULL); }},
    {"exec-self", [] { found(); execl(self, self, "second", (char *)NULL); }},
    {"second", [] { past_again<<<1, 32>>>(x); cudaDeviceSynchronize(); cudaFree(x); }},
    {"exec-fails", [] { found(); execl("/nonexistent", "x", (char *)NULL); cudaFree(x); }},
    {"abort", [] { found(); abort(); }},
    {"terminate", [] { found(); throw 1; }},
    {"kill", [] { found(); kill(getpid(), SIGKILL); }},
    {"term", [] { found(); kill(getpid(), SIGTERM); }},
    {"interrupt", [] { found(); raise(SIGINT); }},
    {"segv", [] { found(); *nowhere = 1; }},
    {"bus", [] { found(); raise(SIGBUS); }},
    {"divide", [] { found(); raise(SIGFPE); }},
    {"trap", [] { found(); __builtin_trap(); }},
    {"double-free", [] { found(); char *volatile p = (char *)malloc(3000); malloc(10); free(p); free(p); }},
    {"heap-smashed", [] { found(); char *volatile p = (char *)malloc(2000), *volatile q = (char *)malloc(2000);
                          malloc(10); memset(p, 0x41, 2100); free(q); free(p); }},
    {"stack-overflow", [] { found(); struct f { static int g(int n) { volatile char a[4096]; a[n % 7] = n;
                                                                      return g(n + 1) + a[3]; } };
                            printf("%d\n", f::g(0)); }},
    {"exit-in-thread", [] { found(); std::thread([] { exit(0); }).join(); }},
    {"pthread_exit", [] { found(); cudaFree(x); fflush(stdout); pthread_exit(NULL); }},
    {"exit-in-handler", [] { found(); signal(SIGUSR1, leave_politely); raise(SIGUSR1); }},
    {"_exit-in-handler", [] { found(); signal(SIGSEGV, leave); *nowhere = 1; }},
    {"atexit", [] { atexit([] { past_again<<<1, 32>>>(x); cudaDeviceSynchronize(); cudaFree(x); }); found(); }},
    {"atexit-exits", [] { atexit([] { _exit(5); }); found(); }},
    {"at_quick_exit", [] { at_quick_exit([] { past_again<<<1, 32>>>(x); cudaDeviceSynchronize(); }); found();
                           quick_exit(0); }},
    /* static objects */
    {"static-frees", [] { found(); early.run = [] { cudaFree(x); }; }},
    {"static-launches", [] { found(); early.run = [] { past_again<<<1, 32>>>(x); cudaDeviceSynchronize();
                                                       cudaFree(x); }; }},
    {"static-launches-first", [] { early.run = [] { past<<<1, 32>>>(x); cudaDeviceSynchronize(); cudaFree(x); }; }},
    {"late-static-launches", [] { found(); late().run = [] { past_again<<<1, 32>>>(x); cudaDeviceSynchronize();
                                                             cudaFree(x); }; }},
    {"static-double-free", [] { cudaFree(x); early.run = [] { cudaFree(x); }; }},
    {"static-crashes", [] { found(); early.run = [] { *nowhere = 1; }; }},
    {"static-_exits", [] { found(); early.run = [] { _exit(9); }; }},
    {"thread-local", [] { std::thread([] { thread_local at_end t; t.run = [] { found(); cudaFree(x); }; }).join(); }},
    /* forks */
    {"fork-idle", [] { child_of_fork([] {}); found(); cudaFree(x); }},
    {"fork-exit", [] { found(); fflush(stdout); if (!fork()) exit(0); wait(NULL); cudaFree(x); }},
    {"fork-malloc", [] { child_of_fork([] { int *p; printf("%d\n", (int)cudaMalloc(&p, 4)); fflush(stdout); });
                         cudaFree(x); }},
    {"fork-launch", [] { child_of_fork([] { fine<<<1, 32>>>(x); printf("%d\n", (int)cudaGetLastError());
                                            fflush(stdout); }); cudaFree(x); }},
    {"fork-sync", [] { child_of_fork([] { printf("%d\n", (int)cudaDeviceSynchronize()); fflush(stdout); });
                       cudaFree(x); }},
    {"fork-many", [] { for (int k = 0; k < 20; k++) child_of_fork([] { cudaFree(x); }); cudaFree(x); }},
    {"fork-exec", [] { cudaFree(x); fflush(stdout); if (!fork()) execl(self, self, "second", (char *)NULL);
                       wait(NULL); }},
    {"system", [] { found(); cudaFree(x); if (system("true")) printf("no\n"); }},
    {"orphan", [] { found(); cudaFree(x); fflush(stdout); if (!fork()) { close(1); close(2); sleep(1); _exit(0); } }},
    {"vfork", [] { found(); cudaFree(x); if (!vfork()) _exit(0); wait(NULL); }},
    /* signals that the program lives on after */
    {"handler-jumps", [] { if (!sigsetjmp(back, 1)) { signal(SIGSEGV, jump); *nowhere = 1; }
                           found(); cudaFree(x); }},
    {"handler-jumps-often", [] { signal(SIGSEGV, jump); for (volatile int k = 0; k < 100; k++)
                                     if (!sigsetjmp(back, 1)) *nowhere = 1;
                                 found(); cudaFree(x); }},
    {"alarms", [] { signal(SIGALRM, [](int) {}); struct itimerval t = {{0, 1000}, {0, 1000}};
                    setitimer(ITIMER_REAL, &t, NULL);
                    for (int k = 0; k < 50; k++) fine<<<1, 32>>>(x);
                    memset(&t, 0, sizeof t); setitimer(ITIMER_REAL, &t, NULL); found(); cudaFree(x); }},
    {"calls-in-handler", [] { found(); signal(SIGUSR1, call_in_handler); raise(SIGUSR1); cudaFree(x); }},
    {"all-blocked", [] { sigset_t s; sigfillset(&s); sigprocmask(SIG_SETMASK, &s, NULL); found(); cudaFree(x); }},
    {"all-ignored", [] { for (int k = 1; k < 32; k++) signal(k, SIG_IGN); found(); cudaFree(x); }},
    /* threads */
    {"threads", [] { std::vector<std::thread> t; for (int k = 0; k < 8; k++) t.emplace_back([] {
                         int *p; cudaMalloc(&p, 128); fine<<<1, 32>>>(p); cudaDeviceSynchronize(); cudaFree(p); });
                     for (auto &one : t) one.join(); found(); cudaFree(x); }},
    {"thread-left-running", [] { found(); std::thread([] { for (;;) pause(); }).detach(); cudaFree(x); }},
    {"thread-launches-on", [] { found(); std::thread([] { for (;;) fine<<<1, 32>>>(x); }).detach(); usleep(20000);
                                exit(0); }},
    {"cancelled", [] { pthread_t t; pthread_create(&t, NULL, [](void *) -> void * { found(); for (;;) pause(); }, NULL);
                       usleep(300000); pthread_cancel(t); pthread_join(t, NULL); cudaFree(x); }},
    /* host functions */
    {"host-frees", [] { cudaLaunchHostFunc(0, host_frees, x); cudaFree(x); }},
    {"host-launches", [] { cudaLaunchHostFunc(0, host_launches, NULL); cudaFree(x); }},
    {"callback-waits", [] { cudaStreamAddCallback(0, callback_waits, NULL, 0); cudaFree(x); }},
    {"host-exits", [] { found(); cudaLaunchHostFunc(0, host_exits, NULL); }},
    {"host-thousands", [] { int n = 0; for (int k = 0; k < 5000; k++) cudaLaunchHostFunc(0, host_counts, &n);
                            printf("%d\n", n); found(); cudaFree(x); }},
    /* captures */
    {"capture-waits", [] { cudaStream_t s; cudaGraph_t g; cudaStreamCreate(&s);
                           cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); fine<<<1, 32, 0, s>>>(x);
                           cudaStreamSynchronize(s); cudaStreamEndCapture(s, &g); printf("%d\n", g == NULL);
                           cudaStreamDestroy(s); cudaFree(x); }},
    {"capture-left-open", [] { cudaStream_t s; cudaStreamCreate(&s);
                               cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed); past<<<1, 32, 0, s>>>(x);
                               cudaStreamDestroy(s); found(); cudaFree(x); }},
    /* limits and surroundings */
    {"no-descriptors", [] { for (int k = 3; k < 1000; k++) close(k); found(); cudaFree(x); }},
    {"all-closed", [] { found(); for (int k = 0; k < 1000; k++) close(k); past_again<<<1, 32>>>(x);
                        cudaDeviceSynchronize(); cudaFree(x); }},
    {"descriptor-limit", [] { struct rlimit r = {3, 3}; setrlimit(RLIMIT_NOFILE, &r); found(); cudaFree(x); }},
    {"file-limit", [] { struct rlimit r = {0, 0}; fine<<<1, 32>>>(x); setrlimit(RLIMIT_FSIZE, &r);
                        past_again<<<1, 32>>>(x); cudaDeviceSynchronize(); cudaFree(x); }},
    {"other-folder", [] { if (chdir("/")) return; found(); cudaFree(x); }},
    {"no-environment", [] { clearenv(); found(); cudaFree(x); }},
    {"umask", [] { umask(0777); found(); cudaFree(x); }},
    {"priority", [] { nice(19); found(); cudaFree(x); }},
    /* floods */
    {"many-frees", [] { for (size_t k = 1; k <= 3000; k++) cudaFree((void *)(k * 16)); cudaFree(x); }},
    {"many-leaks", [] { for (int k = 0; k < 2000; k++) { int *p; cudaMalloc(&p, 4); } found(); cudaFree(x); }},
    {"many-launches", [] { for (int k = 0; k < 3000; k++) fine<<<1, 32>>>(x); found(); cudaFree(x); }},
    {"many-streams", [] { for (int k = 0; k < 300; k++) { cudaStream_t s; cudaStreamCreate(&s);
                              fine<<<1, 32, 0, s>>>(x); cudaStreamSynchronize(s); cudaStreamDestroy(s); }
                          found(); cudaFree(x); }},
    {"many-events", [] { for (int k = 0; k < 3000; k++) { cudaEvent_t e; cudaEventCreate(&e); cudaEventRecord(e);
                             cudaEventDestroy(e); } found(); cudaFree(x); }},
    {"huge-malloc", [] { int *p; printf("%d\n", (int)cudaMalloc(&p, (size_t)1 << 60)); cudaGetLastError(); found();
                         cudaFree(x); }},
    {"huge-grid", [] { fine<<<dim3(1, 70000), 32>>>(x); printf("%d\n", (int)cudaGetLastError()); found();
                       cudaFree(x); }},
    {"deep-recursion", [] { recurse<<<1, 32>>>(x, 100000); printf("%d\n", (int)cudaDeviceSynchronize()); }},
    {"hang", [] { found(); spin<<<1, 1>>>(x); printf("%d\n", (int)cudaDeviceSynchronize()); }},
    {"hang-in-loop", [] { found(); loop<<<1, 32>>>(x, 5, 0); printf("%d\n", (int)cudaDeviceSynchronize()); }},
    {"hang-in-thread", [] { found(); std::thread([] { loop<<<1, 32>>>(x, 5, 0); cudaDeviceSynchronize(); }).join(); }},
    {"hang-in-child", [] { found(); nest<<<1, 1>>>(x); printf("%d\n", (int)cudaDeviceSynchronize()); }},
    {"hang-in-graph", [] { cudaStream_t s; cudaGraph_t g; cudaGraphExec_t e; cudaStreamCreate(&s); found();
                           cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); loop<<<1, 32, 0, s>>>(x, 5, 0);
                           cudaStreamEndCapture(s, &g); cudaGraphInstantiate(&e, g, 0); cudaGraphLaunch(e, s);
                           printf("%d\n", (int)cudaStreamSynchronize(s)); }},
    {"hang-in-static", [] { found(); early.run = [] { loop<<<1, 32>>>(x, 5, 0); cudaDeviceSynchronize(); }; }},
    {"hang-of-two", [] { found(); std::thread t([] { cudaStream_t s; cudaStreamCreate(&s);
                                                      loop<<<1, 32, 0, s>>>(x, 5, 0); cudaStreamSynchronize(s); });
                         cudaStream_t s; cudaStreamCreate(&s); loop<<<1, 32, 0, s>>>(x, 5, 0);
                         cudaStreamSynchronize(s); t.join(); }},
    {"urgent-ignored", [] { signal(SIGURG, SIG_IGN); found(); loop<<<1, 32>>>(x, 5, 0); cudaDeviceSynchronize(); }},
    {"urgent-used", [] { signal(SIGURG, call_nothing); raise(SIGURG); found(); loop<<<1, 32>>>(x, 5, 0);
                         cudaDeviceSynchronize(); raise(SIGURG); printf("%d\n", (int)urgent); }},
    {"terminated-in-kernel", [] { found(); alarm_in_kernel(SIGTERM); spin_on<<<1, 1>>>((unsigned long long *)y); }},
    {"interrupted-in-kernel", [] { found(); alarm_in_kernel(SIGINT); spin_on<<<1, 1>>>((unsigned long long *)y); }},
    {"killed-in-kernel", [] { found(); alarm_in_kernel(SIGKILL); spin_on<<<1, 1>>>((unsigned long long *)y); }},
    {"exit-in-kernel", [] { found(); std::thread([] { usleep(200000); _exit(4); }).detach();
                            spin_on<<<1, 1>>>((unsigned long long *)y); }},
    {"pthread_exit-of-threads", [] { std::thread([] { found(); cudaFree(x); }).detach(); pthread_exit(NULL); }},
    {"throws-across", [] { found(); try { cudaLaunchHostFunc(0, host_counts, &urgent_count); throw 1; } catch (int) {}
                           cudaFree(x); }},
    {"reset", [] { found(); cudaDeviceReset(); cudaMalloc(&x, 4 * N); past_again<<<1, 32>>>(x);
                   cudaDeviceSynchronize(); cudaFree(x); }},
    {"reset-in-static", [] { found(); cudaFree(x); early.run = [] { cudaDeviceReset(); }; }},
};
/* clang-format on */

int
main(int argc, char **argv)
{
    self = argv[0];
    cudaMalloc(&x, 4 * N);
    if (argc > 1 && strstr(argv[1], "-in-kernel"))
        cudaMalloc(&y, 64);
    for (const nasty &one : all)
        if (argc > 1 && !strcmp(one.name, argv[1])) {
            one.run();
            return 0;
        }
    for (const nasty &one : all)
        printf("%s\n", one.name);
    return 64;
}
