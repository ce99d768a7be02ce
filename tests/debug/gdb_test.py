# SPDX-License-Identifier: Apache-2.0
"""Plain gdb on a program: kernels and device functions by their names and lines, by gdb's JIT interface; from the disk's
cache as well; and nothing of that where it is not asked for."""

import os
import re
import shutil
import subprocess

from checks import check, finish, lockstep, source, work

gdb = shutil.which("gdb")
if not gdb or os.environ.get("SANITIZE"):
    finish("; no gdb, or a sanitizer that does not work under one", skipped=True)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def run(program, *commands, **more):
    words = [gdb, "-nx", "-batch", "-ex", "set breakpoint pending on", "-ex", "set debuginfod enabled off"]
    for c in commands:
        words += ["-ex", c]
    env = dict(os.environ, LOCKSTEP_WORKERS="1", LOCKSTEP_CACHE=os.path.join(work, "cache"), **more)
    r = subprocess.run([*words, program], capture_output=True, text=True, timeout=120, env=env)
    return COLOUR.sub("", r.stdout + r.stderr)


if "exited" not in run("/bin/true", "run"):
    finish("; gdb cannot run programs here", skipped=True)
flow = os.path.join(source, "tests/debug/front/flow.cu")
lines = open(flow).read().split("\n")
line = {key: 1 + next(k for k, text in enumerate(lines) if key in text)
        for key in ("flow(int *out", "return n * below", "out[i] = sum", "flow<<<")}
for options in ["-lineinfo"], [], ["-G", "-g"]:
    program = os.path.join(work, "flow")
    subprocess.run([lockstep, "cc", *options, flow, "-o", program], check=True)
    for cache in "empty", "full":
        said = run(program, f"break flow.cu:{line['out[i] = sum']}", "run", "bt 2", "info symbol $pc", "delete", "continue")
        check(f"{options}, cache {cache}: a line: {said}",
              re.search(rf"hit Breakpoint 1(\.\d)?, .*flow *\(\) at .*flow.cu:{line['out[i] = sum']}\n", said) or
              re.search(rf"Breakpoint 1(\.\d)?, flow *\(\) at .*flow.cu:{line['out[i] = sum']}\n", said))
        check(f"{options}: who called it: {said}", re.search(r"#0  flow \(\).*\n#1  .*(exec|run|work)", said))
        check(f"{options}: its symbol: {said}", re.search(r"^flow( \+ \d+)? in section \.text", said, re.M))
        check(f"{options}: it goes on to its end: {said}", "256 140" in said)
program = os.path.join(work, "flow")
said = run(program, f"tbreak flow.cu:{line['flow<<<']}", "run", "break factorial", "continue",
           "bt 3", "finish")
check(f"a device function by its name: {said}", re.search(r"factorial *\(\) at .*flow.cu:\d+\n.*\n#0  factorial \(\)", said))
check(f"it is called by the kernel: {said}", re.search(r"#1  .* flow \(\) at .*flow.cu:\d+", said))
said = run(program, f"break flow.cu:{line['out[i] = sum']}", "run", LOCKSTEP_GDB="0")
check(f"not where nobody asks: {said}", "256 140" in said and "flow ()" not in said)
finish()
