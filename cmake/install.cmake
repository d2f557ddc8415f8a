# What `cmake --install` puts where, but for what other folders install themselves. All paths are relative to the prefix, so
# that the whole of it can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(OOCC_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/oocc)

install(TARGETS oocc_runtime EXPORT oocc
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Only names that begin with oocc_ are to meet those of an application.
install(CODE "
  execute_process(COMMAND \"\${CMAKE_COMMAND}\" \"-DLIBRARY=\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/liboocc_runtime.a\"
    \"-DNM=${CMAKE_NM}\" \"-DOBJCOPY=${CMAKE_OBJCOPY}\" -P \"${PROJECT_SOURCE_DIR}/cmake/rename-symbols.cmake\"
    COMMAND_ERROR_IS_FATAL ANY)")
install(FILES ${OOCC_PUBLIC_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/oocc)
if(TARGET oocc)
  install(TARGETS oocc EXPORT oocc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
  PATTERN "__pycache__" EXCLUDE PATTERN "*.pyc" EXCLUDE)

# -- for CMake ------------------------------------------------------------------------------------------------------------
install(EXPORT oocc FILE oocc-targets.cmake NAMESPACE oocc:: DESTINATION ${OOCC_CMAKE_DIR})
configure_package_config_file(cmake/oocc-config.cmake.in ${CMAKE_BINARY_DIR}/cmake/oocc-config.cmake
  INSTALL_DESTINATION ${OOCC_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/oocc-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cmake/oocc-config.cmake ${CMAKE_BINARY_DIR}/cmake/oocc-config-version.cmake
  ${PROJECT_SOURCE_DIR}/cmake/oocc-stencil.cmake DESTINATION ${OOCC_CMAKE_DIR})

# -- for pkg-config -------------------------------------------------------------------------------------------------------
file(RELATIVE_PATH OOCC_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" OOCC_PC_PREFIX "${OOCC_PC_PREFIX}")
file(RELATIVE_PATH OOCC_PC_INCLUDE ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
file(RELATIVE_PATH OOCC_PC_BIN ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_BINDIR})
list(JOIN OOCC_PROGRAM_FLAGS " " OOCC_PC_FLAGS)
configure_file(cmake/oocc.pc.in ${CMAKE_BINARY_DIR}/cmake/oocc.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cmake/oocc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
