"""Modules of PyTorch, as litert-torch converts them."""

import torch
from torch import nn
from torch.nn import functional
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


class Attention(nn.Module):
    """Self-attention by scaled_dot_product_attention."""

    def __init__(self, width, heads, causal=False):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (t.reshape(batch, length, self.heads, -1).transpose(1, 2)
                   for t in self.qkv(x).chunk(3, -1))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width=32, heads=4, norm=nn.LayerNorm, causal=False):
        super().__init__()
        self.one, self.two = norm(width), norm(width)
        self.attention = Attention(width, heads, causal)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(),
                                 nn.Linear(2 * width, width))

    def forward(self, x):
        x = x + self.attention(self.one(x))
        return x + self.mlp(self.two(x))


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(100, 32), nn.Embedding(16, 32)
        self.blocks = nn.Sequential(Block(), Block())

    def forward(self, words):
        return self.blocks(self.words(words) + self.places(torch.arange(16)))


class Llama(nn.Module):
    """RMSNorm, rotary positions, a gated MLP."""

    def __init__(self):
        super().__init__()
        self.words, self.norm = nn.Embedding(100, 32), nn.RMSNorm(32)
        self.q, self.k, self.v, self.o = (nn.Linear(32, 32, bias=False) for _ in range(4))
        self.gate, self.up, self.down = nn.Linear(32, 64), nn.Linear(32, 64), nn.Linear(64, 32)
        angles = torch.outer(torch.arange(16.0), 1e4 ** (-torch.arange(0, 8, 2) / 8))
        self.register_buffer("cos", torch.cat([angles, angles], -1).cos())
        self.register_buffer("sin", torch.cat([angles, angles], -1).sin())

    def rotated(self, x):
        a, b = x.chunk(2, -1)
        return x * self.cos + torch.cat([-b, a], -1) * self.sin

    def forward(self, words):
        x = self.words(words)
        y = self.norm(x)
        q, k, v = (f(y).reshape(1, 16, 4, 8).transpose(1, 2) for f in (self.q, self.k, self.v))
        y = functional.scaled_dot_product_attention(self.rotated(q), self.rotated(k), v,
                                                    is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(1, 16, 32))
        y = self.norm(x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


class Whisper(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.Sequential(nn.Conv1d(16, 32, 3, padding=1), nn.GELU(),
                                   nn.Conv1d(32, 32, 3, 2, 1), nn.GELU())
        self.register_buffer("places", torch.randn(32, 32))
        self.blocks = nn.Sequential(Block(), Block(), nn.LayerNorm(32))

    def forward(self, x):
        return self.blocks(self.convs(x).transpose(1, 2) + self.places)


class DiffusionBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.GroupNorm(4, 16), nn.GroupNorm(4, 16)
        self.first, self.second = (nn.Conv2d(16, 16, 3, padding=1) for _ in range(2))
        self.time, self.attention = nn.Linear(8, 16), Attention(16, 2)

    def forward(self, x, time):
        y = self.first(functional.silu(self.one(x))) + self.time(time)[:, :, None, None]
        x = x + self.second(functional.silu(self.two(y)))
        flat = x.flatten(2).transpose(1, 2)
        x = x + self.attention(flat).transpose(1, 2).reshape(x.shape)
        return functional.interpolate(x, scale_factor=2, mode="nearest")


class TimeSteps(nn.Module):
    """A step from 0 to 1000 as sines and cosines, for every block of a diffusion model."""

    def __init__(self):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(32, 32), nn.SiLU(), nn.Linear(32, 16))
        self.register_buffer("frequencies", torch.exp(-torch.arange(16) / 16 * 9.2103))

    def forward(self, step):
        angles = (step * 142).float()[:, None] * self.frequencies  # steps are up to 7 in the zoo
        return self.mlp(torch.cat([angles.cos(), angles.sin()], -1))


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.middle = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 16, 3, padding=1)
        self.up, self.out = nn.ConvTranspose2d(16, 8, 2, 2), nn.Conv2d(16, 2, 1)

    def forward(self, x):
        a = functional.relu(self.down(x))
        y = functional.relu(self.middle(functional.max_pool2d(a, 2)))
        return self.out(torch.cat([self.up(y), a], 1))


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
        ("torch_bert", "transformer", lambda: (Bert(), (torch.randint(0, 8, (1, 16)),))),
        ("torch_llama_block", "transformer", lambda: (Llama(), (torch.randint(0, 8, (1, 16)),))),
        ("torch_whisper_encoder", "speech", lambda: (Whisper(), (torch.randn(1, 16, 64),))),
        ("torch_diffusion_block", "diffusion", lambda: (
            DiffusionBlock(), (torch.randn(1, 16, 8, 8), torch.randn(1, 8)))),
        ("torch_time_steps", "diffusion", lambda: (TimeSteps(), (torch.arange(4) * 2,))),
        ("torch_unet", "segmentation", lambda: (Unet(), image(32, 32))),
        ("torch_super_resolution", "super-resolution", lambda: (nn.Sequential(
            nn.Conv2d(3, 16, 5, padding=2), nn.Tanh(), nn.Conv2d(16, 12, 3, padding=1),
            nn.PixelShuffle(2)), image(24, 24))),
        ("torch_lstm", "recurrent", lambda: (LastOfLstm(), (torch.randn(1, 5, 6),))),
        ("torch_style_transfer", "style", lambda: (nn.Sequential(
            nn.ReflectionPad2d(1), nn.Conv2d(3, 8, 3), nn.InstanceNorm2d(8, affine=True),
            nn.ReLU(), nn.Upsample(scale_factor=2, mode="bilinear"),
            nn.Conv2d(8, 3, 3, padding=1)), image(32, 32)))):
    architecture(name, task, converter="torch")(build)
