# RUN: env PYTHONPATH=%S/Inputs %python %s
# REQUIRES: torch, python-torch
"""One program for each family's conversions, traced and exported, against eager."""
import torch
import torch.nn.functional as F
from eager import check, finish

torch.manual_seed(0)
x, y, z = torch.randn(3, 4), torch.randn(3, 4), torch.randn(2, 3, 4)
image, positive = torch.randn(2, 4, 9, 8), torch.rand(3, 4) + 0.1
kinds = ("trace", "pt2")


def case(name, function, *inputs, **options):
    check(name, function, *inputs, **{"kinds": kinds, **options})


case("views", lambda x: (x.t(), x.view(2, 6), x.reshape(-1), x[1], x[:, 1:], x[..., -1], x[None], x.unsqueeze(-1), x.permute(1, 0), x.flatten(),
                         x.narrow(1, 1, 2), x.expand(2, 3, 4), x.unfold(1, 2, 1), x.diagonal(1), x[::2, ::3]), x)
case("views of three dims", lambda z: (z.transpose(0, 2), z.movedim(0, -1), z.swapaxes(1, 2), z.unflatten(2, (2, 2)), z[:, :0].unflatten(1, (3, 0, 2)), z.squeeze(), z.mT, z[:, -1:, 0]), z)
case("joins", lambda x, y: (torch.cat([x, y], 1), torch.stack([x, y], -1), torch.hstack([x, y]), torch.vstack([x, y]), torch.cat([x, y.double()])), x, y)
case("splits", lambda z: (*z.chunk(3, 2), *z.split(2, 1), *torch.split(z, [1, 3], 2), *z.unbind(0)), z)
case("copies", lambda x: (x.repeat(2, 1, 3), x.repeat_interleave(2, 1), x.repeat_interleave(3), x.flip(0), x.flip([0, 1]), x.roll(1, 0), x.roll(2), x.tril(), x.triu(1),
                          x.tile(2)), x)
case("pads", lambda i: (F.pad(i, (1, 2)), F.pad(i, (1, 0, 2, 1), value=3.0), F.pad(i, (2, 1, 1, 2), "reflect"), F.pad(i, (1, 1, 0, 3), "replicate"),
                        F.pad(i, (1, 2, 2, 1), "circular"), F.pad(i, (-1, 2))), image)
case("activations", lambda x: (F.relu(x), F.gelu(x), F.gelu(x, approximate="tanh"), F.silu(x), F.mish(x), F.softplus(x), F.hardsigmoid(x), F.hardswish(x), F.hardtanh(x),
                               F.relu6(x), F.leaky_relu(x, 0.1), F.elu(x, 1.5), F.selu(x), F.celu(x, 1.3), F.logsigmoid(x), F.softsign(x), F.threshold(x, 0.1, 20.0),
                               F.glu(x), x.sigmoid(), x.tanh()), x)
case("functions", lambda p: (p.sqrt(), p.rsqrt(), p.exp(), p.log(), p.log2(), p.log1p(), p.expm1(), p.sin(), p.cos(), p.atan(), p.erf(), p.reciprocal(), p.square(), p.ceil(),
                             p.pow(2), p.pow(1.5), 2 ** p, p.abs(), p.neg(), p.sign()), positive)
case("products with constants", lambda x: (torch.ones(2, 3) @ x, x @ torch.full((4, 2), 0.5), torch.ones(3, 3) @ x * 2 + 1, F.conv1d(x[None], torch.ones(2, 3, 2))), torch.randn(3, 4))
case("no elements", lambda e: (e.unfold(0, 2, 1) * 2, e.roll(1, 1), F.pad(e, (0, 0, 1, 1), "circular"), e.transpose(1, 2).reshape(-1, 3) + 1, e[0].diagonal(1)), torch.randn(5, 3, 0))
case("where of numbers", lambda x: (torch.where(x > 0, 0.0, -1e10), torch.where(x > 0, 1, 2), torch.where(x > 0, 1, 0.5)), x)
case("two operands", lambda x, y: (x.addcmul(x, y, value=2), torch.lerp(x, y, 0.3), torch.logaddexp(x, y), x.maximum(y), torch.where(x > 0, x, y), x.clamp(-0.5, 0.5),
                                   x.clamp(min=0), x.clamp_max(0.2), x.masked_fill(y > 0, -1e9), torch.hypot(x, y), torch.fmod(x, 0.3), x.remainder(0.3), torch.rsub(x, 1), 1 - x, torch.diff(x), x.div(y, rounding_mode="trunc")), x, y)
