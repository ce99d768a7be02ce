# SPDX-License-Identifier: Apache-2.0
# Joins a file of access patterns with the profiler's counters, n-th kernel to n-th row, and prints
# CSV in the form of tests/data/h200_access_counters.csv. The kernel reads its own addresses with one
# global load of 8 bytes: 1 request, 8 sectors; they are taken off global loads.
#   access_merge.py --metrics | access_merge.py PATTERNS.csv RAW.csv
import csv
import sys

OPS = ("ld", "st", "atom", "red")


def metric_names():
    names = []
    for op in OPS:
        names.append(f"l1tex__t_requests_pipe_lsu_mem_global_op_{op}.sum")
        names.append(f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum")
    for op in ("ld", "st", "atom"):
        names.append(f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum")
        names.append(f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum")
    for op in ("ld", "st", "atom"):
        names.append(f"smsp__inst_executed_op_shared_{op}.sum")
    return names


def number(row, name):
    text = (row.get(name) or "").replace(",", "")
    return int(float(text)) if text else 0


def counters(pattern, row):
    op = pattern["op"]
    if pattern["space"] == "shared":
        op = "atom" if op == "red" else op
        return (number(row, f"smsp__inst_executed_op_shared_{op}.sum"), "",
                number(row, f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"),
                number(row, f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum"))
    own = 1 if op == "ld" else 0
    return (number(row, f"l1tex__t_requests_pipe_lsu_mem_global_op_{op}.sum") - own,
            number(row, f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum") - 8 * own, "", "")


def main():
    if sys.argv[1:] == ["--metrics"]:
        print(",".join(metric_names()))
        return 0
    with open(sys.argv[1]) as f:
        patterns = list(csv.DictReader(f))
    with open(sys.argv[2]) as f:
        lines = [line for line in f if line.startswith('"')]
    rows = [row for row in csv.DictReader(lines) if row.get("ID", "").strip()]
    if len(rows) != len(patterns):
        print(f"{len(patterns)} patterns, {len(rows)} kernels profiled", file=sys.stderr)
        return 1
    lanes = [f"a{i}" for i in range(32)]
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["id", "space", "op", "width", "mask", "name", "requests", "sectors",
                  "wavefronts", "bank_conflicts", *lanes])
    for pattern, row in zip(patterns, rows):
        out.writerow([pattern["id"], pattern["space"], pattern["op"], pattern["width"],
                      pattern["mask"], pattern.get("name", ""), *counters(pattern, row),
                      *(pattern[lane] for lane in lanes)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
