#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions on a real GPU: one PTX kernel for each form of each instruction, the inputs, and the
results in one compact file. The same kernels run on lockstep afterwards (tests/jit/recorded_test.py).

    instructions.py emit DIR        NAME.ptx and NAME.in of every form, and DIR/manifest
    instructions.py pack DIR FILE   DIR/NAME.out, NAME.err -> FILE (xz)
    instructions.py list            the forms, one a line

A form is a body of PTX over the registers a, b, c, e (operands) and d0, d1 (results). Operands and
results travel as 64-bit words; widths: p predicate, b 8, h 16, w 32, d 64 bits. Every form has the
same number of cases, made of ugly values and random ones, the same on every machine.
"""
import lzma
import os
import struct
import sys

CASES = 512
OPERANDS = "abce"
REGISTER = {"p": ".pred", "b": ".b32", "h": ".b16", "w": ".b32", "d": ".b64"}
BITS = {"p": 1, "b": 8, "h": 16, "w": 32, "d": 64}


class Form:
    """compare: exact; nan (any NaN equals any); ulp:N; abs:X (absolute error); warp forms run in
    whole warps of 32 cases, `active` ones with the lanes for which predicate e holds."""

    def __init__(self, text, outs, ins, compare="exact", body=None, warp=False, domain=None):
        self.text, self.outs, self.ins, self.compare = text, outs, ins, compare
        self.warp, self.domain = warp, domain
        names = ", ".join(["d0"] + [OPERANDS[k] for k in range(len(ins))])
        self.body = body or f"{text} {names};"
        self.name = "".join(c if c.isalnum() else "_" for c in text)


# -- the forms ---------------------------------------------------------------------------------------

ROUND = [".rn", ".rz", ".rm", ".rp"]
INTS = {"u16": "h", "s16": "h", "u32": "w", "s32": "w", "u64": "d", "s64": "d"}
REALS = {"f32": ("w", "nan32"), "f64": ("d", "nan64"), "f16": ("h", "nan16"), "bf16": ("h", "nanbf"),
         "f16x2": ("w", "nan16x2"), "bf16x2": ("w", "nanbfx2")}


def integers():
    for t, w in INTS.items():
        double = {"h": "w", "w": "d"}.get(w)
        for op in ["add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"]:
            yield Form(f"{op}.{t}", w, w + w)
        yield Form(f"mad.lo.{t}", w, w * 3)
        yield Form(f"mad.hi.{t}", w, w * 3)
        yield Form(f"sad.{t}", w, w * 3)
        yield Form(f"shr.{t}", w, w + "w")
        if double:
            yield Form(f"mul.wide.{t}", double, w + w)
            yield Form(f"mad.wide.{t}", double, w + w + double)
        if t[0] == "s":
            yield Form(f"abs.{t}", w, w)
            yield Form(f"neg.{t}", w, w)
        if w != "h":
            yield Form(f"bfind.{t}", "w", w)
            yield Form(f"bfind.shiftamt.{t}", "w", w)
            yield Form(f"bfe.{t}", w, w + "ww")
    for text in ["add.sat.s32", "sub.sat.s32", "mul24.lo.s32", "mul24.hi.s32", "mul24.lo.u32",
                 "mul24.hi.u32"]:
        yield Form(text, "w", "ww")
    for text in ["mad.hi.sat.s32", "mad24.lo.s32", "mad24.hi.s32", "mad24.lo.u32", "mad24.hi.sat.s32",
                 "dp4a.s32.s32", "dp4a.u32.u32", "dp4a.s32.u32", "dp4a.u32.s32", "dp2a.lo.s32.s32",
                 "dp2a.hi.u32.u32", "dp2a.lo.u32.s32", "dp2a.hi.s32.u32", "shf.l.clamp.b32",
                 "shf.l.wrap.b32", "shf.r.clamp.b32", "shf.r.wrap.b32", "prmt.b32", "prmt.b32.f4e",
                 "prmt.b32.b4e", "prmt.b32.rc8", "prmt.b32.ecl", "prmt.b32.ecr", "prmt.b32.rc16"]:
        yield Form(text, "w", "www")
    for text in ["add.u16x2", "add.s16x2", "min.u16x2", "min.s16x2", "max.u16x2", "max.s16x2",
                 "min.relu.s16x2", "max.relu.s16x2", "min.relu.s32", "max.relu.s32",
                 "bmsk.clamp.b32", "bmsk.wrap.b32", "szext.clamp.u32", "szext.wrap.u32",
                 "szext.clamp.s32", "szext.wrap.s32"]:
        yield Form(text, "w", "ww")
    for b, w in [("b16", "h"), ("b32", "w"), ("b64", "d")]:
        for op in ["and", "or", "xor"]:
            yield Form(f"{op}.{b}", w, w + w)
        yield Form(f"not.{b}", w, w)
        yield Form(f"cnot.{b}", w, w)
        yield Form(f"shl.{b}", w, w + "w")
        if w != "h":
            yield Form(f"popc.{b}", "w", w)
            yield Form(f"clz.{b}", "w", w)
            yield Form(f"brev.{b}", w, w)
            yield Form(f"bfi.{b}", w, w + w + "ww")
    yield Form("fns.b32", "w", "www", body="and.b32 b, b, 31; fns.b32 d0, a, b, c;")
    for lut in [0x96, 0xe8, 0x1b, 0xca, 0x40]:
        yield Form(f"lop3.b32 {lut:#x}", "w", "www", body=f"lop3.b32 d0, a, b, c, {lut:#x};")
    for w, t in [("w", "u32"), ("d", "u64")]:
        # carries: in from operand c (0 or 1), out into d1
        carry_in = f"add.cc.{t} x, x, -1;"
        setup = f".reg .b{BITS[w]} x; selp.b{BITS[w]} x, 1, 0, c;"
        yield Form(f"addc.cc.{t}", w + w, w + w + "p",
                   body=f"{setup} {carry_in} addc.cc.{t} d0, a, b; addc.{t} d1, 0, 0;")
        borrow_in = f"sub.cc.{t} x, 0, x;"
        yield Form(f"subc.cc.{t}", w + w, w + w + "p",
                   body=f"{setup} {borrow_in} subc.cc.{t} d0, a, b; subc.{t} d1, 0, 0;")
        yield Form(f"madc.hi.cc.{t}", w + w, w + w + "p",
                   body=f"{setup} {carry_in} madc.hi.cc.{t} d0, a, b, a; addc.{t} d1, 0, 0;")
        yield Form(f"sub.cc.{t} then addc", w + w, w + w,
                   body=f"sub.cc.{t} d0, a, b; addc.{t} d1, 0, 0;")
    for d in ["u32", "s32"]:
        for sat in ["", ".sat"]:
            for op in ["vadd", "vsub", "vabsdiff", "vmin", "vmax"]:
                yield Form(f"{op}.{d}.s32.u32{sat}", "w", "ww")
                yield Form(f"{op}.{d}.u32.s32{sat}.add", "w", "www")
            yield Form(f"vadd.{d}.s32.u32{sat} b1 h1", "w", "www",
                       body=f"vadd.{d}.s32.u32{sat}.min d0, a.b1, b.h1, c;")
            yield Form(f"vsub.{d}.u32.s32{sat} merge", "w", "www",
                       body=f"vsub.{d}.u32.s32{sat} d0.b2, a.b3, b.h0, c;")
    for op in ["vshl.u32.u32.u32.clamp", "vshl.u32.u32.u32.wrap", "vshr.s32.s32.u32.clamp",
               "vshr.u32.u32.u32.wrap", "vset.s32.s32.lt", "vset.u32.u32.ge"]:
        yield Form(op, "w", "ww")
    for op in ["vmad.s32.s32.s32", "vmad.u32.u32.u32", "vmad.s32.s32.s32.sat.shr7",
               "vmad.u32.u32.u32.sat.shr15"]:
        yield Form(op, "w", "www")
    for op in ["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"]:
        for n in "24":
            for t in ["u32", "s32"]:
                yield Form(f"{op}{n}.{t}.{t}.{t}", "w", "www")
                yield Form(f"{op}{n}.{t}.{t}.{t}.sat", "w", "www")
                yield Form(f"{op}{n}.{t}.{t}.{t}.add", "w", "www")
    for n in "24":
        yield Form(f"vset{n}.s32.s32.lt", "w", "www")
        yield Form(f"vset{n}.u32.u32.ge.add", "w", "www")


def reals():
    for r in ROUND:
        for op, n in [("add", 2), ("sub", 2), ("mul", 2), ("fma", 3), ("div", 2), ("rcp", 1),
                      ("sqrt", 1)]:
            yield Form(f"{op}{r}.f32", "w", "w" * n, "nan32")
            yield Form(f"{op}{r}.ftz.f32", "w", "w" * n, "nan32")
            if op in ["add", "sub", "mul", "fma"]:
                yield Form(f"{op}{r}.ftz.sat.f32", "w", "w" * n, "nan32")
            yield Form(f"{op}{r}.f64", "d", "d" * n, "nan64")
    for ftz in ["", ".ftz"]:
        for text, n, compare, domain in [
                ("div.approx", 2, "ulp32:2", None), ("div.full", 2, "ulp32:2", None),
                ("rcp.approx", 1, "ulp32:1", None), ("sqrt.approx", 1, "ulp32:2", None),
                ("rsqrt.approx", 1, "ulp32:3", None), ("sin.approx", 1, "abs32:1.5e-6", (-3.1416, 3.1416)),
                ("cos.approx", 1, "abs32:1.5e-6", (-3.1416, 3.1416)),
                ("lg2.approx", 1, "abs32:4.8e-7", None), ("ex2.approx", 1, "ulp32:3", None)]:
            yield Form(f"{text}{ftz}.f32", "w", "w" * n, compare, domain=domain)
    yield Form("tanh.approx.f32", "w", "w", "ulp32:8400")
    yield Form("rcp.approx.ftz.f64", "d", "d", "ulp64:8388608")
    yield Form("rsqrt.approx.ftz.f64", "d", "d", "ulp64:8388608")
    yield Form("rsqrt.approx.f64", "d", "d", "ulp64:3")
    for t in ["f16", "bf16", "f16x2", "bf16x2"]:
        w, compare = REALS[t]
        for op, n in [("add", 2), ("sub", 2), ("mul", 2), ("fma.rn", 3)]:
            for extra in ["", ".ftz", ".sat", ".relu"]:
                if (extra == ".relu" and op != "fma.rn") or (extra in [".ftz", ".sat"] and t[0] == "b"):
                    continue
                yield Form(f"{op}{extra}.{t}", w, w * n, compare)
        yield Form(f"tanh.approx.{t}", w, w, f"rel:{t}:0.001" if t[0] == "f" else f"rel:{t}:0.008")
        yield Form(f"ex2.approx{'.ftz' if t[0] == 'b' else ''}.{t}", w, w,
                   f"rel:{t}:0.001" if t[0] == "f" else f"rel:{t}:0.008")
    for t, (w, compare) in REALS.items():
        for op in ["min", "max"]:
            for extra in ["", ".ftz", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"]:
                if (extra == ".ftz" and t[0] == "b") or (t == "f64" and extra):
                    continue
                yield Form(f"{op}{extra}.{t}", w, w + w, "exact" if t != "f64" else compare)
        for op in ["abs", "neg"]:
            yield Form(f"{op}.{t}", w, w, compare)
            if t in ["f32", "f16"]:
                yield Form(f"{op}.ftz.{t}", w, w, compare)
    for t, w in [("f32", "w"), ("f64", "d")]:
        yield Form(f"copysign.{t}", w, w + w)
        for c in ["finite", "infinite", "number", "notanumber", "normal", "subnormal"]:
            yield Form(f"testp.{c}.{t}", "p", w)


def comparisons():
    for t, w in INTS.items():
        for c in ["eq", "ne", "lt", "le", "gt", "ge"] + (["lo", "ls", "hi", "hs"] if t[0] == "u" else []):
            yield Form(f"setp.{c}.{t}", "p", w + w)
        yield Form(f"setp.lt.and.{t}", "pp", w + w + "p", body=f"setp.lt.and.{t} d0|d1, a, b, c;")
        yield Form(f"set.ge.u32.{t}", "w", w + w)
        yield Form(f"set.lt.f32.{t}", "w", w + w)
        yield Form(f"selp.{t}", w, w + w + "p")
        yield Form(f"slct.{t}.s32", w, w + w + "w")
        yield Form(f"slct.{t}.f32", w, w + w + "w")
    for t in ["f32", "f64", "f16", "bf16"]:
        w = REALS[t][0]
        for c in ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num",
                  "nan"]:
            yield Form(f"setp.{c}.{t}", "p", w + w)
        yield Form(f"setp.gtu.xor.{t}", "pp", w + w + "p", body=f"setp.gtu.xor.{t} d0|d1, a, b, c;")
    yield Form("setp.lt.ftz.f32", "p", "ww")
    yield Form("setp.eq.ftz.f16", "p", "hh")
    yield Form("setp.lt.f16x2", "pp", "ww", body="setp.lt.f16x2 d0|d1, a, b;")
    yield Form("set.gt.f16.f16", "h", "hh")
    yield Form("set.leu.f16x2.f16x2", "w", "ww")
    yield Form("set.neu.u32.f16x2", "w", "ww")


def conversions():
    ints = dict(INTS, u8="b", s8="b")
    floats = {"f16": "h", "bf16": "h", "f32": "w", "f64": "d"}
    for to in ints:
        for source in ints:
            if to != source:
                yield Form(f"cvt.{to}.{source}", "w" if ints[to] in "bh" else ints[to], ints[source],
                           body=widened(f"cvt.{to}.{source}", ints[to], ints[source]))
            yield Form(f"cvt.sat.{to}.{source}", "w" if ints[to] in "bh" else ints[to], ints[source],
                       body=widened(f"cvt.sat.{to}.{source}", ints[to], ints[source]))
        for source, w in floats.items():
            for r in [".rni", ".rzi", ".rmi", ".rpi"]:
                for ftz in ["", ".ftz"] if source == "f32" else [""]:
                    yield Form(f"cvt{r}{ftz}.{to}.{source}", "w" if ints[to] in "bh" else ints[to], w,
                               body=widened(f"cvt{r}{ftz}.{to}.{source}", ints[to], w))
    for to, w in floats.items():
        compare = REALS[to][1]
        for source, v in ints.items():
            for r in ROUND:
                yield Form(f"cvt{r}.{to}.{source}", w, v)
            yield Form(f"cvt.rn.sat.{to}.{source}", w, v)
        for source, v in floats.items():
            if to == source:
                for r in ["", ".rni", ".rzi", ".rmi", ".rpi"]:
                    yield Form(f"cvt{r}.{to}.{to}", w, w, compare)
                    yield Form(f"cvt{r}.sat.{to}.{to}", w, w, compare)
            elif BITS[w] < BITS[v]:
                for r in ROUND:
                    for extra in ["", ".ftz", ".sat", ".ftz.sat"]:
                        yield Form(f"cvt{r}{extra}.{to}.{source}", w, v, compare)
            elif BITS[w] > BITS[v]:
                for extra in ["", ".ftz", ".sat"]:
                    yield Form(f"cvt{extra}.{to}.{source}", w, v, compare)
    for r in [".rn", ".rz"]:
        for extra in ["", ".relu", ".satfinite"]:
            yield Form(f"cvt{r}{extra}.f16x2.f32", "w", "ww")
            yield Form(f"cvt{r}{extra}.bf16x2.f32", "w", "ww")
            yield Form(f"cvt{r}{extra}.bf16.f32", "h", "w")
            yield Form(f"cvt{r}{extra}.tf32.f32", "w", "w")
    yield Form("cvt.rna.tf32.f32", "w", "w")
    for t in ["e4m3x2", "e5m2x2"]:
        for extra in ["", ".relu"]:
            yield Form(f"cvt.rn.satfinite{extra}.{t}.f32", "h", "ww")
            yield Form(f"cvt.rn.satfinite{extra}.{t}.f16x2", "h", "w")
            yield Form(f"cvt.rn{extra}.f16x2.{t}", "w", "h")
    for t in ["u16", "s16"]:
        yield Form(f"cvt.pack.sat.{t}.s32", "w", "ww")
    for t in ["u8", "s8", "u4", "s4", "u2", "s2"]:
        yield Form(f"cvt.pack.sat.{t}.s32.b32", "w", "www")


def widened(text, to, source):
    """Results narrower than 32 bits go into a 32-bit register: the extension is part of the form."""
    return f"{text} d0, a;"


def warps():
    """Lanes without e take no part; the others name each other in m."""
    head = (".reg .b32 m; .reg .pred all; mov.pred all, e; "
            "vote.sync.ballot.b32 m, all, 0xffffffff; @!all bra DONE;")

    def warp(text, outs, ins, line):
        ins = (ins + "www")[:3] + "p"
        return Form(text, outs, ins, body=f"{head} {line}", warp=True)
    for mode in ["up", "down", "bfly", "idx"]:
        for c in [0x1f, 0, 0x181f, 0x1c03, 0x1f1f, 0x0807]:
            # lanes that read from an absent lane get nothing defined: full warps only
            yield Form(f"shfl.sync.{mode} {c:#x}", "wp", "ww", warp=True,
                       body=f"shfl.sync.{mode}.b32 d0|d1, a, b, {c:#x}, 0xffffffff;")
    for mode in ["all", "any", "uni"]:
        yield warp(f"vote.sync.{mode}", "p", "p", f"vote.sync.{mode}.pred d0, a, m;")
    yield warp("vote.sync.ballot", "w", "p", "vote.sync.ballot.b32 d0, a, m;")
    yield warp("match.any.sync.b32", "w", "w", "and.b32 a, a, 3; match.any.sync.b32 d0, a, m;")
    yield warp("match.any.sync.b64", "w", "d", "and.b64 a, a, 3; match.any.sync.b64 d0, a, m;")
    yield warp("match.all.sync.b32", "wp", "w", "and.b32 a, a, 1; match.all.sync.b32 d0|d1, a, m;")
    for op, t in [("add", "s32"), ("add", "u32"), ("min", "s32"), ("min", "u32"), ("max", "s32"),
                  ("max", "u32"), ("and", "b32"), ("or", "b32"), ("xor", "b32")]:
        yield warp(f"redux.sync.{op}.{t}", "w", "w", f"redux.sync.{op}.{t} d0, a, m;")
    for op in ["min", "max"]:
        for extra in ["", ".abs", ".NaN", ".abs.NaN"]:
            yield warp(f"redux.sync.{op}{extra}.f32", "w", "w",
                       f"redux.sync.{op}{extra}.f32 d0, a, m;")
    yield warp("activemask", "w", "w", "activemask.b32 d0;")
    yield warp("elect.sync", "wp", "w", "elect.sync d0|d1, m;")


def atomics():
    """Each case has a place of its own in the results: operand a is there first; d0 the place
    afterwards, d1 what the instruction returned. %place is the address."""
    for op, t, w in [("add", "u32", "w"), ("add", "u64", "d"), ("min", "s32", "w"), ("max", "u64", "d"),
                     ("inc", "u32", "w"), ("dec", "u32", "w"), ("and", "b32", "w"), ("xor", "b64", "d"),
                     ("exch", "b32", "w"), ("add", "f32", "w"), ("add", "f64", "d"),
                     ("add.noftz", "f16", "h"), ("add.noftz", "bf16", "h"), ("add.noftz", "f16x2", "w"),
                     ("add.noftz", "bf16x2", "w")]:
        bits = BITS[w]
        compare = REALS[t][1] if t in REALS else "exact"
        yield Form(f"atom.global.{op}.{t}", w + w, w + w, compare,
                   body=f"st.global.b{bits} [place], a; atom.global.{op}.{t} d1, [place], b; "
                        f"ld.global.b{bits} d0, [place];")
    yield Form("atom.global.cas.b32", "ww", "www",
               body="st.global.b32 [place], a; atom.global.cas.b32 d1, [place], b, c; "
                    "ld.global.b32 d0, [place];")


def forms():
    seen = {}
    for family in [integers, reals, comparisons, conversions, warps, atomics]:
        for f in family():
            seen.setdefault(f.name, f)
    return list(seen.values())


# -- inputs ------------------------------------------------------------------------------------------

UGLY = {
    "p": [0, 1],
    "h": [0, 1, 2, 3, 15, 16, 31, 0x7f, 0x80, 0xff, 0x3ff, 0x400, 0x401, 0x7ff, 0x3bff, 0x3c00, 0x3c01,
          0x3555, 0x3f80, 0x3f7f, 0x4200, 0x5bff, 0x63ff, 0x7bff, 0x7c00, 0x7c01, 0x7dff, 0x7e00,
          0x7f7f, 0x7f80, 0x7f81, 0x7fff, 0x8000, 0x8001, 0x83ff, 0x8400, 0xb800, 0xbc00, 0xbf80,
          0xfbff, 0xfc00, 0xfe00, 0xff7f, 0xff80, 0xfffe, 0xffff],
    "w": [0, 1, 2, 3, 7, 8, 16, 24, 31, 32, 33, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x007fffff,
          0x00800000, 0x00800001, 0x33000000, 0x33800000, 0x387fc000, 0x3e800000, 0x3f000000,
          0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000, 0x40200000, 0x40490fdb, 0x477fefff,
          0x477ff000, 0x4b000001, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x5f000000, 0x7e800001,
          0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc12345, 0x7fffffff, 0x80000000, 0x80000001,
          0x807fffff, 0x80800000, 0xb8800001, 0xbf000000, 0xbf800000, 0xbfc00000, 0xc2c80000,
          0xcf000000, 0xdf000000, 0xff7fffff, 0xff800000, 0xffc00000, 0xfffffffe, 0xffffffff],
    "d": [0, 1, 2, 31, 32, 33, 63, 64, 65, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
          0x000fffffffffffff, 0x0010000000000000, 0x36a0000000000000, 0x380fffffffffffff,
          0x3810000000000000, 0x3e60000000000000, 0x3f10000000000001, 0x3fdfffffffffffff,
          0x3fe0000000000000, 0x3ff0000000000000, 0x3ff0000000000001, 0x3ff0000010000000,
          0x3ff0000010000001, 0x3ff8000000000000, 0x4004000000000000, 0x400921fb54442d18,
          0x40efffe000000000, 0x40effe0000000000, 0x41dfffffffc00000, 0x41e0000000000000,
          0x41efffffffe00001, 0x43dfffffffffffff, 0x43e0000000000000, 0x43f0000000000000,
          0x47efffffe0000000, 0x47effffff0000000, 0x7fefffffffffffff, 0x7ff0000000000000,
          0x7ff0000000000001, 0x7ff8000000012345, 0x7fffffffffffffff, 0x8000000000000000,
          0x8000000000000001, 0x8010000000000000, 0xbff0000000000000, 0xc1e0000000000000,
          0xc1e0000000200000, 0xc3e0000000000000, 0xffefffffffffffff, 0xfff0000000000000,
          0xfff8000000000000, 0xfffffffffffffffe, 0xffffffffffffffff],
}
UGLY["b"] = [v & 0xff for v in UGLY["h"]]


class Random:
    """xorshift64*: the same numbers everywhere."""

    def __init__(self, seed):
        self.state = seed or 1

    def next(self):
        s = self.state
        s ^= s >> 12
        s ^= (s << 25) & 0xffffffffffffffff
        s ^= s >> 27
        self.state = s
        return (s * 0x2545f4914f6cdd1d) & 0xffffffffffffffff


def seed_of(name):
    h = 0xcbf29ce484222325
    for c in name.encode():
        h = ((h ^ c) * 0x100000001b3) & 0xffffffffffffffff
    return h


def inputs(f):
    """Operand k of case i is result[k][i]."""
    random = Random(seed_of(f.name))
    out = [[0] * CASES for _ in f.ins]
    for i in range(CASES):
        for k, w in enumerate(f.ins):
            ugly, r = UGLY[w], random.next()
            if f.domain and i >= 8:
                low, high = f.domain
                x = low + (high - low) * ((r >> 11) / 2.0**53)
                v = struct.unpack("<I", struct.pack("<f", x))[0]
            elif len(f.ins) == 1 and i < len(ugly) and not f.warp:
                v = ugly[i]
            elif w == "p":
                v = 1 if f.warp and i // 32 % 4 == 0 else r >> 20 & 1
            elif (r & 3) or (len(f.ins) == 1 and not f.warp and r & 1):
                v = ugly[(r >> 8) % len(ugly)] if len(f.ins) > 1 or f.warp else r >> 3
            else:
                v = r >> 8
            out[k][i] = v & ((1 << BITS[w]) - 1)
            if f.warp and k == len(f.ins) - 1 and w == "p" and i % 32 == 31 and not any(
                    out[k][i - 31:i + 1]):
                out[k][i] = 1 # a warp with no lane at all says nothing
    return out


# -- PTX -----------------------------------------------------------------------------------------------

def body_of(f, label):
    """Loads, the form, stores; %in and %out point to the case's first operand and result."""
    lines = ["{"]
    for k, w in enumerate(f.ins):
        lines.append(f".reg {REGISTER[w]} {OPERANDS[k]}; .reg .b64 w{k};")
    for k, w in enumerate(f.outs):
        lines.append(f".reg {REGISTER[w]} d{k}; .reg .b64 r{k};")
    lines.append(".reg .b64 place; add.u64 place, %out, 0;")
    for k, w in enumerate(f.ins):
        lines.append(f"ld.global.b64 w{k}, [%in+{8 * CASES * k}];")
        lines.append(f"setp.ne.u64 {OPERANDS[k]}, w{k}, 0;" if w == "p" else
                     f"mov.b64 {OPERANDS[k]}, w{k};" if w == "d" else
                     f"cvt.u{max(BITS[w], 32) if w != 'h' else 16}.u64 {OPERANDS[k]}, w{k};")
    for k, w in enumerate(f.outs):
        lines.append(f"setp.ne.u32 d{k}, 0, 0;" if w == "p" else
                     f"mov.b{max(BITS[w], 16) if w != 'b' else 32} d{k}, 0;")
    lines.append(f.body.replace("DONE", label))
    if "DONE" in f.body:
        lines.append(f"{label}:")
    if f.warp:
        lines.append("bar.warp.sync 0xffffffff;")
    for k, w in enumerate(f.outs):
        lines.append(f"selp.u64 r{k}, 1, 0, d{k};" if w == "p" else f"mov.b64 r{k}, d{k};" if w == "d"
                     else f"cvt.u64.u{BITS[w] if w != 'b' else 32} r{k}, d{k};")
        lines.append(f"st.global.b64 [%out+{8 * CASES * k}], r{k};")
    lines.append("}")
    return "\n    ".join(lines)


