# SPDX-License-Identifier: Apache-2.0
#
# liblockstep under the names of a driver: a program linked with -lcuda, one that opens libcuda.so.1
# and finds its calls by name, and every refused call.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-I$SOURCE_DIR/include ${SANITIZE:+-fsanitize=$SANITIZE -fno-sanitize=function}"
export LD_LIBRARY_PATH=$BINARY_DIR/lib:$BINARY_DIR

cat > "$work/linked.c" <<'END'
#include <cuda.h>
#include <stdio.h>
int main(void)
{
    char name[64];
    CUdevice d;
    CUcontext c;
    if (cuInit(0) || cuDeviceGet(&d, 0) || cuDeviceGetName(name, sizeof name, d) || cuCtxCreate(&c, 0, d))
        return 1;
    puts(name);
    return cuCtxDestroy(c) != CUDA_SUCCESS;
}
END
"$CC" $flags "$work/linked.c" -o "$work/linked" -L"$BINARY_DIR/lib" -lcuda
LOCKSTEP_CC=9.0 "$work/linked" > "$work/name"
[ -s "$work/name" ] || { echo "the linked program printed no name"; exit 1; }

cat > "$work/opened.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
typedef int (*call)();
int main(int argc, char **argv)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *found = 0;
    if (!library)
        return puts(dlerror()), 1;
    call init = (call)dlsym(library, "cuInit"), by_name = (call)dlsym(library, "cuGetProcAddress_v2");
    int status = -1;
    if (!init || !by_name || init(0))
        return puts("no cuInit"), 1;
    if (by_name("cuMemAlloc", &found, 12000, 0L, &status) || status || found != dlsym(library, "cuMemAlloc_v2"))
        return puts("cuMemAlloc by name"), 1;
    if (by_name("cuCtxCreate", &found, 11000, 0L, &status) || found != dlsym(library, "cuCtxCreate_v2"))
        return puts("cuCtxCreate of 11.0"), 1;
    if (by_name("cuCtxCreate", &found, 12050, 0L, &status) || found != dlsym(library, "cuCtxCreate_v4"))
        return puts("cuCtxCreate of 12.5"), 1;
    if (by_name("cuNoSuchCall", &found, 12000, 0L, &status) || status != 1 || found)
        return puts("cuNoSuchCall was found"), 1;
    for (int k = 1; k < argc; k++) { /* refused calls */
        call c = (call)dlsym(library, argv[k]);
        int r = c ? c() : -1;
        if (r != 801)
            return printf("%s: %d\n", argv[k], r), 1;
    }
    return 0;
}
END
"$CC" $flags -std=gnu17 -Wno-deprecated-non-prototype -Wno-strict-prototypes "$work/opened.c" -o "$work/opened" -ldl
# lockstep.h by itself, in C and in C++; what it declares is exported
echo '#include <lockstep.h>' > "$work/header.c"
"$CC" $flags -std=c11 -Wall -Wextra -Werror -fsyntax-only "$work/header.c"
"$CC" $flags -x c++ -std=c++11 -Wall -Wextra -Werror -fsyntax-only "$work/header.c"
for f in lockstep_tool lockstep_place lockstep_arrays lockstep_arrays_over lockstep_reason ptx_run; do
    nm -D --defined-only "$BINARY_DIR/liblockstep.so" | grep -q " T $f\$" || { echo "$f is not exported"; exit 1; }
done

refused=$(sed -n 's/^REFUSED([a-zA-Z0-9_]*, \([a-zA-Z0-9_]*\),.*/\1/p' "$SOURCE_DIR/src/cuda/cuda_calls.def")
[ "$(echo "$refused" | wc -l)" -gt 50 ]
"$work/opened" $refused 2> "$work/said"
[ "$(grep -c 'is not supported' "$work/said")" -eq "$(echo "$refused" | wc -l)" ] || {
    echo "not every refusal says why"; cat "$work/said"; exit 1; }

# every exported call is a row of the table, and every row is exported
nm -D --defined-only "$BINARY_DIR/liblockstep.so" | sed -n 's/.* T \(cu[A-Z][A-Za-z0-9_]*\)$/\1/p' | sort > "$work/exported"
sed -n 's/^[A-Z]*([a-zA-Z0-9_]*, \(cu[a-zA-Z0-9_]*\),.*/\1/p' "$SOURCE_DIR/src/cuda/cuda_calls.def" | sort > "$work/rows"
diff "$work/exported" "$work/rows"
