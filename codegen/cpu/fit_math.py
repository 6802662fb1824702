#!/usr/bin/env python3
"""Fits the polynomials of VectorMath.cpp: least squares of the relative error at Chebyshev nodes in 50-digit arithmetic,
a few rounds of reweighting towards equal ripples, coefficients printed lowest power first with the error reached.

  fit_math.py        needs mpmath; prints C++ arrays
"""
import mpmath as mp

mp.mp.dps = 50


def fit(name, target, low, high, degree, precision, rounds=12, weight=None):
    """target(x) ~ sum c_i x^i with small error relative to `weight` (default: target)."""
    weight = weight or target
    n = 6 * (degree + 1)
    nodes = [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    targets = [target(x) for x in nodes]
    scale = [1 / abs(weight(x)) for x in nodes]
    boost = [mp.mpf(1)] * n
    best = None
    for _ in range(rounds):
        rows = mp.matrix(n, degree + 1)
        right = mp.matrix(n, 1)
        for i, x in enumerate(nodes):
            w = scale[i] * mp.sqrt(boost[i])
            for j in range(degree + 1):
                rows[i, j] = w * x**j
            right[i] = w * targets[i]
        c = mp.lu_solve(rows.T * rows, rows.T * right)
        errors = [abs(sum(c[j] * x**j for j in range(degree + 1)) - t) * s for x, t, s in zip(nodes, targets, scale)]
        worst = max(errors)
        if best is None or worst < best[0]:
            best = (worst, c)
        boost = [b * (e / worst + mp.mpf("0.02")) for b, e in zip(boost, errors)]
        total = sum(boost)
        boost = [b * n / total for b in boost]
    worst, c = best
    digits = 9 if precision == 24 else 17
    text = ", ".join(mp.nstr(c[j], digits, min_fixed=0, max_fixed=0) for j in range(degree + 1))
    print(f"// {name}: relative error {mp.nstr(worst, 3)}\n{{{text}}}")


def main():
    one = mp.mpf(1)
    half_ln2 = mp.log(2) / 2
    # f32 arithmetic
    fit("exp(r) = 1 + r + r^2 P(r), |r| <= ln2/2", lambda r: (mp.expm1(r) - r) / r**2 if r else one / 2, -half_ln2, half_ln2, 4, 24)
    fit("tanh(x) = x + x s P(s), s = x^2 <= 0.4", lambda s: (mp.tanh(mp.sqrt(s)) / mp.sqrt(s) - 1) / s, one / 10**9, mp.mpf("0.4"), 5, 24)
    fit("erf(x) = x + x P(s), s = x^2 <= 0.87", lambda s: mp.erf(mp.sqrt(s)) / mp.sqrt(s) - 1, one / 10**9, mp.mpf("0.87"), 6, 24,
        weight=lambda s: one)
    fit("erfc(x) = exp(-x^2) P(t), t = 1/x, 0.93 <= x <= 4", lambda t: mp.erfc(1 / t) * mp.exp(1 / t**2), one / 4, 1 / mp.mpf("0.93"), 8, 24)
    fit("log(1+f) = f - f^2/2 + f^3 P(f), sqrt(1/2) <= 1+f <= sqrt(2)", lambda f: (mp.log1p(f) - f + f**2 / 2) / f**3 if f else one / 3,
        mp.sqrt(one / 2) - 1, mp.sqrt(2 * one) - 1, 8, 24, weight=lambda f: mp.log1p(f) / f if f else one)
    # double arithmetic, for f32 results
    fit("exp(r), |r| <= ln2/2", lambda r: mp.exp(r), -half_ln2, half_ln2, 7, 53)
    limit = (mp.sqrt(2 * one) - 1) / (mp.sqrt(2 * one) + 1)
    fit("log((1+s)/(1-s)) = s P(s^2), |s| <= 0.1716", lambda z: 2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z), one / 10**12, limit**2, 5, 53)
    fit("sin(r) = r P(r^2), |r| <= pi/4", lambda z: mp.sin(mp.sqrt(z)) / mp.sqrt(z), one / 10**12, (mp.pi / 4)**2 * mp.mpf("1.01"), 4, 53)
    fit("cos(r) = P(r^2), |r| <= pi/4", lambda z: mp.cos(mp.sqrt(z)), one / 10**12, (mp.pi / 4)**2 * mp.mpf("1.01"), 4, 53)
    fit("atan(t) = t P(t^2), |t| <= tan(pi/8)", lambda z: mp.atan(mp.sqrt(z)) / mp.sqrt(z), one / 10**12, mp.mpf("0.1716"), 6, 53)
    fit("expm1(x) = x P(x), |x| <= 1/2", lambda x: mp.expm1(x) / x if x else one, -one / 2, one / 2, 7, 53)
    fit("sinh(x) = x P(x^2), |x| <= 1", lambda z: mp.sinh(mp.sqrt(z)) / mp.sqrt(z), one / 10**12, one, 4, 53)
    fit("erfc(x) = exp(-x^2) P(t), t = (x-2)/(x+2), 0 <= x <= 10.2",
        lambda t: mp.erfc(2 * (1 + t) / (1 - t)) * mp.exp((2 * (1 + t) / (1 - t))**2), -one, (mp.mpf("10.2") - 2) / mp.mpf("12.2"), 14, 53)


if __name__ == "__main__":
    main()
