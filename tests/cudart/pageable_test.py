# SPDX-License-Identifier: Apache-2.0
"""Kernels that touch ordinary memory of the host end with an illegal address that names the place; what a GPU runs
stays silent, pointers to such memory that nobody follows among it (device/pageable.c)."""
import os
import re
import subprocess
import sys
import tempfile

lockstep, source = os.environ["LOCKSTEP"], os.environ["SOURCE_DIR"]
BAD = ["heap", "result", "global", "stack", "inside", "atomic", "rows", "struct", "pointed", "second", "recursive",
       "child", "grid", "constant"]
FINE = ["pinned", "managed", "registered", "interior", "unused", "not followed", "number", "rows"]
bad = 0


def fail(text):
    global bad
    bad += 1
    print("FAIL " + text)


def run(program, case, **environment):
    return subprocess.run([program, case], text=True, capture_output=True, timeout=120,
                          env={**os.environ, **environment})


with tempfile.TemporaryDirectory() as work:
    program = os.path.join(work, "pageable")
    subprocess.run([lockstep, "cc", "-rdc=true", "-lineinfo", f"{source}/tests/cudart/pageable.cu", "-o", program,
                    "-lcudadevrt"], check=True)
    for case in BAD:
        r = run(program, case)
        if r.stdout != "cudaErrorIllegalAddress\n":
            fail(f"{case}: {r.stdout}{r.stderr}")
        elif not re.search(r"illegal address: (load|store|atomic operation) of 4 bytes at 0x\w+ in kernel .*"
                           r"pageable.cu:\d+\).* thread \(.*memory of the host", r.stderr):
            fail(f"{case}: no place or reason: {r.stderr}")
    for case in FINE:
        r = run(program, "fine " + case)
        if r.stdout != "cudaSuccess\n" or r.stderr:
            fail(f"fine {case}: {r.stdout}{r.stderr}")
    # A GPU that shares the host's memory reaches all of it.
    for case in "heap", "rows":
        r = run(program, case, LOCKSTEP_GPU="gb10")
        if r.stdout != "cudaSuccess\n":
            fail(f"{case} on a GPU with pageable access: {r.stdout}{r.stderr}")
    # An interpreter's process is nobody's CUDA program: its arrays may be ordinary memory (docs/driver.md).
    print("ok" if not bad else f"{bad} failed")
sys.exit(bad != 0)
