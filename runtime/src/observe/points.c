/*
 * points.c: places on the grid, from a text file or from the program, and the cells they stand for.
 *
 * The file has one point per line: ndim numbers in the grid's order, separated by commas or blanks. '#' begins a comment;
 * a first line of names is passed over, but names of the grid's dimensions must be in the grid's order.
 */
#include "observe/lines.h"
#include "observe/observe.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TOKENS = OOCC_MAX_DIMS + 1 };
static const char blanks[] = " \t\r\n\v\f";

struct places {
    double (*at)[OOCC_MAX_DIMS];
    int64_t count, capacity;
};

struct reader {
    const struct oocc_program *program;
    const struct oocc_grid *grid;
    const char *path;
    int64_t line;
    bool begun; /* a line that is not empty was there */
    struct places places;
};

/* -- places ------------------------------------------------------------------------------------------------ */

static bool add_place(struct places *places, const double at[], int ndim) {
    if (places->count == places->capacity) {
        const int64_t capacity = oocc_max(64, 2 * places->capacity);
        void *grown = realloc(places->at, (size_t)capacity * sizeof *places->at);
        if (grown == NULL) return false;
        places->at = grown;
        places->capacity = capacity;
    }
    memcpy(places->at[places->count++], at, (size_t)ndim * sizeof *at);
    return true;
}

/* The first dimension along which a place is not on the grid, or -1. A nan is on no grid. */
static int outside(const struct oocc_grid *grid, const double at[]) {
    for (int d = 0; d < grid->ndim; d++)
        if (!(at[d] >= 0 && at[d] <= (double)(grid->extent[d] - 1))) return d;
    return -1;
}

/* "z, y, x" */
static const char *dim_names(const struct oocc_program *program, char buffer[256]) {
    size_t length = 0;
    buffer[0] = '\0';
    for (int d = 0; d < program->ndim && length < 256; d++)
        length += (size_t)snprintf(buffer + length, 256 - length, "%s%s", d > 0 ? ", " : "", program->dim[d]);
    return buffer;
}

/* -- the file ------------------------------------------------------------------------------------------------ */

/* Cuts a line into words, the number of which is returned; between two commas stands one, empty or not. */
static int split(char *text, char *word[MOST_TOKENS]) {
    int words = 0;
    text[strcspn(text, "#")] = '\0';
    for (text += strspn(text, blanks); *text != '\0' && words < MOST_TOKENS; text += strspn(text, blanks)) {
        char *end = text + strcspn(text, " \t\r\n\v\f,");
        char *next = end + strspn(end, blanks);
        if (*next == ',') next++;
        word[words++] = text;
        *end = '\0';
        text = next;
    }
    return words;
}

static bool number(const char *word, double *value) {
    char *end;
    *value = strtod(word, &end);
    return end != word && *end == '\0';
}

/* A line of names: none of its words is a number. */
static int pass_header(const struct reader *r, char *word[], int words) {
    char names[256];
    for (int w = 0; w < words; w++)
        for (int d = 0; d < r->grid->ndim; d++)
            if (strcmp(word[w], r->program->dim[d]) == 0 && w != d)
                return run_fail(OOCC_BAD_INPUT, "put the columns in the grid's order",
                                "%s:%" PRId64 ": column %d is %s; the columns are %s", r->path, r->line,
                                w + 1, word[w], dim_names(r->program, names));
    return OOCC_OK;
}

static int read_line(struct reader *r, char *text) {
    char *word[MOST_TOKENS], names[256];
    double at[OOCC_MAX_DIMS] = {0}, value;
    const int words = split(text, word), ndim = r->grid->ndim;
    if (words == 0) return OOCC_OK;
    const bool first = !r->begun;
    r->begun = true;
    int numbers = 0;
    for (int w = 0; w < words; w++)
        numbers += number(word[w], &value);
    if (first && numbers == 0) return pass_header(r, word, words);
    if (words != ndim)
        return run_fail(OOCC_BAD_INPUT, "one point per line, in the grid's order",
                        "%s:%" PRId64 ": %s%d value%s, expected %d (%s)", r->path, r->line,
                        words > ndim ? "more than " : "", words > ndim ? ndim : words,
                        (words > ndim ? ndim : words) == 1 ? "" : "s", ndim, dim_names(r->program, names));
    for (int d = 0; d < ndim; d++)
        if (!number(word[d], &at[d]))
            return run_fail(OOCC_BAD_INPUT, "numbers with a decimal point, separated by commas or blanks",
                            "%s:%" PRId64 ": '%s' is not a number", r->path, r->line, word[d]);
    const int d = outside(r->grid, at);
    if (d >= 0)
        return run_fail(OOCC_BAD_INPUT, "places are counted in cells, the first one is 0",
                        "%s:%" PRId64 ": %s is %s, but the grid goes from 0 to %" PRId64, r->path, r->line,
                        r->program->dim[d], word[d], r->grid->extent[d] - 1);
    return add_place(&r->places, at, ndim) ? OOCC_OK
                                           : run_fail(OOCC_NO_MEMORY, NULL, "no memory for the points");
}

