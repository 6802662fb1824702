"""DESIGN section 7's judgement on torch tensors.

  why = judge(found, eager, reference)        None where `found` is right, else one line that says why not

found: what graphc gave. eager: what PyTorch gives for the same inputs. reference: the same in fp64. Floats are judged by their
error against the reference beside eager's; NaN and infinities must stand where eager's or the reference's do; integers, bools,
dtypes and shapes must be eager's exactly, except places of equal elements (topk, sort, argmax): any of them will do.
"""
import dataclasses

import torch

FLOOR = {torch.float64: 1e-14, torch.float32: 1e-6, torch.float16: 5e-4, torch.bfloat16: 4e-3}
# The most that eager's errors for inputs nearby may add to the floor.
MOST_ALLOWED = {torch.float64: 1e-13, torch.float32: 2e-5, torch.float16: 8e-3, torch.bfloat16: 6e-2}


def _same_special(found, other):
    """Where `found` and `other` agree on being NaN, +inf, -inf or finite."""
    return torch.where(torch.isfinite(found), torch.isfinite(other), (torch.isnan(found) & torch.isnan(other)) | (found == other))


def measures(y, r):
    """rms(y-r)/rms(r) and max |y-r|/(|r|+rms(r)) of finite doubles."""
    if y.numel() == 0:
        return 0.0, 0.0
    error = (y - r).abs()
    rms = r.square().mean().sqrt()
    first = error.square().mean().sqrt() / rms if rms > 0 else error.max()
    scale = r.abs() + rms
    second = torch.where(error == 0, error, error / scale).max() if rms > 0 else error.max()
    return float(first), float(second)


def judge_floats(found, eager, reference, floor=0.0):
    floor = max(floor, FLOOR[eager.dtype])
    y, e, r = (t.to(torch.float64).reshape(-1) for t in (found, eager, reference))
    special = _same_special(y, e) | _same_special(y, r)
    if not special.all():
        at = int((~special).nonzero()[0])
        return f"element {at} is {y[at]:.6g}, eager's is {e[at]:.6g}, in fp64 {r[at]:.6g}"
    finite = torch.isfinite(y) & torch.isfinite(e) & torch.isfinite(r)
    y, e, r = y[finite], e[finite], r[finite]
    ours, theirs = measures(y, r), measures(e, r)
    if ours[0] <= 2 * theirs[0] + floor and ours[1] <= 5 * theirs[1] + 10 * floor:
        return None
    at = int((y - r).abs().argmax())
    return (f"error {ours[0]:.1e} and {ours[1]:.1e} (eager {theirs[0]:.1e} and {theirs[1]:.1e}); largest: {y[at]:.9g}, eager {e[at]:.9g}, "
            f"in fp64 {r[at]:.9g}")


def floors(eager, pairs):
    """A floor for each output that allows for what eager is off by, relatively, at most for inputs nearby. `pairs`: of (results, results in f64)."""
    return [FLOOR[e.dtype] + min(2 * torch.finfo(e.dtype).eps * _worst_in_units(i, pairs), MOST_ALLOWED[e.dtype]) if e.dtype in FLOOR else 0.0 for i, e in enumerate(eager)]


def _worst_in_units(output, pairs):
    worst = 0.0
    for rounded, exact in pairs:
        y, r = rounded[output], exact[output]
        if y.dtype in FLOOR and r.dtype == torch.float64 and r.shape == y.shape:
            unit, y, r = torch.finfo(y.dtype).eps, y.to(torch.float64).reshape(-1), r.reshape(-1)
            finite = torch.isfinite(y) & torch.isfinite(r)
            worst = max(worst, max(measures(y[finite], r[finite])) / unit)
    return worst


def judge_type(found, eager):
    if found.dtype != eager.dtype:
        return f"dtype {found.dtype} instead of {eager.dtype}"
    if found.shape != eager.shape:
        return f"shape {tuple(found.shape)} instead of {tuple(eager.shape)}"
    return None


def judge(found, eager, reference, floor=0.0):
    why = judge_type(found, eager)
    if why:
        return why
    if eager.dtype in FLOOR:
        if reference is None or reference.shape != eager.shape:
            reference = eager
        return judge_floats(found, eager, reference, floor)
    if torch.equal(found, eager):
        return None
    wrong = (found != eager).reshape(-1)
    at = int(wrong.nonzero()[0])
    return f"{int(wrong.sum())} of {wrong.numel()} elements differ; element {at} is {found.reshape(-1)[at].item()} instead of {eager.reshape(-1)[at].item()}"


@dataclasses.dataclass
class Selection:
    """Output number `output` holds places along `dim` of `x`, of the flattened x where dim is None."""
    output: int
    x: torch.Tensor
    dim: int | None


def judge_places(found, eager, selection):
    """Like judge, but places that select equal elements are equally right, where none occurs twice."""
    why = judge(found, eager, None)
    if not why or found.dtype != eager.dtype or found.shape != eager.shape or selection.x.dim() == 0:
        return why
    x, dim = (selection.x.reshape(-1), 0) if selection.dim is None else (selection.x, selection.dim % selection.x.dim())
    ours, theirs = (t.reshape(-1) if selection.dim is None else t if t.dim() == x.dim() else t.unsqueeze(dim) for t in (found, eager))
    if ((ours < 0) | (ours >= x.shape[dim])).any():
        return f"{why}, which is no place along dim {dim}"
    if (ours.sort(dim).values.diff(dim=dim) == 0).any():
        return f"{why}, which selects an element twice along dim {dim}"
    a, b = x.gather(dim, ours), x.gather(dim, theirs)
    return None if ((a == b) | ((a != a) & (b != b))).all() else why


def judge_all(found, eager, reference, floor=0.0, selection=None):
    """The first of several outputs that isn't right. floor: of programs that compute in fewer bits on the way; or one for each output."""
    if len(found) != len(eager):
        return f"{len(found)} outputs instead of {len(eager)}"
    for i, (y, e) in enumerate(zip(found, eager)):
        if selection and i == selection.output:
            why = judge_places(y, e, selection)
        else:
            why = judge(y, e, reference[i] if reference is not None and i < len(reference) else None, floor[i] if isinstance(floor, list) else floor)
        if why:
            return f"output {i}: {why}" if len(eager) > 1 else why
    return None
