/* The 27-point heat equation in f32, as a person writes it: two arrays in memory, one parallel loop nest, swap. */
#include "plain.h"

int main(int argc, char **argv)
{
    const int64_t n = plain_argument(argc, argv, 1, 256), steps = plain_argument(argc, argv, 2, 20);
    float *u = plain_array(n * n * n, sizeof *u), *v = plain_array(n * n * n, sizeof *v);
#pragma omp parallel for
    for (int64_t z = 0; z < n; z++)
        for (int64_t i = z * n * n; i < (z + 1) * n * n; i++)
            u[i] = v[i] = (float)(i % 17);
    const double start = omp_get_wtime();
    for (int64_t s = 0; s < steps; s++) {
#pragma omp parallel for
        for (int64_t z = 1; z < n - 1; z++)
            for (int64_t y = 1; y < n - 1; y++)
                for (int64_t x = 1; x < n - 1; x++) {
                    const int64_t i = (z * n + y) * n + x;
                    v[i] = 0.3f * u[i] +
                           0.05f * (u[i - n * n] + u[i - n] + u[i - 1] + u[i + 1] + u[i + n] + u[i + n * n]) +
                           0.02f * (u[i - n * n - n] + u[i - n * n - 1] + u[i - n * n + 1] + u[i - n * n + n] +
                           u[i - n - 1] + u[i - n + 1] + u[i + n - 1] + u[i + n + 1] + u[i + n * n - n] +
                           u[i + n * n - 1] + u[i + n * n + 1] + u[i + n * n + n]) +
                           0.02f * (u[i - n * n - n - 1] + u[i - n * n - n + 1] + u[i - n * n + n - 1] +
                           u[i - n * n + n + 1] + u[i + n * n - n - 1] + u[i + n * n - n + 1] +
                           u[i + n * n + n - 1] + u[i + n * n + n + 1]);
                }
        float *swap = u;
        u = v;
        v = swap;
    }
    plain_report(n, steps, omp_get_wtime() - start, u[(n * n + n) * n / 2]);
    free(u);
    free(v);
    return 0;
}
