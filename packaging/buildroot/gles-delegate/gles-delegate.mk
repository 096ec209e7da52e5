################################################################################
#
# gles-delegate
#
# Untried: Buildroot was not at hand; tests/install/recipes_test.py has GNU Make
# read this file with stand-ins for Buildroot's functions. Copy the folder to
# package/ and add its Config.in to package/Config.in.
#
################################################################################

GLES_DELEGATE_VERSION = main
GLES_DELEGATE_SITE = $(call qstrip,$(BR2_PACKAGE_GLES_DELEGATE_SITE))
GLES_DELEGATE_SITE_METHOD = git
GLES_DELEGATE_LICENSE = Apache-2.0, MIT, BSD-2-Clause
GLES_DELEGATE_LICENSE_FILES = LICENSE debian/copyright
GLES_DELEGATE_INSTALL_STAGING = YES
GLES_DELEGATE_DEPENDENCIES = \
	host-flatbuffers flatbuffers json-for-modern-cpp xxhash libegl libgles

GLES_DELEGATE_ABSEIL = abseil_20220623.1.orig.tar.gz
GLES_DELEGATE_EXTRA_DOWNLOADS = \
	http://deb.debian.org/debian/pool/main/a/abseil/$(GLES_DELEGATE_ABSEIL)

define GLES_DELEGATE_EXTRACT_ABSEIL
	mkdir -p $(@D)/abseil
	$(TAR) -C $(@D)/abseil --strip-components=1 -xzf \
		$(GLES_DELEGATE_DL_DIR)/$(GLES_DELEGATE_ABSEIL)
endef
GLES_DELEGATE_POST_EXTRACT_HOOKS += GLES_DELEGATE_EXTRACT_ABSEIL

GLES_DELEGATE_CONF_OPTS = \
	-DABSEIL_SOURCE_DIR=$(@D)/abseil \
	-DFLATC_PROGRAM=$(HOST_DIR)/bin/flatc \
	-DGLES_DELEGATE_LITERT=OFF \
	-DGLES_DELEGATE_BUILD_TESTS=OFF \
	-DGLES_DELEGATE_BUILD_TOOLS=OFF \
	-DGLES_DELEGATE_BUILD_BENCHES=OFF \
	-DGLES_DELEGATE_UNITY=ON \
	-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON

$(eval $(cmake-package))
