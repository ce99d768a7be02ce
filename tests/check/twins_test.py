# SPDX-License-Identifier: Apache-2.0
"""README.md's table of wrong and right twins: each cell names a file of the tests (or of the sources) and words that
stand in it, and the file belongs to a test."""
import glob
import os
import re
import sys

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
failures, rows = [], 0


def text_of(path):
    for folder in ("tests", "src"):
        whole = os.path.join(root, folder, path)
        if os.path.exists(whole):
            with open(whole, encoding="utf-8") as f:
                return f.read()
    failures.append(f"{path}: there is none")
    return ""


def is_run(path):
    """The file is a test, or one of its folder's (or of check/) names it."""
    name = os.path.basename(path)
    tests = glob.glob(os.path.join(root, "tests", os.path.dirname(path), "*_test.*")) + glob.glob(here + "/*_test.py")
    return "_test." in name or any(name in open(t, encoding="utf-8").read() for t in tests)


with open(os.path.join(here, "README.md"), encoding="utf-8") as f:
    for line in f:
        cells = re.findall(r"`([^`]+\.\w+)`: `([^`]+)`", line)
        if not cells:
            continue
        rows += 1
        if len(cells) != 2 or cells[0] == cells[1]:
            failures.append(f"no two twins: {line}")
        for path, words in cells:
            if words not in text_of(path):
                failures.append(f"{path} has no {words}")
            if not is_run(path):
                failures.append(f"{path} is no test's")
if rows < 40:
    failures.append(f"{rows} rows")
print("\n".join(failures))
sys.exit(bool(failures))
