# SPDX-License-Identifier: Apache-2.0
# curand_kernel.h: its generators and distributions in a program.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
"$LOCKSTEP" cc -Werror all-warnings "$SOURCE_DIR/tests/cc/curand.cu" -o "$work/curand" && "$work/curand"
[ $? = 0 ] || exit 1

# curand.h and -lcurand: what the host can ask for; a table is refused, a generator when it is compiled.
cat >"$work/host.c" <<'END'
#include <curand.h>
#include <stdio.h>
int
main(void)
{
    int version, major;
    unsigned *words;
    curandDirectionVectors32_t *vectors;
    printf("%d %d\n", curandGetVersion(&version) || version != CURAND_VERSION,
           curandGetProperty(MAJOR_VERSION, &major) || major != version / 1000);
    printf("%d %d\n", curandGetScrambleConstants32(&words),
           curandGetDirectionVectors32(&vectors, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
#ifdef GENERATOR
    curandGenerator_t generator;
    return curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
#endif
}
END
"$LOCKSTEP" cc "$work/host.c" -lcurand -o "$work/host" && [ "$("$work/host" 2>"$work/err" | tr '\n' ' ')" = "0 0 104 104 " ] || exit 1
grep -q 'curandGetScrambleConstants32.*no table of scramble constants' "$work/err" || { cat "$work/err"; exit 1; }
! "$LOCKSTEP" cc -DGENERATOR "$work/host.c" -lcurand -o "$work/host" 2>"$work/err" &&
    grep -q 'no generators of cuRAND' "$work/err" || { cat "$work/err"; exit 1; }
cat >"$work/both.cu" <<'END'
#include <curand.h>
#include <curand_kernel.h>
__global__ void k(curandStateSobol32_t *s, curandDirectionVectors32_t *v) { curand_init(*v, 0u, s); }
int main() { return 0; }
END
"$LOCKSTEP" cc "$work/both.cu" -o "$work/both" && sed '1{h;d};2{G}' "$work/both.cu" >"$work/swapped.cu" &&
    "$LOCKSTEP" cc "$work/swapped.cu" -o "$work/swapped"
