# What -DOOCC_SANITIZE=... adds to every compilation and every link: to this build's, and to those of programs that tests make.
set(OOCC_SANITIZE_FLAGS -fsanitize=${OOCC_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
if(OOCC_SANITIZE MATCHES undefined)
  list(APPEND OOCC_SANITIZE_FLAGS -fno-sanitize=vptr) # it goes by RTTI, which what is built with Clang's libraries has not
endif()
set(OOCC_SANITIZE_LIBRARIES "")
set(OOCC_SANITIZE_ENVIRONMENT "") # of what is run, as a list of NAME=VALUE
if(OOCC_SANITIZE MATCHES thread)
  # How OpenMP's threads wait for each other, only its library knows. LLVM's tells Archer, and Archer the sanitizer; GCC's tells
  # nobody, so that every parallel region would be called a race. Archer is linked: libomp asks the program for a tool first.
  if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "ThreadSanitizer follows OpenMP with Clang only: cmake --preset tsan, or "
      "-DCMAKE_TOOLCHAIN_FILE=${CMAKE_CURRENT_LIST_DIR}/clang.cmake")
  endif()
  get_filename_component(clang ${CMAKE_C_COMPILER} REALPATH)
  get_filename_component(clang ${clang} DIRECTORY)
  find_library(OOCC_ARCHER archer HINTS ${clang}/../lib)
  if(NOT OOCC_ARCHER)
    message(FATAL_ERROR "ThreadSanitizer needs LLVM's OpenMP with Archer (Debian: libomp-19-dev)")
  endif()
  get_filename_component(folder ${OOCC_ARCHER} DIRECTORY)
  set(OOCC_SANITIZE_LIBRARIES -Wl,--no-as-needed ${OOCC_ARCHER} -Wl,--as-needed -Wl,-rpath,${folder})
  # A loop that the sanitizer keeps from vector code is warned of, where it is asked for by a pragma.
  # Tests' compilers are always told of libraries, which is no mistake where nothing is linked.
  list(APPEND OOCC_SANITIZE_FLAGS -Wno-pass-failed -Wno-unused-command-line-argument)
  # What libomp and other libraries do inside of themselves is not looked at; the first race ends a program, and no program
  # waits a second for races at its end.
  set(OOCC_SANITIZE_ENVIRONMENT "TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1:atexit_sleep_ms=0")
endif()
add_compile_options(${OOCC_SANITIZE_FLAGS})
add_link_options(${OOCC_SANITIZE_FLAGS} ${OOCC_SANITIZE_LIBRARIES})
