/* The 3-point heat equation as a person writes it: two arrays in memory, one parallel loop nest, swap. */
#include "plain.h"

int main(int argc, char **argv)
{
    const struct plain p = plain_arguments(argc, argv);
    double *u = plain_array(&p, sizeof *u), *v = plain_array(&p, sizeof *v);
#pragma omp parallel for
    for (int64_t i = 0; i < p.nx; i++)
        u[i] = v[i] = (double)(i % 17);
    const double start = omp_get_wtime();
    for (int64_t s = 0; s < p.steps; s++) {
#pragma omp parallel for
        for (int64_t i = 1; i < p.nx - 1; i++)
            v[i] = u[i] + 0.1 * (u[i - 1] + u[i + 1] - 2 * u[i]);
        double *swap = u;
        u = v;
        v = swap;
    }
    const double seconds = omp_get_wtime() - start;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < p.ny * p.nx; i++) {
        sum += u[i];
        squares += (double)u[i] * u[i];
    }
    plain_report(&p, seconds, sum, squares);
    free(u);
    free(v);
    return 0;
}
