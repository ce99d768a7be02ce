# SPDX-License-Identifier: Apache-2.0
"""Options that do what they say: `-k` that names no kernel, macros that the program never looks at, rankings of what is
not verified or not told apart, exit statuses that are not 0, and text as wide as the terminal."""
import json
import os
import re
import shutil
import subprocess

from checks import check, finish, lockstep as LOCKSTEP, source as SOURCE, work as FOLDER
from terminal import shown

PROGRAM = r"""
#include <cstdio>
#ifndef SIDE
#define SIDE 32
#endif
#ifndef EXTRA
#define EXTRA 0
#endif
#if defined(SPEED) && SPEED > 4
#define FAST 2
#else
#define FAST 1
#endif
#ifdef __CUDA_ARCH__
#define ONLY_HERE(x) (x) + INSIDE
#else
#define ONLY_HERE(x) (x)
#endif
#ifndef INSIDE
#define INSIDE 0
#endif
template <int N> __global__ void fill(int *out) { out[threadIdx.x] = ONLY_HERE(SIDE) * FAST + N; }
__global__ void copy_back(int *out) { out[threadIdx.x] += EXTRA; }
int main(int argc, char **argv)
{
    int *out, first = 0;
    cudaMalloc(&out, 4096);
    fill<7><<<1, SIDE>>>(out);
    copy_back<<<1, SIDE>>>(out);
    cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
    cudaFree(out);
    if (argc > 1)
        printf("result\n  verified  yes: 1 value\n");
    return argc > 2;
}
"""
CU = os.path.join(FOLDER, "two.cu")
with open(CU, "w") as f:
    f.write(PROGRAM)
os.environ["NO_COLOR"] = "1"


def expect(good, what):
    check(what, good)


def run(*words, status=0):
    p = subprocess.run([LOCKSTEP, *words], text=True, capture_output=True, timeout=300, stdin=subprocess.DEVNULL,
                       cwd=FOLDER)
    expect(p.returncode == status, f"status {p.returncode}, not {status}: {words}\n{p.stdout[-600:]}{p.stderr[-600:]}")
    return p


def kernels_by_name():
    p = run("profile", "-k", "nosuch", "--json=no.json", "--html", "no.html", CU, status=3)
    expect('"nosuch"' in p.stderr and "fill<7>" in p.stderr and "copy_back" in p.stderr, f"names what ran: {p.stderr}")
    expect(p.stderr.count("copy_back") == 1 and "grid" not in p.stdout, "and nothing else")
    expect(not os.path.exists(FOLDER + "/no.json") and not os.path.exists(FOLDER + "/no.html"), "no report is written")
    p = run("profile", "-k", "copy", "--json=one.json", "--html", "one.html", CU)
    names = [k["name"] for k in json.load(open(FOLDER + "/one.json"))["kernels"]]
    page = open(FOLDER + "/one.html").read()
    expect(names == ["copy_back"], f"JSON of one kernel: {names}")
    expect("copy_back" in page and "fill&lt;7&gt;" not in page, "the page of one kernel")
    run("profile", "-q", "-k", "copy", "--assert", "fill: instructions > 0", CU, status=1)
    p = run("profile", "--json", CU)
    expect(len(json.loads(p.stdout)["kernels"]) == 2, "both without -k")
    expect(os.stat(FOLDER + "/one.html").st_mode & 0o777 == 0o666 & ~umask(), "the umask's mode")


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def macros():
    model = ["tune", "--by", "model"]
    p = run("tune", "-P", "TIEL=8,16", SOURCE + "/suite/matmul/tiled.cu", "--", "--size", "64", status=2)
    expect("TIEL" in p.stderr and "did you mean TILE?" in p.stderr and not p.stdout, f"a misspelt macro: {p.stderr}")
    p = run(*model, "-P", "SIDE=16,32", "-P", "SIED=1,2", CU, status=2)
    expect("SIED" in p.stderr and "-P SIDE" not in p.stderr, f"the one of two: {p.stderr}")
    for used in ("SIDE=16,32", "EXTRA=1", "SPEED=1,8", "INSIDE=1,2"):  # in text, one value, a condition, device code
        p = run(*model, "-P", used, CU)
        expect("best:" in p.stdout, f"{used} is looked at: {p.stdout}")
    p = run(*model, "-P", "SPEED=5,8", CU)  # both as fast, but not as without
    p = run(*model, "-P", "SPEED=1,2", CU, status=2)  # as without
    expect("SPEED" in p.stderr, "values that change nothing")
    expect(not os.path.exists(FOLDER + "/state"), "nothing was begun")


