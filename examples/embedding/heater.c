/*
 * A heater in the middle of the grid: every 5 steps, the cells of one plane are read, one of them is brought to 1 again, and the
 * computation goes on. Arguments are options of a run: ./heater memory 64M schedule stream
 */
#include "heat3d.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void check(heat3d_handle *h, int status)
{
    if (status == OOCC_OK)
        return;
    fprintf(stderr, "heater: %s\n", heat3d_error(h));
    heat3d_destroy(h);
    exit(status);
}

int main(int argc, char **argv)
{
    heat3d_handle *h;
    int64_t extent[3];
    uint64_t hash;
    const int created = heat3d_create(&h);
    check(h, created);
    for (int i = 1; i + 1 < argc; i += 2)
        check(h, heat3d_option(h, argv[i], argv[i + 1]));
    check(h, heat3d_option(h, "steps", "5")); /* how many a call makes */
    check(h, heat3d_extent(h, extent));

    double *plane = malloc((size_t)(extent[1] * extent[2]) * sizeof *plane);
    if (plane == NULL)
        return OOCC_NO_MEMORY;
    const int64_t middle = extent[0] / 2, cell = extent[1] / 2 * extent[2] + extent[2] / 2;
    for (int i = 0; i < 4; i++) {
        check(h, heat3d_run(h, 5));
        check(h, heat3d_read_u(h, middle, 1, plane));
        printf("level %" PRId64 ": %.6f under the heater\n", heat3d_level(h), plane[cell]);
        plane[cell] = 1;
        check(h, heat3d_write_u(h, middle, 1, plane));
    }
    check(h, heat3d_finish(h, &hash)); /* writes heat.npy */
    printf("result %016" PRIx64 "\n", hash);
    free(plane);
    heat3d_destroy(h);
    return OOCC_OK;
}
