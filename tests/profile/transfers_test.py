# SPDX-License-Identifier: Apache-2.0
"""Counters of bulk copies, boxes of tensors and shared memory of the cluster beside an H200's
(tests/data/h200_transfers.csv: transfers.cu under its profiler), kernel by kernel."""
import csv, json, os, re, subprocess

from checks import check, finish, lockstep, source, work

OPS = ("ld", "st", "atom", "redas")


def ours():
    out = os.path.join(work, "result.json")
    subprocess.run([lockstep, "profile", "-q", "--json=" + out, os.path.join(source, "tests/profile/transfers.cu")],
                   check=True, stdout=subprocess.DEVNULL)
    return json.load(open(out))["kernels"]


def theirs():
    with open(os.path.join(source, "tests/data/h200_transfers.csv")) as f:
        return [{k: int(v) if k != "kernel" else v for k, v in row.items()} for row in csv.DictReader(f)]


def remote_requests(name, given):
    """What the GPU's counter of requests makes of this many instructions: stores and atomics to another
    block's memory count, own memory is reached without the network but for st.async and red.async, and of
    loads each fourth counts."""
    what, peer, _ = (int(n) for n in re.findall(r"\d+", name))
    if what >= 6:
        return given
    return 0 if peer == 0 else given // 4 if what in (0, 4) else given


def l2_is_known(name):
    """Sectors agree but where a row is not a power of two wide or begins in the middle of a sector and
    is wider than 128 bytes (the GPU fetches some twice), rows lie outside of the tensor, a multicast is of
    less than 64 bytes, and for prefetches, which are not counted here."""
    kind = name.split("<")[0]
    sizes = [int(n) for n in re.findall(r"\d+", name.split("<")[1])]
    if kind in ("load", "store"):
        return sizes[0] <= 128 or not sizes[1]
    if kind == "multicast":
        return sizes[0] >= 64
    if kind.startswith("box"):
        low = kind == "box_multicast" and sizes[1] < 64
        return sizes[1] & (sizes[1] - 1) == 0 and not (kind == "box_load" and sizes[2]) and not low
    return kind in ("reduce", "to_peer")


kernels, readings = ours(), theirs()
check(f"{len(kernels)} kernels, {len(readings)} readings", len(kernels) == len(readings) == 100)
equal = 0
for k, r in zip(kernels, readings):
    name, counters = r["kernel"], k["counters"]
    check(f"{k['name']} is {name}", k["name"] == name)
    loads, stores = r["smsp__inst_executed_op_tma_ld.sum"], r["smsp__inst_executed_op_tma_st.sum"]
    remote = sum(r[f"l1tex__t_requests_pipe_lsu_mem_dshared_op_{op}.sum"] for op in OPS)
    sent = counters.get("tma_store_instructions", 0) + counters.get("tma_reduce_instructions", 0)
    check(f"{name}: {sent} stores and reductions, not {stores}", sent == stores)
    got = counters.get("tma_load_instructions", 0)
    if "multicast" in name:  # the GPU counts one where it arrives, of some
        check(f"{name}: {got} multicasts; the GPU: {loads}", got <= loads <= 4 * got)
    else:
        check(f"{name}: {got} loads, not {loads}", got == loads)
    by_name = counters.get("dsmem_instructions", 0)
    if name.startswith("remote"):
        want = remote_requests(name, by_name)
        check(f"{name}: {by_name} accesses are {want} requests, not {remote}", want == remote)
    elif l2_is_known(name):
        equal += 1
        sectors = r["lts__t_sectors_srcunit_tex.sum"]
        check(f"{name}: {counters.get('l2_sectors')} sectors, not {sectors}", counters.get("l2_sectors", 0) == sectors)
check(f"sectors of {equal} kernels were compared", equal >= 35)
finish()
