# SPDX-License-Identifier: Apache-2.0
"""Blocks in which nothing can stop the launch are passed over: what is seen behind them is what is seen behind blocks
that were executed by instructions; those that fail or hang are found all the same; conditions on numbers of blocks and
threads, against Python."""

import itertools
import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import cost
import past
from checks import check, finish

SOURCE = past.SOURCE / "tests/debug/passing.cu"


def passed(front):
    found = re.search(r"(\d+) blocks in which nothing could stop it", front.say("info program"))
    return int(found[1]) if found else 0


def same_state(program, what, line, condition):
    """The state at a stop far behind, and back in a block before: passed over, and by instructions."""
    front = past.Front([program, what])
    front.say(f"break passing.cu:{line} if {condition}")
    stop = front.say("run")
    seen, count = [front.say("info state")], passed(front)
    front.say("reverse-step")
    seen.append(front.say("info state"))
    position = front.number("$position")
    front.say("goto 6000000")
    seen.append(front.say("info state"))
    front.say(f"goto {position}")
    seen.append(front.say("info state"))
    front.say("set pass-over off")
    front.say("reverse-begin")
    again = front.say("continue")
    by_steps, none = front.say("info state"), passed(front)
    front.say("reverse-step")
    by_steps = [by_steps, front.say("info state")]
    front.say("goto 6000000")
    by_steps.append(front.say("info state"))
    front.close()
    check(f"{what}: blocks are passed over: {count}, {none}", count > 20 and none == 0)
    check(f"{what}: the same stop: {stop} {again}", stop.split("\n")[-3:] == again.split("\n")[-3:])
    check(f"{what}: the same state: {seen} {by_steps}", seen[:3] == by_steps and seen[3] == seen[1])


def edited(program):
    """What is changed in one block counts in a later one."""
    front = past.Front([program])
    front.say("tbreak work if blockIdx.x == 40")
    front.say("run")
    front.say("set var scale = 2")
    front.say("break passing.cu:18 if blockIdx.x == 60")
    front.say("continue")
    values = front.say("print sum"), front.say("print out[41 * 256] / out[30 * 256]")
    front.say("reverse-begin")
    front.say("continue")
    check(f"an edit counts behind it: {values}", " = 4\n" in values[1])
    check("and once more", values[0].split("=")[1] == front.say("print sum").split("=")[1] and passed(front) > 5)
    front.close()


def fault(program):
    front = past.Front([program, "bad"])
    said = front.say("run")
    check(f"a block that fails: {said}", "block (55,0,0) thread (3,0,0) at passing.cu:18" in said)
    said = front.say("last out")
    check(f"the cause: {said}", "thread (3,0,0) of block (55,0,0) at passing.cu:15" in said)
    front.close()


def endless(program):
    """Ctrl-C, while a block that was passed over does not come to an end."""
    front = past.Front([program, "endless"])
    front.p.stdin.write(b"run\n")
    front.p.stdin.flush()
    child = None
    for _ in range(20):  # a slow machine is not there yet
        time.sleep(1)
        child = child or int(Path(f"/proc/{front.p.pid}/task/{front.p.pid}/children").read_text().split()[0])
        os.kill(child, signal.SIGINT)
        said = front.say("info program") + front.say("masks")
        if "block (50,0,0)" in said:
            break
        front.p.stdin.write(b"continue\n")
        front.p.stdin.flush()
    check(f"interrupted in its loop: {said}", "block (50,0,0)" in said and re.search(r"passing\.cu:1[67]", said))
    front.close()


def conditions(program):
    """Hits of a breakpoint, against Python."""
    front = past.Front([program, "few"])
    front.say("break passing.cu:61")
    threads = list(itertools.product(range(2), range(3), range(8), range(8)))
    for condition in ["blockIdx.x == 2 && blockIdx.y == 1", "threadIdx.y < 2 || blockIdx.x == 1",
                      "!(blockIdx.x == 0) && threadIdx.x >= 7", "blockIdx.x * 2 + blockIdx.y == 3", "gridDim.x == 4",
                      "threadIdx.y * blockDim.x + threadIdx.x == 33", "(threadIdx.y % 3 == 2 && out != 0) || blockIdx.x > 1",
                      "blockIdx.x - 1 == 1", "2 - 1 == blockIdx.x", "blockIdx.x == 1 == 1", "blockIdx.x > 0x1",
                      "blockIdx.x < 1u", "threadIdx.x == 8", "1", "blockIdx.x", "blockIdx.y == 1 && out[0] >= 0",
                      "blockIdx.x - 1 > 5"]:
        front.say(f"condition 1 {condition}")
        front.say("ignore 1 100000")
        before = re.search(r"already hit (\d+)", front.say("info breakpoints"))
        front.say("run")
        after = re.search(r"already hit (\d+)", front.say("info breakpoints"))
        hits = int(after[1] if after else 0) - int(before[1] if before else 0)
        python = condition.replace("&&", " and ").replace("||", " or ").replace("!(", "not (").replace("out != 0", "True")
        python = python.replace("out[0] >= 0", "True").replace("1u", "1").replace("blockIdx.x == 1 == 1", "blockIdx.x == 1")
        python = re.sub(r"(blockIdx.x - 1)", r"(\1) % 2**32", python)
        python = re.sub(r"(\w+)\.([xy])", r"\1\2", python)
        want = len({(by, bx, ty // 4) for by, bx, ty, tx in threads
                    if eval(python, dict(blockIdxx=bx, blockIdxy=by, threadIdxx=tx, threadIdxy=ty, gridDimx=3, blockDimx=8))})
        check(f"{condition}: {hits} hits, not {want}", hits == want)
    front.close()


def middle(work):
    """A breakpoint in the middle of a product of 1024 x 1024, from the command on."""
    program = past.build(past.program_of("matmul/tiled"), work)[0]
    stop = ["-ex", "break tiled.cu:38 if blockIdx.x == 32 && blockIdx.y == 32 && sum > 0", "-ex", "run", "-ex", "kill"]
    words = [past.LOCKSTEP, "debug", "-batch", *stop, program, "--size", "1024"]
    said = subprocess.run(words, stdout=subprocess.PIPE, text=True).stdout
    check(f"it stops there: {said}", "block (32,32,0) thread (" in said)
    cpu, wall = cost.seconds(words, 3)  # of which the machine's other work takes no part
    check(f"within a second: {cpu:.2f} s of processor time, {wall:.2f} s", cpu < 1 or os.environ.get("SANITIZE"))


with tempfile.TemporaryDirectory() as work:
    middle(work)
    program = past.build([str(SOURCE)], work)[0]
    same_state(program, "", 18, "blockIdx.x == 60 && threadIdx.x == 40 && sum > 0")
    same_state(program, "race", 28, "blockIdx.x >= 60")
    same_state(program, "leaving", 56, "blockIdx.x == 60")
    edited(program)
    fault(program)
    endless(program)
    conditions(program)
finish()