def doubts():
    state = os.path.join(FOLDER, "state")
    words = ["tune", "--by", "time", "--runs", "2", "--state", state, "-A", "n=1,2,3", CU, "{n}"]

    def pretend(times):
        for name in os.listdir(state):
            if name.endswith(".json"):
                r = json.load(open(os.path.join(state, name)))
                n = int(re.search(r"argument \d+ (\d)", r["identity"])[1])
                r["milliseconds"], r["least"], r["most"] = times[n - 1]
                json.dump(r, open(os.path.join(state, name), "w"))

    p = run(*words)
    expect("not verified" not in p.stdout, f"a program that prints the line: {p.stdout}")
    pretend([(1.0, 0.9, 1.1), (2.0, 1.9, 2.1), (3.0, 2.9, 3.1)])
    p = run(*words)
    expect("best: -- 1\n" in p.stdout and "not sure" not in p.stdout, f"told apart: {p.stdout}")
    pretend([(1.0, 0.9, 1.1), (1.15, 1.0, 1.3), (3.0, 2.9, 3.1)])
    p = run(*words)
    expect("not sure: 1 other is as fast within the spread" in p.stdout, f"not told apart: {p.stdout}")
    pretend([(1.0, 0.1, 9.1), (2.0, 1.9, 2.1), (3.0, 2.9, 3.1)])
    p = run(*words)
    expect("1 of 3 have a spread larger than their time" in p.stdout and "best: -- 1 ?" in p.stdout and
           re.search(r"^\? n=1 ", p.stdout, re.M), f"a spread larger than the mean: {p.stdout}")
    p = run(*words[:1], "--json", *words[1:])
    rows = json.loads(p.stdout)
    expect([r["unsure"] for r in rows] == [True, False, False], "the same in JSON")
    expect("spread larger" in p.stderr, f"and on stderr: {p.stderr}")
    p = run("tune", "--by", "model", "-P", "EXTRA=1,2", CU)
    expect("not verified" in p.stdout, f"nothing is verified: {p.stdout}")
    expect("1 other is within the 5 %" in p.stdout and p.stdout.count("  or:") == 1, f"equals: {p.stdout}")
    p = run("tune", "--by", "model", "-k", "nosuch", "-P", "EXTRA=1", CU, status=3)
    expect("fill<7>, copy_back" in p.stdout and "exit status 3" in p.stderr, f"tune -k: {p.stdout}{p.stderr}")
    p = run("tune", "--by", "model", "-A", "n=1", CU, "{n}", "2", status=1)
    expect("exit status 1: 1 of 1 combinations failed" in p.stderr, f"why 1: {p.stderr}")


def reasons():
    p = run("profile", "--assert", "instructions == 0", "--assert", "instructions > 0", CU, status=1)
    expect("exit status 1: 1 of 2 conditions of --assert does not hold" in p.stderr, f"why 1: {p.stderr}")
    p = run("profile", CU, "1", "2", status=1)
    expect("ended with exit status 1" in p.stderr and "exit status 1: the program failed" in p.stderr, f"why 1: {p.stderr}")
    for words, text in ((["run", "--gpu", "rtx4075", CU], "rtx4070"), (["run", "--cc", "10", CU], "1.0 or 10.0"),
                        (["profile", "--gpu", "h300", CU], "h200"),
                        (["tune", "--profiles", "9.0,gt201", "-P", "EXTRA=1", CU], "gt200")):
        p = run(*words, status=2)
        expect("did you mean" in p.stderr and text in p.stderr, f"{words}: {p.stderr}")
    for words in (["--cc", "9"], ["--cc", "sm_90"], ["--cc", "compute_90a"], ["--cc", "90"]):
        expect("9.0" in run("devices", "--device-query", *words).stdout, f"{words}")
    for name in ("RTX 4070", "rtx-5060-ti", "NVIDIA GeForce RTX 3060 Laptop GPU", "jetson orin nano", "T4", "l4", "a10"):
        p = run("run", "--gpu", name, CU)
    p = subprocess.run([LOCKSTEP, "run", CU], env={**os.environ, "LOCKSTEP_GPU": "rtx 4070 super", "LOCKSTEP_TRACE": ""},
                       capture_output=True, text=True)
    expect(p.returncode == 0, f"the environment's twin: {p.stderr}")


