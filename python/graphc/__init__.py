"""graphc: compiles PyTorch model files (TorchScript .pt, torch.export .pt2) and runs them, without PyTorch at run time.

    import graphc, torch

    model = graphc.compile("resnet.pt", inputs=[torch.randn(1, 3, 224, 224)])
    y = model(torch.randn(1, 3, 224, 224))            # tensors in, tensors of the same library out (DLPack)

    model = graphc.compile("resnet.pt", inputs={"x": "f32[B,3,224,224]"})     # B: any batch size
    model.save("resnet.gcx")                                                   # for libgraphc, or for graphc.load

A model of one output returns it, others a tuple in the order of `model.outputs`. What the compiler says comes as
graphc.CompileError with its diagnostics, what a run says as graphc.RunError.
"""
from ._errors import CompileError, Diagnostic, Error, RunError
from ._model import Context, InterpretedModel, Model, TensorInfo, compile, load
from ._graphc import version as _version

__version__ = _version()
__all__ = ["CompileError", "Context", "Diagnostic", "Error", "InterpretedModel", "Model", "RunError", "TensorInfo", "compile", "load"]
