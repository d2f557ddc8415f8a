# oocc_add_stencil(TARGET PROGRAM.stn [LIBRARY | EXECUTABLE] [DEFINES NAME=VALUE...] [OPTIONS OPTION...] [MARCH native|off])
#
# Compiles a stencil program with oocc and the C that comes out as `oocc --emit=exe` does. EXECUTABLE, the default, makes the
# program that oocc would make; LIBRARY a static library, whose header TARGET.h is on the include path of all that link it.
# DEFINES fixes parameters (-D), OPTIONS goes to oocc as it is (--fma, --jam 2x2, ...), MARCH off builds for any processor of
# the kind. It is made anew when something that it depends on has changed, oocc included. See docs/embedding.md.
include_guard(GLOBAL)
cmake_policy(PUSH)
cmake_policy(VERSION 3.20...3.25) # 3.20: DEPFILE with Makefiles

function(oocc_add_stencil target program)
  cmake_parse_arguments(PARSE_ARGV 2 arg "LIBRARY;EXECUTABLE" "MARCH" "DEFINES;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "oocc_add_stencil(${target}): '${arg_UNPARSED_ARGUMENTS}' is none of LIBRARY, EXECUTABLE, DEFINES, OPTIONS, MARCH")
  endif()
  if(arg_LIBRARY AND arg_EXECUTABLE)
    message(FATAL_ERROR "oocc_add_stencil(${target}): LIBRARY and EXECUTABLE contradict each other")
  endif()
  if(arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "oocc_add_stencil(${target}): ${arg_KEYWORDS_MISSING_VALUES} needs a value")
  endif()
  if(NOT DEFINED arg_MARCH)
    set(arg_MARCH native)
  elseif(NOT arg_MARCH MATCHES "^(native|off)$")
    message(FATAL_ERROR "oocc_add_stencil(${target}): MARCH is native or off, not '${arg_MARCH}'")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "C" IN_LIST languages)
    message(FATAL_ERROR "oocc_add_stencil(${target}): oocc makes C, and this project has no compiler for it: "
      "add C to project(... LANGUAGES ...)")
  endif()

  get_filename_component(program ${program} ABSOLUTE)
  if(NOT EXISTS ${program})
    message(FATAL_ERROR "oocc_add_stencil(${target}): there is no ${program}")
  endif()
  set(options ${arg_OPTIONS})
  foreach(define IN LISTS arg_DEFINES)
    list(APPEND options -D ${define})
  endforeach()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/oocc/${target})
  file(MAKE_DIRECTORY ${folder})
  set(emits c=c)
  if(arg_LIBRARY)
    set(emits c=library h=header)
  endif()
  set(made "")
  foreach(emit IN LISTS emits)
    string(REPLACE "=" ";" emit ${emit})
    list(GET emit 0 suffix)
    list(GET emit 1 stage)
    set(output ${folder}/${target}.${suffix})
    add_custom_command(OUTPUT ${output}
      COMMAND oocc::oocc ${program} --emit=${stage} -o ${output} -MD -MF ${output}.d -MT ${output} ${options}
      DEPENDS ${program} oocc::oocc
      DEPFILE ${output}.d
      COMMENT "Compiling stencil ${target}.${suffix}"
      VERBATIM)
    list(APPEND made ${output})
  endforeach()

  if(arg_LIBRARY)
    add_library(${target} STATIC ${made})
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${folder}>)
  else()
    add_executable(${target} ${made})
  endif()
  target_link_libraries(${target} PUBLIC oocc::runtime)
  # A list of its own flags: what the project gives its own C (-Wall, -ffast-math) is its own affair, and comes before.
  target_compile_options(${target} PRIVATE ${OOCC_PROGRAM_FLAGS})
  if(arg_MARCH STREQUAL "native")
    target_compile_options(${target} PRIVATE ${OOCC_PROGRAM_MARCH})
  endif()
endfunction()

cmake_policy(POP)
