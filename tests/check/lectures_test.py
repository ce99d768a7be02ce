# SPDX-License-Identifier: Apache-2.0
"""lectures.cu under `lockstep check`: every bad_ kernel is reported with its kinds, and no good_ one;
exit codes, JSON, --only, suppressions, compute-sanitizer's spellings."""
import json
import os
import subprocess
import sys
import tempfile

lockstep = os.environ["LOCKSTEP"]
here = os.path.dirname(os.path.abspath(__file__))
failures = []

expected = {
    "bad_sum3_edges": {"out-of-bounds"},
    "bad_global_index": {"out-of-bounds"},
    "bad_halo": {"out-of-bounds", "uninitialized"},
    "bad_product_use": {"shared-race"},
    "bad_product_overwrite": {"shared-race"},
    "bad_dynamic": {"out-of-bounds"},
    "bad_no_bounds": {"out-of-bounds"},
    "bad_null": {"out-of-bounds"},
    "bad_freed": {"out-of-bounds"},
    "bad_host_pointer": {"wrong-space"},
    "bad_misaligned": {"misaligned"},
    "bad_neighbour": {"out-of-bounds"},
    "bad_constant": {"out-of-bounds"},
    "bad_lend": {"wrong-space"},
    "bad_filter_in_place": {"global-race"},
    "bad_race": {"global-race"},
    "bad_same_value": {"global-race"},
    "bad_block_scope": {"global-race"},
    "bad_unset_sum": {"uninitialized"},
    "bad_late_zero": {"shared-race"},
    "bad_unset_global": {"uninitialized"},
    "bad_unset_local": {"uninitialized"},
    "bad_warp_sum": {"shared-race"},
    "bad_mask": {"invalid-mask"},
    "bad_message": {"global-race"},
    "bad_grid": {"global-race"},
    "bad_named_barriers": {"shared-race"},
    "bad_barrier_in_branch": {"barrier-divergence"},
    "bad_barrier_in_branches": {"barrier-divergence"},
    "bad_return_first": {"barrier-divergence"},
    "bad_other_stream": {"host-device-race"},
}


def fail(text):
    failures.append(text)
    print("FAIL", text)


