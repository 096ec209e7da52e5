# Release builds harden what ships: checked libc calls, stack canaries and clash checks, branch
# targets, read-only relocations. No path of the builder gets into the binaries. Flags that a
# compiler lacks are left out. Tests take them back (tests/CMakeLists.txt): they do not ship.
option(GLES_DELEGATE_HARDEN "Compile release builds with the compiler's hardening flags" ON)
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)
include(CheckLinkerFlag)

get_directory_property(GLES_OPTIONS_OF_TESTS COMPILE_OPTIONS)
if(GLES_DELEGATE_SANITIZE OR GLES_DELEGATE_BUILD_FUZZERS OR NOT CMAKE_BUILD_TYPE MATCHES "Rel")
  return()
endif()

check_cxx_compiler_flag(-ffile-prefix-map=a=b GLES_HAS_FILE_PREFIX_MAP)
if(GLES_HAS_FILE_PREFIX_MAP)
  # A ccache with a base folder names files by paths relative to the build folder; these become what
  # absolute ones do.
  file(RELATIVE_PATH source_from_build ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
  string(REGEX REPLACE "/$" "" source_from_build "${source_from_build}")
  if(source_from_build)
    add_compile_options(-ffile-prefix-map=${source_from_build}=.)
  endif()
  # The last one that fits wins, and the build folder is usually below the source's.
  add_compile_options(
    -ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}=build
    -ffile-prefix-map=${CMAKE_BINARY_DIR}/=)
endif()
# The debug symbols need not name the compiler's flags, whose order ccache does not keep.
check_cxx_compiler_flag(-gno-record-gcc-switches GLES_HAS_NO_RECORD_GCC_SWITCHES)
if(GLES_HAS_NO_RECORD_GCC_SWITCHES)
  add_compile_options(-gno-record-gcc-switches)
endif()
if(NOT GLES_DELEGATE_HARDEN)
  return()
endif()
set(CMAKE_REQUIRED_FLAGS -Werror)  # clang warns of flags that a processor lacks
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full
        -mbranch-protection=standard)
  string(MAKE_C_IDENTIFIER "GLES_HAS${flag}" has)
  check_cxx_compiler_flag(${flag} ${has})
  if(${has})
    add_compile_options(${flag})
  endif()
endforeach()
# glibc warns if the compiler is too old for 3, as gcc 11 is.
set(CMAKE_REQUIRED_FLAGS "-Werror -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
check_cxx_source_compiles("#include <cstring>\nint main() {}" GLES_HAS_FORTIFY_3)
unset(CMAKE_REQUIRED_FLAGS)
add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$<IF:$<BOOL:${GLES_HAS_FORTIFY_3}>,3,2>)
# All our code keeps to a shadow stack; the C library's crti.o, which does too, does not always say so.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(shadow_stack shstk)
endif()
foreach(flag relro now noexecstack ${shadow_stack})
  check_linker_flag(CXX -Wl,-z,${flag} GLES_LINKS_${flag})
  if(GLES_LINKS_${flag})
    add_link_options(-Wl,-z,${flag})
  endif()
endforeach()
