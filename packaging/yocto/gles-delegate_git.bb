# Untried: bitbake was not at hand; tests/install/recipes_test.py reads this file. For kirkstone and
# scarthgap, beside meta-tensorflow-lite: its libtensorflow-lite-c is what an app links.
#
# Set GLES_DELEGATE_SOURCE in local.conf, to the address of the project's repository or of a clone,
# and GLES_DELEGATE_REVISION, to the commit to build:
#   GLES_DELEGATE_SOURCE = "git:///home/me/gles_delegate;protocol=file;branch=main"
#   GLES_DELEGATE_REVISION = "0123456789abcdef0123456789abcdef01234567"
SUMMARY = "TensorFlow Lite delegate on OpenGL ES 3.1 compute shaders"
DESCRIPTION = "Runs TensorFlow Lite models on any GPU whose driver has OpenGL ES 3.1, through EGL \
               and without a window system."
SECTION = "libs"
LICENSE = "Apache-2.0 & MIT & BSD-2-Clause"
LIC_FILES_CHKSUM = "file://LICENSE;md5=3b83ef96387f14655fc854ddc3c6bd57"

DEPENDS = "flatbuffers flatbuffers-native virtual/egl virtual/libgles2 xxhash"
PV = "1.0.0+git"

SRC_URI = "${GLES_DELEGATE_SOURCE};name=source \
           http://deb.debian.org/debian/pool/main/a/abseil/abseil_20220623.1.orig.tar.gz;name=abseil"
SRC_URI[abseil.sha256sum] = "abfe2897f3a30edaa74bc34365afe3c2a3cd012091a97dc7e008f7016adcd5fe"
SRCREV_source = "${GLES_DELEGATE_REVISION}"

S = "${WORKDIR}/git"

inherit cmake pkgconfig

EXTRA_OECMAKE = "-DABSEIL_SOURCE_DIR=${WORKDIR}/abseil-20220623.1 -DGLES_DELEGATE_LITERT=OFF \
                 -DGLES_DELEGATE_BUILD_TESTS=OFF -DGLES_DELEGATE_BUILD_TOOLS=OFF \
                 -DGLES_DELEGATE_BUILD_BENCHES=OFF -DGLES_DELEGATE_UNITY=ON -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON"

# The library with the stock GPU delegate's names, a plug-in.
FILES:${PN} += "${libdir}/gles_delegate/drop_in"
RRECOMMENDS:${PN} = "libegl libgles2"
