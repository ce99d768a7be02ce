# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests of the lectures' systems: `ladder A1 A2` runs and verifies every rung of these
# systems at all its sizes on the oldest device and a new one (`lockstep suite run --profiles all` does
# all five), and sees to it that each system has a rung and each of their folders a README.
set -u

ladder() {
    local failures=0 profiles=1.0,9.0 work list system folder
    work=$(mktemp)
    [ -n "${SANITIZE:-}" ] && profiles=2.0
    for system in "$@"; do
        list=$("$LOCKSTEP" suite list "$system" --json) || list=
        case $list in
            *"\"$system\""*) ;;
            *) echo "FAILED: no rung for $system" && failures=$((failures + 1)) ;;
        esac
        for folder in $(echo "$list" | sed -n 's,.*"rung": *"\([^/]*\)/.*,\1,p' | sort -u); do
            [ -s "$SOURCE_DIR/suite/$folder/README.md" ] && continue
            echo "FAILED: suite/$folder has no README.md" && failures=$((failures + 1))
        done
    done
    if ! "$LOCKSTEP" suite run --profiles $profiles --repeat 1 "$@" >"$work" 2>&1; then
        failures=$((failures + 1))
        grep -v ' yes ' "$work" | head -n 30
    fi
    tail -n 1 "$work"
    rm -f "$work"
    echo "$failures failures"
    [ "$failures" -eq 0 ]
}
