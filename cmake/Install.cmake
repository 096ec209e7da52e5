# What `cmake --install` puts where: the library, its header, the programs, and
# files for pkg-config and find_package. The programs come with a TFLite C
# library, in its own folder, unless they run the system's.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS gles_delegate
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
  NAMELINK_COMPONENT development)
if(TARGET gles_delegate_archive)
  install(FILES ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/libgles_delegate.a
    DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
endif()
install(FILES delegate/include/gles_delegate/gles_delegate.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gles_delegate COMPONENT development)

if(GLES_DELEGATE_DROP_IN)
  # In separate folders, so that only those who ask for them take library and header for
  # the stock ones. libgles_delegate.so is two folders above.
  set_target_properties(tensorflowlite_gpu_delegate PROPERTIES INSTALL_RPATH "$ORIGIN/../..")
  install(TARGETS tensorflowlite_gpu_delegate
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/gles_delegate/drop_in COMPONENT library)
  install(DIRECTORY delegate/adapters/drop_in/include/
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gles_delegate/drop_in COMPONENT development)
endif()

if(TARGET LiteRtGpuAccelerator)
  # A LiteRT that is given no folder looks here, in the loader's path.
  install(TARGETS LiteRtGpuAccelerator
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT litert)
endif()

# From the .pc file's folder back to the prefix, so that the tree can be moved.
file(RELATIVE_PATH PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/gles_delegate.pc.in gles_delegate.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/gles_delegate.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

set(PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/gles_delegate)
get_target_property(GLES_DELEGATE_SOVERSION gles_delegate SOVERSION)
configure_package_config_file(cmake/gles_delegateConfig.cmake.in
  gles_delegateConfig.cmake INSTALL_DESTINATION ${PACKAGE_DIR}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(gles_delegateConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/gles_delegateConfig.cmake
              ${CMAKE_BINARY_DIR}/gles_delegateConfigVersion.cmake
  DESTINATION ${PACKAGE_DIR} COMPONENT development)

# Everything that is installed, and nothing else.
add_custom_target(gles_delegate_installed)
if(GLES_DELEGATE_BUILD_TOOLS)
  set(TOOLS benchmark_model inference_diff quantized_accuracy model_report gles_demo
    gles_conformance gles_doctor gles_tune)
  set(TOOLS_LIBDIR ${CMAKE_INSTALL_LIBDIR}/gles_delegate)
  install(TARGETS ${TOOLS}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  set_target_properties(${TOOLS} PROPERTIES
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};$ORIGIN/../${TOOLS_LIBDIR}")
  if(NOT GLES_DELEGATE_SYSTEM_TFLITE)
    # Opened at run time, by the name that it has. Its builder's folders are in its search path.
    install(FILES ${TFLITE_C_LIBRARY} DESTINATION ${TOOLS_LIBDIR} COMPONENT tflite)
    install(CODE "file(RPATH_REMOVE FILE
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${TOOLS_LIBDIR}/${TFLITE_C_LIBRARY_NAME}\")"
      COMPONENT tflite)
  endif()

  # Their manual pages, and the completion of their flags in bash and zsh.
  include(ManPage)
  foreach(PROGRAM IN LISTS TOOLS)
    file(GLOB source ${CMAKE_SOURCE_DIR}/tools/${PROGRAM}.cc ${CMAKE_SOURCE_DIR}/tools/*/${PROGRAM}.cc)
    gles_man_page(${PROGRAM} ${source} ${CMAKE_BINARY_DIR}/man/${PROGRAM}.1)
    install(FILES ${CMAKE_BINARY_DIR}/man/${PROGRAM}.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
      COMPONENT tools)
    configure_file(cmake/completions/program.bash.in completions/${PROGRAM} @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/completions/${PROGRAM}
      DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tools)
  endforeach()
  list(JOIN TOOLS " " PROGRAMS)
  configure_file(cmake/completions/_gles_delegate.in completions/_gles_delegate @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/completions/_gles_delegate
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT zsh)
endif()
add_dependencies(gles_delegate_installed gles_delegate_libraries ${TOOLS})
foreach(target gles_delegate_archive tensorflowlite_gpu_delegate)
  if(TARGET ${target})
    add_dependencies(gles_delegate_installed ${target})
  endif()
endforeach()
# Debian's packages have these texts in their own place.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT license)
install(FILES debian/copyright RENAME THIRD_PARTY_NOTICES DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT license)
