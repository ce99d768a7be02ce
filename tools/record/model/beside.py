# SPDX-License-Identifier: Apache-2.0
"""Estimates and counters beside what a GPU gave: figures of one comparison. kernels.py has the commands."""
import csv, glob, json, math, os, re, statistics, subprocess

SHORTEST = 5.0  # us


def measured_us(rows):
    """Of the launches of one kernel, grid and block: the median of three, else the mean of all."""
    many = sum(int(r["launches"]) for r in rows)
    first = [float(rows[0][f"us_{i}"]) for i in (1, 2, 3) if float(rows[0][f"us_{i}"]) > 0]
    mean = sum(float(r["us_mean"]) * int(r["launches"]) for r in rows) / many
    return (statistics.median(first) if many == 3 else mean), many


def joined(times, model):
    """Rows of MODEL.csv, each with measured_us, and `first`: the one launch that was measured is its process's first."""
    measured, programs = {}, set()
    for r in csv.DictReader(open(times)):
        measured.setdefault((r["program"], r["kernel"], r["grid"], r["block"]), []).append(r)
    for m in csv.DictReader(open(model)):
        found = measured.get((m["program"], m["kernel"], m["grid"], m["block"]))
        begins = m["program"] not in programs
        programs.add(m["program"])
        if found and any(int(r["launches"]) for r in found):
            us, many = measured_us(found)
            yield {**m, "measured_us": us, "estimate_us": float(m["estimate_us"]), "bound_us": float(m["bound_us"]),
                   "first": begins and many == 1}


def longest_grids(rows):
    """Of each kernel the grid that takes longest."""
    longest = {}
    for r in sorted(rows, key=lambda r: r["measured_us"]):
        longest[r["program"], r["kernel"]] = r
    return list(longest.values())


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    rank = [0.0] * len(values)
    for place, i in enumerate(order):
        rank[i] = place
    return rank


def correlation(a, b):
    return statistics.correlation(a, b) if len(a) > 1 else float("nan")


def figures(what, rows, column):
    if not rows:
        return
    error = [abs(r[column] / r["measured_us"] - 1) for r in rows]
    ratio = [math.log(max(r[column], 1e-9) / r["measured_us"]) for r in rows]
    within = [sum(abs(x) <= math.log(f) for x in ratio) / len(ratio) for f in (1.25, 1.5, 2)]
    logs = ([math.log(r["measured_us"]) for r in rows], [math.log(max(r[column], 1e-9)) for r in rows])
    nine = math.exp(sorted(abs(x) for x in ratio)[int(0.9 * len(ratio))])
    print(f"{what}: {len(rows)} kernels of {len({r['program'] for r in rows})} programs, {SHORTEST:g} us or more; mean error "
          f"{100 * statistics.mean(error):.1f} %, median {100 * statistics.median(error):.1f} %; geometric mean of estimate / "
          f"measured {math.exp(statistics.mean(ratio)):.2f}; correlation of times "
          f"{correlation([r['measured_us'] for r in rows], [r[column] for r in rows]):.3f}, of logarithms {correlation(*logs):.3f}, rank "
          f"{correlation(ranks(logs[0]), ranks(logs[1])):.3f}; within 1.25, 1.5, 2 times "
          f"{', '.join(f'{100 * w:.0f} %' for w in within)}; nine of ten within {nine:.2f}")


def worst(rows, column, count):
    print(f"{'program':22s} {'kernel':36s} {'grid':>14s} {'block':>10s} {'measured':>9s} {'estimate':>9s} ratio limit")
    for r in sorted(rows, key=lambda r: -abs(math.log(max(r[column], 1e-9) / r["measured_us"])))[:count]:
        print(f"{r['program']:22s} {r['kernel'][:36]:36s} {r['grid']:>14s} {r['block']:>10s} {r['measured_us']:9.2f} {r[column]:9.2f} "
              f"{r[column] / r['measured_us']:5.2f} {r['limit']}{' (first of its process)' if r.get('first') else ''}")


def read(path):
    number = lambda x: float(x) if x else None
    return [{**r, **{k: number(r[k]) for k in r if k.endswith("_us")}, "first": r.get("first") == "1"}
            for r in csv.DictReader(open(path))]


