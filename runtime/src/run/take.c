#include "run/take.h"

#include "engines/engine.h"
#include "run/param.h"
#include "storage/member.h"
#include "support/error.h"
#include "support/fault.h"
#include "support/point.h"
#include "support/suggest.h"
#include "support/units.h"

#include <stdio.h>
#include <string.h>

static void *place_of(const struct described *option, const struct line *line) {
    return (char *)line->options + option->at;
}

/* Index of text in names, or -1 after the error has been printed. */
static int choose(const char *option, const char *text, const char *const names[]) {
    struct suggestion s = {.wanted = text};
    char all[96] = "one of", help[96];
    for (int i = 0; names[i] != NULL; i++) {
        if (strcmp(text, names[i]) == 0) return i;
        suggest_consider(&s, names[i]);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s %s", i > 0 ? "," : "", names[i]);
    }
    run_fail(OOCC_USAGE, suggest_text(&s, "", all, help), "--%s: there is no '%s'", option, text);
    return -1;
}

static int want_count(const char *option, const char *text, int64_t least, int64_t most, int64_t *value) {
    if (param_parse_int(text, value) && *value >= least && *value <= most) return OOCC_OK;
    if (most == INT64_MAX)
        return run_fail(OOCC_USAGE, NULL, "--%s: '%s' is not a whole number of at least %lld", option, text,
                        (long long)least);
    return run_fail(OOCC_USAGE, NULL, "--%s: '%s' is not a whole number from %lld to %lld", option, text,
                    (long long)least, (long long)most);
}

int take_switch(const struct described *option, const char *value, const struct line *line) {
    (void)value;
    *(bool *)place_of(option, line) = true;
    return OOCC_OK;
}

int take_either(const struct described *option, const char *value, const struct line *line) {
    const int index = choose(option->name, value, option->choice);
    if (index < 0) return OOCC_USAGE;
    *(bool *)place_of(option, line) = index > 0;
    return OOCC_OK;
}

int take_choice(const struct described *option, const char *value, const struct line *line) {
    const int index = choose(option->name, value, option->choice);
    if (index < 0) return OOCC_USAGE;
    _Static_assert(sizeof(enum schedule) == sizeof index, "enums are as wide as int");
    memcpy(place_of(option, line), &index, sizeof index);
    return OOCC_OK;
}

int take_count(const struct described *option, const char *value, const struct line *line) {
    return want_count(option->name, value, 1, INT64_MAX, place_of(option, line));
}

int take_path(const struct described *option, const char *value, const struct line *line) {
    if (*value == '\0') return run_fail(OOCC_USAGE, NULL, "--%s: the path is empty", option->name);
    *(const char **)place_of(option, line) = value;
    return OOCC_OK;
}

int take_steps(const struct described *option, const char *value, const struct line *line) {
    return want_count(option->name, value, 0, INT64_MAX, &line->options->steps);
}

int take_threads(const struct described *option, const char *value, const struct line *line) {
    int64_t count = 0;
    const int status = want_count(option->name, value, 1, 4096, &count);
    line->options->threads = (int)count;
    return status;
}

int take_depth(const struct described *option, const char *value, const struct line *line) {
    int64_t count = 0;
    const int status = want_count(option->name, value, 1, IO_DEPTH_MOST, &count);
    line->options->io_depth = (int)count;
    return status;
}

int take_memory(const struct described *option, const char *value, const struct line *line) {
    if (parse_bytes(value, &line->options->memory_bytes) && line->options->memory_bytes > 0) return OOCC_OK;
    return run_fail(OOCC_USAGE, "write for example 512M, 4G or 1.5G", "--%s: '%s' is not a size", option->name, value);
}

/* Direct I/O moves whole blocks; what is more than a GiB the kernel cuts to pieces anyway. */
int take_request(const struct described *option, const char *value, const struct line *line) {
    int64_t *bytes = &line->options->io_request_bytes;
    if (parse_bytes(value, bytes) && *bytes >= 4096 && *bytes <= (int64_t)1 << 30 && *bytes % 4096 == 0)
        return OOCC_OK;
    return run_fail(OOCC_USAGE, "write for example 256K, 4M or 16M",
                    "--%s: '%s' is not a multiple of 4096 bytes from 4K to 1G", option->name, value);
}

int take_scratch(const struct described *option, const char *value, const struct line *line) {
    (void)option;
    struct member member[MEMBERS_MOST];
    int members = 0;
    const int status = members_split(value, member, &members);
    members_forget(member, members);
    line->options->scratch = value;
    return status;
}

int take_engine(const struct described *option, const char *value, const struct line *line) {
    const int index = choose(option->name, value, option->choice);
    if (index < 0) return OOCC_USAGE;
    line->options->engine = option->choice[index];
    return OOCC_OK;
}

int take_adapt(const struct described *option, const char *value, const struct line *line) {
    static const char random[] = "random:";
    struct options *options = line->options;
    int64_t seed;
    options->adapt = strcmp(value, "off") == 0 ? ADAPT_OFF : ADAPT_ON;
    if (strcmp(value, "on") == 0 || strcmp(value, "off") == 0) return OOCC_OK;
    if (strncmp(value, random, sizeof random - 1) != 0 || !param_parse_int(value + sizeof random - 1, &seed) || seed < 0)
        return run_fail(OOCC_USAGE, "one of on, off, random:SEED (a whole number)", "--%s: there is no '%s'", option->name, value);
    options->adapt = ADAPT_RANDOM;
    options->adapt_seed = (uint64_t)seed;
    return OOCC_OK;
}

int take_tune_seconds(const struct described *option, const char *value, const struct line *line) {
    double *seconds = &line->options->tune_seconds;
    if (param_parse_real(value, false, seconds) && *seconds > 0) return OOCC_OK;
    return run_fail(OOCC_USAGE, NULL, "--%s: '%s' is not a positive number of seconds", option->name, value);
}

int take_commit_every(const struct described *option, const char *value, const struct line *line) {
    double *seconds = &line->options->commit_every;
    if (param_parse_real(value, false, seconds) && *seconds >= 0) return OOCC_OK;
    return run_fail(OOCC_USAGE, NULL, "--%s: '%s' is not a number of seconds", option->name, value);
}

int take_fault(const struct described *option, const char *value, const struct line *line) {
    (void)option;
    line->options->fault = value;
    return fault_set(value);
}

int take_kill_at(const struct described *option, const char *value, const struct line *line) {
    (void)option, (void)line;
    return point_arm(value);
}
