#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs of conditions (versions/if_convert.c): random ones, whose taps write what others read, before them and behind them, load
and store each thread's own words; and taps that load from one of two places, where an index has wrapped."""
import random
import struct
import sys

from ptx_cases import case, check_all

THREADS, REGISTERS, WORDS = 96, 6, 4
MASK = 0xFFFFFFFF


class Program:
    """A kernel in PTX and what it does for one thread, made together."""

    def __init__(self, rng):
        self.rng = rng
        self.text = []
        self.steps = []  # functions of a thread's state

    def emit(self, text, step):
        self.text.append("    " + text)
        self.steps.append(step)

    def compute(self, guard=None):
        """One instruction that only computes, into a register that others may write as well."""
        r = self.rng
        to, a = r.randrange(REGISTERS), r.randrange(REGISTERS)
        b = r.choice([r.randrange(REGISTERS), None])
        imm = r.choice([0, 1, 2, 5, 31, 0x7FFFFFFF])
        name, how = r.choice([("add.u32", lambda x, y: x + y), ("sub.u32", lambda x, y: x - y),
                              ("xor.b32", lambda x, y: x ^ y), ("mul.lo.u32", lambda x, y: x * y)])
        source = f"%x{b}" if b is not None else str(imm)

        def step(s):
            if guard is None or s["p"][guard]:
                s["x"][to] = how(s["x"][a], s["x"][b] if b is not None else imm) & MASK
        prefix = f"@%p{guard} " if guard is not None else ""
        self.emit(f"{prefix}{name} %x{to}, %x{a}, {source};", step)

    def memory(self):
        k, r, load = self.rng.randrange(WORDS), self.rng.randrange(REGISTERS), self.rng.random() < 0.5

        def step(s):
            if load:
                s["x"][r] = s["m"][k]
            else:
                s["m"][k] = s["x"][r]
        self.emit(f"ld.global.u32 %x{r}, [%own+{4 * k}];" if load else f"st.global.u32 [%own+{4 * k}], %x{r};", step)

    def condition(self, p):
        """Of the thread's number mostly, which all lanes of some warps agree on; or of what is computed."""
        r = self.rng
        of = r.choice(["%t"] * 4 + [f"%x{r.randrange(REGISTERS)}"])
        limit = r.choice([0, 20, 32, 40, 64, 70, 200, 200, 200, 200])
        less = r.random() < 0.8

        def step(s):
            v = s["t"] if of == "%t" else s["x"][int(of[2:])]
            s["p"][p] = (v < limit) == less
        self.emit(f"setp.{'lt' if less else 'ge'}.u32 %p{p}, {of}, {limit};", step)
        if p and r.random() < 0.3:
            other = r.randrange(p)

            def both(s):
                s["p"][p] = s["p"][p] and s["p"][other]
            self.emit(f"and.pred %p{p}, %p{p}, %p{other};", both)

    def tap(self, p):
        body, negated = Program(self.rng), self.rng.random() < 0.5
        for _ in range(self.rng.randrange(1, 6)):
            self.rng.choice([body.compute, body.compute, body.memory])()
        if self.rng.random() < 0.2:
            body.compute(guard=self.rng.randrange(p + 1))
        where = f"L{id(body)}"
        self.text.append(f"    @{'!' if not negated else ''}%p{p} bra {where};")
        self.text += body.text + [f"{where}:"]

        def step(s):
            if s["p"][p] != negated:
                for f in body.steps:
                    f(s)
        self.steps.append(step)


def make(seed):
    rng = random.Random(seed)
    program, taps = Program(rng), rng.randrange(2, 7)
    early = [rng.random() < 0.5 for _ in range(taps)]
    for p in range(taps):
        if early[p]:
            program.condition(p)
    for p in range(taps):
        if not early[p]:
            program.condition(p)
        if rng.random() < 0.5:
            program.compute()
        program.tap(p)
    return program, taps


def random_runs():
    order = list(range(THREADS))
    random.Random(1).shuffle(order)
    for seed in range(40):
        program, taps = make(seed)
        words = [[(t * 77 + k * 13 + seed) & MASK for k in range(WORDS)] for t in range(THREADS)]
        registers = "".join(f".reg .u32 %x{r}; " for r in range(REGISTERS))
        registers += "".join(f".reg .pred %p{p}; " for p in range(taps))
        body = f"""
    {registers} .reg .u64 %g, %own; .reg .u32 %n, %turn; .reg .pred %more;
    mul.wide.u32 %g, %t, 4; add.u64 %g, %g, %i1; ld.global.u32 %n, [%g];
    mul.wide.u32 %g, %n, {4 * (WORDS + REGISTERS)}; add.u64 %own, %g, %o;
    mul.wide.u32 %g, %n, {4 * WORDS}; add.u64 %g, %g, %i2;
"""
        for k in range(WORDS):
            body += f"    ld.global.u32 %n, [%g+{4 * k}]; st.global.u32 [%own+{4 * k}], %n;\n"
        for r in range(REGISTERS):
            body += f"    mad.lo.u32 %x{r}, %t, {r % 3}, {r * 5};\n"
        body += "    mov.u32 %turn, 0;\nAGAIN:\n" + "\n".join(program.text)
        body += "\n    add.u32 %turn, %turn, 1; setp.lt.u32 %more, %turn, 2;\n    @%more bra AGAIN;\n"
        for r in range(REGISTERS):
            body += f"    st.global.u32 [%own+{4 * (WORDS + r)}], %x{r};\n"
        inputs = [struct.pack(f"<{THREADS}I", *order), b"".join(struct.pack(f"<{WORDS}I", *w) for w in words)]
        got = case(body, 4 * THREADS * (WORDS + REGISTERS), inputs, block=str(THREADS))
        for t in range(THREADS):
            state = {"t": t, "x": [(t * (r % 3) + r * 5) & MASK for r in range(REGISTERS)], "p": [False] * taps,
                     "m": list(words[order[t]])}
            for _ in range(2):
                for step in program.steps:
                    step(state)
            at = order[t] * 4 * (WORDS + REGISTERS)
            have = struct.unpack_from(f"<{WORDS + REGISTERS}I", got, at)
            assert list(have) == state["m"] + state["x"], f"seed {seed}, thread {t}: {have}, not {state}"


