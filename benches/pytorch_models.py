#!/usr/bin/env python3
"""Models of docs/benchmarks.md in PyTorch on CUDA.

    benches/pytorch_models.py [--json] [minilm|whisper|vit|mobilenet]...

Needs a Python with torch, torchvision and transformers, and a GPU that CUDA runs on. The models
are those of transformer_models.py, with PyTorch's fused attention, and the layers of
mobilenet_v1_1.0_224_features_float, with random weights: MobileNet has folded biases, ReLU6, the
last average and no classifier, and runs at batch 1 and 32. Prints the median time in ms of a CUDA
graph, without and with torch.compile, in float32 and float16. TF32 is off; MobileNet is in
channels-last order, as TFLite's is. A time includes the copies from and to pinned host memory. As
in benchmark_model, the input is written before each run, which is not timed. The first second is
left out: a GPU raises its clock meanwhile. --json prints a line of JSON for each result.
"""

import argparse
import json
import sys
import time

import torch
from torch import nn

import transformer_models

RUNS = 200
WARM_UP_SECONDS = 1.0
TYPES = {"float32": torch.float32, "float16": torch.float16}


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
