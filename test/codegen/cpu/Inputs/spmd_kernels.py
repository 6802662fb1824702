#!/usr/bin/env python3
"""Pointwise, reduce and row kernels for the tests of the CPU code generator: spmd_kernels.py prints one module, with dims B and T symbolic in some;
spmd_kernels.py long_sums prints long reductions, spmd_kernels.py depthwise|grouped such convolutions, spmd_kernels.py SEED prints random ones: dims, physical orders, slices, flips, broadcasts, masks, reductions, element types."""
import random
import sys


def dim(extent):
    return f'"{extent}"' if isinstance(extent, str) and not extent.isidentifier() else str(extent)


def tensor(dims, ty="f32", order=None):
    symbolic = any(isinstance(d, str) for d in dims)
    info = []
    if symbolic:
        info.append("dims = [" + ", ".join(dim(d) for d in dims) + "]")
    if order:
        info.append(f"order = {order}")
    shape = "".join(("?" if isinstance(d, str) else str(d)) + "x" for d in dims)
    return f"tensor<{shape}{ty}{', #graph.info<' + ', '.join(info) + '>' if info else ''}>"


class Kernel:
    """Text of one kernel.func, line by line."""

    def __init__(self, name, inputs, outputs, grid, symbols=()):
        self.names = {}
        def arguments(buffers):
            self.names.update(buffers)
            return ", ".join(f"%{n}: {t}" for n, t in buffers)
        symbol_text = f" symbols [{', '.join(f'#graph.dim<{s}>' for s in symbols)}]" if symbols else ""
        self.symbols = "[" + ", ".join(f"s{i}" for i in range(len(symbols))) + "]" if symbols else ""
        grid_text = ", ".join(f"%{i} : <{dim(e)}>" for i, e in grid)
        self.lines = [f"kernel.func @{name}({arguments(inputs)}) outs({arguments(outputs)}) grid({grid_text}){symbol_text} {{"]

    def add(self, line):
        self.lines.append("  " + line)

    def element(self, buffer):
        return self.names[buffer].split("x")[-1].split(",")[0].split("<")[-1].rstrip(">")

    def map(self, indices, exprs):
        return f"affine_map<({', '.join(indices)}){self.symbols} -> ({', '.join(exprs)})>"

    def load(self, result, buffer, indices, exprs, mask=None, otherwise=None):
        ty = self.element(buffer)
        masked = ""
        if mask:
            masked = f" mask affine_set<({', '.join(indices)}){self.symbols} : ({mask})> else %{otherwise} : {ty}"
        operands = ", ".join(f"%{i}" for i in indices)
        self.add(f"%{result} = kernel.load %{buffer}[{self.map(indices, exprs)}]({operands}){masked} : {self.names[buffer]} -> {ty}")

    def store(self, value, buffer, indices, exprs):
        operands = ", ".join(f"%{i}" for i in indices)
        self.add(f"kernel.store %{value}, %{buffer}[{self.map(indices, exprs)}]({operands}) : {self.element(buffer)}, {self.names[buffer]}")

    def text(self):
        return "\n".join(self.lines + ["}"])


def copy(name, dims, source_order, target_order):
    ids = [f"i{d}" for d in range(len(dims))]
    k = Kernel(name, [("x", tensor(dims, order=source_order))], [("y", tensor(dims, order=target_order))], list(zip(ids, dims)))
    k.load("v", "x", ids, ids)
    k.add("%r = scalar.neg %v : f32")
    k.store("r", "y", ids, ids)
    return k.text()


def reduce(name, dims, axes, monoid, ty="f32", order=None):
    ids = [f"i{d}" for d in range(len(dims))]
    kept = [d for d in range(len(dims)) if d not in axes]
    out = tensor([dims[d] for d in kept], ty)
    k = Kernel(name, [("x", tensor(dims, ty, order))], [("y", out)], [(ids[d], dims[d]) for d in kept])
    inner = ", ".join(f"%{ids[d]} : <{dim(dims[d])}>" for d in axes)
    k.add(f"%m = kernel.reduce [{monoid}] over ({inner}) -> {ty} {{")
    k.load("v", "x", ids, ids)
    k.add(f"kernel.yield %v : {ty}")
    k.add("}")
    k.store("m", "y", [ids[d] for d in kept], [ids[d] for d in kept])
    return k.text()


