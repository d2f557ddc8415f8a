/* Cells at the ends that no loop stores, and a ring that is read across them. */
void rim(int steps, int n, double a[n], double b[n]) {
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = 0.25 * (a[(i - 1 + n) % n] + a[(i + 1) % n] + a[i > 1 ? i - 2 : i - 2 + n]);
        for (int i = 0; i < n; i++)
            a[i] = b[i];
    }
}

void kept(int steps, int n, double *restrict a, double *restrict b) {
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = 0.25 * (a[(i - 1 + n) % n] + a[(i + 1) % n] + a[i > 1 ? i - 2 : i - 2 + n]);
        double *c = a;
        a = b;
        b = c;
    }
}
