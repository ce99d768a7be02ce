# SPDX-License-Identifier: Apache-2.0
"""Times of the suite on a real GPU, and how well `lockstep profile` foretells them.

    times.py merge BENCH.json... TIMES.csv PEERS.csv    what `suite bench --device gpu --json` wrote, as data
    times.py pack TIMES.csv REPORT.json...              what rungs printed (--json --batch 0), as data
    times.py profile TIMES.csv MODEL.csv [RUNG...]      `lockstep profile` of the rungs at the sizes that are
                                                        small enough: the bound and the estimate of a run
    times.py compare TIMES.csv MODEL.csv                the error, and how often two rungs are ranked rightly
    times.py ladder TIMES.csv PEERS.csv CHART.svg       the lectures' ladder as a table in Markdown and as a chart
    times.py roofline TIMES.csv PEERS.csv CHART.svg     the same rungs under an H200's roof

LOCKSTEP names the command (build/lockstep). A time is of back-to-back launches, so that what a launch costs
where the kernel is shorter is part of it.
"""
import csv, itertools, json, math, os, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
lockstep = os.environ.get("LOCKSTEP", os.path.join(root, "build", "lockstep"))

# The size at which a rung is profiled and timed for that: some seconds on one core.
SIZES = {"matmul": "512", "sgemm": "512", "transpose": "2048", "columns": "2048", "convolution2d": "1024",
         "picture": "1024", "smooth": "1024", "flatten": "1024", "texture": "1024", "nearest": "2000",
         "spmv": "200000"}
SIZE_OTHERS = "4000003"
# Left out: rungs that time several launches of different work one after the other, so that no one time stands
# beside the profile of them all; and those whose kernels do nothing.
LEFT_OUT = set("""banks/broadcast banks/permutation banks/stride cache_config/bank_width cache_config/move_execute_move
    cache_config/prefer texture/line texture/plane texture/volume texture/linear_memory resources/memory
    resources/threads roofline/intensity limits/edges matmul/example matmul/study qualifiers/arrays
    shared_size/too_much checked/errors checked/devices average/example atomics/race matmul/strassen""".split())
# Their times gave the two figures of src/model/model_launches.def: the shares are shown without them, too.
CALIBRATION = set("limits/folded barriers/lifted barriers/straight barriers/uniform_branch strides/int".split())


def small(rung):
    return SIZES.get(rung.split("/")[0], SIZE_OTHERS)


def read(path):
    with open(path) as f:
        return list(csv.DictReader(f))


