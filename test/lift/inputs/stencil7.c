// Seven points on one block of memory, with an index macro; whoever calls it swaps the two arrays.
#define IDX(x, y, z) ((z) * ny * nx + (y) * nx + (x))

void stencil7(float c0, float c1, const float *restrict A0, float *restrict Anext, int nx, int ny, int nz) {
    for (int z = 1; z < nz - 1; z++)
        for (int y = 1; y < ny - 1; y++)
            for (int x = 1; x < nx - 1; x++)
                Anext[IDX(x, y, z)] = (A0[IDX(x, y, z + 1)] + A0[IDX(x, y, z - 1)] + A0[IDX(x, y + 1, z)] +
                                       A0[IDX(x, y - 1, z)] + A0[IDX(x + 1, y, z)] + A0[IDX(x - 1, y, z)]) * c1 -
                                      A0[IDX(x, y, z)] * c0;
}

void run(float c0, float c1, float *restrict A0, float *restrict Anext, int nx, int ny, int nz, int iterations) {
    for (int iter = 0; iter < iterations; iter++) {
        stencil7(c0, c1, A0, Anext, nx, ny, nz);
        float *temp = A0;
        A0 = Anext;
        Anext = temp;
    }
}