def ptx_of(some, version="8.0", target="sm_90"):
    """One kernel `run` for several forms: their operands and results lie one after the other."""
    text = [f".version {version}", f".target {target}", ".address_size 64",
            ".visible .entry run(.param .u64 p_in, .param .u64 p_out) {",
            "    .reg .b64 %in, %out, %t; .reg .b32 %i, %block, %size;",
            "    ld.param.u64 %in, [p_in]; ld.param.u64 %out, [p_out];",
            "    cvta.to.global.u64 %in, %in; cvta.to.global.u64 %out, %out;",
            "    mov.u32 %i, %tid.x; mov.u32 %block, %ctaid.x; mov.u32 %size, %ntid.x;",
            "    mad.lo.s32 %i, %block, %size, %i;",
            "    mul.wide.u32 %t, %i, 8; add.u64 %in, %in, %t; add.u64 %out, %out, %t;"]
    for k, f in enumerate(some):
        text.append("    " + body_of(f, f"DONE_{k}"))
        text.append(f"    add.u64 %in, %in, {8 * CASES * len(f.ins)};")
        text.append(f"    add.u64 %out, %out, {8 * CASES * len(f.outs)};")
    return "\n".join(text) + "\n    ret;\n}\n"


def input_bytes(f):
    return b"".join(struct.pack(f"<{CASES}Q", *column) for column in inputs(f))


