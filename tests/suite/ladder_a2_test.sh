#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lecture 000: ladder.sh says what is tested.
. "$SOURCE_DIR/tests/suite/ladder.sh"
ladder A7 A8
