# SPDX-License-Identifier: Apache-2.0
"""Subnormal numbers in mathematical functions of float. Triton's option enable_reflect_ftz (on unless a kernel says
otherwise) has the vendor's library take some functions' subnormal arguments for zero, and make zero of some functions'
subnormal results. Which ones was recorded on an H200 (tests/data/h200_subnormal.csv); the sets below say so for the
functions of liblockstep that stand in for them. What is in neither set keeps both: exp, exp10, log, log2, log10.
"""

import re

_ROUNDINGS = ("rn", "rz", "rd", "ru")
_INTEGERS = ("float2int", "float2uint", "float2ll", "float2ull")


def _rounded(*stems):
    return {f"{stem}_{how}" for stem in stems for how in _ROUNDINGS}


ARGUMENTS = _rounded("fadd", "fsub", "fmul", "fdiv", "frcp", "fsqrt", "fmaf", *_INTEGERS) | {
    "asinf", "asinhf", "atan2f", "atanf", "atanhf", "ceilf", "cyl_bessel_i1f", "erfcinvf", "erff", "expm1f", "fabsf",
    "fast_fdividef", "fast_log10f", "fast_log2f", "fast_logf", "fast_powf", "fast_sinf", "fast_tanf", "floorf", "fmaf",
    "fmodf", "frsqrt_rn", "hypotf", "ilogbf", "j1f", "lgammaf", "log1pf", "norm3df", "normcdfinvf", "remainderf",
    "rhypotf", "rnorm3df", "saturatef", "sinf", "sinhf", "sinpif", "tanf", "tanhf", "y0f"}
RESULTS = _rounded("fadd", "fsub", "fmul", "fdiv", "frcp", "fmaf") | {
    "atan2f", "cyl_bessel_i1f", "erfcxf", "fast_exp10f", "fast_expf", "fast_fdividef", "fast_powf", "fmaf", "normcdff",
    "powf"}
# Functions that are one instruction then.
INSTRUCTIONS = {"exp2f": "ex2.approx.ftz.f32", "sqrtf": "sqrt.approx.ftz.f32", "rsqrtf": "rsqrt.approx.ftz.f32"}

# A call as LLVM prints it: arguments are stored, a function is called, the result is loaded.
_CALL = re.compile(
    r"\{ // callseq (?P<number>\d+), \d+\n(?P<before>(?:(?!// callseq).)*?)"
    r"(?P<call>\tcall\.uni \(retval0\), __nv_(?P<name>\w+), \([^)]*\);\n)(?P<after>(?:(?!// callseq).)*?)"
    r"\} // callseq (?P=number)\n", re.DOTALL)
_STORED = re.compile(r"\tst\.param\.[bf]32\s+\[(param\d+)\], (%\w+);\n")
_LOADED = re.compile(r"(\tld\.param\.[bf]32\s+(%\w+), \[retval0\];\n)")
_ZEROED = "\tmul.ftz.f32 \t{0}, {1}, 0f3F800000;\n"  # the number itself, a subnormal one as zero of its sign


def _argument(match):
    register = "%normal_" + match[1]
    return (f"\t.reg .b32 {register};\n" + _ZEROED.format(register, match[2]) +
            f"\tst.param.b32 \t[{match[1]}], {register};\n")


def _called(match):
    name, before, after = match["name"], match["before"], match["after"]
    stored, loaded = _STORED.search(before), _LOADED.search(after)
    if name in INSTRUCTIONS and stored and loaded:
        return f"{INSTRUCTIONS[name]} \t{loaded[2]}, {stored[2]};\n"
    if name in ARGUMENTS:
        before = _STORED.sub(_argument, before)
    if name in RESULTS:
        after = _LOADED.sub(lambda m: m[1] + _ZEROED.format(m[2], m[2]), after)
    return f"{{ // callseq {match['number']}, 0\n{before}{match['call']}{after}}} // callseq {match['number']}\n"


def flushed(ptx):
    """PTX text of LLVM's whose calls of mathematical functions take subnormal numbers for zero as said above."""
    return _CALL.sub(_called, ptx) if "__nv_" in ptx else ptx
