"""The package graphc as its users see it: compiling, running, tensors of several libraries, errors, threads, state.

  package_test.py [TestCase.method]        with the package on PYTHONPATH
"""
import io
import pathlib
import re
import tempfile
import threading
import unittest

import numpy as np
import torch

import graphc


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.linear = torch.nn.Linear(8, 4)

    def forward(self, x, y):
        return torch.relu(self.linear(x)) + y


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x):
        self.count += x
        return self.count * 2


class Unsupported(torch.nn.Module):
    def forward(self, x):
        return torch.fft.fft(x).real + torch.linalg.eigvalsh(x)


def traced(module, *tensors):
    data = io.BytesIO()
    torch.jit.save(torch.jit.trace(module.eval(), tensors), data)
    return data.getvalue()


def scripted(module):
    data = io.BytesIO()
    torch.jit.save(torch.jit.script(module.eval()), data)
    return data.getvalue()


X, Y = torch.randn(3, 8), torch.randn(3, 4)


class Compile(unittest.TestCase):
    def setUp(self):
        self.data = traced(Layer(), X, Y)
        with torch.no_grad():
            self.expected = Layer()(X, Y)

    def test_bytes(self):
        model = graphc.compile(self.data, inputs=[X, Y])
        torch.testing.assert_close(model(X, Y), self.expected)
        self.assertEqual([(info.name, info.dtype, info.dims) for info in model.inputs], [("x", "f32", (3, 8)), ("y", "f32", (3, 4))])
        self.assertEqual(model.report["summary"]["producer"], "TorchScript archive version 3")

    def test_path_save_and_load(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "layer.pt"
            path.write_bytes(self.data)
            graphc.compile(path, inputs={"x": X, "y": Y}).save(path.with_suffix(".gcx"))
            model = graphc.load(path.with_suffix(".gcx"))
            torch.testing.assert_close(model(X, Y), self.expected)
            self.assertIsNone(model.report)

    def test_exported(self):
        data = io.BytesIO()
        torch.export.save(torch.export.export(Layer().eval(), (X, Y)), data)
        torch.testing.assert_close(graphc.compile(data.getvalue())(X, Y), self.expected)

    def test_symbols(self):
        model = graphc.compile(self.data, inputs=["f32[B,8]", "f32[B,4]"])
        for batch in (1, 5):
            x, y = torch.randn(batch, 8), torch.randn(batch, 4)
            torch.testing.assert_close(model(x, y), Layer()(x, y).detach())
        self.assertEqual(model.inputs[0].dims, ("B", 8))

    def test_names_and_options(self):
        model = graphc.compile(self.data, inputs=[X, Y], opt="none", target=["cpu:x86-64-v3"])
        torch.testing.assert_close(model(X, y=Y), self.expected)
        self.assertEqual(model.level, "x86-64-v3")
        with self.assertRaises(TypeError):
            model(X, z=Y)

    def test_same_bytes(self):
        self.assertEqual(graphc.compile(self.data, inputs=[X, Y]).artifact, graphc.compile(self.data, inputs=[X, Y]).artifact)

    def test_interpreter(self):
        model = graphc.compile(self.data, inputs=[X, Y], target="interpreter")
        torch.testing.assert_close(model(X, Y), self.expected)
        in_double = model(X, Y, double=True)
        self.assertEqual(in_double.dtype, torch.float64)
        torch.testing.assert_close(in_double, Layer().double()(X.double(), Y.double()).detach(), rtol=1e-13, atol=1e-13)

    def test_interpreter_gives_no_changed_input(self):
        data = traced(type("Writes", (torch.nn.Module,), {"forward": lambda self, x: x.add_(1) * 2})(), X.clone())
        torch.testing.assert_close(graphc.compile(data, inputs=[X], target="interpreter")(X.clone()), (X + 1) * 2)


class Tensors(unittest.TestCase):
    def run_identity_like(self, tensor):
        data = traced(type("Double", (torch.nn.Module,), {"forward": lambda self, x: (x.flatten(), torch.where(x == x, x, x))})(), tensor)
        return graphc.compile(data, inputs=[tensor])(tensor)

    def test_dtypes(self):
        for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.bool):
            tensor = (torch.arange(6) % 2).reshape(2, 3).to(dtype)
            flat, same = self.run_identity_like(tensor)
            self.assertEqual((flat.dtype, same.dtype), (dtype, dtype))
            self.assertTrue(torch.equal(same, tensor) and torch.equal(flat, tensor.flatten()), dtype)

    def test_strides_and_gradients(self):
        data = traced(Layer(), X, Y)
        model = graphc.compile(data, inputs=[X, Y])
        x = torch.randn(8, 3, requires_grad=True)
        torch.testing.assert_close(model(x.t(), Y), Layer()(x.t(), Y).detach())
        torch.testing.assert_close(model(X[:1].expand(3, 8), Y), Layer()(X[:1].expand(3, 8), Y).detach())

    def test_numpy(self):
        model = graphc.compile(traced(Layer(), X, Y), inputs=[X.numpy(), Y.numpy()])
        result = model(X.numpy(), Y.numpy())
        self.assertIsInstance(result, np.ndarray)
        np.testing.assert_allclose(result, Layer()(X, Y).detach().numpy(), rtol=1e-5, atol=1e-6)

    def test_results_live_on(self):
        model = graphc.compile(traced(Layer(), X, Y), inputs=[X, Y])
        first = model(X, Y)
        kept = first.clone()
        model(X * 2, Y)
        self.assertTrue(torch.equal(first, kept))


