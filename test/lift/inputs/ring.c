/* Shallow water around a torus, on Arakawa's C grid. */
void ring(int steps, int n, int m, double dt, double u[n][m], double v[n][m], double eta[n][m], const double depth[n][m]) {
    double un[n][m], vn[n][m], flux[n][m];
    for (int t = 0; t < steps; ++t) {
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < m; ++i) {
                int ip = i + 1 < m ? i + 1 : 0, jp = j + 1;
                if (jp == n) jp = 0;
                un[j][i] = u[j][i] - dt * (eta[j][ip] - eta[j][i]);
                vn[j][i] = v[j][i] - dt * (eta[jp][i] - eta[j][i]);
            }
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < m; ++i) {
                u[j][i] = un[j][i];
                v[j][i] = vn[j][i];
                flux[j][i] = 0.5 * (depth[j][i] + depth[j][(i + 1) % m]) * un[j][i];
            }
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < m; ++i)
                eta[j][i] -= dt * (flux[j][i] - flux[j][(i + m - 1) % m] + v[j][i] - v[(j - 1 + n) % n][i]);
    }
}
