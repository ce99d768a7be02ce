#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lecture 001: ladder.sh says what is tested.
. "$SOURCE_DIR/tests/suite/ladder.sh"
ladder B5 B6 B7 B8
