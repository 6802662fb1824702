"""Shrinks a failing program: fewer outputs, fewer steps, as long as it fails in the same way.

  smaller = reduce(graph, fails)      fails: Graph → bool
"""
from graphs import Graph, Step, run


def _without_dead(graph):
    """Steps that no output and no write needs are dropped; in-place steps of used values stay."""
    count = len(graph.inputs)
    needed = set(graph.outputs)
    for i in range(len(graph.steps) - 1, -1, -1):
        if i + count in needed:
            needed.update(graph.steps[i].operands)
    number, steps = {i: i for i in range(count)}, []
    for i, step in enumerate(graph.steps):
        if i + count in needed:
            number[i + count] = count + len(steps)
            steps.append(Step(step.operator, [number[o] for o in step.operands], step.constants))
    return Graph(graph.inputs, steps, [number[o] for o in graph.outputs])


def _without_inputs(graph):
    used = {o for step in graph.steps for o in step.operands} | set(graph.outputs)
    keep = [i for i in range(len(graph.inputs)) if i in used]
    number = {old: new for new, old in enumerate(keep)}
    shift = len(graph.inputs) - len(keep)

    def renumber(o):
        return number[o] if o < len(graph.inputs) else o - shift
    return Graph([graph.inputs[i] for i in keep], [Step(s.operator, [renumber(o) for o in s.operands], s.constants) for s in graph.steps],
                 [renumber(o) for o in graph.outputs])


def _cut(graph, at):
    """The value of step `at` becomes an input that holds it."""
    count = len(graph.inputs)
    value = run(Graph(graph.inputs, graph.steps[:at + 1], [at + count]))[0].clone()

    def renumber(o):
        return count if o == at + count else o if o < count else o + 1 if o < at + count else o
    steps = [Step(s.operator, [renumber(o) for o in s.operands], s.constants) for i, s in enumerate(graph.steps) if i != at]
    return _without_inputs(_without_dead(Graph(graph.inputs + [value], steps, [renumber(o) for o in graph.outputs])))


def _candidates(graph):
    count = len(graph.inputs)
    if len(graph.outputs) > 1:
        for output in graph.outputs:
            yield _without_inputs(_without_dead(Graph(graph.inputs, graph.steps, [output])))
    if len(graph.outputs) == 1:
        for i in range(len(graph.steps)):
            if i + count != graph.outputs[0]:
                yield _without_inputs(_without_dead(Graph(graph.inputs, graph.steps[:i + 1], [i + count])))
    for i in range(len(graph.steps) - 2, -1, -1):
        yield _cut(graph, i)


def reduce(graph, fails, budget=300):
    """At most `budget` trials; each success starts over."""
    smaller = True
    while smaller and budget > 0:
        smaller = False
        for candidate in _candidates(graph):
            budget -= 1
            if budget < 0:
                break
            if len(candidate.steps) <= len(graph.steps) and candidate.steps and (len(candidate.steps), len(candidate.outputs)) < (len(graph.steps), len(graph.outputs)) and fails(candidate):
                graph, smaller = candidate, True
                break
    return graph
