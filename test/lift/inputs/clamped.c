/* Heat in a chip, as codes with one index for three dimensions have it: at a face the neighbour is the cell itself. */
void clamped(double *restrict new, double *restrict old, int nx, int ny, int nz, double k, int steps) {
    for (int i = 0; i < steps; i++) {
        for (int z = 0; z < nz; z++)
            for (int y = 0; y < ny; y++)
                for (int x = 0; x < nx; x++) {
                    const int c = x + y * nx + z * nx * ny;
                    const int w = (x == 0) ? c : c - 1, e = (x == nx - 1) ? c : c + 1;
                    const int n = (y == 0) ? c : c - nx, s = (y == ny - 1) ? c : c + nx;
                    const int b = (z == 0) ? c : c - nx * ny, t = (z == nz - 1) ? c : c + nx * ny;
                    new[c] = (1 - 6 * k) * old[c] + k * (old[w] + old[e] + old[s] + old[n] + old[b] + old[t]);
                }
        double *swap = old;
        old = new;
        new = swap;
    }
}
