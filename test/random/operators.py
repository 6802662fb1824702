"""The operators that random programs are made of.

Each says how to pick operands and constants (`propose`: None where nothing fits) and what it does (`apply`, also what is traced). Operators that
jump (floor, casts of floats to integers, comparisons of computed floats) are left out where rounding decides the result.
"""
import dataclasses
import math
from typing import Callable

import torch
import torch.nn.functional as F

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


@dataclasses.dataclass
class Operator:
    propose: Callable
    apply: Callable
    weight: float = 1
    in_place: bool = False  # writes into its first operand and yields it


OPERATORS = {}


def _floats(values):
    return [i for i, t in enumerate(values) if t.is_floating_point()]


def _integers(values):
    return [i for i, t in enumerate(values) if not t.is_floating_point() and t.dtype != torch.bool]


def _pick(rng, choices):
    """Later values more often: chains grow deep."""
    if not choices:
        return None
    return choices[max(rng.randrange(len(choices)), rng.randrange(len(choices)))]


def _one(select, constants=lambda rng, t: ()):
    def propose(rng, values):
        i = _pick(rng, select(values))
        if i is None:
            return None
        extra = constants(rng, values[i])
        return None if extra is None else ([i], extra)
    return propose


def _broadcastable(a, b):
    try:
        torch.broadcast_shapes(a.shape, b.shape)
        return True
    except RuntimeError:
        return False


def _two(select, fits=_broadcastable):
    def propose(rng, values):
        i = _pick(rng, select(values))
        if i is None:
            return None
        j = _pick(rng, [j for j in select(values) if fits(values[i], values[j])])
        return None if j is None else ([i, j], ())
    return propose


def _everything(values):
    return list(range(len(values)))


def _numbers(values):
    return [i for i, t in enumerate(values) if t.dtype != torch.bool]


def _dim(rng, t):
    return (rng.randrange(-t.dim(), t.dim()),) if t.dim() else None


def _slice(rng, t):
    if not t.dim():
        return None
    d = rng.randrange(t.dim())
    n = t.shape[d]
    start = rng.randint(0, max(n - 1, 0))
    return d, start, rng.randint(start, n) if rng.random() < 0.9 else n, rng.choice((1, 1, 1, 2, 3))


def _reshape(rng, t):
    sizes, rest = [], t.numel()
    if rest == 0:
        return None
    for p in (2, 3, 5, 7):
        if rest % p == 0 and rng.random() < 0.6:
            sizes.append(p)
            rest //= p
    sizes.append(rest)
    rng.shuffle(sizes)
    return (tuple(sizes),)


def _permutation(rng, t):
    dims = list(range(t.dim()))
    rng.shuffle(dims)
    return (tuple(dims),)


def _expand(rng, t):
    return (tuple([rng.choice((1, 2, 3))] + [rng.choice((2, 5)) if n == 1 else n for n in t.shape]),)


def _flat_slice(t, d, start, stop, step):
    return torch.ops.aten.slice.Tensor(t, d, start, stop, step)


def _same_but(rng, values):
    """Values that concatenate."""
    i = _pick(rng, [i for i, t in enumerate(values) if t.dim()])
    if i is None:
        return None
    t = values[i]
    d = rng.randrange(t.dim())
    fits = [j for j, o in enumerate(values) if o.dtype == t.dtype and o.dim() == t.dim() and all(k == d or a == b for k, (a, b) in enumerate(zip(t.shape, o.shape)))]
    return [i] + [rng.choice(fits) for _ in range(rng.randint(1, 2))], (d,)


def _cat(*arguments):
    return torch.cat(arguments[:-1], arguments[-1])


def _matmul(rng, values):
    left = _pick(rng, [i for i in _floats(values) if values[i].dim() >= 1])
    if left is None:
        return None
    fits = [j for j in _floats(values) if values[j].dtype == values[left].dtype and values[j].dim() >= 1 and
            values[j].shape[-2 if values[j].dim() > 1 else 0] == values[left].shape[-1]]
    right = _pick(rng, fits)
    return None if right is None else ([left, right], ())


