# `cpack -G DEB` in the build folder makes a Debian package, `cpack -G TGZ` an archive to unpack anywhere.
set(CPACK_PACKAGE_NAME oocc)
set(CPACK_PACKAGE_VENDOR oocc)
set(CPACK_PACKAGE_CONTACT "oocc <oocc@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compiler for stencil computations on grids larger than memory")
set(CPACK_PACKAGE_DESCRIPTION
"oocc turns a program that says only what a stencil computation computes
into C that streams a grid from disk through a window of memory of the
size it is given, many steps at a time, with the bits that a plain loop
in memory would give.

The package has the compiler, the runtime that its programs are linked
with, files for CMake and pkg-config, documents and examples.")
set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# Libraries that oocc itself needs are found by dpkg-shlibdeps. To build programs (`oocc run`) takes a C compiler and what the
# runtime links with.
find_program(OOCC_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(OOCC_SHLIBDEPS)
if(OOCC_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
set(depends gcc libc6-dev)
foreach(library IN LISTS OOCC_RUNTIME_LIBRARIES)
  list(APPEND depends lib${library}-dev)
endforeach()
list(JOIN depends ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake (>= 3.20), ninja-build | make, pkg-config, python3-numpy")
set(CPACK_GENERATOR DEB)
include(CPack)
