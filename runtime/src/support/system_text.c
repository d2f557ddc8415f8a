#include "support/system_text.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int system_text(const char *path, char *text, size_t size) {
    size_t length = 0;
    ssize_t more = 1;
    *text = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno;
    while (length < size - 1 && (more > 0 || (more < 0 && errno == EINTR))) {
        more = read(fd, text + length, size - 1 - length);
        if (more > 0) length += (size_t)more;
    }
    const int error = more < 0 ? errno : 0;
    close(fd);
    text[error ? 0 : length] = 0;
    return error;
}
