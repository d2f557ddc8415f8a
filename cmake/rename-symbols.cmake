# cmake -DLIBRARY=... -DNM=... -DOBJCOPY=... -P rename-symbols.cmake
# Gives every name that a static library shows the prefix oocc_: the runtime's own names (plan_make, parse_bytes) are those that
# somebody else's program may have as well. Done to what is installed; in the build tree, unit tests call them by their names.
execute_process(COMMAND ${NM} --defined-only --extern-only --format=posix ${LIBRARY}
  OUTPUT_VARIABLE listing RESULT_VARIABLE status ERROR_VARIABLE said)
if(status)
  message(FATAL_ERROR "cannot list the symbols of ${LIBRARY}: ${said}")
endif()
string(REGEX MATCHALL "(^|\n)[A-Za-z][A-Za-z0-9_]* [A-Z] " names "${listing}")
set(renames "")
foreach(name IN LISTS names)
  string(REGEX REPLACE "^\n?([A-Za-z0-9_]+) .*" "\\1" name "${name}")
  if(NOT name MATCHES "^oocc_")
    string(APPEND renames "${name} oocc_own_${name}\n")
  endif()
endforeach()
file(WRITE ${LIBRARY}.names "${renames}")
execute_process(COMMAND ${OBJCOPY} --redefine-syms=${LIBRARY}.names ${LIBRARY} RESULT_VARIABLE status ERROR_VARIABLE said)
file(REMOVE ${LIBRARY}.names)
if(status)
  message(FATAL_ERROR "cannot rename the symbols of ${LIBRARY}: ${said}")
endif()
