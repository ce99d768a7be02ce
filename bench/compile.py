#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What compiling a kernel costs: processor seconds and peak memory against the size of its text.

    bench/compile.py [--lockstep FILE]... [--sizes 1,4,16,...] [--limit SECONDS] [--markdown] [FILE.ptx:KERNEL:BLOCK ...]

Kernels are written here, of about as many KiB as --sizes says: scans of a block, unrolled one after the other (18
barriers each); a search with a shuffle in divergent code, again and again; sums without a branch. Each is compiled by
each command as `launch --dump-stage asm` does, in a process of its own, so that nothing comes from a cache. Not a
test: times depend on the machine. Several --lockstep stand side by side, as before and after a change."""
import argparse
import math
import os
import subprocess
import sys
import tempfile

HEAD = (".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".shared .align 4 .b8 s[1024];\n.reg .b64 %rd<8>; .reg .b32 %r<{r}>; .reg .pred %p<{p}>; .reg .f32 %f<{r}>;\n"
        "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
        "shl.b32 %r3, %r1, 2;\nmov.u32 %r4, s;\nadd.u32 %r5, %r4, %r3;\nld.global.u32 %r6, [%rd3];\n")
TAIL = "st.global.u32 [%rd3], %r6;\nret;\n}\n"


def scans(n):
    out, r, p = [], 16, 0
    for k in range(n):
        out.append("st.shared.u32 [%r5], %r6;\nbar.sync 0;")
        for d in (1, 2, 4, 8, 16, 32, 64, 128):
            out.append(f"mov.u32 %r{r}, 0;\nsetp.lt.u32 %p{p}, %r1, {d};\n@%p{p} bra L{p};\n"
                       f"ld.shared.u32 %r{r}, [%r5+-{4 * d}];\nL{p}:\nbar.sync 0;\nld.shared.u32 %r{r + 1}, [%r5];\n"
                       f"add.u32 %r{r + 2}, %r{r + 1}, %r{r};\nst.shared.u32 [%r5], %r{r + 2};\nbar.sync 0;")
            r, p = r + 3, p + 1
        out.append(f"ld.shared.u32 %r{r}, [%r5];\nxor.b32 %r6, %r{r}, {k + 3};\nbar.sync 0;")
        r += 1
    return out, r, p


def searches(n):
    out, r, p = [], 16, 0
    for k in range(n):
        out.append(f"setp.lt.u32 %p{p}, %r6, {100 + k};\n@%p{p} bra A{k};\n"
                   f"B{k}:\nshr.u32 %r6, %r6, 1;\nadd.u32 %r6, %r6, %r1;\nsetp.gt.u32 %p{p + 1}, %r6, {1000 + k};\n"
                   f"@%p{p + 1} bra B{k};\nshfl.sync.bfly.b32 %r{r}, %r6, 1, 31, -1;\nadd.u32 %r6, %r6, %r{r};\nbra C{k};\n"
                   f"A{k}:\nmul.lo.u32 %r{r + 1}, %r6, 3;\nadd.u32 %r6, %r{r + 1}, {k};\nC{k}:")
        r, p = r + 2, p + 2
    return out, r, p


def sums(n):
    out, r = [], 16
    for k in range(10 * n):
        out.append(f"mad.lo.u32 %r{r}, %r6, {2 * k + 3}, %r1;\nxor.b32 %r6, %r{r}, %r5;")
        r += 1
    return out, r, 1


KINDS = {"scans": scans, "searches": searches, "sums": sums}


def text_of(kind, n):
    body, r, p = KINDS[kind](n)
    return HEAD.replace("{r}", str(r + 8)).replace("{p}", str(p + 2)) + "\n".join(body) + "\n" + TAIL


def text_of_size(kind, kib):
    """(n, text) with the n whose text is nearest to kib KiB; a text grows nearly in proportion to n."""
    n = 1
    for _ in range(4):
        n = max(1, round(n * kib * 1024 / len(text_of(kind, n))))
    return n, text_of(kind, n)


def sizes(text):
    return [float(kib) for kib in text.split(",")]


def cost(command, limit):
    """(processor seconds, MiB), or None: stopped, or failed with its message on stderr."""
    with open(os.devnull, "wb") as nowhere, tempfile.TemporaryFile() as said:
        child = subprocess.Popen(["timeout", str(limit), *command], stdout=nowhere, stderr=said)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 124):
            said.seek(0)
            sys.exit(f"{' '.join(command)}: {said.read().decode(errors='replace')}")
        return None if child.returncode else (usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def measure(lockstep, path, kernel, block, limit):
    start = ["launch", path, "--kernel", kernel, "--block", block, "--dump-stage"]
    return cost([lockstep, *start, "asm"], limit)


def panel(left, title, unit, scale, column, curves):
    """One plot of column `column` of the points against their KiB, both by their logarithms, at x = left."""
    low, high, bottom, top = 0.5, 2000, scale[0], scale[-1]
    x = lambda v: left + 60 + 300 * math.log(v / low) / math.log(high / low)
    y = lambda v: 300 - 250 * math.log(v / bottom) / math.log(top / bottom)
    out = [f'<text x="{left + 60}" y="30" font-weight="bold">{title}</text>',
           f'<rect x="{left + 60}" y="50" width="300" height="250" fill="none" stroke="#888"/>']
    for v in scale:
        out.append(f'<text x="{left + 54}" y="{y(v) + 4:.0f}" text-anchor="end">{v:g} {unit}</text>'
                   f'<path d="M{left + 60} {y(v):.0f}h300" stroke="#ddd"/>')
    for v in (1, 10, 100, 1000):
        out.append(f'<text x="{x(v):.0f}" y="318" text-anchor="middle">{v} KiB</text>'
                   f'<path d="M{x(v):.0f} 50v250" stroke="#ddd"/>')
    kinds = sorted({name.split(",")[0] for name, _ in curves})
    for k, (name, points) in enumerate(curves):
        colour = ("#c33", "#26c", "#282", "#a60")[kinds.index(name.split(",")[0]) % 4]
        dash = ' stroke-dasharray="5 4"' if "before" in name else ""
        at = [(x(p[0]), y(p[column])) for p in points]
        out.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2"{dash} points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in at)}"/>'
                   + "".join(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in at)
                   + f'<text x="{left + 68}" y="{68 + 16 * k}" fill="{colour}">{name}</text>')
    return out


def draw(path, curves):
    order = sorted(curves.items())
    with open(path, "w", encoding="ascii") as f:
        f.write("\n".join(['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 330" font-family="sans-serif" font-size="12">',
                           '<rect width="800" height="330" fill="#fff"/>',
                           *panel(0, "processor seconds by KiB of PTX", "s", (0.01, 0.1, 1, 10, 100), 1, order),
                           *panel(400, "peak memory by KiB of PTX", "MiB", (10, 100, 1000, 10000), 2, order),
                           "</svg>", ""]))


def main():
    a = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    a.add_argument("--lockstep", action="append", metavar="FILE", help="the command (build/lockstep)")
    a.add_argument("--sizes", type=sizes, default="1,4,16,64,256,1024", help="KiB of the kernels written here")
    a.add_argument("--limit", type=float, default=60, help="seconds on the clock for one kernel (60)")
    a.add_argument("--markdown", action="store_true")
    a.add_argument("--svg", metavar="FILE", help="draw seconds and memory against KiB; of two commands the first as before, dashed")
    a.add_argument("kernel", nargs="*", help="FILE.ptx:KERNEL:BLOCK, beside those written here")
    o = a.parse_args()
    commands = o.lockstep or ["build/lockstep"]
    rows = []
    with tempfile.TemporaryDirectory() as work:
        for kind in KINDS:
            for kib in o.sizes:
                n, text = text_of_size(kind, kib)
                path = os.path.join(work, f"{kind}{n}.ptx")
                with open(path, "w", encoding="ascii") as f:
                    f.write(text)
                rows.append((f"{kind} {n}", text, path, "k", "256"))
        for name in o.kernel:
            path, kernel, block = name.rsplit(":", 2)
            with open(path, encoding="utf-8", errors="replace") as f:
                rows.append((kernel[:40], f.read(), path, kernel, block))
        head = ["kernel", "KiB", "lines", "barriers"] + [f"{what}" for _ in commands for what in ("seconds", "MiB")]
        line = (lambda c: "| " + " | ".join(c) + " |") if o.markdown else (lambda c: "  ".join(f"{x:>12}" for x in c))
        print(line(head))
        if o.markdown:
            print("|" + " --- |" * len(head))
        curves = {}
        for name, text, path, kernel, block in rows:
            cells = [name, f"{len(text) / 1024:.1f}", str(text.count("\n")), str(text.count("bar.sync"))]
            for k, command in enumerate(commands):
                got = measure(command, path, kernel, block, o.limit)
                if got:
                    before = ", before" if k + 1 < len(commands) else ""
                    curves.setdefault(name.split()[0] + before, []).append((len(text) / 1024, *got))
                cells += [f"{got[0]:.2f}", f"{got[1]:.0f}"] if got else [f"over {o.limit:g}", ""]
            print(line(cells), flush=True)
    if o.svg:
        draw(o.svg, curves)


if __name__ == "__main__":
    main()
