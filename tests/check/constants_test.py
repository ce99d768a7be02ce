# SPDX-License-Identifier: Apache-2.0
"""constants.cu under `lockstep check`: constant memory that nobody has set is a warning, none where somebody has."""
import watched

watched.expect("constants.cu", {("bad_forgotten", "uninitialized"), ("bad_forgotten", "global-race"),
                                ("bad_settings", "uninitialized")})
