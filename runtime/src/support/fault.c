#include "support/fault.h"

#include "oocc/oocc.h"
#include "run/param.h"
#include "support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum unit { OPERATIONS, TRANSFERS, CALLS };
static const char *const unit_name[] = {"operations", "transfers", "calls"};

enum { READS = 1 << FAULT_READ, WRITES = 1 << FAULT_WRITE, SYNCS = 1 << FAULT_SYNC, METAS = 1 << FAULT_META };
enum { ALL = READS | WRITES | SYNCS | METAS };

static const struct described {
    const char *name;
    enum fault_kind kind;
    enum unit unit;
    int events; /* those that are counted */
} table[] = {
    {"eio", FAULT_EIO, OPERATIONS, ALL},
    {"eio-read", FAULT_EIO, OPERATIONS, READS},
    {"eio-write", FAULT_EIO, OPERATIONS, WRITES},
    {"eio-sync", FAULT_EIO, OPERATIONS, SYNCS},
    {"eio-meta", FAULT_EIO, OPERATIONS, METAS},
    {"enospc", FAULT_ENOSPC, OPERATIONS, WRITES | METAS},
    {"edquot", FAULT_EDQUOT, OPERATIONS, WRITES | METAS},
    {"flip", FAULT_FLIP, TRANSFERS, READS | WRITES},
    {"flip-read", FAULT_FLIP, TRANSFERS, READS},
    {"flip-write", FAULT_FLIP, TRANSFERS, WRITES},
    {"swap", FAULT_SWAP, TRANSFERS, WRITES},
    {"stale", FAULT_STALE, TRANSFERS, WRITES},
    {"misdirect", FAULT_MISDIRECT, TRANSFERS, WRITES},
    {"misread", FAULT_MISREAD, TRANSFERS, READS},
    {"short", FAULT_SHORT, CALLS, READS | WRITES},
    {"zero-read", FAULT_ZERO, CALLS, READS},
    {"zero-write", FAULT_ZERO, CALLS, WRITES},
    {"fail-read", FAULT_FAIL, CALLS, READS},
    {"fail-write", FAULT_FAIL, CALLS, WRITES},
    {"fail-sync", FAULT_FAIL, CALLS, SYNCS},
    {"eintr", FAULT_EINTR, CALLS, ALL},
    {"eagain", FAULT_EAGAIN, CALLS, READS | WRITES},
    {"partial", FAULT_PARTIAL, CALLS, ALL},
};
enum { KINDS = sizeof table / sizeof *table };

static struct {
    const char *spec;
    const struct described *what;
    int64_t at, every;
    uint64_t seed;
    pthread_mutex_t lock;
    int64_t counted, happened;
} fault = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* -- the specification --------------------------------------------------------------------------------------- */

