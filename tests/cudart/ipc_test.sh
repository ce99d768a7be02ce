# SPDX-License-Identifier: Apache-2.0
# Memory, events and pools of one process in another.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
"$LOCKSTEP" cc "$SOURCE_DIR/tests/cudart/ipc.cu" -o "$work/ipc" || exit 1
"$work/ipc" "$work/letter" 2>/dev/null
