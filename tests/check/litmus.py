# SPDX-License-Identifier: Apache-2.0
"""Litmus programs: small kernels in which two to four threads, of one block or several, pass messages, take
locks, buffer stores and loads, with every strength, scope and fence. What `lockstep check` says of each is
compared with litmus_model.py, an executable form of the PTX memory consistency model.

    LOCKSTEP=build/lockstep python3 tests/check/litmus.py --count 5000 --seed 1
    LOCKSTEP=build/lockstep python3 tests/check/litmus.py --seed 1 --only 17 --show      # one of them

Each program is a PTX module of its own; litmus.cu launches them one after the other under check, and prints
what each thread read."""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

from litmus_model import Event, Run

here = os.path.dirname(os.path.abspath(__file__))
LOCATIONS, REGISTERS, STRIDE = 4, 8, 128
SCOPES = ("cta", "cluster", "gpu", "sys")


class Op:
    """st LOC VALUE; ld, await REG LOC; add, exch REG LOC VALUE; red LOC VALUE; lock REG LOC; fence; bar; if
    REG VALUE ops. A value: a number, or ("reg", r, n): what register r holds, plus n."""

    def __init__(self, kind, loc=None, value=None, sem="weak", scope="", reg=None, ops=()):
        self.kind, self.loc, self.value, self.sem, self.scope = kind, loc, value, sem, scope
        self.reg, self.ops = reg, list(ops)

    def __str__(self):
        words = [self.kind]
        if self.kind not in ("bar", "if"):
            words.append(".".join(w for w in (self.sem, self.scope) if w))
        if self.loc is not None:
            words.append("xyzw"[self.loc])
        if self.reg is not None:
            words.append("r%d" % self.reg)
        if self.value is not None:
            words.append(str(self.value))
        if self.ops:
            words.append("{" + "; ".join(map(str, self.ops)) + "}")
        return " ".join(words)


