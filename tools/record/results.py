# SPDX-License-Identifier: Apache-2.0
"""What the suite's rungs computed on a real GPU beside what they compute on the virtual one.

    results.py pack OUT.csv.xz RUN.json...        what `suite run --device gpu --json` wrote, as data
    results.py compare RECORDED.csv.xz RUN.json...  and what `suite run --json` wrote: a row a rung
    results.py compare RECORDED.csv.xz RUNG...      the same, run now (LOCKSTEP names the command)

A program says of all values that it verified how many they are, a hash, their sum and sum of squares, and 64
of them evenly spread (suite/common/suite.h); 16 are kept. Values compared for equality (integers, copies) must
have the same hash on both. Values with a tolerance (floats) are "identical" where the hash is the same, else the
largest difference of a kept value is given in parts of the values' root mean square, and must be below 1e-5
(3e-2 for linear reads of a 3-D texture). Both sides have also been verified, all values, against plain C. Mistakes of the lectures (result: wrong, either) may
differ.
"""
import csv, io, json, lzma, math, os, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
lockstep = os.environ.get("LOCKSTEP", os.path.join(os.path.dirname(os.path.dirname(here)), "build", "lockstep"))
FIELDS = ["rung", "size", "expected", "result", "exact_count", "exact_hash", "close_count", "close_hash", "close_sum",
          "close_squares", "values"]
MOST = 1e-5
# Reads of a 3-D texture with the linear filter: how the unit rounds eight weights of 8 bits has not been
# measured (docs/textures.md), so that they are as near as such weights allow.
TOLERANCE = {"texture/volume": 3e-2}


def digest(row):
    """A row of suite run's JSON as a row of data."""
    report = row.get("report") or {}
    exact, close = report.get("exact", {}), report.get("close", {})
    values = close.get("values", [])
    step = max(1, len(values) // 16)
    return {"rung": row["rung"], "size": str(row["size"]), "expected": row["expected"], "result": row["result"],
            "exact_count": str(exact.get("count", 0)), "exact_hash": exact.get("hash", ""),
            "close_count": str(close.get("count", 0)), "close_hash": close.get("hash", ""),
            "close_sum": repr(close.get("sum") or 0.0), "close_squares": repr(close.get("squares") or 0.0),
            "values": " ".join("nan" if v is None else f"{v:.9g}" for v in values[::step])}


def load(paths):
    return [digest(row) for path in paths for row in json.load(open(path))]


def pack(out, *paths):
    text = io.StringIO()
    table = csv.DictWriter(text, FIELDS, lineterminator="\n")
    table.writeheader()
    rows = sorted(load(paths), key=lambda r: r["rung"])
    table.writerows(rows)
    with lzma.open(out, "wt") as f:
        f.write(text.getvalue())
    print(f"{len(rows)} runs")


def run_now(rungs):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([lockstep, "suite", "run", f"--json={out.name}", *rungs], stderr=subprocess.DEVNULL)
        return load([out.name])


def difference(a, b):
    """Of values with a tolerance: 0 where all are identical, else the largest difference over their RMS."""
    if a["close_hash"] == b["close_hash"]:
        return 0.0
    n = int(a["close_count"])
    rms = math.sqrt(float(a["close_squares"]) / n) or 1
    pairs = zip(a["values"].split(), b["values"].split())
    worst = max((abs(float(x) - float(y)) for x, y in pairs), default=0)
    return max(worst, abs(float(a["close_sum"]) - float(b["close_sum"])) / n, 1e-300) / rms


def judge(recorded, now):
    """(identical values, values within the tolerance, worst difference, what is wrong)."""
    identical = within = 0
    worst, wrong = 0.0, ""
    for a, b in zip(recorded, now):
        counts = [(int(a[k]), int(b[k])) for k in ("exact_count", "close_count")]
        if a["size"] != b["size"] or any(x != y for x, y in counts) or a["result"] != b["result"]:
            wrong = wrong or f"size {a['size']}: {a['result']}, here {b['result']}; {counts}"
            continue
        if a["exact_hash"] != b["exact_hash"]:
            wrong = wrong or f"size {a['size']}: values that must be equal differ"
        d = difference(a, b)
        worst = max(worst, d)
        identical += counts[0][0] + (counts[1][0] if d == 0 else 0)
        most = TOLERANCE.get(a["rung"], MOST)
        within += counts[1][0] if 0 < d <= most else 0
        if not d <= most:
            wrong = wrong or f"size {a['size']}: differs by {d:.1e} of the root mean square"
    return identical, within, worst, wrong


def compare(path, *what):
    with lzma.open(path, "rt") as f:
        recorded = list(csv.DictReader(f))
    now = load(what) if what and what[0].endswith(".json") else run_now(what)
    by = {}
    for side, rows in enumerate((recorded, now)):
        for r in rows:
            by.setdefault(r["rung"], ([], []))[side].append(r)
    print(f"{'rung':28s} {'sizes':>5s} {'identical':>10s} {'within':>9s} {'largest difference':>18s}")
    good = bad = meant = 0
    for rung, (a, b) in sorted(by.items()):
        if not a or not b:
            continue
        identical, within, worst, wrong = judge(a, b)
        mistake = a[0]["expected"] != "right"
        good, bad, meant = good + (not wrong), bad + bool(wrong and not mistake), meant + bool(wrong and mistake)
        print(f"{rung:28s} {len(a):5d} {identical:10d} {within:9d} {f'{worst:.1e}' if worst else '0':>18s}"
              + (f"  {'a mistake: ' if mistake else 'NO: '}{wrong}" if wrong else ""))
    print(f"{good} rungs the same, {meant} mistakes whose result differs, {bad} others that differ")
    return 1 if bad else 0


VERBS = {"pack": pack, "compare": compare}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in VERBS:
        sys.exit(__doc__.strip())
    sys.exit(VERBS[sys.argv[1]](*sys.argv[2:]))
