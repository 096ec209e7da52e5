#!/usr/bin/env python3
"""The models of transformer_models.py in PyTorch on CUDA, for comparison in one run.

The same layers with random weights. TF32 off. Prints medians in ms of a plain CUDA
graph and of a torch.compile'd one, float32 and float16, copies from and to pinned host
memory included.
"""

import time

import torch
from torch import nn
from torch.nn import functional

RUNS = 150


class Block(nn.Module):
    def __init__(self, width, heads, norm_first):
        super().__init__()
        self.heads, self.norm_first = heads, norm_first
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.one, self.two = nn.LayerNorm(width), nn.LayerNorm(width)

    def attention(self, x):
        batch, length, width = x.shape
        q, k, v = (f(x).view(batch, length, self.heads, -1).transpose(1, 2)
                   for f in (self.q, self.k, self.v))
        y = functional.scaled_dot_product_attention(q, k, v)
        return self.o(y.transpose(1, 2).reshape(batch, length, width))

    def mlp(self, x):
        return self.down(functional.gelu(self.up(x)))

    def forward(self, x):
        if self.norm_first:
            x = x + self.attention(self.one(x))
            return x + self.mlp(self.two(x))
        x = self.one(x + self.attention(x))
        return self.two(x + self.mlp(x))


class Whisper(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(80, 384, 3, padding=1)
        self.second = nn.Conv1d(384, 384, 3, stride=2, padding=1)
        self.places = nn.Parameter(torch.randn(1500, 384))
        self.blocks = nn.Sequential(*(Block(384, 6, True) for _ in range(4)), nn.LayerNorm(384))

    def forward(self, x):
        x = functional.gelu(self.second(functional.gelu(self.first(x))))
        return self.blocks(x.transpose(1, 2) + self.places)


class Vit(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 768, 16, stride=16)
        self.token, self.places = (nn.Parameter(torch.randn(1, n, 768)) for n in (1, 197))
        self.blocks = nn.Sequential(*(Block(768, 12, True) for _ in range(12)), nn.LayerNorm(768))
        self.head = nn.Linear(768, 1000)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        return self.head(self.blocks(torch.cat([self.token, x], 1) + self.places)[:, 0])


MODELS = {
    "minilm": (lambda: nn.Sequential(*(Block(384, 12, False) for _ in range(6))), (1, 128, 384)),
    "whisper": (Whisper, (1, 80, 3000)),
    "vit": (Vit, (1, 3, 224, 224)),
}


def median(make, shape, dtype, compiled):
    model = make().cuda().eval().to(dtype)
    if compiled:
        model = torch.compile(model)
    host = torch.randn(shape, dtype=dtype).pin_memory()
    x = torch.empty(shape, dtype=dtype, device="cuda")
    with torch.cuda.stream(torch.cuda.Stream()):
        for _ in range(5):
            y = model(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = model(x)
    result = torch.empty_like(y, device="cpu").pin_memory()
    times = []
    for _ in range(RUNS + 50):
        start = time.perf_counter()
        x.copy_(host, non_blocking=True)
        graph.replay()
        result.copy_(y, non_blocking=True)
        torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - start))
    return sorted(times[50:])[RUNS // 2]


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    print(torch.__version__, torch.cuda.get_device_name())
    for name, (make, shape) in MODELS.items():
        with torch.inference_mode():
            values = [f"{median(make, shape, dtype, compiled):.3f}"
                      for dtype in (torch.float32, torch.float16) for compiled in (False, True)]
        print(f"{name:8} float32 plain {values[0]} compiled {values[1]}, "
              f"float16 plain {values[2]} compiled {values[3]}", flush=True)


if __name__ == "__main__":
    main()
