# SPDX-License-Identifier: Apache-2.0
"""Kernels of programs that the model's constants were not taken from: measured on a GPU, estimated here, compared.

    kernels.py measure SET OUT [SET OUT]...     with nvcc, on a GPU: each program's kernels, three launches each, by events
    kernels.py profile SET MODEL.csv [NAME...]      `lockstep profile` of the same programs
    kernels.py merge TIMES.csv MODEL.csv OUT.csv [AGAIN.csv]     of each kernel the grid that takes longest, measured and
                                                estimated; AGAIN.csv: times of further launches (KERNEL_REPEAT=3 measure)
    kernels.py compare OUT.csv | TIMES.csv MODEL.csv [-1] [-q | -a]     error, correlation, the share within a factor; the worst
                                                20 (-q: none, -a: all). -1: of each kernel the grid that takes longest
    kernels.py count COUNTED KEPT OUT.csv       the profiler's counters beside those of `lockstep profile`
    kernels.py counters OUT.csv                 the shares of them that are equal, within 1 %, within 10 %
    kernels.py ablate SET TIMES.csv OUT.csv [NAME...]    error without each mechanism of the model, over the same kernels
    kernels.py speed MODEL.csv                  warp instructions a second of those runs of `lockstep profile`

Estimates are those of a launch by itself between two events, as it is timed.

SET/programs.txt has a program a line: name; folder in SET; sources; options of the compiler; arguments. Kernels are the
same where name, grid and block are. What takes less than 5 us is left out of the comparison.
"""
import concurrent.futures, csv, json, math, os, re, statistics, subprocess, sys, tempfile, time

import beside

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(os.path.dirname(here)))
lockstep = os.environ.get("LOCKSTEP", os.path.join(root, "build", "lockstep"))


def programs(path):
    for line in open(os.path.join(path, "programs.txt")):
        if line.strip() and not line.startswith("#"):
            name, folder, sources, options, arguments = (x.strip() for x in line.rstrip("\n").split(";"))
            yield name, os.path.join(path, folder), sources.split(), options.split(), arguments.split()


def said(r):
    return (r.stdout + r.stderr).decode(errors="replace")[-600:]


def build(command, path, out):
    def one(p):
        name, folder, sources, options, _ = p
        made = os.path.join(out, name + ".out")
        r = subprocess.run([*command, *options, "-o", made, *sources], cwd=folder, capture_output=True)
        return p, made, r
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(one, list(programs(path)))


def measure(*sets):
    """All is compiled first; then set after set is timed, and counted."""
    begin, library = time.time(), cuda_library()
    work = tempfile.mkdtemp()
    hook = os.path.join(work, "timer.so")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", hook, os.path.join(here, "timer.c"), "-ldl"], check=True)
    nvcc = ["nvcc", "-O3", "-arch=sm_90", "-cudart", "shared", "-w"]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        built = list(pool.map(lambda path: list(build(nvcc, os.path.abspath(path), work)), sets[::2]))
    print(f"compiled after {time.time() - begin:.0f} s", flush=True)
    for programs_built, out in zip(built, sets[1::2]):
        os.makedirs(out, exist_ok=True)
        times(programs_built, os.path.abspath(out), library, hook, work)
        print(f"times after {time.time() - begin:.0f} s", flush=True)
        counters(programs_built, os.path.abspath(out), library, begin)
        print(f"counters after {time.time() - begin:.0f} s", flush=True)


def cuda_library():
    nvcc = subprocess.run(["which", "nvcc"], capture_output=True, text=True).stdout.strip()
    return os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(nvcc))), "lib64")


def times(built, out, library, hook, work):
    rows = []
    with open(os.path.join(out, "kernels.log"), "w") as log:
        for p, made, r in built:
            if r.returncode:
                log.write(f"== {p[0]}: not compiled\n{said(r)}\n")
                continue
            path = os.path.join(work, p[0] + ".csv")
            env = {**os.environ, "KERNEL_TIMES": path, "CUDA_MODULE_LOADING": "EAGER",
                   "LD_LIBRARY_PATH": library + ":" + os.environ.get("LD_LIBRARY_PATH", "")}
            try:
                r = subprocess.run(["env", "LD_PRELOAD=" + hook, made, *p[4]], cwd=p[1], capture_output=True, env=env, timeout=20)
            except subprocess.TimeoutExpired:
                log.write(f"== {p[0]}: stopped after 20 s\n")
                continue
            if r.returncode:
                log.write(f"== {p[0]}: status {r.returncode}\n{said(r)}\n")
            if os.path.exists(path):
                rows += [{"program": p[0], **row} for row in csv.DictReader(open(path))]
    write(os.path.join(out, "kernels.csv"), rows)
    print(f"{len(rows)} kernels of {len({r['program'] for r in rows})} programs", flush=True)


