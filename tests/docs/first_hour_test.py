# SPDX-License-Identifier: Apache-2.0
"""docs/first-hour.md with the build at hand; by hand, first_hour_test.py --clone REPOSITORY does it all
from the clone on, and says how long each step took."""
import sys
import written

sys.exit(written.run_page("first-hour.md", 8, sys.argv[2] if sys.argv[1:2] == ["--clone"] else None))
