"""Compares elastic with the same steps in numpy, its waves with the speeds of P and S waves, and its bits."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits
import model

H, DT, F0 = 5.0, 0.0006, 20.0


def wavelet(t):
    a = (np.pi * F0 * (t * DT - 1.2 / F0)) ** 2
    return (1 - 2 * a) * np.exp(-a)


# Exact for cubics: f'(0) from f at -3/2, -1/2, 1/2 and 3/2.
HALF = np.linalg.solve(np.vander([-1.5, -0.5, 0.5, 1.5], increasing=True).T, [0.0, 1.0, 0.0, 0.0])


def slope(f, axis, first):
    """The derivative from four neighbours, the first of them this far away; outside everything is 0."""
    n, total = len(f), np.zeros_like(f)
    padded = np.pad(f, 2)
    for k, w in enumerate(HALF):
        start = [2, 2]
        start[axis] += first + k
        total += w * padded[start[0]:start[0] + n, start[1]:start[1] + n]
    return total / H


def forward(f, axis):
    return slope(f, axis, -1)


def backward(f, axis):
    return slope(f, axis, -2)


def reference(n, steps, width=20, upper=2000.0, lower=3200.0):
    """In f64: velocities and their traces; an explosion in two layers."""
    z, x = 0, 1
    i = np.arange(n)
    top = (i < n // 2)[:, None]
    rho = np.where(top, 2000.0, 2400.0) * np.ones((n, n))
    mu = lam = rho * np.where(top, upper, lower) ** 2 / 3
    depth = np.maximum(0, np.maximum(width - i, i - (n - 1 - width))) / width
    keep = np.exp(-0.05 * (depth[:, None] ** 2 + depth ** 2))
    wide = np.pad(rho, ((0, 1), (0, 1)), mode="edge")
    rho_x, rho_z = (wide[:-1, :-1] + wide[:-1, 1:]) / 2, (wide[:-1, :-1] + wide[1:, :-1]) / 2
    soft = 1 / np.pad(mu, ((0, 1), (0, 1)), mode="edge")
    mu_xz = 4 / (soft[:-1, :-1] + soft[:-1, 1:] + soft[1:, :-1] + soft[1:, 1:])

    vx, vz, txx, tzz, txz = (np.zeros((n, n)) for _ in range(5))
    at, source = tuple(np.array(model.receivers(n)).T), (n // 3, n // 2)
    traces = []
    for t in range(steps):
        vx = keep * (vx + DT / rho_x * (forward(txx, x) + backward(txz, z)))
        vz = keep * (vz + DT / rho_z * (backward(txz, x) + forward(tzz, z)))
        along, down = backward(vx, x), backward(vz, z)
        txx = keep * (txx + DT * ((lam + 2 * mu) * along + lam * down))
        tzz = keep * (tzz + DT * (lam * along + (lam + 2 * mu) * down))
        txz = keep * (txz + DT * mu_xz * (forward(vx, z) + forward(vz, x)))
        txx[source] += wavelet(t)
        tzz[source] += wavelet(t)
        traces.append((vx[at], vz[at]))
    return vx, vz, np.array(traces)


def delay(early, late):
    """By how many steps one trace must be shifted to look most like the other, to a fraction of a step."""
    early, late = early.astype(float), late.astype(float)
    score = np.correlate(late / np.abs(late).max(), early / np.abs(early).max(), "full")
    i = int(score.argmax())
    a, b, c = score[i - 1:i + 2]
    return i - (len(early) - 1) + 0.5 * (a - c) / (a - 2 * b + c)


def check_speeds(example):
    """In one rock an explosion is heard at the speed of P waves, a sideways push below it at that of S waves."""
    n, steps, speed = 320, 600, 3000.0
    step = n // 16 * H
    for push, trace, c in ((0, "vz_traces.npy", speed), (1, "vx_traces.npy", speed / np.sqrt(3))):
        files = example.run(steps, n=n, upper=speed, lower=speed, rho_lower=2000.0, push=push, blast=1 - push).files
        near, far = files[trace][:, -2], files[trace][:, -1]
        seen = 2 * step / (delay(near, far) * DT)
        bits.close(np.array([seen]), np.array([c]), 0.02, f"speed of the {'PS'[push]} wave, m/s")


def main():
    with bits.Example(HERE / "elastic.stn", model.write) as example:
        run = example.run(150, n=83)
        vx, vz, traces = reference(83, 150)
        bits.close(run.files["vx.npy"], vx, 5e-5, "vx")
        bits.close(run.files["vz.npy"], vz, 5e-5, "vz")
        bits.close(run.files["vx_traces.npy"], traces[:, 0], 5e-5, "traces of vx")
        bits.close(run.files["vz_traces.npy"], traces[:, 1], 5e-5, "traces of vz")
        example.same_bits(26, dict(n=53), dict(n=97), dict(n=503))
        check_speeds(example)


if __name__ == "__main__":
    main()
