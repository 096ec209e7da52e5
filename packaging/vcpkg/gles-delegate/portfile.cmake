# An overlay port of the clone that it is in:
#   vcpkg install gles-delegate --overlay-ports=packaging/vcpkg
# Untried: vcpkg was not at hand; tests/install/recipes_test.py has CMake run this file with stand-ins
# for vcpkg's functions.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)

vcpkg_download_distfile(ABSEIL
  URLS http://deb.debian.org/debian/pool/main/a/abseil/abseil_20220623.1.orig.tar.gz
  FILENAME abseil_20220623.1.orig.tar.gz
  SHA512 3c7fca91a9bda39a43cbdbd855577f58a988a7dc214ac93ef7e4cb2cc6ec24149bd7a414b4f7caf35511eaaa296260051a3d02b69ee5fd6e3247100b0b12258e)
vcpkg_extract_source_archive(ABSEIL_PATH ARCHIVE "${ABSEIL}")

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DABSEIL_SOURCE_DIR=${ABSEIL_PATH}
    -DFLATC_PROGRAM=${CURRENT_HOST_INSTALLED_DIR}/tools/flatbuffers/flatc
    -DGLES_DELEGATE_LITERT=OFF
    -DGLES_DELEGATE_BUILD_TESTS=OFF
    -DGLES_DELEGATE_BUILD_TOOLS=OFF
    -DGLES_DELEGATE_BUILD_BENCHES=OFF
    -DGLES_DELEGATE_UNITY=ON
    -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME gles_delegate CONFIG_PATH lib/cmake/gles_delegate)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/debian/copyright")
