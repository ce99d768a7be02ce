#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""src/model/model_expansions.def is what tools/record/model/expansions.py makes of the readings."""
import os, subprocess, sys

root = os.environ["SOURCE_DIR"]
made = subprocess.run([sys.executable, os.path.join(root, "tools/record/model/expansions.py"), "table",
                       os.path.join(root, "tests/data/h200_model_instructions.csv")], capture_output=True, text=True, check=True).stdout
kept = open(os.path.join(root, "src/model/model_expansions.def")).read()
if made != kept:
    sys.exit("model_expansions.def differs: write it anew (the first lines of expansions.py say how)")
assert made.count("EXPANDS(") > 80
