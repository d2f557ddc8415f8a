// Three levels in time, over a velocity; the levels take turns by t % 3.
static inline double laplace(int ny, int nx, double u[3][ny][nx], int t, int y, int x) {
    double sum = -4.0 * u[t % 3][y][x];
    sum += u[t % 3][y - 1][x] + u[t % 3][y + 1][x];
    sum += u[t % 3][y][x - 1] + u[t % 3][y][x + 1];
    return sum;
}

void wave(int steps, int ny, int nx, double u[3][ny][nx], double c[ny][nx], double dt, double h) {
    const double r = dt * dt / (h * h);
    for (int s = 1; s <= steps; s++) {
#pragma omp parallel for collapse(2)
        for (int y = 1; y < ny - 1; y++)
            for (int x = 1; x < nx - 1; x++)
                u[(s + 1) % 3][y][x] = 2.0 * u[s % 3][y][x] - u[(s - 1) % 3][y][x] +
                                       r * c[y][x] * c[y][x] * laplace(ny, nx, u, s, y, x);
    }
}
