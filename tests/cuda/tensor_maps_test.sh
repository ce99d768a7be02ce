# SPDX-License-Identifier: Apache-2.0
#
# tensor_maps.cu runs; its other test, tensors_test.c, has the copies.
set -eu
[ "$(LOCKSTEP_QUIET=1 "$LOCKSTEP" run "$SOURCE_DIR/tests/cuda/tensor_maps.cu" | tail -1)" = fine ]
