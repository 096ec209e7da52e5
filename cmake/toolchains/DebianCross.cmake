# What arm64.cmake and armhf.cmake have in common: the compiler of
# GLES_DELEGATE_CROSS_TRIPLET, and where its packages are.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${GLES_DELEGATE_CROSS_TRIPLET}-gcc)
set(CMAKE_CXX_COMPILER ${GLES_DELEGATE_CROSS_TRIPLET}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${GLES_DELEGATE_CROSS_TRIPLET})
if(NOT GLES_DELEGATE_CROSS_ROOT)
  set(GLES_DELEGATE_CROSS_ROOT $ENV{GLES_DELEGATE_CROSS_ROOT})
endif()
if(NOT GLES_DELEGATE_CROSS_ROOT)
  message(FATAL_ERROR "Set GLES_DELEGATE_CROSS_ROOT to a folder with the development packages "
                      "of ${GLES_DELEGATE_CROSS_TRIPLET}; ./dev cross makes one.")
endif()
# CMake reads this file again for each of its own tests of the compiler.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GLES_DELEGATE_CROSS_ROOT)
set(CMAKE_FIND_ROOT_PATH ${GLES_DELEGATE_CROSS_ROOT})
# Programs (flatc, ccache) run on this machine. Libraries, headers and CMake packages are
# those of the other one. EGL's and GLES's headers are this machine's: they are the same
# text, the compiler looks below /usr/include too, and their packages would bring all of Mesa.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# GCC notes at each call that it passes structs as it does since its version 10.
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)
