"""The functions of f32 in numpy, operation by operation as runtime/include/oocc/functions_f32.h has them: arrays of one dimension at least."""
import numpy as np

import functions_f64
from functions_f64 import f as f64


def f(text):
    return np.float32(float.fromhex(text))


ZERO, ONE, HALF, TWO, INF, NAN = (np.float32(x) for x in (0, 1, 0.5, 2, np.inf, np.nan))


def bits_of(x):
    return np.asarray(x, np.float32).view(np.uint32)


def of_bits(bits):
    return np.asarray(bits, np.uint32).view(np.float32)


def sign_of(x):
    return bits_of(x) & np.uint32(1 << 31)


def nearest(x):
    return (x + f("0x1.8p23")) - f("0x1.8p23")


def square(x):
    counts = np.where(np.abs(x) < f("0x1p-14"), ZERO, x)
    return counts * counts


def two_to(n):
    return of_bits(bits_of(n + (f("0x1p23") + np.float32(127))) << np.uint32(23))


def exponent_of(x):
    n = nearest(x * f("0x1.715476p0"))
    return n, (x - n * f("0x1.62e4p-1")) - n * f("0x1.7f7d1cp-20")


def exp_tail(r):
    r2 = r * r
    return r2 * (HALF + r * ((f("0x1.5554dcp-3") + r * f("0x1.5554e8p-5")) + r2 * (f("0x1.120c34p-7") + r * f("0x1.6d4e76p-10"))))


def exp_of(r, n):
    first = ONE + r
    y = first + (((ONE - first) + r) + exp_tail(r))
    half = nearest(n * HALF)
    return y * two_to(half) * two_to(n - half)


def exp(x):
    x = np.where(x > 89, np.float32(89), x)
    n, r = exponent_of(np.where(x < -104, np.float32(-104), x))
    return exp_of(r, n)


def tanh(x):
    size = np.abs(x)
    small = size < f("0x1p-14")
    twice = np.where(size > 10, np.float32(20), np.where(small, ZERO, TWO * size))
    n, r = exponent_of(twice)
    power = two_to(n)
    first, second = power - ONE, power * r
    whole = first + second
    half = HALF * (whole + (((first - whole) + second) + power * exp_tail(r)))
    lead = np.where(twice > np.float32(1.1), ONE, half)
    return np.copysign(np.where(small, size, lead - lead * lead / (ONE + half)), x)


def log(x):
    small = x < f("0x1p-126")
    bits = bits_of(np.where(small, x * f("0x1p25"), x))
    above = bits - np.uint32(0x3f3504f3)
    n = of_bits((above + np.uint32(128 << 23)) >> np.uint32(23) | np.uint32(0x4b000000)) - (f("0x1p23") + np.float32(128))
    n = n - np.where(small, np.float32(25), ZERO)
    z1 = of_bits(bits - (above & np.uint32(0xff800000))) - ONE
    s = z1 / (TWO + z1)
    s2, half = s * s, HALF * z1 * z1
    tail = s2 * ((f("0x1.555556p-1") + s2 * f("0x1.99986ep-2")) + s2 * s2 * (f("0x1.24c11cp-2") + s2 * f("0x1.ce9148p-3")))
    y = n * f("0x1.62e4p-1") - ((half - (s * (half + tail) + n * f("0x1.7f7d1cp-20"))) - z1)
    return np.select([x == np.inf, x > 0, x < 0, x == 0], [INF, y, NAN, -INF], x)


def turn_of(x):
    x = np.where(x < f("0x1p30"), x, NAN).astype(np.float64)
    n = functions_f64.nearest(x * f64("0x1.45f306dc9c883p-1"))
    left = ((x - n * f64("0x1.921fb4p0")) - n * f64("0x1.4442dp-24")) - n * f64("0x1.8469898cc5170p-48")
    quarters = bits_of((n - 4 * functions_f64.nearest(n * 0.25)).astype(np.float32) + f("0x1.8p23"))
    r = left.astype(np.float32)
    return quarters, r, (left - r.astype(np.float64)).astype(np.float32)


def sin_of(r, rest):
    r2 = square(r)
    p = (f("-0x1.555556p-3") + r2 * f("0x1.11119ap-7")) + r2 * r2 * (f("-0x1.a0858p-13") + r2 * f("0x1.88252ap-19"))
    return r + (rest + r * r2 * p)


