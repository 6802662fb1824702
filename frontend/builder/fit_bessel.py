#!/usr/bin/env python3
"""Chebyshev coefficients of the scaled modified Bessel functions in SpecialFunctions.cpp, computed with 50 digits. Needs mpmath.

On [0, 8]: e^-x I0(x) and e^-x I1(x) / x over t = x/4 - 1; beyond: both times sqrt(x) over t = 16/x - 1.
"""
import mpmath as mp

mp.mp.dps = 50
NODES = 64


def chebyshev(function):
    points = [mp.cos(mp.pi * (k + mp.mpf(1) / 2) / NODES) for k in range(NODES)]
    values = [function(t) for t in points]
    terms = [2 / mp.mpf(NODES) * sum(v * mp.cos(mp.pi * j * (k + mp.mpf(1) / 2) / NODES) for k, v in enumerate(values)) for j in range(40)]
    terms[0] /= 2
    while abs(terms[-1]) < max(map(abs, terms)) * mp.mpf(10) ** -18:
        terms.pop()
    return terms


def scaled(order, x):
    return mp.besseli(order, x) * mp.exp(-x)


for name, function in (("i0Small", lambda t: scaled(0, 4 * (t + 1))), ("i0Large", lambda t: scaled(0, 16 / (t + 1)) * mp.sqrt(16 / (t + 1))),
                       ("i1Small", lambda t: scaled(1, 4 * (t + 1)) / (4 * (t + 1))), ("i1Large", lambda t: scaled(1, 16 / (t + 1)) * mp.sqrt(16 / (t + 1)))):
    print(f"constexpr double {name}[] = {{" + ", ".join(repr(float(c)) for c in chebyshev(function)) + "};")