case("reductions", lambda z: (z.sum(), z.sum(1), z.mean((0, 2)), z.amax(2), z.amin(1, keepdim=True), z.max(), z.min(), *z.max(1), *z.min(2, keepdim=True), z.argmax(1), z.argmin(),
                              z.var(1), z.std(2, unbiased=False), *torch.var_mean(z, 1), z.logsumexp(1), z.prod(2), (z > 0).any(1), (z > 0).all(), z.norm(), z.norm(dim=1),
                              torch.linalg.vector_norm(z, 1, 2), z.cumsum(1), z.softmax(-1), z.log_softmax(1)), z)
case("products", lambda x, y, z: (x @ y.t(), torch.matmul(z, x.t()), torch.mv(x, y[0]), torch.dot(x[0], y[0]), torch.bmm(z, z.transpose(1, 2)), torch.outer(x[0], y[1]),
                                  torch.addmm(x[:, 0], x, y.t()[:, :3]), torch.baddbmm(z[:, :, :3], z, z.mT, beta=0.5, alpha=2.0), F.linear(x, y, y[:, 0]), z[0, 0] @ y.t()), x, y, z)
rows, experts, ends = torch.randn(5, 8), torch.randn(4, 8, 16), torch.tensor([1, 1, 4, 5], dtype=torch.int32)  # torch.export wants strides of 16 bytes
case("products of groups", lambda x, w, ends: (torch._grouped_mm(x, w, offs=ends), torch._grouped_mm(x.bfloat16(), w.bfloat16(), offs=ends),
                                               torch._grouped_mm(x, w.mT.contiguous().mT, offs=ends), torch._grouped_mm(w.mT, w)), rows, experts, ends)
case("einsum", lambda x, y, z: (torch.einsum("ij,kj->ik", x, y), torch.einsum("bij,bkj->bik", z, z), torch.einsum("bij,ij->b", z, x), torch.einsum("ij->j", x),
                                torch.einsum("...ij,jk->...ik", z, y.t()), torch.einsum("i,j", x[0], y[0]), torch.tensordot(z, x, ([1, 2], [0, 1]))), x, y, z)
case("norms", lambda z: (F.layer_norm(z, (4,)), F.layer_norm(z, (3, 4), eps=1e-3), F.rms_norm(z, (4,)), F.normalize(z, dim=1), F.cosine_similarity(z[0], z[1], dim=1)), z)
case("norms of equal elements", lambda z: (F.layer_norm(z, (7,)), F.instance_norm(z), z.var(2), z.std((0, 2)), F.batch_norm(z, None, None, training=True)), torch.full((2, 3, 7), -0.7312))
case("group norm", lambda i: (F.group_norm(i, 2), F.instance_norm(i)), image)
weight, bias, depthwise = torch.randn(6, 4, 3, 3), torch.randn(6), torch.randn(4, 1, 3, 3)
case("convolutions", lambda i, w, b, d: (F.conv2d(i, w, b), F.conv2d(i, w, b, 2, 1), F.conv2d(i, w, None, 1, "same"), F.conv2d(i, d, None, 1, 1, 1, 4), F.conv2d(i[0], w, b),
                                         F.conv2d(i, w[:, :, :2, :2], b, padding="same"), F.conv1d(i[:, :, 0], w[:, :, 0], b)), image, weight, bias, depthwise)
for number, (module, size) in enumerate([
        (torch.nn.ConvTranspose2d(3, 4, 4, 2, 1), (2, 3, 5, 7)),
        (torch.nn.ConvTranspose2d(4, 6, (5, 3), (3, 1), (2, 0), (1, 0), groups=2), (1, 4, 4, 6)),
        (torch.nn.ConvTranspose1d(3, 2, 2, 4, bias=False), (2, 3, 9)),  # gaps between windows
        (torch.nn.ConvTranspose1d(3, 2, 9, 2, 5), (1, 3, 6)),  # whole phases lie in the padding
        (torch.nn.ConvTranspose1d(2, 3, 4, 3, 2, 2, dilation=3), (1, 2, 5)),
        (torch.nn.ConvTranspose3d(2, 3, (2, 3, 4), (2, 1, 3), (1, 0, 2), (1, 0, 0)), (1, 2, 3, 4, 2))]):
    case(f"transposed convolution {number}", module.eval(), torch.randn(size))