def compare(times, *more):
    """One file that has both, or TIMES.csv and MODEL.csv."""
    rest = [x for x in more if x.startswith("-")]
    if len(rest) == len(more):
        rows = read(times)
        both = [r for r in rows if r.get("frozen_us")]
        figures("frozen before it was compared", both, "frozen_us")
        if both and len(both) < len(rows):
            figures("estimate, of these", both, "estimate_us")
        again = [{**r, "measured_us": r["again_us"]} for r in rows if r.get("again_us")]
        figures("estimate, beside further launches of each, where they could be made", again, "estimate_us")
        mixed = {(r["program"], r["kernel"], r["grid"], r["block"]): r for r in again}
        if again:
            figures("the same, with the others as they came",
                    [mixed.get((r["program"], r["kernel"], r["grid"], r["block"]), r) for r in rows], "estimate_us")
    else:
        rows = [r for r in joined(times, more[0]) if r["measured_us"] >= SHORTEST]
        rows = longest_grids(rows) if "-1" in rest else rows
        figures("bound", rows, "bound_us")
    figures("estimate", rows, "estimate_us")
    late = [r for r in rows if not r["first"]]
    if len(late) < len(rows):
        figures("estimate, without launches that were the first and only one of a kernel and the first of their process", late,
                "estimate_us")
    worst(rows, "estimate_us", 0 if "-q" in rest else len(rows) if "-a" in rest else 20)


def shown(name):
    """A kernel's name without its type and arguments, 40 letters of it."""
    name = re.sub(r"^(void|unsigned int|int|float|double) ", "", name).split("(")[0]
    return re.sub(r"\b(\d+)u\b", r"\1", name).strip()[:40]


def base(name):
    """The same without template arguments."""
    return re.sub(r"<.*", "", shown(name)).strip()


def merge(times, model, out, *more):
    """What compare takes: of each kernel the grid that takes longest. OUT.csv has what was frozen, if it is there. more:
    times of further launches (KERNEL_REPEAT)."""
    old, again = out, {}
    for r in csv.DictReader(open(more[0])) if more else []:
        if int(r["launches"]) and any(float(r[f"us_{i}"]) for i in (1, 2, 3)):
            again[r["program"], r["kernel"], r["grid"], r["block"]] = measured_us([r])[0]
    known = {(r["program"], r["kernel"], r["grid"], r["block"]): r.get("frozen_us", r["estimate_us"])
             for r in (csv.DictReader(open(old)) if os.path.exists(old) else [])}
    rows = longest_grids([r for r in joined(times, model) if r["measured_us"] >= SHORTEST])
    names = subprocess.run(["c++filt"], input="\n".join(r["kernel"] for r in rows), capture_output=True, text=True).stdout.split("\n")
    with open(out, "w") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["program", "kernel", "grid", "block", "first", "measured_us", "again_us", "frozen_us", "estimate_us", "limit"])
        for r, name in sorted(zip(rows, map(shown, names)), key=lambda x: (x[0]["program"], x[0]["kernel"])):
            w.writerow([r["program"], name, r["grid"], r["block"], int(r["first"]), f"{r['measured_us']:.2f}",
                        "{:.2f}".format(again[r["program"], r["kernel"], r["grid"], r["block"]])
                        if (r["program"], r["kernel"], r["grid"], r["block"]) in again else "", known.get((r["program"], name, r["grid"], r["block"]), ""), f"{r['estimate_us']:.2f}", r["limit"]])


# -- counters -----------------------------------------------------------------------------------------------------

