# Script: writes the archive OUT of OBJECT alone, of whose symbols those stay global that KEEP
# (a list of wildcards) has. WORK: where the object is changed. NM, OBJCOPY and AR: the tools.
#
# objcopy makes no symbol local that is unique in a process (STB_GNU_UNIQUE, of static
# variables of inline functions): such ones are made weak first. Not all symbols are, because
# what is not defined here would be weak, too, and then no library is searched for it.
execute_process(COMMAND ${NM} --defined-only ${OBJECT}
  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " u [^\n]+" unique "${symbols}")
list(TRANSFORM unique REPLACE "^ u " "")
list(JOIN unique "\n" unique)
file(WRITE ${WORK}.unique "${unique}\n")
execute_process(COMMAND ${OBJCOPY} --weaken-symbols=${WORK}.unique ${OBJECT} ${WORK}
  COMMAND_ERROR_IS_FATAL ANY)
list(TRANSFORM KEEP PREPEND "--keep-global-symbol=")
execute_process(COMMAND ${OBJCOPY} --wildcard --strip-unneeded --remove-section=.comment
  ${KEEP} ${WORK} COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${OUT})
execute_process(COMMAND ${AR} rcsD ${OUT} ${WORK} COMMAND_ERROR_IS_FATAL ANY)
