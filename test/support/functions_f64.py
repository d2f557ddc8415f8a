"""The functions of f64 in numpy, operation by operation as runtime/include/oocc/functions.h and power.h have them."""
import numpy as np


def f(text):
    return np.float64(float.fromhex(text))


def bits_of(x):
    return np.asarray(x, np.float64).view(np.uint64)


def of_bits(bits):
    return np.asarray(bits, np.uint64).view(np.float64)


def sign_of(x):
    return bits_of(x) & np.uint64(1 << 63)


def nearest(x):
    return (x + f("0x1.8p52")) - f("0x1.8p52")


def square(x):
    counts = np.where(np.abs(x) < f("0x1p-30"), 0, x)
    return counts * counts


def two_to(n):
    return of_bits(bits_of(n + (f("0x1p52") + 1023)) << np.uint64(52))


LN2, LN2_LOW = f("0x1.62e42ffp-1"), f("-0x1.718432a1b0e26p-35")


def exponent_of(x):
    n = nearest(x * f("0x1.71547652b82fep0"))
    whole, part = x - n * LN2, n * LN2_LOW
    r = whole - part
    return n, r, (whole - r) - part


def exp_tail(r, rest):
    r2 = r * r
    r4 = r2 * r2
    first = (f("0x1.5555555555556p-3") + r * f("0x1.5555555555556p-5")) + r2 * (f("0x1.11111111107p-7") + r * f("0x1.6c16c16c15f33p-10"))
    second = (f("0x1.a01a01a90c6f6p-13") + r * f("0x1.a01a01a8a848ep-16")) + r2 * (f("0x1.71de0a128075cp-19") + r * f("0x1.27e4d630d330bp-22"))
    third = f("0x1.af3f6e6a818c9p-26") + r * f("0x1.1f7cd8193e19fp-29")
    return rest + r2 * (0.5 + r * (first + r4 * (second + r4 * third)))


def exp(x):
    x = np.where(x > 710, 710, x)
    n, r, rest = exponent_of(np.where(x < -746, -746, x))
    first = 1 + r
    y = first + (((1 - first) + r) + exp_tail(r, rest))
    half = nearest(n * 0.5)
    return y * two_to(half) * two_to(n - half)


def tanh(x):
    size = np.abs(x)
    small = size < f("0x1p-30")
    twice = np.where(size > 22, 44, np.where(small, 0, 2 * size))
    n, r, rest = exponent_of(twice)
    power = two_to(n)
    first, second = power - 1, power * r
    whole = first + second
    half = 0.5 * (whole + (((first - whole) + second) + power * exp_tail(r, rest)))
    lead = np.where(twice > 1.1, 1, half)
    return np.copysign(np.where(small, size, lead - lead * lead / (1 + half)), x)


def fraction_of(x):
    bits = bits_of(x)
    above = bits - np.uint64(0x3fe6a09e667f3bcd)
    n = of_bits((above + np.uint64(1024 << 52)) >> np.uint64(52) | np.uint64(0x4330000000000000)) - (f("0x1p52") + 1024)
    return of_bits(bits - (above & np.uint64(0xfff0000000000000))), n


def log(x):
    small = x < f("0x1p-1022")
    z, n = fraction_of(np.where(small, x * f("0x1p54"), x))
    n = n - np.where(small, 54, 0)
    z1 = z - 1
    s = z1 / (2 + z1)
    s2, half = s * s, 0.5 * z1 * z1
    s4 = s2 * s2
    first = f("0x1.5555555555558p-1") + s2 * f("0x1.9999999995137p-2")
    second = f("0x1.2492492e2e9c6p-2") + s2 * f("0x1.c71c6290f394cp-3")
    third = (f("0x1.7462cd84700d5p-3") + s2 * f("0x1.39fb1a4edf885p-3")) + s4 * f("0x1.2b810433b0c5ep-3")
    tail = s2 * (first + s4 * (second + s4 * third))
    y = n * LN2 - ((half - (s * (half + tail) + n * LN2_LOW)) - z1)
    return np.select([x == np.inf, x > 0, x < 0, x == 0], [np.inf, y, np.nan, -np.inf], x)