def terminal(columns, *words):
    """What a terminal of that width shows: what is written over a line (\r) is a line of its own."""
    out, _ = shown([LOCKSTEP, *words], 40, columns, cwd=FOLDER)
    return [re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line) for line in re.split(r"[\r\n]+", out)]


def widths():
    with open(FOLDER + "/bad.cu", "w") as f:
        f.write("__global__ void a_kernel_with_quite_a_long_name(int *p, int n) { __shared__ int s[64]; s[threadIdx.x] = n; "
                "p[threadIdx.x + n] = s[63 - threadIdx.x]; }\nint main() { int *p; cudaMalloc(&p, 4); "
                "a_kernel_with_quite_a_long_name<<<1, 64>>>(p, 7); cudaDeviceSynchronize(); }\n")
    with open(FOLDER + "/loud.cu", "w") as f:
        f.write("#include <cassert>\n#include <cstdio>\n__global__ void a_kernel_with_quite_a_long_name(int n) { printf(\"%d\", n); assert(n > 5); }\n"
                "int main(int argc, char **) { a_kernel_with_quite_a_long_name<<<1, argc > 1 ? 1 : 2048>>>(argc); "
                "return argc > 2 ? cudaDeviceSynchronize() : 0; }\n")
    with open(FOLDER + "/constant.cu", "w") as f:
        f.write("__constant__ int a_table_of_constants[4];\n__global__ void a_kernel() { a_table_of_constants[0] = 1; }\nint main() {}\n")
    commands = ["run", "check", "profile", "tune", "devices", "suite"]
    asked = [[c, "--help"] for c in commands] + [["help", t] for t in ("devices", "exit-codes", "limits", "assert")]
    asked += [["devices"], ["devices", "--limits"], ["check", "bad.cu"], ["run", "--gpu", "geforce rtx 4075 laptop", CU],
              ["tune", "--by", "model", "-P", "EXTRA=1,2", CU], ["tune", "-r", "2", "-P", "EXTRA=1,2", CU],
              ["tune", "--by", "model", "-k", "no_such_kernel_anywhere_at_all", "-P", "EXTRA=1,2", CU],
              ["profile", "-k", "nosuch", CU], ["run", "loud.cu"], ["run", "loud.cu", "1"], ["run", "loud.cu", "1", "2"],
              ["check", "loud.cu", "1"], ["run", "constant.cu"], ["run", CU, "--json"]]
    for words in asked:
        lines = terminal(80, *words)
        wide = [l for l in lines if len(l) > 80]
        expect(len(lines) > 1 and not wide, f"{' '.join(words)}: {len(wide)} lines wider than 80: {wide[:2]}")
    expect(any(len(l) > 80 for l in run("check", "bad.cu", status=1).stdout.splitlines()), "in a pipe lines are whole")
    joined = " ".join(l.replace("=========", "").strip() for l in terminal(60, "check", "bad.cu"))
    whole = " ".join(l.replace("=========", "").strip() for l in run("check", "bad.cu", status=1).stdout.splitlines())
    strip = lambda t: re.sub(r"0x[0-9a-f]+| ", "", t)
    expect(strip(whole) in strip(joined), "nothing is lost where lines are broken")


try:
    for test in (kernels_by_name, macros, doubts, reasons, widths):
        test()
finally:
    shutil.rmtree(FOLDER)
finish()
