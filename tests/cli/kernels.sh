# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests of the command line: a folder of their own, small PTX files, and assertions
# that count failures. A test ends with `finish`; one that ends without fails.

set -u
work=$(mktemp -d)
finished=
at_end() {
    local status=$?
    chmod -R u+rwx "$work"; rm -rf "$work"
    [ -n "$finished" ] || [ "$status" -ne 0 ] || { echo "FAILED: the test has no \`finish\`"; exit 1; }
}
trap at_end EXIT
export LOCKSTEP_CACHE=$work/cache NO_COLOR=1
unset LOCKSTEP_GPU LOCKSTEP_CC LOCKSTEP_DEVICES LOCKSTEP_WORKERS LOCKSTEP_JSON LOCKSTEP_QUIET LOCKSTEP_VERBOSE LOCKSTEP_DEVICE
cases=0
failures=0

complain() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    sed 's/^/    | /' "$work/out" "$work/err" | head -n 20
}

# expect NAME STATUS PATTERN COMMAND...: the exit status, a pattern (extended) in stderr or, with a
# leading "out:", in stdout (an empty one: whatever); and never a sanitizer's report, a signal or a hang.
expect() {
    local name=$1 status=$2 pattern=$3 file=$work/err
    shift 3
    cases=$((cases + 1))
    timeout 120 "$@" >"$work/out" 2>"$work/err" </dev/null
    local found=$?
    [ "$found" -eq "$status" ] || complain "$name: exit status $found, not $status: $*"
    case $pattern in out:*) file=$work/out pattern=${pattern#out:} ;; esac
    [ -z "$pattern" ] || grep -qE -- "$pattern" "$file" || complain "$name: no \"$pattern\" in the output of: $*"
    ! grep -qE 'Sanitizer|runtime error:' "$work/err" || complain "$name: a sanitizer's report"
}

finish() {
    finished=1
    echo "$cases cases, $failures failures"
    [ "$cases" -gt 0 ] && [ "$failures" -eq 0 ]
    exit
}

# ptx BODY...: a module with one kernel k(.param .u64 p) whose lines are given, on stdout.
ptx() {
    printf '.version 7.8\n.target sm_90\n.address_size 64\n'
    printf '.visible .entry k(.param .u64 p)\n{\n'
    printf '.reg .pred %%q<4>; .reg .b16 %%h<4>; .reg .b32 %%r<8>; .reg .b64 %%d<8>; .reg .f32 %%f<8>;\n'
    printf '%s\n' "$@"
    printf 'ret;\n}\n'
}

# p[i] = 2 * p[i] + 1 for 32 threads.
good_body=('ld.param.u64 %d0, [p];' 'mov.u32 %r0, %tid.x;' 'mad.wide.u32 %d1, %r0, 4, %d0;'
    'ld.global.u32 %r1, [%d1];' 'mad.lo.u32 %r2, %r1, 2, 1;' 'st.global.u32 [%d1], %r2;')
ptx "${good_body[@]}" >"$work/good.ptx"
