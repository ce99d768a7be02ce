# SPDX-License-Identifier: Apache-2.0
"""A kernel `run` in PTX with two buffers, what it reads and what it writes, on lockstep: for the tests that
compare with what a GPU wrote."""
import os
import subprocess
from pathlib import Path

LOCKSTEP = os.environ.get("LOCKSTEP", str(Path(__file__).resolve().parents[2] / "build/lockstep"))


def launch(folder, ptx, data, size, threads):
    """The `size` bytes that `threads` threads, 128 a block, have written, or None; and the error."""
    code, given, out = folder / "k.ptx", folder / "in", folder / "out"
    code.write_text(ptx)
    given.write_bytes(data)
    done = subprocess.run(
        [LOCKSTEP, "launch", code, "--kernel", "run", "--grid", str(threads // 128), "--block", "128",
         "--arg", f"buffer:@{given}", "--arg", f"buffer:{size}", "--dump", f"1:{out}"],
        capture_output=True, text=True, env=dict(os.environ, LOCKSTEP_CACHE="off"))
    return (None, done.stderr.strip()) if done.returncode else (out.read_bytes(), "")
