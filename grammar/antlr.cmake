# Target oocc_grammar: lexer and parser, generated at build time from the two grammars beside this file.
find_program(ANTLR4 antlr4 REQUIRED)
find_path(ANTLR4_INCLUDE_DIR antlr4-runtime.h PATH_SUFFIXES antlr4-runtime REQUIRED)
find_library(ANTLR4_RUNTIME antlr4-runtime REQUIRED)

set(grammar_dir ${CMAKE_CURRENT_LIST_DIR})
set(generated_dir ${CMAKE_BINARY_DIR}/grammar)
set(antlr_options -Dlanguage=Cpp -visitor -no-listener -package oocc::grammar -Werror -o ${generated_dir})

set(lexer_files ${generated_dir}/StnLexer.cpp ${generated_dir}/StnLexer.h)
set(parser_files
  ${generated_dir}/StnParser.cpp ${generated_dir}/StnParser.h
  ${generated_dir}/StnParserVisitor.cpp ${generated_dir}/StnParserVisitor.h
  ${generated_dir}/StnParserBaseVisitor.cpp ${generated_dir}/StnParserBaseVisitor.h)

add_custom_command(
  OUTPUT ${lexer_files} ${generated_dir}/StnLexer.tokens
  COMMAND ${ANTLR4} ${antlr_options} StnLexer.g4
  WORKING_DIRECTORY ${grammar_dir}
  DEPENDS ${grammar_dir}/StnLexer.g4
  COMMENT "Generating the lexer")
add_custom_command(
  OUTPUT ${parser_files}
  COMMAND ${ANTLR4} ${antlr_options} -lib ${generated_dir} StnParser.g4
  WORKING_DIRECTORY ${grammar_dir}
  DEPENDS ${grammar_dir}/StnParser.g4 ${generated_dir}/StnLexer.tokens
  COMMENT "Generating the parser")

add_library(oocc_grammar STATIC ${lexer_files} ${parser_files})
target_include_directories(oocc_grammar SYSTEM PUBLIC ${generated_dir} ${ANTLR4_INCLUDE_DIR})
# Not our code: its warnings are not ours, and it takes u8"..." for text, as C++ did before C++20.
target_compile_options(oocc_grammar PRIVATE -w -fno-char8_t)
target_link_libraries(oocc_grammar PUBLIC ${ANTLR4_RUNTIME})
