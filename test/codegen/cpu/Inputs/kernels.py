#!/usr/bin/env python3
"""Kernels for the tests of the CPU code generator: kernels.py floats|ints|division|casts|contract|long_sums|fuzz [SEED] prints one module."""
import random
import sys

N = 300  # lanes of every width, and a tail
FLOAT_UNARY = ["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
               "asinh", "acosh", "atanh", "erf", "erfc", "sqrt", "rsqrt", "floor", "ceil", "trunc", "round_even", "neg", "abs"]
FLOAT_BINARY = ["add", "sub", "mul", "div", "fmod", "max", "min", "pow", "atan2", "copysign"]
INT_BINARY = ["add", "sub", "mul", "max", "min", "and", "or", "xor", "shl", "shr"]
COMPARE = ["eq", "ne", "lt", "le", "gt", "ge"]
INTS = ["i8", "i16", "i32", "i64", "ui8", "i1"]


def elementwise(name, inputs, result, ops):
    """One pointwise kernel over [N]; `ops` computes %r out of %v0, %v1."""
    arguments = ", ".join(f"%x{i}: tensor<{N}x{ty}>" for i, ty in enumerate(inputs))
    loads = "".join(f"  %v{i} = kernel.load %x{i}[affine_map<(d0) -> (d0)>](%i) : tensor<{N}x{ty}> -> {ty}\n"
                    for i, ty in enumerate(inputs))
    return (f"kernel.func @{name}({arguments}) outs(%y: tensor<{N}x{result}>) grid(%i : <{N}>) {{\n{loads}  {ops}\n"
            f"  kernel.store %r, %y[affine_map<(d0) -> (d0)>](%i) : {result}, tensor<{N}x{result}>\n}}")


def unary(op, ty):
    return elementwise(f"{op}_{ty}", [ty], ty, f"%r = scalar.{op} %v0 : {ty}")


def binary(op, ty):
    return elementwise(f"{op}_{ty}", [ty, ty], ty, f"%r = scalar.{op} %v0, %v1 : {ty}")


def compare(op, ty):
    return elementwise(f"{op}_{ty}", [ty, ty], "i1", f"%r = scalar.compare {op} %v0, %v1 : {ty}")


def cast(a, b):
    return elementwise(f"cast_{a}_{b}", [a], b, f"%r = scalar.cast %v0 : {a} to {b}")


def floats():
    for ty in ("f32", "f64"):
        yield from (unary(op, ty) for op in FLOAT_UNARY)
        yield from (binary(op, ty) for op in FLOAT_BINARY)
        yield from (compare(op, ty) for op in COMPARE)


def ints():
    for ty in INTS:
        yield from (binary(op, ty) for op in INT_BINARY)
        yield from (compare(op, ty) for op in COMPARE)
        if ty != "i1":
            yield from (unary(op, ty) for op in ("neg", "abs"))


def division():
    for ty in ("i8", "i16", "i32", "i64"):
        yield from (binary(op, ty) for op in ("int_div", "int_floor_div", "int_rem"))


def casts():
    types = ["f16", "bf16", "f32", "f64"] + INTS
    yield from (cast(a, b) for a in types for b in types if a != b)


def t(dims, ty="f32", order=None):
    d = "x".join(str(x) for x in dims)
    enc = f", #graph.info<order = {order}>" if order else ""
    return f"tensor<{d}x{ty}{enc}>" if dims else f"tensor<{ty}{enc}>"


