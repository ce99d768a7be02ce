# SPDX-License-Identifier: Apache-2.0
"""Runs PTX kernels through `lockstep launch` for the tests of this folder: text with a body, buffers
in, buffers out.

    case("movmatrix", body, out_bytes=128, inputs=[b"..."], block="32") -> bytes of the first buffer

The kernel has parameters p0 (the output) and p1, p2, ... (the inputs); registers %o and %i1, %i2 hold
their addresses, %t is %tid.x; what else the body needs it declares.
"""
import os
import subprocess
import tempfile
from pathlib import Path

source = Path(os.environ.get("SOURCE_DIR", Path(__file__).resolve().parents[2]))
LOCKSTEP = os.environ.get("LOCKSTEP", str(source / "build/lockstep"))


class Failed(Exception):
    """The launch ended with an error; its text is what stderr held."""


def ptx_text(body, inputs, version="8.7", target="sm_90", head=""):
    params = ", ".join(f".param .u64 p{k}" for k in range(len(inputs) + 1))
    lines = [f".version {version}", f".target {target}", ".address_size 64", head,
             f".visible .entry run({params})", "{", "    .reg .u64 %o; .reg .u32 %t;"]
    lines += [f"    .reg .u64 %i{k};" for k in range(1, len(inputs) + 1)]
    lines += ["    ld.param.u64 %o, [p0]; mov.u32 %t, %tid.x;"]
    lines += [f"    ld.param.u64 %i{k}, [p{k}];" for k in range(1, len(inputs) + 1)]
    return "\n".join(lines + [body, "    ret;", "}", ""])


def case(body, out_bytes, inputs=(), block="32", grid="1", shared=0, head="", options=(), text=None):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "k.ptx").write_text(text or ptx_text(body, inputs, head=head))
        args = ["--arg", f"buffer:{out_bytes}"]
        for k, data in enumerate(inputs):
            (folder / f"in{k}").write_bytes(data)
            args += ["--arg", f"buffer:@{folder / f'in{k}'}"]
        done = subprocess.run(
            [LOCKSTEP, "launch", folder / "k.ptx", "--kernel", "run", "--grid", grid, "--block", block,
             *(["--shared", str(shared)] if shared else []), *args, "--dump", f"0:{folder / 'out'}",
             *options], capture_output=True, text=True, env=dict(os.environ, LOCKSTEP_CACHE="off"))
        if done.returncode != 0:
            raise Failed(done.stderr.strip())
        return (folder / "out").read_bytes()


def check_all(tests):
    """Runs functions named in a list; prints which failed; exit status."""
    bad = 0
    for test in tests:
        try:
            test()
            print(f"ok   {test.__name__}")
        except (AssertionError, Failed) as why:
            bad += 1
            print(f"FAIL {test.__name__}: {why}")
    return bool(bad)
