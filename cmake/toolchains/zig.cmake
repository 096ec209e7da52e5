# Toolchain file: for Linux with glibc 2.28, by zig's clang and libc++ (PyPI's ziglang), as
# bindings/python/make_wheel.py uses it. Variables, which the environment may have instead:
#   GLES_DELEGATE_ZIG          the program zig
#   GLES_DELEGATE_ZIG_MACHINE  x86_64, aarch64 or armv7l
set(variables GLES_DELEGATE_ZIG GLES_DELEGATE_ZIG_MACHINE)
foreach(variable IN LISTS variables)
  if(NOT ${variable})
    set(${variable} $ENV{${variable}})
  endif()
endforeach()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ${variables})
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${GLES_DELEGATE_ZIG_MACHINE})
set(TRIPLET ${GLES_DELEGATE_ZIG_MACHINE}-linux-gnu)
if(GLES_DELEGATE_ZIG_MACHINE STREQUAL "armv7l")
  set(TRIPLET arm-linux-gnueabihf)
endif()

# CMake wants programs of one word. Debian's abseil links libatomic with flags that zig does not
# know; zig's own runtime library has its functions.
set(without "for a; do shift; case $a in -Wl,--push-state*|-Wl,--pop-state|-latomic) ;; \
*) set -- \"$@\" \"$a\" ;; esac; done\n")
foreach(tool cc c++ ar ranlib)
  set(program ${CMAKE_BINARY_DIR}/zig/bin/${tool})
  set(command "${tool}")
  if(tool MATCHES "^c")
    set(command "${tool} -target ${TRIPLET}.2.28")
  endif()
  if(NOT EXISTS ${program})
    file(WRITE ${program} "#!/bin/sh\n${without}exec '${GLES_DELEGATE_ZIG}' ${command} \"$@\"\n")
    file(CHMOD ${program} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  endif()
endforeach()
set(CMAKE_C_COMPILER ${CMAKE_BINARY_DIR}/zig/bin/cc)
set(CMAKE_CXX_COMPILER ${CMAKE_BINARY_DIR}/zig/bin/c++)
set(CMAKE_AR ${CMAKE_BINARY_DIR}/zig/bin/ar)
set(CMAKE_RANLIB ${CMAKE_BINARY_DIR}/zig/bin/ranlib)
# zig itself keeps what it has compiled; ccache does not know it.
set(CCACHE_PROGRAM "")

# This machine's packages that are headers alone, the same for all machines. The rest of
# /usr/include is another C library's.
set(CMAKE_FIND_ROOT_PATH ${CMAKE_BINARY_DIR}/zig/root)
foreach(name include/EGL include/GLES2 include/GLES3 include/KHR include/flatbuffers
        include/toml++ include/xxhash.h)
  set(link ${CMAKE_FIND_ROOT_PATH}/${name})
  get_filename_component(folder ${link} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  if(EXISTS /usr/${name} AND NOT EXISTS ${link})
    file(CREATE_LINK /usr/${name} ${link} SYMBOLIC)
  endif()
endforeach()
set(CMAKE_C_FLAGS_INIT "-isystem ${CMAKE_FIND_ROOT_PATH}/include")
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT}")
# Without symbols: zig adds those of its own libraries.
set(CMAKE_SHARED_LINKER_FLAGS_INIT -s)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