# Column; counters of `profile --json`, metrics of the profiler, each summed; how docs/model.md calls it.
COUNTERS = [
    ("load_requests", "global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global loads, requests"),
    ("load_sectors", "global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "global loads, sectors"),
    ("store_requests", "global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "global stores, requests"),
    ("store_sectors", "global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "global stores, sectors"),
    ("atomic_sectors", "global_atomic_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum "
     "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "global atomics, sectors"),
    ("local_sectors", "local_load_sectors local_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum "
     "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "local memory, sectors"),
    ("l1_sectors", "l1_sectors", "l1tex__t_sectors.sum", "L1, sectors"),
    ("l1_hits", "l1_hits", "l1tex__t_sectors_lookup_hit.sum", "L1, hits"),
    ("l2_sectors", "l2_sectors", "lts__t_sectors_srcunit_tex.sum", "L2, sectors"),
    ("l2_hits", "l2_hits", "lts__t_sectors_srcunit_tex_lookup_hit.sum", "L2, hits"),
    ("dram_read", "bytes_dram_read", "dram__bytes_read.sum", "bytes read from device memory"),
    ("dram_written", "bytes_dram_evicted", "dram__bytes_write.sum", "bytes written to device memory"),
    ("shared_load_wavefronts", "shared_load_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     "shared memory, wavefronts of loads"),
    ("shared_store_wavefronts", "shared_store_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
     "shared memory, wavefronts of stores"),
    ("instructions", "instructions", "smsp__inst_executed.sum", "instructions"),
]
UNITS = {"byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9}


def launches_of(path):
    """What the profiler counted of each launch, by kernel's name, grid and block."""
    lines, launches = open(path).read().splitlines(), {}
    begin = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    for r in csv.DictReader(lines[begin:]):
        if r.get("Metric Name"):
            shape = (" ".join(re.findall(r"\d+", r[x])) for x in ("Grid Size", "Block Size"))
            launch = launches.setdefault(r["ID"], (r["Kernel Name"], *shape, {}))
            try:
                launch[3][r["Metric Name"]] = float(r["Metric Value"].replace(",", "")) * UNITS.get(r["Metric Unit"], 1)
            except ValueError:
                pass
    return list(launches.values())


def grouped(rows):
    """By base name, grid and block: lists of what belongs to one kernel, in their order (templates have one base name)."""
    groups = {}
    for name, grid, block, value in rows:
        groups.setdefault((base(name), grid, block), {}).setdefault(name, []).append(value)
    return groups


def count(counted, kept, out):
    """COUNTED: `kernels.py measure`'s folder counters. KEPT: the JSON that `KEEP=KEPT kernels.py profile` has kept."""
    with open(out, "w") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["program", "kernel", "grid", "block"] + [x for c in COUNTERS for x in (c[0], c[0] + "_model")])
        for path in sorted(glob.glob(os.path.join(counted, "*.csv"))):
            program = os.path.basename(path)[:-4]
            ours = os.path.join(kept, program + ".json")
            if not os.path.exists(ours):
                continue
            kernels = [(k["name"], " ".join(map(str, k["grid"])), " ".join(map(str, k["block"])), k)
                       for k in json.load(open(ours))["kernels"]]
            theirs = grouped(launches_of(path))
            for key, own in grouped(kernels).items():
                if key not in theirs or len(theirs[key]) != sum(map(len, own.values())):
                    continue
                for k, launches in zip((k for v in own.values() for k in v), theirs[key].values()):
                    if not k["launches"] or k["failed"]:
                        continue
                    row = []
                    for _, names, metrics, _ in COUNTERS:
                        row += [statistics.mean(sum(x.get(m, 0) for m in metrics.split()) for x in launches),
                                sum(k["counters"].get(n) or 0 for n in names.split()) / k["launches"]]
                    w.writerow([program, *key] + [f"{x:.0f}" for x in row])


def counters(path):
    """A row a counter: of the kernels where either is not 0, the share that is equal, within 1 %, within 10 %."""
    rows = list(csv.DictReader(open(path)))
    print(f"{len(rows)} kernels of {len({r['program'] for r in rows})} programs")
    for name, _, _, text in COUNTERS:
        both = [(float(r[name + "_model"]), float(r[name])) for r in rows if r.get(name)]
        both = [(v, t) for v, t in both if v or t]
        if both:
            share = lambda far: 100 * sum(abs(v - t) <= far * t for v, t in both) / len(both)
            print(f"{text:36s} {len(both):4d} kernels: equal {share(0):5.1f} %, within 1 % {share(0.01):5.1f} %, within 10 % "
                  f"{share(0.1):5.1f} %")
