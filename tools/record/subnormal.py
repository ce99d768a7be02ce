#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""subnormal.py > tests/data/<gpu>_subnormal.csv: what the functions of triton.language.extra.libdevice give for subnormal
arguments, and where their results are subnormal; on a machine with a GPU, torch and Triton itself. Rows are thinned to
some 60 a function; names are those that the functions have in PTX, without "__nv_"."""

import inspect
import itertools
import os
import re
import sys
import tempfile

import numpy as np
import torch
import triton
from triton.language.extra import libdevice

SMALLEST = 1.1754943508222875e-38
BASE = np.array([0, -0.0, SMALLEST, 2e-38, 1, -1, 0.5, -2.5, 3, 100, -127, -140.3, -88.3, 9.8, 3e38, -1e30, np.inf,
                 -np.inf, np.nan, 1e-30, -1e-20, 1e-40, -1e-40, 1e-45, -1.1754942e-38, 5e-39], "float32")
KERNEL = """
@triton.jit
def {name}({parameters}, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, libdevice.{name}({loads}), mask=i < n)
"""


def operands(count, random):
    if count == 1:
        return (np.concatenate([BASE, random.uniform(-110, 110, 486).astype("float32")]), )
    pairs = np.array(list(itertools.product(BASE, BASE)), "float32")
    if count == 2:
        return pairs[:, 0].copy(), pairs[:, 1].copy()
    some = pairs[random.integers(0, len(pairs), 2000)]
    return some[:, 0].copy(), some[:, 1].copy(), BASE[random.integers(0, len(BASE), 2000)].copy()


def functions():
    for name in sorted(dir(libdevice)):
        function = getattr(getattr(libdevice, name), "fn", getattr(libdevice, name))
        if not name.startswith("_") and inspect.isfunction(function):
            count = len([p for p in inspect.signature(function).parameters if not p.startswith("_")])
            if count in (1, 2, 3):
                yield name, count


def ptx_name(name):
    rounded = re.match(r"(add|sub|mul|div|rcp|sqrt|rsqrt)_(r[nzdu])$", name)
    if rounded:
        return f"f{rounded[1]}_{rounded[2]}"
    if name.startswith("fma_"):
        return "fmaf_" + name[4:]
    if name.startswith(("float2", "float_as", "fast_")) or name in ("saturatef", "finitef"):
        return name.replace("fast_dividef", "fast_fdividef")
    return {"abs": "fabsf", "isinf": "isinff", "isnan": "isnanf", "signbit": "signbitf"}.get(name, name + "f")


def compiled(names):
    path = os.path.join(tempfile.mkdtemp(), "recorded_kernels.py")
    with open(path, "w") as file:
        file.write("import triton, triton.language as tl\nfrom triton.language.extra import libdevice\n")
        for name, count in names:
            file.write(KERNEL.format(name=name, parameters=", ".join("abc"[:count]),
                                     loads=", ".join(f"tl.load({p} + i, mask=i < n)" for p in "abc"[:count])))
    sys.path.insert(0, os.path.dirname(path))
    import recorded_kernels
    return recorded_kernels


def subnormal(values):
    return (np.abs(values) < SMALLEST) & (values != 0)


def rows(name, arguments, result):
    picked = subnormal(result)
    for a in arguments:
        picked |= subnormal(a)
    picked = np.where(picked)[0]
    seen = set()
    for k in picked[::max(1, len(picked) // 40) if len(arguments) > 1 else 1][:60]:
        numbers = tuple(float(a[k]).hex() for a in arguments)
        if numbers not in seen:
            seen.add(numbers)
            yield [ptx_name(name), *numbers, *[""] * (3 - len(numbers)), float(result[k]).hex()]


def main():
    random = np.random.default_rng(7)
    given = {count: operands(count, random) for count in (1, 2, 3)}
    names = list(functions())
    kernels = compiled(names)
    print("function,x,y,z,result")
    for name, count in names:
        out = torch.zeros(len(given[count][0]), dtype=torch.float64, device="cuda")
        try:
            getattr(kernels, name)[(triton.cdiv(len(out), 256), )](*[torch.from_numpy(a).cuda() for a in given[count]],
                                                                    out, len(out), BLOCK=256)
        except triton.compiler.errors.CompilationError:
            continue  # not a function of floats
        for row in rows(name, given[count], out.cpu().numpy()):
            print(",".join(row))


main()
