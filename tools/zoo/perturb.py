"""Moves a freshly built model away from its neutral starting values, by a fixed seed.

Random initialisation leaves norms at (1, 0), biases at 0 and layer scales at 1e-5: a dropped bias, a wrongly folded batch norm or a lost
residual branch would not show in the output. Weights that are all equal (a head that starts at 0, a scale) get small random values too.
"""
import torch
from torch import nn

SCALES = ("gamma", "layer_scale", "scale", "ls1", "ls2", "lambda")


def perturb(model, seed=1):
    generator = torch.Generator().manual_seed(seed)

    def uniform(tensor, low, high):
        tensor.copy_(torch.rand(tensor.shape, generator=generator) * (high - low) + low)

    with torch.no_grad():
        for module in model.modules():
            norm = isinstance(module, nn.modules.batchnorm._BatchNorm) or "Norm" in type(module).__name__
            for name, parameter in module.named_parameters(recurse=False):
                constant = parameter.numel() > 0 and bool((parameter == parameter.flatten()[0]).all())
                if norm and name == "weight":
                    uniform(parameter, 0.7, 1.3)
                elif name == "bias":
                    uniform(parameter, -0.1, 0.1)
                elif constant and name.startswith(SCALES):
                    uniform(parameter, 0.3, 0.7)
                elif constant and parameter.ndim > 0:
                    uniform(parameter, -0.05, 0.05)
            if isinstance(module, nn.modules.batchnorm._BatchNorm) and module.running_mean is not None:
                uniform(module.running_mean, -0.1, 0.1)
                uniform(module.running_var, 0.5, 2.0)
    return model
