# SPDX-License-Identifier: Apache-2.0
#
# tensor_large.cu runs: copies of boxes of a tensor that is larger than what goes through the caches.
set -eu
[ "$(LOCKSTEP_QUIET=1 "$LOCKSTEP" run "$SOURCE_DIR/tests/cuda/tensor_large.cu" | tail -1)" = fine ]