static int read_file(struct reader *r) {
    struct lines lines;
    char *text;
    size_t length;
    int status = lines_open(&lines, r->path);
    if (status != OOCC_OK) return status;
    while ((status = lines_next(&lines, &text, &length)) == OOCC_OK && text != NULL) {
        r->line++;
        const bool marked = r->line == 1 && strncmp(text, "\xef\xbb\xbf", 3) == 0; /* as some editors do */
        if (strlen(text) != length)
            status = run_fail(OOCC_BAD_INPUT, "points are text", "%s:%" PRId64 ": not a line of text",
                              r->path, r->line);
        else
            status = read_line(r, marked ? text + 3 : text);
        if (status != OOCC_OK) break;
    }
    if (status == OOCC_OK && r->places.count == 0)
        status = run_fail(OOCC_BAD_INPUT, "one point per line", "%s holds no points", r->path);
    lines_close(&lines);
    return status;
}

static int take_place(struct reader *r, const double at[]) {
    const int d = outside(r->grid, at);
    if (d >= 0)
        return run_fail(OOCC_BAD_INPUT, "places are counted in cells, the first one is 0",
                        "%s: a point's %s is %.17g, but the grid goes from 0 to %" PRId64, r->program->source,
                        r->program->dim[d], at[d], r->grid->extent[d] - 1);
    return add_place(&r->places, at, r->grid->ndim)
               ? OOCC_OK
               : run_fail(OOCC_NO_MEMORY, NULL, "no memory for the points");
}

/* -- cells --------------------------------------------------------------------------------------------------- */

static struct oocc_point_cell cell_of(const struct oocc_grid *grid, const int64_t index[]) {
    if (grid->ndim == 1)
        return (struct oocc_point_cell){.plane = index[0] / grid->cells, .cell = index[0] % grid->cells};
    int64_t row = 0;
    for (int d = 1; d + 1 < grid->ndim; d++)
        row = row * grid->extent[d] + index[d];
    return (struct oocc_point_cell){.plane = index[0], .row = row, .cell = index[grid->ndim - 1]};
}

/* The corners of the cell around a place that weigh something; the slowest dimension's lower index comes first. */
static int expand(const struct oocc_grid *grid, const double at[], struct oocc_point_cell cell[]) {
    const int ndim = grid->ndim;
    int cells = 0;
    for (int corner = 0; corner < 1 << ndim; corner++) {
        int64_t index[OOCC_MAX_DIMS];
        double weight = 1;
        for (int d = 0; d < ndim; d++) {
            const double below = floor(at[d]), fraction = at[d] - below;
            const int upper = corner >> (ndim - 1 - d) & 1;
            index[d] = (int64_t)below + upper;
            weight *= upper ? fraction : 1 - fraction;
        }
        if (weight == 0) continue;
        cell[cells] = cell_of(grid, index);
        cell[cells++].weight = weight;
    }
    return cells;
}

static int compare(const void *a, const void *b) {
    const struct oocc_point_cell *l = a, *r = b;
    const int64_t left[] = {l->plane, l->row, l->cell, l->point},
                  right[] = {r->plane, r->row, r->cell, r->point};
    for (int i = 0; i < 4; i++)
        if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
    return 0;
}

static int make_cells(const struct oocc_grid *grid, const struct places *places, struct oocc_points *set) {
    struct oocc_point_cell corner[1 << OOCC_MAX_DIMS];
    int64_t cells = 0, slot = 0;
    for (int64_t i = 0; i < places->count; i++)
        cells += expand(grid, places->at[i], corner);
    struct oocc_point_cell *cell = calloc((size_t)cells, sizeof *cell);
    int64_t *first = calloc((size_t)grid->planes + 1, sizeof *first);
    set->cell = cell;
    set->first = first;
    set->points = places->count;
    set->cells = cells;
    if (cell == NULL || first == NULL) return run_fail(OOCC_NO_MEMORY, NULL, "no memory for the points");
    for (int64_t i = 0; i < places->count; i++) {
        const int corners = expand(grid, places->at[i], corner);
        for (int c = 0; c < corners; c++, slot++) {
            cell[slot] = corner[c];
            cell[slot].point = i;
            cell[slot].slot = slot;
        }
    }
    qsort(cell, (size_t)cells, sizeof *cell, compare);
    for (int64_t i = 0; i < cells; i++)
        first[cell[i].plane + 1]++;
    for (int64_t z = 0; z < grid->planes; z++)
        first[z + 1] += first[z];
    return OOCC_OK;
}

int points_read(const struct oocc_program *program, const struct oocc_grid *grid, struct oocc_points *set) {
    struct reader r = {.program = program, .grid = grid, .path = set->path};
    int status = set->path != NULL ? read_file(&r) : take_place(&r, set->at);
    if (status == OOCC_OK) status = make_cells(grid, &r.places, set);
    free(r.places.at);
    return status;
}

void points_free(struct oocc_points *set) {
    free((void *)(uintptr_t)set->cell);
    free((void *)(uintptr_t)set->first);
    set->cell = NULL;
    set->first = NULL;
}
