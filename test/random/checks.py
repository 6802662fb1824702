"""Whether graphc runs a random program right: against eager (DESIGN section 7), and against itself in ways that must not matter.

  failure = check(graph, rng)      None, or (outcome, text): "wrong", "failed", "internal"; "refused" where graphc says that it lacks something
"""
import io
import warnings

import torch

import graphc
import judge
import models
from graphs import Graph, run, run_and_write, widened


class Refused(Exception):
    pass


class Wrong(Exception):
    pass


def file_of(graph):
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        inputs = tuple(t.clone(memory_format=torch.preserve_format) for t in graph.inputs)
        module = torch.jit.trace(graph.module(), inputs, check_trace=False, strict=False)
        data = io.BytesIO()
        torch.jit.save(module, data)
    return data.getvalue()


def compile_graph(graph, symbolic=False, **options):
    try:
        return graphc.compile(file_of(graph), inputs=[models.spec(t, symbolic) for t in graph.inputs], target="cpu:native", **options)
    except graphc.CompileError as error:
        if models.outcome_of(error) == "internal":
            raise
        raise Refused(str(error))


def results_of(model, inputs):
    """Outputs, and the inputs as they are afterwards."""
    given = [t.clone(memory_format=torch.preserve_format) for t in inputs]
    results = model(*given)
    return ([results] if isinstance(results, torch.Tensor) else list(results)) + given


def _everything(graph):
    """All values of the program."""
    return run(Graph(graph.inputs, graph.steps, list(range(len(graph.inputs) + len(graph.steps)))))


def floor_of(graph):
    """Rounding to 16 bits between operators of one kernel may vanish (DESIGN section 3), so that what follows differs by a unit in the last
    place, twice the floor. What was f32 in between is no more exact in an f64 result."""
    units = {torch.float16: 2, torch.bfloat16: 2, torch.float32: 1}
    return max(units.get(t.dtype, 0) * judge.FLOOR.get(t.dtype, 0.0) for t in _everything(graph))


def _perturbed(tensor, dtype, seed):
    """The doubles moved by as much as rounding to `dtype` may, in both directions without a pattern along any dim."""
    if not dtype.is_floating_point:
        return tensor
    signs = torch.randint(0, 2, tensor.shape, generator=torch.Generator().manual_seed(seed)) * 2.0 - 1
    return tensor * (1 + signs.double() * torch.finfo(dtype).eps / 2)


def explained_by_rounding(graph, found, eager, reference):
    """True where all outputs are as near to the reference as the reference itself is when its inputs and all that is computed are rounded once
    more, in four ways, times 8: sums that cancel and norms of equal elements magnify the last bits, and there is no telling which order of adding
    is right. (One way may leave a result of one element where it is, by luck.)"""
    wide, dtypes = widened(graph), [t.dtype for t in _everything(graph)]

    def moved(seed):
        inputs = [_perturbed(t, dtype, seed) for t, dtype in zip(wide.inputs, dtypes)]
        return run_and_write(wide, inputs, lambda i, value: _perturbed(value, dtypes[i], seed).to(value.dtype))

    for y, e, r, *others in zip(found, eager, reference, *map(moved, range(4))):
        if y.dtype != e.dtype or y.shape != e.shape or (not e.is_floating_point() and not torch.equal(y, e)):
            return False
        if e.is_floating_point() and e.numel():
            apart = max((m.double() - r).abs().max() for m in others)
            if not (y.double() - r).abs().max() <= 8 * apart and judge.judge(y, e, r, floor_of(graph)):
                return False
    return len(found) == len(eager)


def judge_graph(graph, model, what, inputs=None):
    """Raises Wrong where the model's results aren't eager's."""
    eager, reference = run_and_write(graph), run_and_write(widened(graph))
    found = results_of(model, graph.inputs if inputs is None else inputs)
    why = judge.judge_all(found, eager, reference, floor_of(graph))
    if why and not explained_by_rounding(graph, found, eager, reference):
        raise Wrong(f"{what}: {why}")


def _plain(graph, rng):
    judge_graph(graph, compile_graph(graph), "as it is")


def _unoptimized(graph, rng):
    judge_graph(graph, compile_graph(graph, opt="none"), "opt none")


def _skipped(graph, rng):
    """Without one of the passes that a program can do without."""
    name = rng.choice(("canonicalize", "cse", "graphc-fold-constants", "graphc-assign-layouts", "graphc-fuse-kernels", "graphc-pack-weights"))
    judge_graph(graph, compile_graph(graph, debug_skip=name), f"without {name}")


def _guarded(graph, rng):
    """Each buffer between inaccessible pages."""
    model = compile_graph(graph)
    judge_graph(graph, model.context(arena=False), "between guard pages")


def _exposed(graph, rng):
    more = Graph(graph.inputs, graph.steps, graph.outputs + [rng.randrange(len(graph.inputs), len(graph.inputs) + len(graph.steps))])
    judge_graph(more, compile_graph(more), f"v{more.outputs[-1]} exposed as an output")


def _reordered(graph, rng):
    other = Graph(graph.inputs, graph.steps, graph.outputs[::-1])
    judge_graph(other, compile_graph(other), "outputs reversed")


def _symbolic(graph, rng):
    judge_graph(graph, compile_graph(graph, symbolic=True), "dims symbolic")


def _strided(graph, rng):
    """Inputs of the same values in another memory order."""
    inputs = []
    for t in graph.inputs:
        dims = list(range(t.dim()))
        rng.shuffle(dims)
        inputs.append(t.permute(dims).contiguous().permute([dims.index(d) for d in range(t.dim())]))
    judge_graph(graph, compile_graph(graph), "inputs with other strides", inputs)


def _channels_last(graph, rng):
    """Where no input has four dims, the first gets other strides."""
    inputs = [t.contiguous(memory_format=torch.channels_last) if t.dim() == 4 else t.mT.contiguous().mT if t.dim() > 1 else t for t in graph.inputs]
    judge_graph(graph, compile_graph(graph), "inputs channels last", inputs)


def _threads(graph, rng):
    model = compile_graph(graph)
    one, two = (results_of(model.context(threads=n), graph.inputs) for n in (1, 2))
    for i, (a, b) in enumerate(zip(one, two)):
        if a.numel() and not torch.equal(a.contiguous().reshape(-1).view(torch.uint8), b.contiguous().reshape(-1).view(torch.uint8)):
            raise Wrong(f"output {i} differs between 1 and 2 threads")


CHECKS = {"plain": _plain, "unoptimized": _unoptimized, "exposed": _exposed, "reordered": _reordered, "symbolic": _symbolic,
          "strided": _strided, "channels_last": _channels_last, "threads": _threads, "skipped": _skipped, "guarded": _guarded}


def check(graph, rng, name):
    try:
        CHECKS[name](graph, rng)
    except Refused as error:
        return "refused", str(error)
    except Wrong as error:
        return "wrong", str(error)
    except graphc.CompileError as error:
        return "internal", str(error)
    except graphc.RunError as error:
        is_guard = name == "symbolic"  # the symbols were drawn without knowing the program
        if error.status == "GRAPHC_ERROR_INPUT" and (is_guard or "depends on its memory order" in str(error)):
            return "refused", str(error)
        return "failed", f"RunError: {error}"
    except (graphc.Error, RuntimeError, TypeError, ValueError) as error:
        return "failed", f"{type(error).__name__}: {error}"
    return None


def fails_alike(graph, rng_seed, name, outcome):
    """For the reducer: the same kind of failure."""
    import random
    try:
        found = check(graph, random.Random(rng_seed), name)
    except Exception:
        return False
    return found is not None and found[0] == outcome
