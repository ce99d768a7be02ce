#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lecture 001: ladder.sh says what is tested.
. "$SOURCE_DIR/tests/suite/ladder.sh"
ladder B1 B2 B3 B4
