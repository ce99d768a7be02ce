# SPDX-License-Identifier: Apache-2.0
"""What bench/run.py measured, as text, and the goals: what they ask for and what was found."""

import math

STREAMS = ("sum3", "fd_", "conv1d", "transpose")
COMPUTE = ("sgemm", "conv2d", "avg", "conv1d", "hist")  # rows that two workers should run twice as fast


def geometric(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def time_of(row, peer):
    found = row["peers"].get(peer)
    return found["ms"] if found else None


def pocl_best(row):
    return min((t for t in (time_of(row, "PoCL"), time_of(row, "PoCL fast")) if t), default=None)


def ratio(a, b):
    return a / b if a and b else None


def limit_of(result, row):
    """Milliseconds that the row's work takes at the machine's limit: its multiply-adds, or a copy in turns with it."""
    if row["kind"] == "PRODUCT" and any(r["row"] == "fma" for r in result.get("limits", [])):
        return row["work"] / fma_peak(result) / 1e6
    return time_of(row, "copy")


def fma_peak(result):
    """GFLOP/s: rows_c.c's row fma makes 4096^2 x 6 x (16 or 8) operations a thread."""
    for r in result.get("limits", []):
        if r["row"] == "fma":
            lanes = 16 if "avx512f" in open("/proc/cpuinfo").read() else 8
            return 4096**2 * 6 * lanes * result["workers"] / time_of(r, "tuned C") / 1e6
    return None


# -- goals ---------------------------------------------------------------------------------------------


def goals(result, mine):
    """[(goal, figure as text, reached)]"""
    out, rows = [], result["rows"]

    def goal(text, value, least, unit="x", most=None):
        if value is not None:
            reached = value <= most if most is not None else value >= least
            out.append({"goal": text, "value": value, "unit": unit, "reached": reached})

    versus = {r["row"]: ratio(pocl_best(r), time_of(r, mine)) for r in rows}
    found = {k: v for k, v in versus.items() if v}
    goal("PoCL's best / ours, geometric mean: at least 8", geometric(found.values()), 8)
    if found:
        worst = min(found, key=found.get)
        goal(f"no row slower than PoCL; the worst is {worst}", found[worst], 1)
    goal("plain C / ours, geometric mean: at least 0.5",
         geometric(v for r in rows if (v := ratio(time_of(r, "plain C"), time_of(r, mine)))), 0.5)
    best = max((r for r in rows if "_reg" in r["row"] and time_of(r, mine)), default=None,
               key=lambda r: 1 / time_of(r, mine))
    if best:
        goal(f"{best['row']} / FMA peak: at least 0.5", ratio(limit_of(result, best), time_of(best, mine)), 0.5)
    for r in rows:
        if r["row"].startswith(STREAMS):
            goal(f"{r['row']} / copy's bandwidth: at least 0.7", ratio(limit_of(result, r), time_of(r, mine)), 0.7)
    for r in rows:
        if r["row"].startswith("reduce_tree") and time_of(r, mine):
            goal(f"{r['row']}: at least 20 GB/s", r["work"] / time_of(r, mine) / 1e6, 20, "GB/s")
    for r in rows:
        if r["row"].startswith("hist"):
            goal(f"{r['row']}: PoCL's best / ours at least 10", versus[r["row"]], 10)
    scaled = {r["row"]: ratio(time_of(r, "1 worker"), time_of(r, mine)) for r in rows
              if r["row"].startswith(COMPUTE) and mine != "1 worker" and result["clock"] == "wall"}
    goal("1 worker / 2 workers on compute-bound rows, geometric mean: at least 1.9",
         geometric(v for v in scaled.values() if v), 1.9)
    for tool, most in (("check", 8), ("profile", 4)):
        goal(f"{tool} / unchecked, geometric mean: at most {most}",
             geometric(v for r in result.get("checked", []) if (v := ratio(time_of(r, tool), time_of(r, mine)))),
             0, most=most)
    return out


# -- text ------------------------------------------------------------------------------------------------


def cell(value, width, digits=2, suffix=""):
    return f"{'-' if value is None else f'{value:.{digits}f}{suffix}':>{width}}"


def print_rows(result, mine):
    names = ["1 worker", mine] if mine != "1 worker" else [mine]
    others = ["PoCL", "PoCL fast", "plain C", "tuned C", "OpenBLAS"]
    print(f"{'milliseconds':<18}" + "".join(f"{n:>11}" for n in names + others) +
          f"{'spread':>8}{'rate':>9} {'':<8}{'scaling':>8}{'PoCL/':>8}{'plain/':>8}{'tuned/':>8}{'limit/':>8}")
    for r in result["rows"]:
        own = time_of(r, mine)
        print(f"{r['row']:<18}" + "".join(cell(time_of(r, n), 11) for n in names + others) +
              cell(100 * r["peers"][mine]["spread"] if own else None, 7, 0) + "%" +
              cell(r["work"] / own / 1e6 if own else None, 9, 1) + f" {r['unit']:<8}" +
              "".join(cell(ratio(t, own), 8) for t in (time_of(r, "1 worker"), pocl_best(r),
                                                       time_of(r, "plain C"), time_of(r, "tuned C"),
                                                       limit_of(result, r))))
        for name, p in r["peers"].items():
            if not p["verified"]:
                print(f"    {name}: WRONG RESULT")


def print_scaling(result, mine, many=64):
    """By Amdahl's law from one worker and all: what does not get faster is serial. Memory that does not
    grow with the cores bounds it: the rate that streams would then ask for says from where on."""
    w = result["workers"]
    print(f"\n{'scaling':<18}{f'1 -> {w}':>10}{f'1 -> {many}, model':>16}{'its GB/s':>10}")
    for r in result["rows"]:
        one, all_of_them = time_of(r, "1 worker"), time_of(r, mine)
        if not one or not all_of_them:
            continue
        serial = max(0.0, (w * all_of_them - one) / (w - 1))
        then = serial + (one - serial) / many if serial < one else one
        rate = r["work"] / then / 1e6 if r["unit"] == "GB/s" else None
        print(f"{r['row']:<18}{cell(one / all_of_them, 10)}{cell(one / then, 16, 1)}{cell(rate, 10, 0)}")


def print_checked(result, mine):
    print(f"\n{'work / 8':<18}{mine + ', ms':>14}{'check':>9}{'profile':>9}")
    for r in result["checked"]:
        own = time_of(r, mine)
        print(f"{r['row']:<18}{cell(own, 14, 3)}{cell(ratio(time_of(r, 'check'), own), 8)}x"
              f"{cell(ratio(time_of(r, 'profile'), own), 8)}x")


def print_costs(result, mine):
    rows = {r["row"]: r for r in result["costs"]}

    def line(text, function):
        values = [function(lambda row, p=peer: time_of(rows[row], p) if row in rows else None)
                  for peer in ("1 worker", mine, "PoCL")]
        print(f"{text:<50}" + "".join(cell(v, 12, 3) for v in values))

    def minus(a, b, by):
        return 1e3 * (a - b) * by if a and b else None

    print(f"\n{'costs, microseconds':<50}{'1 worker':>12}{mine:>12}{'PoCL':>12}")
    line("launch of an empty block, waited for", lambda t: minus(t("empty_waited"), 1e-12, 1))
    line("the same, queued", lambda t: minus(t("empty_queued"), 1e-12, 1))
    line("a block more in an empty launch", lambda t: minus(t("empty_blocks"), t("empty_waited"), 1e-4))
    line("a barrier of 256 threads (64 blocks of 1000)",
         lambda t: minus(t("barriers_many"), t("barriers_none"), 1 / 64000))


def print_compiling(result):
    print(f"\n{'compiling, milliseconds':<36}{'whole program':>16}{'first launch':>14}{'again: whole':>14}"
          f"{'first launch':>14}")
    for r in result["compiling"]:
        print(f"{'lockstep' if r['peer'] == '1 worker' else r['peer']:<12}{r['row']:<24}"
              f"{r['new']['whole_ms']:>16.0f}{r['new']['launch_ms']:>14.1f}{r['cached']['whole_ms']:>14.0f}"
              f"{r['cached']['launch_ms']:>14.2f}")


def print_products(result):
    print(f"\n{'suite/matmul':<16}{'n':>6}{'workers':>9}{'ms':>10}{'GFLOP/s':>10}{'Mmadd/s':>10}"
          f"{'scaling':>9}{'spread':>8}")
    for r in result["products"]:
        print(f"{r['rung']:<16}{r['n']:>6}{r['workers']:>9}{r['milliseconds']:>10.2f}{r['gflops']:>10.1f}"
              f"{r['million_madds']:>10.0f}{r['scaling']:>9.2f}{100 * r['spread']:>7.0f}%")


def print_all(result, mine):
    print(f"{result['cpu']}, {result['cores']} cores, load {result['load']:.1f}, "
          f"{'processor time' if result['clock'] == 'cpu' else 'wall clock'}, least of the samples\n")
    for name, why in result["missing"].items():
        print(f"{name} is missing: {why}")
    if result["rows"]:
        print_rows(result, mine)
    limits = {r["row"]: time_of(r, "tuned C") for r in result.get("limits", [])}
    if limits:
        print(f"limits: FMA {fma_peak(result):.0f} GFLOP/s, by themselves: copy of 64 MiB {2 * 4 * 2**24 / limits['copy64'] / 1e6:.1f}"
              f" GB/s, of 256 MiB {2 * 4 * 2**26 / limits['copy256'] / 1e6:.1f} GB/s")
    if mine != "1 worker" and result["clock"] == "wall" and any("1 worker" in r["peers"] for r in result["rows"]):
        print_scaling(result, mine)
    for part, show in (("checked", print_checked), ("costs", print_costs)):
        if result.get(part):
            show(result, mine)
    for part, show in (("compiling", print_compiling), ("products", print_products)):
        if result.get(part):
            show(result)
    if result["goals"]:
        print()
    for g in result["goals"]:
        print(f"{'reached' if g['reached'] else 'MISSED ':<8} {g['value']:8.2f} {g['unit']:<5} {g['goal']}")
