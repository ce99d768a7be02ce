# SPDX-License-Identifier: Apache-2.0
"""Static shared memory against the architecture's limit, as ptxas has it: 48 KiB exactly are fine, a word
more is an error when a program is compiled (whole or in units), and when PTX is loaded by the driver API
or `lockstep launch`; 16 KiB before 2.0. Dynamic shared memory and kernels that do not use the array do not
count."""
import os
import subprocess
import sys
import tempfile

lockstep = os.environ["LOCKSTEP"]
failures = []

SOURCE = """
#include <stdio.h>
extern __shared__ float dynamic[];
template <int n>
__device__ float
part(const float *o)
{
    __shared__ float t[n];
    t[threadIdx.x] = o[threadIdx.x];
    __syncthreads();
    return t[31 - threadIdx.x];
}

__global__ void
all(float *o)
{
    __shared__ float s[6144];
    s[threadIdx.x] = dynamic[threadIdx.x] = threadIdx.x;
    __syncthreads();
    o[threadIdx.x] = s[31 - threadIdx.x] + part<N>(o) + dynamic[31 - threadIdx.x];
}

__global__ void
none(float *o)
{
    o[threadIdx.x] = 0;
}

int
main(void)
{
    float *o;
    cudaMalloc(&o, 128);
    none<<<1, 32>>>(o);
    cudaFuncSetAttribute(all, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    all<<<1, 32, 65536>>>(o);
    printf("%s\\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
"""

LOADER = """
#include <cuda.h>
#include <stdio.h>
int
main(int argc, char **argv)
{
    CUdevice d;
    CUcontext c;
    CUmodule m;
    const char *name;
    cuInit(0);
    cuDeviceGet(&d, 0);
    cuCtxCreate(&c, 0, d);
    cuGetErrorName(cuModuleLoad(&m, argv[1]), &name);
    printf("%s\\n", name);
    return argc != 2;
}
"""
TOO_MUCH = '%s: kernel "all" uses too much shared data (0x%x bytes, 0x%x max for sm_%d): "%s" has %d'


def run(*words):
    return subprocess.run(words, capture_output=True, text=True)


def judge(what, done, status, words):
    if done.returncode != status or words not in done.stdout + done.stderr:
        failures.append(what)
        print("FAIL", what, done.returncode, done.stdout, done.stderr, "instead of", status, words)


with tempfile.TemporaryDirectory() as work:
    source, program, ptx = (os.path.join(work, name) for name in ("shared.cu", "shared", "shared.ptx"))
    loader, more = os.path.join(work, "loader"), os.path.join(work, "more.ptx")
    with open(source, "w") as f:
        f.write(SOURCE)
    with open(loader + ".cu", "w") as f:
        f.write(LOADER)
    line = SOURCE[:SOURCE.index("all(float")].count("\n") + 2 # its body
    place = "%s:%d" % (source, line)
    for options in ([], ["-rdc=true"]):
        judge("compile", run(lockstep, "cc", *options, "-DN=6144", source, "-o", program), 0, "")
        judge("run", run(program), 0, "cudaSuccess")
        judge("a word more", run(lockstep, "cc", *options, "-DN=6145", source, "-o", program), 1,
              TOO_MUCH % (place, 49156, 49152, 90, "t", 24580))
    judge("run's compilation", run(lockstep, "cc", "-arch=sm_75", "-DN=9000", source, "-o", program), 1,
          TOO_MUCH % (place, 60576, 49152, 75, "t", 36000))
    judge("ptx", run(lockstep, "cc", "-ptx", "-DN=6144", source, "-o", ptx), 0, "")
    with open(ptx) as f:
        text = f.read()
    launch = ["launch", "--kernel", "_Z3allPf", "--grid", "1", "--block", "32", "--shared", "128", "--arg", "buffer:128"]
    judge("launch", run(lockstep, *launch, ptx), 0, "")
    judge("loader", run(lockstep, "cc", loader + ".cu", "-o", loader, "-lcuda"), 0, "")
    judge("load", run(loader, ptx), 0, "CUDA_SUCCESS")
    for changed, arch, size, limit in ((text.replace("24576", "24580"), 90, 49160, 49152),
                                       (text.replace(".target sm_90", ".target sm_13"), 13, 49152, 16384)):
        with open(more, "w") as f:
            f.write(changed)
        words = "uses too much shared data (0x%x bytes, 0x%x max for sm_%d)" % (size, limit, arch)
        judge("launch %d" % arch, run(lockstep, *launch, more), 2, words)
        judge("load %d" % arch, run(loader, more), 0, "CUDA_ERROR_INVALID_PTX")
        judge("reason %d" % arch, run(loader, more), 0, words)

sys.exit(1 if failures else 0)
