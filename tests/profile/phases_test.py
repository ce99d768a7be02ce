# SPDX-License-Identifier: Apache-2.0
"""The phase table of the tiled product (lecture 001): 4 x 4 matrices in tiles of 2 x 2. In step s
thread (x, y) of block (bx, by) brings A[2by+y][2s+x] and B[2s+y][2bx+x], then uses row y of one tile and
column x of the other."""
import json, os, subprocess, sys, tempfile

lockstep, source = os.environ["LOCKSTEP"], os.environ["SOURCE_DIR"]
work = tempfile.mkdtemp()
for name in ("LOCKSTEP_CC", "LOCKSTEP_GPU", "LOCKSTEP_JSON", "LOCKSTEP_DEVICES"):
    os.environ.pop(name, None)
program, out = work + "/tiled", work + "/r.json"
subprocess.run([lockstep, "cc", "-DTILE=2", "-o", program, source + "/suite/matmul/tiled.cu"], check=True)
N, T = 4, 2


def run(*arguments):
    text = subprocess.run([lockstep, "profile", "--phases", "--json=" + out, program, *arguments],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.load(open(out))["kernels"][0], text


def wanted(block, x, y):
    bx, by = block % (N // T), block // (N // T)
    phases = []
    for s in range(N // T):
        phases.append([("global load", "a", (T * by + y) * N + T * s + x),
                       ("global load", "b", (T * s + y) * N + T * bx + x),
                       ("shared store", "tile_a", T * y + x), ("shared store", "tile_b", T * y + x)])
        phases.append([("shared load", name, at) for i in range(T)
                       for name, at in (("tile_a", T * y + i), ("tile_b", T * i + x))])
    phases.append([("global store", "c", (T * by + y) * N + T * bx + x)])
    return phases


kernel, text = run("--n", str(N))
failures = cases = 0
for block in range(4):
    for y in range(T):
        for x in range(T):
            found = [[] for _ in range(5)]
            for r in kernel["phases"]:
                for thread, name, at in r.get("elements", []):
                    if r["block"] == block and thread == T * y + x:
                        found[r["phase"]].append((r["space"] + " " + r["op"], name, at))
            cases += 1
            if [sorted(p) for p in found] != [sorted(p) for p in wanted(block, x, y)]:
                failures += 1
                print("FAILED: block", block, "thread", x, y, found, "not", wanted(block, x, y))
for line in ("   phase 2, up to the barrier in line ",
             "    thread (1,0)  shared loads tile_a[0] tile_b[1] tile_a[1] tile_b[3]"):
    cases += 1
    if line not in text:
        failures += 1
        print("FAILED: not printed:", line)
kernel, text = run("--n", "72", "--verify", "0")
cases += 1
if "phases" in kernel or "too many threads" not in text:
    failures += 1
    print("FAILED: a table of 5184 threads")
with open(work + "/local.cu", "w") as f:  # an array of each thread's own, with an index that the compiler does not know
    f.write("__global__ void pick(int *o) { int mine[4]; mine[o[threadIdx.x] & 3] = 7; mine[1] = 1; "
            "o[threadIdx.x] = mine[o[32] & 3]; }\nint main() { int *o; cudaMalloc(&o, 256); cudaMemset(o, 0, 256); "
            "pick<<<1, 32>>>(o); return cudaFree(o); }\n")
text = subprocess.run([lockstep, "profile", "--phases", work + "/local.cu"], check=True, stdout=subprocess.PIPE, text=True).stdout
cases += 1
if "thread 5  global loads o[5]; local stores local[0] local[1]" not in text or "memory[" in text:
    failures += 1
    print("FAILED: local memory has no name:", text)
print(f"{cases} cases, {failures} failures")
sys.exit(failures != 0)