def arg_reduce(name, rows, columns, monoid, transposed=False):
    shape = [columns, rows] if transposed else [rows, columns]
    exprs = ["c", "r"] if transposed else ["r", "c"]
    k = Kernel(name, [("x", tensor(shape))], [("v", tensor([rows])), ("at", tensor([rows], "i64"))], [("r", rows)])
    k.add(f"%m, %i = kernel.reduce [{monoid}] over (%c : <{dim(columns)}>) -> (f32, i64) {{")
    k.load("e", "x", ["r", "c"], exprs)
    k.add("%j = kernel.index_value[affine_map<(d0) -> (d0)>](%c) : i64")
    k.add("kernel.yield %e, %j : f32, i64")
    k.add("}")
    k.store("m", "v", ["r"], ["r"])
    k.store("i", "at", ["r"], ["r"])
    return k.text()


def layer_norm(name, rows, columns, ty="f32"):
    k = Kernel(name, [("x", tensor([rows, columns], ty)), ("g", tensor([columns]))], [("y", tensor([rows, columns], ty))], [("r", rows)])

    def widened(result):
        k.load("e", "x", ["r", "c"], ["r", "c"])
        k.add(f"%{result} = scalar.cast %e : {ty} to f32" if ty != "f32" else f"%{result} = scalar.neg %e : f32")

    k.add("%n = scalar.constant 3.000000e-02 : f32")
    k.add("%eps = scalar.constant 1.000000e-05 : f32")
    k.add(f"%s = kernel.reduce [sum] over (%c : <{dim(columns)}>) -> f32 {{")
    widened("v")
    k.add("kernel.yield %v : f32")
    k.add("}")
    k.add("%mean = scalar.mul %s, %n : f32")
    k.add(f"%q = kernel.reduce [sum] over (%c : <{dim(columns)}>) -> f32 {{")
    widened("v")
    k.add("%d = scalar.sub %v, %mean : f32")
    k.add("%p = scalar.mul %d, %d : f32")
    k.add("kernel.yield %p : f32")
    k.add("}")
    k.add("%var = scalar.add %q, %eps : f32")
    k.add("%inv = scalar.rsqrt %var : f32")
    k.add(f"kernel.map (%c : <{dim(columns)}>) {{")
    widened("v")
    k.add("%d = scalar.sub %v, %mean : f32")
    k.add("%h = scalar.mul %d, %inv : f32")
    k.load("w", "g", ["c"], ["c"])
    k.add("%o = scalar.mul %h, %w : f32")
    k.add(f"%z = scalar.cast %o : f32 to {ty}" if ty != "f32" else "%z = scalar.neg %o : f32")
    k.store("z", "y", ["r", "c"], ["r", "c"])
    k.add("}")
    return k.text()