def linear(name, m, n, k, panel=0, ty="f32", acc=None, relu=True, bias=True):
    acc = acc or ty
    w = t([-(-n//panel), k, panel], ty) if panel else t([n, k], ty)
    rmap = "affine_map<(n, k) -> (n, k)>" if not panel else "affine_map<(n, k) -> (n, k, 0)>"
    p = f" {{panel = {panel} : i64}}" if panel else ""
    s = f"kernel.func @{name}(%a: {t([m,k],ty)}, %w: {w}, %bias: {t([n],acc)}) outs(%y: {t([m,n],acc)}) grid() {{\n"
    s += f"  kernel.contract %a[affine_map<(m, k) -> (m, k)>], %w[{rmap}] m [#graph.dim<{m}>] n [#graph.dim<{n}>] k [#graph.dim<{k}>]{p} : {t([m,k],ty)}, {w} {{\n"
    s += f"  ^bb0(%acc: {acc}, %m: index, %n: index):\n"
    v = "%acc"
    if bias:
        s += f"    %b = kernel.load %bias[affine_map<(d0) -> (d0)>](%n) : {t([n],acc)} -> {acc}\n    %s = scalar.add %acc, %b : {acc}\n"; v = "%s"
    if relu:
        z = "0.000000e+00" if acc[0] == "f" else "0"
        s += f"    %z = scalar.constant {z} : {acc}\n    %r = scalar.max {v}, %z : {acc}\n"; v = "%r"
    s += f"    kernel.store {v}, %y[affine_map<(d0, d1) -> (d0, d1)>](%m, %n) : {acc}, {t([m,n],acc)}\n  }}\n}}\n"
    return s


def matmul(name, m, n, k, ty="f32", acc=None, columns=None):
    """A plain rhs [k, columns] whose first n columns are read, contiguous along n: few rows read it in place."""
    acc, rhs = acc or ty, t([k, columns or n], ty)
    dims = lambda v: f"[#graph.dim<{v}>]"
    return (f"kernel.func @{name}(%a: {t([m,k],ty)}, %w: {rhs}) outs(%y: {t([m,n],acc)}) grid() {{\n"
            f"  kernel.contract %a[affine_map<(m, k) -> (m, k)>], %w[affine_map<(n, k) -> (k, n)>] m {dims(m)} n {dims(n)} k {dims(k)} : {t([m,k],ty)}, {rhs} {{\n"
            f"  ^bb0(%acc: {acc}, %m: index, %n: index):\n"
            f"    kernel.store %acc, %y[affine_map<(d0, d1) -> (d0, d1)>](%m, %n) : {acc}, {t([m,n],acc)}\n  }}\n}}\n")


def conv(name, B, C, H, W, N, K, stride, pad, order_in, order_out, panel, activation="tanh"):
    Ho = (H+2*pad-K)//stride+1; Wo = (W+2*pad-K)//stride+1
    x = t([B,C,H,W], order=order_in); y = t([B,N,Ho,Wo], order=order_out)
    kk = C*K*K
    nhwc = order_in is not None
    # k order: (kh, kw, c) for nhwc else (c, kh, kw)
    kd = "kh, kw, c" if nhwc else "c, kh, kw"; ke = [K,K,C] if nhwc else [C,K,K]
    if panel:
        w = t([-(-N//panel), kk, panel]); rmap = f"affine_map<(b, n, {kd}) -> (n, 0, 0)>"
    else:
        w = t([N,C,K,K]); rmap = f"affine_map<(b, n, {kd}) -> (n, c, kh, kw)>"
    lmap = f"affine_map<(b, h, w, {kd}) -> (b, c, h * {stride} + kh - {pad}, w * {stride} + kw - {pad})>"
    mask = f" mask #set_{name}" if pad else ""
    head = ""
    if pad:
        head = f"#set_{name} = affine_set<(b, h, w, {kd}) : (h * {stride} + kh - {pad} >= 0, {H-1+pad} - h * {stride} - kh >= 0, w * {stride} + kw - {pad} >= 0, {W-1+pad} - w * {stride} - kw >= 0)>\n"
    p = f" {{panel = {panel} : i64}}" if panel else ""
    s = head + f"kernel.func @{name}(%x: {x}, %w: {w}, %bias: {t([N])}) outs(%y: {y}) grid(%b : <{B}>) {{\n"
    dims = lambda l: "[" + ", ".join(f"#graph.dim<{v}>" for v in l) + "]"
    s += f"  kernel.contract %x[{lmap}], %w[{rmap}] m {dims([Ho,Wo])} n {dims([N])} k {dims(ke)}{mask}{p} : {x}, {w} {{\n  ^bb0(%acc: f32, %h: index, %ww: index, %n: index):\n"
    s += f"    %bb = kernel.load %bias[affine_map<(d0) -> (d0)>](%n) : {t([N])} -> f32\n    %s = scalar.add %acc, %bb : f32\n    %q = scalar.{activation} %s : f32\n"
    s += f"    kernel.store %q, %y[affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>](%b, %h, %ww, %n) : f32, {y}\n  }}\n}}\n"
    return s


def contract():
    out = []
    for i, (m, n, k, p) in enumerate([(4,32,16,32),(1,64,40,32),(1,17,9,16),(2,33,7,32),(3,70,65,32),(5,16,1,16),(14,32,64,32),(29,96,33,32),(197,48,20,48),(15,64,31,64),(13,31,100,32),(4,32,16,0),(37,45,23,0),(1,8,5,0),(3,1,50,0),(60,7,64,0)]):
        out.append(linear(f"linear{i}_{m}x{n}x{k}_p{p}", m, n, k, p))
    out.append(linear("f64", 9, 21, 30, 0, "f64")); out.append(linear("f64_packed", 9, 40, 30, 32, "f64"))
    out.append(linear("i64", 5, 19, 8, 0, "i64")); out.append(linear("i8", 5, 40, 33, 32, "i8", "i32")); out.append(linear("i32", 6, 10, 12, 0, "i32", "i64"))
    out.append(linear("bf16", 9, 40, 33, 32, "bf16", "f32")); out.append(linear("f16", 9, 40, 33, 0, "f16", "f32"))
    NHWC = [0,2,3,1]
    out.append(conv("conv1x1", 2, 20, 5, 6, 33, 1, 1, 0, NHWC, NHWC, 32))
    out.append(conv("conv3x3", 2, 20, 7, 6, 33, 3, 1, 1, NHWC, NHWC, 32))
    out.append(conv("conv3x3s2", 1, 3, 9, 11, 16, 3, 2, 1, NHWC, NHWC, 16))
    out.append(conv("conv5x5valid", 1, 40, 9, 9, 48, 5, 1, 0, NHWC, NHWC, 48))
    out.append(conv("conv3x3nchw", 2, 5, 7, 9, 10, 3, 1, 1, None, None, 0))
    out.append(conv("conv3x3mixed", 1, 16, 8, 8, 32, 3, 1, 1, NHWC, None, 32))
    out.append(conv("conv1x1nchw", 1, 12, 8, 8, 10, 1, 1, 0, None, None, 16))
    for m, n, k, columns in [(1, 64, 100, 64), (1, 130, 33, 130), (2, 40, 17, 50), (4, 128, 300, 128), (6, 33, 20, 33), (7, 64, 9, 70), (14, 31, 12, 31), (15, 32, 12, 32), (3, 5, 1, 5), (1, 200, 1000, 333)]:
        out.append(matmul(f"matmul_{m}x{n}x{k}_{columns}", m, n, k, columns=columns))
    out.append(matmul("matmul_f64", 3, 21, 30, "f64")); out.append(matmul("matmul_f16", 3, 50, 30, "f16", "f32")); out.append(matmul("matmul_i8", 2, 50, 30, "i8", "i32"))
    # batched: attention scores and values
    out.append("""kernel.func @scores(%q: tensor<2x3x10x16xf32>, %k: tensor<2x3x21x16xf32>) outs(%y: tensor<2x3x10x21xf32>) grid(%b : <2>, %h : <3>) {
      %scale = scalar.constant 2.500000e-01 : f32
      kernel.contract %q[affine_map<(b, h, m, k) -> (b, h, m, k)>], %k[affine_map<(b, h, n, k) -> (b, h, n, k)>] m [#graph.dim<10>] n [#graph.dim<21>] k [#graph.dim<16>] : tensor<2x3x10x16xf32>, tensor<2x3x21x16xf32> {
      ^bb0(%acc: f32, %m: index, %n: index):
        %s = scalar.mul %acc, %scale : f32
        kernel.store %s, %y[affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>](%b, %h, %m, %n) : f32, tensor<2x3x10x21xf32>
      }
    }
    kernel.func @values(%p: tensor<2x3x10x21xf32>, %v: tensor<2x21x3x40xf32>) outs(%y: tensor<2x10x3x40xf32>) grid(%b : <2>, %h : <3>) {
      kernel.contract %p[affine_map<(b, h, m, k) -> (b, h, m, k)>], %v[affine_map<(b, h, n, k) -> (b, k, h, n)>] m [#graph.dim<10>] n [#graph.dim<40>] k [#graph.dim<21>] : tensor<2x3x10x21xf32>, tensor<2x21x3x40xf32> {
      ^bb0(%acc: f32, %m: index, %n: index):
        kernel.store %acc, %y[affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>](%b, %h, %m, %n) : f32, tensor<2x10x3x40xf32>
      }
    }
    """)
    return out


def long_sums():
    """Sums of thousands of products, whose rounding errors must not grow with their length: packed and plain, one row and many, cut in an inner and in an outer loop."""
    plain = dict(relu=False, bias=False)
    for m, n, k, panel in [(2, 33, 20000, 32), (1, 17, 10001, 16), (2, 20, 4999, 0), (30, 8, 1500, 0), (29, 64, 385, 32), (3, 5, 384, 16)]:
        yield linear(f"linear_{m}x{n}x{k}_p{panel}", m, n, k, panel, **plain)
    yield linear("f64", 5, 9, 3000, 0, "f64", **plain)
    yield linear("bf16", 5, 9, 3000, 16, "bf16", "f32", **plain)
    yield linear("i32", 5, 9, 3000, 16, "i32", "i64", **plain)
    nhwc = [0, 2, 3, 1]
    yield conv("conv3x3", 1, 300, 5, 4, 17, 3, 1, 0, nhwc, nhwc, 32, "abs")
    yield conv("conv5x5", 1, 150, 6, 7, 17, 5, 1, 0, nhwc, nhwc, 32, "abs")
    yield conv("conv3x3padded", 1, 333, 5, 4, 17, 3, 1, 1, nhwc, nhwc, 32, "abs")


def fuzz():
    """Contractions of random shapes, operand forms and layouts; the seed is the second argument."""
    pick = random.Random(int(sys.argv[2])).choice
    nhwc = [0, 2, 3, 1]
    for i in range(25):
        m, n = pick([0, 1, 2, 3, 5, 6, 7, 13, 14, 15, 28, 29, 50]), pick([0, 1, 3, 8, 15, 16, 17, 31, 32, 33, 47, 64, 65, 100])
        k, ty = pick([0, 1, 2, 3, 4, 5, 8, 17, 64, 130]), pick(["f32", "f32", "f32", "f64", "bf16", "f16", "i32"])
        acc = {"bf16": "f32", "f16": "f32", "i32": "i64"}.get(ty, ty)
        yield linear(f"linear{i}", m, n, k, pick([0, 16, 32, 48, 64]), ty, acc, pick([False, True]), pick([False, True]))
    for i in range(15):
        kernel = pick([1, 2, 3])
        yield conv(f"conv{i}", pick([1, 2]), pick([1, 2, 3, 8, 17, 33]), pick([3, 5, 8, 13]), pick([3, 6, 9, 18]), pick([1, 5, 16, 33, 64]), kernel,
                   pick([1, 2, 3]), pick([0, 1]) if kernel > 1 else 0, pick([nhwc, None]), pick([nhwc, None]), pick([0, 16, 32]))


if __name__ == "__main__":
    makers = {"floats": floats, "ints": ints, "division": division, "casts": casts, "contract": contract, "long_sums": long_sums, "fuzz": fuzz}
    print("\n".join(makers[sys.argv[1]]()))
