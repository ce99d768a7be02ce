#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every instruction form of tools/record/instructions.py on lockstep, against the results that a real
GPU gave (tests/data/*_instructions.xz). Prints a table by instruction: forms, cases, how many results
are equal bit for bit, the largest error of the approximations. Without recorded data it only sees to
it that all forms run, and is skipped."""
import math
import os
import struct
import sys
import tempfile
from pathlib import Path

source = Path(os.environ.get("SOURCE_DIR", Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(source / "tools/record"))
sys.path.insert(0, str(source / "tests/common"))
import instructions as rec # noqa: E402
import launching # noqa: E402

SKIP = 77
GROUP = 24


# -- running -------------------------------------------------------------------------------------------

def launch(some, folder):
    """Results of several forms: [form][operand][case], or None with the message."""
    size = 8 * rec.CASES * sum(len(f.outs) for f in some)
    raw, message = launching.launch(folder, rec.ptx_of(some), b"".join(rec.input_bytes(f) for f in some), size, rec.CASES)
    if raw is None:
        return None, message
    at, results = 0, []
    for f in some:
        columns = []
        for _ in f.outs:
            columns.append(struct.unpack_from(f"<{rec.CASES}Q", raw, at))
            at += 8 * rec.CASES
        results.append(columns)
    return results, ""


def run_all(forms, folder):
    """{name: columns}, {name: message}: a group that fails is tried form by form."""
    good, bad = {}, {}
    for first in range(0, len(forms), GROUP):
        some = forms[first:first + GROUP]
        results, _ = launch(some, folder)
        if results:
            good.update((f.name, r) for f, r in zip(some, results))
            continue
        for f in some:
            one, why = launch([f], folder)
            if one:
                good[f.name] = one[0]
            else:
                bad[f.name] = why
    return good, bad


# -- comparing -----------------------------------------------------------------------------------------

def number(bits, t):
    if t == "32":
        return struct.unpack("<f", struct.pack("<I", bits))[0]
    if t == "64":
        return struct.unpack("<d", struct.pack("<Q", bits))[0]
    if t == "f16":
        return struct.unpack("<e", struct.pack("<H", bits))[0]
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


def same_nan(a, b, t):
    if t.endswith("x2"):
        one = {"16x2": "16", "bfx2": "bf"}[t]
        return all(same_nan(a >> s & 0xffff, b >> s & 0xffff, one) for s in (0, 16))
    name = {"32": "32", "64": "64", "16": "f16", "bf": "bf16"}[t]
    return a == b or (math.isnan(number(a, name)) and math.isnan(number(b, name)))


def ordered(bits, width):
    """Floats in order, an integer apart from each other."""
    sign = 1 << (width - 1)
    return -(bits & (sign - 1)) if bits & sign else bits


def close(a, b, rule):
    """(within the bound, error) of two results of an approximation."""
    kind, *rest = rule.split(":")
    if kind.startswith("ulp"):
        width = kind[3:]
        if math.isnan(number(a, width)) or math.isnan(number(b, width)):
            return same_nan(a, b, width), 0
        error = abs(ordered(a, int(width)) - ordered(b, int(width)))
        return error <= float(rest[0]), error
    if kind == "abs32":
        x, y = number(a, "32"), number(b, "32")
        if not (math.isfinite(x) and math.isfinite(y)):
            return same_nan(a, b, "32"), 0
        return abs(x - y) <= float(rest[0]) + abs(y) * 2**-22, abs(x - y)
    t, bound = rest[0], float(rest[1])
    if t.endswith("x2"):
        parts = [close(a >> s & 0xffff, b >> s & 0xffff, f"rel:{t[:-2]}:{bound}") for s in (0, 16)]
        return all(p[0] for p in parts), max(p[1] for p in parts)
    x, y = number(a, t), number(b, t)
    if not (math.isfinite(x) and math.isfinite(y)):
        return a == b or (math.isnan(x) and math.isnan(y)), 0
    error = abs(x - y) / max(abs(y), 2.0**-14)
    return error <= bound, error


def compare(f, ours, theirs):
    """Cases, equal ones, wrong ones with the first of them, the largest error."""
    equal, wrong, worst, first = 0, 0, 0.0, None
    active = rec.inputs(f)[-1] if f.warp and f.ins.endswith("p") else [1] * rec.CASES
    cases = sum(1 for i in range(rec.CASES) if active[i])
    for i in range(rec.CASES):
        if not active[i]:
            continue
        good = all_equal = True
        for k in range(len(f.outs)):
            a, b = ours[k][i], theirs[k][i]
            if a == b:
                continue
            all_equal = False
            if f.compare.startswith("nan"):
                good &= same_nan(a, b, f.compare[3:])
            elif f.compare != "exact":
                within, error = close(a, b, f.compare)
                good &= within
                worst = max(worst, error)
            else:
                good = False
        equal += all_equal
        if not good:
            wrong += 1
            first = first if first is not None else i
    return cases, equal, wrong, worst, first


def describe(f, ours, theirs, i):
    x = ", ".join(f"{column[i]:#x}" for column in rec.inputs(f))
    a = ", ".join(f"{column[i]:#x}" for column in ours)
    b = ", ".join(f"{column[i]:#x}" for column in theirs)
    return f"    {f.text}({x}) = {a}, GPU: {b}"


def read_known():
    """Forms whose results are known to differ, each with its reason: tests/data/*_instructions_known.txt."""
    known = {}
    for path in (source / "tests/data").glob("*_instructions_known.txt"):
        for line in path.read_text().splitlines():
            name, _, reason = line.partition(" ")
            if name and not name.startswith("#"):
                known[name] = reason.strip()
    return known


def report(forms, good, bad, recorded):
    table, failures, refused = {}, [], 0
    known, met = read_known(), set()
    for f in forms:
        theirs = recorded.get(f.name)
        if theirs is None:
            refused += 1
            continue
        row = table.setdefault(f.text.split(".")[0].split(" ")[0], [0, 0, 0, 0, 0.0])
        row[0] += 1
        if f.name not in good:
            failures.append(f"    {f.text}: {bad[f.name]}")
            row[3] += 1
            continue
        cases, equal, wrong, worst, first = compare(f, good[f.name], theirs)
        row[1] += cases
        row[2] += equal
        row[3] += wrong > 0
        row[4] = max(row[4], worst)
        if wrong:
            met.add(f.name)
        if wrong and f.name in known:
            print(f"known: {f.name}: {known[f.name]} ({wrong} of {cases})")
        elif wrong:
            failures.append(f"{describe(f, good[f.name], theirs, first)} ({wrong} of {cases})")
    print(f"{'instruction':14}{'forms':>6}{'cases':>9}{'equal':>9}{'wrong forms':>12}  largest error")
    for name, (count, cases, equal, wrong, worst) in sorted(table.items()):
        print(f"{name:14}{count:6}{cases:9}{equal:9}{wrong:12}  {f'{worst:.3g}' if worst else ''}")
    total = [sum(row[k] for row in table.values()) for k in range(4)]
    print(f"{'all':14}{total[0]:6}{total[1]:9}{total[2]:9}{total[3]:12}")
    print(f"{refused} forms were refused by the GPU's compiler")
    failures += [f"    {name} is listed as different and is equal" for name in known if name not in met]
    print("\n".join(failures))
    return bool(failures)


def main():
    forms = rec.forms()
    data = sorted((source / "tests/data").glob("*_instructions.xz"))
    with tempfile.TemporaryDirectory() as folder:
        good, bad = run_all(forms, Path(folder))
    print(f"{len(good)} of {len(forms)} forms run")
    if not data:
        for name, why in bad.items():
            print(f"    {name}: {why}")
        return SKIP
    return report(forms, good, bad, rec.unpack(data[0]))


if __name__ == "__main__":
    sys.exit(main())
