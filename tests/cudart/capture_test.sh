#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Calls that make a capture invalid, each with its error, and those that do not.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
"$LOCKSTEP" cc "$SOURCE_DIR/tests/cudart/capture.cu" -o "$work/capture" || exit 1
"$work/capture" 2>/dev/null
