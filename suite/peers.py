#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The vendor's libraries on the suite's workloads: one JSON object a line, in milliseconds by events.

    python3 suite/peers.py [SYSTEM...]   matmul hgemm transpose reduce difference convolution convolution2d
                                         spmv histogram; none: all of them. A copy is timed always.

cuBLAS, cuDNN and copies through PyTorch, cuSPARSE and CUB through CuPy. A package or a call that is missing
is named in a line with "skipped". Each row: warmed up, the median of 15 timings and the distance of their
quartiles; a timing of what takes less than 3 ms is of several calls in turn over buffers that together exceed
the last-level cache four times.
"""
import json, statistics, sys, warnings

warnings.simplefilter("ignore")  # PyTorch calls its sparse tensors new

try:
    import torch
except ImportError as missing:
    torch = None
    print(json.dumps({"skipped": f"PyTorch: {missing}"}))
try:
    import cupy
    import cupyx.scipy.sparse
    from cupyx import cusparse
except ImportError as missing:
    cupy = None
    print(json.dumps({"skipped": f"CuPy: {missing}"}))

REPEAT = 15
BIG = 1 << 28


def timed(call, sets=1):
    """call(i) works on set i % sets; (median, spread) of a call in ms."""
    sync, event = torch.cuda.synchronize, lambda: torch.cuda.Event(enable_timing=True)

    def once(count):
        a, b = event(), event()
        a.record()
        for i in range(count):
            call(i % sets)
        b.record()
        sync()
        return a.elapsed_time(b) / count

    once(1)
    batch = max(1, int(3 / max(once(3), 0.003)))
    times = sorted(once(batch) for _ in range(REPEAT))
    return statistics.median(times), times[3 * REPEAT // 4] - times[REPEAT // 4]


def report(system, entry, peer, call, sets=1, **figures):
    """entry: the size and options of the rungs that do the same (their line "gpu:"); figures: name=amount a
    call, reported per second times 1e-9."""
    try:
        ms, spread = timed(call, sets)
    except Exception as why:  # a library may refuse a size: that is a result, too
        print(json.dumps({"system": system, "entry": entry, "peer": peer, "skipped": str(why)[:200]}), flush=True)
        return
    row = {"system": system, "entry": entry, "peer": peer, "median_milliseconds": round(ms, 6),
           "spread_milliseconds": round(spread, 6)}
    for name, amount in figures.items():
        row[name] = round(amount * 1e-6 / ms, 3)
    print(json.dumps(row), flush=True)


def floats(*shape):
    return torch.rand(*shape, device="cuda") * 2 - 1


def sets_for(bytes_each):
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    return max(1, min(64, -(-4 * cache // bytes_each)))


def copy():
    a, b = floats(BIG), torch.empty(BIG, device="cuda")
    report("copy", str(BIG), "device copy (PyTorch)", lambda i: b.copy_(a), gigabytes_per_second=8 * BIG)


def product():
    torch.backends.cuda.matmul.allow_tf32 = False
    for m, k, n in ((512,) * 3, (1024,) * 3, (2048,) * 3, (4096,) * 3, (8192,) * 3, (1 << 20, 64, 64),
                    (128, 1 << 18, 128)):
        sets = sets_for(4 * (m * k + k * n + m * n))
        a, b = floats(sets, m, k), floats(sets, k, n)
        c = torch.empty(sets, m, n, device="cuda")
        report("matmul", str(m) if m == k == n else f"{m}x{k}x{n}", "cuBLAS (PyTorch)", lambda i: torch.mm(a[i], b[i], out=c[i]), sets,
               gflops=2.0 * m * k * n)


def halves():
    for kind, name in ((torch.float16, "f16"), (torch.bfloat16, "bf16")):
        for n in (4096, 8192):
            sets = sets_for(8 * n * n)
            a, b = floats(sets, n, n).to(kind), floats(sets, n, n).to(kind)
            c = torch.empty(sets, n, n, device="cuda")
            report("hgemm", f"{n} {name}", "cuBLAS (PyTorch)",
                   lambda i: torch.mm(a[i], b[i], out_dtype=torch.float32, out=c[i]), sets, gflops=2.0 * n**3)


def transpose():
    n = 16384
    a, b = floats(n, n), torch.empty(n, n, device="cuda")
    report("transpose", str(n), "PyTorch", lambda i: b.copy_(a.t()), gigabytes_per_second=8 * n * n)


def sum_():
    a = floats(BIG)
    report("reduce", str(BIG), "PyTorch", lambda i: torch.sum(a), gigabytes_per_second=4 * BIG)
    if cupy:
        cupy._core.set_reduction_accelerators(["cub"])
        c, out = cupy.from_dlpack(a), cupy.zeros((), dtype=cupy.float32)
        report("reduce", str(BIG), "CUB (CuPy)", lambda i: cupy.sum(c, out=out), gigabytes_per_second=4 * BIG)


def difference():
    a, b = floats(BIG), torch.empty(BIG - 1, device="cuda")
    report("difference", str(BIG), "PyTorch", lambda i: torch.sub(a[1:], a[:-1], out=b),
           gigabytes_per_second=8 * BIG)


def convolution():
    for n in (BIG, 1 << 26):
        a, w = floats(1, 1, n), floats(1, 1, 9)
        report("convolution", f"{n} --mask 9", "cuDNN (PyTorch)",
               lambda i: torch.nn.functional.conv1d(a, w, padding=4), gigabytes_per_second=8 * n)
        del a


def convolution2d():
    n = 8192
    a, w = floats(1, 1, n, n), floats(1, 1, 5, 5)
    torch.backends.cudnn.allow_tf32 = False
    report("convolution2d", str(n), "cuDNN (PyTorch)",
           lambda i: torch.nn.functional.conv2d(a, w, padding=2), gigabytes_per_second=8 * n * n)


def signed(x):
    return x - (1 << 64) if x >> 63 else x


def random(i, seed):
    """suite_random() of suite/common/suite.h, for a tensor of indices."""
    x = i * signed(0x9E3779B97F4A7C15) + seed
    x = (x ^ x >> 32 & 0xFFFFFFFF) * signed(0xD6E8FEB86659FD93)
    return (x ^ x >> 32 & 0xFFFFFFFF) & 0xFFFFFFFF


def matrix(kind, rows, each):
    """The matrix that sparse_generate_kind() of suite/common/sparse.h makes, but for the values."""
    lengths = torch.full((rows,), each, device="cuda", dtype=torch.int64)
    if kind == "power":
        u = (random(torch.arange(rows, device="cuda"), 7) + 1).double() / 2**32
        lengths = (0.32 * each * u**-0.7).floor().clamp_(max=rows).long()
    ends = torch.zeros(rows + 1, device="cuda", dtype=torch.int64)
    torch.cumsum(lengths, 0, out=ends[1:])
    count = int(ends[-1])
    row = torch.repeat_interleave(torch.arange(rows, device="cuda"), lengths)
    index = torch.arange(count, device="cuda")
    place = index - ends[row]
    if kind == "banded":
        first = (torch.arange(rows, device="cuda") - each // 2).clamp_(0, rows - each)
        col = first[row] + place
    else:
        u = (place + random(index, 8).double() / 2**32) / lengths[row]
        col = ((u * u if kind == "power" else u) * rows).long().clamp_(max=rows - 1)
    return ends.int(), col.int(), floats(count)


def spmv():
    rows, each = 1 << 22, 16
    for kind in ("random", "banded", "power"):
        ends, col, data = matrix(kind, rows, each)
        count, x, y = data.numel(), floats(rows), torch.empty(rows, device="cuda")
        moved = 8.0 * count + 12.0 * rows
        size = f"{rows} --matrix {kind}"
        if cupy:
            a = cupyx.scipy.sparse.csr_matrix(tuple(cupy.from_dlpack(t) for t in (data, col, ends)),
                                              shape=(rows, rows))
            a.has_canonical_format = True  # columns rise; some may be there twice
            cx, cy = cupy.from_dlpack(x), cupy.from_dlpack(y)
            report("spmv", size, "cuSPARSE (CuPy)", lambda i: cusparse.spmv(a, cx, cy),
                   gigabytes_per_second=moved)
        t = torch.sparse_csr_tensor(ends, col, data, (rows, rows))
        report("spmv", size, "cuSPARSE (PyTorch)", lambda i: torch.mv(t, x, out=y), gigabytes_per_second=moved)
        del t, ends, col, data


def histogram():
    a = torch.randint(0, 256, (BIG,), device="cuda", dtype=torch.uint8)
    report("histogram", str(BIG), "PyTorch (bincount)", lambda i: torch.bincount(a, minlength=256),
           gigabytes_per_second=BIG)
    if not cupy:
        return
    cupy._core.set_routine_accelerators(["cub"])
    c = cupy.from_dlpack(a)
    report("histogram", str(BIG), "CUB (CuPy histogram)",
           lambda i: cupy.histogram(c, bins=256, range=(0, 256)), gigabytes_per_second=BIG)


WORKS = {"matmul": product, "hgemm": halves, "transpose": transpose, "reduce": sum_, "difference": difference,
         "convolution": convolution, "convolution2d": convolution2d, "spmv": spmv, "histogram": histogram}


def main():
    wanted = [name for name in sys.argv[1:] or WORKS if name in WORKS]
    if not torch or not torch.cuda.is_available():
        print(json.dumps({"skipped": "no PyTorch with a GPU: no peers"}))
        return
    p = torch.cuda.get_device_properties(0)
    print(json.dumps({"device": p.name, "torch": torch.__version__, "cuda": torch.version.cuda,
                      "cudnn": torch.backends.cudnn.version(), "cupy": cupy and cupy.__version__}), flush=True)
    for name, work in [("copy", copy)] + [(name, WORKS[name]) for name in wanted]:
        try:
            work()
        except Exception as why:
            print(json.dumps({"system": name, "skipped": f"{type(why).__name__}: {why}"[:200]}), flush=True)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
