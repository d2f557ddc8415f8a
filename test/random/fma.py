"""x*y + z, rounded once, in numpy: the sum's error is found exactly and put into a last bit that is never lost (rounding to
odd: Boldo and Melquiond, "Emulation of FMA and correctly rounded sums"). naive.py has it from fractions."""
import ctypes
import ctypes.util

import numpy as np

LIBM = ctypes.CDLL(ctypes.util.find_library("m"))
LIBM.fma.restype, LIBM.fma.argtypes = ctypes.c_double, [ctypes.c_double] * 3
SPLIT = 2.0 ** 27 + 1


def two_sum(a, b):
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def two_product(a, b):
    def split(x):
        high = x * SPLIT - (x * SPLIT - x)
        return high, x - high
    p = a * b
    (a1, a2), (b1, b2) = split(a), split(b)
    return p, a2 * b2 - (((p - a1 * b1) - a2 * b1) - a1 * b2)


def odd_sum(a, b):
    """a + b, and where that is not exact the neighbour on the way whose last bit is set."""
    s, error = two_sum(a, b)
    even = (np.atleast_1d(s).view(np.uint64) & 1 == 0).reshape(np.shape(s))
    return np.where((error != 0) & even, np.nextafter(s, np.where(error > 0, np.inf, -np.inf)), s)


def moderate(*arrays):
    """Neither overflow nor underflow comes into the way of the error's terms."""
    size = [np.abs(a) for a in arrays]
    return np.logical_and.reduce([(s == 0) | ((s > 2.0 ** -300) & (s < 2.0 ** 300)) for s in size])


def fma(x, y, z):
    x, y, z = np.broadcast_arrays(x, y, z)
    if x.dtype == np.float32:
        a, b, c = (v.astype(np.float64) for v in (x, y, z))
        product = a * b     # exact
        return np.where(np.isfinite(product + c), odd_sum(product, c), product + c).astype(np.float32)
    high, low = two_product(x, y)
    t, t_low = two_sum(z, low)
    v, v_low = two_sum(high, t)
    out = np.where((x == 0) | (y == 0), x * y + z, v + odd_sum(t_low, v_low))   # zeros have signs
    for at in zip(*np.nonzero(~np.atleast_1d(moderate(x, y, z)))):
        at = at if out.ndim else ()
        out[at] = LIBM.fma(x[at], y[at], z[at])
    return out
