# SPDX-License-Identifier: Apache-2.0
#
# cuLinkAddFile of what `lockstep cc` writes: cubins (containers), objects, archives, the toolkit's libcudadevrt.a; and
# what it must refuse. The program is linked with the toolkit folder's libraries and finds them beside libcuda.so.1.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
flags="-I$SOURCE_DIR/include ${SANITIZE:+-fsanitize=$SANITIZE -fno-sanitize=function}"
export LD_LIBRARY_PATH=$BINARY_DIR/lib

cat > link.c <<'END'
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#define OK(call) do { int r_ = (call); if (r_) return fprintf(stderr, "%s: %d\n", #call, r_), r_ & 255; } while (0)
int main(int argc, char **argv) /* pairs of type and file; or a cubin alone */
{
    CUdevice d; CUcontext c; CUlinkState s; CUmodule m; CUfunction f; CUdeviceptr p;
    void *image; size_t size; int value = 21;
    OK(cuInit(0)); OK(cuDeviceGet(&d, 0)); OK(cuCtxCreate(&c, 0, d));
    if (argc == 2) {
        OK(cuModuleLoad(&m, argv[1]));
    } else {
        OK(cuLinkCreate(0, 0, 0, &s));
        for (int k = 1; k < argc; k += 2)
            OK(cuLinkAddFile(s, atoi(argv[k]), argv[k + 1], 0, 0, 0));
        OK(cuLinkComplete(s, &image, &size)); OK(cuModuleLoadData(&m, image)); OK(cuLinkDestroy(s));
    }
    OK(cuModuleGetFunction(&f, m, "k"));
    OK(cuMemAlloc(&p, 4)); OK(cuMemcpyHtoD(p, &value, 4));
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, (void *[]){&p}, 0));
    OK(cuMemcpyDtoH(&value, p, 4));
    printf("%d\n", value);
    return 0;
}
END
"$CC" $flags link.c -o link -L"$BINARY_DIR/toolkit/lib64" -lcuda
echo '__device__ int twice(int); extern "C" __global__ void k(int *p) { *p = twice(*p); }' > a.cu
echo '__device__ int twice(int x) { return 2 * x; }' > b.cu
cat a.cu b.cu > whole.cu
echo 'int host;' > c.c
"$LOCKSTEP" cc -cubin whole.cu
"$LOCKSTEP" cc -cubin -rdc=true a.cu b.cu
"$LOCKSTEP" cc -dc a.cu b.cu
"$LOCKSTEP" cc -lib a.o b.o -o libab.a
"$LOCKSTEP" cc -c c.c -o c.o
ar rcs libc0.a c.o

gives() { # value, arguments
    want=$1; shift
    [ "$(./link "$@")" = "$want" ] || { echo "link $*: not $want"; exit 1; }
}
refuses() { # what it says, arguments
    say=$1; shift
    ./link "$@" > out 2>&1 && { echo "link $*: not refused"; exit 1; }
    grep -q "$say" out || { echo "link $*:"; cat out; exit 1; }
}
cubin=0 ptx=1 object=3 library=4
gives 42 whole.cubin
gives 42 $cubin a.cubin $cubin b.cubin
gives 42 $object a.o $cubin b.cubin $library "$BINARY_DIR/toolkit/lib64/libcudadevrt.a"
gives 42 $library libab.a
refuses 'twice' $cubin a.cubin $library "$BINARY_DIR/toolkit/lib64/libcudadevrt.a"
refuses 'machine code' $object c.o
refuses 'archive without code' $library libc0.a
refuses 'input of type 5' 5 a.cubin $ptx b.cubin
