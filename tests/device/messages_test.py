# SPDX-License-Identifier: Apache-2.0
"""Mistakes end in the same error on the virtual GPU as on a real one (tests/data/h100_errors.csv), and lockstep says
the same of them on both: the real one is played by a second copy of the library, which says nothing (its results alone
come through). Of an error inside a kernel a real GPU tells no more than its name."""
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile

lockstep, source, binary = (os.environ[x] for x in ("LOCKSTEP", "SOURCE_DIR", "BINARY_DIR"))
INSIDE = {"no-cooperative", "null-store", "far-store", "misaligned", "trap", "trap-late"}
# Plain runs leave alignment to the processor, which has no such rule; check reports it.
UNLIKE = {"misaligned": "cudaSuccess"}
failures = []


def expect(case, is_so, *words):
    if not is_so:
        failures.append(" ".join((case + ":",) + words))


def said(text):
    """lockstep's lines without addresses, and without what the driver's copy says of its own calls."""
    text = re.sub(r"0x[0-9a-f]{9,}", "ADDRESS", text).replace("about ", "")
    return [line for line in text.splitlines() if not re.match("lockstep: cu[A-Z]", line)]


def run(program, case, **more):
    env = {**os.environ, "LOCKSTEP_WORKERS": "1", **more}
    env.pop("LOCKSTEP_QUIET", None)
    p = subprocess.run([program, case], env=env, capture_output=True, text=True, timeout=120)
    return p.stdout.split(), said(p.stderr), p.returncode


library = os.path.join(binary, "liblockstep.so")
if not os.path.exists(library):
    print("SKIP: no library")
    sys.exit(77)
with tempfile.TemporaryDirectory() as work:
    program, driver = os.path.join(work, "messages"), os.path.join(work, "libcuda.so.1")
    subprocess.run([lockstep, "cc", os.path.join(source, "tests/device/messages.cu"), "-o", program], check=True)
    shutil.copy(library, driver)
    with open(os.path.join(source, "tests/data/h100_errors.csv"), newline="") as f:
        rows = list(csv.DictReader(f))
    expect("cases", len(rows) >= 36, f"{len(rows)} only")
    for case, errors in ((r["case"], r["errors"]) for r in rows):
        names, words, status = run(program, case)
        expect(case, status == 0, f"status {status}")
        expect(case, names == UNLIKE.get(case, errors).split(), f"{names}, on a GPU {errors}")
        names_gpu, words_gpu, _ = run(program, case, LOCKSTEP_DEVICE="gpu", LOCKSTEP_LIBCUDA=driver)
        expect(case, names_gpu == names, f"{names_gpu} as a GPU, {names}")
        if case in INSIDE:
            expect(case, case in UNLIKE or any("GPU 0: " in w for w in words_gpu), "\n".join(words_gpu))
        else:
            expect(case, words_gpu == words, "\n" + "\n".join(words + ["--"] + words_gpu))
print("\n".join(failures))
sys.exit(bool(failures))
