# Writes OUT, a C++ file that holds each of FILES (a list) as a raw string.
# String literals may be no longer than 64 KiB everywhere, which no shader is.
set(text "// Generated from gl_shaders/ by cmake/EmbedShaders.cmake.\n")
string(APPEND text "#include \"gl_shaders/shader.h\"\n\n")
string(APPEND text "namespace gles_delegate::gl_shaders {\n\n")
string(APPEND text "const EmbeddedFile kEmbeddedFiles[] = {\n")
foreach(file IN LISTS FILES)
  file(READ ${file} content)
  file(RELATIVE_PATH name ${ROOT} ${file})
  if(name MATCHES "\\.comp$")
    get_filename_component(name ${file} NAME)  # a shader's name has no family
  endif()
  string(APPEND text "{\"${name}\", R\"SHADER(${content})SHADER\"},\n")
endforeach()
string(APPEND text "};\nconst size_t kEmbeddedFileCount = sizeof(kEmbeddedFiles) / sizeof(kEmbeddedFiles[0]);\n\n")
string(APPEND text "}  // namespace gles_delegate::gl_shaders\n")
file(WRITE ${OUT} "${text}")
