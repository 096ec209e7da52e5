#!/usr/bin/env bash
# tests/install/clean_root.sh FOLDER [SUITE | ROOT]
#
# Tries the artifacts of a release in FOLDER (dist, or a folder with Debian packages alone) on a
# Debian that has nothing else (debootstrap, minbase) and Mesa's software renderer:
#
# - the tarball: gles_doctor;
# - the wheel: `python -m gles_delegate`;
# - the npm package: it loads the library. To run a model, npm compiles tfjs-tflite-node: the test `node`;
# - the jar: a model in Java;
# - the packages: the demo, the self-check of a model against the CPU, and programs that are compiled
#   with pkg-config and with CMake's find_package, with the shared library and with the archive.
#
# As root, with debootstrap, pip, some 900 MB, Debian's archive, PyPI and Maven Central. ROOT is a
# folder that debootstrap made before, of which a copy is used. The workflow of a release runs it.
set -euo pipefail
packages="$(cd "$1" && pwd)"
suite="${2:-bookworm}"
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(mktemp -d "${TMPDIR:-/tmp}/clean_root.XXXXXX")"
trap 'umount "$root/proc" 2>/dev/null; rm -rf --one-file-system "$root"' EXIT
mirror="$(sed -n 's/^\(deb\|URIs:\)[^h]*\(http[^ ]*\).*/\2/p' \
  /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)" || true  # one of those files may be missing
apt="apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0"
in_root() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
  DEBIAN_FRONTEND=noninteractive "$@"; }

echo "== a clean $suite"
if [[ -d $suite ]]; then
  cp -a "$suite/." "$root/"
elif ! debootstrap --variant=minbase "$suite" "$root" "${mirror:-}" >"$root.log" 2>&1; then
  tail -n 5 "$root.log"
  exit 1
fi
rm -f "$root.log"
mount -t proc proc "$root/proc"  # by which the loader knows where a program lies
mkdir "$root/packages"
cp "$packages"/*_"$(dpkg --print-architecture)".deb "$root/packages/"
tarball="$(ls "$packages"/gles_delegate-*-linux-"$(uname -m)".tar.gz 2>/dev/null)" || true
wheel="$(ls "$packages"/gles_delegate-*_"$(uname -m)".whl 2>/dev/null)" || true
npm="$(ls "$packages"/gles-delegate-*.tgz 2>/dev/null)" || true
jar="$(ls "$packages"/gles-delegate-*[0-9].jar 2>/dev/null)" || true
[[ -z $tarball ]] || tar -xzf "$tarball" -C "$root/packages"
cp -r "$here/consumer" "$root/packages/"

echo "== the library and the programs"
in_root sh -c "$apt install /packages/libgles-delegate1_*.deb \
  /packages/gles-delegate-tools_*.deb" >/dev/null
echo "== without TensorFlow Lite the programs say so"
in_root sh -c '! benchmark_model --graph=none 2>&1' | grep "Cannot open the TensorFlow Lite library"
in_root sh -c "$apt install /packages/gles-delegate-tflite_*.deb" >/dev/null
in_root dpkg -l libgles-delegate1 gles-delegate-tools gles-delegate-tflite | tail -n 3
echo "== without a driver the programs say so"
in_root benchmark_model --list_devices

echo "== with Mesa's software renderer"
in_root $apt install libegl1 libgles2 libegl-mesa0 \
  libgl1-mesa-dri >/dev/null
in_root gles_doctor
if [[ -n $tarball ]]; then
  echo "== the tarball, without the packages"
  in_root $apt remove libgles-delegate1 gles-delegate-tools gles-delegate-tflite >/dev/null
  in_root sh -c '/packages/gles_delegate-*/bin/gles_doctor --seconds=0.1'
  in_root sh -c "$apt install /packages/libgles-delegate1_*.deb \
    /packages/gles-delegate-tools_*.deb /packages/gles-delegate-tflite_*.deb" >/dev/null
fi
if [[ -n $wheel ]]; then
  echo "== the wheel"
  in_root $apt install python3-venv >/dev/null
  # The runtime comes from here: the root has no authorities to ask a registry by.
  python3 -m pip download --quiet --only-binary=:all: --python-version=311 --dest \
    "$root/packages/wheels" ai-edge-litert==2.3.0 numpy
  cp "$wheel" "$root/packages/wheels/"
  in_root sh -c 'python3 -m venv /tmp/venv && /tmp/venv/bin/pip install --quiet --no-index \
    --find-links=/packages/wheels gles-delegate ai-edge-litert numpy &&
    /tmp/venv/bin/python -m gles_delegate'
fi
if [[ -n $npm ]]; then
  echo "== the npm package"
  in_root $apt install nodejs >/dev/null
  tar -xzf "$npm" -C "$root/packages"
  in_root node -e 'const {GlesDelegate} = require("/packages/package");
    console.log(new GlesDelegate().node.path)'
fi
if [[ -n $jar && $(uname -m) == x86_64 ]]; then
  echo "== the jar"
  in_root $apt install default-jdk-headless >/dev/null
  mkdir "$root/packages/java"
  cp "$jar" "$here/../java/GlesDelegateTest.java" "$root/packages/java/"
  python3 -B -c 'import sys; sys.path.insert(0, sys.argv[1]); import package
package.fetch_classes(sys.argv[2])
package.self_check.write_model(sys.argv[2] + "/model.tflite")
print(package.INPUTS, package.OUTPUTS)' "$here/../java" "$root/packages/java" >"$root/packages/counts"
  in_root sh -c 'cd /packages/java &&
    LC_ALL=C.UTF-8 java -Dfile.encoding=UTF-8 -cp "*" GlesDelegateTest.java model.tflite $(cat /packages/counts)'
fi
in_root sh -c 'cd /tmp && gles_demo --num_runs=2 --write_model=/tmp/demo.tflite && ls -l demo_out'
in_root inference_diff --graph=/tmp/demo.tflite --use_gles --num_runs=2

echo "== what compiles against it"
in_root sh -c "$apt install g++ cmake make pkg-config \
  /packages/libgles-delegate-dev_*.deb" >/dev/null
echo "== by pkg-config"
in_root sh -c 'cd /tmp && cc /packages/consumer/consumer.c -o consumer \
  $(pkg-config --cflags --libs gles_delegate) && ./consumer'
in_root sh -c 'cd /tmp && cc /packages/consumer/consumer.c -o consumer_static \
  $(pkg-config --static --cflags --libs gles_delegate |
    sed s/-lgles_delegate/-l:libgles_delegate.a/) && ./consumer_static'
echo "== by find_package"
in_root sh -c 'cmake -S /packages/consumer -B /tmp/build >/dev/null &&
  cmake --build /tmp/build >/dev/null'
in_root sh -c 'for program in /tmp/build/consumer_*; do
  echo "$(basename $program): $($program)"; done'
in_root $apt remove libgles-delegate1 gles-delegate-tflite >/dev/null
echo "== without the library, the programs that have it inside"
in_root sh -c '/tmp/consumer_static && /tmp/build/consumer_static_c'
in_root sh -c '! /tmp/consumer 2>&1'
echo "== removed again; what is left of it:"
in_root sh -c 'find / -xdev -path "*gles_delegate*" -not -path "/packages/*" -not -path "/tmp/*" \
  -not -path "/proc/*" | head'
echo "clean_root: passed"
