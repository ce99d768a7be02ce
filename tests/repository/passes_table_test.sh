#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/passes.md is what tools/passes_table.py makes of the table of passes.
exec python3 "$SOURCE_DIR/tools/passes_table.py" check
