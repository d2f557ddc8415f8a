// For bash 4.2 and newer; needs nothing of the package bash-completion.
#include "completion/shells.h"

#include <ostream>

namespace oocc::completion {

namespace {

constexpr const char *kHead = R"script(# bash completion of oocc and oocc run; made by 'oocc completion bash'.

)script";

// COMP_WORDS is cut at '=', which is a word by itself then.
constexpr const char *kTail = R"script(
_oocc_words() { # WORDS: those that begin as $cur does
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$1" -- "$cur")
}

_oocc_files() { # PATTERN of files to leave out, or nothing
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$cur"; compgen -f ${1:+-X "$1"} -- "$cur" |
        while IFS= read -r name; do [[ -d $name ]] || printf '%s\n' "$name"; done)
}

_oocc_parameters() { # FILE: the names that it declares, with what comes before them in this word
    [[ -n $1 ]] || return
    local before=
    [[ $cur == -D* ]] && before=-D
    compopt -o nospace 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -P "$before" -S = -W "$("${COMP_WORDS[0]}" completion --params "$1" 2>/dev/null)" -- "${cur#"$before"}")
}

_oocc_kind() { # KIND FILE
    case $1 in
        @files) _oocc_files ;;
        @programs) _oocc_files '!*.stn' ;;
        @folders) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
        @parameters) _oocc_parameters "$2" ;;
        @*) ;;
        *) _oocc_words "$1" ;;
    esac
}

_oocc() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=compile file= first=1 i
    COMPREPLY=()
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if ((COMP_CWORD > 1)) && [[ " $_oocc_commands " == *" ${COMP_WORDS[1]} "* ]]; then
        command=${COMP_WORDS[1]} first=2
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == *.stn ]] && file=${COMP_WORDS[i]}
        [[ ${COMP_WORDS[i]} == -- && $command == run ]] && command=program
    done
    local kind
    kind=$(_oocc_argument "$command" "$prev")
    if [[ -n $kind ]]; then
        _oocc_kind "$kind" "$file"
    elif [[ $cur == -D* && $cur != -D && -n $(_oocc_argument "$command" -D) ]]; then
        _oocc_parameters "$file"
    elif [[ $cur == -* ]]; then
        _oocc_words "$(_oocc_options "$command")"
    else
        ((COMP_CWORD == 1)) && _oocc_words "$_oocc_commands"
        _oocc_kind "$(_oocc_positional "$command")" "$file"
    fi
}

complete -F _oocc oocc
)script";

std::string spelled(const Word &word) {
    switch (kindOf(word)) {
    case Kind::Nothing:
        return "@nothing";
    case Kind::Files:
        return "@files";
    case Kind::Programs:
        return "@programs";
    case Kind::Folders:
        return "@folders";
    case Kind::Parameters:
        return "@parameters";
    case Kind::Values:
        break;
    }
    std::string list;
    for (const std::string &value : word.values)
        list += (list.empty() ? "" : " ") + value;
    return list;
}

} // namespace

void printBash(std::ostream &out, const std::vector<Words> &commands) {
    out << kHead << "_oocc_commands='";
    const char *between = "";
    for (const Words &words : commands)
        if (isCommand(words)) out << between << words.name, between = " ";
    out << "'\n\n_oocc_options() { # COMMAND\n    case $1 in\n";
    for (const Words &words : commands) {
        out << "        " << words.name << ") echo '";
        between = "";
        for (const Word &option : words.help.options)
            for (const std::string &name : option.names)
                out << between << name, between = " ";
        out << "' ;;\n";
    }
    out << "    esac\n}\n\n_oocc_argument() { # COMMAND OPTION: what it takes\n    case $1:$2 in\n";
    for (const Words &words : commands)
        for (const Word &option : words.help.options) {
            if (option.argument.empty()) continue;
            out << "        ";
            between = "";
            for (const std::string &name : option.names)
                out << between << words.name << ':' << name, between = " | ";
            out << ") echo '" << spelled(option) << "' ;;\n";
        }
    out << "    esac\n}\n\n_oocc_positional() { # COMMAND\n    case $1 in\n";
    for (const Words &words : commands)
        out << "        " << words.name << ") echo '"
            << (words.help.positionals.empty() ? "@nothing" : spelled(words.help.positionals.front()))
            << "' ;;\n";
    out << "    esac\n}\n" << kTail;
}

} // namespace oocc::completion
