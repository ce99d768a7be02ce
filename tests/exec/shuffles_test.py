# SPDX-License-Identifier: Apache-2.0
"""Shuffles that ask lanes which do not execute them give what an H200 gives (tests/data/h200_shuffles.csv), by
tools/record/shuffles.cu: 0, in code of whole warps, of parted ones, of a schedule and without AVX-512."""
import os
import subprocess
import sys
import tempfile

lockstep, source = os.environ["LOCKSTEP"], os.environ["SOURCE_DIR"]
with open(f"{source}/tests/data/h200_shuffles.csv") as f:
    want = f.read().splitlines()[1:]
failed = 0
with tempfile.TemporaryDirectory() as folder:
    program = f"{folder}/shuffles"
    subprocess.run([lockstep, "cc", f"{source}/tools/record/shuffles.cu", "-o", program], check=True)
    for setting in {}, {"LOCKSTEP_SCHEDULE": "gpu"}, {"LOCKSTEP_VECTORS": "256"}, {"LOCKSTEP_CC": "6.0"}, {"LOCKSTEP_JIT": "-all"}:
        done = subprocess.run([program], capture_output=True, text=True, env={**os.environ, **setting})
        have = done.stdout.splitlines()
        if len(have) != len(want) or len(want) != 30:
            failed += 1
            print(f"FAIL {setting}: {len(have)} rows: {done.stderr[-500:]}")
        for a, b in zip(want, have):
            if a != b:
                failed += 1
                print(f"FAIL {setting}\n    an H200: {a}\n    here:    {b}")
print(f"{len(want)} rows, {failed} differ")
sys.exit(failed != 0)