METRICS = """gpu__time_duration.sum smsp__inst_executed.sum launch__registers_per_thread launch__occupancy_limit_registers
    sm__warps_active.avg.pct_of_peak_sustained_active l1tex__t_sectors.sum l1tex__t_sectors_lookup_hit.sum
    l1tex__t_requests.sum lts__t_sectors.sum lts__t_sectors_lookup_hit.sum dram__bytes_read.sum dram__bytes_write.sum
    l1tex__data_pipe_lsu_wavefronts.sum l1tex__data_pipe_lsu_wavefronts_mem_shared.sum sm__inst_executed_pipe_alu.sum
    sm__inst_executed_pipe_fma.sum sm__inst_executed_pipe_fmaheavy.sum sm__inst_executed_pipe_fp64.sum sm__inst_executed_pipe_xu.sum
    sm__inst_executed_pipe_lsu.sum sm__cycles_active.max sm__cycles_active.avg sm__cycles_active.min
    smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio
    smsp__average_warps_issue_stalled_wait_per_issue_active.ratio""".split()


def counters(built, out, library, begin):
    """What a profiler counts of the first launches, with cold caches, as long as there is time."""
    most, folder = float(os.environ.get("SECONDS", "300")), os.path.join(out, "counters")
    os.makedirs(folder, exist_ok=True)
    for p, made, r in built:
        if r.returncode or time.time() - begin > most:
            continue
        with open(os.path.join(folder, p[0] + ".csv"), "w") as f:
            try:
                subprocess.run(["timeout", "25", "ncu", "--clock-control", "none", "--csv", "-c", "160", "--metrics",
                                ",".join(METRICS), made, *p[4]], cwd=p[1], stdout=f, stderr=subprocess.DEVNULL,
                               env={**os.environ, "LD_LIBRARY_PATH": library, "LAUNCHES": "1"})
            except OSError as e:
                print(f"no counters: {e}")
                return


def write(path, rows):
    if rows:
        with open(path, "w") as f:
            out = csv.DictWriter(f, list(rows[0]), lineterminator="\n")
            out.writeheader()
            out.writerows(rows)


def profile(path, model, *wanted):
    path = os.path.abspath(path)
    rows = list(csv.DictReader(open(model))) if os.path.exists(model) else []
    seconds = os.environ.get("SECONDS_EACH", "60")
    for name, folder, sources, options, arguments in programs(path):
        if (wanted and name not in wanted) or (not wanted and any(r["program"] == name for r in rows)):
            continue
        rows = [r for r in rows if r["program"] != name]
        with tempfile.TemporaryDirectory() as work:
            made, out = os.path.join(work, "a.out"), os.path.join(work, "profile.json")
            r = subprocess.run([lockstep, "cc", "-O3", "-w", *options, "-o", made, *sources], cwd=folder, capture_output=True)
            if r.returncode:
                print(f"{name}: not compiled\n{said(r)}", file=sys.stderr)
                continue
            begin, before = time.time(), os.times()
            r = subprocess.run(["timeout", seconds, lockstep, "profile", "--json=" + out, "--", made, *arguments], cwd=folder,
                               capture_output=True)
            if not os.path.exists(out):
                print(f"{name}: status {r.returncode} after {time.time() - begin:.0f} s\n{said(r)[-200:]}", file=sys.stderr)
                continue
            if os.environ.get("KEEP"):
                os.makedirs(os.environ["KEEP"], exist_ok=True)
                os.replace(out, os.path.join(os.environ["KEEP"], name + ".json"))
                out = os.path.join(os.environ["KEEP"], name + ".json")
            took, after = time.time() - begin, os.times()
            processor = sum(after[i] - before[i] for i in (2, 3))
            for k in json.load(open(out))["kernels"]:
                if not k["launches"] or k["failed"]:  # stopped in the middle, or a fault
                    continue
                rows.append({"program": name, "kernel": k.get("symbol") or k["name"], "grid": " ".join(map(str, k["grid"])),
                             "block": " ".join(map(str, k["block"])), "launches": k["launches"],
                             "bound_us": f"{1e6 * k['roofline']['seconds']:.3f}",
                             "estimate_us": f"{1e6 * k['roofline']['alone']:.3f}", "limit": k["roofline"]["limit"],
                             "busiest": k["roofline"]["busiest"], "instructions": k["counters"]["instructions"],
                             "seconds": f"{took:.3f}", "processor_seconds": f"{processor:.3f}"})
            print(f"{name}: {took:.1f} s", flush=True)
        write(model, rows)