# -- commands ------------------------------------------------------------------------------------------

def emit(folder):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "manifest"), "w") as manifest:
        for f in forms():
            with open(os.path.join(folder, f.name + ".ptx"), "w") as out:
                out.write(ptx_of([f]))
            with open(os.path.join(folder, f.name + ".in"), "wb") as out:
                out.write(input_bytes(f))
            manifest.write(f"{f.name} {8 * CASES * len(f.ins)} {8 * CASES * len(f.outs)}\n")


def pack(folder, path):
    """A line per form: name, widths of results (empty: the GPU's compiler refused it); an empty line;
    then the results in that order, each in as many bytes as its width needs."""
    index, data = [], []
    for f in forms():
        try:
            with open(os.path.join(folder, f.name + ".out"), "rb") as source:
                raw = source.read()
        except FileNotFoundError:
            index.append(f"{f.name} ")
            continue
        index.append(f"{f.name} {f.outs}")
        for k, w in enumerate(f.outs):
            column = struct.unpack_from(f"<{CASES}Q", raw, 8 * CASES * k)
            data.append(b"".join(v.to_bytes((BITS[w] + 7) // 8, "little") for v in column))
    blob = ("\n".join(index) + "\n\n").encode() + b"".join(data)
    with lzma.open(path, "wb", preset=9) as out:
        out.write(blob)
    refused = sum(line.endswith(" ") for line in index)
    print(f"{len(index)} forms, {refused} refused", file=sys.stderr)


def unpack(path):
    """{name: None (refused) or a list of columns}"""
    blob = lzma.open(path).read()
    head, data = blob.split(b"\n\n", 1)
    at, result = 0, {}
    for line in head.decode().split("\n"):
        name, widths = line.split(" ")
        columns = []
        for w in widths:
            size = (BITS[w] + 7) // 8
            columns.append([int.from_bytes(data[at + size * i:at + size * (i + 1)], "little")
                            for i in range(CASES)])
            at += size * CASES
        result[name] = columns or None
    return result


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "emit":
        emit(sys.argv[2])
    elif len(sys.argv) == 4 and sys.argv[1] == "pack":
        pack(sys.argv[2], sys.argv[3])
    elif len(sys.argv) == 2 and sys.argv[1] == "list":
        for f in forms():
            print(f"{f.text:44} {f.ins:5} -> {f.outs:3} {f.compare}")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