class Program:
    def __init__(self, name, places, threads, shared=()):
        """places: (block, warp) of each thread; shared: locations in shared memory."""
        self.name, self.places, self.threads, self.shared = name, places, threads, set(shared)
        self.blocks = max(b for b, _ in places) + 1
        self.warps = max(w for _, w in places) + 1

    def text(self):
        lines = [f"{self.name}: shared {sorted(self.shared)}"]
        for place, ops in zip(self.places, self.threads):
            lines.append(f"  block {place[0]} warp {place[1]}: " + "; ".join(map(str, ops)))
        return "\n".join(lines)

    # -- PTX ------------------------------------------------------------------------------------------

    def ptx(self):
        out = [".version 8.5", ".target sm_90", ".address_size 64",
               f".visible .entry {self.name}(.param .u64 mem, .param .u64 out)", "{",
               ".reg .b32 %r<16>, %v, %t, %b;", ".reg .b64 %m, %o;", ".reg .pred %p, %q;",
               f".shared .align 128 .b8 s[{LOCATIONS * STRIDE}];"]
        for k in range(REGISTERS):
            out.append(f"mov.u32 %r{k}, 0;")
        out += ["ld.param.u64 %m, [mem];", "ld.param.u64 %o, [out];", "mov.u32 %t, %tid.x;",
                "mov.u32 %b, %ctaid.x;"]
        for loc in sorted(self.shared): # nothing is there before
            out += ["setp.eq.u32 %p, %t, 0;", f"@%p st.shared.u32 [s+{loc * STRIDE}], 0;"]
        if self.shared:
            out.append("bar.sync 0;")
        self.label = 0
        for n, ((block, warp), ops) in enumerate(zip(self.places, self.threads)):
            out += [f"setp.ne.u32 %p, %b, {block};", f"setp.ne.u32 %q, %t, {32 * warp};",
                    "or.pred %p, %p, %q;", f"@%p bra NEXT{n};"]
            for op in ops:
                self.emit(op, out)
            for k in range(REGISTERS):
                out.append(f"st.global.u32 [%o+{4 * (n * REGISTERS + k)}], %r{k};")
            out += ["bra END;", f"NEXT{n}:"]
        for block in range(self.blocks): # the other threads come to the barriers
            bars = [sum(op.kind == "bar" for op in ops)
                    for (b, _), ops in zip(self.places, self.threads) if b == block]
            out += [f"setp.ne.u32 %p, %b, {block};", f"@%p bra OTHERS{block};"]
            out += ["bar.sync 0;"] * max(bars, default=0)
            out.append(f"OTHERS{block}:")
        out += ["END:", "ret;", "}"]
        return "\n".join(out) + "\n"

    def place(self, loc):
        return ("shared", f"s+{loc * STRIDE}") if loc in self.shared else ("global", f"%m+{loc * STRIDE}")

    def value_of(self, value, out):
        if not isinstance(value, tuple):
            return str(value)
        out.append(f"add.u32 %v, %r{value[1]}, {value[2]};")
        return "%v"

    def emit(self, op, out):
        how = "." + op.sem + ("." + op.scope if op.scope else "")
        self.label += 1
        here = f"L{self.label}"
        if op.kind == "fence":
            out.append(f"membar.{op.scope};" if op.sem == "membar" else f"fence{how};")
        elif op.kind == "bar":
            out.append("bar.sync 0;")
        elif op.kind == "if":
            out += [f"setp.ne.u32 %p, %r{op.reg}, {op.value};", f"@%p bra {here};"]
            for inner in op.ops:
                self.emit(inner, out)
            out.append(here + ":")
        else:
            space, at = self.place(op.loc)
            value = self.value_of(op.value, out) if op.value is not None else ""
            if op.kind == "st":
                out.append(f"st{how}.{space}.u32 [{at}], {value};")
            elif op.kind == "ld":
                out.append(f"ld{how}.{space}.u32 %r{op.reg}, [{at}];")
            elif op.kind == "await":
                out += [here + ":", f"ld{how}.{space}.u32 %r{op.reg}, [{at}];",
                        f"setp.ne.u32 %p, %r{op.reg}, {value};", f"@%p bra {here};"]
            elif op.kind == "red":
                out.append(f"red{how}.{space}.add.u32 [{at}], {value};")
            elif op.kind == "lock":
                out += [here + ":", f"atom{how}.{space}.cas.b32 %r{op.reg}, [{at}], 0, 1;",
                        f"setp.ne.u32 %p, %r{op.reg}, 0;", f"@%p bra {here};"]
            else:
                name = {"add": "add.u32", "exch": "exch.b32"}[op.kind]
                out.append(f"atom{how}.{space}.{name} %r{op.reg}, [{at}], {value};")

    # -- other schedules ------------------------------------------------------------------------------

    def outcomes(self, most=20000):
        """Registers of each thread at the end, of every order in which the threads' steps may come."""
        start = (tuple(tuple(ops) for ops in self.threads), ((0,) * REGISTERS,) * len(self.threads),
                 (0,) * LOCATIONS)
        seen, stack = set(), [start]
        while stack and len(seen) < most:
            state = stack.pop()
            if state in seen:
                continue
            seen.add(state)
            left, regs, memory = state
            if not any(left):
                yield regs
                continue
            for n, ops in enumerate(left):
                if ops and (ops[0].kind != "bar" or self.all_at_barrier(left, n)):
                    stack += self.step(n, left, regs, memory)

    def all_at_barrier(self, left, n):
        """All threads of its block wait, or are past: of those before the barrier, none is not at it."""
        mine = sum(op.kind == "bar" for op in left[n])
        return all(not ops or ops[0].kind == "bar" or sum(op.kind == "bar" for op in ops) < mine
                   for (b, _), ops in zip(self.places, left) if b == self.places[n][0])

    def step(self, n, left, regs, memory):
        op, rest, mine, memory = left[n][0], left[n][1:], list(regs[n]), list(memory)
        value = op.value
        if isinstance(value, tuple):
            value = (mine[value[1]] + value[2]) & 0xffffffff
        if op.kind == "if":
            rest = (tuple(op.ops) if mine[op.reg] == op.value else ()) + rest
        elif op.kind not in ("fence", "bar"):
            old = memory[op.loc]
            if (op.kind == "await" and old != value) or (op.kind == "lock" and old != 0):
                return []
            if op.reg is not None and op.kind != "st":
                mine[op.reg] = old
            if op.kind not in ("ld", "await"):
                memory[op.loc] = {"st": value, "exch": value, "lock": 1}.get(op.kind, old + (value or 0))
        return [(left[:n] + (rest,) + left[n + 1:], regs[:n] + (tuple(mine),) + regs[n + 1:], tuple(memory))]

    # -- what it did ----------------------------------------------------------------------------------

    def run(self, registers, polls=False):
        """The model's view of a run in which thread n's registers ended as registers[n]. polls: what waits
        read something else before."""
        self.polls = polls
        threads = []
        for n, ops in enumerate(self.threads):
            events, self.bars = [], 0
            for op in ops:
                self.happened(n, op, registers[n], events)
            threads.append(events)
        return Run([b for b, _ in self.places], threads)

    def happened(self, n, op, regs, out):
        value = op.value
        if isinstance(value, tuple):
            value = (regs[value[1]] + value[2]) & 0xffffffff
        if op.kind == "fence":
            scope = {"gl": "gpu"}.get(op.scope, op.scope)
            out.append(Event(n, "F", sem="sc" if op.sem == "membar" else op.sem, scope=scope))
        elif op.kind == "bar":
            out += [Event(n, kind, sem="bar", barrier=self.bars) for kind in "AL"]
            self.bars += 1
        elif op.kind == "if":
            for inner in op.ops if regs[op.reg] == op.value else ():
                self.happened(n, inner, regs, out)
        elif op.kind == "st":
            out.append(Event(n, "W", op.loc, op.sem, op.scope, value=value))
        elif op.kind in ("ld", "await"):
            if self.polls and op.kind == "await":
                out.append(Event(n, "R", op.loc, op.sem, op.scope))
            out.append(Event(n, "R", op.loc, op.sem, op.scope, read=regs[op.reg]))
        elif op.kind == "red":
            out.append(Event(n, "U", op.loc, op.sem, op.scope, add=value, reads=False))
        else:
            old = regs[op.reg]
            if self.polls and op.kind == "lock":
                out.append(Event(n, "R", op.loc, op.sem, op.scope))
            new = {"add": lambda: (old + value) & 0xffffffff, "exch": lambda: value, "lock": lambda: 1}[op.kind]()
            out.append(Event(n, "U", op.loc, op.sem, op.scope, value=new, read=old))


