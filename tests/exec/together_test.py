#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Indices written on both sides of branches and in loops (src/jit/values/converged.c), in warps that go one way, that part, and
that meet again: random kernels beside the same function on the host, thread by thread.

Every index is the thread's number and up to 9 times the number of threads, or, behind those, counted from the last
thread down: no two threads meet in memory whatever way they take. Conditions come from memory: the same for all threads, for
all of a warp, for most of a warp, for none.

    together_test.py [SEED [KERNELS]]      default: the seeds of the test
"""
import os
import random
import subprocess
import sys
import tempfile

HEAD = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
enum { GLOBAL = 1 << 16, SHARED = 9 * 1024, ROOM = 64 };
#ifdef __CUDA_ARCH__
#define STAY asm volatile("") /* or both sides become one selection */
#else
#define STAY
#endif
#define BOTH static __host__ __device__ __forceinline__
struct where { int t, p, b, d; }; /* thread of the grid, threads of the grid, of the block twice */
"""

MAIN = r"""
typedef void (*kernel)(const int *, const int *, int *, int);
typedef void (*host)(where, int *, const int *, const int *, int *, int);
static int next_random() { static unsigned s = 7; s = s * 1664525 + 1013904223; return (int)(s >> 8); }
static int bad;

static void
compare(int number, kernel k, host first, host second, int blocks, int threads, int kind, int n)
{
    int p = blocks * threads, *in, *flag, *out;
    std::vector<int> x(GLOBAL), y(p + 64), got(GLOBAL), want(GLOBAL), s(SHARED);
    for (int &v : x) v = next_random() % 1000;
    for (int i = 0; i < (int)y.size(); i++) {
        static int warp;
        if (i % 32 == 0) warp = next_random();
        y[i] = kind == 0 ? 5 : kind == 1 ? warp : kind == 2 ? (next_random() % 40 ? warp : next_random()) : next_random();
    }
    for (int i = 0; i < GLOBAL; i++) want[i] = i * 3;
    cudaMalloc(&in, GLOBAL * 4); cudaMalloc(&out, GLOBAL * 4); cudaMalloc(&flag, y.size() * 4);
    cudaMemcpy(in, x.data(), GLOBAL * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(flag, y.data(), y.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(out, want.data(), GLOBAL * 4, cudaMemcpyHostToDevice);
    k<<<blocks, threads>>>(in, flag, out, n);
    if (cudaMemcpy(got.data(), out, GLOBAL * 4, cudaMemcpyDeviceToHost) != cudaSuccess) { printf("FAIL kernel %d: %s\n", number, cudaGetErrorString(cudaGetLastError())); exit(1); }
    for (int b = 0; b < blocks; b++) {
        for (int i = 0; i < SHARED; i++) s[i] = i;
        for (int d = 0; d < threads; d++) first({b * threads + d, p, threads, d}, s.data(), x.data(), y.data(), want.data(), n);
        for (int d = 0; d < threads; d++) second({b * threads + d, p, threads, d}, s.data(), x.data(), y.data(), want.data(), n);
    }
    int wrong = 0;
    for (int i = 0; i < GLOBAL; i++) wrong += got[i] != want[i];
    if (wrong) { printf("FAIL kernel %d, %d blocks of %d, flags of kind %d, n %d: %d wrong\n", number, blocks, threads, kind, n, wrong); bad = 1; }
    cudaFree(in); cudaFree(flag); cudaFree(out);
}

int
main()
{
    static const int shapes[][2] = {{2, 256}, {3, 96}, {1, 32}, {2, 70}, {4, 256}};
    for (auto &s : shapes)
        for (int kind = 0; kind < 4; kind++)
            for (int n : {0, 3, 100000}) {
@CALLS@
            }
    return bad;
}
"""


