# SPDX-License-Identifier: Apache-2.0
"""The suite's kernels under a real GPU's profiler, from the same PTX, beside `lockstep profile`.

    counters.py pack DIR            here: builds the rungs and puts them with the library into DIR
    DIR/record.sh OUT.csv           on the GPU's machine: runs them under ncu through the driver
    counters.py merge OUT.csv DIR/programs READINGS.csv    raw output of ncu to one row a kernel; rows that
                                    READINGS.csv has already stay, or take what was recorded anew
    counters.py compare READINGS.csv           lockstep's figures beside them: what differs, and by how much

LOCKSTEP names the command (build/lockstep). A program's kernels come from its own PTX on both sides: its
runtime hands the text to the GPU's driver (docs/gpu.md). LLVM is not needed for that and is replaced by a
library of the same name whose functions end the process.
"""
import csv, glob, json, os, re, shutil, subprocess, sys

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
lockstep = os.environ.get("LOCKSTEP", os.path.join(root, "build", "lockstep"))

# counter of lockstep: metric of ncu
METRICS = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "global_atom_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
    "global_atom_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "global_red_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "global_red_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "local_load_requests": "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
    "local_store_requests": "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",
    "shared_load_requests": "smsp__inst_executed_op_shared_ld.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_load_bank_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_store_requests": "smsp__inst_executed_op_shared_st.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_store_bank_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "shared_atomic_requests": "smsp__inst_executed_op_shared_atom.sum",
    "shared_atomic_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "shared_copy_requests": "sm__sass_inst_executed_op_ldgsts.sum",
    "shared_copy_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum",
    "texture_quads": "l1tex__t_requests_pipe_tex_mem_texture.sum",
    "instructions": "smsp__inst_executed.sum",
    "l1_hit_rate": "l1tex__t_sector_hit_rate.pct",
    "l1_sectors": "l1tex__t_sectors.sum",
    "l2_sectors": "lts__t_sectors_srcunit_tex.sum",
    "l2_hits": "lts__t_sectors_srcunit_tex_lookup_hit.sum",
    "l2_hit_rate": "lts__t_sector_hit_rate.pct",
    "bytes_dram_read": "dram__bytes_read.sum",
    "bytes_dram_written": "dram__bytes_write.sum",
}
# What tells why a counter differs: the same passes counted by instruction, where nothing that happens to
# stand in the way counts; L2's two halves (a sector of the other half is looked up in both); code.
REASONS = {
    "shared_load_wavefronts_executed": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts_executed": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l2_read_misses": "lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum",
    "l2_far_sectors": "lts__t_sectors_srcunit_ltcfabric.sum",
    "l2_far_misses": "lts__t_sectors_srcunit_ltcfabric_lookup_miss.sum",
    "l2_code_sectors": "lts__t_sectors_srcunit_gcc.sum",
    "l2_code_misses": "lts__t_sectors_srcunit_gcc_lookup_miss.sum",
}
COLUMNS = {**METRICS, **REASONS}
# Sizes that fill more than a few blocks, of a system or of one rung (one block's shared memory holds 1537).
LARGER = {"matmul": "256", "sgemm": "256", "transpose": "512", "columns": "256", "axpb": "100000",
          "sum3": "100000", "difference": "100000", "average": "10000", "average/case10": "1537",
          "average/case11": "1537", "spmv/circuit": "3"}


def header(path):
    """The rung's own words: see src/cli/suite/suite.h."""
    words = {}
    for line in open(path):
        m = re.match(r" \* ([a-z]+): (.*)", line)
        if m:
            words[m.group(1)] = m.group(2).strip()
        if line.startswith(" */"):
            break
    return words


def rungs():
    for path in sorted(glob.glob(os.path.join(root, "suite", "*", "*.cu"))):
        words = header(path)
        system, name = path.split(os.sep)[-2:]
        if "systems" not in words or words.get("result", "right") != "right" or "expect" in words:
            continue # wrong on purpose: its counts are not determined
        rung = f"{system}/{name[:-3]}"
        size = LARGER.get(rung) or LARGER.get(system) or words.get("check", "100").split()[-1]
        yield rung, path, ["--size", size] + words.get("options", "").split()


