# RUN: %python %s %t
# REQUIRES: torch, python-torch
"""What importing refuses, with which words: one program with a refused expression a line, so that one report has to name them all, each at
its line and with its reason."""
import importlib.util
import os
import re
import subprocess
import sys
import warnings

import torch

warnings.filterwarnings("ignore")

# x: f32[2,3], n: i64[2,3], s: f32[], e: f32[0,3]
REFUSED = [
    # reductions
    ("x.sum([0, 0])", "a dim occurs twice"),
    ("n.mean()", "the mean of integers (eager refuses it too); give a float dtype"),
    ("n.var()", "variance of integers (eager refuses it too)"),
    ("n.norm()", "a norm of integers (eager refuses it too)"),
    ("torch.softmax(n, 1)", "softmax of integers (eager refuses it too)"),
    ("x.sum(2)", "dim 2 is out of range for a tensor of rank 2"),
    # sizes and numbers
    ("x + s.size(0)", "the size of a dim of a 0-d tensor"),
    ("x + len(s)", "len() of a 0-d tensor"),
    ("x + int(x)", "a Python number of a tensor that has other than 1 element"),
    ("x + x.size(0) // 0", "division by zero"),
    ("x + 9223372036854775807 * x.size(0)", "integer overflow"),
    ("x + [x.size(0)][5]", "list index 5 is out of range for 1 elements"),
    ("x + [x.size(0)].index(7)", "the list has no such element"),
    ("x + {'a': x.size(0)}['b']", "the dict has no key"),
    # views
    ("x[0:2:0]", "a slice with step 0"),
    ("s[0:1]", "a slice of a 0-d tensor"),
    ("s[0]", "select of a 0-d tensor"),
    ("x[5]", "index 5 is out of range for size 2"),
    ("x.narrow(0, 1, 5)", "narrow beyond the end of dim 0"),
    ("x.permute(0, 0)", "permute needs each dim once"),
    ("torch.movedim(x, [0, 1], [0])", "movedim needs as many destinations as sources"),
    ("x.expand(3)", "expand to fewer dims than the tensor has"),
    ("x.expand(-1, 2, 3)", "expand with -1 for a dim that the tensor lacks"),
    ("x.reshape(-1, -1)", "a shape with two -1"),
    ("e.reshape(-1, 0)", "-1 in a shape of no elements is ambiguous"),
    ("x.reshape(5)", "shape of 5 elements for a tensor of 6"),
    ("x.t().view(6)", "view() of a tensor whose strides don't allow that shape (eager refuses it too); use reshape()"),
    ("x.flatten(1, 0)", "flatten from a later to an earlier dim"),
    ("x.unflatten(1, [2, 2])", "shape of 8 elements for a tensor of 6"),
    ("x.diagonal(0, 1, 1)", "diagonal needs two different dims"),
    ("x.unfold(1, 2, 0)", "unfold needs a dim, a size of at least 0 and a step of at least 1"),
    ("x.as_strided([2], [1, 1])", "as_strided needs one stride a dim"),
    ("x.as_strided([9], [1])", "as_strided reaches element"),
    ("torch.cat(x.split([1, 5], 1))", "slice of dim 1 from 1, size 5, step 1 leaves the dim's 3 elements"),
    ("torch.cat(x.split([1, 1], 1))", "the parts' sizes sum to 2, the dim has 3"),
    ("torch.cat(x.split(-1))", "a split into pieces of -1"),
    ("torch.cat(s.split(1))", "split of a 0-d tensor"),
    ("torch.cat(x.chunk(0))", "chunk needs a dim and at least one piece"),
    # indexing
    ("x.index_select(0, x[0])", "an index tensor of floats (eager refuses it too)"),
    ("torch.index_put(x, [n[0]], n[0])", "index_put of another dtype (eager refuses it too)"),
    ("x[n, n, n]", "too many indices for a tensor of rank 2"),
    ("x[x > 0]", "indexing by a mask gives a tensor whose size depends on data; use torch.where or a multiplication by the mask"),
    ("torch.index_put(x, [None, x[0] > 0], x[:, 0])", "writing several values by a mask of other dims than the first"),
    ("x.scatter(0, n, n)", "scatter of another dtype (eager refuses it too)"),
    ("F.one_hot(n)", "one_hot without num_classes has a size that depends on data"),
    ("torch.nonzero(x)", "the result's size depends on data, which is not supported"),
    ("torch.where(x > 0)[0]", "where(condition) gives a tensor whose size depends on data"),
    # shapes and windows
    ("torch.cat(torch.jit.annotate(List[Tensor], []))", "a list of no tensors"),
    ("x.repeat(2)", "repeat needs a count for each dim"),
    ("x.repeat_interleave(n[0], 1)", "repeat_interleave by counts that depend on data has a size that depends on data; give it output_size"),
    ("torch.constant_pad_nd(x, [1])", "padding needs a pair of numbers for each of the last dims"),
    ("F.pad(x, [1, 1], mode='mirror')", "padding mode 'mirror'"),
    ("x.roll([1, 2], [0])", "roll needs one shift for each dim"),
    ("F.glu(x, 1)", "glu needs an even size"),
    ("torch.pixel_shuffle(x, 2)", "pixel_shuffle needs [..., c, h, w] and a factor of at least 1"),
    ("torch.channel_shuffle(x[0], 3)", "channel_shuffle needs [n, c, ...] and at least one group"),
    ("s.diff()", "diff of a 0-d tensor"),
    ("torch.max_pool2d(x, [2, 2])", "a tensor of rank 2; expected 3 or 4"),
    ("torch.max_pool2d(x[None], [1, 1], [1, 1], [3, 3])", "pad should be at most half of the kernel size"),
    # pointwise
    ("torch.neg(x > 0)", "bool tensors are not supported by this operator (eager refuses them too)"),
    ("(x > 0) - (x > 1)", "subtraction with a bool operand (eager refuses it too); use ~ or logical_xor"),
    ("torch.bitwise_and(x, x)", "bitwise operators on floats"),
    ("torch.celu(x, 0.0)", "celu with alpha 0"),
    ("torch.addcdiv(n, n, n)", "addcdiv of integers (eager refuses it too)"),
    ("x.clone()[0].add_(x)", "the result's shape doesn't fit the tensor that it is written to"),
    ("n.clone().add_(x)", "can't be cast to the tensor's own"),
    # made out of numbers
    ("torch.arange(0, 5, 0)", "arange with step 0"),
    ("torch.arange(5, 0)", "arange with bounds on the wrong side (eager refuses it too)"),
    ("torch.triu_indices(5000, 5000)", "triangle indices of more than four million elements"),
    ("torch.tensor([[1, 2], [3]])", "that isn't a regular nesting of numbers"),
    # products
    ("torch.matmul(s, x)", "a matrix product of a 0-d tensor"),
    ("torch.matmul(x, n.t())", "a matrix product of different dtypes (eager refuses it too)"),
    ("torch.einsum('ij,ij->k', [x, x])", "einsum: the output names a label that no operand has"),
    ("torch.einsum('ijk->i', [x])", "for a tensor of rank 2"),
    # random
    ("torch.rand(2)", "random numbers are not supported"),
    ("torch.randn(2)", "random numbers are not supported"),
    ("x + torch.randperm(3)", "random numbers are not supported"),
    # what belongs to a backward pass, complex numbers
    ("torch.fft.rfft(x).abs()", "complex numbers are not supported"),
    ("torch.ops.aten._fft_r2c(x, [1], 0, True).abs()", "complex numbers are not supported"),
    ("torch.ops.aten._fft_c2r(x, [1], 0, 4)", "complex numbers are not supported"),
    ("torch.ops.aten._adaptive_avg_pool2d_backward(x[None], x[None])", "a step of a backward pass"),
    ("torch.ops.aten.avg_pool2d_backward(x[None], x[None], [1, 1], [1, 1], [0, 0], False, True, None)", "a step of a backward pass"),
    ("torch.ops.aten.convolution_backward(x[None], x[None], x[None], None, [1], [0], [1], False, [0], 1, [True, True, True])[0]", "a step of a backward pass"),
    ("torch.ops.aten.embedding_dense_backward(x[None], n[0], 3, -1, False)", "a step of a backward pass"),
    ("torch.ops.aten.max_pool2d_with_indices_backward(x[None], x[None], [1, 1], [1, 1], [0, 0], [1, 1], False, n[None])", "a step of a backward pass"),
    ("torch.ops.aten.native_group_norm_backward(x[None], x[None], x, x, None, 1, 2, 3, 1, [True, True, True])[0]", "a step of a backward pass"),
    ("torch.ops.aten.native_layer_norm_backward(x, x, [3], x, x, None, None, [True, True, True])[0]", "a step of a backward pass"),
    ("torch.dropout(x, 0.5, True)", "dropout in training mode needs random numbers, which are not supported"),
    ("F.scaled_dot_product_attention(x, x, x, dropout_p=0.5)", "attention with dropout needs random numbers, which are not supported"),
]

