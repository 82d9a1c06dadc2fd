#!/bin/sh
# SPDX-License-Identifier: MIT
# deps.sh PACKAGE...: installs with apt-get those of the named Debian packages whose content is absent.
# What counts is that the thing works (a compiler, a .pc file, a program), however it got there; so this is
# quiet and quick on a machine that has everything, and useful on systems that are not Debian.
set -u
probe() {
    case $1 in
    build-essential) echo 'int main(void){return 0;}' | ${CC:-cc} -x c -o /dev/null - ;;
    pkg-config) command -v "${PKG_CONFIG:-pkg-config}" ;;
    libinih-dev) have inih ;;
    libgsl-dev) have gsl ;;
    check) have check ;;
    libjansson-dev) have jansson ;;
    zlib1g-dev) have zlib ;;
    liblzma-dev) have liblzma ;;
    libzstd-dev) have libzstd ;;
    gnuplot-nox) command -v gnuplot ;;
    *) dpkg-query -W -f '${db:Status-Status}\n' "$1" | grep -qx installed ;;
    esac >/dev/null 2>&1
}
have() { "${PKG_CONFIG:-pkg-config}" --exists "$1"; }

absent=
for p; do probe "$p" || absent="$absent $p"; done
[ -n "$absent" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "memsim needs what Debian calls$absent; install them with this system's package manager," >&2
    echo "then run make again." >&2
    exit 1
fi
as=
if [ "$(id -u)" != 0 ]; then
    if sudo -n true >/dev/null 2>&1; then
        as='sudo -n'
    else
        echo 'memsim needs packages that are not installed, and only root may install them.  Please run:' >&2
        echo "    sudo apt-get update && sudo apt-get install --no-install-recommends$absent" >&2
        exit 1
    fi
fi
echo "installing:$absent"
$as apt-get update -qq || echo 'apt-get update failed; trying with the lists that are here' >&2
# shellcheck disable=SC2086 # a list of names
$as env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $absent >/dev/null || {
    echo "apt-get could not install:$absent" >&2
    exit 1
}
for p in $absent; do
    probe "$p" || { echo "$p is installed but does not work" >&2; exit 1; }
done
