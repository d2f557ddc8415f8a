/* Prints a header of what a generated program says on --help: a program that the runtime knows nothing else of. */
#include "oocc/oocc.h"

#include <stdio.h>

int main(void) {
    static const struct oocc_program program = {.abi = OOCC_ABI, .name = "PROGRAM", .source = "PROGRAM.stn"};
    char name[] = "PROGRAM", help[] = "--help";
    char *words[] = {name, help, NULL};
    puts("#pragma once\n\nnamespace oocc {\nconstexpr const char *kProgramHelp = R\"help(");
    const int status = oocc_main(&program, 2, words);
    puts(")help\";\n} // namespace oocc");
    return status;
}
