# SPDX-License-Identifier: Apache-2.0
# What programs of public suites needed, a small program each: every .cu file here is compiled (a
# line "flags: ..." has its options), run, and must print "ok" and nothing else.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
bad=0
for source in "$SOURCE_DIR"/tests/compat/*.cu; do
    name=$(basename "$source" .cu)
    flags=$(sed -n 's/^.*flags: \(.*\)$/\1/p' "$source")
    "$LOCKSTEP" cc $flags "$source" -o "$work/$name" 2>"$work/log" || { echo "FAIL $name does not compile"; cat "$work/log"; bad=1; continue; }
    out=$(cd "$work" && timeout 60 "./$name" 2>&1)
    [ "$out" = ok ] || { echo "FAIL $name: $out"; bad=1; }
done
exit $bad
