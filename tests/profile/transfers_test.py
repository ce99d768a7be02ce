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


def pieces_are_known(name):
    """Sectors of copies agree where these are whole: rows that are clipped at the tensor's border, or that are no
    power of two wide, are fetched in other pieces; a bulk copy's multicast is told of one block."""
    kind, sizes = name.split("<")[0], [int(n) for n in re.findall(r"\d+", name.split("<")[1])]
    if kind.startswith("box"):
        least = 64 if kind == "box_multicast" else 1
        return least <= sizes[1] and sizes[1] & (sizes[1] - 1) == 0 and not (kind == "box_load" and sizes[2])
    return kind in ("load", "store", "reduce")


def rungs():
    """Products, transposes and convolutions by tensor copies at size 512 beside an H200's (h200_rungs.csv: nvcc
    13.0's program under ncu 2025.3.1, the last of two launches)."""
    with open(os.path.join(source, "tests/data/h200_rungs.csv")) as f:
        rows = list(csv.DictReader(f))
    for row in rows:
        folder, name = row["rung"].split("/")
        program, out = os.path.join(work, name), os.path.join(work, "rung.json")
        suite = os.path.join(source, "suite")
        subprocess.run([lockstep, "cc", "-std=c++17", "-arch=sm_90a", "-I" + suite + "/common", "-I" + suite + "/" + folder,
                        "-o", program, f"{suite}/{row['rung']}.cu"], check=True)
        subprocess.run([lockstep, "profile", "-q", "--gpu", "h200", "--json=" + out, "--", program, "--size", "512",
                        "--repeat", "1", "--verify", "0"], check=True, stdout=subprocess.DEVNULL)
        kernel = [k for k in json.load(open(out))["kernels"] if k["launches"]][-1]
        for counter, text in row.items():
            if counter in ("rung", "us"):
                continue
            got, want = (kernel["counters"].get(counter) or 0) / kernel["launches"], int(text)
            clipped = row["rung"] == "convolution2d/tma" and counter == "tma_load_sectors"  # rows at the border
            far = 0.05 * want if clipped else 0
            check(f"{row['rung']}: {counter} {got:.0f}, not {want}", abs(got - want) <= far)
    check(f"{len(rows)} rungs", len(rows) == 7)


kernels, readings = ours(), theirs()
check(f"{len(kernels)} kernels, {len(readings)} readings", len(kernels) == len(readings) == 100)
equal = pieces = 0
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
    for counter, metric in (("tma_load_sectors", "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum"),
                            ("tma_store_sectors", "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum"),
                            ("tma_reduce_sectors", "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_red.sum")):
        if pieces_are_known(name):
            pieces += 1
            check(f"{name}: {counter} {counters.get(counter, 0)}, not {r[metric]}", counters.get(counter, 0) == r[metric])
    threads = [c for c in counters if c.startswith(("global_load", "global_store", "global_red")) and counters[c]]
    if name.split("<")[0] in ("load", "store", "reduce", "box_load", "box_store"):
        check(f"{name}: no thread accesses memory, says {threads}", not threads)
    by_name = counters.get("dsmem_instructions", 0)
    if name.startswith("remote"):
        want = remote_requests(name, by_name)
        check(f"{name}: {by_name} accesses are {want} requests, not {remote}", want == remote)
    elif l2_is_known(name):
        equal += 1
        sectors = r["lts__t_sectors_srcunit_tex.sum"]
        check(f"{name}: {counters.get('l2_sectors')} sectors, not {sectors}", counters.get("l2_sectors", 0) == sectors)
check(f"sectors of {equal} kernels were compared", equal >= 35)
check(f"{pieces} sums of copies' sectors were compared", pieces >= 90)
rungs()
finish()
