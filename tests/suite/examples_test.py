# SPDX-License-Identifier: Apache-2.0
# The worked examples of the lectures, digit by digit, as the suite's programs print them. The
# constants are the slides'; where a slide is wrong the right number stands beside it.
import json
import os
import subprocess
import sys

lockstep, source = os.environ["LOCKSTEP"], os.environ["SOURCE_DIR"]
failures = []


def run(program, *arguments):
    """What the program prints; it must end well."""
    done = subprocess.run([lockstep, "run", f"{source}/suite/{program}.cu", *arguments],
                          capture_output=True, text=True, timeout=300)
    if done.returncode:
        failures.append(f"{program} {arguments}: status {done.returncode}: {done.stderr[-300:]}")
    return done.stdout


def expect(what, found, right):
    if found != right:
        failures.append(f"{what}: {found}, should be {right}")


def rows(text, heading):
    """The numbers of each line of the paragraph that begins with the heading, by its first word."""
    paragraph = text.split(heading + "\n", 1)[-1].split("\n\n", 1)[0]
    lines = [line.split() for line in paragraph.split("\n")]
    return {line[0]: line[1:] for line in lines if line}


def average():
    text = run("average/example")
    # Slide "Four iterations with a single BLOCK". It has 40 for element 8 in the last row.
    slide = {"in": "25 6 34 91 10 62 55 5 80 20 10 40 6 99 26 2",
             "1": "25 22 44 45 54 42 41 47 35 37 23 19 48 44 42 2",
             "2": "25 30 37 48 47 46 43 41 39 32 26 30 37 45 29 2",
             "3": "25 31 38 44 47 45 43 41 37 32 29 31 37 37 25 2",
             "4": "25 31 38 43 45 45 43 41 37 33 31 33 35 33 21 2"}
    found = rows(text, "block 0, 4 iterations")
    for step, numbers in slide.items():
        expect(f"average, step {step}", found.get(step), numbers.split())
    # Two blocks: one border element for one iteration, two for two.
    for block, steps, right in (
            (0, "1 iteration", {"in": "25 6 34 91 10 62 55 5 80", "1": "25 22 44 45 54 42 41 47 --"}),
            (1, "1 iteration", {"in": "5 80 20 10 40 6 99 26 2", "1": "-- 35 37 23 19 48 44 42 2"}),
            (0, "2 iterations", {"in": "25 6 34 91 10 62 55 5 80 20",
                                 "1": "25 22 44 45 54 42 41 47 35 --",
                                 "2": "25 30 37 48 47 46 43 41 -- --"}),
            (1, "2 iterations", {"in": "55 5 80 20 10 40 6 99 26 2",
                                 "1": "-- 47 35 37 23 19 48 44 42 2",
                                 "2": "-- -- 39 32 26 30 37 45 29 2"})):
        found = rows(text, f"block {block}, {steps}")
        for step, numbers in right.items():
            expect(f"average, block {block}, {steps}, step {step}", found.get(step), numbers.split())


def figures(program, *arguments):
    text = run(program, "--json", *arguments)
    return json.loads(text)["figures"] if text else {}


def product():
    lines = run("matmul/example").split("\nC\n")[-1].split("\n")[:2]
    expect("2x3 by 3x3", [line.split() for line in lines], [["23", "28", "34"], ["87", "84", "76"]])


def picture():
    found = figures("picture/scale", "--size", "76x62")
    expect("76x62 picture", [found[f"blocks{k}"] for k in ("", "_inside", "_right", "_lower", "_corner")],
           [20, 12, 3, 4, 1])


def convolution():
    for rung in ("basic", "constant", "tiled", "cached", "registers"):
        expect(f"P[1], {rung}", figures(f"convolution/{rung}").get("P1"), 38)
    found = [line.split(" = ")[1] for line in run("convolution/basic").split("\n") if " = " in line]
    expect("P", found, ["22", "38", "57", "76", "95", "90", "74"])


def csr():
    text = run("spmv/convert").split("\n")
    expect("data", text[0].split(), "data 3 1 2 4 1 1 1".split())
    expect("col", text[1].split(), "col 0 2 1 2 3 0 3".split())
    expect("row_ptr", text[2].split(), "row_ptr 0 2 2 5 7".split())


def circuit():
    """Cramer's rule in integers, from the slide's resistances."""
    z, v = [[76, -25, -50], [-25, 56, -1], [-50, -1, 106]], [10, 0, 0]

    def det(m):
        return sum(m[0][i] * (m[1][(i + 1) % 3] * m[2][(i + 2) % 3] - m[1][(i + 2) % 3] * m[2][(i + 1) % 3])
                   for i in range(3))

    for arguments in ((), ("--in", f"{source}/suite/spmv/circuit.mtx")):
        found = figures("spmv/circuit", *arguments)
        for i in range(3):
            replaced = [[v[r] if c == i else z[r][c] for c in range(3)] for r in range(3)]
            right = det(replaced) / det(z)
            if abs(found[f"i{i + 1}"] - right) > 1e-6:
                failures.append(f"circuit i{i + 1}: {found[f'i{i + 1}']}, should be {right}")


def phases():
    """Which element each thread of block (0,0) brings, and what it multiplies, in both phases."""
    text = run("matmul/phases")
    right = []
    for phase in (0, 1):
        right.append(f"phase {phase + 1}")
        for y in (0, 1):
            for x in (0, 1):
                right.append(f"thread {y},{x} M{y},{2 * phase + x} -> Mds{y},{x} N{2 * phase + y},{x} -> Nds{y},{x} "
                             f"P += Mds{y},0*Nds0,{x} + Mds{y},1*Nds1,{x}")
    found = [" ".join(line.split()) for line in text.split("\n\n")[0].split("\n")]
    expect("phases", found, right)


def roofline():
    found = figures("roofline/intensity", "--bandwidth", "200", "--peak", "1500")
    expect("200 GB/s", [found["bound_cgma_1"], found["cgma_for_peak"]], [50, 30])
    expect("150 GB/s", figures("roofline/intensity", "--bandwidth", "150", "--peak", "1000")["bound_cgma_1"], 37.5)


def resources():
    """1536 threads (2.x): 6 blocks of 256 or 3 of 512."""
    text = subprocess.run([lockstep, "run", "--cc", "2.0", f"{source}/suite/resources/threads.cu", "--json"],
                          capture_output=True, text=True, timeout=300).stdout
    found = json.loads(text)["figures"]
    expect("1536 threads", [found["resident_256"], found["resident_512"]], [6, 3])


for example in (average, product, picture, convolution, csr, circuit, phases, roofline, resources):
    example()
for failure in failures:
    print("FAILED:", failure)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