# -- programs ------------------------------------------------------------------------------------------

class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)

    def pick(self, *some):
        """In an even program all strong accesses are alike: none is volatile, or narrow."""
        return self.r.choice([x for x in some if not (self.even and x in ("volatile", "cta", "cluster"))])

    def scope(self):
        return self.pick("cta", "cta", "cluster", "gpu", "gpu", "gpu", "sys")

    def places(self, count):
        """Threads in one block, each in its own, or mixed; no two in one warp."""
        how = self.r.random()
        if how < 0.35:
            blocks = [0] * count
        elif how < 0.7:
            blocks = list(range(count))
            self.r.shuffle(blocks)
        else:
            blocks = [self.r.randrange(2) for _ in range(count)]
        used, out = {}, []
        for b in blocks:
            out.append((b, used.get(b, 0)))
            used[b] = used.get(b, 0) + 1
        low = min(b for b, _ in out)
        return [(b - low, w) for b, w in out]

    def fence(self, often=0.75):
        if self.r.random() > often:
            return []
        sem = self.pick("sc", "acq_rel", "acq_rel", "membar", "membar", "acquire", "release")
        scope = self.pick("cta", "gl", "gl", "sys") if sem == "membar" else self.scope()
        return [Op("fence", sem=sem, scope=scope)]

    def store(self, loc, value, sems=("weak", "relaxed", "release", "volatile")):
        sem = self.pick(*sems)
        return Op("st", loc, value, sem, "" if sem in ("weak", "volatile") else self.scope())

    def load(self, loc, reg, sems=("weak", "relaxed", "acquire", "volatile")):
        sem = self.pick(*sems)
        return Op("ld", loc, None, sem, "" if sem in ("weak", "volatile") else self.scope(), reg)

    def atomic(self, kind, loc, reg, value=None):
        sem = self.pick("relaxed", "relaxed", "relaxed", "acquire", "release", "acq_rel")
        if kind == "red":
            return Op("red", loc, value, self.pick("relaxed", "relaxed", "release"), self.scope())
        return Op(kind, loc, value, sem, self.scope(), reg)

    def set_flag(self, loc, value, reg=7):
        if self.r.random() < 0.25:
            return self.atomic("exch", loc, reg, value)
        return self.store(loc, value, ("relaxed", "relaxed", "release", "volatile"))

    def wait(self, loc, value, reg):
        op = self.load(loc, reg, ("relaxed", "relaxed", "acquire", "volatile"))
        op.kind, op.value = "await", value
        return op

    def data(self, loc, value, reg):
        """An access of data: mostly plain."""
        if self.r.random() < 0.5:
            return self.store(loc, value, ("weak", "weak", "weak", "relaxed", "volatile"))
        return self.load(loc, reg, ("weak", "weak", "weak", "relaxed", "volatile"))

    def write(self, loc, value):
        return self.store(loc, value, ("weak", "weak", "weak", "weak", "relaxed", "volatile"))

    # each: (threads' operations, the number of locations)

    def message(self):
        x, y = 0, 1
        give = [self.write(x, 1)] + self.fence() + [self.set_flag(y, 1)]
        if self.r.random() < 0.7:
            take = [self.wait(y, 1, 0)] + self.fence() + [self.data(x, 2, 1)]
        else:
            flag = self.load(y, 0, ("relaxed", "acquire", "volatile"))
            take = [flag] + self.fence() + [Op("if", reg=0, value=1, ops=[self.data(x, 2, 1)])]
        return [give, take]

    def message_back(self):
        """The flag is set back."""
        give, take = self.message()
        take.append(self.store(1, 0, ("weak", "relaxed", "volatile")))
        return [give, take]

    def chain(self):
        """A message by way of a third thread."""
        x, y, z = 0, 1, 2
        give = [self.write(x, 1)] + self.fence() + [self.set_flag(y, 1)]
        hop = self.fence(0.2) + [self.wait(y, 1, 0)] + self.fence() + [self.set_flag(z, 1)]
        take = [self.wait(z, 1, 0)] + self.fence() + [self.data(x, 2, 1)]
        return [give, hop, take]

    def atomics_chain(self):
        """Atomic operations of others on the flag between setting and reading it."""
        x, y = 0, 1
        give = [self.write(x, 1)] + self.fence() + [self.set_flag(y, 1)]
        hop = [self.wait(y, 1, 0)] + [self.atomic(self.pick("add", "red"), y, 1, 1)]
        take = [self.wait(y, 2, 0)] + self.fence() + [self.data(x, 2, 1)]
        return [give, hop, take]

    def counter(self):
        """The last one to come reads what all have written."""
        count, threads = self.pick(2, 3), []
        for n in range(count):
            ops = [self.write(n, n + 1)] + self.fence() + [self.atomic("add", 3, 0, 1)] + self.fence()
            ops.append(Op("if", reg=0, value=count - 1,
                          ops=[self.load(k, 1 + k, ("weak", "weak", "relaxed", "volatile")) for k in range(count)]))
            threads.append(ops)
        return threads

    def store_buffering(self):
        return [[self.store(n, 1)] + self.fence() + [self.load(1 - n, 0)] for n in range(2)]

    def load_buffering(self):
        return [[self.load(n, 0)] + self.fence() + [self.store(1 - n, 1)] for n in range(2)]

    def coherence(self):
        threads = []
        for n in range(self.pick(2, 2, 3)):
            ops = []
            for k in range(self.pick(1, 2, 3)):
                reg, value = k, 10 * n + k + 1
                ops.append(self.pick(self.store(0, value), self.load(0, reg), self.atomic("add", 0, reg, 100),
                                     self.atomic("exch", 0, reg, value), self.atomic("red", 0, reg, 100)))
                ops += self.fence(0.15)
            threads.append(ops)
        return threads

    def lock(self):
        threads = []
        kind = self.pick("weak", "weak", "weak", "volatile", "relaxed")
        scopes = self.pick((self.scope(),), (self.scope(), self.scope()))
        for n in range(self.pick(2, 2, 3)):
            scope, inner = self.pick(*scopes), "" if kind != "relaxed" else "gpu"
            take = self.atomic("lock", 1, 0)
            take.scope = scope
            give = self.pick(self.set_flag(1, 0), self.atomic("exch", 1, 7, 0))
            threads.append([take] + self.fence(0.85) +
                           [Op("ld", 0, None, kind, inner, 1), Op("st", 0, ("reg", 1, 1), kind, inner)] +
                           self.fence(0.85) + [give])
        return threads

    def two_locks(self):
        """Data under one lock or under two."""
        threads = []
        for n in range(2):
            lock = self.pick(1, 1, 2)
            threads.append([self.atomic("lock", lock, 0)] + self.fence(0.9) +
                           [Op("ld", 0, reg=1), Op("st", 0, ("reg", 1, 1))] + self.fence(0.9) +
                           [self.atomic("exch", lock, 7, 0)])
        return threads

    def dekker(self):
        threads = []
        for n in range(2):
            own, other = 1 + n, 2 - n
            threads.append([self.store(own, 1, ("relaxed", "volatile"))] + self.fence(0.9) +
                           [self.load(other, 0, ("relaxed", "acquire", "volatile"))] + self.fence(0.3) +
                           [Op("if", reg=0, value=0, ops=[Op("ld", 0, reg=1), Op("st", 0, ("reg", 1, n + 1))])])
        return threads

    def seqlock(self):
        data = self.pick("weak", "relaxed", "relaxed", "volatile")
        scope = "gpu" if data == "relaxed" else ""
        writer = ([self.set_flag(1, 1, 6)] + self.fence() + [Op("st", 0, 5, data, scope)] + self.fence() +
                  [self.set_flag(1, 2)])
        first, last = self.load(1, 0, ("relaxed", "acquire", "volatile")), self.load(1, 2, ("relaxed", "acquire"))
        body = [Op("ld", 0, None, data, scope, 1)] + self.fence() + [last]
        if self.r.random() < 0.5:
            first.kind, first.value = "await", 2
            return [writer, [first] + self.fence() + body]
        return [writer, [first] + self.fence() + [Op("if", reg=0, value=self.pick(0, 2), ops=body)]]

    def iriw(self):
        writers = [[self.store(n, 1)] for n in range(2)]
        readers = [[self.load(n, 0)] + self.fence() + [self.load(1 - n, 1)] for n in range(2)]
        return writers + readers

    def barrier(self):
        """Two threads of a block share a barrier before a flag is set, or behind reading it."""
        x, y = 0, 1
        self.grouped = True
        if self.r.random() < 0.5:
            return [[self.write(x, 1)] + self.fence(0.5) + [Op("bar")] + self.fence(0.2) + [self.data(2, 7, 2)],
                    self.fence(0.3) + [Op("bar")] + self.fence(0.4) + [self.set_flag(y, 1)],
                    [self.wait(y, 1, 0)] + self.fence() + [self.data(x, 2, 1)]]
        return [[self.wait(y, 1, 0)] + self.fence(0.4) + [Op("bar")] + self.fence(0.2),
                [Op("bar")] + self.fence(0.3) + [self.data(x, 2, 1)],
                [self.write(x, 1)] + self.fence() + [self.set_flag(y, 1)]]

    def soup(self):
        threads = []
        for n in range(self.pick(2, 2, 3)):
            ops = []
            for k in range(self.r.randrange(2, 5)):
                loc, value = self.r.randrange(2), 10 * n + k + 1
                ops.append(self.pick(self.store(loc, value), self.load(loc, k), self.load(loc, k),
                                     self.atomic("add", loc, k, 100), self.atomic("exch", loc, k, value)))
                ops += self.fence(0.3)
            threads.append(ops)
        return threads

    SHAPES = (message, message, message, message_back, chain, atomics_chain, counter, store_buffering,
              load_buffering, coherence, coherence, lock, lock, two_locks, dekker, seqlock, iriw, barrier,
              barrier, soup)

    def program(self, name):
        self.grouped, self.even = False, self.r.random() < 0.25
        shape = self.pick(*self.SHAPES)
        threads = shape(self)
        places = self.places(len(threads))
        if self.grouped:
            places = [(0, 0), (0, 1), self.pick((1, 0), (1, 0), (0, 2))]
            if self.r.random() < 0.5:
                places = [(1 - b, w) if places[2][0] else (b, w) for b, w in places]
            if places[2][0] == places[0][0]: # of the same block: it comes to the barrier, too
                waits = threads[2][0].kind == "await"
                threads[2].insert(0 if waits else len(threads[2]), Op("bar"))
        shared = set()
        if len({b for b, _ in places}) == 1:
            shared = {k for k in range(LOCATIONS) if self.r.random() < 0.3}
        p = Program(name, places, threads, shared)
        p.shape = shape.__name__
        return p


