# SPDX-License-Identifier: Apache-2.0
"""LOCKSTEP_PERF=1: the file that perf reads has a line for each kernel that ran, with an address and a size, also where
the code comes from the disk; without it there is none. Where perf works here, its report names the kernel."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

lockstep, failures = os.environ["LOCKSTEP"], 0
source = r"""
__global__ void many_steps(unsigned *p)
{
    unsigned x = threadIdx.x;
    for (int i = 0; i < 20000; i++)
        x = x * 1664525u + 1013904223u + (x >> 7);
    p[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
int main()
{
    unsigned *p;
    cudaMalloc(&p, 4 * 256 * 64);
    many_steps<<<64, 256>>>(p);
    return cudaDeviceSynchronize();
}
"""


def check(what, good):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what)


with tempfile.TemporaryDirectory() as work:
    path, program = os.path.join(work, "a.cu"), os.path.join(work, "a")
    with open(path, "w") as f:
        f.write(source)
    subprocess.run([lockstep, "cc", path, "-o", program], check=True)
    for said, there in (("1", True), ("1", True), ("0", False)):
        child = subprocess.Popen([program], env=dict(os.environ, LOCKSTEP_PERF=said, LOCKSTEP_CACHE=work + "/cache"))
        check("the program ends well", child.wait() == 0)
        name = f"/tmp/perf-{child.pid}.map"
        check(f"LOCKSTEP_PERF={said}: {name}", os.path.exists(name) == there)
        if os.path.exists(name):
            with open(name) as f:
                lines = f.read().splitlines()
            os.remove(name)
            check(f"lines are as perf reads them: {lines}",
                  lines and all(re.fullmatch(r"[0-9a-f]+ [0-9a-f]+ \S.*", line) for line in lines))
            check(f"the kernel's name: {lines}",
                  any("many_steps" in line and int(line.split()[1], 16) > 64 for line in lines))
    perf = shutil.which("perf")
    data = os.path.join(work, "perf.data")
    here = [perf, "record", "-o", data, "sh", "-c", f'echo $$ >{work}/pid; exec "$0"', program]
    if perf and subprocess.run(here, capture_output=True,
                               env=dict(os.environ, LOCKSTEP_PERF="1")).returncode == 0:
        report = subprocess.run([perf, "report", "-i", data, "--sort", "symbol", "--stdio"], capture_output=True, text=True)
        check(f"perf's report: {report.stdout}", "many_steps" in report.stdout)
        with open(os.path.join(work, "pid")) as f:
            os.remove(f"/tmp/perf-{f.read().strip()}.map")
    else:
        print("perf is not here, or may not record: its report is not looked at")
sys.exit(1 if failures else 0)
