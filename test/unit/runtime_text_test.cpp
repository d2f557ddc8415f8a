/// A text made in memory is whole, or there is none, whichever request for memory is refused.
#include "sanitized.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <string>

extern "C" {
#include "support/text.h"
}

namespace {

enum { PIECES = 10000 };
int requests = 0, refusedAt = 0; ///< 0: none is refused

/// All its pieces, or nothing: "" and false.
bool make(std::string &made, int pieces, int &asked, size_t likely = TEXT_LIKELY) {
    struct text text;
    requests = 0;
    FILE *out = text_begin(&text, likely);
    char *whole = nullptr;
    if (out != nullptr) {
        for (int i = 0; i < pieces; i++)
            fprintf(out, "line %d of many, each of them longer than the one before %*d\n", i, i % 200, i);
        whole = text_end(&text);
    }
    asked = requests;
    refusedAt = 0;
    made = whole != nullptr ? std::string(whole) : "";
    if (whole != nullptr) {
        EXPECT_EQ(text.length, made.size());
    }
    free(whole);
    return whole != nullptr;
}

TEST(Text, IsWhatWasWritten) {
    std::string none, many;
    int asked;
    EXPECT_TRUE(make(none, 0, asked));
    EXPECT_EQ(none, "");
    EXPECT_TRUE(make(many, 1000, asked));
    EXPECT_GT(many.size(), 100000u);
    EXPECT_EQ(many.rfind("line 0 of many", 0), 0u);
    EXPECT_NE(many.find("line 999 of many"), std::string::npos);
}

TEST(Text, AsksAtOnceForWhatIsLikely) {
    if (kSanitized) GTEST_SKIP() << "a sanitizer has an allocator of its own";
    std::string whole, again;
    int atOnce, growing;
    EXPECT_TRUE(make(whole, PIECES, growing));
    EXPECT_TRUE(make(again, PIECES, atOnce, whole.size() + 1));
    EXPECT_EQ(again, whole);
    EXPECT_LT(atOnce, growing);
    EXPECT_LE(atOnce, 3) << "the stream, its buffer, the text";
}

TEST(Text, IsAllThereOrNotAtAll) {
    if (kSanitized) GTEST_SKIP() << "a sanitizer has an allocator of its own";
    std::string whole;
    int asked, refused = 0;
    ASSERT_TRUE(make(whole, PIECES, asked));
    ASSERT_GT(asked, 4) << "nothing is refused";
    for (int at = 1, wanted = asked; at <= wanted; at++) {
        std::string made;
        refusedAt = at;
        if (make(made, PIECES, asked)) {
            EXPECT_EQ(made, whole) << "request " << at;
        } else {
            refused++;
        }
    }
    EXPECT_GT(refused, 4);
}

} // namespace

#if !OOCC_SANITIZED
namespace {
bool isRefused() {
    return ++requests == refusedAt;
}
} // namespace

extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_realloc(void *old, size_t bytes);

void *malloc(size_t bytes) {
    return isRefused() ? (errno = ENOMEM, nullptr) : __libc_malloc(bytes);
}

void *realloc(void *old, size_t bytes) {
    return isRefused() ? (errno = ENOMEM, nullptr) : __libc_realloc(old, bytes);
}
}
#endif
