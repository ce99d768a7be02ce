# SPDX-License-Identifier: Apache-2.0
"""Kernels that hang (hang.cu): where nothing changes, the launch fails; else Ctrl-C stops it. `masks' says who waits for
what."""

import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from checks import check, finish, lockstep, source

WAITS = {
    "barrier": ["ffffffff  hang.cu:11       waits at barrier 0", "ffffffff  hang.cu:13       waits at barrier 1",
                "barrier 0: 1 warp waits for warp 1", "barrier 1: 1 warp waits for warp 0"],
    "lock": ["00000001  hang.cu:23       waits for lanes fffffffe: bar.warp.sync", "warp 0, lanes fffffffe: poll global memory",
             ", = 1, last written by thread (0,0,0) of block (0,0,0) at hang.cu:21"],
    "blocks": ["block (0,0,0)\n  warp 0   alive 00000001", "block (1,0,0)\n  warp 0   alive 00000001",
               ", = 0, which nobody has written in this launch"],
    "mbarrier": ["warp 0, lanes ffffffff: poll shared memory at 0x0: an mbarrier, 1 of 33 arrivals missing, last written by "
                 "thread (31,0,0) of block (0,0,0) at hang.cu:47"],
}


def debug(commands, *words):
    return [lockstep, "debug", "-batch", *(w for c in commands for w in ("-ex", c)), program, *words]


with tempfile.TemporaryDirectory() as work:
    program = str(Path(work) / "hang")
    subprocess.run([lockstep, "cc", "-G", "-o", program, "hang.cu"], check=True, cwd=Path(source) / "tests/debug")
    for name, waits in WAITS.items():
        r = subprocess.run(debug(["run", "masks -a", "reverse-step", "print $position", "kill"], name), stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, timeout=120)
        for part in ["The launch failed: deadlock in kernel", *waits, "$1 = "]:
            check(f"{name}: {part}: {r.stdout}", part in r.stdout)
        if name == "barrier":  # nothing runs there that could be interrupted
            continue
        p = subprocess.Popen(debug(["run", "masks -a", "info warps", "kill"], name, "count"), stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, start_new_session=True)
        time.sleep(0.7)
        os.killpg(p.pid, signal.SIGINT)
        out = p.communicate(timeout=120)[0]
        for part in ["The program was interrupted (SIGINT).", *waits, "first place"]:
            check(f"{name}, interrupted: {part}: {out}", part in out)
finish()
