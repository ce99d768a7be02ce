# SPDX-License-Identifier: Apache-2.0
"""A kernel whose registers stay in memory, in rows of 16 and 8 threads, under check: its product is right and nothing is
found. Vectors of four addresses lay there as if they were of two, and the processor refused them."""
import os
import subprocess
import sys

product = os.path.join(os.environ["SOURCE_DIR"], "suite", "devices", "product.cu")
run = subprocess.run([os.environ["LOCKSTEP"], "check", product, "--size", "17", "--repeat", "0", "--quiet"],
                     capture_output=True, text=True)
sys.exit(0 if run.returncode == 0 and "ERROR SUMMARY: 0 errors" in run.stderr + run.stdout else run.stdout + run.stderr)
