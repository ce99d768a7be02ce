#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Powers whose exponent stands in the call: against exact fractions, in the accuracy that CUDA states (floats
4 ulp, here at most one; doubles 2), and what must not be taken for a number that is known."""
import math
import os
import random
import struct
import sys
from fractions import Fraction

from ptx_cases import case, check_all

random.seed(11)
# Without the pass the library's function is called, in the accuracy that CUDA states.
EXACT = not {"-whole-powers", "-all"} & set(os.environ.get("LOCKSTEP_JIT", "").split(","))
HEAD = """.extern .func (.param .b32 r) __nv_powif (.param .b32 a, .param .b32 b);
.extern .func (.param .b64 r) __nv_powi (.param .b64 a, .param .b32 b);
.extern .func (.param .b32 r) __nv_powf (.param .b32 a, .param .b32 b);
.extern .func (.param .b64 r) __nv_pow (.param .b64 a, .param .b64 b);"""
SPECIAL = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 2.0, -3.0, 0.1, -1e-20, 1e20, 1e-40, 3e38]
KINDS = {"f": ("b32", "<32f", 24, -149, 128), "d": ("b64", "<32d", 53, -1074, 1024)}


def exact(x, n, kind):
    """x^n as math.inf, nan, a signed zero, or a Fraction."""
    if n == 0:
        return Fraction(1)
    if math.isnan(x):
        return x
    odd = n % 2 and math.copysign(1, x) < 0
    if x == 0 or math.isinf(x):
        size = math.inf if (x == 0) == (n < 0) else 0.0
        return -size if odd else size
    return Fraction(x) ** n


def ulps(got, want, kind):
    """How many units of the last place apart; infinity where they are of different kinds."""
    _, _, digits, least, most = KINDS[kind]
    if isinstance(want, float):
        same = math.isnan(got) if math.isnan(want) else got == want and math.copysign(1, got) == math.copysign(1, want)
        return 0 if same else math.inf
    if math.isnan(got):
        return math.inf
    if math.isinf(got):
        return 0 if abs(want) >= Fraction(2) ** most * (1 - Fraction(1, 2 ** (digits + 1))) and (got > 0) == (want > 0) else math.inf
    size = abs(want)
    e = size.numerator.bit_length() - size.denominator.bit_length()
    e -= size < Fraction(2) ** e
    return float(abs(Fraction(got) - want) / Fraction(2) ** max(e - digits + 1, least))


def numbers(kind):
    wide = 300 if kind == "d" else 38
    more = [random.choice((-1, 1)) * 10 ** random.uniform(-wide / 8, wide / 8) for _ in range(26)]
    more += [10.0 ** -random.uniform(wide / 3, wide) for _ in range(24)]
    return struct.unpack("<64" + kind, struct.pack("<64" + kind, *(SPECIAL + more)))


def call(name, kind, exponent, setup=""):
    """The call for 64 numbers, 32 at a time, in lanes, and for the first of them the same in all lanes."""
    bits = KINDS[kind][0]
    size, second = (4 if kind == "f" else 8), "b64" if name == "__nv_pow" else "b32"
    text = f".reg .{bits} %x; .reg .{second} %n; .reg .u64 %g, %h; .reg .pred %p;\n"
    for turn in range(3):
        index = "0" if turn == 2 else "%t"
        text += f"""mul.wide.u32 %g, %t, {size}; add.u64 %g, %g, %o; cvt.u64.u32 %h, {index};
            mad.lo.u64 %h, %h, {size}, %i1; ld.global.{bits} %x, [%h+{turn % 2 * 32 * size}]; {setup}
            {{ .param .{bits} a; st.param.{bits} [a], %x; .param .{second} b; st.param.{second} [b], {exponent};
            .param .{bits} r; call (r), {name}, (a, b); ld.param.{bits} %x, [r]; }}
            st.global.{bits} [%g+{turn * 32 * size}], %x;\n"""
    return text


def compare(name, kind, exponent, value_of, bound, setup=""):
    xs = numbers(kind)
    out = case(call(name, kind, exponent, setup), 96 * (4 if kind == "f" else 8), [struct.pack("<64" + kind, *xs)], head=HEAD)
    got = struct.unpack("<96" + kind, out)
    worst = 0
    for k, (g, x) in enumerate(zip(got, [*xs, *[xs[0]] * 32])):
        n = value_of(k % 32)
        error = ulps(g, exact(x, n, kind), kind)
        worst = max(worst, error)
        assert error <= bound, f"{name}({x!r}, {n}) = {g!r}: {error} ulp"
    print(f"     {name} {exponent}: at most {worst:.3f} ulp")


def whole_exponents():
    for n in (0, 1, 2, 3, 4, 5, 7, 10, 31, 32, 33, -1, -2, -3, -8, -32, -33):
        compare("__nv_powif", "f", n, lambda lane: n, 0.51 if EXACT and abs(n) <= 32 else 4)
    for n in (0, 1, 2, 3, 4, 5, -1, -2, -3):
        compare("__nv_powi", "d", n, lambda lane: n, 2)


def real_exponents():
    for n in (0, 1, 2, 3, -1, -2, 8):
        compare("__nv_powf", "f", "0f" + struct.pack(">f", n).hex(), lambda lane: n, 0.51 if EXACT else 4)
        compare("__nv_pow", "d", "0d" + struct.pack(">d", n).hex(), lambda lane: n, 2)


def not_the_number_before():
    """What was moved to the parameter's source before may have been replaced in some lanes, or in all."""
    compare("__nv_powif", "f", "%n", lambda lane: 3 if lane < 9 else 2, 4, "setp.lt.u32 %p, %t, 9; mov.b32 %n, 2; @%p mov.b32 %n, 3;")
    compare("__nv_powif", "f", "%n", lambda lane: 5, 4, "mov.b32 %n, 2; add.u32 %n, %n, 3;")
    compare("__nv_powi", "d", "%n", lambda lane: lane % 4, 2, "mov.b32 %n, 2; and.b32 %n, %t, 3;")


def as_multiplications():
    """A square is the number times itself, to the bit, where the library's may be one off."""
    xs = struct.unpack("<64d", struct.pack("<64d", *[random.uniform(1, 2) for _ in range(64)]))
    got = struct.unpack("<96d", case(call("__nv_pow", "d", "0d4000000000000000"), 768, [struct.pack("<64d", *xs)], head=HEAD))
    assert list(got[:64]) == [x * x for x in xs]


if __name__ == "__main__":
    sys.exit(check_all([whole_exponents, real_exponents, not_the_number_before] + [as_multiplications] * EXACT))
