"""The nodes that take most of a model's arithmetic, and how full their programs run."""
import math
import pathlib
import re

# The number of nodes of a model to look at.
COUNT = 10
NODE = re.compile(r"^\d+: (\w+) \(node (\d+)\): (.*?) -> (\S+)")
TENSOR = re.compile(r"^(t\d+) '.*' \w+\[([\d,]*)\](.*)")
# Statistics that say how full a processor is, in the order of preference.
RESIDENT = ("waves", "threads", "simd")


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


def read_graph(text):
    """{node of the model: multiplications} of a graph that GLES_DELEGATE_DEBUG=plan wrote.

    >>> read_graph(chr(10).join([
    ...     "inputs t0", "0: FULLY_CONNECTED (node 3): t0, t1 -> t2 |clamp(0,6)",
    ...     "t0 'x' float32[1,4]", "t1 'w' float32[5,4] constant of 80 bytes",
    ...     "t2 'y' float32[1,5]"]))
    {3: 20}
    """
    nodes, tensors = [], {}
    for line in text.splitlines():
        found = TENSOR.match(line)
        if found:
            shape = tuple(int(n) for n in found.group(2).split(",") if n)
            tensors[found.group(1)] = (shape, "constant" in found.group(3))
            continue
        found = NODE.match(line)
        if found:
            nodes.append((found.group(1), int(found.group(2)),
                          [t.strip() for t in found.group(3).split(",")],
                          found.group(4).strip(",")))
    nothing = ((), False)
    return {node: multiplications(op, [tensors.get(t, nothing) for t in inputs],
                                  tensors.get(output, nothing))
            for op, node, inputs, output in nodes}


def dispatch_programs(plan, programs):
    """The programs of each dispatch of a report's plan, by their labels in `programs`.

    A program has the label of the first dispatch that uses it; the others are known by
    shader and defines. Where several programs have these, all of them are named.

    >>> plan = [{"label": "CONV_2D 0", "shader": "c", "defines": "A=1", "node": 0},
    ...         {"label": "CONV_2D 1", "shader": "c", "defines": "A=1", "node": 1}]
    >>> dispatch_programs(plan, {"CONV_2D 0 (c.comp)": {}})
    [['CONV_2D 0 (c.comp)'], ['CONV_2D 0 (c.comp)']]
    """
    result, known = [], {}
    for d in plan:
        label = f"{d['label']} ({d['shader']}.comp)"
        alike = known.setdefault((d["shader"], d["defines"]), [])
        if label in programs:
            if label not in alike:
                alike.append(label)
            result.append([label])
        else:
            result.append(list(alike))
    return result


def of_partition(partition, graph, programs):
    """[(multiplications, programs of the dispatches)] of each node that is dispatched and
    counted. A node that was fused into another counts there."""
    computed_by = {n["node"]: n["computed_by"] for n in partition.get("model_nodes", [])}
    work, used = {}, {}
    for node, count in graph.items():
        place = computed_by.get(node, node)
        work[place] = work.get(place, 0) + count
    plan = partition.get("plan", [])
    for d, labels in zip(plan, dispatch_programs(plan, programs)):
        used.setdefault(d["node"], set()).update(labels)
    return [(count, sorted(used[node])) for node, count in work.items()
            if count > 0 and used.get(node)]


def resident(numbers):
    """How full a processor is by a program's numbers; None: unknown."""
    return next((numbers[key] for key in RESIDENT if key in numbers), None)


def of_model(report, folder, programs, full):
    """The heaviest nodes of a model; None where nothing is known of them.

    report: the delegate's; folder: of GLES_DELEGATE_DEBUG=plan; programs: {label: numbers};
    full: what resident() says of a full processor. A node is as full as the least full of
    its programs. In the answer `short` has the programs that are not full, by shader:
    [how many, least resident, most registers].
    """
    nodes = []
    for index, partition in enumerate(report.get("partition", [])):
        path = pathlib.Path(folder) / f"partition_{index}_00_read.txt"
        if path.exists():
            nodes += of_partition(partition, read_graph(path.read_text()), programs)
    nodes.sort(key=lambda node: -node[0])
    all_work = sum(count for count, _ in nodes)
    result = {"nodes": 0, "full": 0, "least": None, "short": {}}
    work, seen = 0, set()
    for count, labels in nodes[:COUNT]:
        values = {label: resident(programs[label]) for label in labels}
        known = {label: value for label, value in values.items() if value is not None}
        if not known:
            continue
        work += count
        least = min(known.values())
        result["nodes"] += 1
        result["full"] += least >= full
        result["least"] = least if result["least"] is None else min(least, result["least"])
        for label, value in known.items():
            if value >= full or label in seen:
                continue
            seen.add(label)
            shader = label[label.rindex("(") + 1:-1]
            entry = result["short"].setdefault(shader, [0, value, 0])
            entry[:] = [entry[0] + 1, min(entry[1], value),
                        max(entry[2], programs[label].get("registers", 0))]
    if not result["nodes"]:
        return None
    result["share"] = round(work / all_work, 3)
    return result
