/* What the plain loops share: sizes from the command line, arrays, a clock, and one line of result. */
#ifndef PLAIN_H
#define PLAIN_H

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* plain NZ NY NX STEPS; of a plane NZ is 1, of a line NY, too. */
struct plain {
    int64_t nz, ny, nx, steps;
};

static struct plain plain_arguments(int argc, char **argv)
{
    int64_t number[4];
    for (int i = 0; i < 4; i++) {
        char *end = "";
        number[i] = argc == 5 ? strtoll(argv[i + 1], &end, 10) : 0;
        if (number[i] < 1 || *end != '\0') {
            fprintf(stderr, "usage: %s NZ NY NX STEPS\n", argv[0]);
            exit(2);
        }
    }
    return (struct plain){number[0], number[1], number[2], number[3]};
}

static void *plain_array(const struct plain *p, size_t bytes)
{
    void *array = malloc((size_t)(p->nz * p->ny * p->nx) * bytes);
    if (array == NULL) {
        fprintf(stderr, "plain: out of memory\n");
        exit(71);
    }
    return array;
}

/* sum and squares are over all cells of the result: the bench compares them with what oocc's program computes. */
static void plain_report(const struct plain *p, double seconds, double sum, double squares)
{
    printf("{\"seconds\": %.6f, \"glups\": %.6f, \"sum\": %.17g, \"squares\": %.17g}\n", seconds,
           (double)(p->nz * p->ny * p->nx) * (double)p->steps / seconds / 1e9, sum, squares);
}

#endif
