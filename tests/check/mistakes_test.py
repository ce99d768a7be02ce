# SPDX-License-Identifier: Apache-2.0
"""mistakes.cu under `lockstep check`: every bad_ kernel is reported with its kinds, and no good_ one. And
every bad_ kernel of mistakes.cu and lectures.cu has a corrected twin that is run beside it."""
import json
import os
import re
import subprocess
import sys
import tempfile

lockstep = os.environ["LOCKSTEP"]
here = os.path.dirname(os.path.abspath(__file__))

expected = {
    "bad_kept_for_the_next_kernel": {"uninitialized"},
    "bad_exchange": {"uninitialized"},
    "bad_one_variable": {"shared-race"},
    "bad_unset_result": {"uninitialized"},
    "bad_copied": {"uninitialized"},
    "bad_copied_before": {"uninitialized"},
    "bad_copied_by_host": {"uninitialized"},
    "bad_copied_by_rows": {"uninitialized"},
    "bad_empty_tile": {"uninitialized"},
    "bad_tile_of_one_row": {"out-of-bounds"},
    "bad_width": {"out-of-bounds", "global-race"},
    "bad_right_halo": {"out-of-bounds"},
    "bad_no_halo": {"uninitialized"},
    "bad_iterations": {"shared-race"},
    "bad_block_order": {"global-race"},
    "bad_two_streams": {"host-device-race"},
    "bad_mask_too_long": {"out-of-bounds"},
    "bad_local_index": {"out-of-bounds"},
    "bad_pitch": {"out-of-bounds"},
}

# Twins that have another name than their mistake.
twins = {
    "bad_product_use": "good_product", "bad_product_overwrite": "good_product",
    "bad_no_bounds": "good_bounds", "bad_null": "good_pointer", "bad_freed": "good_pointer",
    "bad_host_pointer": "good_pointer", "bad_neighbour": "good_pointer",
    "bad_misaligned": "good_aligned", "bad_filter_in_place": "good_filter",
    "bad_unset_sum": "good_zero", "bad_late_zero": "good_zero",
    "bad_barrier_in_branch": "good_barrier", "bad_deadlock": "good_two_barriers",
}

failures = []
sources = ""
for name in ("lectures.cu", "mistakes.cu"):
    with open(os.path.join(here, name)) as f:
        sources += f.read()
kernels = set(re.findall(r"__global__ void\n(\w+)\(", sources))
launched = set(re.findall(r"(\w+)<<<", sources)) | set(re.findall(r"\(void \*\)(\w+)", sources))
for bad in sorted(k for k in kernels if k.startswith("bad_")):
    good = twins.get(bad, "good_" + bad[4:])
    if good not in launched & kernels:
        failures.append("%s has no twin that is run: %s" % (bad, good))

with tempfile.TemporaryDirectory() as work:
    program, out = os.path.join(work, "mistakes"), os.path.join(work, "out.json")
    subprocess.run([lockstep, "cc", os.path.join(here, "mistakes.cu"), "-o", program], check=True)
    done = subprocess.run([lockstep, "check", "--json=" + out, "--", program], capture_output=True, text=True)
    with open(out) as f:
        findings = json.load(f)["findings"]
found = {}
for f in findings:
    found.setdefault(f["kernel"], set()).add(f["kind"])
for kernel in set(expected) | set(found):
    if found.get(kernel, set()) != expected.get(kernel, set()):
        failures.append("%s: %s, not %s" % (kernel, sorted(found.get(kernel, set())),
                                            sorted(expected.get(kernel, set()))))
if done.returncode != 1:
    failures.append("exit status %d\n%s" % (done.returncode, done.stderr))
for text in failures:
    print("FAIL", text)
sys.exit(1 if failures else 0)
