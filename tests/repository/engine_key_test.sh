#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The disk cache's key follows the engine's sources: an edited, a new, a renamed and a removed one change it,
# a touched one, one of another layer and another folder for the whole tree do not; no git is needed. What was
# built carries the key of the sources that lie here, and the build knows what the key hangs on.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL $*"; exit 1; }
script=$SOURCE_DIR/cmake/engine_key.cmake

key() { # of the sources in folder $1
    cmake -DSOURCES="$1" -DOUTPUT="$work/key.c" -P "$script" || fail "the script ends with $?"
    sed -n 's/.*= "\(.*\)";/\1/p' "$work/key.c"
}
mkdir "$work/tree" "$work/other"
cp -r "$SOURCE_DIR/src" "$work/tree/"
src=$work/tree/src
first=$(key "$src")
[[ $first =~ ^[0-9a-f]{32}$ ]] || fail "\"$first\" is no key"

same() { [ "$(key "$src")" = "$first" ] || fail "$1: another key"; }
other() { [ "$(key "$src")" != "$first" ] || fail "$1: the same key"; }
touch "$src"/jit/engine/compile.c "$src"/ptx/ptx_ops.def
same "touched files"
echo "/* more */" >>"$src/cli/run/cli_run.c"
echo "/* more */" >>"$src/exec/exec.c"
same "edits of other layers"
for file in jit/jit.h ptx/ptx_ops.def wir/build.c jit/ops/math.def; do
    cp "$src/$file" "$work/kept"
    echo >>"$src/$file"
    other "a line more in $file"
    cp "$work/kept" "$src/$file"
    same "$file as it was"
done
mkdir -p "$src/jit/deeper"
echo "int x;" >"$src/jit/deeper/new.c"
other "a new file in a folder of its own"
rm -r "$src/jit/deeper"
mv "$src/jit/engine/host.c" "$src/jit/jit_the_host.c"
other "a renamed file"
mv "$src/jit/jit_the_host.c" "$work/kept"
other "a file less"
mv "$work/kept" "$src/jit/engine/host.c"
same "all as it was"
mv "$work/tree/src" "$work/other/"
src=$work/other/src same "another folder"

now=$(key "$SOURCE_DIR/src")
grep -q "$now" "$BINARY_DIR/liblockstep.so" || fail "the library was built with another key than $now"
grep -q "$now" "$LOCKSTEP" || fail "the command was built with another key than $now"

if [ -f "$BINARY_DIR/build.ninja" ]; then
    ninja -C "$BINARY_DIR" -t query engine_key.c >"$work/inputs" || fail "the build does not make the key"
    while IFS= read -r file; do
        grep -q "$file\$" "$work/inputs" || fail "the build does not look at $file"
    done < <(cd "$SOURCE_DIR" && find src/jit src/ptx src/wir src/analysis -name '*.[ch]' -o -name '*.def')
fi
echo "PASS key $now"
