/* The acoustic wave equation, 8th order in space, as a person writes it: the new level over the oldest, swap. */
#include "plain.h"

int main(int argc, char **argv)
{
    const struct plain p = plain_arguments(argc, argv);
    const int64_t row = p.nx, plane = p.ny * p.nx;
    float *u = plain_array(&p, sizeof *u), *v = plain_array(&p, sizeof *v);
    float *c2 = plain_array(&p, sizeof *c2);
    const float w0 = -205.0f / 72.0f, w1 = 8.0f / 5.0f, w2 = -1.0f / 5.0f, w3 = 8.0f / 315.0f, w4 = -1.0f / 560.0f;
#pragma omp parallel for
    for (int64_t z = 0; z < p.nz; z++)
        for (int64_t i = z * plane; i < (z + 1) * plane; i++) {
            u[i] = v[i] = (float)(i % 17);
            c2[i] = 0.06f + 0.01f * (float)(z % 8);
        }
    const double start = omp_get_wtime();
    for (int64_t s = 0; s < p.steps; s++) {
#pragma omp parallel for
        for (int64_t z = 4; z < p.nz - 4; z++)
            for (int64_t y = 4; y < p.ny - 4; y++)
                for (int64_t x = 4; x < p.nx - 4; x++) {
                    const int64_t i = z * plane + y * row + x;
                    v[i] = 2 * u[i] - v[i] +
                           c2[i] * (3 * w0 * u[i] +
                                    w1 * (u[i - 1] + u[i + 1] + u[i - row] + u[i + row] + u[i - plane] + u[i + plane]) +
                                    w2 * (u[i - 2] + u[i + 2] + u[i - 2 * row] + u[i + 2 * row] + u[i - 2 * plane] +
                                          u[i + 2 * plane]) +
                                    w3 * (u[i - 3] + u[i + 3] + u[i - 3 * row] + u[i + 3 * row] + u[i - 3 * plane] +
                                          u[i + 3 * plane]) +
                                    w4 * (u[i - 4] + u[i + 4] + u[i - 4 * row] + u[i + 4 * row] + u[i - 4 * plane] +
                                          u[i + 4 * plane]));
                }
        float *swap = u;
        u = v;
        v = swap;
    }
    const double seconds = omp_get_wtime() - start;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < p.nz * plane; i++) {
        sum += u[i];
        squares += (double)u[i] * u[i];
    }
    plain_report(&p, seconds, sum, squares);
    free(u);
    free(v);
    free(c2);
    return 0;
}
