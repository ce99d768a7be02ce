# SPDX-License-Identifier: Apache-2.0
"""Products of matrix units (products.cu), counted against 2 * M * N * K by hand: tcgen05.mma of several kinds, of
several threads, sparse, of two blocks; and wgmma, which has its own counters. A line of the source has what its
instruction does."""
import json, os, subprocess

from checks import check, finish, lockstep, source, work


def profile(cc, *options):
    program, out = os.path.join(work, "products" + cc), os.path.join(work, "result.json")
    subprocess.run([lockstep, "cc", "-arch=sm_" + cc.replace(".", "") + "a", *options, "-o", program,
                    os.path.join(source, "tests/profile/products.cu")], check=True)
    subprocess.run([lockstep, "profile", "-q", "--json=" + out, "--cc", cc, program], check=True, stdout=subprocess.DEVNULL)
    return {k["name"].split("(")[0]: k for k in json.load(open(out))["kernels"]}


def expect(kernel, where, **figures):
    for name, want in figures.items():
        got = kernel["counters"].get(name)
        check(f"{where}: {name} is {got}, not {want}", got == want)


# (products, M, N, K): K is what 32 bytes of a row of A hold, twice that with a sparse A, whose zeros count
TCGEN05 = {
    "f16": (2 * 3, 128, 32, 16),  # two blocks, three turns
    "lanes": (2, 128, 32, 16),  # two lanes of a warp
    "tf32": (1, 64, 24, 8),
    "i8": (1, 128, 32, 32),
    "weights": (1, 32, 64, 32),
    "sparse": (1, 128, 32, 32),
    "scaled": (1, 128, 16, 64),
    "pair": (2, 256, 64, 16),  # two pairs; each is one product
}
kernels = profile("10.0")
for name, (count, m, n, k) in TCGEN05.items():
    expect(kernels[name], name, tcgen05_instructions=count, flops_tensor=count * 2 * m * n * k,
           wgmma_instructions=None, wgmma_wavefronts=None)
    lines = [x["counters"] for x in kernels[name]["lines"] if x["counters"].get("tcgen05_instructions")]
    check(f"{name}: lines with products: {lines}", [x["flops_tensor"] for x in lines] == [count * 2 * m * n * k])
check(f"kernels: {sorted(kernels)}", kernels.keys() == TCGEN05.keys())

# each of four warps has a quarter, in two blocks
wgmma = profile("9.0", "-DWGMMA=1")["warpgroups"]
expect(wgmma, "wgmma", wgmma_instructions=2 * 4, flops_tensor=2 * 2 * 64 * 8 * 16, tcgen05_instructions=None)
finish()
