# TensorFlow Lite's C library: the host of the programs and tests, and their
# oracle. libgles_delegate.so needs the headers alone, which are in the tree. The
# programs open the library at run time (tools/common/tflite_library.h); only apps in
# C link it.
set(TFLITE_C_ROOT "${CMAKE_SOURCE_DIR}/.deps/tflite" CACHE PATH
    "Folder with TensorFlow Lite's C library in lib/")
# What `./dev deps` also fetches: the oldest version that is supported. Some tests run
# on it, too.
set(TFLITE_OLDEST_ROOT "${CMAKE_SOURCE_DIR}/.deps/tflite-2.9" CACHE PATH
    "Folder with lib/libtensorflowlite_c.so of TensorFlow Lite 2.9")
add_library(tflite_headers INTERFACE)
target_include_directories(tflite_headers SYSTEM INTERFACE ${CMAKE_SOURCE_DIR}/third_party/tflite_c)

# The library has the name that its builders gave it: the C library's own, or that of the
# JavaCPP presets, whose library exports the C functions.
set(TFLITE_C_LIBRARY ${TFLITE_C_ROOT}/lib/libtensorflowlite_c.so)
if(NOT EXISTS ${TFLITE_C_LIBRARY} AND EXISTS ${TFLITE_C_ROOT}/lib/libjnitensorflowlite.so)
  set(TFLITE_C_LIBRARY ${TFLITE_C_ROOT}/lib/libjnitensorflowlite.so)
endif()
if(GLES_DELEGATE_SYSTEM_TFLITE)
  # Debian's exports the C functions. A build machine need not have one.
  find_library(TFLITE_SYSTEM_LIBRARY NAMES tensorflowlite_c tensorflow-lite)
  set(TFLITE_C_LIBRARY libtensorflowlite_c.so)
  if(TFLITE_SYSTEM_LIBRARY)
    file(REAL_PATH ${TFLITE_SYSTEM_LIBRARY} TFLITE_C_LIBRARY)
  endif()
endif()
get_filename_component(TFLITE_C_LIBRARY_NAME ${TFLITE_C_LIBRARY} NAME)
add_library(tflite_c SHARED IMPORTED)
set_target_properties(tflite_c PROPERTIES
  IMPORTED_LOCATION ${TFLITE_C_LIBRARY}
  IMPORTED_NO_SONAME TRUE)
target_link_libraries(tflite_c INTERFACE tflite_headers)
