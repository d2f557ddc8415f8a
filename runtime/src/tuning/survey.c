#include "tuning/survey.h"

#include "engines/engine.h"
#include "plan/plan_json.h"
#include "support/json.h"

#include <omp.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#ifndef OOCC_VERSION
#define OOCC_VERSION "unknown"
#endif

struct survey {
    struct json json;
    const char *place; /* whose answers are being written; NULL: none yet */
};

static void end_place(struct survey *survey) {
    if (!survey->place) return;
    json_close(&survey->json, ']');
    json_close(&survey->json, '}');
}

static void begin_place(struct survey *survey, const struct engine_answer *answer) {
    struct json *json = &survey->json;
    struct statvfs space;
    json_open(json, NULL, '{');
    json_string(json, "place", answer->place);
    json_string(json, "existing", answer->existing);
    json_bool(json, "device", answer->device);
    json_bool(json, "writable", !access(answer->existing, answer->device ? R_OK | W_OK : W_OK | X_OK));
    if (!answer->device && !statvfs(answer->existing, &space))
        json_int(json, "free_bytes", (int64_t)space.f_bavail * (int64_t)space.f_frsize);
    json_string(json, "direct_io_refusal", answer->direct_refusal);
    json_open(json, "engines", '[');
}

static void write_answer(void *to, const struct engine_answer *answer) {
    struct survey *survey = to;
    struct json *json = &survey->json;
    if (survey->place != answer->place) {
        end_place(survey);
        begin_place(survey, answer);
        survey->place = answer->place;
    }
    json_open(json, NULL, '{');
    json_string(json, "name", answer->engine);
    json_bool(json, "durable", answer->durable);
    json_string(json, "refusal", answer->refusal);
    json_close(json, '}');
}

int survey_print(FILE *out, const struct options *options, const struct machine *machine) {
    struct survey survey = {.place = NULL};
    struct json *json = &survey.json;
    json_begin(json, out);
    json_open(json, NULL, '{');
    json_string(json, "format", "oocc-machine");
    json_int(json, "version", 1);
    json_string(json, "runtime", OOCC_VERSION);
    json_int(json, "abi", OOCC_ABI);
    plan_json_machine(json, machine);
    json_open(json, "openmp", '{');
    json_int(json, "version", _OPENMP);
    json_int(json, "processors", omp_get_num_procs());
    int threads = 0;
    omp_set_num_threads(options->threads ? options->threads : machine->cores);
#pragma omp parallel reduction(+ : threads)
    threads++;
    json_int(json, "threads", threads);
    json_close(json, '}');
    json_open(json, "scratch", '[');
    const int status = engine_survey(options->scratch, write_answer, &survey);
    end_place(&survey);
    json_close(json, ']');
    json_close(json, '}');
    fputc('\n', out);
    return status;
}
