# SPDX-License-Identifier: Apache-2.0
"""textures.cu under `lockstep check`: each bad_ kernel has its finding, the good_ ones none."""
import watched

watched.expect("textures.cu", {("bad_texture_rows_unset", "uninitialized"),
                               ("bad_texture_filter_unset", "uninitialized"),
                               ("bad_texture_rows_race", "global-race")})
