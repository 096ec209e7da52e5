# gles_embed(TARGET FILE): sources of TARGET may include "embedded/<name of FILE>.inc" within the
# braces of an array of bytes.
function(gles_embed target file)
  get_filename_component(name ${file} NAME)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/embedded/${name}.inc CONTENT "${bytes}\n")
  target_include_directories(${target} SYSTEM PRIVATE ${CMAKE_BINARY_DIR}/generated)
endfunction()
