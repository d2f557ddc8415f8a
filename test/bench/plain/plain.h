/* What the plain loops share: two arrays, a clock, and one line of result. */
#ifndef PLAIN_H
#define PLAIN_H

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void *plain_array(int64_t cells, size_t bytes)
{
    void *array = malloc((size_t)cells * bytes);
    if (array == NULL) {
        fprintf(stderr, "plain: out of memory\n");
        exit(71);
    }
    return array;
}

static int64_t plain_argument(int argc, char **argv, int i, int64_t otherwise)
{
    return argc > i ? strtoll(argv[i], NULL, 10) : otherwise;
}

static void plain_report(int64_t n, int64_t steps, double seconds, double value)
{
    printf("{\"seconds\": %.6f, \"glups\": %.6f, \"value\": %.17g}\n", seconds,
           (double)(n * n * n) * (double)steps / seconds / 1e9, value);
}

#endif