def lost(a, b, s):
    of_b = s - a
    return (a - (s - of_b)) + (b - of_b)


def turn_of(x):
    x = np.where(x < f("0x1p30"), x, np.nan)
    shifted = x * f("0x1.45f306dc9c883p-1") + f("0x1.8p52")
    n = shifted - f("0x1.8p52")
    c = (x - n * f("0x1.921fb4p0")) - n * f("0x1.4442dp-24")
    third, fourth = n * f("0x1.846988p-48"), n * f("0x1.8cc514p-72")
    d = c - third
    e = d - fourth
    rest = (lost(c, -third, d) + lost(d, -fourth, e)) - n * f("0x1.80dc1cd129025p-95")
    r = e + rest
    return bits_of(shifted), r, (e - r) + rest


def sin_of(r, rest):
    r2 = square(r)
    r3, r4 = r2 * r, r2 * r2
    first = f("0x1.1111111110c7bp-7") + r2 * f("-0x1.a01a019e9ef09p-13")
    second = f("0x1.71de37aeaddf9p-19") + r2 * f("-0x1.ae601da8d05ecp-26")
    p = first + r4 * (second + r4 * f("0x1.5e10538965802p-33"))
    return r - ((r2 * (0.5 * rest - r3 * p) - rest) - r3 * f("-0x1.5555555555555p-3"))


def cos_of(r, rest):
    r2 = square(r)
    r4, half = r2 * r2, 0.5 * r2
    first = 1 - half
    low = f("0x1.5555555555555p-5") + r2 * f("-0x1.6c16c16c168c8p-10")
    middle = f("0x1.a01a019f37984p-16") + r2 * f("-0x1.27e4fa01f1c44p-22")
    p = low + r4 * (middle + r4 * (f("0x1.1eeb56bcac538p-29") + r2 * f("-0x1.9072add627172p-37")))
    return first + (((1 - first) - half) + (r4 * p - r * rest))


def sin(x):
    n, *r = turn_of(np.abs(x))
    y = np.where(n & np.uint64(1), cos_of(*r), sin_of(*r))
    return of_bits(bits_of(y) ^ (n & np.uint64(2)) << np.uint64(62) ^ sign_of(x))


def cos(x):
    n, *r = turn_of(np.abs(x))
    y = np.where(n & np.uint64(1), sin_of(*r), cos_of(*r))
    return of_bits(bits_of(y) ^ ((n + np.uint64(1)) & np.uint64(2)) << np.uint64(62))


def tan(x):
    n, *r = turn_of(np.abs(x))
    odd, s, c = n & np.uint64(1), sin_of(*r), cos_of(*r)
    return of_bits(bits_of(np.where(odd, -c, s) / np.where(odd, s, c)) ^ sign_of(x))


def eighth_of(small, large):
    far = small > large * f("0x1.a827999fcef32p-2")
    v = np.where(far, small - large, small) / np.where(far, small + large, large)
    z = square(v)
    z2 = z * z
    z4 = z2 * z2
    low = (f("-0x1.5555555555555p-2") + z * f("0x1.9999999999815p-3")) + z2 * (f("-0x1.2492492481cb2p-3") + z * f("0x1.c71c71bca7f53p-4"))
    middle = (f("-0x1.745d1567ca0fbp-4") + z * f("0x1.3b137c1bf7ecfp-4")) + z2 * (f("-0x1.110d2e78eb056p-4") + z * f("0x1.e17f2d42177b7p-5"))
    high = (f("-0x1.abcbc4ce2dfbep-5") + z * f("0x1.72145d5635c13p-5")) + z2 * (f("-0x1.14b77ed5b197fp-5") + z * f("0x1.fb6681fd1f91dp-7"))
    p = z * (low + z4 * (middle + z4 * high))
    return np.where(far, f("0x1.921fb54442d18p-1") + (v + (v * p + f("0x1.1a62633145c07p-55"))), v + v * p)


