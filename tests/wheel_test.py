"""The delegate's codes against those of a runtime of today: the Python wheel
ai-edge-litert, whose CPU gives 8-bit nodes to XNNPACK (docs/quantization.md).

Run by CTest as `wheel`. It needs a Python that has the package:

  GLES_DELEGATE_WHEEL_PYTHON=VENV/bin/python   one that is there
  GLES_DELEGATE_FETCH_WHEELS=1                 pip fetches it into the build folder

Without either it skips (exit status 77) and says so.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "python"))
import environments  # pylint: disable=wrong-import-position

PACKAGE = "ai-edge-litert==2.3.0"
# Ships TFLite's C library 2.17.1, whose CPU gives no node to XNNPACK. Only the file is used.
C_LIBRARY_PACKAGE = "pymicro-wakeword==2.5.0"


def python_with_the_wheel(folder):
    """The path of a Python that has the package; skips where there is none."""
    given = os.environ.get("GLES_DELEGATE_WHEEL_PYTHON")
    if given:
        return given
    return environments.python_with(folder, [PACKAGE, C_LIBRARY_PACKAGE])


# --- In the Python that has the package ---------------------------------------


def activation(rng, np, name, dtype, scale=None):
    """A quantized tensor's type, scale and zero point."""
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    if scale is None:
        scale = float(np.exp(rng.uniform(np.log(0.01), np.log(0.1))))
    return dict(name=name, dtype=dtype, scale=[scale],
                zero=[int(rng.integers(low, high + 1))], data=None, dimension=0)


