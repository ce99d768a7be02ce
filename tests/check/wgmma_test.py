# SPDX-License-Identifier: Apache-2.0
"""wgmma.cu: its results as it runs, under `lockstep check` every bad_ kernel with its kind and no good_ one;
a wgmma that part of a warp, or of a warpgroup, executes ends the kernel."""
import os
import subprocess
import sys
import tempfile

import watched

watched.expect("wgmma.cu", {("bad_use_before_wait", "wgmma-misuse"), ("bad_no_fence", "wgmma-misuse"),
                            ("bad_no_proxy_fence", "missing-proxy-fence"), ("bad_overwrite", "shared-race"),
                            ("bad_reuse", "shared-race"), ("bad_meeting", "shared-race"),
                            ("bad_unset", "uninitialized"), ("bad_copied_base", "wgmma-misuse"),
                            ("bad_copied", "wgmma-misuse"),
                            ("bad_sent", "shared-race"), ("bad_sent_sooner", "shared-race"),
                            ("bad_written", "shared-race"),
                            ("bad_bounds", "out-of-bounds")}, "wrong")
with tempfile.TemporaryDirectory() as work:
    program = os.path.join(work, "wgmma")
    subprocess.run([os.environ["LOCKSTEP"], "cc", "-arch=sm_90a", os.path.join(watched.here, "wgmma.cu"), "-o",
                    program], check=True)
    plain = subprocess.run([program], capture_output=True, text=True)
    if "wrong" in plain.stdout or "shared memory of the block has" not in plain.stderr:
        sys.exit("plain: " + plain.stdout + plain.stderr)
    for schedule in ("gpu", "random:7"):
        other = subprocess.run([program], capture_output=True, text=True, env=dict(os.environ, LOCKSTEP_SCHEDULE=schedule))
        if "wrong" in other.stdout or "shared memory of the block has" not in other.stderr:
            sys.exit(schedule + ": " + other.stdout + other.stderr)
    part = subprocess.run([program, "part"], capture_output=True, text=True)
    if part.returncode != 1 or "illegal instruction" not in part.stdout or "warpgroup" not in part.stderr:
        sys.exit("part: " + part.stdout + part.stderr)
    absent = subprocess.run([program, "absent"], capture_output=True, text=True)
    if absent.returncode != 1 or "wait for all warps of warpgroup 0 to come" not in absent.stderr:
        sys.exit("absent: " + absent.stdout + absent.stderr)
