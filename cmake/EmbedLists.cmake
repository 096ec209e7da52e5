# Writes OUT, a line of C++ for each of FILES (lists of cases): its name and, as a raw string,
# its text.
set(text "")
foreach(file IN LISTS FILES)
  file(READ ${file} content)
  get_filename_component(name ${file} NAME_WE)
  string(APPEND text "{\"${name}\", R\"LIST(${content})LIST\"},\n")
endforeach()
file(WRITE ${OUT} "${text}")
