# SPDX-License-Identifier: Apache-2.0
"""Host code that touches device memory ends the program without any tool, with a message that has the address, the
allocation and both places; managed, pinned, mapped and registered memory stay open, and all calls work."""
import os
import re
import signal
import subprocess
import sys
import tempfile

lockstep, here = os.environ["LOCKSTEP"], os.path.dirname(os.path.abspath(__file__))
source = os.path.join(here, "host_access.cu")
with open(source) as f:
    lines = f.read().split("\n")
bad = 0


def line_of(text, behind=0):
    return next(k for k, line in enumerate(lines, 1) if k > behind and text in line)


def fail(what, done):
    global bad
    bad += 1
    print("FAIL", what, done.returncode, done.stdout[-500:], done.stderr[-1500:])


if "thread" in os.environ.get("SANITIZE", "") or "address" in os.environ.get("SANITIZE", ""):
    print("SKIP: sanitizers handle such signals themselves")
    sys.exit(77)
with tempfile.TemporaryDirectory() as work:
    program = os.path.join(work, "host_access")
    subprocess.run([lockstep, "cc", "-o", program, source], check=True)

    def run(*words):
        return subprocess.run([program, *words], capture_output=True, text=True, errors="replace")

    for way in ("at once", "behind a launch", "behind a wait", "loop", "memcpy", "strcpy", "printf", "variable",
                "thread"):
        done = run("wrong", way)
        told = re.findall(r"host code (reads|writes) device memory.*?address 0x[0-9a-f]+, byte \d+ of (.*)", done.stderr)
        verb = "writes" if way in ("loop", "strcpy") else "reads"
        at = line_of('way == "%s"' % way)
        if done.returncode != -signal.SIGSEGV or len(told) != 1 or told[0][0] != verb:
            fail(way, done)
            continue
        if not re.search(r"host_access\.cu:(%s)\)$" % "|".join(str(at + k) for k in range(4)), told[0][1]):
            fail(way + ": the place", done)
        made = 'variable "variable" (4 bytes)' if way == "variable" else \
            "made at %s:%d" % (source, line_of("cudaMalloc(&d, 128)"))
        if made not in told[0][1]:
            fail(way + ": the allocation", done)
    done = run("wrong", "never")
    if done.returncode or done.stderr:
        fail("nothing wrong", done)
    done = run("right")
    if done.returncode or done.stderr or done.stdout != "102 131 3 104\n":
        fail("right", done)
    done = run("together")
    if done.returncode or done.stdout or done.stderr:
        fail("together", done)
    done = run("handled")
    if done.returncode or done.stdout != "goes on 8\n":
        fail("handled", done)
    done = subprocess.run([lockstep, "run", program, "wrong", "at once"], capture_output=True, text=True)
    if done.returncode in (0, 1, 2) or "host code reads" not in done.stderr:
        fail("under run", done)
sys.exit(bad != 0)
