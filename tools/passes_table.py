#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/passes.md from src/jit/passes/passes.def.

    tools/passes_table.py           writes it
    tools/passes_table.py check     fails when it is not what would be written
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEAD = """# The compiler's passes

Written by `tools/passes_table.py` from `src/jit/passes/passes.def`; do not edit.

A pass decides something about a kernel between PTX and machine code. Each can be named and seen, and all but those of
stage *report* switched off:

    lockstep launch k.ptx --block 256 --dump-stage remarks           # what each did, where it did nothing, and why
    lockstep launch k.ptx --block 256 --dump-stage wir               # the warp IR, shapes, decisions beside them
    lockstep launch k.ptx --block 256 --dump-stage after:speculate   # the same up to that pass
    lockstep launch k.ptx --block 256 --dump-stage wir --jit=-interleave,-prefetch-loops
    LOCKSTEP_JIT=-all,+consecutive-test LOCKSTEP_REMARKS=1 ./prog    # any program: without passes, and what they say

The first four compile the kernel and run nothing, so that it needs no arguments; `--remarks` says the same of a launch
that runs. What a pass decides of a block or an instruction stands beside it in the dump of the warp IR; what it decides
of the whole kernel or of a barrier region (`barrier-regions`, `interleave`, `unroll-warps` and others) stands in the
remarks alone. `after:PASS` leaves out what rows of the table below PASS decide; of a row of stage *LLVM* it prints
LLVM's module after that row. The warp IR as it was before any pass: `--dump-stage wir --jit=-all`.

The switch is a list, read from left to right: `-PASS` off, `+PASS` on, `-all` and `+all` every row. A pass whose need
(below) is off does nothing and says nothing.

A remark reads `place: pass: fired: what was done`, `place: pass: missed: why not`, or `kernel: pass: switched off`. The
place is a line of the program (`.loc`: `lockstep cc` writes them, nvcc with `-lineinfo`), a line of the PTX, or the
kernel. A pass that finds no instruction of its kind is silent there; some say of the whole kernel that it has none. One
instruction may have several versions (one warp under a mask, all lanes, several warps together, each of which counts);
remarks of one instruction that are alike are printed once. Results do not depend on which passes are on
(`whole-powers` rounds within the bounds of CUDA's tables); `tests/passes/` has a kernel for each on which it must
fire, and one on which it must not.

**Stage**: *wir*: rewrites the warp IR (`src/wir/wir.h`); *plan*: decides what code generation emits; *LLVM*: works on
LLVM's module, after LLVM's own passes, or says how LLVM makes code of it; *report*: only says. **Where**: under
`src/jit/` (`analysis/`: under `src/`). **Runs in**: the code it may run in. *plain*: code of which no tool is told
anything; *check*, *profile*: what these instrument; *all*: also what is run once more to find the place of a fault;
*any*: also what a debugger steps through; *passed*: code of blocks that a debugger passes over. A pass that is not for
the code that a tool watches is remarked on as `not under check` or `not under profile`. **Needs**: the pass without
which it does nothing.

| pass | does | stage | runs in | needs | where |
| --- | --- | --- | --- | --- | --- |
"""


def table():
    with open(f"{ROOT}/src/jit/passes/passes.def") as f:
        text = re.sub(r'"\n\s+"', "", f.read())  # strings in two lines
    rows = re.findall(r'^PASS\((\w+), "([\w-]+)", (\w+), (\w+), (\w+), "([\w./]+)",\s+"(.*?)"\)$', text, re.M)
    names = {row[0]: row[1] for row in rows}
    out = HEAD
    for _, name, stage, tools, needs, where, does in rows:
        stage = "LLVM" if stage == "LLVM" else stage.lower()
        tools = "plain, check, profile" if tools == "LIVE" else tools.lower()
        out += f"| `{name}` | {does} | {stage} | {tools} | {names.get(needs, '')} | `{where}` |\n"
    return out


def main():
    path, want = f"{ROOT}/docs/passes.md", table()
    if sys.argv[1:] == ["check"]:
        with open(path) as f:
            if f.read() != want:
                sys.exit("docs/passes.md is out of date: run tools/passes_table.py")
        return
    with open(path, "w") as f:
        f.write(want)


main()
