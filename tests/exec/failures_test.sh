# SPDX-License-Identifier: Apache-2.0
# The machine fails under a program: caches that are damaged, somebody else's or not to be written to, a
# full disk, no memory. Each time the program is right or says what failed; it never crashes.
set -u
work=$(mktemp -d) && trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
bad=0
fail() { echo "FAIL $*"; cat "$work/err"; bad=1; }
"$LOCKSTEP" cc "$SOURCE_DIR/tests/exec/failures.cu" -o "$work/program" || exit 1
cache=$work/cache
run() { LOCKSTEP_CACHE=$cache LOCKSTEP_WORKERS=2 timeout 60 "$@" >"$work/out" 2>"$work/err"; }
right() { # what: the last run printed what it must
    [ "$(cat "$work/out")" = "thread 5
right" ] || fail "$1: printed '$(cat "$work/out")'"
}
run "$work/program"; right "first run"
# One; a sanitizer maps so much that numbers look like the host's addresses: a second one then (device/pageable.c).
entry=$(ls "$cache"/*.kernel | head -1)
[ -f "$entry" ] || fail "no entry in the cache"
cp "$entry" "$work/entry"
size=$(stat -c %s "$entry")

# -- damaged entries ----------------------------------------------------------------------------------
flip() { # byte at offset $1 becomes another one
    old=$(od -An -tu1 -j "$1" -N 1 "$work/entry" | tr -d ' ')
    printf "$(printf '\\%03o' $((old ^ 0x55)))" | dd of="$entry" bs=1 seek="$1" conv=notrunc status=none
}
for at in 0 9 25 41 45 49 53 57 60 61 65 72 80 $((size / 2)) $((size - 1)); do
    cp "$work/entry" "$entry"; flip "$at"
    run "$work/program"; right "byte $at of the entry is wrong"
    cmp -s "$entry" "$work/entry" || fail "byte $at: the entry was not made anew"
done
for length in 0 1 71 72 $((size - 1)); do
    head -c "$length" "$work/entry" >"$entry"
    run "$work/program"; right "the entry has $length bytes"
done
{ cat "$work/entry"; echo more; } >"$entry"; run "$work/program"; right "the entry is too long"
chmod 666 "$entry"; run "$work/program"; right "others may write the entry"
rm "$entry"; ln -s "$work/entry" "$entry"; run "$work/program"; right "the entry is a link"
rm "$entry"; mkdir "$entry"; run "$work/program"; right "the entry is a folder"
rmdir "$entry" 2>/dev/null || rm -rf "$entry"

# -- folders that are no good -----------------------------------------------------------------------------
chmod 777 "$cache"; run "$work/program"; right "others may write to the folder"
grep -q 'other users may write to the cache folder' "$work/err" || fail "no warning about the folder"
chmod 700 "$cache"
if [ "$(id -u)" = 0 ]; then
    chown 12345 "$cache"; run "$work/program"; right "somebody else's folder"
    grep -q 'belongs to another user' "$work/err" || fail "no warning about the owner"
    chown 0 "$cache"
else
    chmod 500 "$cache"; run "$work/program"; right "a folder that cannot be written to"
    grep -q 'ermission denied' "$work/err" || fail "no warning about the folder"
    chmod 700 "$cache"
fi
cache=$work/file; echo >"$cache"; run "$work/program"; right "a file instead of the folder"
grep -q 'no cache: ' "$work/err" || fail "no warning about the file"
cache=/proc/nowhere/cache; run "$work/program"; right "no place for a folder"

# -- programs that lockstep run keeps ------------------------------------------------------------------------
cache=$work/cache
run "$LOCKSTEP" run "$SOURCE_DIR/tests/exec/failures.cu"; right "lockstep run"
for kept in "$cache"/cc-*-????????????????; do
    head -c 100 "$kept" >"$work/part" && cp "$work/part" "$kept"
done
run "$LOCKSTEP" run "$SOURCE_DIR/tests/exec/failures.cu"; right "a kept program is cut off"
for list in "$cache"/cc-*.list; do echo garbage >"$list"; done
run "$LOCKSTEP" run "$SOURCE_DIR/tests/exec/failures.cu"; right "a kept program's list is garbage"

[ -z "$SANITIZE" ] || { echo "no library can be preloaded under sanitizers"; exit $bad; }
"$CC" -shared -fPIC -O1 "$SOURCE_DIR/tests/exec/failing.c" -o "$work/failing.so" -ldl || exit 1

# -- a full disk ---------------------------------------------------------------------------------------------
rm -rf "$cache"
FAIL_WRITE=1 run env LD_PRELOAD="$work/failing.so" "$work/program"; right "the disk is full"
[ -z "$(ls "$cache")" ] || fail "the full disk has $(ls "$cache")"

# -- no memory: each allocation in turn; not to be killed, and never to be wrong without a word ----------
survived() { # what, exit status
    case $2 in
    0) right "$1" ;;
    134) grep -qiE 'out of memory|bad_alloc|LLVM ERROR' "$work/err" || fail "$1: aborted without a word" ;;
    12[4-9] | 13* | 14*) fail "$1: status $2" ;;
    *) [ -s "$work/err" ] || fail "$1: status $2 without a word" ;;
    esac
}
run "$work/program"
FAIL_COUNT=1 run env LD_PRELOAD="$work/failing.so" "$work/program"; right "with the library"
total=$(sed -n 's/ allocations.*//p' "$work/err") maps=$(sed -n 's/.*, \([0-9]*\) maps/\1/p' "$work/err")
for k in $(seq 1 30); do
    at=$((1 + total * (k - 1) / 30))
    FAIL_ALLOC=$at run env LD_PRELOAD="$work/failing.so" "$work/program"; survived "allocation $at of $total" $?
done
for at in $((total / 3)) $((total / 2)) $((total - 50)); do
    FAIL_ALLOC=$at FAIL_MORE=1 run env LD_PRELOAD="$work/failing.so" "$work/program"
    survived "no memory from allocation $at on" $?
done
for at in $(seq 1 "$((maps < 25 ? maps : 25))"); do
    FAIL_MMAP=$at run env LD_PRELOAD="$work/failing.so" "$work/program"; survived "map $at of $maps" $?
done
exit $bad
