# A program's manual page, from the usage text in its source and from what --help lists, so that it
# says the same. Run with -P, it completes a page; included, it has gles_man_page().

# The line of a page that the list of flags replaces.
set(OPTIONS_MARK ".\\\" OPTIONS")

if(CMAKE_SCRIPT_MODE_FILE)
  # cmake -DPROGRAM=FILE -DLIBRARIES=DIR -DPAGE=FILE.in -DOUTPUT=FILE -DGZIP=FILE -P ManPage.cmake
  cmake_minimum_required(VERSION 3.22...3.25)
  # A program with the search path of its installation finds no library yet.
  set(ENV{LD_LIBRARY_PATH} "${LIBRARIES}:$ENV{LD_LIBRARY_PATH}")
  execute_process(COMMAND ${PROGRAM} --help --wide OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "^.*\nFlags:\n" "\n" text "${text}")
  string(REPLACE "\\" "\\e" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  # A dot or an apostrophe that begins a line would be a command.
  string(REGEX REPLACE "\n      ([.'])" "\n      \\\\&\\1" text "${text}")
  string(REGEX REPLACE "\n  ([^ \n][^\n]*)" "\n.TP\n.B \\1" text "${text}")
  string(REGEX REPLACE "\n      " "\n" text "${text}")
  string(STRIP "${text}" text)
  file(READ ${PAGE} page)
  string(REPLACE "${OPTIONS_MARK}" ".SH OPTIONS\n.nh\n${text}\n.hy" page "${page}")
  file(WRITE ${OUTPUT} "${page}")
  execute_process(COMMAND ${GZIP} -9nkf ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
  return()
endif()

find_program(GZIP_PROGRAM gzip REQUIRED)

# Makes the page of PROGRAM, whose kUsage is in SOURCE, as OUTPUT and OUTPUT.gz. A build for another
# machine cannot run PROGRAM, and one with a sanitizer is not installed: no list of flags there.
function(gles_man_page PROGRAM SOURCE OUTPUT)
  file(READ ${SOURCE} text)
  string(FIND "${text}" "kUsage[] =" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "${SOURCE} has no kUsage")
  endif()
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(FIND "${text}" "\";\n" end)
  string(SUBSTRING "${text}" 0 ${end} text)
  # The parts of the literal are one text.
  string(FIND "${text}" "\"" begin)
  math(EXPR begin "${begin} + 1")
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(REGEX REPLACE "\"\n *\"" "" text "${text}")
  string(REPLACE "\\n" "\n" text "${text}")
  # The first sentence is the name's line.
  string(REGEX MATCH "^[^.:,(]*(\\.tflite)?[^.:,(]*" summary "${text}")
  string(REPLACE "\n" " " summary "${summary}")
  string(STRIP "${summary}" summary)
  string(SUBSTRING "${summary}" 0 1 first)
  string(TOLOWER "${first}" first)
  string(SUBSTRING "${summary}" 1 -1 summary)
  # Lines that are indented stay as they are.
  string(REGEX REPLACE "\n(  [^\n]*)" "\n.nf\n\\1\n.fi" text "\n${text}")
  string(REPLACE "\n.fi\n.nf\n" "\n" text "${text}")
  string(STRIP "${text}" text)
  string(REGEX REPLACE "\n\n+" "\n.PP\n" text "${text}")
  foreach(part IN ITEMS text summary)
    string(REPLACE "-" "\\-" ${part} "${${part}}")
  endforeach()
  set(template ${CMAKE_SOURCE_DIR}/cmake/program.1.in)
  if(CMAKE_CROSSCOMPILING OR GLES_DELEGATE_SANITIZE)
    set(options ".PP\n.B ${PROGRAM} \\-\\-help\nlists every flag.")
    configure_file(${template} ${OUTPUT} @ONLY)
    execute_process(COMMAND ${GZIP_PROGRAM} -9nkf ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
    return()
  endif()
  set(options "${OPTIONS_MARK}")
  configure_file(${template} ${OUTPUT}.in @ONLY)
  set(script ${CMAKE_SOURCE_DIR}/cmake/ManPage.cmake)
  add_custom_command(OUTPUT ${OUTPUT}.gz
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${PROGRAM}>
      -DLIBRARIES=${CMAKE_LIBRARY_OUTPUT_DIRECTORY} -DPAGE=${OUTPUT}.in -DOUTPUT=${OUTPUT}
      -DGZIP=${GZIP_PROGRAM} -P ${script}
    DEPENDS ${PROGRAM} ${OUTPUT}.in ${script} VERBATIM)
  add_custom_target(${PROGRAM}_page ALL DEPENDS ${OUTPUT}.gz)
  add_dependencies(gles_delegate_installed ${PROGRAM}_page)
endfunction()
