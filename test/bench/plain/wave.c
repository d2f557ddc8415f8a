/* The acoustic wave equation, 8th order in space, as a person writes it: the new level over the oldest, swap. */
#include "plain.h"

int main(int argc, char **argv)
{
    const int64_t n = plain_argument(argc, argv, 1, 256), steps = plain_argument(argc, argv, 2, 20);
    const int64_t row = n, plane = n * n;
    float *u = plain_array(n * n * n, sizeof *u), *v = plain_array(n * n * n, sizeof *v);
    float *c2 = plain_array(n * n * n, sizeof *c2);
    const float w0 = -205.0f / 72.0f, w1 = 8.0f / 5.0f, w2 = -1.0f / 5.0f, w3 = 8.0f / 315.0f, w4 = -1.0f / 560.0f;
#pragma omp parallel for
    for (int64_t z = 0; z < n; z++)
        for (int64_t i = z * n * n; i < (z + 1) * n * n; i++) {
            u[i] = v[i] = (float)(i % 17);
            c2[i] = 0.1f;
        }
    const double start = omp_get_wtime();
    for (int64_t s = 0; s < steps; s++) {
#pragma omp parallel for
        for (int64_t z = 4; z < n - 4; z++)
            for (int64_t y = 4; y < n - 4; y++)
                for (int64_t x = 4; x < n - 4; x++) {
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
    plain_report(n, steps, omp_get_wtime() - start, u[(n * n + n) * n / 2]);
    free(u);
    free(v);
    free(c2);
    return 0;
}
