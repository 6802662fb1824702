# RUN: env PYTHONPATH=%S/Inputs %python %s
# REQUIRES: graphc, torch, python-torch
"""Operators that importing takes apart into others: formulas, special functions, losses, norms, orders, scans, scatters, patches, grids, small systems. Compiled,
against eager; every family in f32, some in f64 and with symbolic dims."""
import torch
import torch.nn.functional as F
from eager import check, finish, refuse

torch.manual_seed(0)
x, y, z = torch.randn(3, 4), torch.randn(3, 4), torch.randn(2, 3, 4)
edges = torch.tensor([0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 20.0, -20.0, float("inf"), float("-inf"), float("nan"), 1e-3, 0.999])
unit = torch.tensor([0.0, 1e-6, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999, 1.0])


def case(name, function, *inputs, **options):
    check(name, function, *inputs, **{"kinds": ("trace",), "interpreted": False, **options})


case("formulas", lambda x, y, e: (torch.fmax(x, y), torch.fmin(e, e.flip(0)), torch.heaviside(x, y), torch.isclose(x, x + 1e-6), torch.logaddexp2(x, y), torch.ldexp(x, y.int()),
                                  torch.deg2rad(x), torch.rad2deg(x), F.softshrink(x), F.hardshrink(e), torch.signbit(e), torch.isposinf(e), torch.isneginf(e), torch.angle(e),
                                  torch.isin(x.round(), y.round()), torch.round(x * 100, decimals=1), torch.positive(x), torch.nextafter(x, y), *torch.frexp(e[:9])), x, y, edges)
case("whole numbers", lambda a, b: (torch.gcd(a, b), torch.lcm(a, b)), torch.tensor([12, -18, 0, 7, 100]), torch.tensor([8, 12, 5, 0, 75]))
for dtype in (torch.float32, torch.float64):
    case(f"special functions {dtype}", lambda e, u: (torch.lgamma(e), torch.special.erfcx(e), torch.special.ndtr(e), torch.special.log_ndtr(e), torch.special.i0(e[:9]), torch.special.i0e(e),
                                                     torch.special.i1(e[:9]), torch.special.i1e(e), torch.sinc(e[:9]), torch.special.entr(e), torch.erfinv(u), torch.special.ndtri(u),
                                                     torch.logit(u), torch.logit(u, 0.1), torch.special.xlog1py(u, e[:9])), edges.to(dtype), unit.to(dtype))
target, classes = torch.randn(3, 4), torch.tensor([1, 0, 3])
case("losses", lambda x, t: (F.mse_loss(x, t), F.l1_loss(x, t, reduction="none"), F.smooth_l1_loss(x, t, reduction="sum", beta=0.5), F.huber_loss(x, t, delta=0.7),
                             F.poisson_nll_loss(x, t.abs(), full=True), F.kl_div(x.log_softmax(1), t.softmax(1), reduction="batchmean"), F.soft_margin_loss(x, t.sign()),
                             F.binary_cross_entropy(x.sigmoid(), t.sigmoid()), F.binary_cross_entropy_with_logits(x, t.sigmoid(), pos_weight=t[0].abs()),
                             F.margin_ranking_loss(x, t, t.sign(), 0.1), F.hinge_embedding_loss(x, t.sign()), F.cosine_embedding_loss(x, t, t[:, 0].sign()),
                             F.triplet_margin_loss(x, t, t.flip(0), swap=True)), x, target)
small, labels = torch.randint(0, 255, (3, 4), dtype=torch.uint8), torch.tensor([1, 0, 1], dtype=torch.uint8)
for dtype in (torch.uint8, torch.int64):
    case(f"integers {dtype}", lambda x, y, t: (F.margin_ranking_loss(x, y, t[:, None]), F.cosine_embedding_loss(x, y, t), F.triplet_margin_loss(x, y, x + 1), F.poisson_nll_loss(x % 9, y),
                                               F.pairwise_distance(x, y), torch.trapezoid(x), torch.trapezoid(x, y, dim=0), torch.cumulative_trapezoid(x, dx=0.5),
                                               torch.einsum("ij->i", x), torch.einsum("ij,jk->ik", x, y.T), torch.einsum("ij,i->i", x, t), x.sum_to_size(3, 1), (x > 9).square(), torch.sinc(x)),
         small.to(dtype), small.flip(0).to(dtype), labels.to(dtype))
case("whole points", lambda x: (torch.linspace(x.sum(), 9.9, 5, dtype=torch.int32), torch.logspace(1.9, 2.9, 5, dtype=torch.int64), torch.logspace(1.9, 3, 1, dtype=torch.int64)), torch.tensor([1.9]))
case("class losses", lambda x, c: (F.cross_entropy(x, c), F.cross_entropy(x, c, label_smoothing=0.1, reduction="sum"), F.nll_loss(x, c, weight=x[0].abs()), F.cross_entropy(x, x.softmax(1)),
                                   F.nll_loss(x, c, ignore_index=3), F.multi_margin_loss(x, c), F.multilabel_margin_loss(x, torch.stack([c, c * 0 + 2, c * 0 - 1, c], 1))), x, classes)
