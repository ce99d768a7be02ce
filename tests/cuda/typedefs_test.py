# SPDX-License-Identifier: Apache-2.0
"""cudaTypedefs.h has the newest form of each call of the driver API that cuGetProcAddress knows."""
import os
import re
import sys

source = os.environ["SOURCE_DIR"]
header = open(f"{source}/include/cudaTypedefs.h").read()
newest = {}
for call, since in re.findall(r"^CALL\((\w+), \w+, (\d+)\)", open(f"{source}/src/cuda/cuda_calls.def").read(), re.M):
    newest[call] = max(newest.get(call, 0), int(since))
has = {call: int(since) for call, since in re.findall(r"^LOCKSTEP_PFN\((\w+), (\d+)\)", header, re.M)}
has |= {call: int(since) for call, since in re.findall(r"PFN_(\w+)_v(\d+), \*PFN_\1;", header)}
wrong = sorted(newest.items() ^ has.items())
print(len(has), "types;", wrong or "as in the table")
sys.exit(bool(wrong) or len(has) < 200)
