"""Compares acoustic with the same steps in numpy, with the sound of a point source in closed form, and its bits."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits
import model

H, DT, F0 = 10.0, 0.001, 15.0


def ricker(time):
    a = (np.pi * F0 * (time - 1.2 / F0)) ** 2
    return (1 - 2 * a) * np.exp(-a)


def second_derivative(radius):
    """Weights of f(-radius) ... f(radius): the only ones that are exact for polynomials of that many terms."""
    at = np.arange(-radius, radius + 1)
    powers = np.vander(at, increasing=True).T.astype(float)
    return np.linalg.solve(powers, 2.0 * (np.arange(len(at)) == 2))


def multilinear(p, place):
    low = np.minimum(np.floor(place).astype(int), len(p) - 2)
    value = p[tuple(slice(i, i + 2) for i in low)]
    for share in np.asarray(place) - low:
        value = (1 - share) * value[0] + share * value[1]
    return value


def reference(n, steps, width=16, strength=0.15):
    """In f64: the final pressure, and the traces."""
    weights = second_derivative(4)
    i = np.arange(n)
    depth = np.maximum(0, np.maximum(width - i, i - (n - 1 - width))) / width
    damping = strength * (depth[:, None, None] ** 2 + depth[None, :, None] ** 2 + depth ** 2)
    square = (model.velocity(n).astype(float) * DT / H)[:, None, None] ** 2
    p, before, traces = np.zeros((n, n, n)), np.zeros((n, n, n)), []
    for t in range(steps):
        padded, laplace = np.pad(p, 4), np.zeros_like(p)
        for axis in range(3):
            for k, w in enumerate(weights):
                start = [4, 4, 4]
                start[axis] = k
                laplace += w * padded[tuple(slice(s, s + n) for s in start)]
        p, before = (2 * p - (1 - damping) * before + square * laplace) / (1 + damping), p
        p[n // 4, n // 2, n // 2] += square[n // 4, 0, 0] * ricker(t * DT)
        traces.append([multilinear(p, place) for place in model.receivers(n)])
    return p, np.array(traces)


def crest(trace):
    """When the trace is highest, in steps: the top of the parabola through the highest sample and its neighbours."""
    i = int(trace.argmax())
    a, b, c = trace[i - 1:i + 2].astype(float)
    return i + 0.5 * (a - c) / (a - 2 * b + c)


C, DISTANCES = 2000.0, (8, 12, 16)


def uniform(folder, n, **_):
    """One velocity everywhere, and receivers at these distances from the source."""
    np.save(folder / "velocity.npy", np.full((n, n, n), C, np.float32))
    lines = [f"{n // 4} {n // 2} {n // 2 + d}\n" for d in DISTANCES]
    (folder / "receivers.csv").write_text("".join(lines))


def check_closed_form(example):
    """A point source in a uniform medium is heard at distance r as ricker(t - r/c) / (4 pi r)."""
    n, steps = 80, 210      # nothing comes back from the faces by then
    example.prepare = uniform
    traces = example.run(steps, n=n, width=1).files["traces.npy"]
    time = DT * np.arange(1, steps + 1)
    for trace, d in zip(traces.T, DISTANCES):
        bits.close(trace, ricker(time - d * H / C) / (4 * np.pi * d), 0.03, f"the trace at {d} cells")
    seen = np.diff([crest(trace) for trace in traces.T]) * DT
    bits.close(seen, np.diff(DISTANCES) * H / C, 0.01, "time between arrivals")


def main():
    with bits.Example(HERE / "acoustic.stn", model.write) as example:
        run = example.run(70, n=41)
        p, traces = reference(41, 70)
        bits.close(run.files["p.npy"], p, 2e-5, "p")
        bits.close(run.files["traces.npy"], traces, 2e-5, "traces")
        example.same_bits(10, dict(n=37), dict(n=41), dict(n=53), dict(n=96))
        check_closed_form(example)


if __name__ == "__main__":
    main()
