# SPDX-License-Identifier: Apache-2.0
"""Counting costs little: the product in tiles of 16 x 16, n = 512, with all counters, in processor
time of one worker: at least 75 million multiply-adds a second (an idle core does fifteen times that)."""
import os, resource, subprocess, sys, tempfile

if os.environ.get("SANITIZE"):
    print("skipped: sanitizers")
    sys.exit(77)
lockstep, source = os.environ["LOCKSTEP"], os.environ["SOURCE_DIR"]
for name in ("LOCKSTEP_CC", "LOCKSTEP_GPU", "LOCKSTEP_JSON", "LOCKSTEP_DEVICES"):
    os.environ.pop(name, None)
os.environ["LOCKSTEP_WORKERS"] = "1"
program = os.path.join(tempfile.mkdtemp(), "tiled")
subprocess.run([lockstep, "cc", "-o", program, source + "/suite/matmul/tiled.cu"], check=True)


def spent(repeat):
    def now():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    before = now()
    subprocess.run([lockstep, "profile", "-q", program, "--n", "512", "--verify", "0", "--repeat",
                    str(repeat)], check=True, stdout=subprocess.DEVNULL)
    return now() - before


spent(1)  # compiles
seconds = spent(5) - spent(1)
rate = 4 * 512 ** 3 / max(seconds, 1e-3) / 1e6
print(f"{rate:.0f} million multiply-adds a second ({1000 * seconds:.0f} ms for 4 launches)")
sys.exit(rate < 75)
