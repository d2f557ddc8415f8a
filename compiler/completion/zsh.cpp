// For zsh: one function of _arguments for every command.
#include "completion/shells.h"

#include <ostream>

namespace oocc::completion {

namespace {

constexpr const char *kTail = R"script(
_oocc_parameters() {
    local -a names
    [[ -n $_oocc_file ]] && names=(${(f)"$(oocc completion --params $_oocc_file 2>/dev/null)"})
    compadd -S = -a names
}

_oocc() {
    local _oocc_file=${words[(r)*.stn]} command=compile
    if (( CURRENT > 2 )) && [[ -n ${_oocc_commands[(r)$words[2]:*]} ]]; then
        command=$words[2]
        integer drop=1 dashes=${words[(i)--]}
        if [[ $command == run ]] && (( dashes < CURRENT )); then
            command=program drop=dashes-1
        fi
        shift drop words
        (( CURRENT -= drop ))
    elif (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
        _describe -t commands command _oocc_commands
    fi
    _oocc_$command
}

# From fpath this file is the body of the function's first call; sourced, it only defines it.
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _oocc "$@"
else
    compdef _oocc oocc
fi
)script";

/// Inside single quotes, and inside the part of a specification in which brackets and colons mean something.
std::string quoted(const std::string &text, bool specification) {
    std::string out;
    for (const char c : text) {
        if (c == '\'')
            out += "'\\''";
        else if (specification && (c == '[' || c == ']' || c == ':' || c == '\\'))
            out += std::string("\\") + c;
        else
            out += c;
    }
    return out;
}

std::string action(const Word &word) {
    switch (kindOf(word)) {
    case Kind::Nothing:
        return " ";
    case Kind::Files:
        return "_files";
    case Kind::Programs:
        return "_files -g \"*.stn\"";
    case Kind::Folders:
        return "_directories";
    case Kind::Parameters:
        return "_oocc_parameters";
    case Kind::Values:
        break;
    }
    std::string list;
    for (const std::string &value : word.values)
        list += (list.empty() ? "" : " ") + value;
    return '(' + list + ')';
}

void printOption(std::ostream &out, const Word &option) {
    const std::string text = quoted(option.text, true);
    const std::string argument =
        option.argument.empty() ? "" : ':' + quoted(option.argument, true) + ':' + action(option);
    const bool repeats = kindOf(option) == Kind::Parameters;
    for (const std::string &name : option.names) {
        std::string others; // that it excludes
        for (const std::string &other : option.names)
            others += (others.empty() ? "" : " ") + other;
        const char *takes = argument.empty() ? "" : name.starts_with("--") ? "=" : "+";
        out << " \\\n        '" << (repeats ? "*" : '(' + others + ')') << name << takes << '[' << text << ']'
            << argument << '\'';
    }
}

} // namespace

void printZsh(std::ostream &out, const std::vector<Words> &commands) {
    out << "#compdef oocc\n# zsh completion of oocc and oocc run; made by 'oocc completion zsh'.\n\ntypeset -ga "
           "_oocc_commands=(\n";
    for (const Words &words : commands)
        if (isCommand(words)) out << "    '" << words.name << ':' << quoted(words.summary, false) << "'\n";
    out << ")\n";
    for (const Words &words : commands) {
        out << "\n_oocc_" << words.name << "() {\n    _arguments -s";
        for (const Word &option : words.help.options)
            printOption(out, option);
        for (const Word &positional : words.help.positionals)
            out << " \\\n        '*:" << quoted(positional.names.front(), true) << ':' << action(positional)
                << '\'';
        out << "\n}\n";
    }
    out << kTail;
}

} // namespace oocc::completion
