// The words of emitted C, read from vocabulary.txt: lists under headings. A user's name is in none of them: it follows a prefix.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace llvm {
class Regex;
}

namespace audit {

class Vocabulary {
  public:
    /// Throws std::runtime_error when the file cannot be read, or lacks a heading that the rules ask for.
    explicit Vocabulary(const std::string &path);
    ~Vocabulary();

    bool has(const std::string &heading, std::string_view word) const;
    /// How a user's name may be introduced, as an extended regular expression for the prefix alone.
    const std::string &prefixes() const { return prefixes_; }
    /// An identifier that the emitter knows by itself, or one that carries a user's name.
    bool mayName(std::string_view identifier) const;
    /// A pragma without `#pragma`.
    bool mayPragma(std::string_view text) const;

  private:
    std::map<std::string, std::set<std::string, std::less<>>> lists_;
    std::string prefixes_;
    std::unique_ptr<llvm::Regex> named_, pragma_;
};

} // namespace audit
