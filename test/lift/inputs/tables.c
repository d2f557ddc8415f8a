/* Neighbours in a loop over offsets, but for the cell itself; weights of float that are fractions. */
static const float weight[3] = {-8.0f / 3, 1.0f / 3, 1.0f / 12};

void tables(int steps, int n, int m, float a[n][m], float b[n][m]) {
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                float sum = 0;
                for (int di = -1; di <= 1; di++)
                    for (int dj = -1; dj <= 1; dj++) {
                        if (di == 0 && dj == 0) continue;
                        sum += weight[di * di + dj * dj] * a[i + di][j + dj];
                    }
                b[i][j] = a[i][j] + 0.125f * (sum + weight[0] * a[i][j]);
            }
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                a[i][j] = b[i][j];
    }
}

/* Cells that are passed by: those of the rim, and where there is nothing. */
void skips(int steps, int n, int m, const unsigned char mask[n][m], double a[n][m], double b[n][m]) {
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                if (i == 0 || j == 0 || i == n - 1 || j == m - 1) continue;
                double sum = 0;
                for (int di = -1; di <= 1; di++) {
                    if (di == 0) continue;
                    sum += a[i + di][j] + a[i][j + di];
                }
                if (mask[i][j] == 0) {
                    b[i][j] = 0.5 * a[i][j];
                    continue;
                }
                sum *= 0.25;
                if (sum > 0.3) {
                    b[i][j] = 0.3;
                    continue;
                }
                b[i][j] = sum;
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                a[i][j] = b[i][j];
    }
}
