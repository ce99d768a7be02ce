# SPDX-License-Identifier: Apache-2.0
# The driver's options: what is run (--dryrun), what is refused, what is left behind.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir tmp && export TMPDIR=$work/tmp
failed=0
fail() { echo "FAIL $*"; failed=1; }
cat >a.cu <<'C'
extern __device__ int other(int);
extern __device__ int shared_value;
__global__ void k(int *p) { *p = other(*p) + shared_value; }
int main() { k<<<1, 1>>>(nullptr); }
C
echo '__device__ int shared_value = 3; __device__ int other(int a) { return a + 1; }' >b.cu
echo '__global__ void k(float *a) { a[threadIdx.x] = N; } int main() { k<<<1, 1>>>(0); }' >n.cu
echo 'int f(void) { return 1; }' >c.c

# says OPTIONS... -- PATTERN: the dry run's commands contain it
says() {
    local words=()
    while [ "$1" != -- ]; do words+=("$1"); shift; done
    "$LOCKSTEP" cc --dryrun "${words[@]}" 2>out >/dev/null
    grep -qE -e "$2" out || fail "${words[*]}: no '$2' in: $(cat out)"
}
silent_on() { # the same, but absent
    local words=()
    while [ "$1" != -- ]; do words+=("$1"); shift; done
    "$LOCKSTEP" cc --dryrun "${words[@]}" 2>out >/dev/null
    grep -qE -e "$2" out && fail "${words[*]}: '$2' in: $(cat out)"
}
environment=(A=1) # for the command that is to refuse
refuses() { # STATUS PATTERN OPTIONS...
    local status=$1 pattern=$2
    shift 2
    env "${environment[@]}" "$LOCKSTEP" cc "$@" 2>out >/dev/null
    local got=$?
    [ $got = "$status" ] || fail "$*: status $got, not $status"
    grep -qE -e "$pattern" out || fail "$*: message is: $(cat out)"
}

says n.cu -- '--cuda-device-only .*-gline-tables-only.*n.cu -o .*bc$'
says n.cu -- '-x ir --target=nvptx64-nvidia-cuda -march=sm_90 .*n.bc -o .*ptx$'
says n.cu -- '--cuda-host-only.*-fcuda-include-gpubinary'
says n.cu -- '-o a.out .*-Wl,-rpath,.* -llockstep'
says -arch=sm_80 n.cu -- '--cuda-gpu-arch=sm_80'
says -arch sm_75 n.cu -- '--cuda-gpu-arch=sm_75'
says --gpu-architecture=compute_86 n.cu -- '--cuda-gpu-arch=sm_86'
says -gencode arch=compute_70,code=sm_70 -gencode=arch=compute_80,code=sm_80 n.cu -- 'sm_80'
says -arch=native n.cu -- '--cuda-gpu-arch=sm_90'
says -arch=sm_120 n.cu -- '--cuda-gpu-arch=sm_90'
says -DN=3 -I inc -isystem sys -UX -include n.h -c n.cu -- 'device-only|-DN=3 -Iinc -isystem sys -UX -include n.h'
says -std=c++14 n.cu -- '-std=c\+\+14'
says -std=c++14 -c c.c -- '-x c '
silent_on -std=c++14 -c c.c -- '-std'
says -O1 n.cu -- 'host-only.*-O1'
says -O1 n.cu -- 'device-only.*-O3'
says -Xcompiler -Wall,-fPIC n.cu -- 'host-only.*-Wall -fPIC'
says -Xcompiler=-DA=1 n.cu -- 'device-only.*-DA=1'
says -Xlinker --as-needed,-v n.cu -- '-Xlinker --as-needed -Xlinker -v'
says --use_fast_math n.cu -- 'fgpu-flush-denormals-to-zero.*approx-transcendentals'
says --use_fast_math n.cu -- 'prec-divf32=0.*prec-sqrtf32=0'
says -use_fast_math -ftz=false -prec-div=true n.cu -- 'approx-transcendentals'
silent_on -use_fast_math -ftz=false -prec-div=true n.cu -- 'flush-denormals|prec-divf32'
says -fmad=false n.cu -- 'ffp-contract=off'
says -fmad=false n.cu -- 'nvptx-fma-level=0'
says -rdc=true n.cu -- '-fgpu-rdc'
says -rdc true n.cu -- '-fgpu-rdc'
silent_on -rdc=false n.cu -- '-fgpu-rdc'
says -dc n.cu -- '-fgpu-rdc.* -c n.cu -o n.o'
says -dlink n.o -o d.o -- '-c /dev/null -o d.o'
says -E n.cu -- ' -E n.cu'
says -M n.cu -- ' -M n.cu'
says -MD -MF n.d -c n.cu -- 'host-only.*-MD -MF n.d'
says -shared -o libn.so n.cu -- '-shared .*-o libn.so'
says -lib n.cu -o libn.a -- '^#. ar rcs libn.a'
says -lcudart -lcuda -lm n.cu -- '0-n.o -lm -L'
silent_on -lcudart -lcuda -lm n.cu -- '-lcud'
says -march=native n.cu -- 'host-only.*-march=native'
says -x cu c.c -- '-x cuda.* c.c'
says -v n.cu -- '^#. TOP='
says -t 4 -threads=2 --extended-lambda --expt-relaxed-constexpr -lineinfo -g -m64 n.cu -- 'host-only.*-g '
silent_on -t 4 --extended-lambda --expt-relaxed-constexpr -lineinfo -cudart shared n.cu -- 'Ignored'
says -maxrregcount=32 -Xptxas -v n.cu -- "Ignored option '-Xptxas'"
[ "$(grep -c "Ignored option '-Xptxas'" out)" = 1 ] || fail "one warning for -Xptxas"
printf -- '-DFROM_FILE "-DTWO=a b" # comment\n-arch=sm_70' >options
says @options n.cu -- "-DFROM_FILE '-DTWO=a b'.*"
says --options-file options n.cu -- 'sm_70'
NVCC_PREPEND_FLAGS='-DBEFORE' NVCC_APPEND_FLAGS='-DAFTER' says -DMID n.cu -- '-DBEFORE -DMID -DAFTER'
says -keep -c n.cu -- '-o ./n.ptx'

