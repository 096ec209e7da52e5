#!/usr/bin/env python3
"""Models of docs/benchmarks.md in PyTorch on CUDA.

    benches/pytorch_models.py [--json] [minilm|whisper|vit|mobilenet|token|prefill]...

Needs a Python with torch, torchvision and transformers, and a GPU that CUDA runs on. The models are
those of transformer_models.py, with PyTorch's fused attention, and the layers of
mobilenet_v1_1.0_224_features_float, with random weights: MobileNet has folded biases, ReLU6, the
last average and no classifier, and runs at batch 1 and 32. "token" and "prefill" of 128 positions
are the decoder of make_decoder.py with weights of its activations' type, on embeddings; a token has
logits, and prefill only fills caches. Prints the median time in ms of a CUDA graph, without and
with torch.compile, in float32 and float16. TF32 is off; MobileNet is in channels-last order, as
TFLite's is. A time includes the copies from and to pinned host memory. As in benchmark_model, the
input is written before each run, which is not timed. The first second is left out: a GPU raises its
clock meanwhile. --json prints a line of JSON for each result.
"""

import argparse
import json
import sys
import time

import torch
from torch import nn
from torch.nn import functional

import transformer_models

RUNS = 200
WARM_UP_SECONDS = 1.0
TYPES = {"float32": torch.float32, "float16": torch.float16}


class DecoderLayer(nn.Module):
    """Of SmolLM-135M: nine heads of 64 channels, of which three share keys and values."""

    def __init__(self, positions=1024):
        super().__init__()
        self.one, self.two = nn.RMSNorm(576, eps=1e-5), nn.RMSNorm(576, eps=1e-5)
        self.qkv, self.o, self.gate, self.up, self.down = (
            nn.Linear(*size, bias=False)
            for size in ((576, 960), (576, 576), (576, 1536), (576, 1536), (1536, 576)))
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(1, 3, positions, 64))

    def forward(self, x, at, turn, mask):
        q, k, v = self.qkv(self.one(x)).view(1, len(at), 15, 64).transpose(1, 2).split([9, 3, 3], 1)
        (a, b), (cos, sin) = torch.cat([q, k], 1).chunk(2, -1), turn
        q, k = torch.cat([a * cos - b * sin, b * cos + a * sin], -1).split([9, 3], 1)
        self.keys.index_copy_(2, at, k)
        self.values.index_copy_(2, at, v)
        y = functional.scaled_dot_product_attention(q, self.keys, self.values, mask,
                                                    enable_gqa=True)
        x = x + self.o(y.transpose(1, 2).reshape(x.shape))
        h = self.two(x)
        return x + self.down(functional.silu(self.gate(h)) * self.up(h))


class Decoder(nn.Module):
    """Logits of one token, or nothing but its caches of several."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer() for _ in range(30))
        self.head = nn.Sequential(nn.RMSNorm(576, eps=1e-5), nn.Linear(576, 49152, bias=False))

    def forward(self, x):
        at = torch.arange(x.shape[1], device=x.device)
        angle = at[:, None] * 1e4 ** (-torch.arange(32, device=x.device) / 32)
        places = torch.arange(self.layers[0].keys.shape[2], device=x.device)
        mask = torch.where(places <= at[:, None], 0.0, -1e4).to(x.dtype)
        for layer in self.layers:
            x = layer(x, at, (angle.cos().to(x.dtype), angle.sin().to(x.dtype)), mask)
        return self.head(x) if x.shape[1] == 1 else x


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


# Name: what makes the model, shapes of its input, order in memory.
MODELS = {
    "minilm": (lambda: transformer_models.minilm("sdpa")[0], [(1, 128, 384)],
               torch.contiguous_format),
    "whisper": (lambda: transformer_models.whisper("sdpa")[0], [(1, 80, 3000)],
                torch.contiguous_format),
    "vit": (lambda: transformer_models.vit()[0], [(1, 3, 224, 224)], torch.contiguous_format),
    "mobilenet": (mobilenet, [(1, 3, 224, 224), (32, 3, 224, 224)], torch.channels_last),
    "token": (Decoder, [(1, 1, 576)], torch.contiguous_format),
    "prefill": (Decoder, [(1, 128, 576)], torch.contiguous_format),
}


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
    for name, (make, shapes, order) in MODELS.items():
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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(MODELS))
    flags = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("PyTorch finds no CUDA device")
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    if not flags.json:
        print(torch.__version__, torch.cuda.get_device_name())
    with torch.inference_mode():
        for result in results(flags.models or MODELS):
            result["torch"] = torch.__version__
            print(json.dumps(result) if flags.json else text(result), flush=True)


if __name__ == "__main__":
    main()
