# SPDX-License-Identifier: Apache-2.0
# Conditional nodes of graphs in a whole program.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
"$LOCKSTEP" cc "$SOURCE_DIR/tests/cudart/conditional.cu" -o "$work/conditional" || exit 1
"$work/conditional" 2>/dev/null
