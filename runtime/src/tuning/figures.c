#include "tuning/figures.h"

#include <math.h>
#include <string.h>
#include <time.h>

const struct figures figures_nominal = {
    .machine = {.memory_bandwidth = 40e9,
                .core_bandwidth = 15e9,
                .shared_cache = 60e9,
                .own_cache = 80e9,
                .core = {.flops = 20e9, .cells = 2.0e9},
                .row_start_seconds = 15e-9,
                .barrier_seconds = 5e-6},
    /* Reads and writes take turns: two of 2 GB/s are 2 GB/s together. */
    .device = {.read = 2.0e9,
               .write = 2.0e9,
               .both = 2.0e9,
               .beside = 2.0e9,
               .cores_share = 1,
               .slab_seconds = 100e-6,
               .sync_seconds = 5e-3,
               .sync_seconds_per_byte = 0.1e-9},
};

const char *figures_basis(const struct figures *figures, bool in_place) {
    const int of = in_place ? 2 : 3;
    const int measured = figures_measured(figures->machine.date) + figures_measured(figures->kernel.date) +
                         (!in_place && figures_measured(figures->device.date));
    return measured == 0 && !figures->machine.core.measured ? "nominal" : measured == of ? "measured" : "partly measured";
}

double figures_cores_left(const struct device_figures *device, double rate) {
    return 1 - (1 - device->cores_share) * fmin(1, rate / device->beside);
}

/* How many planes a slab has for each level that is done in cache. A group's wave begins and ends with every slab, which is nothing in
 * slabs that are much thicker than groups are deep. */
static double thickness(double ct, double planes) {
    return fmin(planes / ct, 8);
}

static struct shape_log log_of(double ct, double rows, double planes) {
    return (struct shape_log){log2(ct), log2(rows), log2(thickness(ct, planes))};
}

struct kernel_factors figures_factors(const struct kernel_figures *kernel) {
    struct kernel_factors factors = {.points = kernel->points, .bold = kernel->bold};
    for (int i = 0; i < kernel->points; i++) {
        const struct kernel_point *p = &kernel->point[i];
        factors.point[i].shape = log_of(p->ct, p->rows, p->planes);
        factors.point[i].factor = log(p->factor);
    }
    return factors;
}

/* Shapes that are nearly alike, a quarter apart or less, speak for each other, a timed one's own figure included: on machines that
 * change their speed within seconds the least of a few trials is luck. (A square, as distances here are: 0.3 of a doubling.) */
static const double alike = 0.09;
/* How much longer a shape may take than what is known of others says, for every doubling that it is away from the nearest of them. */
static const double caution = 0.1;
/* What thin slabs cost is in the model already, so points of other slabs tell nearly as much: in a resident run all are. */
static const double thinness = 0.4;

/* The square of how many doublings two shapes are apart. */
static double distance(const struct shape_log *a, const struct shape_log *b) {
    const double ct = a->ct - b->ct, rows = a->rows - b->rows, thick = thinness * (a->thickness - b->thickness);
    return ct * ct + rows * rows + thick * thick;
}

struct kernel_guess figures_guess(const struct kernel_factors *factors, double ct, double rows, double planes) {
    if (factors->points == 0) return (struct kernel_guess){.factor = 1};
    const struct shape_log shape = log_of(ct, rows, planes);
    double sum = 0, weights = 0, nearest = INFINITY;
    for (int i = 0; i < factors->points; i++) {
        const double apart = distance(&shape, &factors->point[i].shape), weight = 1 / (apart * apart + alike * alike);
        sum += weight * factors->point[i].factor;
        weights += weight;
        nearest = fmin(nearest, apart);
    }
    const double doubt = factors->bold ? 0 : caution * fmax(0, sqrt(nearest) - sqrt(alike));
    return (struct kernel_guess){.factor = exp(sum / weights + doubt), .known = nearest <= alike};
}

double figures_factor(const struct kernel_figures *kernel, double ct, double rows, double planes) {
    const struct kernel_factors factors = figures_factors(kernel);
    return figures_guess(&factors, ct, rows, planes).factor;
}

void figures_add_point(struct kernel_figures *kernel, struct kernel_point point) {
    int i = 0;
    for (; i < kernel->points; i++) {
        const struct kernel_point *p = &kernel->point[i];
        if (p->ct == point.ct && p->rows == point.rows && p->planes == point.planes) break;
    }
    if (i == KERNEL_POINTS) {
        memmove(&kernel->point[0], &kernel->point[1], (KERNEL_POINTS - 1) * sizeof kernel->point[0]);
        i--;
    }
    kernel->point[i] = point;
    if (i == kernel->points) kernel->points++;
}

void figures_scale(struct kernel_figures *kernel, double by) {
    for (int i = 0; i < kernel->points; i++)
        kernel->point[i].factor *= by;
}

void figures_stamp(char date[FIGURES_DATE]) {
    const time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) == NULL || strftime(date, FIGURES_DATE, "%Y-%m-%d", &parts) == 0)
        strcpy(date, "unknown");
}
