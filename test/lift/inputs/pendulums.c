// Pendulums that are coupled, and damped the more the faster they are: functions of the C library.
#include <math.h>

void pendulums(int steps, int n, double u[n][n], double v[n][n]) {
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                v[i][j] += 0.1 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j] - sin(u[i][j])) -
                           0.01 * tanh(v[i][j]) * exp(-fabs(v[i][j]));
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                u[i][j] += 0.1 * v[i][j] * (2 - cos(atan2(v[i][j], 1 + log(1 + u[i][j] * u[i][j]))));
    }
}
