#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lockstep.triton with Triton itself: results, planted mistakes that name the Python line, their silent twins, profiles,
errors, and that nothing of NVIDIA's files in Triton's wheel is executed or read.

Runs in the interpreter that LOCKSTEP_TRITON_PYTHON names, else python3; skipped where that has no Triton and numpy."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

LOCKSTEP, SOURCE, BINARY = os.environ["LOCKSTEP"], os.environ["SOURCE_DIR"], os.environ["BINARY_DIR"]
PYTHON = os.environ.get("LOCKSTEP_TRITON_PYTHON", "python3")
KERNELS = os.path.join(SOURCE, "tests/python/kernels.py")
work = tempfile.mkdtemp()


def environment(**more):
    own = {k: v for k, v in os.environ.items() if not k.startswith("LOCKSTEP_")}
    return {**own, "LOCKSTEP_CACHE": os.environ.get("LOCKSTEP_CACHE", work), "TRITON_CACHE_DIR": os.path.join(work, "triton"),
            "TRITON_DEFAULT_FP_FUSION": "1", "PYTHONPATH": os.path.join(BINARY, "python"), **more}


def run(*words, status=0, **more):
    r = subprocess.run([*words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment(**more))
    assert r.returncode == status, (words, r.returncode, r.stdout)
    return r.stdout


def line_of(text):
    """The number of the line of kernels.py that ends in the comment."""
    lines = open(KERNELS).read().splitlines()
    found = [n for n, line in enumerate(lines, 1) if line.endswith("# " + text)]
    assert len(found) == 1, (text, found)
    return found[0]


def check(name, status):
    out = os.path.join(work, "check.json")
    run(LOCKSTEP, "check", "--json", out, PYTHON, KERNELS, name, status=status)
    return json.load(open(out))["findings"]


def results():
    text = run(PYTHON, KERNELS, "results")
    assert text.split("\n")[:10] == ["add right", "softmax right", "matmul right", "layer norm right", "math right",
                                      "scalars right", "subnormal right", "subnormal kept right", "tools right",
                                      "8.0"], text
    text = run(PYTHON, KERNELS, "add", LOCKSTEP_CC="7.5")
    assert "add right" in text and "7.5" in text, text


def torch():
    if subprocess.run([PYTHON, "-c", "import torch; assert not torch.version.cuda"], stderr=subprocess.DEVNULL).returncode:
        print(f"{PYTHON} has no CPU build of torch: LOCKSTEP_TORCH_CUDA was not looked at")
        return
    text = run(PYTHON, KERNELS, "torch", LOCKSTEP_TORCH_CUDA="1")
    assert "torch right" in text, text


def mistakes():
    for name in ("bounds", "race", "unset"):
        assert check(name + "_right", 0) == [], name

    f, = check("bounds", 1)
    assert f["kind"] == "out-of-bounds" and 'array "x_ptr" (4000 bytes)' in f["message"], f
    assert f["access"]["file"] == KERNELS and f["access"]["line"] == line_of("reads beyond x"), f
    assert f["kernel"] == "bounds", f
    assert f["launched"][0]["line"] == line_of("launches bounds") if "launched" in f else True, f

    found = check("race", 1)
    assert {f["kind"] for f in found} == {"global-race"} and all('"sum_ptr"' in f["message"] for f in found), found
    lines = {f[side]["line"] for f in found for side in ("access", "other")}
    assert lines == {line_of("reads the sum"), line_of("writes the sum")}, found

    f, = check("unset", 1)
    assert f["kind"] == "uninitialized" and '"out_ptr" (4000 bytes) at byte 2000' in f["message"], f
    assert f["access"]["line"] == line_of("reads what nobody wrote") and f["count"] == 500, f


def profile():
    out = os.path.join(work, "profile.json")
    page = os.path.join(work, "profile.html")
    run(LOCKSTEP, "profile", "--json", out, "--html", page, PYTHON, KERNELS, "add")
    kernel, = json.load(open(out))["kernels"]
    assert kernel["name"] == "add" and kernel["grid"] == [4, 1, 1], kernel
    lines = {(os.path.basename(line["file"]), line["line"]) for line in kernel["lines"]}
    assert ("kernels.py", line_of("adds")) in lines, lines
    assert "kernels.py" in open(page).read()


def errors():
    text = run(PYTHON, KERNELS, "numpy_itself", status=1)
    assert "lockstep.triton.array" in text or "ndarray" in text, text
    text = run(PYTHON, KERNELS, "machine_code", status=1)
    assert "there is no machine code here" in text, text
    text = run(PYTHON, KERNELS, "fault", status=1)
    assert "cuCtxSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS" in text and f"kernels.py:{line_of('stores to nowhere')}" in text, text


def nothing_of_nvidia():
    """By strace, with cold caches: no file of the vendor's in Triton's wheel, nor of a toolkit, is opened or executed."""
    strace = shutil.which("strace")
    if not strace or subprocess.run([strace, "-o", "/dev/null", "true"], stderr=subprocess.DEVNULL).returncode:
        print("strace cannot be used: files that are opened were not looked at")
        return
    log = os.path.join(work, "strace")
    text = run(strace, "-f", "-qq", "-e", "trace=openat,open,execve", "-o", log, PYTHON, KERNELS, "results",
               TRITON_CACHE_DIR=os.path.join(work, "cold"), LOCKSTEP_CACHE=os.path.join(work, "cold-kernels"))
    assert "math right" in text and "tools right" in text, text
    opened = [line for line in open(log) if " ENOENT" not in line]
    assert sum("liblockstep.so" in line for line in opened) >= 1
    vendor = re.compile(r"backends/nvidia/(bin|lib|include)/|ptxas|nvdisasm|cuobjdump|libdevice[.0-9]*bc|/usr/local/cuda|libcudart|"
                        r"libnvidia|libnvrtc")
    assert not [line for line in opened if vendor.search(line)], [line for line in opened if vendor.search(line)]
    executed = {os.path.basename(m) for m in re.findall(r'execve\("([^"]*)"', "".join(opened))}
    assert executed <= {os.path.basename(shutil.which(PYTHON)), "ldconfig", "ldconfig.real", "sh", "python", "python3",
                        "uname", "gcc", "ld"} | {e for e in executed if e.startswith("python")}, executed


def main():
    if os.environ.get("SANITIZE"):
        print("a sanitizer's library cannot be loaded by an interpreter")
        return 77
    if subprocess.run([PYTHON, "-c", "import triton, numpy"], stderr=subprocess.DEVNULL).returncode:
        print(f"{PYTHON} has no triton and numpy: name one that has in LOCKSTEP_TRITON_PYTHON")
        return 77
    results()
    torch()
    mistakes()
    profile()
    errors()
    nothing_of_nvidia()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    finally:
        shutil.rmtree(work, ignore_errors=True)
