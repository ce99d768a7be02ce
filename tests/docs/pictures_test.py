# SPDX-License-Identifier: Apache-2.0
"""docs/pictures.md: each picture is what `lockstep access` draws."""
import sys
import written

sys.exit(written.run_page("pictures.md", 7))
