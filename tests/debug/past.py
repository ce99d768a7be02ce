# SPDX-License-Identifier: Apache-2.0
"""The debugger's way back, held against other ways to the same answer.

    python3 tests/debug/past.py [--points 1000] [--bytes 1000] [--races 100] [--seed 1] [--log LOG] [--programs FILE] [RUNG...]

- `reverse-step` undoes `step`: registers and memory of the block (`info state`) are as they were, at random points of
  programs' first launches; how long each takes.
- `last` is right: against a log of all bytes that change, which is made instruction by instruction, from nothing but
  memory as it is between any two.
- a race goes the same way each time.

RUNG: one of `lockstep suite list` (all); FILE has further programs: lines of shell words, a program and its arguments. LOG
keeps what each program came to, so that another call goes on from there. front_past_test.py does a part of it in seconds.
"""

import argparse
import json
import os
import random
import re
import select
import shlex
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LOCKSTEP = os.environ.get("LOCKSTEP", "build/lockstep")
SOURCE = Path(os.environ.get("SOURCE_DIR", "."))
MARK = "=-=-= done"
FAR = 10**15


class Front:
    """`lockstep debug`, a command at a time."""

    def __init__(self, words, cwd=None, env=None):
        self.p = subprocess.Popen([LOCKSTEP, "debug", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=cwd,
                                  stderr=subprocess.STDOUT, env={**os.environ, **(env or {})})

    def say(self, command, seconds=120):
        self.p.stdin.write(f"{command}\necho {MARK}\\n\n".encode())
        self.p.stdin.flush()
        out, end = b"", time.time() + seconds
        while not out.endswith(f"{MARK}\n".encode()):
            if not select.select([self.p.stdout], [], [], max(0, end - time.time()))[0]:
                self.p.kill()
                raise TimeoutError(command)
            part = os.read(self.p.stdout.fileno(), 65536)
            if not part:
                raise EOFError(f"{command}: {out.decode(errors='replace')}")
            out += part
        return out.decode(errors="replace")[:-len(MARK) - 1]

    def number(self, expression):
        found = re.search(r"\$\d+ = (\d+)", self.say(f"print {expression}"))
        return int(found[1]) if found else None

    def thread(self):
        """"block (0,0,0) thread (1,0,0)" in focus."""
        found = re.search(r"block \(\S+\) thread \(\S+\)", self.say("cuda"))
        return found and found[0]

    def close(self):
        try:
            self.p.stdin.write(b"quit\n")
            self.p.stdin.close()
        except OSError:
            pass
        self.p.kill()
        self.p.wait()


def steps_back(words, points, rng, cwd=None):
    """(points tried, seconds of each step back, what went wrong) of the program's first launch."""
    front = Front(words, cwd)
    seconds, wrong = [], []
    try:
        if "[launch 1]" not in (said := front.say("start", 600)):
            return seconds, [] if "exited" in said else [said]
        front.say(f"goto {FAR}", 600)
        end = front.number("$position")
        for _ in range(points * 4):
            if len(seconds) >= points or not end:
                break
            front.say(f"goto {rng.randrange(end)}")
            front.say(f"cuda lane {rng.randrange(32)}")
            command = rng.choice(["step", "step", "stepi", "next"])
            if "has exited" in front.say("step"):  # who is in focus now need not be at a line's begin
                continue
            before, who, depth = front.say("info state"), front.thread(), front.say("backtrace").count("#")
            said = front.say(command)
            if "is over" in said or "has exited" in said or "is over" in before or front.thread() != who:
                continue
            if command == "next" and front.say("backtrace").count("#") != depth: # back is over the call
                continue
            begin = time.time()
            front.say(f"reverse-{command}")
            seconds.append(time.time() - begin)
            after = front.say("info state")
            if before != after:
                wrong.append(f"{words}: {command} at {before} came back to {after}")
    except (EOFError, TimeoutError, OSError) as e:
        wrong.append(f"{words}: {e!r}")
    finally:
        front.close()
    return seconds, wrong


class Tool:
    """The tool in the program's process, without the debugger (src/debug/debug.h)."""

    MODULE, STOP, EXIT = 1, 2, 3
    GO, READ, LAST, WHERE = 100, 103, 109, 110
    ALLOCATION = 112
    ON, POSITION = 0, 3
    LAUNCH, END, FAULT = 4, 6, 8
    SHARED, GLOBAL = "shared", "global"

    def __init__(self, words, spaces):
        ours, theirs = socket.socketpair()
        self.s, self.spaces = ours, spaces
        env = {**os.environ, "LOCKSTEP_TOOL": "debug", "LOCKSTEP_DEBUG_FD": str(theirs.fileno())}
        self.p = subprocess.Popen(words, env=env, pass_fds=[theirs.fileno()], stdout=subprocess.DEVNULL)
        theirs.close()

    def take(self, n):
        out = b""
        while len(out) < n:
            part = self.s.recv(n - len(out))
            if not part:
                raise EOFError("the program has ended")
            out += part
        return out

    def receive(self):
        what, status, size = struct.unpack("<IIQ", self.take(16))
        return what, status, self.take(size)

    def ask(self, what, payload):
        self.s.sendall(struct.pack("<IIQ", what, 0, len(payload)) + payload)
        answer, status, out = self.receive()
        return None if status else out

    def go(self, how, position=0, launches=0):
        self.s.sendall(struct.pack("<IIQ4I6IQ", self.GO, 0, 48, how, 0, 0, launches,
                                   *[0] * 6, position))
        while True:
            what, status, out = self.receive()
            if what == self.MODULE:
                self.s.sendall(struct.pack("<IIQ4I6IQ", self.GO, 0, 48, self.ON, 0, 0, launches, *[0] * 6, 0))
                continue
            if what == self.STOP:
                v = struct.unpack("<4I2Q14I", out[:88])
                self.why, self.position, self.at = v[0], v[5], v[12:15]
            return what

    def memory(self, space, address, size, block=(0, 0, 0)):
        return struct.pack("<7IIQQ", *block, 0, 0, 0, 0, self.spaces[space], address, size)

    def read(self, *where):
        return self.ask(self.READ, self.memory(*where))

    def allocations(self):
        n, found = 1, []
        while out := self.ask(self.ALLOCATION, struct.pack("<Q", n)):
            _, number, address, size = struct.unpack("<IIQQ", out)
            found.append((address, size))
            n = number + 1
        return found

    def shared_size(self, block):
        out = self.ask(self.WHERE, self.memory(self.SHARED, 0, 0, block))
        return struct.unpack("<IIQQ", out)[3] if out else 0

    def last(self, *where):
        """(position, before, after) of a byte; None: nobody wrote it."""
        out = self.ask(self.LAST, self.memory(*where))
        found, _, position = struct.unpack("<IIQ", out[:16])
        return (position, out[56], out[72]) if found else None

    def close(self):
        self.s.close()
        self.p.kill()
        self.p.wait()


def changes(before, after, key, position, log):
    for part in range(0, len(before), 64):
        a, b = before[part:part + 64], after[part:part + 64]
        if a != b:
            for k, (x, y) in enumerate(zip(a, b)):
                if x != y:
                    log.setdefault((key, part + k), []).append((position, x, y))


def space_numbers():
    """enum ptx_space, from its table."""
    text = (SOURCE / "src/ptx/ptx.h").read_text()
    body = re.search(r"enum ptx_space \{(.*?)\}", text, re.S)[1]
    names = re.findall(r"PTX_SPACE_(\w+)", re.sub(r"/\*.*?\*/", "", body, flags=re.S))
    return {"shared": names.index("SHARED"), "global": names.index("GLOBAL")}


def last_writes(words, count, most, rng):
    """(bytes asked for, what went wrong) in the first `most` positions of the first launch."""
    tool, wrong, asked = Tool(words, space_numbers()), [], 0
    try:
        what, _, _ = tool.receive()
        if what != Tool.MODULE or tool.go(Tool.ON, launches=1) != Tool.STOP:
            return 0, []
        places = [a for a in tool.allocations() if a[1] <= 1 << 16]
        log, held, blocks = {}, {}, {}
        while tool.why not in (Tool.END, Tool.FAULT) and tool.position < most:
            now = {("global", a): tool.read("global", a, n) for a, n in places}
            size = tool.shared_size(tool.at)
            if size:
                now["shared", tool.at] = tool.read("shared", 0, size, tool.at)
            for key, value in now.items():
                if key in held and held[key] != value:
                    changes(held[key], value, key, tool.position - 1, log)
            held.update(now)
            blocks[tool.position] = tool.at
            tool.go(Tool.POSITION, tool.position + 1)
        end, keys = tool.position, sorted(log)
        for _ in range(count if keys else 0):
            (space, where), offset = rng.choice(keys)
            at = rng.randrange(1, end)
            if space == "shared" and blocks.get(at) != where:
                at = rng.choice([p for p, b in blocks.items() if b == where])
            tool.go(Tool.POSITION, at)
            got = tool.last(space, where + offset, 1) if space == "global" else \
                tool.last(space, offset, 1, where)
            known = [c for c in log[(space, where), offset] if c[0] < at]
            wanted = known[-1] if known else None
            same = got and got[1] == got[2] and got[0] < at and (not wanted or got[0] > wanted[0]) and \
                (not wanted or got[2] == wanted[2])
            asked += 1
            if got != wanted and not same:
                wrong.append(f"{words}: byte {offset} of {space} {where} at {at}: {got}, not {wanted}")
    except (EOFError, OSError) as e:
        wrong.append(f"{words}: {e!r}")
    finally:
        tool.close()
    return asked, wrong


def race_again(words, times, cwd=None):
    """The states in which a race was found, each time the launch went there."""
    front, seen = Front(words, cwd), set()
    try:
        front.say("catch finding")
        front.say("run")
        for _ in range(times):
            front.say("reverse-begin")
            stop = front.say("continue")
            seen.add((stop, front.say("info state")))
    finally:
        front.close()
    return seen


RACE = [str(SOURCE / "tests/debug/mistakes/mistakes.cu"), "second_barrier"]


def program_of(rung):
    return [str(SOURCE / "suite" / f"{rung}.cu"), "--size", "64"]


def build(words, work):
    out = str(Path(work) / (re.sub(r"\W", "_", words[0]) + ".bin"))
    subprocess.run([LOCKSTEP, "cc", "-G", "-g", "-O0", words[0], "-o", out], check=True)
    return [out, *words[1:]]


def one(words, points, count, seed):
    """A program's line of the log."""
    rng, bad, asked = random.Random(f"{seed} {shlex.join(words)}"), [], 0
    seconds, wrong = steps_back(words, points, rng) if points else ([], [])
    if count:
        with tempfile.TemporaryDirectory() as work:
            built = build(words, work) if words[0].endswith(".cu") else words
            asked, bad = last_writes(built, count, 4000, rng)
    return {"words": words, "seconds": seconds, "bytes": asked, "wrong": wrong + bad}


def kept(path, **asked):
    """The rows of a log that were made with the same options. A last line that was cut off is none."""
    lines = path.read_text().splitlines(keepends=True) if path and path.exists() else []
    rows = [json.loads(line) for line in lines if line.endswith("\n")]
    if len(rows) < len(lines):
        path.write_text("".join(lines[:-1]))
    return {shlex.join(r["words"]): r for r in rows if all(r.get(k) == v for k, v in asked.items())}


def keep(path, row):
    if path:
        with path.open("a") as log:
            log.write(json.dumps(row) + "\n")


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--points", type=int, default=1000)
    a.add_argument("--bytes", type=int, default=1000)
    a.add_argument("--races", type=int, default=100)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--log", type=Path)
    a.add_argument("--programs", type=Path)
    a.add_argument("rungs", nargs="*")
    o = a.parse_args()
    rungs = o.rungs or sorted({r["rung"] for r in json.loads(subprocess.check_output(
        [LOCKSTEP, "suite", "list", "--json"]))})
    programs = [program_of(r) for r in rungs]
    if o.programs:
        programs += [shlex.split(line) for line in o.programs.read_text().splitlines() if line.strip()]
    asked = {"points": -(-o.points // len(programs)), "count": -(-o.bytes // len(programs)), "seed": o.seed}
    known, rows = kept(o.log, **asked), []
    for n, words in enumerate(programs, 1):
        row = known.get(shlex.join(words))
        if not row:
            row = {**one(words, **asked), **asked}
            keep(o.log, row)
        rows.append(row)
        print(f"{n}/{len(programs)} {words[0]}: {len(row['seconds'])} steps back, slowest "
              f"{max(row['seconds'], default=0):.2f} s; {row['bytes']} bytes; {len(row['wrong'])} wrong", flush=True)
    wrong = [w for r in rows for w in r["wrong"]]
    seconds = sorted(s for r in rows for s in r["seconds"])
    print("".join(f"{w}\n" for w in wrong), end="")
    if seconds:
        print(f"{len(seconds)} steps back: median {seconds[len(seconds) // 2] * 1000:.0f} ms, 95 of 100 under "
              f"{seconds[int(len(seconds) * .95)]:.2f} s, slowest {seconds[-1]:.2f} s")
    print(f"{sum(r['bytes'] for r in rows)} bytes; {len(rows)} programs; {len(wrong)} wrong")
    states = race_again(RACE, o.races) if o.races else ()
    if o.races:
        print(f"a race, {o.races} times: {len(states)} state{'s' * (len(states) != 1)}")
    return bool(wrong) or len(states) > 1


if __name__ == "__main__":
    sys.exit(main())
