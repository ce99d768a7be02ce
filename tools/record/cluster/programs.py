#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the kernels of tests/jit/cluster_programs.py to a folder, for run.c. programs.py FOLDER"""
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests/jit"))
from cluster_programs import programs  # noqa: E402

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
lines = []
for p in programs():
    (folder / f"{p.name}.ptx").write_text(p.text)
    (folder / f"{p.name}.want").write_bytes(struct.pack(f"<{len(p.want)}I", *p.want))
    for k, data in enumerate(p.inputs):
        (folder / f"{p.name}.in{k + 1}").write_bytes(data)
    lines.append(" ".join(map(str, [p.name, *p.grid, p.block, *(p.cluster or (0, 0, 0)), 4 * len(p.want), len(p.inputs)])))
(folder / "list").write_text("\n".join(lines) + "\n")
