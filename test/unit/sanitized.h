// Whether this is built with AddressSanitizer or ThreadSanitizer, which take memory and time of their own, and allocate themselves.
#pragma once

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define OOCC_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define OOCC_SANITIZED 1
#endif
#endif
#ifndef OOCC_SANITIZED
#define OOCC_SANITIZED 0
#endif

constexpr bool kSanitized = OOCC_SANITIZED;
