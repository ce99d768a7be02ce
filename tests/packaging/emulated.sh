#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# By hand, as root, with a network: a wheel or a package for AArch64 in a Debian of that processor without compilers, in
# qemu's user emulation: clean_wheel.sh or clean_debian.sh there. The emulator is made known to the kernel in a
# namespace of its own (Linux 6.7 and newer), so that the machine itself stays as it is. Wants the packages
# debootstrap and qemu-user-static.
#
#     make wheel-aarch64 && tests/packaging/emulated.sh build-aarch64/lockstep-*.whl [ROOT]
#     make package-aarch64 && tests/packaging/emulated.sh build-aarch64/lockstep_*.deb [ROOT]
#
# ROOT: where the Debian is, or shall be and stay; else it is made anew and removed at the end. A package stays
# installed in it.
set -euo pipefail
here=$(realpath "$(dirname "$0")")

# -- in the namespace: the emulator, devices, and what is asked ---------------------------------------

if [ "${EMULATED_ROOT:-}" != "" ]; then
    root=$EMULATED_ROOT
    read -r _ # until the namespace has its users
    mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
    cat /usr/lib/binfmt.d/qemu-aarch64.conf >/proc/sys/fs/binfmt_misc/register # programs keep their argv[0]
    mount -t proc proc "$root/proc"
    for device in null zero full random urandom tty; do
        mount --bind "/dev/$device" "$root/dev/$device"
    done
    "$@" </dev/null
    exit
fi
namespace() {
    local users
    users=$(mktemp -u) && mkfifo "$users"
    EMULATED_ROOT=$root unshare --user --mount --pid --fork "$here/emulated.sh" "$@" <"$users" &
    exec 3>"$users" # not before the other end is open: the namespace is there soon after
    while [ "$(readlink "/proc/$!/ns/user")" = "$(readlink /proc/self/ns/user)" ]; do sleep 0.1; done
    for map in gid_map uid_map; do echo "0 0 65536" >"/proc/$!/$map"; done
    echo >&3
    exec 3>&-
    rm "$users"
    wait $!
}

# -- the Debian ---------------------------------------------------------------------------------------

file=$(realpath "${1:?a wheel or a package}") root=${2:-}
if [ -z "$root" ]; then
    root=$(mktemp -d)
    chmod 755 "$root"
    trap 'rm -rf --one-file-system "$root" "$root.log"' EXIT
fi
if [ ! -e "$root/etc/os-release" ] || [ -e "$root/debootstrap" ]; then
    debootstrap --foreign --arch=arm64 --variant=minbase --include=python3,python3-venv "${SUITE:-bookworm}" "$root" \
        "${MIRROR:-http://deb.debian.org/debian}" >"$root.log" || { tail "$root.log"; exit 1; }
    # It is told of a container, where it makes no devices.
    namespace chroot "$root" env container=lxc /debootstrap/debootstrap --second-stage >"$root.log" || {
        tail "$root.log"; exit 1; }
    rm "$root.log"
fi
root=$(realpath "$root")
case $file in
    *.whl)
        mkdir -p "$root/opt/lockstep/tests/packaging/wheel"
        cp "$here/clean_wheel.sh" "$root/opt/lockstep/tests/packaging"
        cp "$here"/wheel/* "$root/opt/lockstep/tests/packaging/wheel"
        cp "$file" "$root/opt/lockstep"
        namespace chroot "$root" env -i PATH=/usr/sbin:/usr/bin HOME=/ HIDDEN=0 \
            /opt/lockstep/tests/packaging/clean_wheel.sh "/opt/lockstep/$(basename "$file")"
        ;;
    *.deb) namespace "$here/clean_debian.sh" "$file" "${SUITE:-bookworm}" "$root" ;;
esac