case("transposed convolutions", lambda i, w: (F.conv_transpose2d(i, w.transpose(0, 1)), F.conv_transpose2d(i, w.transpose(0, 1), None, 2, 1, 1)), image, weight)
case("pools", lambda i: (F.max_pool2d(i, 2), F.max_pool2d(i, 3, 2, 1), F.avg_pool2d(i, 2), F.avg_pool2d(i, 3, 2, 1, count_include_pad=False), F.adaptive_avg_pool2d(i, 1),
                         F.adaptive_avg_pool2d(i, (3, 5)), F.max_pool2d(i, 2, ceil_mode=True), F.max_pool1d(i[:, :, 0], 2), F.avg_pool2d(i[0], 2)), image)
case("pools of whole numbers", lambda i: (F.avg_pool2d(i, 2), F.avg_pool2d(i, 3, 2, 1, ceil_mode=True), F.avg_pool2d(i, 3, 2, 1, count_include_pad=False), F.avg_pool2d(i, 2, divisor_override=3),
                                          F.avg_pool1d(i[0], 3, 1, 1)), torch.randint(-20, 20, (2, 4, 9, 8)))
case("resizes", lambda i: (F.interpolate(i, scale_factor=2), F.interpolate(i, (5, 7)), F.interpolate(i, scale_factor=2, mode="bilinear"),
                           F.interpolate(i, (5, 12), mode="bilinear", align_corners=True), F.interpolate(i, (5, 12), mode="bicubic")), image)
bytes_image = torch.randint(0, 256, (2, 3, 9, 11), dtype=torch.uint8)
case("resizes of u8", lambda i: (F.interpolate(i, scale_factor=2), F.interpolate(i, scale_factor=1.7, mode="bilinear"), F.interpolate(i, (13, 5), mode="bicubic", align_corners=True),
                                 F.interpolate(i, (3, 25), mode="bilinear", antialias=True), F.interpolate(i, (4, 11), mode="bicubic", antialias=True)), bytes_image)
index = torch.tensor([2, 0, 1])
case("gathers", lambda x, i: (x[i], x[:, i], x[i, i], F.embedding(i, x), x.index_select(1, i), torch.gather(x, 1, i[:, None]), F.one_hot(i, 4), x[i[:, None], i]), x, index)
case("attention", lambda z: (F.scaled_dot_product_attention(z, z, z), F.scaled_dot_product_attention(z, z, z, is_causal=True),
                             F.scaled_dot_product_attention(z, z, z, attn_mask=torch.ones(3, 3, dtype=torch.bool).tril()), F.scaled_dot_product_attention(z, z, z, scale=0.3)), z,
     interpreted=False)
case("factories", lambda x: (torch.zeros(2, 3) + x[0, :3], torch.ones_like(x), torch.full((2,), 7), torch.full_like(x, 2), x.new_zeros(3), torch.arange(5), torch.arange(1, 2, 0.25),
                             torch.arange(6, 0, -2), torch.arange(0, 7, 2.0, dtype=torch.int64), torch.arange(0.5, 7.9, 1.5, dtype=torch.int64), torch.linspace(0, 1, 5), torch.eye(3), torch.triu_indices(3, 3, 1), torch.tensor([[1, 2], [3, 4]]), x.new_ones(2, dtype=torch.int32),
                             torch.meshgrid(x[0], x[1], indexing="ij")), x)
case("casts", lambda x: (x.to(torch.float64), x.half(), x.int(), x.bool(), x.type_as(x.double()), x.long().float(), x.to(torch.bfloat16).float()), x)
case("batch norm", torch.nn.BatchNorm2d(4), image)
case("pixel shuffle", lambda i: (F.pixel_shuffle(i, 2), F.pixel_unshuffle(i[:, :, :8], 2), F.channel_shuffle(i, 2)), image)
case("linear layers", torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(8, 2)), x)
case("lstm", torch.nn.LSTM(4, 5, 2, batch_first=True), z, interpreted=False)
case("gru", torch.nn.GRU(4, 5), z, interpreted=False)
finish()
