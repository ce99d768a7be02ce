# SPDX-License-Identifier: Apache-2.0
"""Whether estimates rank choices as a GPU does: of pairs whose measured times differ by over 5 %, how many are ordered
rightly, and how much longer than the measured best the estimate's pick takes.

    ranking.py pack DEVICE MODEL.csv TIMES.csv... >SWEEPS.csv    programs SWEEP@CHOICE as kernels.py profiled MODEL.csv
                                                                 and measured them, the median of the runs TIMES.csv
    ranking.py recorded DEVICE SIZE TUNE.csv TUNE.json...        the same from times that were recorded (program,macros,
                                                                 size,median_ms) and what `tune --json` says of them
    ranking.py sweeps SWEEPS.csv                                 a row for each sweep
    ranking.py suite TIMES.csv MODEL.csv                         the rungs of each system; both from ../times.py
"""
import csv, itertools, json, math, os, statistics, sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(here))
FIELDS = ["device", "sweep", "choice", "us", "least_us", "most_us", "estimate_us"]
APART = 1.05  # pairs that are nearer to each other are not ranked
NEAR = 1.05  # a pick that takes no longer than the best by more is as good


def read(path):
    with open(path) as f:
        return list(csv.DictReader(f))


def of_programs(rows):
    """By program: kernels (name, grid, block) with their row."""
    programs = {}
    for r in rows:
        programs.setdefault(r["program"], {})[r["kernel"], r["grid"], r["block"]] = r
    return programs


def pack(device, model, *times):
    runs = [of_programs(read(path)) for path in times]
    out = csv.DictWriter(sys.stdout, FIELDS, lineterminator="\n")
    out.writeheader()
    for program, kernels in of_programs(read(model)).items():
        if any(set(kernels) != set(run.get(program, ())) for run in runs):
            print(f"{program}: other kernels on the GPU than here", file=sys.stderr)
            continue
        sums = sorted(sum(float(k["us_mean"]) * int(k["launches"]) for k in run[program].values()) for run in runs)
        estimate = sum(float(k["estimate_us"]) * int(runs[0][program][name]["launches"]) for name, k in kernels.items())
        sweep, choice = program.split("@")
        out.writerow(dict(zip(FIELDS, (device, sweep, choice, f"{statistics.median(sums):.2f}", f"{sums[0]:.2f}",
                                       f"{sums[-1]:.2f}", f"{estimate:.2f}"))))


def recorded(device, size, times, *reports):
    out = csv.DictWriter(sys.stdout, FIELDS, lineterminator="\n")
    known = {(r["program"], r["macros"]): r for r in read(times) if r["size"] == size and r["median_ms"]}
    for path in reports:
        program = "suite/" + os.path.basename(path).replace(".json", "").replace("-", "/", 1) + ".cu"
        for job in json.load(open(path)):
            r = known.get((program, " ".join(f"{name}={value}" for name, value in job["parameters"].items())))
            if r and job["place"]:
                us, spread = 1e3 * float(r["median_ms"]), 1e3 * float(r["spread_ms"])
                out.writerow(dict(zip(FIELDS, (device, program[6:-3], r["macros"], f"{us:.2f}", f"{us - spread / 2:.2f}",
                                               f"{us + spread / 2:.2f}", f"{1e3 * job['milliseconds']:.2f}"))))


def judge(rows):
    """Of rows (choice, measured, estimate): pairs that are ranked, those ordered rightly, the pick, the best."""
    pairs = [(a, b) for a, b in itertools.combinations(rows, 2) if abs(math.log(a[1] / b[1])) > math.log(APART)]
    right = sum((a[1] < b[1]) == (a[2] < b[2]) for a, b in pairs)
    return len(pairs), right, min(rows, key=lambda r: r[2]), min(rows, key=lambda r: r[1])


def table(groups):
    all_pairs = all_right = near = 0
    print(f"{'':26s} {'rows':>4s} {'pairs':>5s} {'right':>5s}  {'pick':18s} {'best':18s} the pick takes")
    for name, rows in groups:
        pairs, right, pick, best = judge(rows)
        all_pairs, all_right, near = all_pairs + pairs, all_right + right, near + (pick[1] <= NEAR * best[1])
        print(f"{name:26s} {len(rows):4d} {pairs:5d} {right:5d}  {pick[0]:18s} {best[0]:18s} {pick[1] / best[1]:.3f}")
    print(f"{all_right} of {all_pairs} pairs over {100 * (APART - 1):.0f} % apart ordered rightly, "
          f"{100 * all_right / max(all_pairs, 1):.1f} %; the pick within {100 * (NEAR - 1):.0f} % of the best in {near} of {len(groups)}")


def sweeps(path):
    groups = {}
    for r in read(path):
        groups.setdefault(f"{r['sweep']} ({r['device']})", []).append((r["choice"], float(r["us"]), float(r["estimate_us"])))
    table(list(groups.items()))


def suite(times, model):
    import times as rungs
    measured = {(r["rung"], r["entry"]): float(r["median_ms"]) for r in read(times)}
    groups = {}
    for r in read(model):
        system, rung = r["rung"].split("/")
        if (r["rung"], r["entry"]) in measured and r["rung"] not in rungs.LEFT_OUT:
            groups.setdefault(system, []).append((rung, measured[r["rung"], r["entry"]], float(r["estimate_ms"])))
    table([(name, rows) for name, rows in groups.items() if judge(rows)[0]])


VERBS = {"pack": pack, "recorded": recorded, "sweeps": sweeps, "suite": suite}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in VERBS:
        sys.exit(__doc__.strip())
    VERBS[sys.argv[1]](*sys.argv[2:])
