"""Random programs of valid tensor operators, as data: drawn from a seed, run by PyTorch, made into modules, shrunk.

A Graph has inputs (tensors) and steps; a step applies an operator of OPERATORS to earlier values (inputs first, then steps' results) with constants.
In-place steps write into an earlier value, or a view of it, and yield that value; in three programs of ten also into inputs. E.g.

  Graph(inputs=[x], steps=[Step("relu", [0], ()), Step("add", [0, 1], ()), Step("add_into_slice", [2, 0], (0, 1))], outputs=[3])
"""
import dataclasses
import random

import torch

from operators import OPERATORS

SHAPE_SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 16, 17, 33)
INPUT_DTYPES = (torch.float32,) * 6 + (torch.int64, torch.int32, torch.bool, torch.float64, torch.uint8, torch.float16, torch.bfloat16)


@dataclasses.dataclass
class Step:
    operator: str
    operands: list
    constants: tuple


@dataclasses.dataclass
class Graph:
    inputs: list  # tensors
    steps: list
    outputs: list  # numbers of values

    def module(self):
        return Program(self.steps, self.outputs, len(self.inputs))

    def text(self):
        """A Python function that does the same, to paste into a report."""
        lines = [f"# inputs: {', '.join(f'v{i} {t.dtype} {list(t.shape)} strides {list(t.stride())}' for i, t in enumerate(self.inputs))}",
                 f"def forward({', '.join(f'v{i}' for i in range(len(self.inputs)))}):"]
        for i, step in enumerate(self.steps):
            arguments = ", ".join([f"v{o}" for o in step.operands] + [repr(c) for c in step.constants])
            lines.append(f"    v{i + len(self.inputs)} = {step.operator}({arguments})")
        return "\n".join(lines + [f"    return {', '.join(f'v{o}' for o in self.outputs)}"])


class Program(torch.nn.Module):
    def __init__(self, steps, outputs, input_count):
        super().__init__()
        self.steps, self.outputs, self.input_count = steps, outputs, input_count

    def forward(self, *inputs):
        return self.run(inputs, None)

    def run(self, inputs, disturb):
        """disturb: of (value's number, value), what to go on with instead of a step's result that is a tensor of its own; or None."""
        values = list(inputs)
        for step in self.steps:
            operands = [values[o] for o in step.operands]
            value = OPERATORS[step.operator].apply(*operands, *step.constants)
            if disturb and all(value.untyped_storage().data_ptr() != o.untyped_storage().data_ptr() for o in operands):
                value = disturb(len(values), value)
            values.append(value)
        return tuple(values[o] for o in self.outputs)


def run(graph, inputs=None):
    with torch.no_grad():
        return graph.module()(*[t.clone(memory_format=torch.preserve_format) for t in (graph.inputs if inputs is None else inputs)])


def run_and_write(graph, inputs=None, disturb=None):
    """The outputs and what the inputs hold afterwards, as copies."""
    given = [t.clone(memory_format=torch.preserve_format) for t in (graph.inputs if inputs is None else inputs)]
    with torch.no_grad():
        return [t.clone() for t in graph.module().run(given, disturb)] + given


def widened(graph):
    """The program and its inputs in fp64, the reference: every float dtype becomes f64, in casts too."""
    wide = {torch.float32: torch.float64, torch.float16: torch.float64, torch.bfloat16: torch.float64}
    steps = [Step(s.operator, s.operands, tuple(wide.get(c, c) if isinstance(c, torch.dtype) else c for c in s.constants)) for s in graph.steps]
    return Graph([t.to(wide.get(t.dtype, t.dtype)) for t in graph.inputs], steps, graph.outputs)


def _tensor(rng, dtype, shape):
    seed = torch.Generator().manual_seed(rng.getrandbits(32))
    if dtype == torch.bool:
        return torch.randint(0, 2, shape, generator=seed).bool()
    if not dtype.is_floating_point:
        return torch.randint(0 if dtype == torch.uint8 else -9, 10, shape, generator=seed).to(dtype)
    return torch.randn(shape, generator=seed).to(dtype)


def _usable(value):
    """Small, finite values of a size that stays quick: noise must not grow until nothing can be judged."""
    if value.numel() > 20000 or value.dim() > 5:
        return False
    return not value.is_floating_point() or value.numel() == 0 or bool(torch.isfinite(value).all() and value.abs().max() < 1e3)


def _draw_inputs(rng):
    shape = [rng.choice(SHAPE_SIZES[1:] if rng.random() < 0.9 else SHAPE_SIZES) for _ in range(rng.randint(1, 4))]
    inputs = [_tensor(rng, torch.float32, shape)]
    if len(shape) == 4 and rng.random() < 0.5:
        inputs[0] = inputs[0].contiguous(memory_format=torch.channels_last)
    for _ in range(rng.randint(1, 3)):
        other = list(shape)
        if rng.random() < 0.4:
            other = [1 if rng.random() < 0.3 else n for n in other][rng.randint(0, len(other) - 1):]
        elif rng.random() < 0.3:
            other = [rng.choice(SHAPE_SIZES[1:]) for _ in range(rng.randint(0, 3))]
        inputs.append(_tensor(rng, rng.choice(INPUT_DTYPES), other))
    return inputs


def _extended(graph, step, values):
    """The values with that of one more step, which share memory as in the program; None where it raises or makes values that aren't usable."""
    try:
        if not OPERATORS[step.operator].in_place:
            value = OPERATORS[step.operator].apply(*[values[o] for o in step.operands], *step.constants)
            return values + [value] if _usable(value) else None
        everything = list(range(len(values) + 1))
        results = list(run(Graph(graph.inputs, graph.steps + [step], everything)))
    except Exception:
        return None
    return results if all(_usable(value) for value in results[len(graph.inputs):]) else None


def draw(seed):
    """A graph of 5 to 40 steps."""
    rng = random.Random(seed)
    graph = Graph(_draw_inputs(rng), [], [])
    values = [t.clone(memory_format=torch.preserve_format) for t in graph.inputs]
    names, weights = zip(*((name, operator.weight) for name, operator in OPERATORS.items()))
    wanted, attempts, writes_inputs = rng.randint(5, 40), 0, rng.random() < 0.3
    while len(graph.steps) < wanted and attempts < 40 * wanted:
        attempts += 1
        operator = OPERATORS[rng.choices(names, weights)[0]]
        name = next(n for n, o in OPERATORS.items() if o is operator)
        candidate = operator.propose(rng, values)
        if candidate is None:
            continue
        operands, constants = candidate
        if operator.in_place and operands[0] < len(graph.inputs) and not writes_inputs:
            continue
        step = Step(name, operands, constants)
        results = _extended(graph, step, values)
        if results is not None:
            graph.steps.append(step)
            values = results
    used = {o for step in graph.steps for o in step.operands}
    last = [i + len(graph.inputs) for i in range(len(graph.steps)) if i + len(graph.inputs) not in used]
    graph.outputs = last[-4:] or [len(graph.inputs) + len(graph.steps) - 1]
    return graph
