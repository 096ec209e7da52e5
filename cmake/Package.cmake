# Debian packages by CPack (docs/packages.md): the library, what compiles against it, and
# the programs. `./dev package` makes them.
#
# Included after Install.cmake: each package is a group of its component and of what Debian
# wants beside it, which no other way to install copies.
set(PUBLISHER ${CMAKE_SOURCE_DIR}/tools/packaging/publisher.env)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PUBLISHER})
file(STRINGS ${PUBLISHER} maintainer REGEX "^MAINTAINER=")
if(NOT maintainer MATCHES "^MAINTAINER=\"(.+)\"$")
  message(FATAL_ERROR "${PUBLISHER} has no line MAINTAINER=\"Name <address>\"")
endif()
# Not in the cache, so that a build folder follows the file. -DGLES_DELEGATE_MAINTAINER overrides it.
if(NOT DEFINED GLES_DELEGATE_MAINTAINER)
  set(GLES_DELEGATE_MAINTAINER "${CMAKE_MATCH_1}")
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gles-delegate)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "${GLES_DELEGATE_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
# Debug symbols go into a package NAME-dbgsym (.ddeb) beside each.
set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/DebugPackages.cmake)
# CPack puts this before objcopy's other arguments. .comment names the compiler.
set(CPACK_OBJCOPY_EXECUTABLE ${CMAKE_OBJCOPY} --remove-section=.comment)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})

find_program(GZIP_PROGRAM gzip REQUIRED)
set(DEBIAN ${CMAKE_BINARY_DIR}/debian)
if(CMAKE_CROSSCOMPILING)
  # dpkg-shlibdeps would name the compiler's own packages of the other machine's libraries
  # (libgcc-s1-arm64-cross), which that machine does not have. Needed is what was compiled
  # with, or newer.
  string(REGEX MATCH "aarch64|arm" processor ${CMAKE_SYSTEM_PROCESSOR})
  set(debian_of_aarch64 arm64)
  set(debian_of_arm armhf)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${debian_of_${processor}})
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -dM -E -include features.h -x c /dev/null
    OUTPUT_VARIABLE macros COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "__GLIBC_MINOR__ ([0-9]+)" found "${macros}")
  set(CROSS_LIBC "libc6 (>= 2.${CMAKE_MATCH_1})")
  string(REGEX MATCH "^[0-9]+" gcc ${CMAKE_CXX_COMPILER_VERSION})
  # The programs' C library of TensorFlow Lite is not linked statically with these.
  set(CROSS_STDLIB "libgcc-s1 (>= 3.0), libstdc++6 (>= ${gcc})")
endif()
function(gles_gzip file)
  execute_process(COMMAND ${GZIP_PROGRAM} -9nkf ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The same text each time, so that nothing is packed again for its date: SOURCE_DATE_EPOCH,
# else the day.
string(TIMESTAMP DEBIAN_DATE "%a, %d %b %Y 00:00:00 +0000" UTC)
file(CONFIGURE OUTPUT ${DEBIAN}/changelog CONTENT
"gles-delegate (${PROJECT_VERSION}) unstable; urgency=medium

  * Release ${PROJECT_VERSION}.

 -- ${GLES_DELEGATE_MAINTAINER}  ${DEBIAN_DATE}
" @ONLY)
gles_gzip(${DEBIAN}/changelog)

# COMPONENT as the package NAME in a section of Debian's.
function(gles_add_debian_package component name section)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_GROUP ${component} PARENT_SCOPE)
  set(CPACK_COMPONENT_DEBIAN_${upper}_GROUP ${component} PARENT_SCOPE)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} debian_${component}
    PARENT_SCOPE)
  install(FILES ${CMAKE_SOURCE_DIR}/cmake/debian/copyright ${DEBIAN}/changelog.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name}
    COMPONENT debian_${component} EXCLUDE_FROM_ALL)
  set(overrides ${CMAKE_SOURCE_DIR}/cmake/debian/${name}.lintian-overrides)
  if(EXISTS ${overrides})
    install(FILES ${overrides} DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides
      RENAME ${name} COMPONENT debian_${component} EXCLUDE_FROM_ALL)
  endif()
endfunction()

set(LIBRARY_PACKAGE libgles-delegate${GLES_DELEGATE_SOVERSION})
gles_add_debian_package(library ${LIBRARY_PACKAGE} libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS ${CROSS_LIBC})
# Opened at run time, so that no tool sees them.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "libegl1, libgles2")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
"TensorFlow Lite delegate on OpenGL ES 3.1 compute shaders
Runs TensorFlow Lite models on the GPU, on any driver that has OpenGL ES 3.1,
without a window system. This package holds the library that an application
links with or loads as an external delegate, and a library with the names of
TensorFlow Lite's own GPU delegate.")

file(WRITE ${DEBIAN}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${DEBIAN}/triggers)

gles_add_debian_package(development libgles-delegate-dev libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${LIBRARY_PACKAGE} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
"TensorFlow Lite delegate on OpenGL ES 3.1, development files
Runs TensorFlow Lite models on the GPU, on any driver that has OpenGL ES 3.1.
This package holds the header of the delegate's library, the library as an
archive, its CMake package and pkg-config file, and the header of the library
with the names of TensorFlow Lite's own GPU delegate.")

if(TARGET LiteRtGpuAccelerator)
  gles_add_debian_package(litert gles-delegate-litert libs)
  set(CPACK_DEBIAN_LITERT_PACKAGE_DEPENDS "${LIBRARY_PACKAGE} (= ${PROJECT_VERSION})")
  if(CMAKE_CROSSCOMPILING)
    string(APPEND CPACK_DEBIAN_LITERT_PACKAGE_DEPENDS ", ${CROSS_LIBC}")
  endif()
  set(CPACK_DEBIAN_LITERT_PACKAGE_CONTROL_EXTRA ${DEBIAN}/triggers)
  set(CPACK_DEBIAN_LITERT_DESCRIPTION
"OpenGL ES 3.1 as the GPU of LiteRT's CompiledModel
Runs LiteRT models on the GPU, on any driver that has OpenGL ES 3.1. This
package holds the accelerator library that LiteRT 2.2 and newer look for where
a program asks for the GPU.")
endif()

if(GLES_DELEGATE_BUILD_TOOLS)
  gles_add_debian_package(tools gles-delegate-tools utils)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${LIBRARY_PACKAGE} (= ${PROJECT_VERSION})")
  if(CMAKE_CROSSCOMPILING)
    string(APPEND CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS ", ${CROSS_LIBC}, ${CROSS_STDLIB}")
  endif()
  set(CPACK_DEBIAN_TOOLS_DESCRIPTION
"programs that run TensorFlow Lite models on OpenGL ES 3.1
Runs TensorFlow Lite models on the GPU, on any driver that has OpenGL ES 3.1.
The programs of this package time a model on the GPU and on the CPU, compare
their answers, draw what a model sees in a picture, and hold a driver against
the CPU op by op.")
  install(FILES ${CMAKE_BINARY_DIR}/completions/_gles_delegate
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
    COMPONENT debian_tools EXCLUDE_FROM_ALL)
  include(ManPage)
  foreach(program IN LISTS TOOLS)
    file(GLOB source ${CMAKE_SOURCE_DIR}/tools/${program}.cc
      ${CMAKE_SOURCE_DIR}/tools/*/${program}.cc)
    gles_man_page(${program} ${source} ${DEBIAN}/${program}.1)
    install(FILES ${DEBIAN}/${program}.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
      COMPONENT tools)
  endforeach()
endif()
include(CPack)
