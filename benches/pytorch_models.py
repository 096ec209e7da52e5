#!/usr/bin/env python3
"""Models of docs/benchmarks.md in PyTorch on CUDA.

    benches/pytorch_models.py [--json] [minilm|whisper|vit|mobilenet]...

Needs a Python with torch, and a GPU that CUDA runs on. The layers are those of
transformer_models.py and of mobilenet_v1_1.0_224_features_float, with random weights: MobileNet
has folded biases, ReLU6, the last average and no classifier, and runs at batch 1 and 32. Prints
the median time in ms of a CUDA graph, without and with torch.compile, in float32 and float16.
TF32 is off; MobileNet is in channels-last order, as TFLite's is. A time includes the copies from
and to pinned host memory. As in benchmark_model, the input is written before each run, which is
not timed. The first second is left out: a GPU raises its clock meanwhile. --json prints a line of
JSON for each result.
"""

import argparse
import json
import sys
import time

import torch
from torch import nn
from torch.nn import functional

RUNS = 200
WARM_UP_SECONDS = 1.0
TYPES = {"float32": torch.float32, "float16": torch.float16}


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


# Output channels and stride of MobileNet's pairs of a depthwise and a pointwise convolution.
PAIRS = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1), (512, 1),
         (512, 1), (512, 1), (512, 1), (1024, 2), (1024, 1)]


def convolution(inputs, outputs, kernel, stride, groups):
    return [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups),
            nn.ReLU6(inplace=True)]


def mobilenet():
    layers, channels = convolution(3, 32, 3, 2, 1), 32
    for outputs, stride in PAIRS:
        layers += convolution(channels, channels, 3, stride, channels)
        layers += convolution(channels, outputs, 1, 1, 1)
        channels = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1))


def minilm():
    return nn.Sequential(*(Block(384, 12, False) for _ in range(6)))


# Name, what makes the model, shapes of its input, order in memory.
MODELS = [
    ("minilm", minilm, [(1, 128, 384)], torch.contiguous_format),
    ("whisper", Whisper, [(1, 80, 3000)], torch.contiguous_format),
    ("vit", Vit, [(1, 3, 224, 224)], torch.contiguous_format),
    ("mobilenet", mobilenet, [(1, 3, 224, 224), (32, 3, 224, 224)], torch.channels_last),
]


def captured(model, x):
    """A CUDA graph of the model on x, and its output."""
    with torch.cuda.stream(torch.cuda.Stream()):
        for _ in range(5):
            y = model(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = model(x)
    return graph, y


def median(make, shape, order, dtype, compiled):
    model = make().cuda().eval().to(dtype=dtype, memory_format=order)
    if compiled:
        torch.compiler.reset()  # a second shape of the same code would be compiled as dynamic
        model = torch.compile(model, dynamic=False)
    values = torch.randn(shape, dtype=dtype).contiguous(memory_format=order)
    host = values.pin_memory()
    x = torch.empty_like(host, device="cuda")
    graph, y = captured(model, x)
    result = torch.empty_like(y, device="cpu").pin_memory()
    times, warm = [], time.perf_counter() + WARM_UP_SECONDS
    while len(times) < RUNS:
        host.copy_(values)
        start = time.perf_counter()
        x.copy_(host, non_blocking=True)
        graph.replay()
        result.copy_(y, non_blocking=True)
        torch.cuda.synchronize()
        if start > warm:
            times.append(1e3 * (time.perf_counter() - start))
    return sorted(times)[RUNS // 2]


def results(names):
    for name, make, shapes, order in MODELS:
        for shape in shapes if name in names else []:
            for dtype in TYPES:
                for compiled in (False, True):
                    result = {"model": name, "batch": shape[0], "type": dtype,
                              "compiled": compiled}
                    try:
                        result["ms"] = median(make, shape, order, TYPES[dtype], compiled)
                    except Exception as error:  # pylint: disable=broad-except
                        result["error"] = (str(error).strip().splitlines() or [repr(error)])[0]
                    yield result


def text(result):
    return (f"{result['model']}, batch {result['batch']}, {result['type']}, "
            f"{'compiled' if result['compiled'] else 'graph'}: "
            + (f"{result['ms']:.3f} ms" if "ms" in result else result["error"]))


def main():
    names = [name for name, *_ in MODELS]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(names))
    flags = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("PyTorch finds no CUDA device")
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    if not flags.json:
        print(torch.__version__, torch.cuda.get_device_name())
    with torch.inference_mode():
        for result in results(flags.models or names):
            result["torch"] = torch.__version__
            print(json.dumps(result) if flags.json else text(result), flush=True)


if __name__ == "__main__":
    main()
