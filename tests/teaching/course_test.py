# SPDX-License-Identifier: Apache-2.0
"""A course's fourteen programs through run, check, profile, tune, grade, Make, CMake and, where Jupyter is, a notebook: each
verifies its result everywhere, nothing is found, every kernel is counted."""
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

LOCKSTEP, SOURCE, BINARY = (os.environ[n] for n in ("LOCKSTEP", "SOURCE_DIR", "BINARY_DIR"))
if os.environ.get("SANITIZE"):
    print("a sanitizer's programs need its library, which Make and CMake do not know of")
    sys.exit(77)
COURSE = os.path.join(SOURCE, "examples", "course")
PROGRAMS = sorted(os.path.basename(p)[:-3] for p in glob.glob(os.path.join(COURSE, "*.cu")))
NVCC = os.path.join(BINARY, "lockstep-nvcc")
RIGHT = "result\n  verified  yes\n"
for name in [n for n in os.environ if n.startswith("LOCKSTEP_") and n != "LOCKSTEP_CACHE"]:
    os.environ.pop(name)
failures = []


def expect(good, what):
    if not good:
        failures.append(str(what)[:1500])


def run(*words, folder=COURSE):
    p = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL, cwd=folder)
    expect(p.returncode == 0, "%s: status %d\n%s%s" % (words, p.returncode, p.stdout[-700:], p.stderr[-700:]))
    return p


def through(name, work):
    source, out = name + ".cu", os.path.join(work, name + ".json")
    with open(os.path.join(COURSE, source)) as f:
        kernels = set(re.findall(r"__global__ void (\w+)\(", f.read()))
    for size in ("1000", "77"):
        p = run(LOCKSTEP, "run", source, size)
        expect((p.stdout, p.stderr) == (RIGHT, ""), (name, p))
        p = run(LOCKSTEP, "check", source, size)
        expect("ERROR SUMMARY: 0 errors" in p.stdout, (name, p))
    run(LOCKSTEP, "profile", "-q", "--json=" + out, source)
    with open(out) as f:
        counted = {k["name"]: k["counters"]["instructions"] for k in json.load(f)["kernels"]}
    expect(set(counted) == kernels and all(counted.values()), (name, counted))
    p = run(LOCKSTEP, "tune", "--json", "--by", "model", "-P", "BLOCK=128", source)
    expect([r.get("verified") for r in json.loads(p.stdout)] == [True], (name, p))
    p = run(LOCKSTEP, "grade", "--json", "exercise.toml", source)
    expect(json.loads(p.stdout or "{}").get("verdict") == "met", (name, p))


def made(work):
    run("make", "-s", "NVCC=" + NVCC, "OUT=" + work)
    return work


def by_cmake(work):
    if not shutil.which("cmake"):
        return None
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    run("cmake", *generator, "-S", COURSE, "-B", work, "-DCMAKE_CUDA_COMPILER=" + NVCC, "-DCMAKE_BUILD_TYPE=Release",
        "-DCMAKE_CUDA_ARCHITECTURES=80")
    run("cmake", "--build", work)
    return work


def notebook():
    try:
        import ipykernel  # noqa: F401
        import nbclient
        import nbformat
    except ImportError:
        print("the notebook was left out: no nbclient or ipykernel")
        return
    os.environ.update(PYTHONPATH=os.path.join(SOURCE, "python"), PYDEVD_DISABLE_FILE_VALIDATION="1", IPYTHONDIR=tempfile.mkdtemp())
    cell = nbformat.v4.new_code_cell
    book = nbformat.v4.new_notebook(cells=[cell("%load_ext lockstep")] + [cell("%lockstep run " + n + ".cu") for n in PROGRAMS])
    with open(os.path.join(COURSE, "01_vector_add.cu")) as f:
        book.cells.append(cell("%%cuda --check -I" + COURSE + "\n" + f.read()))
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3", resources={"metadata": {"path": COURSE}}).execute()
    for c in book.cells[1:]:
        text = "".join(o.get("text", "") for o in c.outputs)
        expect(text.startswith(RIGHT), (c.source[:60], text))


expect(len(PROGRAMS) == 14, PROGRAMS)
with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(2) as pool:
    folders = [os.path.join(work, n) for n in ("make", "cmake", "json")]
    for f in folders:
        os.mkdir(f)
    jobs = [pool.submit(through, n, folders[2]) for n in PROGRAMS]
    jobs += [pool.submit(made, folders[0]), pool.submit(by_cmake, folders[1])]
    built = [j.result() for j in jobs][-2:]
    for folder in filter(None, built):
        for n in PROGRAMS:
            if not os.path.exists(os.path.join(folder, n)):
                expect(False, "not built: %s/%s" % (os.path.basename(folder), n))
                continue
            p = run(os.path.join(folder, n), "500")
            expect(p.stdout == RIGHT, (folder, n, p))
    notebook()
for text in failures:
    print("FAIL", text)
sys.exit(1 if failures else 0)