# -- running them --------------------------------------------------------------------------------------

def build(work):
    program = os.path.join(work, "litmus")
    subprocess.run([os.environ["LOCKSTEP"], "cc", os.path.join(here, "litmus.cu"), "-o", program, "-lcuda"],
                   check=True)
    return program


def check(driver, programs, work, workers="1"):
    """{name: kinds of findings}, {name: registers of each thread}"""
    listed, out = os.path.join(work, "list"), os.path.join(work, "out.json")
    with open(listed, "w") as f:
        for p in programs:
            text = p.ptx()
            f.write(f"{p.name} {p.blocks} {32 * p.warps} {len(text)}\n{text}")
    done = subprocess.run([os.environ["LOCKSTEP"], "check", "--workers", workers, "--only", "race", "--json=" + out,
                           driver, listed], capture_output=True, text=True)
    registers = {}
    for line in done.stdout.splitlines():
        words = line.split()
        if words and words[0] == "ran":
            values = list(map(int, words[2:]))
            registers[words[1]] = [values[k:k + REGISTERS] for k in range(0, len(values), REGISTERS)]
    missing = [p.name for p in programs if p.name not in registers]
    if missing:
        sys.exit(f"did not run: {missing[:5]}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    kinds = {}
    with open(out) as f:
        for finding in json.load(f)["findings"]:
            kinds.setdefault(finding["kernel"], []).append(finding)
    return kinds, registers


KINDS = ("race", "volatile-race")


class Outcome:
    """What check and the model say of a program. wrong: texts of disagreements; alone: kinds that check
    reports and of which fence.sc alone, whose order it does not follow, clears the program."""

    def __init__(self, p, findings, registers):
        self.program, self.registers, self.findings = p, registers, findings
        run = p.run(registers)
        self.verdicts = run.verdicts()
        said = {("race" if f["kind"] in ("global-race", "shared-race") else f["kind"]) for f in findings}
        self.race, self.loose = (any(v[n] for v in self.verdicts) for n in (0, 1))
        self.wrong, self.alone = [], []
        if not self.verdicts:
            self.wrong.append("the model knows no execution with this outcome")
        for n, kind in enumerate(KINDS):
            if kind in said and not any(v[n] for v in self.verdicts) and not self.elsewhere(n):
                if any(v[n] for v in run.verdicts(fences=False)):
                    self.alone.append(kind)
                else:
                    self.wrong.append(f"{kind}: check reports it, the model does not")
            elif kind not in said and self.verdicts and all(v[n] for v in self.verdicts):
                pair = self.verdicts[0][n]
                # of several writes to a volatile word check keeps the last, and one more; of two races one
                if n == 0 or not (self.race or not run.alone(*pair)):
                    self.wrong.append("%s: check is silent, the model reports %s" % (kind, " and ".join(
                        f"{e.kind} {'xyzw'[e.loc]} of thread {e.thread}" for e in pair)))

    def elsewhere(self, n):
        """In another run of the program; in this one when it waited longer."""
        p = self.program
        return (any(v[n] for v in p.run(self.registers, polls=True).verdicts()) or
                any(v[n] for o in p.outcomes() for v in p.run(o, polls=True).verdicts()))


def study(count, seed, batch=250, only=None, show=False, workers="1"):
    """Disagreements; prints what was done."""
    maker, all_programs = Maker(seed), []
    for k in range(count if only is None else only + 1):
        all_programs.append(maker.program(f"p{k}"))
    if only is not None:
        all_programs = all_programs[-1:]
    bad, tally = [], {}
    with tempfile.TemporaryDirectory() as work:
        driver = build(work)
        for at in range(0, len(all_programs), batch):
            some = all_programs[at:at + batch]
            findings, registers = check(driver, some, work, workers)
            for p in some:
                o = Outcome(p, findings.get(p.name, []), registers[p.name])
                row = tally.setdefault(p.shape, [0] * 5)
                for n, more in enumerate((True, o.race, o.loose, o.alone, o.wrong)):
                    row[n] += bool(more)
                if o.wrong or show:
                    bad.append(o)
    print("%-16s" % "shape" + "".join("%10s" % w for w in ("programs", "races", "volatile", "fence.sc", "differ")))
    for shape, row in sorted(tally.items()) + [("all", list(map(sum, zip(*tally.values()))))]:
        print("%-16s" % shape + "".join("%10d" % k for k in row))
    return bad


def main():
    ask = argparse.ArgumentParser()
    ask.add_argument("--count", type=int, default=5000)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--only", type=int)
    ask.add_argument("--show", action="store_true")
    ask.add_argument("--workers", default="1")
    words = ask.parse_args()
    bad = study(words.count, words.seed, only=words.only, show=words.show, workers=words.workers)
    for o in bad[:20]:
        print(o.program.text(), o.registers, *o.wrong, sep="\n    ")
        for f in o.findings:
            print("    said:", f["kind"], f["message"], f["missing"])
        if words.show:
            print(o.program.ptx())
    sys.exit(1 if any(o.wrong for o in bad) else 0)


if __name__ == "__main__":
    main()
