#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Unpacks Debian packages of any architecture into a folder, runs nothing of theirs, and notes them in
# a database of dpkg there: `dpkg-query --admindir=FOLDER/var/lib/dpkg` tells of each file which package
# it is of. Of /usr/share only the packages' copyright files and what lies beside them. A package that is
# there already is left out.
#
#   tools/unpack.sh FOLDER PACKAGE.deb...
set -eu
root=$(cd "$1" && pwd)
shift
database=$root/var/lib/dpkg
mkdir -p "$database/info" "$root/usr/lib" "$root/usr/lib64" "$root/usr/bin" "$root/usr/sbin"
touch "$database/status"
for folder in lib lib64 bin sbin; do # as the distribution merges them into /usr
    ln -sfn "usr/$folder" "$root/$folder"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for package; do
    name=$(dpkg-deb -f "$package" Package)
    [ ! -e "$database/info/$name.list" ] || continue
    dpkg-deb --fsys-tarfile "$package" >"$work/files.tar"
    tar -x -C "$root" --keep-directory-symlink --exclude=./usr/share -f "$work/files.tar"
    tar -x -C "$root" --wildcards -f "$work/files.tar" "./usr/share/doc/$name" 2>/dev/null || true # not all have it
    rm -rf "$work/control"
    dpkg-deb -e "$package" "$work/control"
    for file in symbols shlibs; do # what dpkg-shlibdeps asks for
        [ ! -e "$work/control/$file" ] || cp "$work/control/$file" "$database/info/$name.$file"
    done
    { dpkg-deb -f "$package" | sed '/^Package:/a Status: install ok installed' && echo; } >>"$database/status"
    tar -t -f "$work/files.tar" | sed 's/^\.//; s|\(.\)/$|\1|; s|^/$|/.|' >"$database/info/$name.list"
done
# Links that begin at the root would lead into the system that builds.
find "$root" -type l -lname '/*' | while read -r link; do
    ln -sfnr "$root$(readlink "$link")" "$link"
done
