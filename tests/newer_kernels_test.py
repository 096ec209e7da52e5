"""Kernels that newer runtimes brought or changed: each code of the delegate is that of the CPU of
the Python wheel ai-edge-litert (docs/quantization.md).

Functions of one code run on all codes, 256 or 65,536. Run by CTest as `newer_kernels`; needs what
tests/wheel_test.py needs, and skips as it does.
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import wheel_test  # pylint: disable=wrong-import-position


class Models(wheel_test.Cases):
    """Each is a name, a model, its inputs, and the delegate's options beside the defaults."""

    def t(self, dtype, shape, scale=None, zero=0, data=None):
        return dict(dtype=dtype, shape=list(shape), data=data, dimension=0,
                    scale=[] if scale is None else [scale], zero=[zero])

    def codes(self, dtype, shape):
        info = self.np.iinfo(dtype)
        return self.rng.integers(info.min, info.max + 1, shape).astype(dtype)

    def functions_of_16_bits(self):
        np = self.np
        every = np.arange(-32768, 32768).astype(np.int16).reshape(1, 256, 256)
        some = np.arange(0, 32768).astype(np.int16).reshape(1, 128, 256)
        for scales in ((1e-4, 0.002), (3e-4, 0.01), (2e-3, 1e-3)):
            for op, version, options, x in (
                    ("EXP", 2, None, every), ("LOG", 2, None, every),
                    ("GELU", 2, self.options("GeluOptionsT", approximate=False), every),
                    ("GELU", 2, self.options("GeluOptionsT", approximate=True), every),
                    ("RSQRT", 3, None, some), ("SQRT", 2, None, some)):
                yield op + " int16", self.model(
                    op, version, options, [self.t(np.int16, x.shape, scales[0])],
                    self.t(np.int16, x.shape, scales[1])), [x]

    def sums_of_16_bits(self):
        """Of equal shapes and of shapes that broadcast, which round otherwise."""
        np = self.np
        for scales in ((1.15e-4, 1.19e-4, 1.19e-4), (2.3e-5, 1.7e-4, 1.9e-4),
                       (9.1e-5, 3.3e-5, 1.6e-4)):
            for shapes in ((1, 64, 64, 64), (1, 64, 64, 64)), ((1, 64, 64, 64), (1, 1, 1, 64)):
                for op, options in ("ADD", "AddOptionsT"), ("SUB", "SubOptionsT"):
                    x = [self.codes(np.int16, shape) for shape in shapes]
                    yield op + " int16", self.model(
                        op, 2 if op == "ADD" else 5, self.options(options, potScaleInt16=False),
                        [self.t(np.int16, v.shape, s) for v, s in zip(x, scales)],
                        self.t(np.int16, shapes[0], scales[2])), x

    def sqrt_of_8_bits(self):
        np = self.np
        for zero, scale, out_zero, out_scale in ((-128, 0.03, -128, 0.011), (7, 0.2, -90, 0.05),
                                                 (-20, 1.7, 3, 0.21)):
            x = np.arange(zero, 128).astype(np.int8).reshape(1, -1)
            yield "SQRT int8", self.model("SQRT", 2, None, [self.t(np.int8, x.shape, scale, zero)],
                                          self.t(np.int8, x.shape, out_scale, out_zero)), [x]

    def quotients(self):
        np = self.np
        for za, zb, zo, scales in ((5, -3, 7, (0.03, 0.02, 0.05)), (-128, -128, -128, (1, 1, 1)),
                                   (0, 10, 0, (0.7, 0.01, 2.0))):
            b = np.delete(np.arange(-128, 128), zb + 128).astype(np.int8).reshape(1, 1, 255)
            a = np.arange(-128, 128).astype(np.int8).reshape(1, 256, 1)
            a, b = (np.ascontiguousarray(np.broadcast_to(x, (1, 256, 255))) for x in (a, b))
            yield "DIV int8", self.model(
                "DIV", 2, self.options("DivOptionsT"),
                [self.t(np.int8, a.shape, scales[0], za), self.t(np.int8, b.shape, scales[1], zb)],
                self.t(np.int8, a.shape, scales[2], zo)), [a, b]

    def matrices(self):
        np = self.np
        # Powers of two make ties.
        for scales in ((2**-6, 2**-6, 2**-4), (0.02, 0.013, 0.6)):
            for zero in (0, -7):
                for adj_x, adj_y, constant in ((0, 0, 0), (0, 1, 0), (1, 0, 0), (0, 1, 1)):
                    shapes = [(2, 40, 33) if adj_x else (2, 33, 40),
                              (2, 24, 40) if adj_y else (2, 40, 24)]
                    a, b = (self.codes(np.int8, s) for s in shapes)
                    options = self.options("BatchMatMulOptionsT", adjX=bool(adj_x),
                                           adjY=bool(adj_y))
                    right = self.t(np.int8, b.shape, scales[1], zero, b if constant else None)
                    yield "BATCH_MATMUL int8", self.model(
                        "BATCH_MATMUL", 2, options, [self.t(np.int8, a.shape, scales[0], 3), right],
                        self.t(np.int8, (2, 33, 24), scales[2], 5)), [a] if constant else [a, b]

    def rows_of_16_bits(self):
        np, rng = self.np, self.rng
        for bias in (False, True):
            for _ in range(4):
                sx, sw = (float(np.float32(np.exp(rng.uniform(*r)))) for r in ((-9, -5), (-6, -4)))
                w = rng.integers(-127, 128, (64, 48)).astype(np.int8)
                x = self.codes(np.int16, (32, 48))
                so = float(np.float32(sx * sw * 127 * 48**.5 / 4))
                inputs = [self.t(np.int16, x.shape, sx), self.t(np.int8, w.shape, sw, 0, w)]
                if bias:
                    inputs.append(self.t(np.int64, (64,), sx * sw, 0,
                                         rng.integers(-10**6, 10**6, 64)))
                yield "FULLY_CONNECTED int16 " + ("bias" if bias else "no bias"), self.model(
                    "FULLY_CONNECTED", 7 if bias else 9, self.options("FullyConnectedOptionsT"),
                    inputs, self.t(np.int16, (32, 64), so)), [x]

    def convolutions_with_32_bit_biases(self):
        np, rng = self.np, self.rng
        for _ in range(4):
            w = rng.integers(-127, 128, (12, 1, 1, 16)).astype(np.int8)
            x = self.codes(np.int16, (1, 16, 16, 16))
            sx = float(np.float32(np.exp(rng.uniform(-9, -6))))
            sw = np.exp(rng.uniform(-6, -4, 12)).astype(np.float32)
            weights = dict(self.t(np.int8, w.shape, 1, 0, w), scale=sw.tolist(), zero=[0] * 12)
            bias = dict(self.t(np.int32, (12,), 1, 0, rng.integers(-10**5, 10**5, 12)),
                        scale=(sx * sw).tolist(), zero=[0] * 12)
            options = self.options("Conv2DOptionsT", strideH=1, strideW=1, dilationHFactor=1,
                                   dilationWFactor=1, quantizedBiasType=self.types[np.int32])
            yield "CONV_2D int16, int32 bias", self.model(
                "CONV_2D", 8, options, [self.t(np.int16, x.shape, sx), weights, bias],
                self.t(np.int16, (1, 16, 16, 12), float(sx * sw[0] * 127))), [x]

    def sums_on_ties(self):
        """Sums of half codes, scaled in vectors of eight channels and in what is left of them."""
        np = self.np
        for dtype, bias_type in ((np.int8, np.int32), (np.uint8, np.int32), (np.int16, np.int32)):
            for channels in (5, 8, 13, 35):
                for op in ("DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "CONV_2D"):
                    if dtype == np.int16 and op == "DEPTHWISE_CONV_2D":
                        continue  # takes no such bias
                    zero = 128 if dtype == np.uint8 else 0
                    ins = channels if op == "DEPTHWISE_CONV_2D" else 3
                    x = self.t(dtype, (1, 2, 2, ins), 1 / 16, zero)
                    shape = (1, 1, 1, ins) if op == "DEPTHWISE_CONV_2D" else (channels, 1, 1, ins)
                    wide = np.uint8 if dtype == np.uint8 else np.int8
                    w = self.t(wide, shape, 1 / 8, zero, np.full(shape, zero + 1))
                    sums = self.rng.integers(-8, 8, channels) * 64
                    bias = self.t(bias_type, (channels,), 1 / 128, 0, sums)
                    y = self.t(dtype, (1, 2, 2, channels), 1, zero)
                    window = dict(strideH=1, strideW=1)
                    int16 = dtype == np.int16
                    if int16:
                        window["quantizedBiasType"] = self.types[bias_type]
                    if op == "TRANSPOSE_CONV":
                        inputs = [self.t(np.int32, (4,), None, 0, np.array([1, 2, 2, channels])),
                                  w, x, bias]
                        model = self.model(op, 5 if int16 else 3, self.options(
                            "TransposeConvOptionsT", **window), inputs, y)
                    elif op == "CONV_2D":
                        model = self.model(op, 8 if int16 else 3, self.options(
                            "Conv2DOptionsT", dilationHFactor=1, dilationWFactor=1, **window),
                            [x, w, bias], y)
                    else:
                        model = self.model(op, 3, self.options(
                            "DepthwiseConv2DOptionsT", depthMultiplier=1, dilationHFactor=1,
                            dilationWFactor=1, **window), [x, w, bias], y)
                    yield op + " " + np.dtype(dtype).name + " on ties", model, [
                        self.codes(dtype, (1, 2, 2, ins))]

    def rows_from_uint8_to_int16(self):
        np = self.np
        for _ in range(3):
            zero = int(self.rng.integers(0, 256))
            x = self.codes(np.uint8, (16, 40))
            w = self.codes(np.uint8, (24, 40))
            bias = self.rng.integers(-3000, 3000, 24)
            yield "FULLY_CONNECTED uint8 to int16", self.model(
                "FULLY_CONNECTED", 4, self.options("FullyConnectedOptionsT"),
                [self.t(np.uint8, x.shape, 0.02, zero), self.t(np.uint8, w.shape, 0.01, 120, w),
                 self.t(np.int32, (24,), 0.0002, 0, bias)],
                self.t(np.int16, (16, 24), 0.003)), [x]

    def computed_weights(self):
        """Weights that are an input, or whose bias has no scale: XNNPACK takes neither."""
        np, rng = self.np, self.rng
        for dtype in (np.int8, np.uint8):
            for computed, scale in ((True, 0.0008), (True, None), (False, None)):
                zero = 117 if dtype == np.uint8 else 0
                bias = rng.integers(-500, 500, 12)
                for op, x_shape, w_shape, y_shape, options in (
                        ("FULLY_CONNECTED", (5, 24), (12, 24), (5, 12), ("FullyConnectedOptionsT",)),
                        ("CONV_2D", (1, 5, 6, 7), (12, 3, 3, 7), (1, 5, 6, 12),
                         ("Conv2DOptionsT", 1)),
                        ("DEPTHWISE_CONV_2D", (1, 5, 6, 12), (1, 3, 3, 12), (1, 5, 6, 12),
                         ("DepthwiseConv2DOptionsT", 1)),
                        ("TRANSPOSE_CONV", (1, 5, 6, 7), (12, 3, 3, 7), (1, 5, 6, 12),
                         ("TransposeConvOptionsT",))):
                    w, x = self.codes(dtype, w_shape), self.codes(dtype, x_shape)
                    if dtype == np.int8:
                        w = np.maximum(w, -127)
                    values = dict(strideH=1, strideW=1) if op != "FULLY_CONNECTED" else {}
                    if len(options) > 1:
                        values.update(dilationHFactor=1, dilationWFactor=1)
                    if op == "DEPTHWISE_CONV_2D":
                        values["depthMultiplier"] = 1
                    inputs = [self.t(dtype, x_shape, 0.04, 3),
                              self.t(dtype, w_shape, 0.02, zero, None if computed else w),
                              self.t(np.int32, (12,), scale, 0, bias)]
                    given = [x, w] if computed else [x]
                    if op == "TRANSPOSE_CONV":
                        inputs = [self.t(np.int32, (4,), None, 0, np.array(y_shape)), inputs[1],
                                  inputs[0], inputs[2]]
                        given = given[::-1]
                    yield op + " " + np.dtype(dtype).name + (
                        ", computed weights" if computed else ", a bias without scale"), self.model(
                            op, 4 if op == "FULLY_CONNECTED" else 3,
                            self.options(options[0], **values), inputs,
                            self.t(dtype, y_shape, 0.3, -7 if dtype == np.int8 else 100)), given

    def quantized_floats(self):
        """At ties and beside them. Whole blocks: docs/quantization.md has what tails do."""
        np, rng = self.np, self.rng
        for dtype in (np.int8, np.uint8, np.int16):
            for _ in range(6):
                info, wide = np.iinfo(dtype), dtype == np.int16
                scale = np.float32(np.exp(rng.uniform(*((-9, -5) if wide else (-6, 0)))))
                zero = 0 if wide else int(rng.integers(info.min, info.max + 1))
                codes = rng.integers(info.min, info.max + 1, 1024) - zero
                x = ((codes + rng.choice([0, 0.5, 0.25, -0.5], 1024)) * float(scale)).astype(np.float32)
                aside = rng.integers(0, 3, 1024)
                x = np.where(aside == 1, np.nextafter(x, np.float32(np.inf)), x)
                x = np.where(aside == 2, np.nextafter(x, np.float32(-np.inf)), x)
                x = x.astype(np.float32).reshape(1, 1024)
                yield "QUANTIZE to " + info.dtype.name, self.model(
                    "QUANTIZE", 2, None, [self.t(np.float32, x.shape)],
                    self.t(dtype, x.shape, float(scale), zero)), [x]

    def casts(self):
        np = self.np
        x = np.array([300, -300, 40000, -40000, 70000, -70000, 3e9, -3e9, 1e20, -1e20, np.inf,
                      -np.inf, np.nan, 127.5, -128.7, 255.9, -1.5, -0.5, 128, 256, -129, 65535,
                      2147483520, -2147483648], np.float32)
        x = np.resize(x, 192).reshape(1, 192)
        for dtype in (np.int8, np.uint8, np.int16):
            options = self.options("CastOptionsT", inDataType=self.types[np.float32],
                                   outDataType=self.types[dtype])
            yield "CAST to " + np.dtype(dtype).name, self.model(
                "CAST", 5, options, [self.t(np.float32, x.shape)], self.t(dtype, x.shape)), [x]

    def all(self):
        for part in (self.functions_of_16_bits, self.sums_of_16_bits, self.sqrt_of_8_bits,
                     self.quotients, self.matrices,
                     self.rows_of_16_bits, self.convolutions_with_32_bit_biases,
                     self.sums_on_ties, self.rows_from_uint8_to_int16, self.computed_weights,
                     self.quantized_floats, self.casts):
            yield from part()

    def with_built_in_kernels(self):
        for part in (self.sums_on_ties, self.computed_weights):
            yield from part()


def compare(delegate):
    import flatbuffers
    import numpy as np
    from ai_edge_litert import interpreter, schema_py_generated as schema
    counts = {}
    models = Models(np, schema, flatbuffers, 1)
    without_xnnpack = interpreter.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    cases = [(case, {}, "") for case in models.all()]
    cases += [((case[0] + ", built-in",) + case[1:],
               {"experimental_op_resolver_type": without_xnnpack}, "rounding=litert")
              for case in models.with_built_in_kernels()]
    for (name, model, inputs), how, debug in cases:
        os.environ["GLES_DELEGATE_DEBUG"] = debug
        cpu = wheel_test.run(np, interpreter, model, inputs, **how)
        gpu = wheel_test.run(np, interpreter, model, inputs, experimental_delegates=[
            interpreter.load_delegate(delegate, {"fallback_to_cpu": "0"})], **how)
        entry = counts.setdefault(name, [0, 0, 0])
        apart = np.abs(cpu - gpu)
        entry[0] += cpu.size
        entry[1] += int((apart != 0).sum())
        entry[2] = max(entry[2], int(apart.max()))
    for name, (codes, differ, most) in counts.items():
        print("%-58s %7d codes, %d differ, by %d at most" % (name, codes, differ, most))
    wrong = sum(entry[1] for entry in counts.values())
    print("FAILED: %d codes differ" % wrong if wrong else "no code differs")
    return 1 if wrong else 0


def main():
    if sys.argv[1] == "--compare":
        sys.exit(compare(sys.argv[2]))
    delegate, folder = sys.argv[1:3]
    python = wheel_test.python_with_the_wheel(folder)
    sys.exit(subprocess.run([python, "-B", __file__, "--compare", delegate],
                            check=False).returncode)


if __name__ == "__main__":
    main()
