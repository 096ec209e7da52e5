# Untried: bitbake was not at hand; tests/install/recipes_test.py reads this file. For kirkstone and
# scarthgap, beside meta-tensorflow-lite: its libtensorflow-lite-c is what an app links.
#
# Set GLES_DELEGATE_SOURCE in local.conf, to the address of the project's repository or of a clone:
#   GLES_DELEGATE_SOURCE = "git:///home/me/gles_delegate;protocol=file;branch=main"
SUMMARY = "TensorFlow Lite delegate on OpenGL ES 3.1 compute shaders"
LICENSE = "Apache-2.0 & MIT & BSD-2-Clause"
LIC_FILES_CHKSUM = "file://LICENSE;md5=3b83ef96387f14655fc854ddc3c6bd57"

SRC_URI = "${GLES_DELEGATE_SOURCE};name=source \
    http://deb.debian.org/debian/pool/main/a/abseil/abseil_20220623.1.orig.tar.gz;name=abseil \
    https://registry.npmjs.org/tfjs-tflite-node/-/tfjs-tflite-node-0.0.2.tgz;name=tflite;subdir=tflite"
SRC_URI[abseil.sha256sum] = "abfe2897f3a30edaa74bc34365afe3c2a3cd012091a97dc7e008f7016adcd5fe"
SRC_URI[tflite.sha256sum] = "3be1632328a76a2475e5b6833253763c802c859433becb4d879ee1860e3b5284"
SRCREV_source = "${AUTOREV}"
PV = "1.0.0+git"
S = "${WORKDIR}/git"

DEPENDS = "flatbuffers flatbuffers-native nlohmann-json xxhash virtual/egl virtual/libgles2"
RRECOMMENDS:${PN} = "libegl libgles2"
inherit cmake pkgconfig

EXTRA_OECMAKE = "-DABSEIL_SOURCE_DIR=${WORKDIR}/abseil-20220623.1 \
    -DTFLITE_C_ROOT=${WORKDIR}/tflite/package/cc_deps -DGLES_DELEGATE_LITERT=OFF \
    -DGLES_DELEGATE_BUILD_TESTS=OFF -DGLES_DELEGATE_BUILD_TOOLS=OFF \
    -DGLES_DELEGATE_BUILD_BENCHES=OFF -DGLES_DELEGATE_UNITY=ON -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON"

# The library with the stock GPU delegate's names is a plug-in, not a versioned library.
FILES:${PN} += "${libdir}/gles_delegate/drop_in"
INSANE_SKIP:${PN} += "dev-so"