def check(*words, status=None):
    """Runs lockstep check --json FILE words; returns the JSON, or None."""
    out = os.path.join(work, "out.json")
    if os.path.exists(out):
        os.unlink(out)
    done = subprocess.run([lockstep, "check", "--json=" + out, *words], capture_output=True, text=True)
    if status is not None and done.returncode != status:
        fail(f"{words}: exit status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    if not os.path.exists(out):
        return None, done
    with open(out) as f:
        return json.load(f), done


def kinds_by_kernel(result):
    kinds = {}
    for f in result["findings"]:
        kinds.setdefault(f["kernel"], set()).add(f["kind"])
    return kinds


def side_is_complete(side):
    return (set(side) >= {"op", "file", "line", "block", "thread", "size", "address"}
            and side["block"] and len(side["block"]) == 3 and len(side["thread"]) == 3)


with tempfile.TemporaryDirectory() as work:
    program = os.path.join(work, "lectures")
    subprocess.run([lockstep, "cc", os.path.join(here, "lectures.cu"), "-o", program], check=True)

    # All kernels.
    result, done = check("--", program, status=1)
    found = kinds_by_kernel(result)
    for kernel, kinds in expected.items():
        if found.get(kernel, set()) != kinds:
            fail(f"{kernel}: {sorted(found.get(kernel, set()))}, not {sorted(kinds)}")
    for kernel, kinds in found.items():
        if kernel not in expected:
            fail(f"{kernel}: reported {sorted(kinds)}, but is right")
    for f in result["findings"]:
        if not side_is_complete(f["access"]) or (f["other"] and not side_is_complete(f["other"])):
            fail(f"incomplete: {f}")
        if not isinstance(f["missing"], str):
            fail(f"missing is no text: {f}")
        if "race" in f["kind"] and not (f["other"] and f["missing"]):
            fail(f"a race without its other side: {f}")
        if f["access"]["file"] is None or not f["access"]["file"].endswith("lectures.cu"):
            fail(f"not a place in the program: {f['access']}")
    same = [f for f in result["findings"] if f["kernel"] == "bad_same_value"]
    if [f["severity"] for f in same] != ["warning"]:
        fail(f"writing the same value is a warning: {same}")
    texts = {f["kernel"]: f["message"] for f in result["findings"]}
    for kernel, words in {"bad_neighbour": "allocation 4", "bad_freed": "was freed", "bad_halo": '"s"',
                          "bad_null": "null pointer", "bad_lend": "another block",
                          "bad_constant": '"table"', "bad_dynamic": "dynamic"}.items():
        if words not in texts.get(kernel, ""):
            fail(f"{kernel}: no {words} in: {texts.get(kernel)}")
    if result["summary"]["launches_checked"] < 50 or result["version"] != 1:
        fail(f"summary {result['summary']}")

    # Warps in lock-step: before 7.0, and code that was compiled for an architecture before that.
    earlier = os.path.join(work, "earlier")
    subprocess.run([lockstep, "cc", "-arch=sm_60", os.path.join(here, "lectures.cu"), "-o", earlier], check=True)
    check("--kernel", "warp_sum", "--", program, status=1)
    check("--cc", "6.1", "--kernel", "warp_sum", "--", program, status=0)
    check("--kernel", "warp_sum", "--", earlier, status=0)

    # Ends of the device, the host's mistakes, nothing, nothing wrong.
    result, done = check("--", program, "deadlock", status=1)
    if kinds_by_kernel(result).get("bad_deadlock") != {"barrier-deadlock"}:
        fail(f"deadlock: {result['findings']}")
    result, done = check("--", program, "host", status=1)
    kinds = sorted(f["kind"] for f in result["findings"])
    if kinds != ["api-error", "api-error", "invalid-free", "leak"]:
        fail(f"host: {kinds}")
    check("--", program, "nothing", status=3)
    result, done = check("--", program, "clean", status=0)
    if result["findings"]:
        fail(f"clean: {result['findings']}")

    # --only, filters, suppressions, compute-sanitizer's spellings.
    result, done = check("--only", "sync", "--", program, status=1)
    if {f["kind"] for f in result["findings"]} != {"barrier-divergence", "invalid-mask"}:
        fail("--only sync")
    check("--kernel", "good_product", "--", program, status=0)
    check("--only", "nonsense", "--", program, status=2)
    check("--kernel", "no_such_kernel", "--only", "race", "--", program, status=3)
    text = subprocess.run([lockstep, "check", "--kernel", "bad_race", "--gen-suppressions", "--", program],
                          capture_output=True, text=True).stdout
    blocks = text[text.index("{"):text.rindex("}") + 1]
    path = os.path.join(work, "suppressions")
    with open(path, "w") as f:
        f.write("# found before\n" + blocks + "\n")
    result, done = check("--kernel", "bad_race", "--suppressions", path, "--", program, status=0)
    if result["findings"] or not result["summary"]["suppressed"]:
        fail("suppressions")
    text = subprocess.run([lockstep, "check", "--tool", "racecheck", "--racecheck-report", "all",
                           "--error-exitcode", "9", "--kernel-name", "kernel_substring=bad_product",
                           "--print-limit", "1", "--", program], capture_output=True, text=True)
    if text.returncode != 9 or "RACECHECK SUMMARY: 1 hazards displayed" not in text.stdout:
        fail(f"racecheck: {text.returncode} {text.stdout}")
    check("--tool", "initcheck", "--track-unused-memory", "yes", "--force-blocking-launches", "no",
          "--check-device-heap", "yes", "--strip-paths", "no", program, "clean", status=0)
    text = subprocess.run([lockstep, "check", "--tool", "memcheck", "--", program, "clean"],
                          capture_output=True, text=True)
    if text.returncode != 0 or "========= ERROR SUMMARY: 0 errors" not in text.stdout:
        fail(f"memcheck: {text.returncode} {text.stdout}")

sys.exit(1 if failures else 0)
