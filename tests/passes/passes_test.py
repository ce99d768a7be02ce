#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each row of src/jit/passes/passes.def against its kernels in NAME.cu here.

A kernel whose name begins with `fires` must be remarked on as fired, and its code must change when the pass is switched
off; one whose name begins with `silent` must not be. What kernels compute is the same with the pass, without it and
with all passes off. Passes that work only under a tool are seen through a program that the tool runs.

    passes_test.py [NAME...]        these rows alone
"""
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

LOCKSTEP, SOURCE = os.environ["LOCKSTEP"], os.environ["SOURCE_DIR"]
HERE = os.path.dirname(os.path.abspath(__file__))
WORDS, N = 1 << 16, 64
# Their shuffles are slow without it:
WITH_AVX512 = {"transposed-loads", "strided-loads", "record-fields"}
with open("/proc/cpuinfo") as cpuinfo:
    AVX512 = " avx512f " in cpuinfo.read() and not os.environ.get("LOCKSTEP_VECTORS")
TOLERANT = {"whole-powers"}  # multiplications round otherwise than the library does
failures = []

MAIN = """
#include <cstdio>
int main()
{
    float *in, *out, *h = new float[%(words)d];
    for (int k = 0; k < %(words)d; k++)
        h[k] = (float)(k * 7919 %% 1000) / 1000;
    cudaMalloc(&in, 4 * %(words)d);
    cudaMalloc(&out, 4 * %(words)d);
    cudaMemcpy(in, h, 4 * %(words)d, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, 4 * %(words)d);
    %(kernel)s<<<dim3(%(grid)s), dim3(%(block)s)>>>(in, out, %(n)d);
    cudaMemcpy(h, out, 4 * %(words)d, cudaMemcpyDeviceToHost);
    unsigned sum = 0;
    for (int k = 0; k < %(words)d; k++)
        sum = sum * 31 + (unsigned)(h[k] * 1000);
    printf("%%u\\n", sum);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
"""


def fail(text):
    failures.append(text)
    print("FAIL", text)


def rows():
    """Names, stages and the code they may run in, out of the table."""
    with open(f"{SOURCE}/src/jit/passes/passes.def") as f:
        return re.findall(r'^PASS\(\w+, "([\w-]+)", (\w+), (\w+)', f.read(), re.M)


def call(args, **environment):
    env = dict(os.environ, **environment)
    return subprocess.run([LOCKSTEP] + args, capture_output=True, text=True, env=env)


class Kernel:
    """One kernel of a file, with the block that the file's comments give it."""

    def __init__(self, name, text, folder, ptx):
        own = re.search(rf"^// block of {name}: ([\d,]+)$", text, re.M) or re.search(r"^// block: ([\d,]+)$", text, re.M)
        tool = re.search(r"^// tool: (\w+)$", text, re.M)
        self.name, self.text, self.folder, self.ptx = name, text, folder, ptx
        self.block, self.tool = own.group(1), tool and tool.group(1)
        self.grid = "2,2" if "," in self.block else "4"

    def launch(self, *more, **environment):
        return call(["launch", self.ptx, "--kernel", self.name, "--block", self.block, "--grid", self.grid, *more],
                    **environment)

    def program(self):
        path = f"{self.folder}/{self.name}.cu"
        if not os.path.exists(path):
            with open(path, "w") as f:
                f.write(self.text + MAIN % {"words": WORDS, "kernel": self.name, "grid": self.grid,
                                            "block": self.block, "n": N})
        return path

    def under(self):
        return ["debug", "-batch", "-ex", "run"] if self.tool == "debug" else [self.tool, "-q"]

    def remarks(self, jit):
        """Lines `place: pass: fired: text` of this kernel."""
        if not self.tool:
            r = self.launch("--dump-stage", "remarks", f"--jit={jit}")
            text = r.stdout
        else:
            out = f"{self.folder}/remarks"
            if os.path.exists(out):
                os.remove(out)
            r = call([*self.under(), self.program()], LOCKSTEP_REMARKS=out, LOCKSTEP_JIT=jit)
            text = open(out).read() if os.path.exists(out) else ""
        if r.returncode not in (0, 1) or not text:
            fail(f"{self.name}: status {r.returncode}: {r.stderr[:300]}")
        return text

    def code(self, jit):
        r = self.launch("--dump-stage", "asm", f"--jit={jit}")
        return r.stdout

    def result(self, jit, **environment):
        """What the kernel leaves in memory, or the tool's program prints."""
        if self.tool:
            return call([*self.under(), self.program()], LOCKSTEP_JIT=jit).stdout
        out = f"{self.folder}/out"
        r = self.launch(f"--jit={jit}", "--arg", f"buffer:@{self.folder}/in", "--arg", f"buffer:{4 * WORDS}",
                        "--arg", f"u32:{N}", "--dump", f"1:{out}", **environment)
        if r.returncode:
            fail(f"{self.name} with --jit={jit}: {r.stderr[:300]}")
            return b""
        with open(out, "rb") as f:
            return f.read()


def near(a, b):
    x, y = (struct.unpack(f"<{len(v) // 4}f", v) for v in (a, b))
    return len(x) == len(y) and all(abs(p - q) <= 1e-6 * abs(q) for p, q in zip(x, y))


def fired(remarks, name):
    return [line for line in remarks.splitlines() if f": {name}: fired: " in line]


def check_dealing(k, name):
    """With it, a single worker ends each block before it begins the next one, and without it not; blocks say which."""
    for jit, whole in (("+all", True), (f"-{name}", False)):
        out = k.result(jit, LOCKSTEP_WORKERS="1")
        words = struct.unpack("<4f", out[:16])
        if k.name.startswith("fires") and (words == (1, 1, 1, 1)) != whole:
            fail(f"{name}: {k.name}: --jit={jit}: blocks say {words}")
        if k.name.startswith("silent"):
            with open(f"{k.folder}/in", "rb") as f:
                if out[:4 * 256] != f.read(4 * 256):
                    fail(f"{name}: {k.name}: --jit={jit} does not copy its input")


def check_kernel(k, name, report):
    on, off = k.remarks("+all"), k.remarks("+all" if report else f"-{name}")
    if k.name.startswith("silent"):
        for line in fired(on, name):
            fail(f"{name}: {k.name} must not fire: {line}")
    elif not fired(on, name):
        seen = [line for line in on.splitlines() if f": {name}: " in line]
        fail(f"{name}: {k.name} must fire; remarked: {seen}")
    if report:
        return
    if fired(off, name) or f": {name}: switched off" not in off:
        fail(f"{name}: {k.name}: fires although it is switched off")
    deals = re.search(r"^// deals: ", k.text, re.M)
    if k.name.startswith("fires") and not k.tool and not deals and k.code("+all") == k.code(f"-{name}"):
        fail(f"{name}: {k.name}: the code is the same without it")
    if deals:
        check_dealing(k, name)
        return
    want = k.result("-all")
    for jit in ("+all", f"-{name}"):
        got = k.result(jit)
        if got != want and not (name in TOLERANT and near(got, want)):
            fail(f"{name}: {k.name}: --jit={jit} does not compute what --jit=-all does")


def check_row(name, stage, folder):
    path = f"{HERE}/{name}.cu"
    if not os.path.exists(path):
        fail(f"{name}: no kernels for it in tests/passes/")
        return
    with open(path) as f:
        text = f.read()
    ptx = f"{folder}/{name}.ptx"
    r = call(["cc", "-ptx", "-lineinfo", path, "-o", ptx])
    if r.returncode:
        fail(f"{name}: {r.stderr[:300]}")
        return
    kernels = re.findall(r"__global__ void (\w+)\(", text)
    if not any(k.startswith("fires") for k in kernels):
        fail(f"{name}: no kernel that must fire")
    if stage != "REPORT" and not any(k.startswith("silent") for k in kernels):
        fail(f"{name}: no kernel that must not fire")
    for kernel in kernels:
        if kernel.startswith("fires") and name in WITH_AVX512 and not AVX512:
            print(f"SKIP {name}: {kernel}: no AVX-512")
        elif kernel.startswith(("fires", "silent")):
            check_kernel(Kernel(kernel, text, folder, ptx), name, stage == "REPORT")


def check_tools(table):
    """The table's column: code that a tool watches has the passes that may run in it, and says which may not."""
    with open(f"{HERE}/prefetch-tiles.cu") as f:
        text = f.read()
    for tool in ("check", "profile"):
        with tempfile.TemporaryDirectory() as folder:
            k = Kernel("fires", text + f"// tool: {tool}\n", folder, None)
            remarks = k.remarks("+all")
        # Plain code is compiled, too: its own remarks end with no such lines.
        own = re.search(rf"(^fires: .*\n)*(^(?!fires: ).*\n)*(^fires: .*: not under {tool}\n)+", remarks, re.M)
        if not own:
            fail(f"no remarks of what may not run under {tool}")
            continue
        remarks = own.group()
        for name, _, code in table:
            may = code in ("ANY", "ALL", "LIVE", tool.upper())
            if may == (f": {name}: not under {tool}\n" in remarks):
                fail(f"{name}: {code} in the table, under {tool} remarked on as {may and 'barred' or 'on'}")
            if not may and fired(remarks, name):
                fail(f"{name}: fires under {tool}")


def main():
    rng = random.Random(1)
    wanted = sys.argv[1:]
    table = rows()
    for name in os.listdir(HERE):
        if name.endswith(".cu") and name[:-3] not in [row[0] for row in table]:
            fail(f"{name}: no such row in passes/passes.def")
    for name, stage, _ in table:
        if wanted and name not in wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/in", "wb") as f:
                f.write(struct.pack(f"<{WORDS}f", *(rng.random() for _ in range(WORDS))))
            check_row(name, stage, folder)
    if not wanted:
        check_tools(table)
    if failures:
        sys.exit(f"{len(failures)} failures")
    print(f"{len(table)} passes")


main()
