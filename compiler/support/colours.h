// Colours of a terminal (ANSI, "select graphic rendition"), or none.
#pragma once

#include <string>
#include <string_view>

namespace oocc {

class Colours {
  public:
    explicit Colours(bool on) : on_(on) {}

    bool on() const { return on_; }
    std::string bold(std::string_view text) const { return in("1", text); }
    std::string error(std::string_view text) const { return in("1;31", text); }
    std::string warning(std::string_view text) const { return in("1;35", text); }
    std::string note(std::string_view text) const { return in("1;36", text); }
    std::string good(std::string_view text) const { return in("1;32", text); }

  private:
    std::string in(const char *code, std::string_view text) const {
        if (!on_) return std::string(text);
        return "\033[" + std::string(code) + 'm' + std::string(text) + "\033[0m";
    }

    bool on_;
};

enum class ColourMode { Auto, Always, Never };

/// Whether to colour what goes to a file descriptor: as was asked for; else as NO_COLOR, CLICOLOR_FORCE and CLICOLOR say;
/// else when it is a terminal that is not dumb.
bool wantsColour(ColourMode mode, int fd);

} // namespace oocc
