# Script of CPack, after it has made the packages: completes those of debug symbols. CPack 3.25 lists
# their files by the build folder's paths, which would also differ from builder to builder, and
# leaves out the documents.
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  if(NOT package MATCHES "/([^/_]+)-dbgsym_[^/]+$")
    continue()
  endif()
  set(parent ${CMAKE_MATCH_1})
  set(folder ${package}.unpacked)
  file(REMOVE_RECURSE ${folder})
  execute_process(COMMAND dpkg-deb -R ${package} ${folder} COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${folder}/DEBIAN/md5sums sums)
  string(REGEX REPLACE " [^ ]*-dbgsym/" " " sums "${sums}")
  file(WRITE ${folder}/DEBIAN/md5sums "${sums}")
  file(MAKE_DIRECTORY ${folder}/usr/share/doc)
  file(CREATE_LINK ${parent} ${folder}/usr/share/doc/${parent}-dbgsym SYMBOLIC)
  execute_process(COMMAND dpkg-deb -b -Zgzip --root-owner-group ${folder} ${package}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE ${folder})
endforeach()
