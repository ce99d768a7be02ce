# SPDX-License-Identifier: Apache-2.0
"""`suite profile transpose`: on a GT200 the padded tile camps on few partitions and the diagonal order cures
it; a 9.0 has nothing to cure, and the diagonal gains nothing."""
import json, os, subprocess, sys

lockstep = os.environ["LOCKSTEP"]
for name in ("LOCKSTEP_CC", "LOCKSTEP_GPU", "LOCKSTEP_JSON", "LOCKSTEP_DEVICES"):
    os.environ.pop(name, None)


def rooflines(gpu):
    text = subprocess.run([lockstep, "suite", "profile", "transpose/padded", "transpose/diagonal", "--gpu", gpu,
                           "--json"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {(r["rung"].split("/")[1], str(r["size"])): r["kernels"][0]["roofline"] for r in json.loads(text)}


old, new = rooflines("gt200"), rooflines("h200")
large = [size for _, size in old if size == "1024"]
assert large, "no size that fills the partitions"
padded, diagonal = old["padded", "1024"], old["diagonal", "1024"]
assert padded["partition_camping"] > 3 and padded["busiest"] == "dram", padded
assert diagonal["partition_camping"] < 1.2 and diagonal["seconds"] < padded["seconds"], diagonal
# What is left is issue: each thread divides its block's number, some 20 instructions a time.
assert diagonal["resources"]["dram"] < 0.4 * padded["resources"]["dram"], diagonal
assert new["diagonal", "1024"]["seconds"] >= 0.99 * new["padded", "1024"]["seconds"], new
print("padded camps", padded["partition_camping"], "diagonal", diagonal["partition_camping"])
