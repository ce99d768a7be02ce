# SPDX-License-Identifier: Apache-2.0
"""Device code that writes to a __constant__ variable is refused when it is compiled, with its line; what reads one, writes
where one points to, or may write elsewhere, is compiled without a word."""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

lockstep = os.environ["LOCKSTEP"]
PROGRAM = """#include <cstring>
struct P { float x; float a[3]; };
__constant__ int c = 3; __constant__ float mask[8]; __constant__ P p; __constant__ int *ptr; __constant__ float table[2][3];
__device__ void set(float *f) { *f = 1; }
__device__ void maybe(float *f, bool w) { if (w) *f = 1; }
__device__ float get(const float *f) { return *f; }
struct L { float v; __device__ void put(float x) { v = x; } __device__ float get() { return v; } };
__constant__ L l;
template <class T> __device__ void put(T *t, T v) { *t = v; }
%s
__global__ void k(int *o, int i) { %s }
int main() {}
"""
WRONG = """c = 5; | mask[i] = 2; | mask[3] += 1; | p.a[i] = 2; | p.x++; | ptr = o; | atomicAdd(&c, 1); | atomicCAS(&c, 1, 2);
memcpy(mask, o, 32); | memset(mask, 0, 32); | P q = p; p = q; | set(&mask[i]); | l.put(3); | float *r = mask + i; *r = 3;
volatile int *v = &c; *v = 2; | static __constant__ int own; own = 3; | float *r = mask; for (int j = 0; j < i; j++) *r++ = j;
put(mask, 2.f); | table[i][1] = 3; | float (*t)[3] = table; t[i][2] = 1; | if (i) c = 5; | int &r = c; r = 3;
auto f = [&](float v) { mask[0] = v; }; f(3); | for (float &f : mask) f = 1; | float *a = mask, *b = a + 1; a = b; *b = 2;"""
RIGHT = """o[0] = c; | *ptr = 4; | ptr[i] = 3; | maybe(mask, false); | o[0] = get(mask + i); | P q = p; q.x = 3; o[1] = q.x;
float *r = i ? mask : (float *)o; *r = 3; | float *r = mask; r = (float *)o; *r = 1; | o[0] = l.get(); | L m = l; m.put(3); o[0] = m.v;
atomicAdd(ptr, 1); | memcpy(o, mask, 32); | for (float f : mask) o[0] += f;"""
BOTH = "__host__ __device__ void both() { c = 4; }"


def compiled(number, before, body):
    source = os.path.join(work, f"{number}.cu")
    with open(source, "w") as f:
        f.write(PROGRAM % (before, body))
    p = subprocess.run([lockstep, "cc", "-c", source, "-o", source + ".o"], capture_output=True, text=True)
    return body, p.returncode, p.stderr.replace(source, "FILE")


def cases(text, before=""):
    return [(before, b.strip()) for b in text.replace("\n", " | ").split(" | ")]


failures = 0
with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(2) as pool:
    wrong, right = cases(WRONG) + [(BOTH, "both();")], cases(RIGHT) + [(BOTH, "")]
    for k, (body, status, said) in enumerate(pool.map(lambda c: compiled(c[0], *c[1]), enumerate(wrong + right))):
        if k < len(wrong):
            line = 10 if "both" in body else 11
            fine = status == 1 and f'FILE:{line}: "' in said and "writes to the __constant__ variable" in said
        else:
            fine = status == 0 and not said
        if not fine:
            failures += 1
            print("FAIL", "wrong:" if k < len(wrong) else "right:", body, status, said)
sys.exit(1 if failures else 0)
