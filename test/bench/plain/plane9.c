/* The 9-point heat equation as a person writes it: two arrays in memory, one parallel loop nest, swap. */
#include "plain.h"

int main(int argc, char **argv)
{
    const struct plain p = plain_arguments(argc, argv);
    const int64_t row = p.nx;
    double *u = plain_array(&p, sizeof *u), *v = plain_array(&p, sizeof *v);
#pragma omp parallel for
    for (int64_t y = 0; y < p.ny; y++)
        for (int64_t i = y * p.nx; i < (y + 1) * p.nx; i++)
            u[i] = v[i] = (double)(i % 17);
    const double start = omp_get_wtime();
    for (int64_t s = 0; s < p.steps; s++) {
#pragma omp parallel for
        for (int64_t y = 1; y < p.ny - 1; y++)
            for (int64_t x = 1; x < p.nx - 1; x++) {
                const int64_t i = y * row + x;
                v[i] = 0.4 * u[i] + 0.1 * (u[i - row] + u[i - 1] + u[i + 1] + u[i + row]) +
                       0.05 * (u[i - row - 1] + u[i - row + 1] + u[i + row - 1] + u[i + row + 1]);
            }
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
