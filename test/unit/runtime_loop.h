// A block device to test on: a file behind a loop device, which goes when the test is over.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace loop {

// What a command prints, its errors included, without the last line feed.
inline std::string output(const std::string &command, int *status = nullptr) {
    std::string text;
    FILE *pipe = popen((command + " 2>&1").c_str(), "r");
    for (int c; pipe && (c = std::fgetc(pipe)) != EOF;)
        text += char(c);
    const int ended = pipe ? pclose(pipe) : -1;
    if (status) *status = ended;
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

class Device {
  public:
    Device(const std::filesystem::path &file, int64_t bytes, const std::string &options = "") : file(file) {
        const int fd = open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 || ftruncate(fd, bytes)) why = "cannot make a file of " + std::to_string(bytes) + " bytes";
        if (fd >= 0) close(fd);
        if (!why.empty()) return;
        int status = 0;
        const std::string losetup = "PATH=$PATH:/usr/sbin:/sbin losetup ";
        path = output(losetup + "--find --show --direct-io=on " + options + " " + file.string(), &status);
        if (status || path.rfind("/dev/", 0)) {
            why = "no loop device can be had: " + path;
            path.clear();
        }
    }
    ~Device() {
        if (!path.empty()) output("PATH=$PATH:/usr/sbin:/sbin losetup --detach " + path);
        std::filesystem::remove(file);
    }
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;

    bool works() const { return why.empty(); }

    std::string path; // "/dev/loop0"
    std::string why;  // not

  private:
    std::filesystem::path file;
};

} // namespace loop