class Program(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def _contiguous_alias(x):
    y = x.contiguous()
    y.add_(1)
    return x * 2, y


def _flat_alias(x):
    a = x * 2
    b = a.flatten()
    b.mul_(3)
    return a


def _copied_back(x):
    a = x * 2
    b = a.reshape(-1)
    a.add_(1)
    return b + 1


def _in_format(x):
    y = x.to(memory_format=torch.channels_last)
    y.add_(1)
    return x * 2, y


def _strides(x):
    return torch.as_strided(x, (x.shape[0], 2), (x.stride(0), 1)) * 2


def _rebound(x):
    x = (x * 2).flatten(1)
    x = x.add_(1)
    return torch.relu_(x)


def _view_only(x):
    y = (x + 1).transpose(1, 2)
    y.mul_(2)
    return y.flatten()


class MemoryOrder(unittest.TestCase):
    """Programs whose results depend on the strides of their inputs: right for contiguous ones, refused for others."""
    CHANNELS_LAST = torch.randn(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)

    def compiled(self, forward, symbolic=False):
        data = traced(Program(forward), torch.randn(2, 3, 4, 5))
        return graphc.compile(data, inputs=["f32[B,C,H,W]" if symbolic else "f32[2,3,4,5]"])

    def check(self, forward, model, x):
        mine, theirs = x.clone(), x.clone()
        found, expected = model(mine), forward(theirs)
        for a, b in zip(*((r if isinstance(r, tuple) else (r,)) for r in (found, expected))):
            torch.testing.assert_close(a, b)
        torch.testing.assert_close(mine, theirs)

    def test_depends(self):
        for forward in (_contiguous_alias, _flat_alias, _copied_back, _in_format, _strides):
            for symbolic in (False,) if forward is _in_format else (False, True):
                model = self.compiled(forward, symbolic)
                self.check(forward, model, torch.randn(2, 3, 4, 5))
                with self.assertRaisesRegex(graphc.RunError, r"strides \[60, 1, 15, 3\], expected \[60, 20, 5, 1\]; .*package_test.py:\d+"):
                    model(self.CHANNELS_LAST)

    def test_depends_on_symbols(self):
        """A copy, but for sizes of 1 a view."""
        for forward in (_in_format, lambda x: (lambda y: (y.add_(1), x * 2))(x.transpose(1, 2).reshape(x.shape))):
            with self.assertRaisesRegex(graphc.CompileError, r"sizes are symbolic(.|\n)*package_test.py:\d+"):
                self.compiled(forward, symbolic=True)

    def test_does_not_depend(self):
        for forward in (_rebound, _view_only):
            model = self.compiled(forward)
            for x in (torch.randn(2, 3, 4, 5), self.CHANNELS_LAST):
                self.check(forward, model, x)

    def test_operators_that_choose(self):
        """Which strides a convolution of a channels_last tensor has, or flip() of a transposed one, isn't followed: a write that needs to know is refused."""
        weight = torch.randn(6, 3, 1, 1)

        def written(operator):
            def forward(x):
                y = operator(x)
                z = y.reshape(-1)
                z.add_(1)
                return y * 2, z
            return forward
        for operator in (lambda x: torch.conv2d(x.contiguous(memory_format=torch.channels_last), weight), lambda x: x.transpose(1, 3).flip(0),
                         lambda x: torch.linalg.inv(x[:, :, :3, :3] + 4 * torch.eye(3)), lambda x: torch.einsum("abcd,abce->eda", x, x)):
            with self.assertRaisesRegex(graphc.CompileError, r"memory order(.|\n)*package_test.py:\d+"):
                self.compiled(written(operator))
        for operator in (lambda x: x.transpose(1, 3) @ x.transpose(1, 3).mT, lambda x: x.transpose(1, 3).masked_fill(x.transpose(1, 3) > 0, 1.0),
                         lambda x: x.transpose(1, 3) * 2, lambda x: x.flip(0)):
            self.check(written(operator), self.compiled(written(operator)), torch.randn(2, 3, 4, 5))


class State(unittest.TestCase):
    def test_contexts(self):
        model = graphc.compile(scripted(Counter()), inputs=["f32[1]"])
        one = torch.ones(1)
        self.assertEqual([model(one).item(), model(one).item()], [2, 4])
        self.assertEqual(model.context()(one).item(), 2)
        model.reset()
        self.assertEqual(model(one).item(), 2)


class Errors(unittest.TestCase):
    def test_unsupported(self):
        with self.assertRaises(graphc.CompileError) as caught:
            graphc.compile(traced(Unsupported(), torch.eye(3)), inputs=["f32[3,3]"], name="unsupported.pt")
        error = caught.exception
        self.assertEqual(error.status, "model")
        self.assertIn("unsupported.pt", str(error))
        found = {(operator, pathlib.Path(d.file).name) for d in error.diagnostics if d.file for operator in re.findall(r"aten::\w+", d.message)}
        self.assertIn(("aten::fft_fft", "package_test.py"), found)
        self.assertTrue(all(d.severity == "error" and d.line > 0 for d in error.diagnostics if d.file))

    def test_usage_and_files(self):
        data = traced(Layer(), X, Y)
        for arguments, status, text in (
                (dict(inputs=["f32[3,8", "f32[3,4]"]), "usage", "f32[3,8"), (dict(inputs=[X, Y], opt="fast"), "usage", "fast"),
                (dict(inputs=[X, Y], target="tpu"), "usage", "tpu"), (dict(), "model", "--input 'x=f32[3,8]'"),
                (dict(inputs=[X, Y], target=["cpu", "interpreter"]), "usage", "stands alone")):
            with self.assertRaises(graphc.CompileError) as caught:
                graphc.compile(data, **arguments)
            self.assertEqual(caught.exception.status, status)
            self.assertIn(text, str(caught.exception))
        for bad in (b"", b"no model", data[:-100], data[:200] + b"\0" * 100 + data[300:]):
            with self.assertRaises(graphc.CompileError) as caught:
                graphc.compile(bad, inputs=[X, Y])
            self.assertEqual(caught.exception.status, "model")
        with self.assertRaises(graphc.CompileError):
            graphc.compile("/nowhere/model.pt")
        with self.assertRaises(TypeError):
            graphc.compile(data, inputs=[3, 4])

    def test_run(self):
        model = graphc.compile(traced(Layer(), X, Y), inputs=[X, Y])
        for tensors in ((X[:2], Y), (X.double(), Y), (X, Y[0])):
            with self.assertRaises(graphc.RunError) as caught:
                model(*tensors)
            self.assertEqual(caught.exception.status, "GRAPHC_ERROR_INPUT")
        with self.assertRaises(TypeError):
            model(X)
        with self.assertRaises(graphc.RunError):
            graphc.load(__file__)
        torch.testing.assert_close(model(X, Y), Layer()(X, Y).detach())

    def test_index_out_of_range(self):
        table = torch.randn(5, 2)
        module = type("Lookup", (torch.nn.Module,), {"forward": lambda self, i: torch.nn.functional.embedding(i, table)})()
        model = graphc.compile(traced(module, torch.tensor([0, 4])), inputs=["i64[2]"])
        with self.assertRaises(graphc.RunError) as caught:
            model(torch.tensor([0, 5]))
        self.assertEqual(caught.exception.status, "GRAPHC_ERROR_RUN")
        self.assertEqual(pathlib.Path(caught.exception.file).name, "package_test.py")


class Threads(unittest.TestCase):
    def test_compile_and_run(self):
        """Models of several sizes, compiled and run by four threads at once; each result is the serial one's bits."""
        widths = (1, 3, 8, 17)
        files = {n: traced(torch.nn.Sequential(torch.nn.Linear(n, n), torch.nn.Softmax(-1)), torch.randn(2, n)) for n in widths}
        serial = {n: graphc.compile(files[n], inputs=[f"f32[2,{n}]"]).artifact for n in widths}
        failures = []

        def work(first):
            try:
                for i in range(6):
                    n = widths[(first + i) % len(widths)]
                    model = graphc.compile(files[n], inputs=[f"f32[2,{n}]"])
                    if model.artifact != serial[n] or abs(model(torch.randn(2, n)).sum().item() - 2) > 1e-5:
                        failures.append(n)
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_one_model(self):
        model = graphc.compile(traced(Layer(), X, Y), inputs=[X, Y])
        expected, failures = model(X, Y), []

        def work(context):
            for _ in range(200):
                if not torch.equal(context(X, Y), expected):
                    failures.append(1)

        threads = [threading.Thread(target=work, args=(context,)) for context in (model, model, model.context(), model.context(threads=1))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


if __name__ == "__main__":
    unittest.main()
