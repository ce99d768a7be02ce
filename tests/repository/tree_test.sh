#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The tree as a whole: every source file names its licence, nothing names a path of the machine it
# was written on, shell and Python files parse, and the commands that the README shows exist.
set -u
cd "$SOURCE_DIR" || exit 1
errors=0
complain() {
    echo "$*" >&2
    errors=$((errors + 1))
}

# In a checkout the tracked and new files; in an unpacked archive all but build folders.
files() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard
    else
        find . -name 'build*' -prune -o -type f -print | sed 's,^\./,,'
    fi
}

count=0
while IFS= read -r file; do
    [ -f "$file" ] || continue
    case $file in
        *.c | *.h | *.cu | *.cuh | *.def | *.py | *.sh | *.cmake | CMakeLists.txt | */CMakeLists.txt | Makefile | .ci/run | */Makefile)
            count=$((count + 1))
            head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' ||
                complain "$file: no SPDX line at the top"
            ;;
    esac
    case $file in
        *.sh | .ci/run) bash -n "$file" || complain "$file: does not parse" ;;
        *.py) python3 - "$file" <<'PY' || complain "$file: does not parse" ;;
import ast, sys
ast.parse(open(sys.argv[1]).read(), sys.argv[1])
PY
    esac
    # The pattern is written so that this file does not contain what it looks for.
    if grep -nE '(^|[^A-Za-z0-9_.$}])/(wor[k]|tm[p]/bash_jobs|roo[t])(/|\b)' "$file" /dev/null; then
        complain "$file: a path of one machine (above)"
    fi
done < <(files)
[ "$count" -gt 10 ] || complain "only $count source files found: the search is broken"

# `make X` and `lockstep X` in the README: a target of the Makefile, a command of the table.
while read -r target; do
    grep -qE "^([a-z -]* )?$target( [a-z -]*)?:" Makefile || complain "README: make $target does not exist"
done < <(grep -oE '\bmake [a-z]+' README.md | awk '{ print $2 }' | sort -u)
while read -r command; do
    "$LOCKSTEP" "$command" --help >/dev/null 2>&1 || complain "README: lockstep $command does not exist"
done < <(grep -oE '\blockstep (run|check|profile|tune|access|occupancy|devices|suite|launch|cc|help)\b' README.md |
    awk '{ print $2 }' | sort -u)
while read -r path; do
    [ -e "$path" ] || complain "README: $path does not exist"
done < <(grep -oE '\b(suite|docs|tools|bench|examples|tests|src)/[A-Za-z0-9_/.-]*[A-Za-z0-9]' README.md | sort -u)

echo "$count source files, $errors errors"
[ "$errors" -eq 0 ]
