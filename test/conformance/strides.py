"""PyTorch's samples with transposed and channels_last operands, their results written through reshape(): whether that is a view, so that the write
changes the result too, must be as in eager, or the program is refused.

  strides.py [--limit N] [--opinfo NAME]…        N samples of each OpInfo in scope (default 1), each in three memory orders

Exit status 1 where anything else is found, or nothing ran right. The interpreter runs the programs: it is importing that decides.
"""
import argparse
import collections
import io
import pathlib
import sys
import warnings

import torch

import graphc
import judge
import models
import samples

HERE = pathlib.Path(__file__).parent


def orders(rank):
    """Orders in memory, outermost first, that aren't row-major."""
    if rank < 2:
        return [list(range(rank))] * 3
    last_two = list(range(rank - 2)) + [rank - 1, rank - 2]
    return [list(range(rank))[::-1], last_two, [0, *range(2, rank), 1]]


class Written(torch.nn.Module):
    """The sample's call of operands in those memory orders; each result beside what is written through its reshape()."""

    def __init__(self, call, orders):
        super().__init__()
        self.call, self.orders = call, orders

    def forward(self, *tensors):
        operands = [t.permute([order.index(d) for d in range(len(order))]) for t, order in zip(tensors, self.orders)]
        results = []
        for y in self.call(*operands):
            flat = y.reshape(-1)
            if y.dtype == torch.bool:
                flat.logical_not_()
                results += [y | y, flat]
            else:
                flat.add_(1)
                results += [y * 2, flat]
        return tuple(results)


def outcome(sample, which):
    """(outcome, text)"""
    chosen = [orders(t.dim())[which] for t in sample.tensors]
    tensors = [t.permute(order).contiguous() for t, order in zip(sample.tensors, chosen)]
    module, data = Written(sample.module, chosen), io.BytesIO()
    try:
        with torch.no_grad():
            expected = module(*[t.clone() for t in tensors])
            torch.jit.save(torch.jit.trace(module, tuple(t.clone() for t in tensors), check_trace=False), data)
    except Exception as error:
        return "unavailable", str(error)
    try:
        found = graphc.compile(data.getvalue(), inputs=[models.spec(t, False) for t in tensors], target="interpreter")(*[t.clone() for t in tensors])
    except graphc.CompileError as error:
        return models.outcome_of(error), str(error)
    except graphc.Error as error:
        return "failed", str(error)
    found = [found] if isinstance(found, torch.Tensor) else list(found)
    # A write that is missing is 1 off; how exact sums are is judged elsewhere.
    why = judge.judge_all(found, list(expected), None, [1e-3] * len(expected))
    return ("wrong", why) if why else ("right", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=1)
    parser.add_argument("--opinfo", action="append")
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    known, counts = samples.opinfos(), collections.Counter()
    for name in options.opinfo or samples.in_scope(HERE / "scope.tsv"):
        if name in samples.UNINITIALIZED or name not in known:
            continue
        dtype = next((d for d in ("f32", "i64", "bool") if samples.DTYPES[d] in known[name].dtypes), None)
        for sample in samples.samples(known[name], dtype, options.limit)[0] if dtype else []:
            for which in range(3):
                kind, text = outcome(sample, which)
                counts[kind] += 1
                if kind not in ("right", "refused", "unavailable"):
                    print(f"{kind.upper()} {sample.key}, order {which}: {text}", flush=True)
    print(f"{sum(counts.values())} programs: " + ", ".join(f"{n} {kind}" for kind, n in counts.most_common()))
    sys.exit(0 if counts["right"] and set(counts) <= {"right", "refused", "unavailable"} else 1)


if __name__ == "__main__":
    main()
