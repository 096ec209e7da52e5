# abseil: the system's as shared libraries if GLES_DELEGATE_SYSTEM_ABSEIL is ON; if not, built from
# source, static and hidden inside libgles_delegate.so (docs/decisions/0001).
if(GLES_DELEGATE_SYSTEM_ABSEIL)
  find_package(absl REQUIRED CONFIG)
  return()
endif()
# `./dev deps` fetches the source (apt-get source abseil); -DABSEIL_SOURCE_DIR= brings yours.
set(ABSEIL_SOURCE_DIR "${CMAKE_SOURCE_DIR}/.deps/abseil" CACHE PATH
    "abseil source tree (holds CMakeLists.txt)")
if(NOT EXISTS ${ABSEIL_SOURCE_DIR}/CMakeLists.txt)
  message(FATAL_ERROR "No abseil source in ${ABSEIL_SOURCE_DIR}. Run ./dev deps, "
                      "or pass -DABSEIL_SOURCE_DIR=<abseil source tree>, or "
                      "-DGLES_DELEGATE_SYSTEM_ABSEIL=ON for the system's.")
endif()
set(ABSL_PROPAGATE_CXX_STD ON)
set(ABSL_ENABLE_INSTALL OFF)
set(BUILD_TESTING OFF)
if(GLES_HAS_FILE_PREFIX_MAP)
  file(RELATIVE_PATH abseil_from_build ${CMAKE_BINARY_DIR} ${ABSEIL_SOURCE_DIR})
  add_compile_options(-ffile-prefix-map=${abseil_from_build}=abseil
    -ffile-prefix-map=${ABSEIL_SOURCE_DIR}=abseil)
endif()
# musl hides off64_t, which abseil uses.
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("#include <sys/types.h>\noff64_t x;\nint main() { return 0; }"
  GLES_HAS_OFF64_T)
if(NOT GLES_HAS_OFF64_T)
  add_compile_definitions(_LARGEFILE64_SOURCE)
endif()
# Its headers' warnings are not ours.
set(system SYSTEM)
if(CMAKE_VERSION VERSION_LESS 3.25)
  set(system "")
  include_directories(SYSTEM ${ABSEIL_SOURCE_DIR})
endif()
add_subdirectory(${ABSEIL_SOURCE_DIR} ${CMAKE_BINARY_DIR}/abseil EXCLUDE_FROM_ALL ${system})
