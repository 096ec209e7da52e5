#!/usr/bin/env python3
"""Runs models on the CPU and with the delegate in one runtime, and counts the codes that differ.

    tests/python/runtime_codes.py DELEGATE MODEL.tflite... [--library=libtensorflowlite_c.so]
        [--option KEY=VALUE] [--seeds=N]

The runtime is that of the Python that runs it (ai_edge_litert or tflite_runtime), or with
--library TFLite's C functions of that file. Inputs are random: integers over their whole type,
floats from -4 to 4; from MODEL.in0.npy or MODEL.in0.bin, if there is such a file, for input 0.
The exit status is 1 if integers differ at all, or floats by more than 1e-5 of the largest.
"""

import argparse
import ctypes
import os
import sys

import numpy as np

TYPES = {1: np.float32, 2: np.int32, 3: np.uint8, 4: np.int64, 6: np.bool_, 7: np.int16,
         9: np.int8, 10: np.float16}


class CLibrary:
    """An interpreter of TFLite's C functions, with a delegate or without."""

    def __init__(self, path, model, delegate, options):
        self.c = ctypes.CDLL(path)
        pointer = ctypes.c_void_p
        for name in ("TfLiteModelCreateFromFile", "TfLiteInterpreterOptionsCreate",
                     "TfLiteInterpreterCreate", "TfLiteInterpreterGetInputTensor",
                     "TfLiteInterpreterGetOutputTensor", "TfLiteTensorData"):
            getattr(self.c, name).restype = pointer
        self.c.TfLiteTensorByteSize.restype = ctypes.c_size_t
        settings = pointer(self.c.TfLiteInterpreterOptionsCreate())
        self.c.TfLiteInterpreterOptionsSetNumThreads(settings, 1)
        if delegate:
            plugin = ctypes.CDLL(delegate)
            plugin.tflite_plugin_create_delegate.restype = pointer
            keys = (ctypes.c_char_p * len(options))(*(k.encode() for k in options))
            values = (ctypes.c_char_p * len(options))(*(v.encode() for v in options.values()))
            made = plugin.tflite_plugin_create_delegate(
                keys, values, ctypes.c_size_t(len(options)), None)
            self.c.TfLiteInterpreterOptionsAddDelegate(settings, pointer(made))
        self.model = pointer(self.c.TfLiteModelCreateFromFile(model.encode()))
        made = self.c.TfLiteInterpreterCreate(self.model, settings)
        if not made:
            raise RuntimeError("no interpreter")
        self.it = pointer(made)
        self.check(self.c.TfLiteInterpreterAllocateTensors(self.it))

    @staticmethod
    def check(status):
        if status != 0:
            raise RuntimeError("status %d" % status)

    def tensors(self, which):
        count = getattr(self.c, "TfLiteInterpreterGet%sTensorCount" % which)(self.it)
        get = getattr(self.c, "TfLiteInterpreterGet%sTensor" % which)
        for i in range(count):
            t = ctypes.c_void_p(get(self.it, i))
            shape = [self.c.TfLiteTensorDim(t, d) for d in range(self.c.TfLiteTensorNumDims(t))]
            yield t, TYPES[self.c.TfLiteTensorType(t)], shape

    def inputs(self):
        return [(dtype, shape) for _, dtype, shape in self.tensors("Input")]

    def run(self, values):
        for (t, dtype, _), value in zip(list(self.tensors("Input")), values):
            data = np.ascontiguousarray(value, dtype)
            self.check(self.c.TfLiteTensorCopyFromBuffer(
                t, data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(data.nbytes)))
        self.check(self.c.TfLiteInterpreterInvoke(self.it))
        answers = []
        for t, dtype, shape in self.tensors("Output"):
            data = np.zeros(shape, dtype)
            self.check(self.c.TfLiteTensorCopyToBuffer(
                t, data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(data.nbytes)))
            answers.append(data)
        return answers


class Wheel:
    """The same for the Python package."""

    def __init__(self, model, delegate, options):
        try:
            from ai_edge_litert import interpreter
        except ImportError:
            from tflite_runtime import interpreter
        how = {"experimental_delegates": [interpreter.load_delegate(delegate, options)]
               } if delegate else {}
        self.it = interpreter.Interpreter(model_path=model, num_threads=1, **how)
        self.it.allocate_tensors()

    def inputs(self):
        return [(d["dtype"], list(d["shape"])) for d in self.it.get_input_details()]

    def run(self, values):
        for detail, value in zip(self.it.get_input_details(), values):
            self.it.set_tensor(detail["index"], value)
        self.it.invoke()
        return [self.it.get_tensor(d["index"]) for d in self.it.get_output_details()]


def random_input(rng, dtype, shape):
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(bool)
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    return rng.uniform(-4, 4, shape).astype(dtype)


def inputs_of(model, wanted, seed):
    rng, values = np.random.default_rng(seed), []
    for i, (dtype, shape) in enumerate(wanted):
        stem = "%s.in%d" % (os.path.splitext(model)[0], i)
        if os.path.exists(stem + ".npy"):
            values.append(np.load(stem + ".npy").astype(dtype))
        elif os.path.exists(stem + ".bin"):
            values.append(np.fromfile(stem + ".bin", dtype).reshape(shape))
        else:
            values.append(random_input(rng, dtype, shape))
    return values


def differing(cpu, gpu):
    """How many values differ, by how much at most, and whether that is a failure."""
    if cpu.shape != gpu.shape:
        return cpu.size, float("inf"), True
    a, b = cpu.astype(np.float64), gpu.astype(np.float64)
    apart = ~((a == b) | (np.isnan(a) & np.isnan(b)))
    most = float(np.nanmax(np.abs(a - b)[apart])) if apart.any() else 0.0
    if np.issubdtype(cpu.dtype, np.floating):
        finite = np.abs(a[np.isfinite(a)])
        return int(apart.sum()), most, most > 1e-5 * max(1.0, finite.max(initial=0))
    return int(apart.sum()), most, bool(apart.any())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("delegate")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--library", help="TFLite's C library, in place of the Python package")
    parser.add_argument("--option", action="append", default=[], help="KEY=VALUE of the delegate")
    parser.add_argument("--seeds", type=int, default=1)
    args = parser.parse_args()
    options = dict(o.split("=", 1) for o in args.option)

    def runtime(model, delegate):
        if args.library:
            return CLibrary(args.library, model, delegate, options)
        return Wheel(model, delegate, options)

    failed = False
    for model in args.models:
        name = os.path.basename(model)
        try:
            cpu, gpu = runtime(model, None), runtime(model, args.delegate)
            for seed in range(args.seeds):
                values = inputs_of(model, cpu.inputs(), seed)
                for i, (a, b) in enumerate(zip(cpu.run(values), gpu.run(values))):
                    count, most, wrong = differing(a, b)
                    failed |= wrong
                    print("%-44s seed %d output %d %-8s %7d of %d differ, by %g at most" %
                          (name, seed, i, a.dtype, count, a.size, most))
        except (RuntimeError, ValueError) as error:
            failed = True
            print("%-44s %s" % (name, str(error).replace("\n", " ")[-300:]))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
