#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lecture 000: ladder.sh says what is tested.
. "$SOURCE_DIR/tests/suite/ladder.sh"
ladder A1 A2 A3 A4 A5 A6
