#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every form of mma.sp of tools/record/sparse.py on lockstep, against the registers that a real GPU gave
(tests/data/*_sparse.xz), bit for bit. With arguments: forms whose text begins with one of them."""
import os
import sys
import tempfile
from pathlib import Path

source = Path(os.environ.get("SOURCE_DIR", Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(source / "tools/record"))
sys.path.insert(0, str(source / "tests/common"))
import launching # noqa: E402
import matrices # noqa: E402
import sparse # noqa: E402



def differences(form, folder, theirs):
    """Words that differ, and the first; or what went wrong."""
    ours, message = launching.launch(folder, sparse.ptx_of(form), sparse.input_bytes(form), matrices.output_size(form),
                                     matrices.THREADS)
    if ours is None:
        return message
    words = [k for k in range(0, len(ours), 4) if ours[k:k + 4] != theirs[k:k + 4]]
    first = words[:1] and f"word {words[0] // 4}: {ours[words[0]:words[0] + 4][::-1].hex()}, GPU: {theirs[words[0]:words[0] + 4][::-1].hex()}"
    return f"{len(words)} of {len(ours) // 4} words differ, {first}" if words else ""


def main(wanted):
    recorded, failures, count = matrices.unpack(source / "tests/data/h200_sparse.xz"), [], 0
    step = 5 if os.environ.get("SANITIZE") else 1
    with tempfile.TemporaryDirectory() as folder:
        for form in sparse.forms()[::step]:
            if form.text.startswith(tuple(wanted)):
                count += 1
                wrong = differences(form, Path(folder), recorded[form.name])
                failures += [f"{form.text} {form.selector}: {wrong}"] if wrong else []
    print(f"{count} forms, {len(failures)} differ", *failures, sep="\n")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["mma"]))
