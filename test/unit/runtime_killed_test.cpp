// What the kernel still does for a run that was killed.
#include "runtime_engine.h"

extern "C" {
#include "storage/member.h"
}

#include <csignal>
#include <sys/wait.h>

namespace {

constexpr int64_t kBytes = int64_t(48) << 20;

// Writes all of the file, and is killed while some of it is on the way.
void writeAndDie(int fd, char value, int microseconds) {
    const pid_t child = fork();
    if (child == 0) {
        struct engine *engine = nullptr;
        struct io_batch batch {};
        struct io_file file {};
        file.name = "gen0";
        file.fd = fd;
        file.bytes = kBytes;
        io_batch_init(&batch);
        Pages pages(kBytes);
        std::fill_n(pages.data, kBytes, value);
        if (engine_open("uring", 0, &engine) || engine->ops->attach(engine, &file) ||
            io_batch_add(&batch, &file, true, pages.data, kBytes, 0))
            _exit(1);
        io_batch_submit(engine, &batch);
        usleep(static_cast<useconds_t>(microseconds));
        raise(SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
}

int64_t blocksOf(int fd, char value, const Pages &pages) {
    EXPECT_EQ(pread(fd, pages.data, size_t(kBytes), 0), kBytes);
    int64_t blocks = 0;
    for (int64_t at = 0; at < kBytes; at += kBlock)
        blocks += pages.data[at] == value;
    return blocks;
}

TEST(Killed, WritesOnTheirWayAreOverWhenTheFilesAreOpenedAgain) {
    if (const char *why = engine_uring.probe(".")) GTEST_SKIP() << why;
    char name[] = "./oocc-killed-XXXXXX";
    const std::string directory = mkdtemp(name);
    const std::string path = directory + "/gen0";
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_DIRECT, 0600);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(posix_fallocate(fd, 0, kBytes), 0);
    const Pages pages(kBytes);
    int64_t onTheirWay = 0;
    for (int round = 1; round <= 12; round++) {
        writeAndDie(fd, char(round), 1000 + 500 * round);
        struct member member {};
        member.ops = &member_directory;
        member.path = const_cast<char *>(directory.c_str());
        member.fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY);
        member.file[0].bytes = kBytes;
        member.file[0].name = path.c_str();
        ASSERT_EQ(member_directory.reopen(&member), 0);
        const int64_t then = blocksOf(fd, char(round), pages);
        usleep(20000);
        EXPECT_EQ(blocksOf(fd, char(round), pages), then) << "round " << round;
        onTheirWay += then < kBytes / kBlock;
        close(member.file[0].fd);
        close(member.fd);
    }
    close(fd);
    std::filesystem::remove_all(directory);
    if (!onTheirWay) GTEST_SKIP() << "this disk had written everything before the process was killed";
}

} // namespace
