// Other programs: started without a shell, in directories of our own.
#pragma once

#include <string>
#include <vector>

namespace oocc {

/// A directory of our own, removed with everything in it.
class TemporaryDir {
  public:
    TemporaryDir();
    ~TemporaryDir();
    TemporaryDir(const TemporaryDir &) = delete;
    TemporaryDir &operator=(const TemporaryDir &) = delete;
    /// Empty: it could not be made, and errno says why.
    const std::string &path() const { return path_; }

  private:
    std::string path_;
};

enum { kNotStarted = 127 };

/// Runs a command; kNotStarted when it cannot be started, 128 + signal when it was killed. Where `output` is given, it receives
/// what the command says on stdout and stderr.
int execute(const std::vector<std::string> &command, std::string *output = nullptr);

/// The same of a program that handles interrupts itself: they are passed on to it, and we wait for it.
int executeRelaying(const std::vector<std::string> &command);

/// What to say, and what to do, where a program is not beside oocc.
struct Absence {
    std::string what, help;
};

/// Becomes the program that the first word names. Returns only when that fails, with the exit status after the error was printed.
int become(const std::vector<std::string> &command, const Absence &absence);

/// Becomes the program `name` that lies beside oocc, with the words from argv[1] on; as become() otherwise.
int becomeBeside(const std::string &name, int argc, const char *const *argv,
                 const Absence &absence = {"a part of oocc is missing", "it is installed beside oocc; install oocc again"});

/// The path of this very executable; empty when /proc does not tell.
std::string ownPath();

} // namespace oocc