def cos_of(r, rest):
    r2 = square(r)
    half = HALF * r2
    first = ONE - half
    p = f("0x1.555554p-5") + r2 * (f("-0x1.6c129ep-10") + r2 * f("0x1.9bc76cp-16"))
    return first + (((ONE - first) - half) + (r2 * r2 * p - r * rest))


def sin(x):
    n, *r = turn_of(np.abs(x))
    y = np.where(n & np.uint32(1), cos_of(*r), sin_of(*r))
    return of_bits(bits_of(y) ^ (n & np.uint32(2)) << np.uint32(30) ^ sign_of(x))


def cos(x):
    n, *r = turn_of(np.abs(x))
    y = np.where(n & np.uint32(1), sin_of(*r), cos_of(*r))
    return of_bits(bits_of(y) ^ ((n + np.uint32(1)) & np.uint32(2)) << np.uint32(30))


def tan(x):
    n, *r = turn_of(np.abs(x))
    odd, s, c = n & np.uint32(1), sin_of(*r), cos_of(*r)
    return of_bits(bits_of(np.where(odd, -c, s) / np.where(odd, s, c)) ^ sign_of(x))


def eighth_of(small, large):
    far = small > large * f("0x1.a8279ap-2")
    v = np.where(far, small - large, small) / np.where(far, small + large, large)
    z = square(v)
    high = (f("-0x1.241eap-3") + z * f("0x1.b80038p-4")) + z * z * f("-0x1.082ca8p-4")
    p = z * ((f("-0x1.555554p-2") + z * f("0x1.999714p-3")) + z * z * high)
    return np.where(far, f("0x1.921fb6p-1") + (v + (v * p - f("0x1.777a5cp-26"))), v + v * p)


def atan2(y, x):
    up, along = np.abs(y), np.abs(x)
    large, small = np.where(up > along, up, along), np.where(up > along, along, up)
    scale = np.where(large > f("0x1p120"), f("0x1p-20"), ONE)
    below = np.where((large == 0) | ~(large < np.inf), ONE, large * scale)
    above = np.where(large < np.inf, small * scale, np.where(small < np.inf, ZERO, ONE))
    eighth = eighth_of(above, below)
    quarter = np.where(up > along, f("0x1.921fb6p0") - (eighth + f("0x1.777a5cp-25")), eighth)
    angle = np.where(sign_of(x), f("0x1.921fb6p1") - (quarter + f("0x1.777a5cp-24")), quarter)
    return np.where(np.isnan(y) | np.isnan(x), y + x, np.copysign(angle, y))


def log2_of(x):
    z, n = functions_f64.fraction_of(x.astype(np.float64))
    z1 = z - 1
    s = z1 / (2 + z1)
    s2 = s * s
    high = f64("0x1.2777811bc1bf1p-1") + s2 * (f64("0x1.a58cf1f31987dp-2") + s2 * f64("0x1.5cf3b428c5f4ap-2"))
    return n + s * ((f64("0x1.71547652bef36p1") + s2 * f64("0x1.ec709d1146187p-1")) + s2 * s2 * high)


def pow(x, y):
    size = np.abs(x)
    power = y.astype(np.float64) * log2_of(size)
    power = np.where(power > 200, 200, power)
    power = np.where(power < -200, -200, power)
    n = functions_f64.nearest(power)
    finite = exp_of(((power - n) * f64("0x1.62e42fefa39efp-1")).astype(np.float32), n.astype(np.float32))
    value = np.where(size == 0, np.where(y > 0, ZERO, INF), np.where(size == np.inf, np.where(y > 0, INF, ZERO), finite))
    whole = np.floor(y) == y
    odd = whole & (np.floor(y * HALF) != y * HALF)
    value = np.where((x < 0) & (size < np.inf) & ~whole, NAN, value)
    value = of_bits(bits_of(value) ^ np.where(odd, sign_of(x), np.uint32(0)))
    value = np.where((size == 1) & (np.abs(y) == np.inf), ONE, value)
    value = np.where(np.isnan(x), x, np.where(np.isnan(y), y, value))
    return np.where((y == 0) | (x == 1), ONE, value)
