#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/profile/transfers.cu under the profiler of this machine's GPU: needs nvcc and ncu. transfers.sh OUT.csv
# [SOURCE] writes a row a kernel and metric: kernel,metric,value, of those metrics of the profiler's that are not 0
# for all of them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(realpath "${1:?usage: transfers.sh OUT.csv [SOURCE]}")
source=${2:-$here/../../tests/profile/transfers.cu}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >&2
ncu --version | tail -1 >&2
date -u +%Y-%m-%d >&2
nvcc -std=c++17 -gencode=arch=compute_90a,code=sm_90a -o "$work/transfers" "$source" -lcuda
ncu --query-metrics --chip gh100 | awk '{print $1}' >"$work/all"
cp "$work/all" "$(dirname "$out")/metrics"
grep -E 'tma|dshared|dsmem|ublk|utma|multicast|mcast|cga|op_shared|mem_shared|^l1tex__m_.*(bytes|sectors|requests)' "$work/all" |
    grep -Ev 'cycles|texture|surface|_local|pixout|_gnic|ltc__|^lts__.*(evict|policy)' | sed 's/$/.sum/' >"$work/some"
echo "lts__t_sectors_srcunit_tex.sum
lts__t_sectors_srcunit_tex_op_read.sum
lts__t_sectors_srcunit_tex_op_write.sum
lts__t_sectors_srcunit_tex_op_red.sum
lts__t_requests_srcunit_tex.sum
l1tex__t_sectors.sum
smsp__inst_executed.sum" >>"$work/some"
wc -l <"$work/some" >&2
for _ in 1 2 3 4; do # names that the profiler lists and does not know are taken out
    timeout "${LIMIT:-120}" ncu --csv --page raw --print-units base --clock-control none --metrics \
        "$(paste -sd, <"$work/some")" "$work/transfers" >"$work/raw" 2>"$work/errors" && break
    cat "$work/errors" "$work/raw" | grep -E '^==(ERROR|WARNING)==' | head -20 >&2 || true
    cat "$work/errors" "$work/raw" | grep -oE '[a-z0-9]+__[a-z0-9_]+' | sort -u >"$work/unknown"
    grep -q '"ID"' "$work/raw" && break
    grep -vwFf "$work/unknown" "$work/some" >"$work/left" || true
    mv "$work/left" "$work/some"
done
cp "$work/raw" "$(dirname "$out")/raw"
python3 - "$work/raw" "$out" <<'END'
import csv, re, sys
rows = list(csv.reader(line for line in open(sys.argv[1], errors="replace") if line.startswith('"')))
names, rows = rows[0], [r for r in rows if r and r[0].isdigit()]
at = names.index("Kernel Name")
def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None
def short(kernel):
    return re.sub(r"\(int\)|^void |\(.*", "", re.sub(r"\(int\)", "", kernel)).replace(" ", "")
with open(sys.argv[2], "w", newline="") as f:
    out = csv.writer(f, lineterminator="\n")
    out.writerow(["kernel", "metric", "value"])
    for k, metric in enumerate(names):
        if ".sum" in metric and any(number(r[k]) for r in rows):
            for r in rows:
                if number(r[k]) is not None:
                    out.writerow([short(r[at]), metric, "%.10g" % number(r[k])])
print(len(rows), "kernels")
END
