# SPDX-License-Identifier: Apache-2.0
"""Registers that ptxas gives the kernels of PTX files, and the length of their machine code, as CSV.

    registers.py FOLDER >registers.csv      FOLDER/*.ptx, each compiled for sm_90 (a job a core)
"""
import concurrent.futures, glob, os, re, subprocess, sys, tempfile


def compile_one(path):
    with tempfile.NamedTemporaryFile(suffix=".cubin") as out:
        r = subprocess.run(["ptxas", "-v", "-arch=sm_90", path, "-o", out.name], capture_output=True, text=True)
        said = r.stderr + r.stdout
        if r.returncode:
            print(f"{path}: {said.strip()[:300]}", file=sys.stderr)
            return []
        code = subprocess.run(["cuobjdump", "-sass", out.name], capture_output=True, text=True).stdout
    lengths, name = {}, None
    for line in code.splitlines():
        m = re.match(r"\s*Function : (\S+)", line)
        name = m.group(1) if m else name
        if name and re.match(r"\s*/\*[0-9a-f]{4,}\*/", line) and "NOP" not in line:
            lengths[name] = lengths.get(name, 0) + 1
    rows, kernel, spills = [], None, (0, 0)
    for line in said.splitlines():
        if m := re.search(r"Compiling entry function '(\S+)'", line):
            kernel, spills = m.group(1), (0, 0)
        elif m := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line):
            spills = m.groups()
        elif (m := re.search(r"Used (\d+) registers", line)) and kernel:
            rows.append((os.path.basename(path), kernel, m.group(1), *spills, lengths.get(kernel, 0)))
            kernel = None
    return rows


print("file,kernel,registers,spill_stores,spill_loads,instructions")
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for found in pool.map(compile_one, sorted(glob.glob(os.path.join(sys.argv[1], "*.ptx")))):
        for row in found:
            print(*row, sep=",")