def pack(folder):
    os.makedirs(os.path.join(folder, "lib"), exist_ok=True)
    names = []
    for name, path, options in rungs():
        out = os.path.join(folder, name.replace("/", "-"))
        if subprocess.run([lockstep, "cc", "-o", out, path]).returncode == 0:
            names.append((os.path.basename(out), options))
    library = os.path.join(os.path.dirname(os.path.realpath(lockstep)), "liblockstep.so")
    shutil.copy(library, os.path.join(folder, "lib"))
    for line in subprocess.run(["ldd", library], stdout=subprocess.PIPE, text=True).stdout.splitlines():
        m = re.match(r"\s*(lib(?:sleef|jansson)\S*) => (\S+)", line)
        if m:
            shutil.copy(m.group(2), os.path.join(folder, "lib", m.group(1)))
    stub(folder, library)
    with open(os.path.join(folder, "programs"), "w") as f:
        for name, options in names:
            f.write(" ".join([name, *options, "--repeat", "1", "--verify", "0"]) + "\n")
    shutil.copy(os.path.join(here, "counters.sh"), os.path.join(folder, "record.sh"))
    with open(os.path.join(folder, "metrics"), "w") as f:
        f.write(",".join(COLUMNS.values()))
    print(f"{len(names)} programs")


def stub(folder, library):
    """LLVM's name and symbols, without what they do, for a library that is linked to it."""
    symbols = subprocess.run(["nm", "-D", "--undefined-only", library], check=True, stdout=subprocess.PIPE,
                             text=True).stdout
    found = re.findall(r"U (LLVM\w+)@+(\w[\w.]*)", symbols)
    if not found:
        return
    source, script = os.path.join(folder, "lib", "stub.c"), os.path.join(folder, "lib", "stub.map")
    needed = subprocess.run(["readelf", "-d", library], check=True, stdout=subprocess.PIPE, text=True).stdout
    name = re.search(r"NEEDED.*\[(libLLVM[^\]]*)\]", needed).group(1)
    with open(source, "w") as f:
        f.write("extern void abort(void);\n")
        f.writelines(f"void {s}(void) {{ abort(); }}\n" for s, _ in found)
    with open(script, "w") as f:
        f.write(found[0][1] + " { global: LLVM*; };\n")
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-w", "-o",
                    os.path.join(folder, "lib", name), source, "-Wl,-soname," + name,
                    "-Wl,--version-script=" + script], check=True)
    os.remove(source)
    os.remove(script)


def number(text):
    text = (text or "").replace(",", "")
    try:
        return float(text)
    except ValueError:
        return None


KEY = ["program", "kernel", "grid", "block", "launches"]


def recorded(raw, programs):
    """{program, kernel, grid, block: its launches of that shape, a dictionary of figures each}"""
    rows, columns = {}, None
    for row in csv.reader(line for line in open(raw, errors="replace") if line.startswith('"')):
        if row[0] == "ID":
            columns = row
        elif row[0].isdigit(): # not the row of units
            r = dict(zip(columns, row))
            program = programs.get(os.path.basename(r["Process Name"]))
            key = (program, r["Kernel Name"].split("(")[0], r["Grid Size"], r["Block Size"])
            rows.setdefault(key, []).append({c: number(r.get(m)) for c, m in COLUMNS.items()})
    return rows


def merge(raw, programs, out):
    """One row per program and kernel: the mean over its launches of one shape."""
    programs = {line.split()[0]: line.strip() for line in open(programs)}
    rows = {}
    if os.path.exists(out):
        rows = {tuple(r[k] for k in KEY[:4]): r for r in csv.DictReader(open(out))}
        rows = {k: r for k, r in rows.items() if programs.get(k[0].split()[0], k[0]) == k[0]}
    for key, launches in recorded(raw, programs).items():
        row = rows.setdefault(key, dict(zip(KEY, key)))
        row["launches"] = len(launches)
        for c in COLUMNS:
            v = [r[c] for r in launches if r[c] is not None]
            if v:
                row[c] = f"{sum(v) / len(v):.10g}"
    with open(out, "w", newline="") as f:
        w = csv.DictWriter(f, [*KEY, *COLUMNS], restval="", lineterminator="\n")
        w.writeheader()
        w.writerows(row for _, row in sorted(rows.items()))