def _where(rng, values):
    pair = _two(_everything, lambda a, b: a.dtype == b.dtype and _broadcastable(a, b))(rng, values)
    masks = [i for i, t in enumerate(values) if t.dtype == torch.bool]
    return None if pair is None or not masks else ([rng.choice(masks)] + pair[0], ())


def _is_order_free(target, source):
    """Whether eager reads `source` before it writes `target`: where they share some elements, its copies depend on the order."""
    if target.untyped_storage().data_ptr() != source.untyped_storage().data_ptr():
        return True
    if (target.shape, target.stride(), target.storage_offset()) == (source.shape, source.stride(), source.storage_offset()):
        return True
    places = [torch.arange(t.untyped_storage().nbytes() // t.element_size()).as_strided(t.shape, t.stride(), t.storage_offset()).flatten() for t in (target, source)]
    return not torch.isin(*places).any()


def _into(rng, values):
    """A target, a source that broadcasts to a slice of it, the slice."""
    i = _pick(rng, _numbers(values))
    if i is None or not values[i].dim():
        return None
    where = _slice(rng, values[i])
    part = _flat_slice(values[i], *where)
    fits = [j for j in _numbers(values) if torch.promote_types(values[j].dtype, values[i].dtype) == values[i].dtype and _broadcastable(part, values[j]) and
            torch.broadcast_shapes(part.shape, values[j].shape) == part.shape and _is_order_free(part, values[j])]
    j = _pick(rng, fits)
    return None if j is None else ([i, j], where)


def _write(change):
    def apply(target, source, *where):
        change(_flat_slice(target, *where), source)
        return target
    return apply


def _through_transpose(change):
    """Writes a row of the transposed target."""
    def apply(target, source, d, i):
        change(target.transpose(d, -1).select(-1, i), source)
        return target
    return apply


def _into_row(rng, values):
    i = _pick(rng, [i for i in _numbers(values) if values[i].dim() and values[i].numel()])
    if i is None:
        return None
    d = rng.randrange(values[i].dim())
    where = d, rng.randrange(values[i].shape[d])
    row = values[i].transpose(d, -1).select(-1, where[1])
    j = _pick(rng, [j for j in _numbers(values) if torch.promote_types(values[j].dtype, values[i].dtype) == values[i].dtype and
                    _broadcastable(row, values[j]) and torch.broadcast_shapes(row.shape, values[j].shape) == row.shape and
                    _is_order_free(row, values[j])])
    return None if j is None else ([i, j], where)


def _masked(rng, values):
    masks = [i for i, t in enumerate(values) if t.dtype == torch.bool]
    i = _pick(rng, _numbers(values))
    if i is None:
        return None
    m = _pick(rng, [m for m in masks if _broadcastable(values[i], values[m]) and torch.broadcast_shapes(values[i].shape, values[m].shape) == values[i].shape])
    return None if m is None else ([i, m], ())


def _masked_fill(target, mask):
    return target.masked_fill_(mask, 2)


def _places(rng, t):
    """A dim, and places along it (some twice, some from the end)."""
    if not t.dim() or not t.numel():
        return None
    d = rng.randrange(t.dim())
    return d, tuple(rng.randrange(t.shape[d]) for _ in range(rng.randint(1, 5)))


def _index_add(target, d, places):
    return target.index_add_(d, torch.tensor(places), torch.ones_like(target.index_select(d, torch.tensor(places))))


def _index_put(target, d, places):
    target.transpose(0, d)[torch.tensor(places)] = 3
    return target


def _images(values):
    return [i for i, t in enumerate(values) if t.dtype in (torch.float32, torch.float64) and t.dim() == 4 and t.numel() and min(t.shape[2:]) >= 2]


def _weights(t, *shape):
    """Eighths, which every dtype holds exactly."""
    return (torch.arange(math.prod(shape), dtype=torch.float64).mul(37).remainder(17).sub(8) / 8).reshape(shape).to(t.dtype)


def _conv2d(t, channels, kernel, stride, padding, depthwise):
    if depthwise:
        return F.conv2d(t, _weights(t, t.shape[1], 1, kernel, kernel), None, stride, padding, groups=t.shape[1]) * 0.25
    return F.conv2d(t, _weights(t, channels, t.shape[1], kernel, kernel), _weights(t, channels), stride, padding) * 0.1


def _add(name, propose, apply, weight=1.0, in_place=False):
    OPERATORS[name] = Operator(propose, apply, weight, in_place)


for _name in ("relu", "sigmoid", "tanh", "neg", "abs", "sin", "cos", "erf"):
    _add(_name, _one(_floats), getattr(torch, _name), 0.6)
_add("gelu", _one(_floats), F.gelu, 0.5)
_add("silu", _one(_floats), F.silu, 0.5)
_add("exp_small", _one(_floats), lambda t: torch.exp(t.clamp(-5, 3)), 0.5)
_add("sqrt_abs", _one(_floats), lambda t: torch.sqrt(t.abs() + 0.1), 0.5)
_add("scale", _one(_floats, lambda rng, t: (rng.choice((0.5, -1.5, 2, 3)),)), lambda t, c: t * c, 0.7)
for _name in ("add", "sub", "mul", "maximum", "minimum"):
    _add(_name, _two(_numbers), getattr(torch, _name), 1.5)
_add("divide", _two(_floats), lambda a, b: a / (b.abs() + 0.5), 0.7)
_add("integer_remainder", _one(_integers, lambda rng, t: (rng.choice((2, 3, 7)),)), torch.remainder, 0.5)
_add("integer_floor_divide", _one(_integers, lambda rng, t: (rng.choice((2, 3, 7)),)), torch.floor_divide, 0.5)
_add("integer_and", _two(_integers), torch.bitwise_and, 0.5)
_add("integer_less", _two(_integers), torch.lt, 0.7)
_add("logical_not", _one(_everything), lambda t: torch.logical_not(t) if not t.is_floating_point() else torch.isnan(t), 0.3)
_add("where", _where, torch.where, 1.0)
_add("cast_float", _one(_everything, lambda rng, t: (rng.choice((torch.float32, torch.float32, torch.float64, torch.float16, torch.bfloat16)),)), lambda t, d: t.to(d, copy=True), 0.6)  # in fp64 too, where it would be the tensor itself
_add("cast_integer", _one(_integers, lambda rng, t: (rng.choice((torch.int64, torch.int32, torch.uint8, torch.int8, torch.int16)),)), lambda t, d: t.to(d), 0.4)
for _name in ("sum", "mean", "amax", "amin"):
    _add(_name, _one(_floats, lambda rng, t: (*_dim(rng, t), rng.random() < 0.5) if t.dim() and t.numel() else None), getattr(torch, _name), 0.5)
_add("sum_integers", _one(_integers, lambda rng, t: _dim(rng, t)), lambda t, d: t.sum(d), 0.4)
_add("softmax", _one(_floats, _dim), torch.softmax, 0.5)
_add("layer_norm", _one(_floats, lambda rng, t: () if t.dim() and t.shape[-1] > 2 else None), lambda t: F.layer_norm(t, t.shape[-1:]), 0.4)
_add("cumsum", _one(_numbers, _dim), torch.cumsum, 0.3)
_add("matmul", _matmul, lambda a, b: torch.matmul(a, b) * 0.25, 1.0)
_add("permute", _one(_everything, _permutation), lambda t, p: t.permute(p), 1.2)
_add("reshape", _one(_everything, _reshape), lambda t, s: t.reshape(s), 1.2)
_add("slice", _one(_everything, _slice), _flat_slice, 1.2)
_add("select", _one(_everything, lambda rng, t: (lambda d: (d, rng.randrange(-t.shape[d], t.shape[d])) if t.shape[d] else None)(rng.randrange(t.dim())) if t.dim() else None),
     lambda t, d, i: t.select(d, i), 0.6)
_add("expand", _one(_everything, _expand), lambda t, s: t.expand(s), 0.5)
_add("unsqueeze", _one(_everything, lambda rng, t: (rng.randint(0, t.dim()),)), lambda t, d: t.unsqueeze(d), 0.6)
_add("squeeze", _one(_everything), lambda t: t.squeeze(), 0.4)
_add("flip", _one(_everything, _dim), lambda t, d: t.flip(d), 0.5)
_add("clone", _one(_everything), lambda t: t.clone(), 0.6)
_add("contiguous", _one(_everything), lambda t: t.contiguous(), 0.4)
_add("cat", _same_but, _cat, 0.8)
_add("copy_into_slice", _into, _write(lambda view, source: view.copy_(source)), 1.0, True)
_add("add_into_slice", _into, _write(lambda view, source: view.add_(source)), 1.0, True)
_add("fill_slice", _one(_numbers, _slice), lambda t, *where: _write(lambda view, c: view.fill_(c))(t, 1, *where), 0.5, True)
_add("add_through_transpose", _into_row, _through_transpose(lambda view, source: view.add_(source)), 0.7, True)
_add("copy_through_transpose", _into_row, _through_transpose(lambda view, source: view.copy_(source)), 0.7, True)
_add("masked_fill_", _masked, _masked_fill, 0.5, True)
_add("relu_", _one(_floats), lambda t: t.relu_(), 0.4, True)
_add("scale_slice", _one(_floats, _slice), lambda t, *where: _write(lambda view, c: view.mul_(c))(t, 0.5, *where), 0.5, True)
_add("index_add_", _one(_numbers, _places), _index_add, 0.4, True)
_add("index_put_", _one(_numbers, _places), _index_put, 0.4, True)
_add("index_select", _one(_everything, _places), lambda t, d, places: t.index_select(d, torch.tensor(places)), 0.5)
_add("transpose", _one(_everything, lambda rng, t: (rng.randrange(t.dim()), rng.randrange(t.dim())) if t.dim() else None), lambda t, a, b: t.transpose(a, b), 0.6)
_add("diagonal", _one(_everything, lambda rng, t: (rng.randint(-1, 1),) if t.dim() == 2 else None), lambda t, k: t.diagonal(k), 0.4)
_add("unfold", _one(_everything, lambda rng, t: (lambda d: (d, min(2, t.shape[d]), rng.choice((1, 2))) if t.shape[d] else None)(rng.randrange(t.dim())) if t.dim() else None),
     lambda t, d, size, step: t.unfold(d, size, step), 0.3)
_add("chunk", _one(_everything, lambda rng, t: _dim(rng, t) if t.dim() and t.numel() else None), lambda t, d: t.chunk(2, d)[-1], 0.5)
_add("sorted", _one(_numbers, _dim), lambda t, d: t.sort(d).values, 0.2)
_add("pad", _one(_floats, lambda rng, t: ((rng.randint(-1, 2), rng.randint(0, 2)),) if t.dim() and t.shape[-1] > 1 else None), lambda t, p: F.pad(t, p, value=0.5), 0.4)
_add("channels_last", _one(lambda values: [i for i, t in enumerate(values) if t.dim() == 4]), lambda t: t.contiguous(memory_format=torch.channels_last), 0.7)
_add("as_image", _one(_floats, lambda rng, t: (lambda c: (1, c, 2, t.numel() // c // 2))(rng.choice((1, 2, 3, 4))) if t.numel() >= 16 and t.numel() % 24 == 0 else None),
     lambda t, *shape: t.reshape(shape), 0.6)
_add("conv2d", _one(_images, lambda rng, t: (rng.choice((1, 3, 8, 17)), rng.choice((1, 2, 3)), rng.choice((1, 1, 2)), 1, rng.random() < 0.3)), _conv2d, 1.2)
_add("max_pool2d", _one(_images), lambda t: F.max_pool2d(t, 2, 1), 0.5)
_add("avg_pool2d", _one(_images), lambda t: F.avg_pool2d(t, 2, 2, ceil_mode=True), 0.5)


def _elements(t):
    return t.dim() and t.numel()


def _rows(least=2):
    """Floats whose last dim has some elements."""
    return lambda values: [i for i in _floats(values) if _elements(values[i]) and values[i].shape[-1] >= least]


def _of_rank(*ranks):
    return lambda values: [i for i in _floats(values) if values[i].dim() in ranks and values[i].numel()]


def _gathered(rng, t):
    """A dim and a place for each of its elements."""
    return (lambda d: (d, tuple(rng.randrange(t.shape[d]) for _ in range(t.shape[d]))))(rng.randrange(t.dim())) if _elements(t) else None


def _index(t, d, places):
    shape = [1] * t.dim()
    shape[d] = len(places)
    return torch.tensor(places).reshape(shape).expand(t.shape)


def _lookup(rng, values):
    """Whole numbers and a table."""
    table = _pick(rng, [i for i in _floats(values) if values[i].dim() == 2 and values[i].shape[0] > 0])
    numbers = _pick(rng, [i for i in _integers(values) if values[i].dim() <= 3])
    return None if table is None or numbers is None else ([numbers, table], ())


def _attention(t):
    return F.scaled_dot_product_attention(t, t * 0.5, t)


def _transposed_convolution(t, channels, kernel, stride):
    return F.conv_transpose2d(t, _weights(t, t.shape[1], channels, kernel, kernel), _weights(t, channels), stride, kernel // 2) * 0.1


def _grouped_convolution(t, stride):
    return F.conv2d(t, _weights(t, 2 * t.shape[1], t.shape[1] // 2, 3, 3), None, stride, 1, groups=2) * 0.1


# The dims of products and of the other side differ: weights of the layer are made for the operand.
_add("linear", _one(_rows(1), lambda rng, t: (rng.choice((1, 4, 16, 33)),)), lambda t, n: F.linear(t, _weights(t, n, t.shape[-1]), _weights(t, n)) * 0.1, 0.8)
_add("gram", _one(_rows(1), lambda rng, t: () if t.dim() >= 2 else None), lambda t: torch.matmul(t, t.mT) * 0.1, 0.6)
_add("einsum", _one(_of_rank(3)), lambda t: torch.einsum("abc,dbc->dab", t, t) * 0.1, 0.4)
_add("addmm", _one(_of_rank(2)), lambda t: torch.addmm(t[:, :1], t, t.t(), beta=0.5, alpha=0.1), 0.4)
_add("attention", _one(_of_rank(3, 4)), _attention, 0.5)
_add("conv1d", _one(_of_rank(3), lambda rng, t: (rng.choice((1, 4, 9)), rng.choice((1, 2))) if t.shape[-1] >= 3 else None),
     lambda t, channels, stride: F.conv1d(t, _weights(t, channels, t.shape[1], 3), None, stride, 1) * 0.1, 0.6)
_add("conv_transpose2d", _one(_images, lambda rng, t: (rng.choice((1, 3, 8)), rng.choice((2, 3)), rng.choice((1, 2)))), _transposed_convolution, 0.5)
_add("grouped_conv2d", _one(_images, lambda rng, t: (rng.choice((1, 2)),) if t.shape[1] % 2 == 0 else None), _grouped_convolution, 0.5)
_add("group_norm", _one(_images, lambda rng, t: (rng.choice([g for g in (1, 2, 3, t.shape[1]) if t.shape[1] % g == 0]),)), lambda t, g: F.group_norm(t, g), 0.4)
_add("rms_norm", _one(_rows()), lambda t: F.rms_norm(t, t.shape[-1:], eps=1e-3), 0.4)
_add("batch_norm", _one(_images), lambda t: F.batch_norm(t, _weights(t, t.shape[1]), _weights(t, t.shape[1]).abs() + 0.5, _weights(t, t.shape[1])), 0.5)
_add("interpolate", _one(_images, lambda rng, t: (rng.choice(("nearest", "bilinear", "bicubic")), rng.choice((2, 1.5)))),
     lambda t, mode, factor: F.interpolate(t, scale_factor=factor, mode=mode), 0.4)
_add("adaptive_avg_pool2d", _one(_images, lambda rng, t: (rng.choice((1, 2, 3)),)), lambda t, n: F.adaptive_avg_pool2d(t, n), 0.4)
_add("pixel_shuffle", _one(_images, lambda rng, t: () if t.shape[1] % 4 == 0 else None), lambda t: F.pixel_shuffle(t, 2), 0.4)
_add("embedding", _lookup, lambda numbers, table: F.embedding(numbers.long().remainder(table.shape[0]), table), 0.5)
_add("one_hot", _one(_integers, lambda rng, t: () if t.dim() < 4 and t.numel() else None), lambda t: F.one_hot(t.long().remainder(5), 5), 0.3)
_add("gather", _one(_everything, _gathered), lambda t, d, places: t.gather(d, _index(t, d, places)), 0.4)
_add("scatter_add", _one(_floats, _gathered), lambda t, d, places: t.scatter_add(d, _index(t, d, places), t * 0.5), 0.3)
_add("scatter_reduce", _one(_numbers, _gathered), lambda t, d, places: t.scatter_reduce(d, _index(t, d, places), t.flip(d), "amax"), 0.3)
_add("index_list", _one(_everything, _places), lambda t, d, places: t.movedim(d, 0)[list(places)], 0.4)
for _name in ("std", "var", "logsumexp", "prod"):
    _add(_name, _one(_floats, lambda rng, t: (_dim(rng, t)[0],) if _elements(t) and min(t.shape) > 1 else None), lambda t, d, f=getattr(torch, _name): f(t * 0.5, d), 0.3)
_add("log_softmax", _one(_floats, lambda rng, t: _dim(rng, t) if _elements(t) else None), torch.log_softmax, 0.4)
_add("clamp", _one(_numbers), lambda t: t.clamp(-1, 2) if t.dtype != torch.uint8 else t.clamp(1, 2), 0.4)
_add("lerp", _two(_floats, lambda a, b: a.dtype == b.dtype and _broadcastable(a, b)), lambda a, b: torch.lerp(a, b, 0.25), 0.4)
_add("addcmul", _two(_floats, lambda a, b: a.dtype == b.dtype and _broadcastable(a, b)), lambda a, b: torch.addcmul(a, a, b, value=0.5), 0.4)
_add("power", _one(_floats, lambda rng, t: (rng.choice((2, 3, 0.5, -1)),)), lambda t, e: (t.abs() + 0.5).clamp(max=4) ** e, 0.4)
_add("activation", _one(_floats, lambda rng, t: (rng.choice(("elu", "softplus", "hardswish", "mish", "leaky_relu", "logsigmoid", "hardtanh")),)), lambda t, name: getattr(F, name)(t), 0.6)
_add("glu", _one(_floats, lambda rng, t: (lambda d: (d,) if t.shape[d] % 2 == 0 else None)(rng.randrange(t.dim())) if _elements(t) else None), F.glu, 0.3)
_add("stack", _one(_everything, _dim), lambda t, d: torch.stack([t, t.flip(d)], d), 0.4)
_add("split", _one(_everything, lambda rng, t: (*_dim(rng, t), rng.choice((1, 2, 3))) if _elements(t) else None), lambda t, d, size: t.split(size, d)[-1], 0.4)
_add("repeat", _one(_everything, lambda rng, t: ([rng.choice((1, 2)) for _ in range(t.dim())],) if t.dim() else None), lambda t, n: t.repeat(n), 0.3)
_add("roll", _one(_everything, lambda rng, t: (rng.choice((1, -2)), *_dim(rng, t)) if _elements(t) else None), torch.roll, 0.3)
_add("tril", _one(_numbers, lambda rng, t: (rng.randint(-1, 1),) if t.dim() >= 2 else None), torch.tril, 0.3)
_add("movedim", _one(_everything, lambda rng, t: (*_dim(rng, t), *_dim(rng, t)) if t.dim() else None), torch.movedim, 0.5)
_add("flatten", _one(_everything, lambda rng, t: (rng.randrange(t.dim()),) if t.dim() else None), lambda t, d: t.flatten(d), 0.5)
_add("topk_values", _one(_numbers, lambda rng, t: (max(1, t.shape[-1] // 2),) if _elements(t) else None), lambda t, k: t.topk(k).values, 0.3)
_add("cumprod", _one(_floats, lambda rng, t: _dim(rng, t) if _elements(t) else None), lambda t, d: torch.cumprod(t * 0.5, d), 0.2)
_add("zeros_written", _one(_floats, _slice), lambda t, *where: _write(lambda view, source: view.copy_(source))(torch.zeros_like(t), _flat_slice(t, *where) * 2, *where), 0.4)
_add("index_fill_", _one(_numbers, _places), lambda t, d, places: t.index_fill_(d, torch.tensor(places), 2), 0.3, True)
_add("clamp_", _one(_numbers), lambda t: t.clamp_(1, 3), 0.3, True)