def window(name, channels, size, kernel, stride, padding, order, depthwise):
    """Max pooling, or a depthwise convolution, over [2, channels, size, size]."""
    out = (size + 2 * padding - kernel) // stride + 1
    inputs = [("x", tensor([2, channels, size, size], order=order))]
    if depthwise:
        inputs.append(("w", tensor([channels, kernel, kernel], order=[1, 2, 0] if order else None)))
    k = Kernel(name, inputs, [("y", tensor([2, channels, out, out], order=order))], [("b", 2), ("c", channels), ("h", out), ("w_", out)])
    at = [f"h * {stride} + i - {padding}", f"w_ * {stride} + j - {padding}"]
    ids = ["b", "c", "h", "w_", "i", "j"]
    k.add(f"%outside = scalar.constant {'0.000000e+00' if depthwise else '0xFF800000'} : f32")
    k.add(f"%m = kernel.reduce [{'sum' if depthwise else 'max'}] over (%i : <{kernel}>, %j : <{kernel}>) -> f32 {{")
    mask = ", ".join(f"{e} >= 0, {size - 1} - ({e}) >= 0" for e in at) if padding else None
    k.load("v", "x", ids, ["b", "c"] + at, mask, "outside")
    value = "v"
    if depthwise:
        k.load("t", "w", ["c", "i", "j"], ["c", "i", "j"])
        k.add("%p = scalar.mul %v, %t : f32")
        value = "p"
    k.add(f"kernel.yield %{value} : f32")
    k.add("}")
    k.store("m", "y", ["b", "c", "h", "w_"], ["b", "c", "h", "w_"])
    return k.text()


def mixed(name, rows, columns):
    """Bytes, bools, 16-bit floats, positions: where(mask and j <= i, f32(u8) + f32(f16), f32(bf16)), as f16."""
    shape = [rows, columns]
    k = Kernel(name, [("m", tensor(shape, "i1")), ("u", tensor(shape, "ui8")), ("h", tensor(shape, "f16")), ("b", tensor(shape, "bf16"))],
               [("y", tensor(shape, "f16")), ("z", tensor(shape, "i1"))], [("i", rows), ("j", columns)])
    ids = ["i", "j"]
    for buffer in "muhb":
        k.load("v" + buffer, buffer, ids, ids)
    k.add("%pi = kernel.index_value[affine_map<(d0) -> (d0)>](%i) : i64")
    k.add("%pj = kernel.index_value[affine_map<(d0) -> (d0)>](%j) : i64")
    k.add("%low = scalar.compare le %pj, %pi : i64")
    k.add("%c = scalar.and %vm, %low : i1")
    k.add("%fu = scalar.cast %vu : ui8 to f32")
    k.add("%fh = scalar.cast %vh : f16 to f32")
    k.add("%fb = scalar.cast %vb : bf16 to f32")
    k.add("%s = scalar.add %fu, %fh : f32")
    k.add("%w = scalar.select %c, %s, %fb : f32")
    k.add("%r = scalar.cast %w : f32 to f16")
    k.store("r", "y", ids, ids)
    k.store("c", "z", ids, ids)
    return k.text()


