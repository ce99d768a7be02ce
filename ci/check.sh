#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What the GitHub Action (action.yml) and the GitLab template (ci/gitlab.yml) run: `lockstep check` with its reports,
# then, where there is a budget, `lockstep profile --assert`. Ends with the first exit status that is not 0.
#
#   CHECK_PROGRAM       FILE.cu ... or a program; CHECK_ARGUMENTS: its arguments
#   CHECK_OPTIONS       for both commands (--cc 8.0 -DN=5); CHECK_ONLY_OPTIONS: for check alone
#   CHECK_BUDGET        conditions, one a line
#   CHECK_SARIF, CHECK_JUNIT   files for the reports (lockstep.sarif, lockstep.xml)
set -u

# Splits text into `words` as a shell does, without expanding anything.
split() {
    words=()
    while IFS= read -r -d '' word; do
        words+=("$word")
    done < <(xargs -r printf '%s\0' <<<"$1")
}

explain() {
    case $1 in
        0) echo "nothing found" ;;
        1) echo "findings, a condition that does not hold, or the program failed" ;;
        2) echo "the command line, or a file that it names, cannot be used" ;;
        3) echo "nothing was done that could be judged: no kernel was launched" ;;
        *) echo "lockstep itself failed" ;;
    esac
}

tell() { # what, status
    echo "$1: exit status $2: $(explain "$2")"
    [ -z "${GITHUB_STEP_SUMMARY:-}" ] || echo "- \`$1\`: exit status $2: $(explain "$2")" >>"$GITHUB_STEP_SUMMARY"
    [ "$status" -ne 0 ] || status=$2
}

status=0
split "${CHECK_PROGRAM:?names no program}" && program=("${words[@]}")
split "${CHECK_ARGUMENTS:-}" && arguments=("${words[@]}")
split "${CHECK_OPTIONS:-}" && options=("${words[@]}")
split "${CHECK_ONLY_OPTIONS:-}" && only=("${words[@]}")
annotate=()
[ -z "${GITHUB_ACTIONS:-}" ] || annotate=(--github)

lockstep check "${annotate[@]}" --sarif "${CHECK_SARIF:-lockstep.sarif}" --junit "${CHECK_JUNIT:-lockstep.xml}" \
    "${options[@]}" "${only[@]}" "${program[@]}" "${arguments[@]}"
tell "lockstep check ${program[*]}" $?

conditions=()
while IFS= read -r line; do
    [ -z "${line//[[:space:]]/}" ] || conditions+=(--assert "$line")
done <<<"${CHECK_BUDGET:-}"
if [ ${#conditions[@]} -ne 0 ]; then
    lockstep profile -q "${conditions[@]}" "${options[@]}" "${program[@]}" "${arguments[@]}"
    tell "lockstep profile ${program[*]}" $?
fi
[ -z "${GITHUB_OUTPUT:-}" ] || echo "status=$status" >>"$GITHUB_OUTPUT"
exit "$status"