def write(path, fields, rows):
    with open(path, "w") as f:
        out = csv.DictWriter(f, fields, lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


def merge(*paths):
    *benches, times, peers = paths
    ours, theirs = {}, {}
    for path in benches:
        for row in json.load(open(path)):
            found = {"median_ms": f"{row.get('median_milliseconds', 0):.6f}",
                     "spread_ms": f"{row.get('spread_milliseconds', 0):.6f}"}
            if "rung" in row and row.get("median_milliseconds", 0) > 0:
                ours[row["rung"], row["entry"]] = {"rung": row["rung"], "entry": row["entry"], **found}
            elif "peer" in row and "skipped" not in row:
                theirs[row["system"], row["entry"], row["peer"]] = {
                    "system": row["system"], "entry": row["entry"], "peer": row["peer"], **found}
    write(times, ["rung", "entry", "median_ms", "spread_ms"], ours.values())
    write(peers, ["system", "entry", "peer", "median_ms", "spread_ms"], theirs.values())
    print(f"{len(ours)} times of ours, {len(theirs)} of peers")


def pack(times, *reports):
    rows = []
    for path in reports:
        lines = [line for line in open(path) if line.startswith("{")]
        r = json.loads(lines[-1]) if lines else {}
        if r.get("median_milliseconds", 0) > 0:
            rows.append({"rung": r["program"], "entry": small(r["program"]),
                         "median_ms": f"{r['median_milliseconds']:.6f}",
                         "spread_ms": f"{r['spread_milliseconds']:.6f}"})
    write(times, ["rung", "entry", "median_ms", "spread_ms"], sorted(rows, key=lambda r: r["rung"]))
    print(f"{len(rows)} times")


def profile_one(rung, size):
    """Seconds of all kernels of one run: bound, estimate."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([lockstep, "profile", f"--json={out.name}", os.path.join(root, "suite", rung + ".cu"), "--",
                        "--size", size, "--repeat", "0", "--verify", "0"], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        kernels = json.load(open(out.name))["kernels"]
    roofs = [(k["roofline"], k["launches"]) for k in kernels]
    return sum(r["seconds"] * n for r, n in roofs), sum(r["estimate"] * n for r, n in roofs)


def profile(times, model, *wanted):
    have = {r["rung"]: r for r in read(model)} if os.path.exists(model) else {}
    for row in read(times):
        rung = row["rung"]
        if row["entry"] != small(rung) or rung in have or rung in LEFT_OUT or (wanted and rung not in wanted):
            continue
        try:
            bound, estimate = profile_one(rung, row["entry"])
        except subprocess.CalledProcessError:
            print(f"{rung}: no profile", file=sys.stderr)
            continue
        have[rung] = {"rung": rung, "entry": row["entry"], "bound_ms": f"{1e3 * bound:.6f}",
                      "estimate_ms": f"{1e3 * estimate:.6f}"}
        write(model, ["rung", "entry", "bound_ms", "estimate_ms"], have.values())


def rank(rows, column, name):
    """How often two rungs are ranked as measured; two that differ by less than a tenth are not ranked:
    launches vary as much."""
    for what, same in (("all pairs", lambda a, b: True),
                       ("pairs of one system", lambda a, b: a[0].split("/")[0] == b[0].split("/")[0])):
        pairs = [(a, b) for a, b in itertools.combinations(rows, 2)
                 if same(a, b) and abs(math.log(a[1] / b[1])) > math.log(1.1)]
        right = sum((a[1] < b[1]) == (a[column] < b[column]) for a, b in pairs)
        if pairs:
            print(f"  {name}, {what}: {right} of {len(pairs)} ranked rightly, {100 * right / len(pairs):.1f} %")


def compare(times, model, *quiet):
    measured = {(r["rung"], r["entry"]): float(r["median_ms"]) for r in read(times)}
    rows = [(r["rung"], measured[r["rung"], r["entry"]], float(r["bound_ms"]), float(r["estimate_ms"]))
            for r in read(model) if (r["rung"], r["entry"]) in measured and r["rung"] not in LEFT_OUT]
    held_back = [r for r in rows if r[0] not in CALIBRATION]
    if not quiet:
        print(f"{'rung':28s} {'measured us':>12s} {'bound us':>10s} {'estimate us':>12s} {'over it':>8s}")
        for rung, ms, bound, estimate in sorted(rows, key=lambda r: r[1] / r[3]):
            print(f"{rung:28s} {1e3 * ms:12.2f} {1e3 * bound:10.2f} {1e3 * estimate:12.2f} {ms / estimate:8.2f}")
    for name, column in (("bound", 2), ("estimate", 3)):
        above = sum(r[column] > 1.1 * r[1] for r in rows)
        ratio = sorted(r[1] / r[column] for r in rows if r[column] > 0)
        error = sorted(math.exp(abs(math.log(r))) for r in ratio)
        print(f"{name}: {len(rows)} rungs; more than a tenth above the measured time in {above}; measured over it: median "
              f"{ratio[len(ratio) // 2]:.2f}, quartiles {ratio[len(ratio) // 4]:.2f} and {ratio[3 * len(ratio) // 4]:.2f}; "
              f"off by a factor of {error[len(error) // 2]:.2f} (median), {error[9 * len(error) // 10]:.2f} (nine of ten)")
        rank(rows, column, "all rungs")
        rank(held_back, column, "without those the figures come from")


N28 = str(1 << 28)
# Ladders: title, bytes or operations a run in units of 1e9 (bytes, flops), its unit, rungs with their entry.
LADDERS = [
    ("product, n = 4096", 2e-9 * 4096**3, "GFLOP/s", "4096",
     "sgemm/float_sum matmul/naive matmul/tiled matmul/register matmul/coarse matmul/pipelined matmul/strassen".split(), "matmul"),
    ("transpose, 16384 x 16384", 8e-9 * 16384**2, "GB/s", "16384",
     "transpose/naive transpose/coalesced transpose/padded transpose/diagonal transpose/vectors".split(), "transpose"),
    ("forward difference, 2^28", 8e-9 * 2**28, "GB/s", N28,
     "difference/naive difference/shared difference/shuffle difference/vectors".split(), "difference"),
    ("1-D convolution, 9 taps, 2^28", 8e-9 * 2**28, "GB/s", N28 + " --mask 9",
     "convolution/basic convolution/constant convolution/tiled convolution/registers convolution/vectors".split(),
     "convolution"),
    ("2-D convolution, 5 x 5, 8192 x 8192", 8e-9 * 8192**2, "GB/s", "8192",
     "convolution2d/naive convolution2d/strips".split(), "convolution2d"),
    ("sum of 2^28 words", 4e-9 * 2**28, "GB/s", N28,
     "atomics/atomic atomics/hierarchical atomics/tree reduce/vectors".split(), "reduce"),
    ("averaging filter, 4 iterations, 2^28", 4 * 8e-9 * 2**28, "GB/s of iterations", N28 + " --iterations 4",
     "average/case06 average/case07 average/case14 average/case15 average/vectors".split(), None),
    ("histogram of 2^28 bytes", 1e-9 * 2**28, "GB/s", N28, "histogram/global histogram/copies".split(), "histogram"),
]
# What a lecture reported for its rung, in the ladder's unit: its device stands behind.
REPORTED = {"matmul/naive": (25, "Fermi"), "difference/naive": (36.8, "GT200"), "difference/shared": (57.5, "GT200")}


def ladder_rows(times, peers):
    """(title, unit, [(name, speed, reported or None)]); the peers' fastest last."""
    ours = {(r["rung"], r["entry"].split(" --tile")[0]): float(r["median_ms"]) for r in read(times)}
    for title, amount, unit, entry, rungs, system in LADDERS:
        rows = [(r, 1e3 * amount / ours[r, entry], REPORTED.get(r)) for r in rungs if (r, entry) in ours]
        best = min(((float(p["median_ms"]), p["peer"]) for p in read(peers)
                    if p["system"] == system and p["entry"] == entry), default=None)
        if best:
            rows.append((best[1], 1e3 * amount / best[0], None))
        yield title, unit, rows


def chart(ladders, path):
    """Bars, each ladder to the scale of its fastest; what a lecture reported as a line on the bar."""
    out, y = [], 30
    for title, unit, rows in ladders:
        most = max(speed for _, speed, _ in rows)
        out.append(f'<text x="10" y="{y}" font-weight="bold">{title}</text>')
        for name, speed, reported in rows:
            y += 20
            wide = 460 * speed / most
            colour = "#4878a8" if "/" in name else "#a0a0a0"
            out.append(f'<text x="10" y="{y}">{name}</text><rect x="220" y="{y - 12}" width="{wide:.1f}" '
                       f'height="15" fill="{colour}"/><text x="{226 + wide:.1f}" y="{y}">{speed:,.0f} {unit}'
                       + (f" (lecture: {reported[0]:g}, {reported[1]})" if reported else "") + "</text>")
            if reported:
                x = 220 + 460 * reported[0] / most
                out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y - 14}" y2="{y + 5}" stroke="#c03030" '
                           f'stroke-width="2"/>')
        y += 34
    with open(path, "w") as f:
        f.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 {y}" font-family="sans-serif" '
                f'font-size="12">\n<rect width="960" height="{y}" fill="#ffffff"/>\n' + "\n".join(out) + "\n</svg>\n")


