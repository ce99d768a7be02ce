#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Structures read and written whole or by members take as many accesses as a GPU's own compiler makes of the
same source: `lockstep profile` of tools/record/members.cu beside an H200's counters of nvcc's code
(tests/data/h200_members.csv). What differs is listed here with the reason, and must differ."""

import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(os.environ["SOURCE_DIR"])
KNOWN = {
    "read_x_z": "two of four members, apart: nvcc reads them one by one, here the copy stays whole",
    "member_x_y_z": "three members, named one by one: nvcc reads the fourth, too, in one access of 16 bytes",
    "member_k": "an array that is indexed: nvcc chooses between registers, here it lies in local memory",
    "copy_pointer16": "a structure with a pointer is copied in words of 8 bytes",
}


def main():
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "members.json"
        done = subprocess.run([os.environ["LOCKSTEP"], "profile", "--cc", "9.0", "--json", str(report), "--",
                               str(ROOT / "tools/record/members.cu")], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"exit {done.returncode}: {done.stdout}{done.stderr}")
        kernels = {k["name"]: k["counters"] for k in json.loads(report.read_text())["kernels"]}
    bad = cases = 0
    for row in csv.DictReader(open(ROOT / "tests/data/h200_members.csv")):
        name = row.pop("kernel")
        ours = {c: kernels[name].get(c, 0) for c in row}
        different = {c: (ours[c], int(row[c])) for c in row if ours[c] != int(row[c])}
        cases += 1
        if bool(different) != (name in KNOWN):
            bad += 1
            print(f"{name}: (ours, the GPU's): {different or 'equal, but listed as known'}")
    print(f"{cases} kernels, {bad} not as expected")
    sys.exit(bad != 0 or cases < 30)


if __name__ == "__main__":
    main()
