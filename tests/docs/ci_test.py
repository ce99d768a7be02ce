# SPDX-License-Identifier: Apache-2.0
"""docs/ci.md: the steps of its GitHub and GitLab jobs, run as written on a transpose: with its padding
they pass; without, the budget's step ends with 1 and names the kernel and the figure."""
import os, re, subprocess, sys, tempfile

page = open(os.path.join(os.environ["SOURCE_DIR"], "docs/ci.md"), encoding="utf-8").read()
os.environ["PATH"] = os.path.dirname(os.environ["LOCKSTEP"]) + ":" + os.environ["PATH"]
for name in [n for n in os.environ if n.startswith("LOCKSTEP_") and n != "LOCKSTEP_CACHE"]:
    os.environ.pop(name)
failures = cases = 0
PROGRAM = """#include <cstdio>
#include <cstdlib>
#include <vector>
enum { TILE = 32, ROWS = 8 };
__global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 64;
    size_t bytes = (size_t)n * n * sizeof(float);
    float *in, *out;
    std::vector<float> a(n * n), b(n * n);
    for (int i = 0; i < n * n; i++)
        a[i] = i;
    cudaMalloc(&in, bytes);
    cudaMalloc(&out, bytes);
    cudaMemcpy(in, a.data(), bytes, cudaMemcpyHostToDevice);
    transpose<<<dim3(n / TILE, n / TILE), dim3(TILE, ROWS)>>>(in, out, n);
    cudaMemcpy(b.data(), out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    for (int i = 0; i < n * n; i++)
        if (b[i] != a[i % n * n + i / n])
            return 1;
    return 0;
}
"""


def check(what, condition):
    global failures, cases
    cases += 1
    if not condition:
        failures += 1
        print("FAILED:", what)


def steps(job, after, first):
    """The commands of a list in YAML: items `- [run:] command`, `|` blocks, folded lines."""
    found, block = [], None
    for line in job[job.index(after) + len(after):].splitlines():
        item = re.match(r"^( +)- (.*)$", line)
        if item and len(item[1]) == first:
            text = item[2]
            block = None
            if text.startswith("run:"):
                text = text[4:].strip()
            elif re.match(r"\w+:", text):
                continue
            found.append("" if text == "|" else text)
            block = text == "|"
        elif block is not None and found and len(line) - len(line.lstrip()) > first:
            found[-1] += ("\n" if block else " ") + line.strip()
        elif line.strip() and not item:
            block = None
    return found


def job(folder, commands, program):
    """The status of the job, the command that ended it and what was printed."""
    open(os.path.join(folder, "transpose.cu"), "w").write(program)
    for command in commands:
        r = subprocess.run(["bash", "-e", "-c", command], cwd=folder, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
        if r.returncode:
            return r.returncode, command, r.stdout
    return 0, "", ""


jobs = re.findall(r"^```yaml\n(.*?)^```$", page, re.M | re.S)
check("two jobs", len(jobs) == 2)
bare = PROGRAM.replace("[TILE + 1]", "[TILE]")
for name, commands in (("GitHub", steps(jobs[0], "steps:\n", 6)), ("GitLab", steps(jobs[1], "script:\n", 4))):
    with tempfile.TemporaryDirectory() as folder:
        check(f"{name}: {commands}", len(commands) >= 3 and any("--assert" in c for c in commands))
        status, command, out = job(folder, commands, PROGRAM)
        check(f"{name}, padded: {status} {command}\n{out}", status == 0)
        check(f"{name}: the page", os.path.getsize(os.path.join(folder, "profile.html")) > 10000)
        status, command, out = job(folder, commands, bare)
        check(f"{name}, without: {status} {command}\n{out}", status == 1 and "--assert" in command)
        said = re.search(r"transpose: shared_load_bank_conflicts is \d+, not == 0", out)
        check(f"{name}, without: {out}", said)
        if said:
            print(f"{name}, padding removed: status {status}: {said[0]}")
print(f"{cases} cases, {failures} failures")
sys.exit(failures != 0)
