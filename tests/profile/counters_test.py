# SPDX-License-Identifier: Apache-2.0
"""Counters of whole programs against figures worked out by hand, for one launch each."""
import json, os, subprocess

from checks import check, finish, lockstep, source, work


def build(name, path, *options):
    out = os.path.join(work, name)
    subprocess.run([lockstep, "cc", "-o", out, *options, os.path.join(source, path)], check=True)
    return out


def profile(program, device, *arguments):
    out = os.path.join(work, "result.json")
    key = "--cc" if device[0].isdigit() else "--gpu"
    subprocess.run([lockstep, "profile", "-q", "--json=" + out, key, device, program, *arguments],
                   check=True, stdout=subprocess.DEVNULL)
    return json.load(open(out))


def expect(what, kernel, **figures):
    """Per launch; a counter that is to be missing is None."""
    for name, want in figures.items():
        found = kernel["counters"].get(name)
        if isinstance(found, int):
            found = found / kernel["launches"]
        if found is None or want is None:
            wrong = found is not want
        else:
            wrong = abs(found - want) > 1e-9 * abs(want)
        check(f"{what}: {name} is {found}, not {want}", not wrong)


# -- the tiled product, n = 64, 16 x 16 tiles: 16 blocks of 8 warps, 4 steps each: 512 times a warp.
# A step: 2 global loads, 2 shared stores, 32 shared loads, 2 barriers; a warp is two rows of the tile.
tiled = build("tiled", "suite/matmul/tiled.cu")
# per load: rows of 64 bytes, 256 bytes apart in global memory
per_load = {
    "1.0": ("global_load_transactions", 2),  # a half-warp is one segment of 64 bytes
    "1.3": ("global_load_transactions", 2),
    "2.0": ("global_load_transactions", 2),  # two lines of 128 bytes through L1
    "3.5": ("global_load_transactions", 4),  # segments of 32 bytes past L1
    "7.0": ("global_load_sectors", 4),
    "9.0": ("global_load_sectors", 4),
}
for cc, (unit, each) in per_load.items():
    k = profile(tiled, cc, "--n", "64", "--verify", "0")["kernels"][0]
    halves = 2 if cc[0] == "1" else 1  # half-warps are served one by one
    store_each = 2 if cc[0] == "1" else 4  # stores go past L1 in segments of 32 bytes, or sectors
    expect(f"tiled {cc}", k,
           global_load_requests=1024, global_store_requests=128,
           shared_store_requests=1024, shared_load_requests=16384,
           shared_store_wavefronts=1024 * halves, shared_store_bank_conflicts=0,
           shared_load_wavefronts=16384 * halves, shared_load_wavefronts_ideal=16384 * halves,
           shared_load_bank_conflicts=0, barriers=1024, flops_f32=2 * 64 ** 3, flops_f64=0,
           branches_divergent=0, cgma=2 * 64 ** 3 / (32 * (1024 + 128)),
           **{unit: 1024 * each, unit.replace("load", "store"): 128 * store_each},
           **({"global_load_sectors": None} if "transactions" in unit else
              {"global_load_transactions": None, "global_load_sectors_ideal": 4096,
               # A and B once, C once: everything else hits
               "bytes_dram_read": 2 * 64 * 64 * 4, "bytes_dram_written": 64 * 64 * 4, "bytes_dram_evicted": 0}))
    lines = {line["line"]: line["counters"] for line in k["lines"]}
    hot = max(k["lines"], key=lambda line: line["bound"]["seconds"])
    text = open(os.path.join(source, "suite/matmul/tiled.cu")).read().splitlines()
    check(f"tiled {cc}: the hot line is the inner product", "sum +=" in text[hot["line"] - 1])
    check(f"tiled {cc}: lines add up", sum(c.get("shared_load_requests", 0) for c in lines.values())
          == k["counters"]["shared_load_requests"])

