#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lecture 001: ladder.sh says what is tested.
. "$SOURCE_DIR/tests/suite/ladder.sh"
ladder B9 B10 B11 B12 B13 B14
