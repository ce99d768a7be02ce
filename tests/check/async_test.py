# SPDX-License-Identifier: Apache-2.0
"""async.cu under `lockstep check`: every bad_ kernel is reported with its kind, and no good_ one.
calls.cu of tests/exec: functions behind pointers have places, too."""
import json
import os
import subprocess
import sys
import tempfile

lockstep = os.environ["LOCKSTEP"]
here = os.path.dirname(os.path.abspath(__file__))
failures = []

expected = {
    "bad_copy_no_wait": "shared-race",
    "bad_copy_no_barrier": "shared-race",
    "bad_copy_barrier_first": "shared-race",
    "bad_copy_own": "shared-race",
    "bad_copy_unset": "uninitialized",
    "bad_copy_unset16": "uninitialized",
    "bad_pipeline_wait": "shared-race",
    "bad_pipeline_overwrite": "shared-race",
    "bad_group_stages": "shared-race",
    "bad_copy_source": "out-of-bounds",
    "bad_copy_target": "out-of-bounds",
    "bad_copy_misaligned": "misaligned",
    "bad_copy_tail": "out-of-bounds",
    "bad_ring_early": "shared-race",
    "bad_ring_full": "shared-race",
    "bad_mbarrier_init": "shared-race",
    "bad_mbarrier_unset": "uninitialized",
    "bad_copies_arrive": "shared-race",
    "bad_bulk_wait": "shared-race",
    "bad_bulk_bounds": "out-of-bounds",
    "bad_bulk_misaligned": "misaligned",
    "bad_bulk_store": "shared-race",
    "bad_bulk_unset": "uninitialized",
    "bad_stored_unset": "uninitialized",
    "bad_ldmatrix_race": "shared-race",
    "bad_ldmatrix_bounds": "out-of-bounds",
    "bad_ldmatrix_misaligned": "misaligned",
    "bad_ldmatrix_unset": "uninitialized",
    "bad_stmatrix_bounds": "out-of-bounds",
    "bad_wmma_bounds": "out-of-bounds",
    "bad_wmma_unset": "uninitialized",
    "bad_wmma_race": "shared-race",
    "bad_vector_atomic_bounds": "out-of-bounds",
    "bad_vector_atomic_misaligned": "misaligned",
    "bad_vector_atomic_race": "global-race",
    "bad_exchange": "misaligned",
    "bad_surface_race": "global-race",
    "bad_bulk_stores_equal": "global-race",
    "bad_bulk_stores_differ": "global-race",
    "bad_texture_unset": "uninitialized",
    "bad_texture_freed": "out-of-bounds",
    "bad_texture_race": "global-race",
    "bad_pointer_race": "global-race",
    "bad_pointer_bounds": "out-of-bounds",
    "bad_write_after_reads": "global-race",
}


def fail(text):
    failures.append(text)
    print("FAIL", text)


def check(program, *words):
    """The findings, as a list; the exit status has to agree with them."""
    out = os.path.join(work, "out.json")
    done = subprocess.run([lockstep, "check", "--json=" + out, program, *words], capture_output=True,
                          text=True)
    with open(out) as f:
        findings = json.load(f)["findings"]
    if done.returncode != (1 if findings else 0):
        fail(f"{program}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return findings


with tempfile.TemporaryDirectory() as work:
    program = os.path.join(work, "async")
    subprocess.run([lockstep, "cc", "-std=c++17", "-arch=sm_90", os.path.join(here, "async.cu"), "-o",
                    program], check=True)
    found = {}
    for f in check(program):
        found.setdefault(f["kernel"], set()).add(f["kind"])
        if not (f["access"]["file"] or "").endswith(("async.cu", "instructions.h", "mma.h")):
            fail(f"not a place in the program: {f['access']}")
        if f["kernel"] == "bad_texture_race" and {f["access"]["size"], f["other"]["size"]} - {0, 4}:
            fail(f"not the bytes of an element, nor unknown: {f['access']}, {f['other']}")
        if (f["severity"] == "warning") != (f["kernel"] == "bad_bulk_stores_equal"):
            fail(f"severity: {f}")
        if f["kernel"] == "bad_mbarrier_init" and '"b"' not in f["message"]:
            fail(f"not its variable: {f['message']}")
    for kernel, kind in expected.items():
        if found.get(kernel, set()) != {kind}:
            fail(f"{kernel}: {sorted(found.get(kernel, set()))}, not {kind}")
    for kernel, kinds in found.items():
        if kernel not in expected:
            fail(f"{kernel}: reported {sorted(kinds)}, but is right")
    kinds = [f["kind"] for f in check(program, "surface")]
    if "out-of-bounds" not in kinds:
        fail(f"surface: {kinds}")

    program = os.path.join(work, "calls")
    source = os.path.join(os.path.dirname(here), "exec", "calls.cu")
    subprocess.run([lockstep, "cc", source, "-o", program], check=True)
    kinds = sorted((f["kernel"], f["kind"], f["severity"]) for f in check(program) if f["kernel"])
    if kinds != [("pointer_after_exit", "barrier-divergence", "error"), # some have left
                 ("pointer_lock", "global-race", "error"), # no fence behind taking the lock
                 ("pointer_lock", "global-race", "warning"), # blocks write the same values
                 ("pointer_meet", "global-race", "warning"),
                 ("pointer_meet", "volatile-race", "warning")]: # a volatile load polls an atomic's counter
        fail(f"calls: {kinds}")

sys.exit(1 if failures else 0)
