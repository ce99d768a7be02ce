#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Forms of wgmma of tools/record/wgmma.py on lockstep, six random tiles each, against what a real GPU
gave (tests/data/*_wgmma.xz: a hash of each tile's registers), bit for bit. A sample; --all: all 11,160
tiles (minutes)."""
import lzma
import os
import subprocess
import sys
import tempfile
from pathlib import Path

source = Path(os.environ.get("SOURCE_DIR", Path(__file__).resolve().parents[2]))
build = Path(os.environ.get("BINARY_DIR", source / "build"))
RECORD = source / "tools/record"


def recorded():
    path = sorted((source / "tests/data").glob("*_wgmma.xz"))[0]
    return dict(line.split(" ", 1) for line in lzma.decompress(path.read_bytes()).decode().splitlines())


def main():
    sanitize = os.environ.get("SANITIZE")
    every = "1" if sys.argv[1:] == ["--all"] else "211" if sanitize else "47"
    flags = [f"-fsanitize={sanitize}"] if sanitize else []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, RECORD / "wgmma.py", "emit", folder, every], check=True)
        program = Path(folder) / "run"
        subprocess.run([os.environ.get("CC", "cc"), "-O1", *flags, f"-I{source / 'include'}", "-o", program,
                        RECORD / "wgmma.c", f"-L{build}", "-llockstep", f"-Wl,-rpath,{build}"], check=True)
        done = subprocess.run([program, folder], capture_output=True, text=True,
                              env=dict(os.environ, LOCKSTEP_CACHE="off"))
    if done.returncode:
        sys.exit(done.stderr)
    theirs, tiles, failures = recorded(), 0, []
    for line in done.stdout.splitlines():
        name, hashes = line.split(" ", 1)
        ours, wanted = hashes.split(), theirs[name].split()
        tiles += len(wanted)
        if ours != wanted:
            failures.append(f"{name}: tiles {[k for k in range(len(wanted)) if ours[k:k + 1] != wanted[k:k + 1]]}")
    print(f"{tiles} tiles of {len(done.stdout.splitlines())} forms, {len(failures)} forms differ")
    if failures:
        sys.exit("\n".join([*failures, done.stderr]))


if __name__ == "__main__":
    main()
