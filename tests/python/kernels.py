# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for triton_test.py: right ones with their results, and three mistakes with their twins. Comments at
ends of lines are what the test looks for."""

import sys

import numpy as np
import triton
import triton.language as tl
from triton.language.extra import libdevice

import lockstep.triton as lt

N, BLOCK = 1000, 256
GRID = (triton.cdiv(N, BLOCK), )
rng = np.random.default_rng(7)


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=mask) + tl.load(y_ptr + offs, mask=mask), mask=mask)  # adds


@triton.jit
def softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + c, mask=c < columns, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * columns + c, e / tl.sum(e, axis=0), mask=c < columns)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * K + (at + k)[None, :], mask=(m[:, None] < M) & ((at + k)[None, :] < K), other=0.0)
        b = tl.load(b_ptr + (at + k)[:, None] * N + n[None, :], mask=((at + k)[:, None] < K) & (n[None, :] < N), other=0.0)
        acc += tl.dot(a, b)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def layer_norm(x_ptr, out_ptr, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + c, mask=c < columns, other=0.0)
    mean = tl.sum(x, axis=0) / columns
    d = tl.where(c < columns, x - mean, 0.0)
    tl.store(out_ptr + row * columns + c, d / tl.sqrt(tl.sum(d * d, axis=0) / columns + eps), mask=c < columns)


@triton.jit
def subnormal(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, tl.exp2(x - 127))
    tl.store(out_ptr + BLOCK + i, tl.sin(x))
    tl.store(out_ptr + 2 * BLOCK + i, tl.sqrt(x))
    tl.store(out_ptr + 3 * BLOCK + i, tl.log(x))
    tl.store(out_ptr + 4 * BLOCK + i, tl.exp(x))


@triton.jit
def mathematics(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs)
    tl.store(out_ptr + offs, libdevice.asin(x) + libdevice.pow(x, 2.5) + tl.sin(x))


@triton.jit
def scalars(out_ptr, i, u, f, none, pair):
    tl.store(out_ptr, i + u)
    tl.store(out_ptr + 1, f)
    if none is None:
        tl.store(out_ptr + 2, pair[0] * pair[1])


@triton.jit
def bounds(x_ptr, out_ptr, n, top, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < top)  # reads beyond x
    tl.store(out_ptr + offs, x * 2, mask=offs < n)


@triton.jit
def race(x_ptr, sum_ptr, ATOMIC: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.sum(tl.load(x_ptr + offs), axis=0)
    if ATOMIC:
        tl.atomic_add(sum_ptr, total)
    else:
        old = tl.load(sum_ptr)  # reads the sum
        tl.store(sum_ptr, old + total)  # writes the sum


@triton.jit
def unset(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.load(out_ptr + offs, mask=offs < n)  # reads what nobody wrote
    acc += tl.load(x_ptr + offs, mask=offs < n)
    tl.store(out_ptr + offs, acc, mask=offs < n)


@triton.jit
def fault(out_ptr, far):
    tl.store(out_ptr + far, 1.0)  # stores to nowhere


def numbers(*shape):
    return lt.array(rng.random(shape, dtype=np.float32))


def say(name, right):
    print(name, "right" if right else "WRONG")


def run_add():
    x, y, out = numbers(N), numbers(N), lt.empty(N)
    add[GRID](x, y, out, N, BLOCK=BLOCK)
    say("add", np.array_equal(out, x + y))


def results():
    run_add()
    x, out = numbers(7, 333), lt.empty((7, 333))
    softmax[(7, )](x, out, 333, BLOCK=512)
    e = np.exp(x.astype(np.float64))
    say("softmax", np.allclose(out, e / e.sum(axis=1, keepdims=True), rtol=1e-5))
    a, b, c = numbers(70, 50).astype(np.float16), numbers(50, 90).astype(np.float16), lt.empty((70, 90))
    matmul[(3, 3)](a, b, c, 70, 90, 50, BM=32, BN=32, BK=32)
    say("matmul", np.allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-5))
    layer_norm[(7, )](x, out, 333, 1e-5, BLOCK=512)
    d = x.astype(np.float64) - x.astype(np.float64).mean(axis=1, keepdims=True)
    say("layer norm", np.allclose(out, d / np.sqrt((d * d).mean(axis=1, keepdims=True) + 1e-5), rtol=1e-4, atol=1e-5))
    x, out = numbers(128), lt.empty(128)
    mathematics[(1, )](x, out, BLOCK=128)
    w = x.astype(np.float64)
    say("math", np.allclose(out, np.arcsin(w) + w**2.5 + np.sin(w), rtol=1e-5))
    out = lt.zeros(4, "float64")
    scalars[(1, )](out, -3, 2**40, 0.1, None, (6, 7))
    say("scalars", np.array_equal(out[:3], [2**40 - 3, np.float64(np.float32(0.1)), 42]))
    tiny, out = lt.array(np.full(128, 1e-40, np.float32)), lt.empty((5, 128))
    subnormal[(1, )](tiny, out, BLOCK=128)
    say("subnormal", np.allclose(out[:, 0], [0, 0, 0, np.log(1e-40), 1], rtol=1e-6, atol=0))
    subnormal[(1, )](tiny, out, BLOCK=128, enable_reflect_ftz=False)
    say("subnormal kept", np.allclose(out[:, 0], [2.0**-127, 1e-40, 1e-20, np.log(1e-40), 1], rtol=1e-4, atol=0))
    say("tools", triton.knobs.nvidia.ptxas.version == triton.knobs.nvidia.ptxas_blackwell.version == "12.8")


def main(name):
    x = numbers(N)
    if name == "results":
        results()
    elif name == "add":
        run_add()
    elif name.startswith("bounds"):
        bounds[GRID](x, lt.zeros(N), N, N if name == "bounds_right" else 1024, BLOCK=BLOCK)  # launches bounds
    elif name.startswith("race"):
        out = lt.zeros(1)
        race[(3, )](x, out, ATOMIC=name == "race_right", BLOCK=BLOCK)
    elif name.startswith("unset"):
        out = lt.empty(N)
        out[:N if name == "unset_right" else 500] = 1
        unset[GRID](x, out, N, BLOCK=BLOCK)
    elif name == "torch":
        import torch
        one = torch.ones(N, device="cuda")
        add[GRID](one, one, one, N, BLOCK=BLOCK)
        print("torch", "right" if one.is_cuda and bool((one == 2).all()) else "WRONG")
    elif name == "numpy_itself":
        add[GRID](np.zeros(N, "float32"), x, x, N, BLOCK=BLOCK)
    elif name == "machine_code":
        print(add[GRID](x, x, lt.empty(N), N, BLOCK=BLOCK).asm["sass"])
    elif name == "fault":
        fault[(1, )](x, 1 << 44)
    major, minor = triton.runtime.driver.active.get_device_capability()
    print(f"{major}.{minor}")


main(sys.argv[1])
