# Build-wide settings: language, warnings, output folders, sanitizers.
set(CMAKE_CXX_STANDARD 17)
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

# A binary that carries its own libstdc++ runs on machines with an older one.
option(GLES_DELEGATE_STATIC_STDLIB "Link libstdc++ and libgcc statically" ON)
set(GLES_DELEGATE_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# abseil is position-independent too: it ends inside the shared library.
if(GLES_DELEGATE_SANITIZE)
  add_compile_options(-fsanitize=${GLES_DELEGATE_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${GLES_DELEGATE_SANITIZE})
elseif(GLES_DELEGATE_STATIC_STDLIB)
  add_link_options(-static-libstdc++ -static-libgcc)
endif()

# Warnings for the project's own targets; third-party code is not held to them.
add_library(gles_warnings INTERFACE)
target_compile_options(gles_warnings INTERFACE -Wall -Wextra -Werror)
target_include_directories(gles_warnings INTERFACE ${CMAKE_SOURCE_DIR})
