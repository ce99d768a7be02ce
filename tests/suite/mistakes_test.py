# SPDX-License-Identifier: Apache-2.0
# `lockstep suite check` on the mistakes of lectures 000 and 001 and, of each folder with one, on a
# rung that is right: the first are reported with the kinds of findings that their headers name and no
# others, the second are silent. (`lockstep suite check` does all rungs.)
import json
import os
import subprocess
import sys

lockstep = os.environ["LOCKSTEP"]
right = ["average/case05", "average/case14", "barriers/straight", "barriers/uniform_branch", "barriers/lifted",
         "convolution/tiled", "matmul/tiled", "picture/scale", "scalability/blocks", "spaces/spaces",
         "spmv/vector", "transpose/padded"]
folders = {"average", "barriers", "convolution", "matmul", "picture", "scalability", "spaces", "spmv", "transpose"}


def suite(*arguments):
    done = subprocess.run([lockstep, "suite", *arguments, "--json"], capture_output=True, text=True, timeout=550)
    return json.loads(done.stdout), done.returncode


mistakes = [row["rung"] for row in suite("list")[0]
            if row["rung"].split("/")[0] in folders and row["rung"].endswith(("_wrong", "_lecture"))]
if os.environ.get("SANITIZE"):  # the same on fewer
    mistakes, right = mistakes[::3], right[::3]
rows, status = suite("check", *mistakes, *right)
failures = 0
for row in rows:
    if not row["as_expected"]:
        failures += 1
        print("FAILED:", row["rung"], row.get("size"), row.get("message"), row["found"])
reported = {row["rung"] for row in rows if row["found"]}
unreported = sorted(set(mistakes) - reported)
print(f"{len(mistakes)} mistakes, {len(reported)} of them reported; only the result tells of {unreported}")
if status != (1 if failures else 0) or len({row["rung"] for row in rows}) != len(mistakes) + len(right):
    failures += 1
    print("FAILED: exit status", status, "rungs", len(rows))
print(f"{failures} failures")
sys.exit(1 if failures else 0)