def mechanisms():
    """Names in src/model/model_mechanisms.def."""
    text = open(os.path.join(root, "src", "model", "model_mechanisms.def")).read()
    return re.findall(r'^MECHANISM\(\w+, "([\w-]+)"', text, re.M)


def ablate(path, times, out, *wanted):
    """Each program is built once and profiled without each mechanism in turn; OUT.csv has the estimates, and goes on
    where it ended."""
    path, have = os.path.abspath(path), list(csv.DictReader(open(out))) if os.path.exists(out) else []
    with tempfile.TemporaryDirectory() as work:
        built = [b for b in build([lockstep, "cc", "-O3", "-w"], path, work) if not b[2].returncode]
        for without in ["", *mechanisms()]:
            for (name, folder, _, _, arguments), made, _ in built:
                if (wanted and name not in wanted) or any((r["without"], r["program"]) == (without, name) for r in have):
                    continue
                result = os.path.join(work, "profile.json")
                env = {**os.environ, "LOCKSTEP_MODEL": "-" + without if without else ""}
                subprocess.run(["timeout", os.environ.get("SECONDS_EACH", "60"), lockstep, "profile", "--json=" + result, "--",
                                made, *arguments], cwd=folder, capture_output=True, env=env)
                if not os.path.exists(result):
                    continue
                have += [{"without": without, "program": name, "kernel": k.get("symbol") or k["name"],
                          "grid": " ".join(map(str, k["grid"])), "block": " ".join(map(str, k["block"])),
                          "estimate_us": f"{1e6 * k['roofline']['alone']:.3f}"}
                         for k in json.load(open(result))["kernels"] if k["launches"] and not k["failed"]]
                os.remove(result)
            write(out, have)
    ablations(times, out)


def ablations(times, out):
    """A row for each mechanism: over the kernels that were estimated with all and without it."""
    estimates, measured = {}, {}
    for r in csv.DictReader(open(out)):
        estimates.setdefault(r["without"], {})[r["program"], r["kernel"], r["grid"], r["block"]] = float(r["estimate_us"])
    for r in csv.DictReader(open(times)):
        first = [float(r[f"us_{i}"]) for i in (1, 2, 3) if float(r[f"us_{i}"]) > 0]
        us = float(r["us_mean"]) if int(r["launches"]) > 3 or not first else statistics.median(first)
        if us >= beside.SHORTEST:
            measured[r["program"], r["kernel"], r["grid"], r["block"]] = us
    kernels = {k for k in estimates[""] if k in measured}
    errors = lambda e, keys: sorted(abs(e[k] / measured[k] - 1) for k in keys)
    for without, e in sorted(estimates.items(), key=lambda x: -statistics.mean(errors(x[1], kernels & set(x[1])))):
        keys = kernels & set(e)
        off, base = errors(e, keys), errors(estimates[""], keys)
        changed = sum(abs(e[k] / estimates[""][k] - 1) > 0.01 for k in keys)
        print(f"{without or 'none':14s} {len(keys):4d} kernels, mean {100 * statistics.mean(off):6.1f} % (with all {100 * statistics.mean(base):.1f}), "
              f"median {100 * statistics.median(off):5.1f} %, changed {changed}")


def speed(model):
    """Of each program: all its kernels' warp instructions (PTX) over the seconds that it took as a whole, with what the
    host does, starting and compiling."""
    programs = {}
    for r in csv.DictReader(open(model)):
        p = programs.setdefault(r["program"], [0, float(r["seconds"]), float(r["processor_seconds"])])
        p[0] += float(r["instructions"])
    rows = sorted((p[0] / p[1], name, *p) for name, p in programs.items() if p[0] > 0)
    for rate, name, instructions, took, processor in rows[:10]:
        print(f"{name:24s} {1e-6 * rate:8.2f} million a second: {1e-6 * instructions:9.2f} million in {took:.2f} s ({processor:.2f} s of processors)")
    for least in (0, 1e6, 1e7, 1e8):
        rates = [math.log(r[0]) for r in rows if r[2] >= least]
        if rates:
            print(f"{len(rates)} programs of {1e-6 * least:g} million or more: {1e-6 * math.exp(statistics.mean(rates)):.2f} million "
                  f"a second in the geometric mean, {sum(r[2] for r in rows if r[2] >= least) / sum(r[3] for r in rows if r[2] >= least) * 1e-6:.2f} over all")


VERBS = {"measure": measure, "profile": profile, "merge": beside.merge, "compare": beside.compare, "count": beside.count,
         "counters": beside.counters, "ablate": ablate, "ablations": ablations, "speed": speed}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in VERBS:
        sys.exit(__doc__.strip())
    VERBS[sys.argv[1]](*sys.argv[2:])
