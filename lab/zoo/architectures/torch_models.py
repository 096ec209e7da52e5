"""Modules of PyTorch, as litert-torch converts them."""

import torch
from torch import nn
from torchvision import models
from torchvision.models.convnext import CNBlockConfig

from registry import architecture


def image(*shape):
    return (torch.randn(1, 3, *(shape or (64, 64))),)


def normalized(model):
    """A model whose norms know its activations, which fade out behind norms of no statistics."""
    for part in model.modules():
        if isinstance(part, nn.BatchNorm2d):
            part.momentum = 0.9  # the rest, a variance of 1, bounds the gain of idle channels
    with torch.no_grad():
        model.train()(torch.randn(8, 3, 64, 64))
    return model


class TimeSteps(nn.Module):
    """A step from 0 to 1000 as sines and cosines, for every block of a diffusion model."""

    def __init__(self):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(32, 32), nn.SiLU(), nn.Linear(32, 16))
        self.register_buffer("frequencies", torch.exp(-torch.arange(16) / 16 * 9.2103))

    def forward(self, step):
        angles = (step * 142).float()[:, None] * self.frequencies  # steps are up to 7 in the zoo
        return self.mlp(torch.cat([angles.cos(), angles.sin()], -1))


class LastOfLstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.out = nn.LSTM(6, 8, batch_first=True), nn.Linear(8, 3)

    def forward(self, x):
        return self.out(self.lstm(x)[0][:, -1])


# In float32, by litert-torch: a module and its inputs.
for name, task, build in (
        ("torchvision_mobilenet_v2", "classification", lambda: (
            normalized(models.mobilenet_v2(width_mult=0.25, num_classes=10)), image())),
        ("torchvision_mobilenet_v3", "classification", lambda: (
            normalized(models.mobilenet_v3_small(width_mult=0.5, num_classes=10)), image())),
        ("torchvision_resnet", "classification", lambda: (
            models.ResNet(models.resnet.BasicBlock, [1, 1, 1, 1], num_classes=10,
                          width_per_group=64), image(32, 32))),
        ("torchvision_shufflenet", "classification", lambda: (
            models.ShuffleNetV2([2, 2, 2], [8, 16, 32, 64, 64], num_classes=10), image())),
        ("torchvision_vit", "classification", lambda: (
            models.VisionTransformer(32, 8, 2, 4, 32, 64, num_classes=10), image(32, 32))),
        ("torchvision_swin", "classification", lambda: (
            models.SwinTransformer([4, 4], 16, [2, 2], [2, 4], [4, 4], num_classes=10),
            image(32, 32))),
        ("torchvision_convnext", "classification", lambda: (
            models.ConvNeXt([CNBlockConfig(8, 16, 1), CNBlockConfig(16, None, 1)],
                            num_classes=10), image(32, 32))),
        ("torch_time_steps", "diffusion", lambda: (TimeSteps(), (torch.arange(4) * 2,))),
        ("torch_lstm", "recurrent", lambda: (LastOfLstm(), (torch.randn(1, 5, 6),))),
        ("torch_style_transfer", "style", lambda: (nn.Sequential(
            nn.ReflectionPad2d(1), nn.Conv2d(3, 8, 3), nn.InstanceNorm2d(8, affine=True),
            nn.ReLU(), nn.Upsample(scale_factor=2, mode="bilinear"),
            nn.Conv2d(8, 3, 3, padding=1)), image(32, 32)))):
    architecture(name, task, converter="torch")(build)