class Cases:
    """Models of one op, each with its inputs."""

    def __init__(self, np, schema, flatbuffers, seed):
        self.np, self.schema, self.flatbuffers = np, schema, flatbuffers
        self.rng = np.random.default_rng(seed)
        self.types = {np.int8: schema.TensorType.INT8, np.uint8: schema.TensorType.UINT8,
                      np.int32: schema.TensorType.INT32, np.int16: schema.TensorType.INT16,
                      np.int64: schema.TensorType.INT64, np.float32: schema.TensorType.FLOAT32}

    def tensor(self, buffers, spec, index):
        s, np = self.schema, self.np
        t = s.TensorT()
        t.name, t.shape, t.type = b"t%d" % index, spec["shape"], self.types[spec["dtype"]]
        t.buffer = 0
        if spec["data"] is not None:
            b = s.BufferT()
            b.data = np.frombuffer(spec["data"].astype(spec["dtype"]).tobytes(), np.uint8)
            buffers.append(b)
            t.buffer = len(buffers) - 1
        if spec["scale"]:
            q = s.QuantizationParametersT()
            q.scale = np.array(spec["scale"], np.float32)
            q.zeroPoint = np.array(spec["zero"], np.int64)
            q.quantizedDimension = spec["dimension"]
            t.quantization = q
        return t

    def model(self, op, version, options, inputs, output):
        s = self.schema
        m, g, o, c = s.ModelT(), s.SubGraphT(), s.OperatorT(), s.OperatorCodeT()
        m.version, m.buffers, m.subgraphs, m.operatorCodes = 3, [s.BufferT()], [g], [c]
        specs = inputs + [output]
        g.tensors = [self.tensor(m.buffers, t, i) for i, t in enumerate(specs)]
        g.inputs = [i for i, t in enumerate(inputs) if t["data"] is None]
        g.outputs = o.outputs = [len(inputs)]
        o.opcodeIndex, o.inputs, g.operators = 0, list(range(len(inputs))), [o]
        if options is not None:
            name = type(options).__name__[:-1]  # AddOptionsT
            o.builtinOptions, o.builtinOptionsType = options, getattr(s.BuiltinOptions, name)
        c.builtinCode = getattr(s.BuiltinOperator, op)
        c.deprecatedBuiltinCode = min(c.builtinCode, 127)
        c.version = version
        builder = self.flatbuffers.Builder(1024)
        builder.Finish(m.Pack(builder), b"TFL3")
        return bytes(builder.Output())

    def options(self, name, **values):
        options = getattr(self.schema, name)()
        for key, value in values.items():
            setattr(options, key, value)
        return options

    def product(self, op, dtype, small):
        """A convolution or matrix product; `small`: its sums are scaled far down."""
        np, rng, channels, outs = self.np, self.rng, 8, 12
        depthwise, full = op == "DEPTHWISE_CONV_2D", op == "FULLY_CONNECTED"
        if depthwise:
            outs = 16
        shape = {"FULLY_CONNECTED": [outs, channels],
                 "DEPTHWISE_CONV_2D": [1, 3, 3, outs]}.get(op, [outs, 3, 3, channels])
        dimension = 3 if depthwise and dtype == np.int8 else 0
        count = outs if dtype == np.int8 and not full else 1
        scales = np.exp(rng.uniform(np.log(0.002), np.log(0.02), count)).tolist()
        low, high = (-127, 127) if dtype == np.int8 else (0, 255)
        x = dict(activation(rng, np, "x", dtype),
                 shape=[64, channels] if full else [1, 8, 8, channels])
        w = dict(dtype=dtype, scale=scales, shape=shape, dimension=dimension,
                 zero=[0] * count if dtype == np.int8 else [int(rng.integers(0, 256))],
                 data=rng.integers(low, high + 1, shape))
        b = dict(dtype=np.int32, shape=[outs], dimension=0, zero=[0] * count,
                 scale=[s * x["scale"][0] for s in scales],
                 data=rng.integers(-2000, 2000, [outs]))
        most = x["scale"][0] * max(scales) * 60 * 40
        y = dict(activation(rng, np, "y", dtype, most * (4 if small else 0.5)),
                 shape=[64, outs] if full else [1, 8, 8, outs])
        names = {"FULLY_CONNECTED": self.options("FullyConnectedOptionsT"),
                 "CONV_2D": self.options("Conv2DOptionsT", strideH=1, strideW=1,
                                         dilationHFactor=1, dilationWFactor=1),
                 "DEPTHWISE_CONV_2D": self.options(
                     "DepthwiseConv2DOptionsT", strideH=1, strideW=1, depthMultiplier=2,
                     dilationHFactor=1, dilationWFactor=1)}
        return self.model(op, 4 if full else 3, names[op], [x, w, b], y), [x]

    def function_of_two(self, op, dtype):
        np, rng = self.np, self.rng
        a = dict(activation(rng, np, "a", dtype), shape=[1, 16, 16, 7])
        b = dict(activation(rng, np, "b", dtype), shape=[1, 16, 16, 7])
        scale = (a["scale"][0] * b["scale"][0] * 127 if op == "MUL"
                 else a["scale"][0] + b["scale"][0])
        y = dict(activation(rng, np, "y", dtype, scale * float(rng.uniform(0.5, 1))),
                 shape=a["shape"])
        options = self.options(op.title() + "OptionsT")
        return self.model(op, 2, options, [a, b], y), [a, b]

    def quantize(self, dtype):
        np, rng = self.np, self.rng
        x = dict(activation(rng, np, "x", dtype), shape=[1, 16, 16, 7])
        y = dict(activation(rng, np, "y", dtype, x["scale"][0] * float(rng.uniform(0.3, 3))),
                 shape=x["shape"])
        return self.model("QUANTIZE", 2, None, [x], y), [x]

    def leaky_relu(self, dtype):
        np, rng = self.np, self.rng
        x = dict(activation(rng, np, "x", dtype), shape=[1, 16, 16, 7])
        y = dict(activation(rng, np, "y", dtype, x["scale"][0] * float(rng.uniform(0.3, 3))),
                 shape=x["shape"])
        alpha = float(rng.choice([0.01, 0.1, 0.3, 1.5, -0.5]))
        return self.model("LEAKY_RELU", 2, self.options("LeakyReluOptionsT", alpha=alpha),
                          [x], y), [x]

    def ints(self, values):
        return dict(dtype=self.np.int32, shape=[len(values)], scale=[], zero=[], dimension=0,
                    data=self.np.array(values))

    def reduction(self, op, dtype, axes):
        """Over channels, or over a plane that is kept: separate kernels."""
        np, rng, shape = self.np, self.rng, [2, 5, 7, 21]
        x = dict(activation(rng, np, "x", dtype), shape=shape)
        # Ratios of small numbers have ties.
        ratio = float(rng.choice([0.25, 0.5, 1, 1.5])) * (20 if op == "SUM" else 1)
        y = dict(activation(rng, np, "y", dtype, x["scale"][0] * ratio),
                 shape=[1 if i in axes else n for i, n in enumerate(shape)])
        return self.model(op, 2, self.options("ReducerOptionsT", keepDims=True),
                          [x, self.ints(axes)], y), [x]

    def resize(self, dtype, half_pixels):
        np, rng = self.np, self.rng
        x = dict(activation(rng, np, "x", dtype), shape=[1, 5, 6, 5])
        size = [int(rng.integers(2, 19)), int(rng.integers(2, 19))]
        y = dict(x, shape=[1] + size + [5])
        options = self.options("ResizeBilinearOptionsT", halfPixelCenters=half_pixels,
                               alignCorners=False)
        return self.model("RESIZE_BILINEAR", 3, options, [x, self.ints(size)], y), [x]

    def all(self):
        for dtype in (self.np.int8, self.np.uint8):
            for op in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"):
                for small in (False, True):
                    yield (op,) + self.product(op, dtype, small)
            for op in ("ADD", "SUB", "MUL"):
                yield (op,) + self.function_of_two(op, dtype)
            yield ("QUANTIZE",) + self.quantize(dtype)
            yield ("LEAKY_RELU",) + self.leaky_relu(dtype)
            for op in ("MEAN", "SUM"):
                for axes in ([3], [1, 2]):
                    yield (op,) + self.reduction(op, dtype, axes)
            for half_pixels in (False, True):
                yield ("RESIZE_BILINEAR",) + self.resize(dtype, half_pixels)


