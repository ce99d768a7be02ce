# SPDX-License-Identifier: Apache-2.0
# stuck.cu: grids that poll for ever end with a deadlock that names the place; others go on.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
"$LOCKSTEP" cc "$SOURCE_DIR/tests/exec/stuck.cu" -o "$work/stuck" || exit 1
status=0
say() {
    echo "FAIL $*"
    status=1
}
case ${SANITIZE:-} in *thread*) exit 77 ;; esac # its own thread: what others do cannot be known
line=(0 'stuck.cu:2[01]); threads (32,0,0) to (63,0,0) wait at barrier 0' 'stuck.cu:31' 'stuck.cu:48' 'stuck.cu:59')
for k in 1 2 3 4; do
    timeout 60 "$LOCKSTEP" run "$work/stuck" $k >"$work/out" 2>&1 && say "$k: it ended well"
    grep -q "deadlock in kernel.*poll.* what does not change.*${line[k]}" "$work/out" || say "$k: $(cat "$work/out")"
done
for workers in 1 4; do # the first of the blocks that wait for themselves alone
    LOCKSTEP_WORKERS=$workers timeout 60 "$LOCKSTEP" run -arch=sm_90 "$SOURCE_DIR/tests/exec/stuck.cu" 5 >"$work/out" 2>&1 &&
        say "5: it ended well"
    grep -q 'deadlock in kernel "no_arrival.*block (1,0,0).*1 of 2 arrivals' "$work/out" || say "5: $(cat "$work/out")"
done
timeout 60 "$LOCKSTEP" check --only sync "$work/stuck" 1 >"$work/out" 2>&1
[ $? = 1 ] && grep -q "Deadlock: .*poll what does not change" "$work/out" || say "check: $(cat "$work/out")"
for workers in 1 4; do
    LOCKSTEP_WORKERS=$workers timeout 120 "$LOCKSTEP" run "$work/stuck" 0 1000000 >"$work/out" 2>&1 ||
        say "right ones, $workers workers: $(cat "$work/out")"
done
exit $status
