// Reaction and diffusion in float, with helper functions, a mask, an unrolled sum and OpenMP.
#include <math.h>

#define IDX(y, x) ((y) * nx + (x))
static const float weight[3][3] = {{0.05f, 0.2f, 0.05f}, {0.2f, -1.0f, 0.2f}, {0.05f, 0.2f, 0.05f}};

static inline int at(int y, int x, int nx) { return IDX(y, x); }

static float limited(float v) {
    if (v > 1.0f) return 1.0f;
    return v < -1.0f ? -1.0f : v;
}

void react(int steps, int ny, int nx, const float *restrict u, const unsigned char *mask, float *restrict v, float k) {
    for (int step = 0; step < steps; ++step) {
        float *old = v; // read and stored in place, in its own cell alone
#pragma omp parallel for
        for (int y = 1; y <= ny - 2; ++y) {
#pragma omp simd
            for (int x = 1; x <= nx - 2; ++x) {
                float sum = 0.0f;
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++)
                        sum += weight[dy + 1][dx + 1] * u[at(y + dy, x + dx, nx)];
                const float next = old[IDX(y, x)] + k * sum;
                if (mask[IDX(y, x)] != 0)
                    v[IDX(y, x)] = limited(next);
                else if (sqrtf(fabsf(next)) > 0.5f && (y + x) % 2 == 0)
                    v[IDX(y, x)] *= 0.5f;
            }
        }
    }
}

// Ordinary red and black, in place: each colour reads the other.
void redblack(int steps, int n, double a[n][n]) {
    for (int s = 0; s < steps; s++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                if ((i + j) % 2 == 0) a[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                if ((i + j) % 2 == 1) a[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    }
}

// A face that follows its neighbour, and an array of the function's own.
void faces(int steps, int n, int m, int u[n][m]) {
    int lap[n][m];
    for (int s = 0; s < steps; s++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                lap[i][j] = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[i][j] += lap[i][j] / 5 + s % 3;
        for (int j = 0; j < m; j++) {
            u[0][j] = u[1][j];
            u[n - 1][j] = u[n - 2][j];
        }
    }
}
