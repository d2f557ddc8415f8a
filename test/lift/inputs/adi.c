void adi(int tsteps, int n, double u[n][n], double v[n][n], double p[n][n], double q[n][n]) {
    double a = -0.5, b = 2.0, c = -0.5;
    for (int t = 1; t <= tsteps; t++)
        for (int i = 1; i < n - 1; i++) {
            p[i][0] = 0.0;
            q[i][0] = v[i][0];
            for (int j = 1; j < n - 1; j++) {
                p[i][j] = -c / (a * p[i][j - 1] + b);
                q[i][j] = (u[i - 1][j] - a * q[i][j - 1]) / (a * p[i][j - 1] + b);
            }
        }
}
