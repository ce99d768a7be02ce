# SPDX-License-Identifier: Apache-2.0
"""What `lockstep run` says on stderr of calls that fail: the reason, once for each place in the program,
with its file and line, and at the end how often it came again; nothing of questions, of right programs, of
what fails only for a kernel's error; with -q or LOCKSTEP_QUIET of launches and kernels alone. The program's output and
exit status stay its own. The driver API says the same."""
import os
import re
import subprocess
import sys
import tempfile

if os.environ.get("SANITIZE"):
    print("skipped: a sanitizer's frames stand between a call and its place in the program")
    sys.exit(77)
lockstep = os.environ["LOCKSTEP"]
here = os.path.dirname(os.path.abspath(__file__))
source = os.path.join(os.path.dirname(here), "check", "reports.cu")
failures = []
with open(source) as f:
    lines = {m.group(1): n for n, text in enumerate(f, 1) for m in [re.search(r"// line: (\S+)", text)] if m}

DRIVER = """
#include <cuda.h>
int
main(int argc, char **argv)
{
    CUdevice d;
    CUcontext c;
    CUdeviceptr p;
    int value;
    cuInit(0);
    cuDeviceGet(&d, 0);
    cuCtxCreate(&c, 0, d);
    cuMemAlloc(&p, 256);
    cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&value);
    for (int k = 0; argc > 1 && k < 3; k++)
        cuMemsetD8(p, 0, 257);
    return 0;
}
"""


def place(name):
    return " (%s:%d)\n" % (source, lines[name])


def said(name, reason, again=0):
    """The lines of one failing place."""
    call, error = reason.split(": ")[:2]
    more = "lockstep: %s: %s: %d more times%s" % (call, error, again, place(name)) if again else ""
    return "lockstep: %s%s%s" % (reason, place(name), more)


launch = 'cudaLaunchKernel: cudaErrorInvalidConfiguration: kernel "%s": %d threads in x: NVIDIA H200 allows 1024'
# case: stderr when it is wrong; a pattern where an address stands in it
expected = {
    "launch": re.escape(said("launch", launch % ("scale<float>", 2048))),
    "repeated": re.escape(said("repeated", launch % ("count", 1025), 4)),
    "symbol": re.escape(said("symbol", "cudaMemcpyToSymbol: cudaErrorInvalidValue: 32 bytes from offset 0: the variable has 16")),
    "checked": re.escape(said("checked", "cudaMemcpy: cudaErrorInvalidValue: destination: the direction says host memory, but @ "
                              "is device memory", 3)).replace("@", "0x[0-9a-f]+"),
    "twice": "lockstep: cudaFree: cudaErrorInvalidValue: 0x[0-9a-f]+ was not allocated, or is freed already"
             + re.escape(place("twice")),
    "output": re.escape('lockstep: kernel "hello" printed, and nothing waits for it before the program ends: a GPU would '
                        "lose that; cudaDeviceSynchronize() is missing" + place("output")),
    "sticky": 'lockstep: illegal address: store of 4 bytes at 0x0 in kernel "store" .*: null pointer\n',
    "seen": re.escape('lockstep: kernel "hello" printed, and nothing waits for it before the program ends: a GPU would '
                      "lose that; cudaDeviceSynchronize() is missing" + place("seen")),
    "leak": "",
}


def run(program, *words, **more):
    return subprocess.run([lockstep, "run", "--gpu", "h200", *words], capture_output=True, text=True,
                          env=dict(os.environ, **more))


def judge(what, done, pattern):
    if done.returncode or not re.fullmatch(pattern, done.stderr):
        failures.append(what)
        print("FAIL", what, done.returncode, done.stdout, repr(done.stderr), "instead of", repr(pattern))


with tempfile.TemporaryDirectory() as work:
    program, driver = os.path.join(work, "reports"), os.path.join(work, "driver")
    subprocess.run([lockstep, "cc", source, "-o", program], check=True)
    with open(driver + ".cu", "w") as f:
        f.write(DRIVER)
    subprocess.run([lockstep, "cc", driver + ".cu", "-o", driver, "-lcuda"], check=True)
    for name, pattern in expected.items():
        loud = run(program, "--", program, name, "wrong")
        judge(name, loud, pattern)
        judge(name + " right", run(program, "--", program, name, "right"), "")
        quiet = run(program, "-q", "--", program, name, "wrong")
        told = pattern if name in ("launch", "repeated", "sticky") else ""
        judge(name + " -q", quiet, told)
        judge(name + " LOCKSTEP_QUIET", run(program, "--", program, name, "wrong", LOCKSTEP_QUIET="1"), told)
        if quiet.stdout != loud.stdout:
            failures.append(name + ": its own output changes")
    judge("probes", run(program, "--", program, "probes", "right"), "")
    reason = r"lockstep: cuMemsetD8_v2: CUDA_ERROR_INVALID_VALUE: .* \(%s:16\)\n" % re.escape(driver + ".cu")
    again = r"lockstep: cuMemsetD8_v2: CUDA_ERROR_INVALID_VALUE: 2 more times \(%s:16\)\n" % re.escape(driver + ".cu")
    judge("driver", run(driver, "--", driver, "wrong"), reason + again)
    judge("driver right", run(driver, "--", driver), "")

sys.exit(1 if failures else 0)