case("norms", lambda x, y: (torch.linalg.norm(x), torch.linalg.norm(x, 1), torch.linalg.matrix_norm(x, float("inf")), torch.linalg.vector_norm(x, 3, 1), torch.linalg.vector_norm(x, 0, 0),
                            torch.cdist(x, y), torch.cdist(x, y, 1.0), F.pdist(x), torch.dist(x, y, 3), F.pairwise_distance(x, y), x.renorm(2, 0, 1.0), F.cosine_similarity(x, y, 0)), x, y)
filters = torch.randn(4, 3, 5)
case("weight norms", lambda v: (*(torch._weight_norm(v, torch.norm_except_dim(v.flip(0), 2, d) + 1, d) for d in (0, 1, 2, -1)), torch.norm_except_dim(v, 3, 1)), filters)
for dtype in (torch.float32, torch.bfloat16):
    case(f"weight norm {dtype}", lambda v, g: torch.ops.aten._weight_norm_interface(v, g, 0), filters.to(dtype), torch.randn(4, 1, 1).abs().to(dtype))
case("weight norm of symbolic dims", lambda v, g: torch._weight_norm(v, g, 0), filters, torch.randn(4, 1, 1), specs=["4,A,B", "4,1,1"])
case("joined chunks", lambda z, x: (torch._chunk_cat([z, x[:2]], 0, 2), torch._chunk_cat([z, z[:, :2]], 1, 2), torch._chunk_cat([x[0], x[1, :2]], 0, 3)), z, x)
holes = torch.where(torch.rand(3, 4) > 0.7, torch.nan, x)
case("orders", lambda x, h: (*x.kthvalue(2, 1), x.median(), *x.median(0), h.nanmedian(), *h.median(1), *x.round().mode(1), x.quantile(0.3), x.quantile(torch.tensor([0.1, 0.9]), 1, True),
                             h.nanquantile(0.5, 1), x.msort(), x.argsort(1, descending=True), *x.topk(2, 0), *x.aminmax(dim=1), x.histc(5, -2, 2), h.nansum(1), h.nanmean(0),
                             torch.count_nonzero(x, 1)), x, holes)
case("places before a NaN", lambda s, v: (torch.searchsorted(s, v), torch.searchsorted(s, v, right=True)), torch.tensor([1.0, 2, 3, 4, 5, 6, 7, torch.nan]), torch.tensor([2.5, 7.5, 0.5, torch.nan]))
case("places", lambda s, v: (torch.searchsorted(s, v), torch.searchsorted(s, v, right=True), torch.bucketize(v, s[0]), torch.bucketize(v, s[0], right=True, out_int32=True)),
     torch.randn(3, 7).sort(1).values, torch.randn(3, 4))
case("scans", lambda z, h: (z.cumsum(1), z.cumprod(2), z.logcumsumexp(1), *z.cummax(2), *h.cummin(1), torch.cumulative_trapezoid(z, dim=1), torch.trapezoid(z, dx=0.5), z.int().cumsum(0)), z, holes)
case("scans and orders of symbolic dims", lambda z: (z.cumsum(1), *z.sort(1), *z.topk(2, 2), *z.cummax(1), z.median()), z, specs=["A,B,4"])
index = torch.tensor([[0, 2, 1, 0], [2, 2, 0, 1]])
case("scatters", lambda x, i, s: (x.scatter(0, i, s[:2]), x.scatter_add(0, i, s), x.scatter_reduce(0, i, s, "mean"), x.scatter_reduce(0, i, s, "amax", include_self=False),
                                  x.index_reduce(0, i[:, 0], s[:2], "prod"), x.index_add(0, i[0, :3], s, alpha=2), x.index_copy(1, i[0, :3], s[:, :3]), x.take(i), x.put(i, s[:2]),
                                  x.masked_scatter(s > 0, s), x.index_put((i[0], i[1]), s[0, :1], accumulate=True), x.index_fill(1, i[0, :2], 7.0), x.index_fill(0, -i[0, :2] - 1, 7.0), torch.take_along_dim(x, -i[:, :1] - 1, 0),
                                  x.index_put((s[:, 0] > 0,), s[:1]), x.index_put((s > 0,), s.sum()), x.squeeze(()), x[0, 0].unfold(0, 1, 1)), x, index, y)
case("scatters of symbolic dims", lambda x, i, s, v: (x.scatter_add(0, i, s), x.index_add(0, i[:, 0], v)), x, index, y, y[:2], specs=["A,4", "B,4", "A,4", "B,4"])
bags = torch.tensor([0, 2, 1, 0, 2])
for mode in ("sum", "mean", "max"):
    case(f"bags {mode}", lambda w, i, o, mode=mode: (F.embedding_bag(i, w, o, mode=mode, padding_idx=1), F.embedding_bag(i, w, o, mode=mode, padding_idx=-1)), x, bags, torch.tensor([0, 3, 3]))
