# Clang's libraries, for what reads C: target oocc_clang, where a Clang with headers and CMake files is installed (Debian:
# libclang-19-dev llvm-19-dev). 19 is what oocc is tested with; others from 14 on are taken when it is not there. Without one,
# oocc is built without what needs it, and says so.
include_guard(GLOBAL)
option(OOCC_CLANG "Build what needs Clang's libraries, where they are installed" ON)

if(OOCC_CLANG)
  file(GLOB prefixes /usr/lib/llvm-*)
  list(SORT prefixes COMPARE NATURAL ORDER DESCENDING)
  set(whole "") # where Clang and LLVM are both there: Clang's file ends the configuration when its own LLVM is not
  foreach(prefix /usr/lib/llvm-19 ${prefixes})
    if(EXISTS "${prefix}/lib/cmake/llvm" AND EXISTS "${prefix}/lib/cmake/clang")
      list(APPEND whole "${prefix}")
    endif()
  endforeach()
  find_package(LLVM CONFIG QUIET HINTS ${whole})
  if(LLVM_FOUND)
    find_package(Clang CONFIG QUIET HINTS "${LLVM_LIBRARY_DIR}/cmake/clang" NO_DEFAULT_PATH)
  endif()
endif()
if(TARGET clang-cpp AND TARGET LLVM AND LLVM_VERSION_MAJOR GREATER_EQUAL 14)
  message(STATUS "Clang ${LLVM_PACKAGE_VERSION}: ${Clang_DIR}")
  add_library(oocc_clang INTERFACE)
  target_include_directories(oocc_clang SYSTEM INTERFACE ${CLANG_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_compile_options(oocc_clang INTERFACE -fno-rtti) # as they were built
  target_link_libraries(oocc_clang INTERFACE clang-cpp LLVM)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND OOCC_SANITIZE)
    # UBSan's own tests for null make GCC take pointers in Clang's headers for null, and warn.
    target_compile_options(oocc_clang INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-nonnull>)
  endif()
  set(resources "${LLVM_LIBRARY_DIR}/clang/${LLVM_VERSION_MAJOR}")
  if(NOT EXISTS "${resources}") # before 16
    set(resources "${resources}.${LLVM_VERSION_MINOR}.${LLVM_VERSION_PATCH}")
  endif()
  set(OOCC_CLANG_RESOURCE_DIR "${resources}" CACHE INTERNAL "")
else()
  message(STATUS "Without Clang's libraries (Debian: libclang-19-dev llvm-19-dev): no 'oocc lift'")
endif()
