#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/ptx.md is what tools/ptx_table.py makes, and every supported instruction is in a test.
exec python3 "$SOURCE_DIR/tools/ptx_table.py" check
