# Toolchain file: for arm64 with Debian's cross compiler (g++-aarch64-linux-gnu).
# GLES_DELEGATE_CROSS_ROOT, or the variable of that name in the environment, is a folder
# with the development packages of arm64 unpacked, as `./dev cross arm64` makes it.
set(GLES_DELEGATE_CROSS_TRIPLET aarch64-linux-gnu)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/DebianCross.cmake)
