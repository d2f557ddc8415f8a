double a[N];

void scale(int steps) {
    for (int t = 0; t < steps; t++)
        for (int i = 0; i < N; i++)
            a[i] *= 0.5;
}
