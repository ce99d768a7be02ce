# SPDX-License-Identifier: Apache-2.0
"""A real GPU's counters for kernels of the suite, from the same PTX (tests/data/h200_suite_counters.csv):
requests, sectors, wavefronts and conflicts must be equal, and L1's hit rate and L2's hits where the order in
which warps run does not matter. `tools/record/counters.py compare` shows all kernels."""
import csv, os, sys

source = os.environ["SOURCE_DIR"]
sys.path.insert(0, os.path.join(source, "tools", "record"))
import counters

PROGRAMS = ("transpose-coalesced", "transpose-padded", "coalescing-chars", "coalescing-strided",
            "average-case01")
EXACT = [c for c in counters.METRICS if c.startswith(("global_load", "global_store", "shared_load", "shared_store",
                                                      "local_"))]
L2 = ("l2_sectors", "l2_hits")
ALSO = {"axpb-blocks": L2, "columns-padded": L2, "coalescing-strided": L2,
        "matmul-pipelined": ("shared_copy_requests", "global_load_requests", "global_store_sectors")}
L1 = ("coalescing-chars", "average-case01", "transpose-coalesced")
for name in ("LOCKSTEP_CC", "LOCKSTEP_GPU", "LOCKSTEP_JSON", "LOCKSTEP_DEVICES"):
    os.environ.pop(name, None)
cases = failures = 0
for row in csv.DictReader(open(os.path.join(source, "tests/data/h200_suite_counters.csv"))):
    name = row["program"].split()[0]
    if name not in PROGRAMS and name not in ALSO:
        continue
    kernel = counters.our_row(row)
    wanted = EXACT if name in PROGRAMS else []
    wanted = [*wanted, *(["l1_hit_rate"] if name in L1 else []), *ALSO.get(name, ())]
    for c in wanted if kernel else ["kernel"]:
        cases += 1
        found = counters.figure(kernel, c) if kernel else None
        if found is None or abs(found - float(row[c])) > 0.01:
            failures += 1
            print(f"FAILED: {name}: {c} is {found}, the GPU's {row.get(c)}")
print(f"{cases} cases, {failures} failures")
sys.exit(failures != 0 or cases < 50)