class Maker:
    """One function's text. Variables: i, u (int, unsigned), l, m (64 bits): indices; v: a value."""

    def __init__(self, rng):
        self.rng, self.lines, self.depth, self.budget = rng, [], 1, 26

    def put(self, text):
        self.lines.append("    " * self.depth + text)

    def home(self, shared):
        """An index of the thread's own."""
        t, p = ("w.d", "w.b") if shared else ("w.t", "w.p")
        return self.rng.choice([f"{t} + {self.rng.randrange(4)} * {p}", f"{p} - 1 - {t} + {p} * {16 + self.rng.randrange(3)}",
                                f"{t} + {p}", f"{t}"])

    def condition(self):
        r = self.rng
        return r.choice([f"f % {r.randrange(2, 7)} == {r.randrange(2)}", "w.t < n", f"g % {r.randrange(2, 5)}",
                         f"w.t + {r.randrange(40)} < n && f % 3", f"(w.t >> {r.randrange(4, 7)}) & 1", "n > 2"])

    def index(self, shared):
        r = self.rng
        a, b = ("si", "sl") if shared else ("i", "l")
        u = "su" if shared else "u"
        h, p = self.home(shared), "w.b" if shared else "w.p"
        self.put(r.choice([f"{a} = {h};", f"{b} = {h};", f"{u} = {h};", f"{b} = (long long){a};", f"{b} = {u};", f"{a} = (int){b};",
                           f"{u} = {a};", f"if ({b} < 6 * {p}) {b} += {p};", f"if ({a} < 6 * {p}) {a} += {p};"]))

    def access(self):
        r = self.rng
        shared = r.random() < 0.5
        a = r.choice(["si", "sl", "su"] if shared else ["i", "l", "u"])
        where = "s" if shared else "out"
        self.put(r.choice([f"{where}[{a}] = v + {r.randrange(99)};", f"v = v * 3 + {where}[{a}];", f"v += in[{a}];" if not shared else
                           f"v ^= s[{a}];", f"{where}[{a}] = v; v += {a} & 7;"]))

    def block(self, most):
        for _ in range(self.rng.randrange(1, most + 1)):
            self.statement()

    def statement(self):
        r = self.rng
        self.budget -= 1
        kind = r.random()
        if kind < 0.3:
            self.access()
        elif kind < 0.55 or self.depth > 4 or self.budget < 0:
            self.index(r.random() < 0.5)
        elif kind < 0.85:
            self.put(f"if ({self.condition()}) {{")
            self.depth += 1
            self.put("STAY;")
            self.block(3)
            self.depth -= 1
            if r.random() < 0.8:
                self.put("} else {")
                self.depth += 1
                self.put("STAY;")
                self.block(3)
                self.depth -= 1
            self.put("}")
        else:
            turns = r.choice(["f % 4", "g % 3", "2", "n % 5", "(w.t >> 5) % 3"])
            name = f"k{len(self.lines)}"
            self.put(f"for (int {name} = 0; {name} < ({turns}); {name}++) {{")
            self.depth += 1
            self.put("STAY;")
            self.block(3)
            if r.random() < 0.25:
                self.put(f"if ({self.condition()}) break;")
            self.depth -= 1
            self.put("}")

    def function(self, name):
        self.put("for (int again = 0; again < 1 + (n & 1); again++) {")
        self.depth += 1
        self.block(8)
        for _ in range(2):
            self.access()
        self.depth -= 1
        self.put("}")
        self.put("out[w.t + 8 * w.p] += v; s[w.d + 8 * w.b] = v;")
        return (f"BOTH void\n{name}(where w, int *s, const int *in, const int *flag, int *out, int n)\n{{\n"
                "    int i = w.t, si = w.d, v = 1, f = flag[w.t], g = flag[w.t / 32 * 32];\n    unsigned u = w.t, su = w.d;\n"
                "    long long l = w.t, sl = w.d;\n" + "\n".join(self.lines) + "\n}\n")


def program(seed, kernels):
    rng = random.Random(seed)
    text, calls = [HEAD], []
    for k in range(kernels):
        text.append(Maker(rng).function(f"first{k}") + Maker(rng).function(f"second{k}"))
        barrier = "__syncthreads();"
        text.append(f"__global__ void\nkernel{k}(const int *in, const int *flag, int *out, int n)\n{{\n    __shared__ int s[SHARED];\n"
                    "    where w = {(int)(blockIdx.x * blockDim.x + threadIdx.x), (int)(gridDim.x * blockDim.x), (int)blockDim.x, (int)threadIdx.x};\n"
                    f"    for (int k = threadIdx.x; k < SHARED; k += blockDim.x)\n        s[k] = k;\n    {barrier}\n"
                    f"    first{k}(w, s, in, flag, out, n);\n    {barrier}\n    second{k}(w, s, in, flag, out, n);\n}}\n")
        calls.append(f"                compare({k}, kernel{k}, first{k}, second{k}, s[0], s[1], kind, n);")
    return "\n".join(text) + MAIN.replace("@CALLS@", "\n".join(calls))


def run(seed, kernels):
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "together.cu")
        with open(path, "w") as f:
            f.write(program(seed, kernels))
        done = subprocess.run([os.environ["LOCKSTEP"], "cc", "-O2", "-w", path, "-o", path[:-3]], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"seed {seed}: {done.stderr}")
        done = subprocess.run([path[:-3]], capture_output=True, text=True, timeout=300)
        if done.returncode or done.stdout:
            print(f"FAIL seed {seed}: status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-1000:]}")
            return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(run(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 4))
    sys.exit(run(1, 2) | (0 if os.environ.get("SANITIZE") else run(2, 2)))
