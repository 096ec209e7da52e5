#!/usr/bin/env python3
"""MobileNet v1 1.0 in PyTorch on CUDA, for comparison in the same minutes.

The layers of mobilenet_v1_1.0_224_features_float: biases folded, ReLU6, the last
average, no classifier. Random weights; channels-last, TF32 off, one CUDA graph.
Prints medians in ms, of the graph alone, with copies from and to pinned host
memory, and with copies of an input that is rewritten before each run (not
timed), as benchmark_model does.
"""

import time

import torch
from torch import nn

RUNS = 100
# Output channels and stride of each depthwise and pointwise pair.
PAIRS = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1), (512, 1),
         (512, 1), (512, 1), (512, 1), (1024, 2), (1024, 1)]


def conv(inputs, outputs, kernel, stride, groups):
    return [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups),
            nn.ReLU6(inplace=True)]


def mobilenet():
    layers = conv(3, 32, 3, 2, 1)
    channels = 32
    for outputs, stride in PAIRS:
        layers += conv(channels, channels, 3, stride, channels)
        layers += conv(channels, outputs, 1, 1, 1)
        channels = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1))


def measure(dtype, batch):
    model = mobilenet().cuda().eval().to(dtype=dtype, memory_format=torch.channels_last)
    host = torch.randn(batch, 3, 224, 224, dtype=dtype)
    values = host.contiguous(memory_format=torch.channels_last)
    host = values.pin_memory()
    x = torch.empty_like(host, device="cuda")
    with torch.cuda.stream(torch.cuda.Stream()):
        for _ in range(5):
            y = model(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = model(x)
    result = torch.empty_like(y, device="cpu").pin_memory()

    def run(copies, writes):
        if writes:
            host.copy_(values)
        start = time.perf_counter()
        if copies:
            x.copy_(host, non_blocking=True)
        graph.replay()
        if copies:
            result.copy_(y, non_blocking=True)
        torch.cuda.synchronize()
        return 1000 * (time.perf_counter() - start)

    for name, copies, writes in (("graph alone", False, False), ("with copies", True, False),
                                 ("with copies, input written", True, True)):
        for _ in range(20):
            run(copies, writes)
        times = sorted(run(copies, writes) for _ in range(RUNS))
        print("torch %s %s batch %d %s: %.3f ms" % (
            torch.__version__, dtype, batch, name, times[RUNS // 2]))


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    with torch.no_grad():
        for dtype in (torch.float32, torch.float16):
            for batch in (1, 32):
                measure(dtype, batch)


if __name__ == "__main__":
    main()
