#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Warp operations by lanes that their mask leaves out end as on an H200 (tests/data/h200_masks.csv), row by row: each
operation in ten places, by tools/record/masks.cu. What lanes get is not compared: it is undefined, and the H200, where it
does not stop, takes lanes that the mask leaves out as if it named them."""
import csv
import os
import subprocess
import sys
import tempfile

LOCKSTEP, SOURCE = os.environ["LOCKSTEP"], os.environ["SOURCE_DIR"]
# __syncwarp() in a whole warp, each lane naming its neighbour: the H200 stops, though not where half of a warp's lanes
# name others (6,6).
KNOWN = {("6", "8")}
failed = 0
with tempfile.TemporaryDirectory() as folder:
    program = f"{folder}/masks"
    subprocess.run([LOCKSTEP, "cc", f"{SOURCE}/tools/record/masks.cu", "-o", program], check=True)
    with open(f"{SOURCE}/tests/data/h200_masks.csv") as f:
        rows = list(csv.DictReader(f))
    for row in rows:
        done = subprocess.run([program, row["operation"], row["place"]], capture_output=True, text=True,
                              env={**os.environ, "LOCKSTEP_CC": "9.0", "LOCKSTEP_QUIET": "1"})
        want, have = row["error"], (done.stdout.split(",") + [""] * 4)[3]
        if (have != want) != ((row["operation"], row["place"]) in KNOWN):
            failed += 1
            print(f"FAIL: {row['operation']},{row['place']}: {have}, on an H200 {want}")
print(f"{len(rows)} rows, {failed} differ")
sys.exit(1 if failed or len(rows) != 80 else 0)
