# SPDX-License-Identifier: Apache-2.0
# The worked examples of the lectures, digit by digit, as the suite's programs print them. The
# constants are the slides'; where a slide is wrong the right number stands beside it.
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


for example in (average,):
    example()
for failure in failures:
    print("FAILED:", failure)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
