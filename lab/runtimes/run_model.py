"""Runs one model once in one TensorFlow Lite runtime, for runtimes.py.

    run_model.py RUNTIME MODEL OUTPUTS.npz                     on the CPU; writes the outputs
    run_model.py RUNTIME MODEL OUTPUTS.npz LIBRARY REPORT [OPTION=VALUE...]
                     with the delegate in LIBRARY, which writes its report to REPORT; prints
                     the largest difference from OUTPUTS.npz as JSON

RUNTIME: a Python module with Interpreter and load_delegate, or the path of a C library.
"""

import ctypes
import importlib
import json
import sys

import numpy as np

SEED = 20210
# TfLiteType, of TensorFlow Lite's c_api_types.h.
TYPES = {1: np.float32, 2: np.int32, 3: np.uint8, 4: np.int64, 6: np.bool_, 7: np.int16,
         9: np.int8, 10: np.float16, 11: np.float64, 13: np.uint32, 17: np.uint16}


def values(rng, shape, dtype):
    """Values for an input: whole ranges of 8 and 16 bits, indices that any table has."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return rng.standard_normal(shape).astype(dtype)
    if dtype.kind == "b" or dtype.itemsize >= 4:
        return rng.integers(0, 2, shape).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max + 1, shape).astype(dtype)


def run_module(name, model, library, options):
    """The outputs in a runtime of Python's."""
    module = importlib.import_module(name)
    delegates = [module.load_delegate(library, options)] if library else []
    interpreter = module.Interpreter(model_path=model, experimental_delegates=delegates)
    interpreter.allocate_tensors()
    rng = np.random.default_rng(SEED)
    for detail in interpreter.get_input_details():
        interpreter.set_tensor(detail["index"],
                               values(rng, detail["shape"], detail["dtype"]))
    interpreter.invoke()
    return [interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()]


class CLibrary:
    """TensorFlow Lite's C functions; a name that `addresses` has returns an address."""

    addresses = ("TfLiteModelCreateFromFile", "TfLiteInterpreterOptionsCreate",
                 "TfLiteInterpreterCreate", "TfLiteInterpreterGetInputTensor",
                 "TfLiteInterpreterGetOutputTensor", "TfLiteTensorData",
                 "tflite_plugin_create_delegate")

    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def __getattr__(self, name):
        function = self.library[name]
        function.restype = ctypes.c_void_p if name in self.addresses else ctypes.c_int
        return lambda *arguments: function(*(
            ctypes.c_void_p(a) if isinstance(a, int) else a for a in arguments))

    def array(self, tensor):
        """A view of the tensor's memory."""
        kind = self.TfLiteTensorType(tensor)
        if kind not in TYPES:
            raise RuntimeError("a tensor's TfLiteType is %d, which is not read here" % kind)
        shape = [self.TfLiteTensorDim(tensor, i)
                 for i in range(self.TfLiteTensorNumDims(tensor))]
        size = int(np.prod(shape)) * np.dtype(TYPES[kind]).itemsize
        memory = (ctypes.c_char * size).from_address(self.TfLiteTensorData(tensor))
        return np.frombuffer(memory, TYPES[kind]).reshape(shape)


def make_delegate(library, options):
    plugin = CLibrary(library)
    texts = ctypes.c_char_p * max(1, len(options))
    errors = []
    report = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(
        lambda message: errors.append(message.decode(errors="replace")))
    delegate = plugin.tflite_plugin_create_delegate(
        texts(*(k.encode() for k in options)), texts(*(v.encode() for v in options.values())),
        len(options), report)
    if not delegate:
        raise RuntimeError("no delegate: " + "; ".join(errors))
    return delegate


def check(status, what):
    if status != 0:
        raise RuntimeError("%s returned status %d" % (what, status))


def run_c(path, model_path, library, options):
    """The outputs in a C library. Its objects live as long as this process."""
    tflite = CLibrary(path)
    model = tflite.TfLiteModelCreateFromFile(model_path.encode())
    if not model:
        raise RuntimeError("the model is refused")
    tflite_options = tflite.TfLiteInterpreterOptionsCreate()
    if library:
        tflite.TfLiteInterpreterOptionsAddDelegate(tflite_options,
                                                   make_delegate(library, options))
    interpreter = tflite.TfLiteInterpreterCreate(model, tflite_options)
    if not interpreter:
        raise RuntimeError("no interpreter")
    check(tflite.TfLiteInterpreterAllocateTensors(interpreter), "AllocateTensors")
    rng = np.random.default_rng(SEED)
    for i in range(tflite.TfLiteInterpreterGetInputTensorCount(interpreter)):
        tensor = tflite.array(tflite.TfLiteInterpreterGetInputTensor(interpreter, i))
        tensor[...] = values(rng, tensor.shape, tensor.dtype)
    check(tflite.TfLiteInterpreterInvoke(interpreter), "Invoke")
    count = tflite.TfLiteInterpreterGetOutputTensorCount(interpreter)
    return [tflite.array(tflite.TfLiteInterpreterGetOutputTensor(interpreter, i)).copy()
            for i in range(count)]


def difference(actual, expected):
    """The largest difference, of floats relative to the largest magnitude, of integers in
    steps; infinity where a shape differs or only one is finite.

    >>> difference(np.array([3, 250], np.uint8), np.array([4, 250], np.uint8))
    1.0
    >>> difference(np.array([1.0, 0.0]), np.array([0.5, 0.0]))
    0.5
    >>> difference(np.array([np.nan]), np.array([1.0]))
    inf
    """
    if actual.shape != expected.shape:
        return float("inf")
    a, e = actual.astype(np.float64), expected.astype(np.float64)
    same = (a == e) | (np.isnan(a) & np.isnan(e))
    if same.all():
        return 0.0
    if not (np.isfinite(a[~same]).all() and np.isfinite(e[~same]).all()):
        return float("inf")
    scale = 1.0
    if expected.dtype.kind == "f":
        scale = max(1.0, float(np.abs(e[np.isfinite(e)]).max(initial=0)))
    return float(np.abs(a[~same] - e[~same]).max()) / scale


def main():
    runtime, model, outputs, *rest = sys.argv[1:]
    library, options = "", {}
    if rest:
        library, report, *settings = rest
        options = dict(setting.split("=", 1) for setting in settings)
        options["report_file"] = report
    run = run_c if "/" in runtime else run_module
    results = run(runtime, model, library, options)
    if not library:
        np.savez(outputs, *results)
        return
    with np.load(outputs) as expected:
        worst = max((difference(r, expected[name])
                     for r, name in zip(results, expected.files)), default=0.0)
    print(json.dumps({"difference": worst}))


if __name__ == "__main__":
    main()