def atan2(y, x):
    up, along = np.abs(y), np.abs(x)
    large, small = np.where(up > along, up, along), np.where(up > along, along, up)
    scale = np.where(large > f("0x1p1000"), f("0x1p-100"), 1)
    below = np.where((large == 0) | ~(large < np.inf), 1, large * scale)
    above = np.where(large < np.inf, small * scale, np.where(small < np.inf, 0, 1))
    eighth = eighth_of(above, below)
    quarter = np.where(up > along, f("0x1.921fb54442d18p0") - (eighth - f("0x1.1a62633145c07p-54")), eighth)
    angle = np.where(sign_of(x), f("0x1.921fb54442d18p1") - (quarter - f("0x1.1a62633145c07p-53")), quarter)
    return np.where(np.isnan(y) | np.isnan(x), y + x, np.copysign(angle, y))


def head_of(x):
    return of_bits(bits_of(x) & np.uint64(0xfffffffff8000000))


def log2_of(x, less):
    z, n = fraction_of(x)
    z1 = z - 1
    d = 2 + z1
    v = 1 / d
    s = z1 * v
    s_head, d_head = head_of(s), head_of(d)
    s_rest = ((z1 - s_head * d_head) - s_head * (z1 - (d_head - 2))) * v
    s2 = s * s
    s4, square = s2 * s2, s_head * s_head
    first = (f("0x1.3333333333333p-1") + s2 * f("0x1.b6db6db6db973p-2")) + s4 * (f("0x1.5555555507682p-2") + s2 * f("0x1.1745d1b5cb5b9p-2"))
    second = (f("0x1.d89d4fd1a2c7dp-3") + s2 * f("0x1.99a821ec525ap-3")) + s4 * (f("0x1.675a02431bf6dp-3") + s2 * f("0x1.6a8b96450c2ddp-3"))
    tail = s4 * (first + s4 * s4 * second) + s_rest * (s_head + s)
    total = head_of((3 + square) + tail)
    total_rest = tail - ((total - 3) - square)
    u, u_rest = s_head * total, s_rest * total + total_rest * s
    head = head_of(u + u_rest)
    rest = u_rest - (head - u)
    log, log_rest = head * f("0x1.ec709ep-1"), head * f("-0x1.e2fe0145b01f5p-28") + rest * f("0x1.ec709dc3a03fdp-1")
    n = n - less
    head = head_of((log + log_rest) + n)
    return head, log_rest - ((head - n) - log)


def exp2_of(q, p):
    total = q + p
    n = nearest(total)
    whole = q - n
    g = whole + p
    g_rest = p - (g - whole)
    head = head_of(g)
    u, u_rest = head * f("0x1.62e43p-1"), head * f("-0x1.05c610ca86c39p-29") + ((g - head) + g_rest) * f("0x1.62e42fefa39efp-1")
    r = u + u_rest
    first = 1 + r
    y = first + (((1 - first) + r) + exp_tail(r, u_rest - (r - u)))
    within = np.where(n > 1100, 1100, np.where(n < -1100, -1100, n))
    half = nearest(within * 0.5)
    return np.where(total > 1030, np.inf, np.where(total < -1080, 0, y * two_to(half) * two_to(within - half)))


def pow(x, y):
    size = np.abs(x)
    small = size < f("0x1p-1022")
    power = np.where(y > f("0x1p65"), f("0x1p65"), np.where(y < f("-0x1p65"), f("-0x1p65"), y))
    log, log_rest = log2_of(np.where(small, size * f("0x1p54"), size), np.where(small, 54.0, 0.0))
    head = head_of(power)
    finite = exp2_of(head * log, (power - head) * log + power * log_rest)
    value = np.where(size == 0, np.where(y > 0, 0, np.inf), np.where(size == np.inf, np.where(y > 0, np.inf, 0), finite))
    whole = np.floor(y) == y
    odd = whole & (np.floor(y * 0.5) != y * 0.5)
    value = np.where((x < 0) & (size < np.inf) & ~whole, np.nan, value)
    value = of_bits(bits_of(value) ^ np.where(odd, sign_of(x), np.uint64(0)))
    value = np.where((size == 1) & (np.abs(y) == np.inf), 1, value)
    value = np.where(np.isnan(x), x, np.where(np.isnan(y), y, value))
    return np.where((y == 0) | (x == 1), 1, value)
