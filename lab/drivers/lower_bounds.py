"""The shortest time that each model can take on each driver's device, for docs/drivers.md.

Multiplications and additions at the device's published rate, or the weights read once at
its memory's, whichever takes longer. drivers.json has the rates; the shapes are those of
benches/shapes.
"""
import json
import math

from page import table

BEGIN = "<!-- written by ./dev drivers --page from tests/drivers/drivers.json: lower bounds -->"
END = "<!-- end of lower bounds -->"
BYTES = {"FLOAT32": 4, "INT32": 4, "INT8": 1, "UINT8": 1}


def elements(tensor):
    return math.prod(tensor["shape"]) if tensor else 0


def flops(op):
    """Of one node; 0 of ops that hardly multiply.

    >>> x, y = {"shape": [1, 4, 4, 3]}, {"shape": [1, 2, 2, 8]}
    >>> w = {"shape": [8, 3, 3, 3], "constant": True}
    >>> flops({"op": "CONV_2D", "inputs": [x, w], "outputs": [y]})
    1728
    >>> flops({"op": "DEPTHWISE_CONV_2D", "inputs": [x, w], "outputs": [y]})
    576
    >>> flops({"op": "FULLY_CONNECTED", "inputs": [x, {"shape": [8, 6]}], "outputs": [y]})
    384
    """
    kind, inputs, outputs = op["op"], op["inputs"], op["outputs"]
    if kind == "CONV_2D":
        return 2 * elements(outputs[0]) * math.prod(inputs[1]["shape"][1:])
    if kind == "DEPTHWISE_CONV_2D":
        return 2 * elements(outputs[0]) * math.prod(inputs[1]["shape"][1:3])
    if kind in ("TRANSPOSE_CONV", "Convolution2DTransposeBias"):
        source = inputs[2 if kind == "TRANSPOSE_CONV" else 0]
        return 2 * elements(source) * math.prod(inputs[1]["shape"][:3])
    if kind == "FULLY_CONNECTED":
        return 2 * elements(outputs[0]) * inputs[1]["shape"][-1]
    if "LSTM" in kind:
        matrices = [t for t in inputs if t and t.get("constant") and len(t["shape"]) == 2]
        return 2 * sum(map(elements, matrices)) * math.prod(inputs[0]["shape"][:-1])
    return 0


def weight_bytes(op):
    if not flops(op):
        return 0
    return sum(elements(t) * BYTES[t["type"]] for t in op["inputs"]
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