# -- transposes, n = 128, 32 x 32 tiles, blocks of 32 x 8: 16 blocks, 32 rows each: 512 warps' loads.
transposes = build("transposes", "tests/profile/transposes.cu")
for cc in ("3.5", "7.0", "9.0"):
    naive, plain, padded, diagonal = profile(transposes, cc)["kernels"]
    unit = "transactions" if cc == "3.5" else "sectors"
    expect(f"naive {cc}", naive, shared_load_requests=None, global_load_requests=512,
           **{f"global_load_{unit}": 512 * 4, f"global_store_{unit}": 512 * 32})
    # a column of 32 words 128 bytes apart lies in one bank; 3.5 serves rows 2k and 2k+1 together
    worst = 16 if cc == "3.5" else 32
    expect(f"plain {cc}", plain, shared_store_bank_conflicts=0, shared_load_wavefronts=512 * worst,
           shared_load_bank_conflicts=512 * (worst - 1), barriers=16 * 8,
           **{f"global_load_{unit}": 512 * 4, f"global_store_{unit}": 512 * 4})
    for k in (padded, diagonal):
        expect(f"padded {cc}", k, shared_load_wavefronts=512, shared_load_bank_conflicts=0,
               shared_store_bank_conflicts=0)

# Occupancy that the counters do not touch: 4 KiB of shared memory, 256 threads.
check("blocks per SM", naive["occupancy"]["blocks_per_sm"] == 8)

# -- partition camping: rows of 4096 bytes are a multiple of GT200's 8 partitions of 256 bytes.
naive, plain, padded, diagonal = profile(transposes, "gt200", "1024")["kernels"]
camping = [k["roofline"]["partition_camping"] for k in (naive, plain, padded, diagonal)]
check(f"GT200 camps in columns of blocks: {camping}", camping[0] > 2 and camping[2] > 2)
check(f"padding does not help: {camping}", camping[2] > 0.9 * camping[1] > 1.8)
check(f"diagonal order does: {camping}", camping[3] < 1.5)
check("and it takes time", padded["roofline"]["seconds"] > 2 * diagonal["roofline"]["seconds"])
expect("GT200 half-warps", plain, shared_load_wavefronts=32768 * 32, global_store_transactions=32768 * 2,
       bytes_dram_written=1024 * 1024 * 4, bytes_dram_evicted=None, l2_sectors=None, l1_sectors=None)
plain = profile(transposes, "3.5", "1024")["kernels"][1]["counters"]
evicted = plain["bytes_dram_evicted"]
check(f"L2 of 1.5 MiB gives up most of 4 MiB: {evicted}", 2.5 * 2 ** 20 <= evicted < plain["bytes_dram_written"] == 4 * 2 ** 20)
expect("GT200 padded", padded, shared_load_wavefronts=32768 * 2, shared_load_bank_conflicts=0)
naive, plain, padded, diagonal = profile(transposes, "9.0", "1024")["kernels"]
check("no camping on 9.0", all(k["roofline"]["partition_camping"] == 1 for k in (padded, diagonal)))
check("nor any gain", abs(padded["roofline"]["resources"]["dram"] - diagonal["roofline"]["resources"]["dram"])
      < 1e-12)
check("32-way on 9.0", [s["degree"] for l in plain["lines"] for s in l["samples"]
                        if s["space"] == "shared" and s["op"] == "load"] == [32])

# -- transfers.cu: 8 blocks of one warp do one thing 4 times each; of multicasts two blocks do
transfers = {"load": ("tma_load", 32), "store": ("tma_store", 32), "reduce": ("tma_reduce", 32), "prefetch": None,
             "to_peer": ("tma_store", 32), "multicast": ("tma_load", 8), "box_load": ("tma_load", 32),
             "box_store": ("tma_store", 32), "box_reduce": ("tma_reduce", 32), "box_multicast": ("tma_load", 8),
             "remote": ("dsmem", 32)}
seen = set()
for k in profile(build("transfers", "tests/profile/transfers.cu", "-std=c++17", "-arch=sm_90"), "h200")["kernels"]:
    name = k["name"].split("<")[0].split()[-1]
    seen.add(name)
    expect(k["name"], k, **{kind + "_instructions": transfers[name][1]
                            if transfers[name] and transfers[name][0] == kind else None
                            for kind in ("tma_load", "tma_store", "tma_reduce", "dsmem")})
check(f"kernels of transfers.cu: {seen}", seen == set(transfers))

finish()