refuses 2 'no input file'
refuses 2 'needs a value' n.cu -o
refuses 2 'no architecture' -arch=fast n.cu
refuses 2 'is no number of registers' -maxrregcount=few n.cu
refuses 2 'several files' -c a.cu b.cu -o x.o
refuses 1 'closed.*no replacement' n.cu -lcublas
refuses 1 'not made here' -ltoir n.cu
refuses 1 'error' -c missing.cu
refuses 1 "no such option file|No such file" @nothing
environment=(PATH=/nonexistent)
refuses 127 'install the Debian package clang-19' n.cu
environment=(LOCKSTEP_CLANG=/nonexistent/clang)
refuses 127 'LOCKSTEP_CLANG' n.cu
environment=(A=1)

# What is made. N is not defined without -DN: the compiler's own status comes through.
refuses 1 'undeclared' -c n.cu -o n.o
"$LOCKSTEP" cc -DN=1 -c n.cu -o n.o || fail "-c"
strings n.o | grep -q '^LOCKSTEP' || fail "no container in n.o"
"$LOCKSTEP" cc -DN=1 -ptx n.cu && grep -q '^.target sm_90' n.ptx || fail "-ptx"
"$LOCKSTEP" cc -DN=1 -cubin n.cu && head -c 8 n.cubin | grep -q '^LOCKSTEP$' || fail "-cubin: no container"
"$LOCKSTEP" cc -DN=1 -E n.cu | grep -q '= 1;' || fail "-E"
"$LOCKSTEP" cc -dc a.cu b.cu && [ -s a.o ] && [ -s b.o ] || fail "-dc"
[ "$(nm a.o b.o | grep -o '__cudaRegisterLinkedBinary.*' | sort -u)" = __cudaRegisterLinkedBinary ] || fail "unit symbols"
"$LOCKSTEP" cc -lib a.cu b.cu -rdc=true -o libab.a && ar t libab.a | grep -q a.o || fail "-lib"
"$LOCKSTEP" cc -c c.c -o c.o && nm c.o | grep -q ' T f' || fail "c.c"
ln -s "$LOCKSTEP" nvcc
./nvcc --version | grep -q 'Cuda compilation tools, release 12.5, V12.5.0' || fail "--version as nvcc"
./nvcc -DN=2 -c n.cu -o n2.o || fail "as nvcc"
# What gcc calls a constant and clang does not is none of the kernel's business.
echo '__device__ constexpr float ln10() { return ::log(10.f); } __global__ void k(float *o) { *o = ln10(); }' >ln.cu
"$LOCKSTEP" cc -c ln.cu -o ln.o || fail "a constexpr function that calls log"

# How a source reads is the same in both passes, however it is said; what is generated for the host is the host's.
mkdir -p system quoted && echo '#define SYSTEM 3' >system/system.h && echo '#define QUOTED 4' >quoted/quoted.h
echo '#define BEFORE 5' >before.h
cat >reads.cu <<'C'
#include <system.h>
#include "quoted.h"
__device__ char narrow = {300};
__global__ void k(int *o) { *o = SYSTEM + QUOTED + BEFORE + ONE + narrow; }
int main() { int *o; cudaMallocManaged(&o, 4); k<<<1, 1>>>(o); cudaDeviceSynchronize(); return *o != 57; }
C
"$LOCKSTEP" cc -w -Xcompiler -isystem,system,-Wno-c++11-narrowing -Xcompiler -iquote -Xcompiler quoted \
    -Xcompiler=-include,before.h,-fopenmp-simd,-march=native -Xcompiler "-D,ONE=1" reads.cu -o reads && ./reads || fail "-Xcompiler"
"$LOCKSTEP" cc -w -isystem system -Wno-c++11-narrowing -iquote quoted -include before.h -DONE=1 reads.cu -o reads &&
    ./reads || fail "the same without -Xcompiler"
"$LOCKSTEP" cc -w -isystem system -iquote quoted -include before.h -DONE=1 reads.cu -o reads 2>out && fail "narrowing"
grep -q 'narrow' out || fail "narrowing: another error"

# Interrupted: the same signal ends it, nothing stays behind.
printf '#include <complex>\n#include <regex>\n#include <map>\n__global__ void k(){}\nint main(){ std::regex r("a*"); }\n' >slow.cu
setsid "$LOCKSTEP" cc -c slow.cu -o slow.o & pid=$!
sleep 0.3
kill -TERM $pid
wait $pid
status=$?
[ $status = 143 ] || [ $status = 0 ] || fail "status after a signal: $status"
[ -z "$(ls tmp)" ] || fail "left behind: $(ls tmp)"
exit $failed