def shape(text):
    return [int(n) for n in re.findall(r"\d+", text)]


def ours(program, cache={}):
    """lockstep's kernels for "transpose-naive --size 512 ..."."""
    if program not in cache:
        name, *options = program.split()
        path = os.path.join(root, "suite", name.replace("-", "/", 1) + ".cu")
        text = subprocess.run([lockstep, "profile", "--gpu", "h200", "--json", "--", path, *options],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        cache[program] = json.loads(text)["kernels"] if text else []
    return cache[program]


def short(symbol):
    m = re.match(r"_Z(?:N\d*)?L?(\d+)(\w+)", symbol)
    return m.group(2)[:int(m.group(1))] if m else bare(symbol)


def bare(name):
    """"void space::filter<4>(int*)" without all but its own name."""
    return re.sub(r"^void |[<(].*", "", name).split("::")[-1]


def numbers(name):
    """The template's arguments that are numbers: of "void sums<1>" and of "_Z4sumsILb1EEvi"."""
    if name.startswith("_Z"):
        return re.findall(r"L[a-z](\d+)E", name)
    return re.findall(r"(?<![\w])\d+", name.partition("(")[0])


def our_row(row):
    """All launches of that shape together (the profiler does not tell dynamic shared memory apart)."""
    same = [k for k in ours(row["program"])
            if k["grid"] == shape(row["grid"]) and k["block"] == shape(row["block"]) and
            short(k["symbol"]) == bare(row["kernel"]) and numbers(k["symbol"]) == numbers(row["kernel"])]
    if not same:
        return None
    sums = {c: sum(k["counters"].get(c, 0) for k in same) for k in same for c in k["counters"]}
    for level in ("l1", "l2"):
        if sums.get(level + "_sectors"):
            sums[level + "_hit_rate"] = sums[level + "_hits"] / sums[level + "_sectors"]
    return {"counters": sums, "launches": sum(k["launches"] for k in same)}


def figure(kernel, counter):
    c = kernel["counters"]
    if counter.endswith("rate"):
        return 100 * c.get(counter, 0)
    name = counter.replace("_atom_", "_atomic_").replace("_red_", "_atomic_")
    return c.get(name, 0) / kernel["launches"]


def compare(readings):
    same, different, missing = {}, [], 0
    for row in csv.DictReader(open(readings)):
        kernel = our_row(row)
        if not kernel:
            missing += 1
            print(f"{row['program']}: {row['kernel']} {row['grid']} {row['block']}: not found here")
            continue
        atomics = {c: sum(number(row[f"global_{o}_{c}"]) or 0 for o in ("atom", "red"))
                   for c in ("requests", "sectors")}
        for c in [*METRICS, *(c for c in REASONS if re.match("shared_(load|store)", c))]:
            hardware = number(row.get(c))
            if hardware is None or "_red_" in c or c == "texture_quads":
                continue
            if "_atom_" in c:
                hardware = atomics[c.split("_")[-1]]
            found = figure(kernel, c.replace("_executed", ""))
            good, all_ = same.get(c, (0, 0))
            equal = abs(found - hardware) < 0.5
            same[c] = (good + equal, all_ + 1)
            if not equal:
                different.append((c, row["program"].split()[0], row["kernel"], hardware, found))
    for d in sorted(different, key=str):
        print(f"{d[0]:28} {d[1]:28} {d[2]:24.24} GPU {d[3]:14.6g}  here {d[4]:14.6g}")
    for c, (good, all_) in same.items():
        off = sorted(abs(found - hardware) / max(abs(hardware), 1e-9) for n, _, _, hardware, found in different
                     if n == c)
        print(f"{c:28} {good:4} of {all_} kernels equal" +
              (f"; the others off by {100 * off[len(off) // 2]:.3g} % (median)" if off else ""))
    return missing


if __name__ == "__main__":
    verbs = {"pack": pack, "merge": merge, "compare": compare}
    if len(sys.argv) < 3 or sys.argv[1] not in verbs:
        sys.exit(__doc__)
    sys.exit(verbs[sys.argv[1]](*sys.argv[2:]))
