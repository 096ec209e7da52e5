#!/usr/bin/env bash
# packaging/make_debs.sh BUILD_FOLDER FOLDER [ARCHITECTURE]
#
# Makes the Debian packages of what BUILD_FOLDER has built, for Debian's ARCHITECTURE (this machine's),
# in FOLDER, which is emptied first. Needs debhelper. `./dev package` and tests/install/deb_test.py call it.
set -euo pipefail
if [[ $# -lt 2 || $1 == -h || $1 == --help ]]; then
  sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"
  [[ $# -gt 0 && $1 == -* ]]
  exit
fi
build="$(realpath "$1")" folder="$(realpath -m "$2")"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
rm -rf "$folder"
# debhelper works in the source's folder, and leaves the packages in the one above.
mkdir -p "$folder/source"
cp -r debian "$folder/source/"
cd "$folder/source"
export DEB_BUILD_PROFILES=pkg.gles-delegate.tflite GLES_DELEGATE_BUILD="$build"
dpkg-architecture --force ${3:+--host-arch="$3"} --command debian/rules binary
cd "$folder"
rm -rf source
