# SPDX-License-Identifier: Apache-2.0
"""`profile --phases` calls arguments as the source does, however the list is written; where the source is gone or says
nothing, by their number."""
import json
import os
import subprocess
import sys
import tempfile

LOCKSTEP = os.environ["LOCKSTEP"]
for name in ("LOCKSTEP_CC", "LOCKSTEP_GPU", "LOCKSTEP_JSON"):
    os.environ.pop(name, None)
SOURCE = r"""
#include <cstdio>
struct pair { float *a; int n; };
// plain(const float *NOT, float *THIS) is not the list
__global__ void plain(const float *A, float *__restrict__ B, int n) { B[threadIdx.x] = A[threadIdx.x]; }
template <class T, int N> __global__ void
__launch_bounds__(N > 4 ? 64 : 32)
spread(const T *first /* , not *this */, // nor (this
       T *second = nullptr)
{
    second[threadIdx.x] = first[threadIdx.x];
}
namespace space { template <class A, class B> struct two { B n; A *at; };
__global__ void inside(space::two<float, int> given, const float *source) { given.at[threadIdx.x] = source[threadIdx.x]; } }
__global__ void unnamed(const float *, float *out) { out[threadIdx.x] = 1; }
#define LIST float *HIDDEN, float *AWAY
__global__ void macro(LIST) { AWAY[threadIdx.x] = HIDDEN[threadIdx.x]; }
__global__ void array(const float in[8], float (*rows)) { rows[threadIdx.x] = in[threadIdx.x]; }
int main()
{
    float *a, *b;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMemset(a, 0, 64);
    plain<<<1, 8>>>(a, b, 8);
    spread<float, 8><<<1, 8>>>(a, b);
    space::inside<<<1, 8>>>({1, b}, a);
    unnamed<<<1, 8>>>(a, b);
    macro<<<1, 8>>>(a, b);
    array<<<1, 8>>>(a, b);
    return cudaDeviceSynchronize();
}
"""
EXPECTED = {"plain": "A B", "spread": "first second", "space::inside": "given+8 source", "unnamed": "out",
            "macro": "argument0 argument1", "array": "in rows"}
failures = []
with tempfile.TemporaryDirectory() as work:
    source, program, out = (os.path.join(work, n) for n in ("x.cu", "x", "x.json"))
    with open(source, "w") as f:
        f.write(SOURCE)
    subprocess.run([LOCKSTEP, "cc", source, "-o", program], check=True)

    def names():
        subprocess.run([LOCKSTEP, "profile", "-q", "--phases", "--json=" + out, program], check=True, stdout=subprocess.DEVNULL)
        with open(out) as f:
            return {k["name"].split("<")[0]: " ".join(sorted({e[1] for r in k["phases"] for e in r.get("elements", [])}))
                    for k in json.load(f)["kernels"]}
    found = names()
    for kernel, want in EXPECTED.items():
        if found.get(kernel) != want:
            failures.append("%s: %s, not %s" % (kernel, found.get(kernel), want))
    os.unlink(source)
    if names()["plain"] != "argument0 argument1":
        failures.append("without its source: %s" % names())
for text in failures:
    print("FAIL", text)
sys.exit(1 if failures else 0)