static int refuse(const char *spec, const char *why) {
    char all[512] = "KIND is one of";
    for (int i = 0; i < KINDS; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s %s", i ? "," : "", table[i].name);
    return run_fail(OOCC_USAGE, all, "--fault: '%s' is not KIND@K or KIND:every=N,seed=S: %s", spec, why);
}

static bool take_key(const char **at, const char *key, int64_t least, int64_t *value) {
    char word[32];
    const size_t length = strlen(key), digits = strcspn(*at + length, ",");
    if (strncmp(*at, key, length) || digits >= sizeof word) return false;
    snprintf(word, sizeof word, "%.*s", (int)digits, *at + length);
    if (!param_parse_int(word, value) || *value < least) return false;
    *at += length + digits;
    *at += **at == ',';
    return true;
}

int fault_set(const char *spec) {
    const size_t name = strcspn(spec, "@:");
    fault.spec = spec;
    fault.what = NULL;
    fault.at = fault.every = fault.counted = fault.happened = 0;
    for (int i = 0; i < KINDS; i++)
        if (strlen(table[i].name) == name && !strncmp(spec, table[i].name, name)) fault.what = &table[i];
    if (!fault.what) return refuse(spec, "there is no such kind");
    const char *at = spec + name;
    int64_t seed = 1;
    if (*at == '@') {
        char word[32];
        const size_t digits = strcspn(++at, ":");
        snprintf(word, sizeof word, "%.*s", (int)(digits < sizeof word ? digits : sizeof word - 1), at);
        if (!param_parse_int(word, &fault.at) || fault.at < 1) return refuse(spec, "K counts from 1");
        at += digits;
    }
    at += *at == ':';
    while (*at)
        if (!take_key(&at, "every=", 1, &fault.every) && !take_key(&at, "seed=", 0, &seed))
            return refuse(spec, "there are every=N and seed=S");
    if (!fault.at == !fault.every) return refuse(spec, "it takes either @K or every=N");
    fault.seed = (uint64_t)seed;
    return OOCC_OK;
}

bool fault_of_engine(void) {
    return fault.what && fault.what->unit != CALLS;
}

void fault_report(void) {
    if (fault.what)
        run_note("--fault %s: happened %lld times in %lld %s", fault.spec, (long long)fault.happened,
                 (long long)fault.counted, unit_name[fault.what->unit]);
}

/* -- when ---------------------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Counts one more and says whether it is the one. */
static bool hits(uint64_t *draw) {
    pthread_mutex_lock(&fault.lock);
    const int64_t number = ++fault.counted;
    const bool lasts = fault.what->kind == FAULT_ENOSPC || fault.what->kind == FAULT_EDQUOT;
    *draw = mix(mix(fault.seed) ^ (uint64_t)number);
    const bool hit = fault.every ? *draw % (uint64_t)fault.every == 0
                     : lasts     ? number >= fault.at
                                 : number == fault.at;
    fault.happened += hit;
    pthread_mutex_unlock(&fault.lock);
    *draw = mix(*draw);
    return hit;
}

static bool counts(enum unit unit, enum fault_event event) {
    return fault.what && fault.what->unit == unit && (fault.what->events & 1 << event);
}

static int error_of(enum fault_kind kind) {
    return kind == FAULT_ENOSPC ? ENOSPC : kind == FAULT_EDQUOT ? EDQUOT : EIO;
}

int fault_of_operation(enum fault_event event) {
    uint64_t draw;
    return counts(OPERATIONS, event) && hits(&draw) ? error_of(fault.what->kind) : 0;
}

struct fault_verdict fault_of_transfer(bool write, bool known) {
    const enum fault_event event = write ? FAULT_WRITE : FAULT_READ;
    struct fault_verdict verdict = {.error = fault_of_operation(event)};
    if (verdict.error) verdict.kind = FAULT_EIO;
    if (!counts(TRANSFERS, event)) return verdict;
    const enum fault_kind kind = fault.what->kind;
    if (!known && (kind == FAULT_SWAP || kind == FAULT_MISDIRECT || kind == FAULT_MISREAD)) return verdict;
    if (hits(&verdict.draw)) verdict.kind = kind;
    return verdict;
}

/* -- calls ----------------------------------------------------------------------------------------------------------- */

static enum fault_event event_of(const struct call *call) {
    switch (call->kind) {
    case CALL_READ:
        return FAULT_READ;
    case CALL_WRITE:
        return FAULT_WRITE;
    case CALL_SYNC:
        return FAULT_SYNC;
    case CALL_OPEN:
    case CALL_RENAME:
    case CALL_UNLINK:
    case CALL_MAKE_DIRECTORY:
    case CALL_REMOVE_DIRECTORY:
    case CALL_ALLOCATE:
    case CALL_TRUNCATE:
    case CALL_SUBMIT:
    case CALL_COLLECT:
        break;
    }
    return FAULT_META;
}

static bool is_transfer(const struct call *call) {
    return (call->kind == CALL_READ || call->kind == CALL_WRITE) && !call->mapped;
}

/* Whether a full disk stands in the way: what makes nothing new goes on. */
static bool takes_space(const struct call *call) {
    return call->kind == CALL_WRITE || call->kind == CALL_ALLOCATE || call->kind == CALL_MAKE_DIRECTORY ||
           (call->kind == CALL_OPEN && (call->flags & O_CREAT));
}

/* An error of one operation. What engines do with the store's records was counted when they were asked for it. */
static int operation(const struct call *call) {
    if ((call->of_engine && !call->apart) || call->kind == CALL_SUBMIT || call->kind == CALL_COLLECT) return 0;
    if (!fault.what ||
        ((fault.what->kind == FAULT_ENOSPC || fault.what->kind == FAULT_EDQUOT) && !takes_space(call)))
        return 0;
    return fault_of_operation(event_of(call));
}

/* Whether such a call can end so at all. */
static bool can(const struct call *call) {
    const bool transfer = is_transfer(call), asked = call->kind == CALL_SUBMIT;
    switch (fault.what->kind) {
    case FAULT_SHORT:
        return transfer && call->bytes > 1;
    case FAULT_ZERO:
        return transfer;
    case FAULT_FAIL:
        return call->of_engine;
    case FAULT_EINTR:
        return transfer || asked || call->kind == CALL_COLLECT || call->kind == CALL_OPEN ||
               call->kind == CALL_ALLOCATE;
    case FAULT_EAGAIN:
        return (transfer && call->of_engine) || asked;
    case FAULT_PARTIAL:
        return asked;
    default:
        return false;
    }
}

/* So few bytes that they are less than all. Direct I/O moves whole blocks, so more may really be moved. */
static void shorten(struct call *call, uint64_t draw) {
    enum { BLOCK = 4096 };
    const int64_t bytes = call->bytes, choice[] = {1, 512, bytes - 512, bytes - 1, bytes / 2};
    const int64_t told = choice[draw % 5];
    call->told = told > 0 && told < bytes ? told : 1;
    call->bytes = oocc_min(bytes, (call->told + BLOCK - 1) / BLOCK * BLOCK);
}

static bool begin(struct call *call) {
    const int error = operation(call);
    uint64_t draw;
    call->result = -error;
    if (error) return false;
    if (!fault.what || fault.what->unit != CALLS || !can(call)) return true;
    if (call->kind != CALL_SUBMIT && call->kind != CALL_COLLECT && !counts(CALLS, event_of(call)))
        return true;
    if (!hits(&draw)) return true;
    switch (fault.what->kind) {
    case FAULT_SHORT:
        shorten(call, draw);
        return true;
    case FAULT_FAIL:
        call->result = -EIO;
        return false;
    case FAULT_EINTR:
        call->result = -EINTR;
        return false;
    case FAULT_EAGAIN:
        call->result = -EAGAIN;
        return false;
    default:
        call->result = 0;
        return false;
    }
}

/* What was read beyond what is told was never there. */
static void scribble(const struct call *call, int64_t from, int64_t to) {
    int64_t at = 0;
    for (int i = 0; i < call->vectors; i++) {
        const int64_t bytes = (int64_t)call->vector[i].iov_len;
        const int64_t lo = oocc_max(from, at), hi = oocc_min(to, at + bytes);
        if (lo < hi) memset((char *)call->vector[i].iov_base + (lo - at), 0xa5, (size_t)(hi - lo));
        at += bytes;
    }
}

static int64_t end(struct call *call, int64_t result) {
    if (call->told < 0 || result <= call->told) return result;
    if (call->kind == CALL_READ) scribble(call, call->told, result);
    return call->told;
}

const struct calls_watcher fault_watcher = {.begin = begin, .end = end};
