#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs in other languages than C (docs/driver.md), by the package's lockstep.native: their memory has names and
bounds, what nobody has written is known, and findings name the program's lines. Each with a twin that is silent.
Needs nothing but Python."""

import ctypes
import json
import os
import subprocess
import sys
import tempfile

LOCKSTEP, SOURCE, BINARY = os.environ["LOCKSTEP"], os.environ["SOURCE_DIR"], os.environ["BINARY_DIR"]
sys.path.insert(0, os.path.join(SOURCE, "python"))

# out[i] = in[i] + 1 for i < n
COPY = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry copy(.param .u64 out, .param .u64 in, .param .u32 n)
{
 .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %d<4>;
 mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; setp.ge.u32 %p, %r1, %r2; @%p ret;
 ld.param.u64 %d1, [in]; mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2; ld.global.u32 %r2, [%d1]; add.u32 %r2, %r2, 1;
 ld.param.u64 %d3, [out]; add.s64 %d3, %d3, %d2; st.global.u32 [%d3], %r2; ret;
}
"""

# All lanes store one value to one word of shared memory; %s: what the module says of that.
SAME = b"""
.version 7.0
.target sm_70
.address_size 64
%s
.visible .entry same()
{
 .shared .align 4 .b32 s; .reg .b32 %%r;
 mov.u32 %%r, 7; st.shared.u32 [s], %%r; ret;
}
"""


def load(text, name):
    """The kernel `name` of the text, on a device of 8.0."""
    from lockstep import native
    native.start("8.0")
    context, module, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    native.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    native.call("cuCtxSetCurrent", context)
    native.call("cuModuleLoadData", ctypes.byref(module), text)
    native.call("cuModuleGetFunction", ctypes.byref(function), module, name)
    return function


def same(pragma):
    from lockstep import native
    function = load(SAME % pragma.encode(), b"same")
    native.call("cuLaunchKernel", function, 1, 1, 1, 32, 1, 1, 0, None, None, None)
    native.call("cuCtxSynchronize")


def program(size, n, written):
    """The program under check: n words of an array of `size` are copied; the first `written` of them have a value."""
    from lockstep import native
    function = load(COPY, b"copy")
    words, out = (ctypes.c_uint32 * size)(*range(size)), (ctypes.c_uint32 * 64)()
    known = (ctypes.c_uint8 * size)(*[1] * written)
    arrays = (native.Array * 2)((b"words", ctypes.addressof(words), 4 * size, ctypes.addressof(known)),
                                (b"out", ctypes.addressof(out), 256, None))
    values = ctypes.c_uint64(ctypes.addressof(out)), ctypes.c_uint64(ctypes.addressof(words)), ctypes.c_uint32(n)
    params = (ctypes.c_void_p * 3)(*[ctypes.addressof(v) for v in values])
    library = native.library()
    native.checked("lockstep_arrays", library.lockstep_arrays(arrays, 2))
    again = library.lockstep_arrays(arrays, 2)  # overlaps what is there
    reason = library.lockstep_reason
    reason.restype = ctypes.c_char_p
    assert again == 712 and b"registered" in reason(), (again, reason())
    library.lockstep_place(b"main", b"/made/up/prog.py", 77)
    native.call("cuLaunchKernel", function, 1, 1, 1, 64, 1, 1, 0, None, params, None)
    native.call("cuCtxSynchronize")
    native.checked("lockstep_arrays_over", library.lockstep_arrays_over(arrays, 2))
    assert library.lockstep_arrays_over(arrays, 1) == 713
    library.lockstep_place(None, None, 0)
    assert list(out)[:min(n, size)] == [w + 1 for w in list(words)[:min(n, size)]]
    print("tool", native.tool())


def run(tool, *arguments):
    """(findings of the tool, output) of this file as the program."""
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "out.json")
        words = [LOCKSTEP, tool, "-q", "--json", out] if tool else []
        r = subprocess.run([*words, sys.executable, __file__, "program", *map(str, arguments)], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
        found = json.load(open(out)).get("findings", []) if tool else []
        return found, r.stdout


def one(found, kind):
    assert [f["kind"] for f in found] == [kind], found
    return found[0]


def findings():
    found, text = run("check", 64, 64, 64)
    assert not found and "tool 2" in text, (found, text)

    f = one(run("check", 60, 64, 60)[0], "out-of-bounds")
    assert 'array "words" (240 bytes)' in f["message"] and "right past the end" in f["message"], f
    where = f["launched"] if "launched" in f else f
    assert "prog.py" in json.dumps(where) and "77" in json.dumps(where), f

    f = one(run("check", 64, 64, 40)[0], "uninitialized")
    assert 'array "words" (256 bytes) at byte 160' in f["message"] and f["count"] == 24, f
    found, text = run("check", 64, 40, 40)  # what was never written is not read
    assert not found, found

    f = one(run("check", "same", "")[0], "shared-race")
    assert f["severity"] == "warning" and "the same value" in f["message"], f
    assert run("check", "same", '.pragma "lockstep replicated";')[0] == []
    one(run("check", "same", '.pragma "other";')[0], "shared-race")

    assert "tool 0" in run(None, 64, 64, 64)[1]
    assert "tool 1" in run("profile", 64, 64, 64)[1]


def ptx():
    """Places inside inline assembly are LLVM's counting, not the program's; nothing else changes."""
    from lockstep.triton.ptx import prepared
    text = (".version 8.7\n.target sm_80\n.address_size 64\n\n\t.loc\t1 7 3\n\t// begin inline asm\n\t.loc\t1 7 3\n"
            "\tmov.u32 %r1, 0;\n\t.loc\t1 8 3\n\tld.global.b32 %r1, [%rd1];\n\n\t// end inline asm\n\t.loc\t1 9 1\n\tret;\n")
    lines = prepared(text).splitlines()
    kept = [line.split("\t", 1)[-1] for line in lines if ".loc" in line]
    assert kept == [".loc\t1 7 3", ".loc\t1 9 1"], kept
    assert sorted(set(text.splitlines()) - set(lines)) == ["\t.loc\t1 8 3"], lines
    assert lines.count('.pragma "lockstep replicated";') == 1, lines


def errors():
    from lockstep import native
    assert native.path().startswith(os.path.realpath(BINARY)), native.path()
    native.start("8.0")
    context = ctypes.c_void_p()
    native.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    native.call("cuCtxSetCurrent", context)
    assert (native.attribute(75), native.attribute(76)) == (8, 0)
    try:
        native.call("cuModuleLoadData", ctypes.byref(ctypes.c_void_p()), b".version 7.0 nonsense")
    except native.Error as e:
        assert e.code == 218 and "cuModuleLoadData: CUDA_ERROR_INVALID_PTX" in str(e) and "nonsense" in str(e), e
    else:
        raise AssertionError("nonsense was taken")


if __name__ == "__main__":
    os.environ["LOCKSTEP_LIBRARY"] = os.path.join(BINARY, "liblockstep.so")
    os.environ.pop("LOCKSTEP_GPU", None)
    if sys.argv[1:3] == ["program", "same"]:
        same(sys.argv[3])
    elif sys.argv[1:2] == ["program"]:
        program(*map(int, sys.argv[2:]))
    else:
        if os.environ.get("SANITIZE"):
            print("a sanitizer's library cannot be loaded by an interpreter")
            sys.exit(77)
        os.environ.pop("LOCKSTEP_CC", None)
        os.environ["LOCKSTEP_QUIET"] = "1"
        findings()
        ptx()
        errors()