def run(np, interpreter, model, inputs, **how):
    it = interpreter.Interpreter(model_content=model, num_threads=1, **how)
    it.allocate_tensors()
    for detail, value in zip(it.get_input_details(), inputs):
        it.set_tensor(detail["index"], value)
    it.invoke()
    return it.get_tensor(it.get_output_details()[0]["index"]).astype(np.int64)


def c_library():
    """The path of TFLite's C library 2.17.1; None if the package is not there."""
    spec = importlib.util.find_spec("pymicro_wakeword")
    if spec is None:
        print("SKIPPED for TFLite's C library 2.17.1: this Python lacks " + C_LIBRARY_PACKAGE)
        return None
    return os.path.join(spec.submodule_search_locations[0], "lib", "libtensorflowlite_c.so")


def run_c(np, path, model, inputs, delegate=None):
    """The same by TFLite's C functions."""
    import runtime_codes  # wants numpy
    with tempfile.NamedTemporaryFile(suffix=".tflite") as file:
        file.write(model)
        file.flush()
        answers = runtime_codes.CLibrary(path, file.name, delegate, {}).run(inputs)
    return answers[0].astype(np.int64)


def compare(delegate, seeds):
    """Prints a line for each op; the exit status is 1 where a code differs."""
    import flatbuffers
    import numpy as np
    from ai_edge_litert import interpreter, schema_py_generated as schema
    plain = interpreter.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    # Attributes for the CPU, and for the delegate; ops that may differ.
    runtimes = (("as it comes", {}, ""),
                ("without XNNPACK", {"experimental_op_resolver_type": plain},
                 "rounding=litert"))
    counts, apart, library = {}, 0, c_library()
    for seed in range(seeds):
        for op, model, inputs in Cases(np, schema, flatbuffers, seed).all():
            rng = np.random.default_rng(seed)
            values = [rng.integers(np.iinfo(t["dtype"]).min, np.iinfo(t["dtype"]).max + 1,
                                   t["shape"]).astype(t["dtype"]) for t in inputs]
            answers = []
            for name, how, debug in runtimes:
                os.environ["GLES_DELEGATE_DEBUG"] = debug
                cpu = run(np, interpreter, model, values, **how)
                gpu = run(np, interpreter, model, values, experimental_delegates=[
                    interpreter.load_delegate(delegate)], **how)
                answers.append(cpu)
                differ = int((cpu != gpu).sum())
                entry = counts.setdefault((op, values[0].dtype.name, name), [0, 0])
                entry[0] += cpu.size
                entry[1] += differ
            if library:
                cpu = run_c(np, library, model, values)
                gpu = run_c(np, library, model, values, delegate)
                entry = counts.setdefault((op, values[0].dtype.name, "C library 2.17.1"), [0, 0])
                entry[0] += cpu.size
                entry[1] += int((cpu != gpu).sum())
            apart += int((answers[0] != answers[1]).sum())
    for (op, dtype, name), (codes, differ) in sorted(counts.items()):
        print("%-18s %-6s %-16s %6d codes, %d differ" % (op, dtype, name, codes, differ))
    print("the two runtimes differ from each other in %d codes" % apart)
    if apart == 0:
        print("FAILED: these cases tell no rounding from another")
    wrong = sum(differ for _, differ in counts.values())
    print("FAILED: %d codes differ" % wrong if wrong else "no code differs")
    return 1 if wrong or apart == 0 else 0


def main():
    if sys.argv[1] == "--compare":
        sys.exit(compare(sys.argv[2], seeds=3))
    delegate, folder = sys.argv[1:3]
    python = python_with_the_wheel(folder)
    sys.exit(subprocess.run([python, "-B", __file__, "--compare", delegate],
                            check=False).returncode)


if __name__ == "__main__":
    main()
