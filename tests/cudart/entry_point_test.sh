# SPDX-License-Identifier: Apache-2.0
# entry_point.cu runs, without the driver's library among those it is linked to.
set -eu
[ "$(LOCKSTEP_QUIET=1 "$LOCKSTEP" run "$SOURCE_DIR/tests/cudart/entry_point.cu" | tail -1)" = fine ]
