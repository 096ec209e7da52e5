# Build-wide settings: language, warnings, output folders, sanitizers.
if(NOT CMAKE_CXX_STANDARD)
  set(CMAKE_CXX_STANDARD 17)
elseif(CMAKE_CXX_STANDARD MATCHES "^(98|11|14)$")
  message(FATAL_ERROR "CMAKE_CXX_STANDARD is ${CMAKE_CXX_STANDARD}. gles_delegate needs 17 or newer.")
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

# A binary that carries its own libstdc++ runs on machines with an older one. The system's abseil
# has the system's.
include(CMakeDependentOption)
cmake_dependent_option(GLES_DELEGATE_STATIC_STDLIB "Link libstdc++ and libgcc statically" ON
  "NOT GLES_DELEGATE_SYSTEM_ABSEIL" OFF)
set(GLES_DELEGATE_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# abseil is position-independent too: it ends inside the shared library.
if(GLES_DELEGATE_BUILD_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)  # coverage for libFuzzer
endif()
if(GLES_DELEGATE_SANITIZE)
  add_compile_options(-fsanitize=${GLES_DELEGATE_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  # GCC 12 takes Abseil's hash maps for uninitialized between its checks.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  add_link_options(-fsanitize=${GLES_DELEGATE_SANITIZE})
  add_library(sanitizer_runtime OBJECT ${CMAKE_CURRENT_LIST_DIR}/sanitizer_runtime.cc)
  link_libraries($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:sanitizer_runtime>)
elseif(GLES_DELEGATE_STATIC_STDLIB)
  add_link_options(-static-libstdc++ -static-libgcc)
endif()

# Warnings for the project's own targets; third-party code is not held to them.
add_library(gles_warnings INTERFACE)
target_compile_options(gles_warnings INTERFACE -Wall -Wextra -Werror)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # clang 19 warns of deprecated calls within libstdc++ 12's std::stable_sort.
  target_compile_options(gles_warnings INTERFACE -Wno-deprecated-declarations)
endif()
target_include_directories(gles_warnings INTERFACE ${CMAKE_SOURCE_DIR})

# Tests and what only tests share are compiled once for each run or two: parsing is
# most of that (the generated TFLite schema, GoogleTest, the standard library).
#
# Precompiled headers hold paths of one checkout. With a ccache that several checkouts
# share by CCACHE_BASEDIR they are off, so that each finds the others' objects.
if(DEFINED ENV{CCACHE_BASEDIR})
  set(precompile OFF)
else()
  set(precompile ON)
endif()
option(GLES_DELEGATE_PRECOMPILE "Precompile the headers that all tests include" ${precompile})
# Where its flags differ, the compiler reads the headers as text, without a word.
set(CMAKE_PCH_WARN_INVALID OFF)
set(GLES_TEST_HEADERS  # no header of this project: one checkout's are another's
  <algorithm> <cmath> <cstdint> <cstdlib> <cstring> <fstream> <functional> <limits> <map>
  <memory> <optional> <random> <set> <string> <tuple> <utility> <vector>
  <absl/status/statusor.h> <absl/strings/str_cat.h>
  <third_party/tflite_schema/schema_generated.h>)
if(GLES_DELEGATE_PRECOMPILE AND CCACHE_PROGRAM AND "${CMAKE_CXX_COMPILER_LAUNCHER}" STREQUAL "${CCACHE_PROGRAM}")
  # Without these ccache takes no object that has a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      "CCACHE_SLOPPINESS=pch_defines,time_macros"
      ${CCACHE_PROGRAM})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)  # as ccache asks
  endif()
endif()

# TARGET is test code: compiling it quickly matters more than its speed or its own undefined
# behaviour.
function(gles_quick_to_build target)
  if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT MSVC)
    target_compile_options(${target} PRIVATE -O1)
  elseif(GLES_DELEGATE_SANITIZE MATCHES "undefined")
    target_compile_options(${target} PRIVATE -fno-sanitize=undefined,float-cast-overflow)
  endif()
endfunction()

# The same precompiled headers for TARGET as for FIRST, whose flags are alike.
function(gles_precompile_as target first)
  if(GLES_DELEGATE_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${first})
  endif()
endfunction()

# A dozen sources of a library at once: what they include is read once. It hides an include
# that is missing (CONTRIBUTING.md says which builds compile each source alone), and needs
# names that differ (tests/lint/lint_names.py).
option(GLES_DELEGATE_UNITY "Compile sources of a library together: quick from nothing" OFF)
function(gles_compile_together target)
  if(GLES_DELEGATE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  endif()
endfunction()
