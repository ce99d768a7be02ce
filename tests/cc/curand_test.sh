# SPDX-License-Identifier: Apache-2.0
# curand_kernel.h: its generators and distributions in a program.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
"$LOCKSTEP" cc -Werror all-warnings "$SOURCE_DIR/tests/cc/curand.cu" -o "$work/curand" && "$work/curand"
