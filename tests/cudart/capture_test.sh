#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Calls that make a capture invalid, each with its error, and those that do not; also under check, which
# says nothing of a program that looks at what its calls return.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
"$LOCKSTEP" cc "$SOURCE_DIR/tests/cudart/capture.cu" -o "$work/capture" || exit 1
"$work/capture" && "$LOCKSTEP" check -q -- "$work/capture"
