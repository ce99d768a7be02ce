# SPDX-License-Identifier: Apache-2.0
#
# tensor_rows.cu runs: copies of four rows, on the newest device.
set -eu
[ "$(LOCKSTEP_QUIET=1 "$LOCKSTEP" run "$SOURCE_DIR/tests/cuda/tensor_rows.cu" | tail -1)" = fine ]
