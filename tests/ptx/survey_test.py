#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every instruction form, special register, directive and external function that three or more of
1,111 public CUDA programs use (tests/data/ptx_survey.tsv) is taken by the parser and compiled: a
kernel for each group, whose instructions stand behind a branch that is never taken."""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

source = Path(os.environ.get("SOURCE_DIR", Path(__file__).resolve().parents[2]))
LOCKSTEP = os.environ.get("LOCKSTEP", str(source / "build/lockstep"))
GROUP = 130 # forms in a kernel

BITS = {"pred": 1, "b8": 8, "u8": 8, "s8": 8, "b16": 16, "u16": 16, "s16": 16, "f16": 16, "bf16": 16,
        "b32": 32, "u32": 32, "s32": 32, "f32": 32, "f16x2": 32, "bf16x2": 32, "tf32": 32,
        "b64": 64, "u64": 64, "s64": 64, "f64": 64, "b128": 128}
SPECIAL = { # operands of those that follow no pattern
    "ret": "", "exit": "", "trap": "", "bra": "END", "bra.uni": "END", "activemask.b32": "%r32",
    "bar.sync": "0", "barrier.sync": "1, 64", "bar.warp.sync": "0xffffffff", "nanosleep.u32": "20",
    "call": "twice, (%r32)", "call.uni": "(%r32), f, (%r32)", "cp.async.commit_group": "",
    "cp.async.wait_group": "1", "prefetch.global.L2": "[%a]",
}
FIRST = { # by their first words
    "shfl.sync": "{d}, {s}, 1, 31, 0xffffffff", "vote.sync.ballot": "%r32, %p, 0xffffffff",
    "vote.ballot.sync": "%r32, %p, 0xffffffff", "vote.sync": "%p, %p, 0xffffffff",
    "match": "%r32, {s}, 0xffffffff", "bar.red": "%p, 0, %p", "tex.1d": "{q}, [texture, {{%f32}}]",
    "tex.2d": "{q}, [texture, {{%f32, %f32}}]", "tex.3d": "{q}, [texture, {{%f32, %f32, %f32, %f32}}]",
    "membar": "", "fence": "", "copysign": "{d}, {s}, {s}", "lop3": "{d}, {s}, {s}, {s}, 0x96",
    "bmsk": "%r32, %r32, %r32", "bfind": "%r32, {s}", "popc": "%r32, {s}", "clz": "%r32, {s}",
    "bfi": "{d}, {s}, {s}, %r32, %r32", "shf": "%r32, %r32, %r32, %r32", "prmt": "{d}, {s}, {s}, {s}",
    "shl": "{d}, {s}, %r32", "shr": "{d}, {s}, %r32", "setp": "%p, {s}, {s}", "set": "{d}, {l}, {l}",
    "selp": "{d}, {s}, {s}, %p", "cvta": "{d}, {s}", "cvt": "{d}, {l}",
    "cvt.rn.f16x2.f32": "%r32, %f32, %f32",
    "cp.async.cg": "[%s], [%a], 16", "cp.async.ca": "[%s], [%a], 4",
    "ldmatrix.sync.aligned.x4": "{{%r32, %r32a, %r32b, %r32c}}, [%s]",
    "ldmatrix.sync.aligned.x2": "{{%r32, %r32a}}, [%s]",
    "mma.sync.aligned.m16n8k16.row.col.f16": "{{%r32, %r32a}}, {{%r32, %r32, %r32, %r32}}, {{%r32, %r32}}, {{%r32, %r32}}",
    "mma.sync.aligned.m16n8k16.row.col.f32":
        "{{%f32, %f32a, %f32b, %f32c}}, {{%r32, %r32, %r32, %r32}}, {{%r32, %r32}}, {{%f32, %f32, %f32, %f32}}",
    "wmma.load.a": "{{%w0, %w1, %w2, %w3, %w4, %w5, %w6, %w7}}, [{x}], %r32",
    "wmma.load.b": "{{%w0, %w1, %w2, %w3, %w4, %w5, %w6, %w7}}, [{x}], %r32",
    "wmma.load.c": "{{%v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7}}, [{x}], %r32",
    "wmma.store.d": "[{x}], {{%v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7}}, %r32",
}
COUNT = {"add": 2, "sub": 2, "mul": 2, "div": 2, "rem": 2, "min": 2, "max": 2, "and": 2, "or": 2, "xor": 2,
         "mad": 3, "fma": 3, "madc": 3, "addc": 2, "subc": 2, "abs": 1, "neg": 1, "not": 1, "rcp": 1,
         "sqrt": 1, "rsqrt": 1, "ex2": 1, "lg2": 1, "sin": 1, "cos": 1, "tanh": 1, "brev": 1, "mov": 1}


def register(t):
    if t == "pred":
        return "%p"
    kind = "f" if t in ("f32", "f64") else "b" if BITS[t] in (8, 16) else "r"
    return f"%{kind}{BITS[t]}"


def vector(words, t):
    n = next((int(w[1]) for w in words if w in ("v2", "v4")), 1)
    one = register("b16" if BITS[t] == 8 else t)
    names = [one] + [one + x for x in "abc"]
    return one if n == 1 else "{" + ", ".join(names[:n]) + "}"


def address(words):
    return "%s" if any(w.startswith("shared") for w in words) else "%a"


def operands(form):
    words = form.split(".")
    types = [w for w in words if w in BITS]
    if form in SPECIAL:
        return SPECIAL[form]
    d = register(types[0]) if types else ""
    if "wide" in words:
        d = {"u16": "%r32", "s16": "%r32"}.get(types[0], "%r64")
    fields = {"d": d, "s": register(types[0]) if types else "", "l": register(types[-1]) if types else "",
              "x": address(words),
              "q": "{%f32, %f32a, %f32b, %f32c}" if types and types[0] == "f32" else "{%r32, %r32a, %r32b, %r32c}"}
    for n in range(len(words), 0, -1):
        head = ".".join(words[:n])
        if head in FIRST:
            return FIRST[head].format(**fields)
    if words[0] in ("ld", "ldu"):
        return f"{vector(words, types[0])}, [{'n' if 'param' in words else address(words)}]"
    if words[0] == "st":
        where = "slot" if "param" in words else address(words)
        return f"[{where}], {vector(words, types[0])}"
    if words[0] in ("atom", "red"):
        more = f", {fields['s']}" if "cas" in words else ""
        first = f"{d}, " if words[0] == "atom" else ""
        return f"{first}[{address(words)}], {fields['s']}{more}"
    if words[0] in COUNT:
        sources = [fields["s"]] * COUNT[words[0]]
        if words[0] == "mad" and "wide" in words:
            sources[2] = d
        return ", ".join([d] + sources)
    raise KeyError(form)


def declarations():
    out = [".reg .pred %p;", ".reg .b64 %a; .reg .b32 %s;"]
    for name, t in (("b16", "b16"), ("b8", "b16"), ("r32", "b32"), ("r64", "b64"), ("f32", "f32"), ("f64", "f64")):
        out.append(f".reg .{t} " + ", ".join(f"%{name}{x}" for x in ("", "a", "b", "c")) + ";")
    out.append(".reg .b32 %w<8>; .reg .f32 %v<8>; .shared .align 16 .b8 room[4096];")
    return out


def module(bodies):
    text = [".version 8.7", ".target sm_90", ".address_size 64", ".global .texref texture;",
            ".func (.reg .b32 %o) f(.reg .b32 %i) { add.u32 %o, %i, 1; ret; }",
            ".func twice(.reg .b32 %i) { ret; }", ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);",
            ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);",
            ".extern .func (.param .b64 r) malloc(.param .b64 n);", ".extern .func free(.param .b64 p);"]
    for k, body in enumerate(bodies):
        text += [f".visible .entry k{k}(.param .align 16 .b8 n[64]) .maxntid 256, 1, 1 .minnctapersm 1 {{",
                 *declarations(), ".param .align 16 .b8 slot[32];",
                 "ld.param.u64 %a, [n]; mov.u32 %s, %tid.x; setp.lt.u32 %p, %s, 4000; @%p bra END;", *body,
                 "END: ret; }"]
    return "\n".join(text) + "\n"


def run(text, kernel, folder):
    path = folder / "k.ptx"
    path.write_text(text)
    done = subprocess.run([LOCKSTEP, "launch", path, "--kernel", kernel, "--block", "32", "--arg", "hex:" + "00" * 64],
                          capture_output=True, text=True, env=dict(os.environ, LOCKSTEP_CACHE="off"))
    return done.stderr.strip() if done.returncode else ""


def survey():
    for line in (source / "tests/data/ptx_survey.tsv").read_text().splitlines()[1:]:
        kind, name, _ = line.split("\t")
        yield kind, name


def main():
    rows, failures = list(survey()), []
    forms = [name for kind, name in rows if kind == "opcode"]
    words = {".".join(f.split(".")[:n]) for f in forms for n in (1, 2)}
    bodies = []
    for k in range(0, len(forms), GROUP):
        bodies.append([f"{f} {operands(f)};" for f in forms[k:k + GROUP]])
    special = [name for kind, name in rows if kind == "special_register"]
    bodies.append([f"mov.{'u64' if '64' in s or 'timer' in s else 'u32'} "
                   f"{'%r64' if '64' in s or 'timer' in s else '%r32'}, {s};" for s in special])
    bodies.append(["mbarrier.init.shared::cta.b64 [%s], 4;", "mbarrier.init.shared.b64 [%s], %r32;",
                   "mbarrier.arrive.shared::cta.b64 %r64, [%s];", "mbarrier.arrive.shared::cluster.b64 _, [%s];",
                   "mbarrier.arrive.expect_tx.shared::cta.b64 %r64, [%s], 64;", "match.any.sync.b64 %r32, %r64, -1;",
                   "sust.b.2d.b32.trap [%a, {%r32, %r32}], {%r32};", "madc.hi.u32 %r32, %r32, %r32, %r32;",
                   "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7}, "
                   "{%w0, %w1, %w2, %w3, %w4, %w5, %w6, %w7}, {%w0, %w1, %w2, %w3, %w4, %w5, %w6, %w7}, "
                   "{%v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7};"])
    taken = "\n".join(line for body in bodies for line in body)
    for kind, name in rows: # base mnemonics without a common form: in the last group
        if kind == "base" and name not in words and not re.search(r"(?m)^" + re.escape(name) + r"[. ]", taken):
            failures.append(f"{name}: the test has no form of it")
    text = module(bodies)
    with tempfile.TemporaryDirectory() as folder:
        for k in range(len(bodies)):
            why = run(text, f"k{k}", Path(folder))
            if why:
                failures.append(why)
                for line in bodies[k]:
                    one = run(module([[line]]), "k0", Path(folder))
                    failures += [f"    {line} {one}"] if one else []
    print(f"{len(forms)} forms, {len(special)} special registers")
    print("\n".join(failures))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
