# Toolchain file: for 32-bit ARM with Debian's cross compiler (g++-arm-linux-gnueabihf).
# See arm64.cmake.
set(GLES_DELEGATE_CROSS_TRIPLET arm-linux-gnueabihf)
set(CMAKE_SYSTEM_PROCESSOR armv7l)
include(${CMAKE_CURRENT_LIST_DIR}/DebianCross.cmake)
