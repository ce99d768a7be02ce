#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Functions that are really called (recursion): where shared variables lie, exit inside of them; vectors of registers and
numbered variables as GCC writes them; functions of large modules stay functions (wir/sizes.c) and compute the same."""
import os
import struct
import subprocess
import sys
import tempfile

from ptx_cases import case, check_all

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"


def words(text, n, block="32", options=()):
    return list(struct.unpack(f"<{n}I", case("", 4 * n, block=block, text=HEAD + text, options=options)))


# down(n): calls itself n times; at the bottom what BOTTOM says.
DOWN = """
.func (.param .u32 r) down(.param .u32 n)
{
    .reg .u32 %n, %v; .reg .pred %p, %q; .reg .u64 %a;
    ld.param.u32 %n, [n]; mov.u32 %v, 0;
    setp.eq.u32 %p, %n, 0;
    @%p bra BOTTOM;
    sub.u32 %n, %n, 1;
    { .param .u32 a; .param .u32 b; st.param.u32 [a], %n; call (b), down, (a); ld.param.u32 %v, [b]; }
    bra END;
BOTTOM:
    BODY
END:
    st.param.u32 [r], %v; ret;
}
"""
CALL = "{ .param .u32 a; .param .u32 b; st.param.u32 [a], 3; call (b), down, (a); ld.param.u32 %v, [b]; }"


def kernel(body):
    return f""".visible .entry run(.param .u64 out)
{{
    .reg .u64 %o, %at, %s; .reg .u32 %t, %v, %w; .reg .pred %p;
    ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %at, %t, 4; add.u64 %at, %at, %o;
    {body}
}}
"""


def shared():
    """The kernel's own variable comes first in the module, the function's second: each keeps its own words."""
    text = (".shared .u32 own[32];\n.shared .u32 both[32];\n"
            + DOWN.replace("BODY", "mov.u32 %n, %tid.x; mov.u64 %a, both; mad.wide.u32 %a, %n, 4, %a; ld.shared.u32 %v, [%a];")
            + kernel("mov.u64 %s, own; mad.wide.u32 %s, %t, 4, %s; st.shared.u32 [%s], 1000; mov.u64 %s, both;"
                     "mad.wide.u32 %s, %t, 4, %s; add.u32 %w, %t, 7; st.shared.u32 [%s], %w;" + CALL + "st.global.u32 [%at], %v; ret;"))
    assert words(text, 32) == [t + 7 for t in range(32)], words(text, 32)


def shared_by_kernel():
    """Each kernel has what the functions name that it calls: 48,000 bytes each, of which no device has all six."""
    names = [f"room{k}" for k in range(6)]
    down = DOWN.replace("BODY", "mov.u32 %n, %tid.x; mov.u64 %a, ROOM; mad.wide.u32 %a, %n, 4, %a; ld.shared.u32 %v, [%a];")
    body = ("mov.u64 %s, own; st.shared.u32 [%s], 1000; mov.u64 %s, ROOM; mad.wide.u32 %s, %t, 4, %s; add.u32 %w, %t, 7;"
            "st.shared.u32 [%s], %w;" + CALL + "st.global.u32 [%at], %v; ret;")
    text = ".shared .u32 own[8];\n" + "".join(f".shared .u32 {x}[12000];\n" for x in names)
    text += "".join(down.replace("ROOM", x).replace("down", f"f_{x}") for x in names)
    for which in (0, 5):
        it = text + "".join(kernel(body.replace("ROOM", x).replace("down", f"f_{x}")).replace(" run(", f" k_{x}(") for x in names)
        it = it.replace(f" k_{names[which]}(", " run(")
        assert words(it, 32) == [t + 7 for t in range(32)], words(it, 32)


def dynamic():
    """A function finds dynamic shared memory behind what any of its kernels has: 64 bytes here, 0 in the other one."""
    text = (".extern .shared .align 16 .u32 room[];\n.shared .u32 own[16];\n"
            + DOWN.replace("BODY", "mov.u32 %n, %tid.x; mov.u64 %a, room; mad.wide.u32 %a, %n, 4, %a; ld.shared.u32 %v, [%a];"))
    keep = ("mov.u64 %s, room; mad.wide.u32 %s, %t, 4, %s; add.u32 %w, %t, 7; st.shared.u32 [%s], %w;")
    more = "mov.u64 %s, own; st.shared.u32 [%s+60], 1000;"
    end = "st.global.u32 [%at], %v; ret;"
    for first, second in ((more, ""), ("", more)):
        it = text + kernel(keep + first + CALL + end) + kernel(keep + second + CALL + end).replace(" run(", " other(")
        for name in ("run", "other"):
            it2 = it.replace(" run(", " x(").replace(f" {name if name == 'other' else 'x'}(", " run(")
            assert words(it2, 32, options=("--shared", "128")) == [t + 7 for t in range(32)], (name, words(it2, 32))


def leaves():
    """Odd lanes exit three calls down: what stands behind the call is not theirs."""
    text = (DOWN.replace("BODY", "mov.u32 %n, %tid.x; and.b32 %n, %n, 1; setp.eq.u32 %q, %n, 1; @%q exit; mov.u32 %v, 5;")
            + kernel(CALL + "st.global.u32 [%at], %v; ret;"))
    assert words(text, 32) == [0 if t % 2 else 5 for t in range(32)], words(text, 32)
    assert words(text.replace("@%q exit;", ""), 32) == [5] * 32


def leaves_before_barrier():
    """Those that stay wait for each other in the same call: in one warp, in two, and where a whole warp has left."""
    for who, left in (("and.b32 %n, %n, 1", lambda t: t % 2), ("shr.u32 %n, %n, 5", lambda t: t > 31), ("mov.u32 %n, 0", lambda t: 0)):
        text = (DOWN.replace("BODY", f"mov.u32 %n, %tid.x; {who}; setp.eq.u32 %q, %n, 1; @%q exit; bar.sync 0; mov.u32 %v, 5;")
                + kernel(CALL + "bar.sync 0; st.global.u32 [%at], %v; ret;"))
        for n in (32, 64):
            assert words(text, n, block=str(n)) == [0 if left(t) else 5 for t in range(n)], (who, n)


def vectors():
    text = kernel(".reg .v2 .u32 %r; .reg .v4 .u32 %f<2>; mov.v2.u32 %r, {%t, 9}; mov.u32 %r.y, 40; mov.v2.u32 %r, {%r.y, %r.x};"
                  "mov.v4.u32 %f1, {1, 2, 3, 4}; add.u32 %w, %r.x, %f1.w; mad.lo.u32 %w, %r.y, 100, %w; st.global.u32 [%at], %w; ret;")
    assert words(text, 32) == [44 + 100 * t for t in range(32)], words(text, 32)
    text = kernel(".reg .v2 .u32 %r; mul.wide.u32 %at, %t, 8; add.u64 %at, %at, %o; mov.u32 %r.x, %t; mov.u32 %r.y, 3;"
                  "st.global.v2.u32 [%at], %r; ret;")
    assert words(text, 64) == [k // 2 if k % 2 == 0 else 3 for k in range(64)]


def numbered():
    text = (".func two(.param .u64 p, .param .u64 v) { .reg .u64 %p, %v; ld.param.u64 %p, [p]; ld.param.u64 %v, [v];"
            "st.u32 [%p], %v; ret; }\n"
            + kernel("{ .param .u64 %P<2>; cvt.u64.u32 %s, %t; st.param.u64 [%P0], %at; st.param.u64 [%P1], %s;"
                     "call.uni two, (%P0, %P1); } ret;"))
    assert words(text.replace("st.u32 [%p], %v", "st.u64 [%p], %v").replace("mul.wide.u32 %at, %t, 4", "mul.wide.u32 %at, %t, 8"),
                 64) == [k // 2 if k % 2 == 0 else 0 for k in range(64)]


def levels(n):
    """n functions, each of which calls the one below twice: 2^n of the last, were all inlined."""
    text, below = "", "leaf"
    one = "{{ .param .u32 a; .param .u32 b; st.param.u32 [a], %x; call (b), {}, (a); ld.param.u32 %x, [b]; }}"
    head = ".func (.param .u32 r) {}(.param .u32 n) {{ .reg .u32 %x; ld.param.u32 %x, [n]; {} st.param.u32 [r], %x; ret; }}\n"
    text += head.format("leaf", "add.u32 %x, %x, 1; xor.b32 %x, %x, 5; " * 80)
    for k in range(n):
        text += head.format(f"f{k}", one.format(below) * 2)
        below = f"f{k}"
    return text + kernel("mov.u32 %v, %t;" + CALL.replace("[a], 3", "[a], %t").replace("down", below) + "st.global.u32 [%at], %v; ret;")


def leaf_of(x, times):
    for _ in range(80 * times):
        x = (x + 1) ^ 5 & 0xffffffff
    return x


def calls_of(text):
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as f:
        f.write(HEAD + text)
        f.flush()
        out = subprocess.run([os.environ["LOCKSTEP"], "launch", f.name, "--kernel", "run", "--dump-stage", "wir"],
                             stdout=subprocess.PIPE, text=True, check=True).stdout
    return out.count("call")


def large():
    for n, inlined in ((2, True), (5, True), (6, False), (9, False)):
        assert (calls_of(levels(n)) == 0) == inlined, n
        assert words(levels(n), 32) == [leaf_of(t, 1 << n) for t in range(32)], n


sys.exit(check_all([shared, shared_by_kernel, dynamic, leaves, leaves_before_barrier, vectors, numbered, large]))
