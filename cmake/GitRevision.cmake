# Script: writes OUTPUT from TEMPLATE with SOURCE_DIR's git revision in it.
execute_process(
  COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE GIT_REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT GIT_REVISION)
  set(GIT_REVISION "unknown")
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
