"""Runs samples through graphc in this process; conformance.py starts it, one or more, and talks to it by lines of JSON.

  in    {"opinfo": "add", "dtype": "f32", "forms": ["pt"], "dims": ["static"], "backends": ["cpu"], "limit": 8, "skip": [KEY…]}
  out   {"begin": "add/f32/3 pt cpu static"}              before each case, so that a crash has a name
        {"case": …, "outcome": "right" | "refused" | "wrong" | "failed" | "internal" | "unavailable" |
        "accepted", "text": …}
        {"done": "add/f32", "left_out": {reason: count}}
"""
import json
import sys
import warnings

import torch

import errors
import graphc
import judge
import models
import samples


def say(**line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def compile_model(data, specs, backend):
    if backend == "interpreter":
        return graphc.compile(data, inputs=specs, target="interpreter")
    return graphc.compile(data, inputs=specs, target="cpu:native")


def run_case(sample, model, symbolic=False):
    """(outcome, text) of running a compiled model on the sample's tensors. A guard on symbols that doesn't hold is a refusal."""
    try:
        results = model(*[t.clone(memory_format=torch.preserve_format) for t in sample.tensors])
    except (graphc.Error, RuntimeError, TypeError, ValueError) as error:
        guarded = symbolic and getattr(error, "status", "") == "GRAPHC_ERROR_INPUT"
        return "refused" if guarded else "failed", str(error)
    results = [results] if isinstance(results, torch.Tensor) else list(results)
    if sample.opinfo in samples.UNINITIALIZED:
        why = judge.judge_type(results[0], sample.eager[0])
    else:
        why = judge.judge_all(results, sample.eager, sample.reference, selection=sample.selection)
        if why:  # eager's error for one input may be luck, and f64 has no better reference
            why = judge.judge_all(results, sample.eager, sample.reference, judge.floors(sample.eager, samples.nearby(sample)), sample.selection)
    return ("wrong", why) if why else ("right", "")


class Unit:
    """All samples of one OpInfo and dtype. Equal graphs are compiled once."""

    def __init__(self, task):
        self.task = task
        self.skip = set(task.get("skip", ()))
        self.compiled = {}

    def run(self):
        opinfo = samples.opinfos()[self.task["opinfo"]]
        found, left_out = samples.samples(opinfo, self.task["dtype"], self.task.get("limit"))
        for sample in found:
            for form in self.task["forms"]:
                if form != "error":
                    self.run_form(sample, form)
        if "error" in self.task["forms"] and self.task["dtype"] == "f32":
            self.run_errors(opinfo, left_out)
        say(done=f"{self.task['opinfo']}/{self.task['dtype']}", left_out=left_out, samples=len(found))

    def cases(self, sample, form):
        for dims in self.task["dims"]:
            if dims == "symbolic" and not models.has_symbols(sample):
                continue
            for backend in self.task["backends"]:
                name = f"{sample.key} {form} {backend} {dims}"
                if name not in self.skip:
                    yield name, backend, dims

    def run_form(self, sample, form):
        files = {}
        for name, backend, dims in self.cases(sample, form):
            say(begin=name)
            try:
                outcome, text = self.run_one(sample, form, backend, dims, files)
            except models.Unavailable as error:
                outcome, text = "unavailable", str(error)
            say(case=name, outcome=outcome, text=text)

    def run_errors(self, opinfo, left_out):
        """Calls that eager refuses: an error, when compiling or when running, is right."""
        found, left = errors.error_models(opinfo)
        left_out.update(left)
        for model in found:
            name = f"{model.opinfo}/f32/{model.number} error cpu static"
            if name in self.skip:
                continue
            say(begin=name)
            outcome, text = "accepted", f"eager refuses it: {model.message}"
            try:
                compiled = compile_model(model.data, [models.spec(t, False) for t in model.tensors], "cpu")
                compiled(*model.tensors)
            except graphc.CompileError as error:
                outcome, text = ("internal", str(error)) if models.outcome_of(error) == "internal" else ("right", "")
            except (graphc.Error, RuntimeError, TypeError, ValueError):
                outcome, text = "right", ""
            say(case=name, outcome=outcome, text=text)

    def run_one(self, sample, form, backend, dims, files):
        key, data = self.file(sample, form, dims, files)
        specs = models.specs(sample, dims == "symbolic") if form == "pt" else None
        key = (key, tuple(specs or ()), form, backend, dims)
        if key not in self.compiled:
            try:
                self.compiled[key] = compile_model(data, specs, backend), None
            except graphc.CompileError as error:
                self.compiled[key] = None, (models.outcome_of(error), str(error))
        model, failure = self.compiled[key]
        return failure or run_case(sample, model, dims == "symbolic")

    def file(self, sample, form, dims, files):
        """(a key that equal models share, the file's bytes)"""
        which = form if form == "pt" else form + dims
        if which not in files:
            try:
                if form == "pt":
                    files[which] = models.trace(sample)
                else:
                    data = models.export(sample, dims == "symbolic")
                    files[which] = data, data
            except models.Unavailable as error:
                files[which] = error
        if isinstance(files[which], Exception):
            raise files[which]
        return files[which]


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for line in sys.stdin:
        Unit(json.loads(line)).run()


if __name__ == "__main__":
    main()