def ladder(times, peers, path):
    ladders = list(ladder_rows(times, peers))
    chart(ladders, path)
    print("| work | rung | H200 | the lecture reported |\n| --- | --- | --- | --- |")
    for title, unit, rows in ladders:
        for name, speed, reported in rows:
            print(f"| {title} | {name} | {speed:,.0f} {unit} | "
                  f"{f'{reported[0]:g} ({reported[1]})' if reported else ''} |")
            title = ""


# Flops a byte of each ladder's work, each input read once and each output written once; sorts of work without
# arithmetic stand at the left edge.
INTENSITY = {"product": 4096 / 6, "transpose": 0, "forward": 1 / 8, "1-D": 17 / 8, "2-D": 49 / 8, "sum": 1 / 4,
             "averaging": 0.5 * 4, "histogram": 1}
PEAK, BANDWIDTH = 66908.0, 4800.0  # of an H200, GFLOP/s and GB/s: src/model/model_devices.def


def roofline(times, peers, path):
    """Log-log: x flops a byte, y GFLOP/s; work without arithmetic as if it had 1/16 flop a byte."""
    x = lambda i: 70 + 110 * math.log2(max(i, 1 / 16) * 16) / 2
    y = lambda g: 560 - 28 * math.log2(g)
    out = []
    ridge = PEAK / BANDWIDTH
    out.append(f'<polyline points="{x(1 / 16):.1f},{y(BANDWIDTH / 16):.1f} {x(ridge):.1f},{y(PEAK):.1f} '
               f'{x(1024):.1f},{y(PEAK):.1f}" fill="none" stroke="#c03030" stroke-width="2"/>')
    print("| work | flops a byte | rung | GFLOP/s | of the roof |\n| --- | --- | --- | --- | --- |")
    for title, unit, rows in ladder_rows(times, peers):
        i = max(next(v for k, v in INTENSITY.items() if title.startswith(k)), 1 / 16)
        label = 0
        for name, speed, _ in rows:
            flops = speed if unit == "GFLOP/s" else speed * i / (4 if title.startswith("averaging") else 1)
            roof = min(PEAK, i * BANDWIDTH)
            print(f"| {title} | {i:.3g} | {name} | {flops:,.0f} | {100 * flops / roof:.0f} % |")
            colour = "#4878a8" if "/" in name else "#a0a0a0"
            out.append(f'<circle cx="{x(i):.1f}" cy="{y(flops):.1f}" r="3" fill="{colour}"/>')
            if name == max(rows, key=lambda r: r[1])[0] or not label:
                out.append(f'<text x="{x(i) + 6:.1f}" y="{y(flops) + 4:.1f}">{name}</text>')
            label += 1
    for g in (100, 1000, 10000):
        out.append(f'<text x="10" y="{y(g) + 4:.1f}">{g:,}</text>')
    for i in (1 / 16, 1 / 4, 1, 4, 16, 64, 256):
        out.append(f'<text x="{x(i):.1f}" y="575">{i:g}</text>')
    with open(path, "w") as f:
        f.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 590" font-family="sans-serif" font-size="11">\n'
                '<rect width="960" height="590" fill="#ffffff"/>\n<text x="10" y="20" font-weight="bold">GFLOP/s over flops '
                'a byte: H200, 66.9 TFLOP/s, 4800 GB/s</text>\n' + "\n".join(out) + "\n</svg>\n")


VERBS = {"merge": merge, "pack": pack, "profile": profile, "compare": compare, "ladder": ladder, "roofline": roofline}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in VERBS:
        sys.exit(__doc__.strip())
    VERBS[sys.argv[1]](*sys.argv[2:])