HEAD = """from typing import List
import torch
import torch.nn.functional as F
from torch import Tensor
def program(x: Tensor, n: Tensor, s: Tensor, e: Tensor):
    out: List[Tensor] = []
"""


def main(base):
    os.makedirs(base, exist_ok=True)
    source, model = os.path.join(base, "refused_program.py"), os.path.join(base, "refused.pt")
    with open(source, "w") as file:
        file.write(HEAD + "".join(f"    out.append({expression})\n" for expression, _ in REFUSED) + "    return out\n")
    spec = importlib.util.spec_from_file_location("refused_program", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    torch.jit.script(module.program).save(model)
    command = ["graphc-import", model, "--input", "x=f32[2,3]", "--input", "n=i64[2,3]", "--input", "s=f32[]", "--input", "e=f32[0,3]"]
    done = subprocess.run(command, capture_output=True, text=True)
    # An entry is "op: reason", then its lines as "file:line: text"; reasons that are equal share an entry.
    reasons, reason = {}, ""
    for line in done.stderr.splitlines():
        place = re.search(r"refused_program.py:(\d+)", line)
        if place:
            reasons.setdefault(int(place[1]), []).append(reason)
        else:
            reason = line.strip()
    failures = [] if done.returncode == 1 else [f"exit {done.returncode}: {done.stderr[:2000]}"]
    first = HEAD.count("\n") + 1
    for number, (expression, expected) in enumerate(REFUSED, first):
        found = reasons.pop(number, ["not refused"])
        if not any(expected in text for text in found):
            failures.append(f"{expression}: {found}, expected: {expected}")
    failures += [f"line {number} is refused: {text}" for number, text in reasons.items()]
    print("\n".join(failures) or f"{len(REFUSED)} refusals as expected")
    sys.exit(1 if failures else 0)


main(sys.argv[1])
