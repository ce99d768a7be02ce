#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs lockstep from the checkout that this script lies in, with the packages that it needs, unless a `lockstep` is
# there already. For machines that live as long as a job: GitHub's runners, GitLab's containers.
#
#   ci/install.sh                             to /usr/local
#   PREFIX=$HOME/lockstep ci/install.sh       elsewhere; DESTDIR as usual
set -eu
if command -v lockstep >/dev/null 2>&1; then
    echo "$(lockstep --version) is installed: $(command -v lockstep)"
    exit 0
fi
source=$(cd "$(dirname "$0")/.." && pwd)
prefix=${PREFIX:-/usr/local}
as_root=()
if [ "$(id -u)" -ne 0 ] && [ -z "${DESTDIR:-}" ]; then
    mkdir -p "$prefix" 2>/dev/null || true
    [ -w "$prefix" ] || as_root=(sudo)
fi
if ! command -v make >/dev/null 2>&1; then
    "${as_root[@]}" apt-get update -q
    "${as_root[@]}" apt-get install -y -q --no-install-recommends make
fi
"$source/tools/install-packages.sh"
make -C "$source" CMAKEFLAGS=-DLOCKSTEP_TESTS=OFF
"${as_root[@]}" env DESTDIR="${DESTDIR:-}" cmake --install "$source/build" --prefix "$prefix" >/dev/null
[ -z "${as_root[*]}" ] && [ "$(id -u)" -ne 0 ] || ldconfig 2>/dev/null || true
# For the steps that follow, where the folder is on nobody's path yet.
[ -z "${GITHUB_PATH:-}" ] || echo "${DESTDIR:-}$prefix/bin" >>"$GITHUB_PATH"
"${DESTDIR:-}$prefix/bin/lockstep" --version
