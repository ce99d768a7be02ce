// SPDX-License-Identifier: Apache-2.0
// What goes wrong under an editor, by the first argument: a launch that fails, in each way that can
// be told apart; a kernel and host code that do not end; no kernel at all; much of everything.
#include <cassert>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

struct Huge {
    int all[1 << 22];
};
__device__ Huge huge;

__global__ void
trouble(int what, int *none)
{
    int i = threadIdx.x;
    if (what == 1)
        none[i] = i;
    if (what == 2 && i == 5)
        __trap();
    if (what == 3)
        assert(i < 7);
    for (int k = 0; what == 4; k++)
        huge.all[i] = k;
    huge.all[i] = i;
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int word;
    if (!strcmp(what, "none"))
        return 3;
    if (!strcmp(what, "stdin"))
        return read(0, &word, sizeof word) == 0 ? 0 : 1;
    if (!strcmp(what, "env"))
        return getenv("COLOUR") && !strcmp(getenv("COLOUR"), "grün") && !getenv("HOME") ? 0 : 1;
    if (!strcmp(what, "host")) {
        signal(SIGTERM, SIG_IGN);
        puts("host code");
        fflush(stdout);
        fputs("a word to stderr\n", stderr);
        for (;;)
            pause();
    }
    trouble<<<1, 32>>>(atoi(what), nullptr);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(e));
    return e == cudaSuccess ? 0 : 2;
}
