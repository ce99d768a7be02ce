#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recorded forms of wmma: see matrices_test.py."""
import sys

from matrices_test import main

if __name__ == "__main__":
    sys.exit(main(["wmma"]))
