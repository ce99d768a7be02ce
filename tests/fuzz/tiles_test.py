#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random kernels that fill tiles in loops with barriers, behind conditions, at indices of two dimensions: what they
compute is the same with all passes, with some switched off and with none.

    tests/fuzz/tiles_test.py [--count 6] [--seed 1]     in each run of the tests six kernels, always the same

Sides that are no multiples of the tile, negative ones, and products that wrap 32 bits are among what they are given.
"""
import argparse
import array
import os
import random
import subprocess
import sys
import tempfile

LOCKSTEP = os.environ.get("LOCKSTEP", "build/lockstep")
WORDS = 1 << 16
OFF = ["", "-uniform-inductions,-sink-indices", "-speculate", "-early-saves", "-all"]
SHAPES = [(16, 16), (32, 8), (32, 4), (64, 2), (16, 8), (8, 8), (32, 32), (128, 1), (16, 4)]
CONDITIONS = ["%s < n", "%s < m", "%s >= 0", "%s >= k", "%s <= n - 1", "n > %s", "(unsigned)%s < (unsigned)n",
              "%s != n", "%s < 3 * m", "max((int)(%s), k) < n"]

KERNEL = """
extern "C" __global__ void k%(number)d(const float *in, float *out, int n, int m, int k, unsigned words)
{
    __shared__ float a[%(high)d][%(wide)d], b[%(high)d][%(wide)d];
    int tx = threadIdx.x, ty = threadIdx.y;
    %(type)s x = %(x)s, y = %(y)s;
    float sum = tx;
    for (int at = %(begin)s; at < %(end)s; at += %(step)s) {
        float v = 0, w = 1;
        if (%(first)s) {
            %(type)s i = %(index)s;
            v = (unsigned)i < words ? in[i] : i;
        }
        a[ty][tx] = v;
        if (%(second)s)
            w = in[(unsigned)(%(other)s) %% words];
        b[ty][tx] = w;
        __syncthreads();
        for (int q = 0; q < %(high)d; q++)
            sum += a[q][tx] * b[ty][(q + tx) %% %(wide)d];
        __syncthreads();
    }
    out[((blockIdx.y * gridDim.x + blockIdx.x) * %(high)d + ty) * %(wide)d + tx] = sum;
}
"""


class Kernel:
    def __init__(self, r, number):
        wide, high = r.choice(SHAPES)
        self.name, self.block = f"k{number}", (wide, high)

        def condition(values):
            return " && ".join(r.choice(CONDITIONS) % r.choice(values) for _ in range(r.randint(1, 3)))

        def index(y, x, width):
            return r.choice(["(%s) * %s + %s", "(%s) * %s + %s + 1"]) % (y, width, x)

        self.text = KERNEL % {
            "number": number, "wide": wide, "high": high,
            "type": r.choice(["int"] * 8 + ["unsigned", "long long"]),
            "x": r.choice([f"blockIdx.x * {wide} + tx", "tx", f"(int)(blockIdx.x * {wide}) + tx - 1"]),
            "y": r.choice([f"blockIdx.y * {high} + ty", "ty", f"blockIdx.y * {high} + ty * 2",
                           f"(int)(blockIdx.y * {high}) - 2 + ty"]),
            "begin": r.choice(["0", "-1", "3", "k", "-k", "(int)blockIdx.x"]),
            "end": r.choice(["m", "m + 3", "40"]),
            "step": r.choice([str(r.choice([1, 2, 8, 16, wide, high]))] * 2 + ["k + 1"]),
            "first": condition(["y", "x", "at + tx", "at + ty", "x + at"]),
            "second": condition(["y", "x", "at + tx", "at + ty", "y - 1", "x + 2"]),
            "index": index("y", r.choice(["at + tx", "x"]), "n"),
            "other": index("at + ty", "x", r.choice(["n", "m"]))}


def run(ptx, kernel, folder, numbers, off):
    """The words that the kernel stored."""
    out = os.path.join(folder, "out")
    arguments = [f"buffer:@{folder}/in", f"buffer:{9 * 4 * kernel.block[0] * kernel.block[1]}",
                 *(f"s32:{x}" for x in numbers), f"u32:{WORDS}"]
    command = [LOCKSTEP, "launch", ptx, "-k", kernel.name, "--grid", "3,3", "--block", "%d,%d" % kernel.block,
               *(x for a in arguments for x in ("-a", a)), "--dump", "1:" + out]
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, LOCKSTEP_JIT=off))
    if done.returncode:
        return done.stderr
    with open(out, "rb") as f:
        return f.read()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--count", type=int, default=6)
    p.add_argument("--seed", type=int, default=1)
    o = p.parse_args()
    r, unlike = random.Random(o.seed), 0
    kernels = [Kernel(r, k) for k in range(o.count)]
    with tempfile.TemporaryDirectory() as folder:
        source, ptx = f"{folder}/tiles.cu", f"{folder}/tiles.ptx"
        with open(source, "w") as f:
            f.write("".join(k.text for k in kernels))
        with open(f"{folder}/in", "wb") as f:
            array.array("f", [r.random() for _ in range(WORDS)]).tofile(f)
        subprocess.run([LOCKSTEP, "cc", "-ptx", "-arch=sm_90", source, "-o", ptx], check=True)
        for k in kernels:
            odd = r.choice([7, 100, 2000000000, 65536, -5, 33]), r.choice([20, 33, 48]), r.choice([0, 1, 3, 5])
            for numbers in (64, 48, 2), (50, 41, 1), odd:
                want = run(ptx, k, folder, numbers, OFF[-1])
                wrong = [off or "all passes" for off in OFF[:-1] if run(ptx, k, folder, numbers, off) != want]
                if wrong or isinstance(want, str):
                    unlike += 1
                    print(f"n, m, k = {numbers}: unlike {OFF[-1]}: {', '.join(wrong) or want}{k.text}")
    print(f"{len(kernels)} kernels, seed {o.seed}: {unlike} unlike")
    return unlike > 0


if __name__ == "__main__":
    sys.exit(main())
