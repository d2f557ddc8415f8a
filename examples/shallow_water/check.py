"""Compares shallow_water with the same steps in numpy, its waves with the speed sqrt(g depth), what is kept, and its bits."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import bits

H, DT, G = 1000.0, 15.0, 9.81


def initial(n, deep=100.0, hump=10.0):
    y, x = np.ogrid[:n, :n]
    return deep + hump * np.exp(-((x - n // 3) ** 2 + (y - n // 3) ** 2) / (n / 16) ** 2)


def fluxes(u):
    """Along x and along y, of depth and both flows."""
    depth, qx, qy = u
    press = G * depth ** 2 / 2
    return (np.array([qx, qx * qx / depth + press, qx * qy / depth]),
            np.array([qy, qx * qy / depth, qy * qy / depth + press]))


def reference(n, steps):
    u = np.array([initial(n), np.zeros((n, n)), np.zeros((n, n))])
    for _ in range(steps):
        fx, fy = fluxes(u)
        first = u - DT / H * (np.roll(fx, -1, 2) - fx + np.roll(fy, -1, 1) - fy)
        fx, fy = fluxes(first)
        u = (u + first - DT / H * (fx - np.roll(fx, 1, 2) + fy - np.roll(fy, 1, 1))) / 2
    return u[0]


def check_kept(example):
    """Water and momentum, to the rounding of single cells."""
    n = 101
    values = example.run(200, n=n).values
    bits.close(np.array([values["water"]]), np.array([initial(n).sum()]), 1e-13, "water")
    if abs(values["momentum"]) > 1e-7 * n * n:
        raise bits.programs.Failure(f"momentum of {values['momentum']} from water at rest")


def check_speed(example):
    """A low ring-shaped wave: along x its crest moves at sqrt(g depth)."""
    n, early, late = 300, 120, 240
    speed = np.sqrt(G * 100.0)
    crests = []
    for steps in (early, late):
        along = example.run(steps, n=n, hump=0.01).files["depth.npy"][n // 3, n // 3:n // 3 + n // 2]
        i = int(along.argmax())
        a, b, c = along[i - 1:i + 2] - 100.0
        crests.append(i + 0.5 * (a - c) / (a - 2 * b + c))
    seen = (crests[1] - crests[0]) * H / ((late - early) * DT)
    bits.close(np.array([seen]), np.array([speed]), 0.02, "speed of the wave, m/s")


def main():
    with bits.Example(HERE / "shallow_water.stn") as example:
        bits.close(example.run(90, n=101).files["depth.npy"] - 100, reference(101, 90) - 100, 1e-10, "depth")
        check_kept(example)
        check_speed(example)
        example.same_bits(26, dict(n=41), dict(n=53), dict(n=503))


if __name__ == "__main__":
    main()
