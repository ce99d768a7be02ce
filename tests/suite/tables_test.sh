# SPDX-License-Identifier: Apache-2.0
# The tables of `lockstep suite profile` in suite/*/README.md say what the command says.
exec python3 "$SOURCE_DIR/tools/suite_tables.py"
