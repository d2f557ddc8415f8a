// Three points, sizes fixed by macros, arrays of the file.
#define N 400
#define TSTEPS 30

double A[N], B[N];

void jacobi1d(void) {
    int t, i;
    for (t = 0; t < TSTEPS; t++) {
        for (i = 1; i < N - 1; i++)
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
        for (i = 1; i < N - 1; i++)
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
    }
}
