"""The installed package graphc in an environment without PyTorch: compiling, loading, running, errors.

  installed_test.py FOLDER        with the files of installed_models.py; pip-install.sh calls it
"""
import pathlib
import sys
import unittest

import numpy as np

import graphc

folder = pathlib.Path(sys.argv.pop())
EXPECTED = np.load(folder / "expected.npz")


class Installed(unittest.TestCase):
    def test_is_the_installed_one(self):
        self.assertTrue(pathlib.Path(graphc.__file__).is_relative_to(sys.prefix), graphc.__file__)
        self.assertNotIn("torch", sys.modules)

    def check(self, model):
        np.testing.assert_allclose(model(EXPECTED["x"]), EXPECTED["y"], rtol=1e-5, atol=1e-6)

    def test_compiles_and_loads(self):
        self.check(graphc.compile(folder / "layer.pt2"))
        model = graphc.compile(folder / "layer.pt", inputs=["f32[B,8]"])
        self.check(model)
        model.save(folder / "layer.gcx")
        self.check(graphc.load(folder / "layer.gcx"))
        self.check(graphc.compile((folder / "layer.pt").read_bytes(), inputs=[EXPECTED["x"]], target="interpreter"))

    def test_errors_are_exceptions_with_diagnostics(self):
        with self.assertRaises(graphc.CompileError) as raised:
            graphc.compile(folder / "eigenvalues.pt", inputs=["f32[3,3]"])
        first = next(one for one in raised.exception.diagnostics if one.file)
        self.assertEqual((raised.exception.status, first.severity), ("model", "error"))
        self.assertIn("eigvalsh", first.message)
        self.assertTrue(first.file.endswith("installed_models.py") and first.line > 0, first)
        with self.assertRaises(graphc.RunError) as raised:
            graphc.compile(folder / "gather.pt", inputs=["f32[4]", "i64[2]"])(np.ones(4, "f4"), np.array([0, 9]))
        self.assertTrue(raised.exception.file.endswith("installed_models.py") and raised.exception.line > 0)
        with self.assertRaises(graphc.Error):
            graphc.load(folder / "layer.pt")


if __name__ == "__main__":
    unittest.main()
