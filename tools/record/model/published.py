# SPDX-License-Identifier: Apache-2.0
"""Times and rates that others have published of GPUs that nothing here was measured on, beside the estimate.

    published.py FILE.csv       gpu,source,kernel,size,estimated_size,unit,published,estimate: unit ms, or GFLOP/s, of which
                                more is faster
"""
import csv, itertools, math, statistics, sys


def main(path):
    groups = {}
    for r in csv.DictReader(open(path)):
        ratio = float(r["estimate"]) / float(r["published"])  # of times: 1 / ratio of rates
        groups.setdefault((r["gpu"], r["source"]), []).append((r, ratio if r["unit"] == "ms" else 1 / ratio))
    for (gpu, source), rows in groups.items():
        print(f"{gpu}: {source}")
        for r, ratio in rows:
            print(f"  {r['kernel']:36s} {r['published']:>9s} {r['unit']:8s} estimate {float(r['estimate']):9.3f}   time / published {ratio:.2f}")
        pairs = [(a, b) for a, b in itertools.combinations(rows, 2) if max(float(a[0]["published"]), float(b[0]["published"])) >
                 1.05 * min(float(a[0]["published"]), float(b[0]["published"]))]
        right = sum((float(a[0]["published"]) < float(b[0]["published"])) == (float(a[0]["estimate"]) < float(b[0]["estimate"])) for a, b in pairs)
        ratios = [ratio for _, ratio in rows]
        print(f"  {len(rows)} kernels: mean error {100 * statistics.mean(abs(x - 1) for x in ratios):.1f} %, median "
              f"{100 * statistics.median(abs(x - 1) for x in ratios):.1f} %, geometric mean {math.exp(statistics.mean(map(math.log, ratios))):.2f}, "
              f"{right} of {len(pairs)} pairs over 5 % apart ordered rightly")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    main(sys.argv[1])
