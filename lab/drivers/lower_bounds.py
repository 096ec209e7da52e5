"""The shortest time that each model can take on each driver's device, for docs/drivers.md.

Multiplications and additions at the device's published rate, or the weights read once at
its memory's, whichever takes longer. drivers.json has the rates; the shapes are those of
benches/shapes.
"""
import json
import math

from tables import table

BEGIN = "<!-- written by ./dev drivers --page from tests/drivers/drivers.json: lower bounds -->"
END = "<!-- end of lower bounds -->"
BYTES = {"FLOAT32": 4, "INT32": 4, "INT8": 1, "UINT8": 1}


def multiplications(op, inputs, output):
    """Of one node; its tensors are (shape, is constant). 0: an op that is not counted.

    >>> out = ((1, 8, 8, 16), False)
    >>> multiplications("CONV_2D", [((1, 8, 8, 4), False), ((16, 3, 3, 4), True)], out)
    36864
    >>> multiplications("DEPTHWISE_CONV_2D", [((1, 8, 8, 16), False), ((1, 3, 3, 16), True)], out)
    9216
    >>> multiplications("FULLY_CONNECTED", [((1, 6), False), ((8, 6), True)], ((1, 32), False))
    192
    >>> multiplications("RELU", [out], out)
    0
    """
    elements = math.prod(output[0])
    if op == "CONV_2D":
        return elements * math.prod(inputs[1][0][1:])
    if op == "DEPTHWISE_CONV_2D":
        return elements * math.prod(inputs[1][0][1:3])
    if op == "FULLY_CONNECTED":
        return elements * inputs[1][0][-1]
    if op in ("TRANSPOSE_CONV", "Convolution2DTransposeBias"):
        # Every element of the input times its part of the filter.
        source = inputs[2 if op == "TRANSPOSE_CONV" else 0]
        return math.prod(source[0]) * math.prod(inputs[1][0][:3])
    if "LSTM" in op:  # each matrix once a step
        return math.prod(inputs[0][0][:-1]) * sum(
            math.prod(shape) for shape, constant in inputs if constant and len(shape) == 2)
    return 0


def flops(op):
    """Of one node; 0 of ops that hardly multiply.

    >>> x, y = {"shape": [1, 4, 4, 3]}, {"shape": [1, 2, 2, 8]}
    >>> flops({"op": "CONV_2D", "inputs": [x, {"shape": [8, 3, 3, 3]}], "outputs": [y]})
    1728
    """
    inputs = [(t["shape"], t.get("constant")) if t else ((), False) for t in op["inputs"]]
    return 2 * multiplications(op["op"], inputs, (op["outputs"][0]["shape"], False))


def weight_bytes(op):
    if not flops(op):
        return 0
    return sum(math.prod(t["shape"]) * BYTES[t["type"]] for t in op["inputs"]
               if t and t.get("constant") and "values" not in t)


def bound_ms(model, rates):
    """
    >>> op = {"op": "FULLY_CONNECTED", "count": 2, "outputs": [{"shape": [1, 1000]}],
    ...       "inputs": [{"shape": [1, 500]}, {"shape": [1000, 500], "type": "FLOAT32",
    ...                                        "constant": True}]}
    >>> bound_ms({"ops": [op]}, {"gflops": 1, "gbytes": 1})
    4.0
    >>> bound_ms({"ops": [op]}, {"gflops": 0.5, "gbytes": 100})
    4.0
    """
    arithmetic = sum(flops(op) * op["count"] for op in model["ops"]) / rates["gflops"]
    memory = sum(weight_bytes(op) * op["count"] for op in model["ops"]) / rates["gbytes"]
    return max(arithmetic, memory) * 1e-6


def models_of(folder):
    """{name: shapes} of the models in benches/shapes."""
    return {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))
            if path.stem != "other_layers"}


def tables(drivers, models):
    """The times, and the rates with their sources. `drivers`: those of drivers.json."""
    rated = [d for d in drivers if "rates" in d]
    titles = [d["title"].split(": ")[-1] for d in rated]
    times = [[name, *(f"{bound_ms(model, d['rates']):.2g}" for d in rated)]
             for name, model in models.items()]
    rates = [[title, d["rates"]["board"], d["rates"]["gflops"], d["rates"]["gbytes"],
              d["rates"]["source"]] for title, d in zip(titles, rated)]
    return "\n\n".join([
        table(["lower bound, ms (estimated)", *titles], times),
        table(["device", "rates of", "GFLOP/s, float32", "GB/s", "source"], rates)])


def rewrite(page, drivers, models):
    """`page` with the tables between BEGIN and END written again.

    >>> rewrite(f"a\\n{BEGIN}\\nold\\n{END}\\nb\\n", [], {}).count("old")
    0
    """
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n\n{tables(drivers, models)}\n\n{END}{rest.split(END)[1]}"