def wrapped_taps():
    """Lanes below `middle` load from the first array, at an index that has wrapped; the others from the second."""
    order = list(range(THREADS))
    random.Random(2).shuffle(order)
    low, high = [3 * k + 1 for k in range(THREADS + 8)], [1000 + 7 * k for k in range(THREADS + 8)]
    for middle in (0, 1, 16, 20, 32, 50, 64, 95):
        for limit in (10, 64, 90, 1000):
            body = f"""
    .reg .u64 %g, %h, %a, %b, %own; .reg .u32 %n, %x, %v, %sum, %u, %m; .reg .pred %p0, %p1, %p2, %q;
    mul.wide.u32 %g, %t, 4; add.u64 %h, %g, %i1; ld.global.u32 %n, [%h];
    mul.wide.u32 %g, %n, 4; add.u64 %own, %g, %o; mov.u32 %sum, 0;
    add.u64 %a, %i3, 0; ld.global.u32 %m, [%a]; add.u64 %a, %i3, 4; ld.global.u32 %n, [%a];
    neg.s32 %x, %m; mul.wide.u32 %g, %x, 4; sub.u64 %h, %i2, %g;
    setp.eq.u32 %q, %m, 0; selp.b64 %h, %i2, %h, %q;
"""
            for k in range(3):
                body += f"    add.u32 %v, %t, {k}; setp.lt.u32 %p{k}, %v, %n;\n"
            for k in range(3):
                body += f"""
    @!%p{k} bra L{k};
    sub.u32 %x, %t, %m; add.u32 %x, %x, {k}; mul.wide.u32 %g, %x, 4; add.u64 %a, %h, %g; add.u64 %b, %i2, %g;
    add.u64 %b, %b, {4 * (THREADS + 8)}; add.u32 %v, %t, {k}; setp.lt.u32 %q, %v, %m; selp.b64 %a, %a, %b, %q;
    ld.global.u32 %u, [%a]; mad.lo.u32 %sum, %sum, 3, %u;
L{k}:
"""
            body += "    st.global.u32 [%own], %sum;\n"
            inputs = [struct.pack(f"<{THREADS}I", *order), struct.pack(f"<{2 * THREADS + 16}I", *low, *high),
                      struct.pack("<2I", middle, limit)]
            got = struct.unpack(f"<{THREADS}I", case(body, 4 * THREADS, inputs, block=str(THREADS)))
            for t in range(THREADS):
                want = 0
                for k in range(3):
                    if t + k < limit:
                        want = want * 3 + (low[t + k] if t + k < middle else high[t + k - middle])
                assert got[order[t]] == want & MASK, f"middle {middle}, limit {limit}, thread {t}: {got[order[t]]}, {want}"


def moved_pointer():
    """A tap loads by a pointer that is set anew before the next condition: not before the load."""
    words = [(k * 2654435761) & MASK for k in range(THREADS + 160)]
    for limit in (0, 40, 64, 97, 1000):
        body = f"""
    .reg .u64 %g, %own, %a, %b; .reg .u32 %x, %v, %sum, %turn; .reg .pred %p0, %p1, %p2, %more;
    mul.wide.u32 %g, %t, 4; add.u64 %own, %g, %o; add.u64 %a, %g, %i1; add.u64 %b, %a, 256;
    mov.u32 %sum, 0; mov.u32 %turn, 0;
AGAIN:
    add.u32 %v, %t, %turn;
    setp.ge.u32 %p0, %v, {limit};
    @%p0 bra L0;
    ld.global.u32 %x, [%a]; mad.lo.u32 %sum, %sum, 3, %x;
L0:
    add.u64 %a, %b, 8; add.u32 %x, %v, 1; setp.ge.u32 %p1, %x, {limit};
    @%p1 bra L1;
    ld.global.u32 %x, [%a]; mad.lo.u32 %sum, %sum, 5, %x;
L1:
    add.u32 %x, %v, 2; setp.ge.u32 %p2, %x, {limit};
    @%p2 bra L2;
    ld.global.u32 %x, [%b]; mad.lo.u32 %sum, %sum, 7, %x;
L2:
    add.u64 %b, %b, 16; add.u32 %turn, %turn, 1; setp.lt.u32 %more, %turn, 4;
    @%more bra AGAIN;
    st.global.u32 [%own], %sum;
"""
        inputs = [struct.pack(f"<{len(words)}I", *words)]
        got = struct.unpack(f"<{THREADS}I", case(body, 4 * THREADS, inputs, block=str(THREADS)))
        for t in range(THREADS):
            want, a, b = 0, t, t + 64
            for turn in range(4):
                want = want * 3 + words[a] if t + turn < limit else want
                a = b + 2
                want = want * 5 + words[a] if t + turn + 1 < limit else want
                want = want * 7 + words[b] if t + turn + 2 < limit else want
                b += 4
            assert got[t] == want & MASK, f"limit {limit}, thread {t}: {got[t]}, not {want & MASK}"


sys.exit(check_all([random_runs, wrapped_taps, moved_pointer]))
