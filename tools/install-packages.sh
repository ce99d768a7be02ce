#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs the packages that building and testing lockstep needs and that are missing; asks the
# network only then. Knows Debian 12 and 13 and Ubuntu 24.04; elsewhere it names what is needed.
#
#   tools/install-packages.sh           install what is missing
#   tools/install-packages.sh --check   say what is missing; exit 1 when anything is
#   tools/install-packages.sh --list    the packages for this distribution
set -u

mode=${1:-install}
case $mode in
    install | --check | --list) ;;
    *)
        echo "usage: tools/install-packages.sh [--check | --list]" >&2
        exit 2
        ;;
esac

# -- the distribution ------------------------------------------------------------------------------

distribution=unknown
if [ -r /etc/os-release ]; then
    distribution=$(. /etc/os-release && echo "${ID:-unknown} ${VERSION_ID:-}")
fi
# Newest first. The compiler for kernels and the LLVM library may be any of these.
case $distribution in
    "debian 12") llvm_versions="19 16" ;;
    "debian 13") llvm_versions="19 18 17" ;;
    "ubuntu 24.04") llvm_versions="19 18 17 16" ;;
    *) llvm_versions="21 20 19 18 17 16" ;;
esac

have() { command -v "$1" >/dev/null 2>&1; }
have_header() {
    local header=$1 folder
    for folder in /usr/include /usr/local/include /usr/include/*-linux-gnu; do
        [ -e "$folder/$header" ] && return 0
    done
    return 1
}
have_clang() { have "clang-$1" && have "clang++-$1"; }
have_llvm() { have "llvm-config-$1" && [ -e "/usr/lib/llvm-$1/include/llvm-c/Core.h" ]; }
have_sanitizers() {
    local library
    for library in "/usr/lib/llvm-$1"/lib/clang/*/lib/*/libclang_rt.asan*; do
        [ -e "$library" ] && return 0
    done
    return 1
}

# -- what is missing -------------------------------------------------------------------------------

missing=()
need() { # need PACKAGE TEST...: the package is missing unless the test succeeds
    local package=$1
    shift
    "$@" || missing+=("$package")
}

# The newest complete tool chain that is here, else the newest that this distribution has.
chosen=
for version in $llvm_versions; do
    if have_clang "$version" && have_llvm "$version"; then
        chosen=$version
        break
    fi
done
if [ -z "$chosen" ]; then
    for version in $llvm_versions; do
        if ! have apt-cache || apt-cache show "clang-$version" >/dev/null 2>&1; then
            chosen=$version
            break
        fi
    done
    chosen=${chosen:-${llvm_versions%% *}}
fi

packages=("cmake" "ninja-build" "pkg-config" "python3" "clang-$chosen" "llvm-$chosen-dev"
    "libclang-rt-$chosen-dev" "libsleef-dev" "libjansson-dev" "libdw-dev" "libcmocka-dev" "libpng-dev")
# For one test each, which is skipped without: fetched along with others, never asked for alone.
optional=("python3-nbclient" "python3-ipykernel" "python3-jsonschema" "gdb")
if [ "$mode" = --list ]; then
    printf '%s\n' "${packages[@]}" "${optional[@]}"
    exit 0
fi
need cmake have cmake
need ninja-build have ninja
need pkg-config have pkg-config
need python3 have python3
need "clang-$chosen" have_clang "$chosen"
need "llvm-$chosen-dev" have_llvm "$chosen"
need "libclang-rt-$chosen-dev" have_sanitizers "$chosen"
need libsleef-dev have_header sleef.h
need libjansson-dev have_header jansson.h
need libdw-dev have_header elfutils/libdwfl.h
need libcmocka-dev have_header cmocka.h
need libpng-dev have_header png.h
[ ${#missing[@]} -eq 0 ] && exit 0

# -- install, or say what is to be done ------------------------------------------------------------

say() { echo "install-packages: $*" >&2; }
by_hand() {
    say "$1"
    case $distribution in
        debian* | ubuntu*) say "install them by hand:  apt-get install ${missing[*]}" ;;
        *)
            say "needed, by the names that Debian gives them:  ${missing[*]}"
            say "(clang and LLVM of version 16 or newer, with the NVPTX target)"
            ;;
    esac
    exit 1
}

if [ "$mode" = --check ]; then
    say "missing: ${missing[*]}"
    say "'make packages' installs them"
    exit 1
fi
echo "install-packages: missing: ${missing[*]}"
have apt-get || by_hand "this system ($distribution) has no apt-get."
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    have sudo || by_hand "not root, and there is no sudo."
    as_root=(sudo)
fi

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
fetch() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends -o Dpkg::Use-Pty=0 "$@" >"$log" 2>&1
}
install() { fetch "${missing[@]}" "${optional[@]}" || fetch "${missing[@]}"; }
finish() {
    echo "install-packages: done"
    exit 0
}

# The package lists may be absent or old: try with what they have, fetch them only when that fails
# or when they lack the clang that this distribution should have; then choose anew.
again=${LOCKSTEP_PACKAGES_AGAIN:-}
if [ "$chosen" = "${llvm_versions%% *}" ] || [ -n "$again" ]; then
    install && finish
fi
if [ -z "$again" ]; then
    if "${as_root[@]}" apt-get update -q >"$log" 2>&1; then
        rm -f "$log"
        LOCKSTEP_PACKAGES_AGAIN=1 exec "$0"
    fi
    cp "$log" "$log.update"
    install && finish # an older clang serves too
    tail -n 5 "$log.update" >&2
    rm -f "$log.update"
    by_hand "'apt-get update' failed (above): is there a network?"
fi
tail -n 15 "$log" >&2
by_hand "apt-get could not install them (above)."