case("diagonals and blocks", lambda x, z: (torch.diag_embed(z, 1), torch.diag(x[0], -1), torch.diagflat(x), torch.block_diag(x, x[0]), torch.trace(x), x.rot90(), x.rot90(-1), torch.kron(x, x[:2]),
                                           torch.cartesian_prod(x[0], x[1, :2]), torch.linalg.cross(z, z.flip(2), dim=1), x.fliplr(), torch.inner(x, x), torch.dstack([x, x]),
                                           torch.column_stack([x[:, 0], x]), x.diagonal_scatter(x[0, :3]), *torch.tensor_split(z, 3, 2), *torch.atleast_3d(x, x[0])), x, z)
image, columns = torch.randn(2, 3, 6, 7), torch.randn(2, 12, 30)
case("patches", lambda i, c: (F.unfold(i, (2, 3), 2, 1, 2), F.fold(c, (6, 7), 2), torch.ops.aten._upsample_bilinear2d_aa(i, (4, 9), False), torch.ops.aten._upsample_bicubic2d_aa(i, (8, 3), True),
                              torch.ops.aten.max_unpool2d(*F.max_pool2d(i, 2, return_indices=True), (6, 7)), F.pad(i, (-1, 2, 1, -2), "replicate"), F.pad(i, (2, -1, 0, 1), "reflect")), image, columns)
case("gathers of nothing, similarities of numbers", lambda x, i: (x[0].gather(0, i), F.cosine_similarity(x[0, 0], x[1, 1], 0)), x, torch.zeros(2, 0, dtype=torch.int64))
grid = torch.rand(2, 5, 4, 2) * 2.6 - 1.3
for padding in ("zeros", "border", "reflection"):
    case(f"grids {padding}", lambda i, g, p=padding: tuple(F.grid_sample(i, g, m, p, a) for m in ("bilinear", "nearest", "bicubic") for a in (False, True)), image, grid)
case("grids of volumes", lambda i, g, t: (F.grid_sample(i, g, align_corners=False), F.affine_grid(t, (2, 1, 4, 5), False), F.affine_grid(t, (2, 1, 4, 5), True)),
     torch.randn(1, 2, 3, 4, 5), torch.rand(1, 2, 3, 4, 3) * 2 - 1, torch.randn(2, 2, 3))
whole = torch.randint(-2**62, 2**62, (3, 4))
case("views as another dtype", lambda n, b: (n.view(torch.uint8), n.view(torch.int32), n.int().view(torch.int64), n[1:].view(torch.int16), n.t().contiguous().view(torch.int8).view(torch.int64),
                                            b.view(torch.int8), b.view(torch.int32), b[:, 4:].view(torch.int16), b[0, 0].view(torch.int8)), whole, whole.view(torch.uint8).clone(), kinds=("pt2",))
def write_bytes(n):
    m = n.clone()
    m.view(torch.uint8)[:, 1] = 7
    m.view(torch.int32)[0].add_(1)
    return m
case("writes through views as another dtype", write_bytes, whole, kinds=("pt2",))
for function, saying in ((lambda n: n.double().view(torch.int64), "a view of f64 as i64; only whole numbers can be viewed as another dtype"),
                         (lambda n: n.view(torch.int32).as_strided((2,), (1,)), "as_strided of a tensor that is viewed as another dtype")):
    refuse("views as another dtype", function, whole, saying=saying, kinds=("pt2",))
square = torch.randn(2, 4, 4)
case("small systems", lambda a, b: (torch.linalg.inv(a), torch.linalg.det(a), *torch.linalg.slogdet(a), torch.linalg.solve(a, b), torch.linalg.cholesky(a @ a.mT + torch.eye(4)),
                                    torch.linalg.solve_triangular(a.tril() + 2 * torch.eye(4), b, upper=False), torch.linalg.matrix_power(a, 5), torch.linalg.multi_dot([a[0], b[0], b[1].mT])),
     square, torch.randn(2, 4, 3))
case("systems of more unknowns, over a batch", lambda a, b: (torch.linalg.inv(a), *torch.linalg.slogdet(a), torch.linalg.solve(a, b), torch.linalg.solve(a[0], b), torch.linalg.cholesky(a @ a.mT, upper=True),
     torch.linalg.solve_triangular(a.triu(), b, upper=True, unitriangular=True), torch.linalg.solve_triangular(a.tril(), b.mT, upper=False, left=False), torch.linalg.matrix_power(a, -2)),
     torch.randn(3, 40, 40) * 0.05 + torch.eye(40), torch.randn(3, 40, 2))
case("systems without unknowns", lambda a, b: (*torch.linalg.solve_ex(a, b), *torch.linalg.inv_ex(a), torch.linalg.det(a)), torch.zeros(0, 0), torch.zeros(0))
case("statistics", lambda x: (torch.cov(x), torch.corrcoef(x), torch.linalg.vander(x[0]), torch.linspace(0, 1, 7), torch.logspace(-1, 2, 5), torch.hypot(x, x)), x)
case("batch statistics", torch.nn.BatchNorm1d(4).train(), x, kinds=("pt2",))
for name, rnn in (("tanh", torch.nn.RNN(4, 5, 2, batch_first=True, bidirectional=True)), ("relu", torch.nn.RNN(4, 5, nonlinearity="relu"))):
    case(f"rnn {name}", rnn, z)
finish()
