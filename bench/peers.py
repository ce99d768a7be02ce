# SPDX-License-Identifier: Apache-2.0
"""The programs that bench/run.py measures: how each is built and started, and how it is talked to.

A peer is a process that serves rows (bench/rows.h: prepare, run, release). All of them live through
the whole measurement and sleep while another one runs, so that samples of all peers are interleaved.
"""

import os
import shutil
import subprocess
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
LOCKSTEP = os.environ.get("LOCKSTEP", str(ROOT / "build/lockstep"))
COMPILERS = ("gcc", "clang-19", "clang-18", "clang-17", "clang-16", "clang")


class Missing(Exception):
    """A peer that this machine cannot run; the text says why."""


def build(source, folder, words):
    """Compiles a C program into the folder with the first compiler that can; returns its path."""
    program = folder / Path(source).stem
    if program.exists():
        return program
    why = "no C compiler"
    for compiler in filter(shutil.which, COMPILERS):
        command = [compiler, "-O3", "-march=native", str(BENCH / source), "-o", str(program), *words]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 0:
            return program
        why = (done.stderr.strip().splitlines() or ["failed"])[0]
    raise Missing(why)


def lockstep_words(command, workers, folder):
    return [LOCKSTEP, command, *(["-q"] if command == "run" else []), "--workers", str(workers),
            str(BENCH / "rows.cu")]


def c_words(variant, folder):
    program = build("rows_c.c", folder, ["-ffast-math", "-fopenmp", "-ldl", "-lm"])
    return [str(program), variant]


def opencl_words(options, folder):
    return [str(build("rows_opencl.c", folder, ["-lOpenCL", "-lm"])), "Portable", str(BENCH), options]


def peer_list(workers, folder):
    """name: (function giving the command, what is set in its environment)"""
    omp = {"OMP_NUM_THREADS": str(workers), "OMP_WAIT_POLICY": "passive", "OPENBLAS_NUM_THREADS": str(workers)}
    pocl = {"POCL_MAX_PTHREAD_COUNT": str(workers), "POCL_CACHE_DIR": str(folder / "pocl")}
    cache = {"LOCKSTEP_CACHE": str(folder / "cache")}
    peers = {"1 worker": (lambda: lockstep_words("run", 1, folder), cache)}
    if workers > 1:
        peers[f"{workers} workers"] = (lambda: lockstep_words("run", workers, folder), cache)
    peers.update({
        "PoCL": (lambda: opencl_words("", folder), pocl),
        "PoCL fast": (lambda: opencl_words("-cl-fast-relaxed-math", folder), pocl),
        "plain C": (lambda: c_words("plain", folder), omp),
        "tuned C": (lambda: c_words("tuned", folder), omp),
        "OpenBLAS": (lambda: c_words("blas", folder), omp),
        "copy": (lambda: c_words("tuned", folder), omp),
        "check": (lambda: lockstep_words("check", workers, folder), cache),
        "profile": (lambda: lockstep_words("profile", workers, folder), cache),
    })
    return peers


class Peer:
    def __init__(self, name, words, environment, log):
        self.name, self.log = name, log
        self.process = subprocess.Popen([*words, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=open(log, "w"), text=True, bufsize=1,
                                        env={**os.environ, **environment})
        if not self.ask("ping"):
            text = Path(log).read_text().strip().splitlines()
            raise Missing(text[-1] if text else f"exit status {self.process.wait()}")

    def ask(self, line):
        """The words of the answer; [] when the process is gone."""
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            return []
        for answer in self.process.stdout:
            if answer.startswith("@ "):
                return answer.split()[1:]
        return []

    def prepare(self, row, scale):
        """(milliseconds of the first run, whether its result was right); None: it has no such row."""
        answer = self.ask(f"prepare {row} {scale}")
        if not answer:
            raise Missing(f"ended at {row}; see {self.log}")
        return (float(answer[1]), answer[2] == "right") if answer[0] == "ready" else None

    def run(self):
        """Milliseconds, and milliseconds of processor time."""
        answer = self.ask("run")
        if not answer:
            raise Missing(f"ended in a run; see {self.log}")
        return float(answer[1]), float(answer[2])

    def release(self):
        self.ask("release")

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


def start_peers(names, workers, folder):
    """(peers, {name: why it is missing})"""
    peers, missing = {}, {}
    known = peer_list(workers, folder)
    for name in known if names is None else names:
        words, environment = known[name]
        try:
            peers[name] = Peer(name, words(), environment, folder / f"{name.replace(' ', '_')}.log")
        except Missing as why:
            missing[name] = str(why)
    return peers, missing
