# SPDX-License-Identifier: Apache-2.0
# How often a warp goes to shared memory, as suite/banks computes it from the rule, agrees with what
# `lockstep access` answers for the same pattern, on 16 banks (1.0, 1.3) and on 32 (2.0, 9.0).
import json
import os
import subprocess
import sys

lockstep, source = os.environ["LOCKSTEP"], os.environ["SOURCE_DIR"]
patterns = {"stride": ("tid*{0}%1024", range(0, 34)), "broadcast": ("tid/{0}*32%1024", range(1, 33)),
            "permutation": ("tid-tid%16+(5*tid+{0})%16", range(0, 16, 5))}
failures = compared = 0
for cc in ("1.0", "1.3", "2.0", "9.0"):
    for rung, (expression, numbers) in patterns.items():
        text = subprocess.run([lockstep, "run", "--cc", cc, f"{source}/suite/banks/{rung}.cu", "--json",
                               "--repeat", "0", "--size", "1024"],
                              capture_output=True, text=True, timeout=300).stdout
        figures = json.loads(text)["figures"]
        for number in numbers:
            answer = subprocess.run([lockstep, "access", "--cc", cc, "--expr", expression.format(number), "--json"],
                                    capture_output=True, text=True, timeout=60).stdout
            right = json.loads(answer)["warps"][0]["wavefronts"]
            compared += 1
            if figures[f"accesses_{number}"] != right:
                failures += 1
                print(f"FAILED: {rung} {number} on {cc}: {figures[f'accesses_{number}']}, access says {right}")
print(f"{compared} patterns, {failures} failures")
sys.exit(1 if failures else 0)