def reshape(name, flat, inner):
    k = Kernel(name, [("x", tensor([flat // inner, inner]))], [("y", tensor([flat]))], [("i", flat)])
    k.load("v", "x", ["i"], [f"i floordiv {inner}", f"i mod {inner}"])
    k.store("v", "y", ["i"], ["i"])
    return k.text()


def shuffle(name, groups, channels, size):
    """Channel shuffle: a floordiv and a mod that do not go away."""
    k = Kernel(name, [("x", tensor([groups * channels, size]))], [("y", tensor([groups * channels, size]))], [("c", groups * channels), ("i", size)])
    k.load("v", "x", ["c", "i"], [f"(c mod {groups}) * {channels} + c floordiv {groups}", f"{size - 1} - i"])
    k.store("v", "y", ["c", "i"], ["c", "i"])
    return k.text()


def concat(name, rows, a, b):
    k = Kernel(name, [("p", tensor([rows, a])), ("q", tensor([rows, b]))], [("y", tensor([rows, a + b]))], [("i", rows), ("j", a + b)])
    k.add("%zero = scalar.constant 0.000000e+00 : f32")
    k.load("u", "p", ["i", "j"], ["i", "j"], f"{a - 1} - j >= 0", "zero")
    k.load("v", "q", ["i", "j"], ["i", f"j - {a}"], f"j - {a} >= 0", "u")
    k.store("v", "y", ["i", "j"], ["i", "j"])
    return k.text()


def every_second(name, size):
    k = Kernel(name, [("x", tensor([2 * size]))], [("y", tensor([size]))], [("i", size)])
    k.load("v", "x", ["i"], ["i * 2 + 1"])
    k.store("v", "y", ["i"], ["i"])
    return k.text()


def shifted(name):
    """A slice that starts at a symbol: x[T:]."""
    k = Kernel(name, [("x", tensor(["B + T"]))], [("y", tensor(["B"]))], [("i", "B")], ["T"])
    k.load("v", "x", ["i"], ["i + s0"])
    k.store("v", "y", ["i"], ["i"])
    return k.text()


def main():
    nhwc = [0, 2, 3, 1]
    for n in (0, 1, 7, 8, 9, 15, 16, 17, 4096, 5000):
        print(copy(f"line{n}", [n], None, None))
    print(copy("nhwc_to_nchw", [2, 5, 7, 9], nhwc, None))
    print(copy("nchw_to_nhwc", [2, 19, 7, 9], None, nhwc))
    print(copy("same_nhwc", [2, 19, 7, 9], nhwc, nhwc))
    print(copy("transposed", [33, 45], [1, 0], None))
    print(copy("symbolic", ["B", 3, "T"], None, None))
    print(copy("symbolic_order", ["B", 5, "T"], [0, 2, 1], None))
    for n in (0, 1, 3, 16, 17, 100, 1000):
        print(reduce(f"row_sum{n}", [3, n], [1], "sum"))
        print(reduce(f"column_max{n}", [n, 21], [0], "max"))
    for monoid in ("sum", "prod", "max", "min"):
        for ty in ("f32", "f64", "i32", "i64", "ui8", "i8"):
            print(reduce(f"{monoid}_{ty}", [5, 67], [1], monoid, ty))
    for monoid in ("any", "all", "max", "min", "sum"):
        print(reduce(f"bool_{monoid}", [5, 67], [1], monoid, "i1"))
    print(reduce("all_dims", [3, 5, 7], [0, 1, 2], "sum"))
    print(reduce("middle", [3, 50, 20], [1], "min"))
    print(reduce("outer_inner", [6, 5, 40], [0, 2], "max"))
    print(reduce("nhwc_mean", [2, 20, 6, 6], [2, 3], "sum", order=nhwc))
    print(reduce("symbolic_rows", ["B", "T"], [1], "max"))
    print(reduce("symbolic_columns", ["T", "B"], [0], "sum"))
    for monoid in ("argmax", "argmin"):
        for n in (1, 5, 16, 100):
            print(arg_reduce(f"{monoid}{n}", 4, n, monoid))
        print(arg_reduce(f"{monoid}_columns", 20, 30, monoid, transposed=True))
    print(layer_norm("norm", 3, 37))
    print(layer_norm("norm_f16", 3, 64, "f16"))
    print(layer_norm("norm_bf16", 2, 129, "bf16"))
    print(layer_norm("norm_symbolic", "B", "T"))
    for order, suffix in ((None, "nchw"), (nhwc, "nhwc")):
        print(window(f"max_{suffix}", 20, 9, 3, 2, 1, order, False))
        print(window(f"max_valid_{suffix}", 6, 8, 2, 2, 0, order, False))
        print(window(f"depthwise_{suffix}", 20, 9, 3, 1, 1, order, True))
        print(window(f"depthwise_stride_{suffix}", 7, 11, 5, 2, 2, order, True))
    print(mixed("mixed", 9, 21))
    print(mixed("mixed_wide", 3, 200))
    print(reshape("reshape", 96, 8))
    print(shuffle("shuffle", 3, 5, 18))
    print(concat("concat", 3, 10, 23))
    print(every_second("every_second", 50))
    print(shifted("shifted"))


def long_sums():
    """Reductions over many elements: rows, columns, channels-last planes, symbolic extents."""
    nhwc = [0, 2, 3, 1]
    print(reduce("row", [2, 50001], [1], "sum"))
    print(reduce("column", [20000, 3], [0], "sum"))
    print(reduce("outer_inner", [1000, 2, 21], [0, 2], "sum"))
    print(reduce("plane", [1, 17, 90, 91], [2, 3], "sum", order=nhwc))
    print(reduce("all", [40, 20, 30], [0, 1, 2], "sum"))
    print(reduce("symbolic_row", ["B", "T"], [1], "sum"))
    print(reduce("symbolic_column", ["T", "B"], [0], "sum"))
    print(reduce("f64", [9000, 2], [0], "sum", "f64"))
    print(reduce("prod", [3, 3000], [1], "prod"))
    print(reduce("i64", [3000, 3], [0], "sum", "i64"))


def depthwise(name, sizes, channels, kernel, stride=1, padding=0, dilation=1, batch=2):
    """A depthwise convolution over channels-last [batch, channels, *sizes], weights [*kernel, channels], then a bias, a residual and relu."""
    rank = len(sizes)
    order = [0, *range(2, rank + 2), 1]
    outs = [size if isinstance(size, str) else (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1 for size in sizes]
    sizes = [f"{s} + {kernel - 1}" if isinstance(s, str) else s for s in sizes]
    shape = [batch, channels, *outs]
    k = Kernel(name, [("x", tensor([batch, channels, *sizes], order=order)), ("w", tensor([kernel] * rank + [channels])), ("bias", tensor([channels])),
                      ("r", tensor(shape, order=order))],
               [("y", tensor(shape, order=order))], [("b", batch), *((f"o{d}", outs[d]) for d in range(rank)), ("c", channels)])
    at = [f"o{d} * {stride} + k{d} * {dilation} - {padding}" for d in range(rank)]
    outer, inner = [f"o{d}" for d in range(rank)], [f"k{d}" for d in range(rank)]
    k.add("%zero = scalar.constant 0.000000e+00 : f32")
    k.add(f"%s = kernel.reduce [sum] over ({', '.join(f'%{i} : <{kernel}>' for i in inner)}) -> f32 {{")
    mask = ", ".join(f"{e} >= 0, {size - 1} - ({e}) >= 0" for e, size in zip(at, sizes)) if padding else None
    k.load("v", "x", ["b", "c", *outer, *inner], ["b", "c", *at], mask, "zero")
    k.load("t", "w", ["c", *inner], [*inner, "c"])
    k.add("%p = scalar.mul %v, %t : f32")
    k.add("kernel.yield %p : f32")
    k.add("}")
    k.load("a", "bias", ["c"], ["c"])
    k.load("u", "r", ["b", "c", *outer], ["b", "c", *outer])
    k.add("%q = scalar.add %s, %a : f32")
    k.add("%z = scalar.max %q, %zero : f32")
    k.add("%o = scalar.add %z, %u : f32")
    k.store("o", "y", ["b", "c", *outer], ["b", "c", *outer])
    return k.text()


def grouped(name, groups, inputs, outputs, sizes, kernel, stride=1, padding=0, dilation=1, batch=2):
    """A convolution over groups: the grid's last two indices are (group, output), weights [*kernel, inputs, groups * outputs]."""
    rank = len(sizes)
    order = [0, *range(2, rank + 2), 1]
    outs = [size if isinstance(size, str) else (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1 for size in sizes]
    sizes = [f"{s} + {kernel - 1}" if isinstance(s, str) else s for s in sizes]
    channels = groups * outputs
    k = Kernel(name, [("x", tensor([batch, groups * inputs, *sizes], order=order)), ("w", tensor([kernel] * rank + [inputs, channels])), ("bias", tensor([channels]))],
               [("y", tensor([batch, channels, *outs], order=order))], [("b", batch), *((f"o{d}", outs[d]) for d in range(rank)), ("g", groups), ("o", outputs)])
    at = [f"o{d} * {stride} + k{d} * {dilation} - {padding}" for d in range(rank)]
    outer, inner = [f"o{d}" for d in range(rank)], [f"k{d}" for d in range(rank)]
    channel = f"g * {outputs} + o"
    k.add("%zero = scalar.constant 0.000000e+00 : f32")
    k.add(f"%s = kernel.reduce [sum] over ({', '.join(f'%{i} : <{kernel}>' for i in inner)}, %i : <{inputs}>) -> f32 {{")
    mask = ", ".join(f"{e} >= 0, {size - 1} - ({e}) >= 0" for e, size in zip(at, sizes)) if padding else None
    k.load("v", "x", ["b", "g", *outer, *inner, "i"], ["b", f"g * {inputs} + i", *at], mask, "zero")
    k.load("t", "w", ["g", "o", *inner, "i"], [*inner, "i", channel])
    k.add("%p = scalar.mul %v, %t : f32")
    k.add("kernel.yield %p : f32")
    k.add("}")
    k.load("a", "bias", ["g", "o"], [channel])
    k.add("%q = scalar.add %s, %a : f32")
    k.add("%z = scalar.max %q, %zero : f32")
    k.store("z", "y", ["b", "g", "o", *outer], ["b", channel, *outer])
    return k.text()


def grouped_all():
    """Groups that fill a vector, part of one or several, tails, a channel multiplier; windows, strides, dilations, one to three dims, symbolic dims."""
    for groups, inputs, outputs in ((8, 4, 4), (7, 4, 4), (3, 8, 8), (2, 16, 16), (3, 16, 16), (5, 2, 2), (9, 1, 2), (16, 1, 2), (5, 1, 4), (5, 2, 4), (3, 3, 4), (3, 5, 8), (3, 7, 16)):
        print(grouped(f"g{groups}i{inputs}o{outputs}", groups, inputs, outputs, [5, 11], 3, padding=1))
    for kernel, stride, padding, dilation in ((1, 1, 0, 1), (2, 2, 0, 1), (3, 2, 1, 1), (5, 1, 2, 1), (3, 1, 2, 2), (3, 1, 5, 1)):
        print(grouped(f"k{kernel}s{stride}p{padding}d{dilation}", 6, 4, 4, [9, 13], kernel, stride, padding, dilation))
    print(grouped("line", 10, 4, 4, [50], 5, 1, 2))
    print(grouped("line_whole", 8, 8, 8, [17], 3, batch=1))
    print(grouped("volume", 4, 2, 2, [4, 5, 9], 3, 1, 1, batch=1))
    print(grouped("symbolic", 5, 4, 4, ["B", "T"], 3, batch="B"))


def depthwise_all():
    """Channels around the vector width, rows around the tile's, windows, strides, dilations, paddings, one to three dims, symbolic dims."""
    for channels in (2, 8, 15, 16, 17, 40, 96):
        print(depthwise(f"c{channels}", [6, 9], channels, 3, padding=1))
    for columns in (2, 7, 8, 9, 17, 23):
        print(depthwise(f"columns{columns}", [3, columns], 20, 3, padding=1))
    for kernel, stride, padding, dilation in ((1, 1, 0, 1), (2, 2, 0, 1), (3, 2, 1, 1), (5, 1, 2, 1), (5, 2, 2, 1), (7, 1, 3, 1), (3, 1, 2, 2), (3, 3, 4, 3), (4, 1, 3, 1), (3, 1, 5, 1)):
        print(depthwise(f"k{kernel}s{stride}p{padding}d{dilation}", [13, 15], 24, kernel, stride, padding, dilation))
    print(depthwise("one_row", [1, 12], 300, 3, padding=1, batch=1))
    print(depthwise("line", [50], 33, 5, 1, 2))
    print(depthwise("line_dilated", [50], 16, 3, 2, 4, 4))
    print(depthwise("line_long", [40], 16, 16))
    print(depthwise("volume", [4, 5, 9], 17, 3, 1, 1, batch=1))
    print(depthwise("symbolic", ["B", "T"], 24, 3, batch="B"))
    print(depthwise("symbolic_line", ["T"], 9, 4, batch=1))


class RandomKernel:
    """y = reduce(a[permuted, sliced, flipped, masked] + b[broadcast]) with everything drawn from `rng`."""

    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.dims = [rng.choice([1, 1, 2, 3, 5, 8, 16, 17, 33]) for _ in range(rng.choice([1, 2, 3, 4]))]
        if rng.random() < 0.1:
            self.dims[0] = 0
        self.ids = [f"i{d}" for d in range(len(self.dims))]
        self.type = rng.choice(["f32", "f32", "f64", "i32", "i64", "f16", "ui8", "i1"])

    def order(self, rank):
        return self.rng.sample(range(rank), rank)

    def source(self):
        """Dims and index expressions of a buffer that is read through a slice with steps and flips."""
        sizes, exprs = [], []
        for name, extent in zip(self.ids, self.dims):
            step, offset = self.rng.choice([1, 1, 2]), self.rng.choice([0, 0, 1, 3])
            sizes.append(extent * step + offset)
            flipped = self.rng.random() < 0.2
            exprs.append(f"{(extent - 1) * step + offset} - {name} * {step}" if flipped else f"{name} * {step} + {offset}")
        order = self.order(len(sizes))
        return [sizes[d] for d in order], [exprs[d] for d in order]

    def mask(self):
        index = self.rng.choice(self.ids)
        return self.rng.choice([f"{index} - {self.rng.choice([1, 2, 4])} >= 0", f"{index} mod 2 == 0"])

    def text(self):
        rng, ty, rank = self.rng, self.type, len(self.dims)
        sizes, exprs = self.source()
        shared = [d for d in range(rank) if rng.random() < 0.6]
        folded = [d for d in range(rank) if rng.random() < 0.35] if ty != "f16" and rng.random() < 0.6 else []
        kept = [d for d in range(rank) if d not in folded]
        k = Kernel(self.name, [("a", tensor(sizes, ty, self.order(rank))), ("b", tensor([self.dims[d] for d in shared], ty))],
                   [("y", tensor([self.dims[d] for d in kept], ty, self.order(len(kept))))], [(self.ids[d], self.dims[d]) for d in kept])
        masked = ty != "f16" and rng.random() < 0.4
        if masked:
            k.add("%z = scalar.constant " + ("false" if ty == "i1" else f"0.000000e+00 : {ty}" if ty[0] == "f" else f"0 : {ty}"))
        if folded:
            inner = ", ".join(f"%{self.ids[d]} : <{self.dims[d]}>" for d in folded)
            k.add(f"%m = kernel.reduce [{rng.choice(['sum', 'max', 'min'])}] over ({inner}) -> {ty} {{")
        k.load("u", "a", self.ids, exprs, self.mask() if masked else None, "z")
        k.load("v", "b", self.ids, [self.ids[d] for d in shared])
        if ty == "f16":
            k.add("%p = scalar.cast %u : f16 to f32")
            k.add("%q = scalar.cast %v : f16 to f32")
            k.add("%w = scalar.add %p, %q : f32")
            k.add("%s = scalar.cast %w : f32 to f16")
        else:
            k.add(f"%s = scalar.add %u, %v : {ty}")
        if folded:
            k.add(f"kernel.yield %s : {ty}")
            k.add("}")
        k.store("m" if folded else "s", "y", [self.ids[d] for d in kept], [self.ids[d] for d in kept])
        return k.text()


def fuzz(seed):
    rng = random.Random(seed)
    for i in range(40):
        print(RandomKernel(rng, f"random{i}").text())


if __name__ == "__main__":
    if sys.argv[1:] in (["long_sums"], ["depthwise"], ["grouped"]):
        {"long_sums": long_sums, "depthwise": depthwise_all, "grouped": grouped_all}[sys.argv[1]]()
    else:
        fuzz(int(sys.argv[1])) if len(sys.argv) > 1 else main()
