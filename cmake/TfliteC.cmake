# The stock TensorFlow Lite C library: our host and our oracle, never linked
# into libgles_delegate.so (which needs the headers alone).
set(TFLITE_C_ROOT "${CMAKE_SOURCE_DIR}/.deps/tflite" CACHE PATH
    "Folder with include/tensorflow/lite/c/c_api.h and lib/libtensorflowlite_c.so")
if(NOT EXISTS ${TFLITE_C_ROOT}/include/tensorflow/lite/c/c_api.h)
  message(FATAL_ERROR "No TFLite C headers in ${TFLITE_C_ROOT}/include. Run ./dev deps, "
                      "or pass -DTFLITE_C_ROOT=<folder with include/ and lib/>.")
endif()
add_library(tflite_headers INTERFACE)
target_include_directories(tflite_headers SYSTEM INTERFACE ${TFLITE_C_ROOT}/include)

add_library(tflite_c SHARED IMPORTED)
set_target_properties(tflite_c PROPERTIES
  IMPORTED_LOCATION ${TFLITE_C_ROOT}/lib/libtensorflowlite_c.so
  IMPORTED_NO_SONAME TRUE)
target_link_libraries(tflite_c INTERFACE tflite_headers)
set(TFLITE_EXTERNAL_DELEGATE_LIB ${TFLITE_C_ROOT}/lib/libexternal_delegate_obj.so)
