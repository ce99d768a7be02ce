# SPDX-License-Identifier: Apache-2.0
"""Headers use no names that programs define as macros before they include them: BLOCK, TILE, GRID, N, T, ..."""
import os
import subprocess
import sys
import tempfile

NAMES = """A B C D E F G H K L M N P Q R S T U V W X Y Z BLOCK BLOCKS GRID TILE TILES COALESCED SIZE WIDTH HEIGHT DEPTH ROWS
COLS RADIUS NX NY NZ DIM BM BN BK TM TN WARP WARPS LANES THREADS MASK MAX MIN PAD STEP STEPS BINS CHUNK COUNT LENGTH TYPE
KERNEL DATA DEVICE HOST CHECK ERROR INFO FULL MODE LOAD STORE""".split()
HEADERS = ["cuda_runtime.h", "cooperative_groups.h", "cooperative_groups/reduce.h", "cuda_fp16.h", "cuda_bf16.h",
           "curand_kernel.h", "cuda_pipeline.h", "device_launch_parameters.h"]
with tempfile.TemporaryDirectory() as work:
    source = os.path.join(work, "names.cu")
    with open(source, "w") as f:
        f.write("".join("#include <%s>\n" % h for h in ("algorithm", "cmath", "cstdio", "string", "type_traits", "vector")))
        f.write("".join("#define %s 7\n" % n for n in NAMES) + "".join("#include <%s>\n" % h for h in HEADERS))
        f.write("__global__ void k(int *a) { a[threadIdx.x] = BLOCK + N; }\nint main() { k<<<1, 1>>>(0); }\n")
    p = subprocess.run([os.environ["LOCKSTEP"], "cc", "-c", source, "-o", os.path.join(work, "names.o")],
                       capture_output=True, text=True)
    if p.returncode:
        print(p.stderr[:4000])
    sys.exit(p.returncode != 0)
