"""python -m gles_delegate: does it work here, and how fast is it?

Says which library, runtime and GPUs there are, runs a small model on the CPU and with the
delegate and compares the answers. With --graph the same for a model, and the time of an
inference on both. Ends with 1 where something is wrong.
"""

import argparse
import statistics
import sys
import time
from typing import Any, Callable, Dict, List, Optional

import gles_delegate
from gles_delegate import _program, _texts
from gles_delegate._model import self_check_model

_SEED = 20
# Of the output's largest magnitude: 16-bit storage has 11 bits.
_TOLERANCE = {"float32": 1e-4, "float16": 3e-2}


def _arguments(argv: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m gles_delegate",
                                     description=__doc__.split("\n\n")[0])
    parser.add_argument("--graph", metavar="MODEL", help="a .tflite file to check and time")
    parser.add_argument("--options", default="", metavar="KEY:VALUE;...",
                        help="options of the delegate")
    parser.add_argument("--runtime", help="ai_edge_litert, tflite_runtime or tensorflow")
    parser.add_argument("--num_threads", type=int, help="of the CPU's kernels")
    parser.add_argument("--seconds", type=float, default=2.0,
                        help="how long each side is timed (default 2)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--version", action="version",
                        version=f"gles_delegate {gles_delegate.__version__}")
    return parser.parse_args(argv)


def _fill(interpreter: Any) -> None:
    """The same numbers at each call: floats in [-1, 1], tokens in [0, 7],
    other integers of the type's range."""
    import numpy as np
    rng = np.random.default_rng(_SEED)
    for detail in interpreter.get_input_details():
        dtype, shape = detail["dtype"], detail["shape"]
        if np.issubdtype(dtype, np.floating):
            values = rng.uniform(-1, 1, shape)
        elif dtype == np.bool_:
            values = rng.integers(0, 2, shape)
        elif dtype in (np.int32, np.int64):  # tokens and positions
            values = rng.integers(0, 8, shape)
        else:
            info = np.iinfo(dtype)
            values = rng.integers(max(info.min, -128), min(info.max, 255) + 1, shape)
        interpreter.set_tensor(detail["index"], values.astype(dtype))


def _outputs(interpreter: Any) -> List[Any]:
    return [interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()]


def _times(invoke: Callable[[], None], seconds: float, what: str) -> Dict[str, float]:
    """Median and 90th percentile of an inference in milliseconds; 3 at least."""
    shows = sys.stderr.isatty()
    times: List[float] = []
    begin = time.perf_counter()
    while len(times) < 3 or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        invoke()
        times.append((time.perf_counter() - start) * 1e3)
        if shows:
            left = max(0.0, seconds - (time.perf_counter() - begin))
            print(f"\r{what}: {len(times)} runs, {left:.1f} s left  ", end="", file=sys.stderr)
    if shows:
        print("\r" + " " * 60 + "\r", end="", file=sys.stderr)
    times.sort()
    return {"runs": len(times), "median_ms": statistics.median(times),
            "p90_ms": times[int(0.9 * (len(times) - 1))]}


def _compare(model: Any, arguments: argparse.Namespace) -> Dict[str, Any]:
    """Runs the model on both sides."""
    import numpy as np
    runtime = gles_delegate.find_runtime(arguments.runtime)
    content = {"model_content": model} if isinstance(model, bytes) else {"model_path": model}
    cpu = runtime.Interpreter(num_threads=arguments.num_threads, **content)
    delegate = _texts.delegate_of(runtime, arguments.options)
    gpu = runtime.Interpreter(num_threads=arguments.num_threads,
                              experimental_delegates=[delegate], **content)
    for interpreter in (cpu, gpu):
        interpreter.allocate_tensors()
        _fill(interpreter)
        interpreter.invoke()
    difference, magnitude = 0.0, 0.0
    for a, b in zip(_outputs(cpu), _outputs(gpu)):
        a, b = a.astype(np.float64), b.astype(np.float64)
        magnitude = max(magnitude, float(np.max(np.abs(a), initial=0)))
        difference = max(difference, float(np.max(np.abs(a - b), initial=0)))
    report = gles_delegate.report(delegate)
    tolerance = _TOLERANCE[report["precision"]] * max(1.0, magnitude)
    result = {"nodes_total": report["nodes_total"],
              "nodes_delegated": report["nodes_delegated"], "renderer": report["renderer"],
              "software": report.get("software", False),
              "largest_output": magnitude, "largest_difference": difference,
              "ok": difference <= tolerance and report["nodes_delegated"] > 0,
              "cpu_nodes": report["cpu"]}
    if arguments.graph:
        result["gpu"] = _times(gpu.invoke, arguments.seconds, "with the delegate")
        result["cpu"] = _times(cpu.invoke, arguments.seconds, "on the CPU")
    return result


def _print(found: Dict[str, Any]) -> None:
    print(f"gles_delegate {found['version']}: {found['library']}")
    print("runtime: {name} {version}".format(**found["runtime"]))
    print("devices:")
    for device in found["devices"]:
        says = device["error"] or "{renderer}, {version}".format(**device)
        print(f"  {device['index']}: {device['description']}: {says}")
    if found["compatibility"]["supported"]:
        print("a GPU that the delegate runs on: yes")
    else:
        print("a GPU that the delegate runs on: no: " + found["compatibility"]["reason"])
    for name in ("self_check", "graph"):
        result = found.get(name)
        if result is None:
            continue
        print(f"{name}: {result['nodes_delegated']} of {result['nodes_total']} nodes on "
              f"{result['renderer']}; largest difference {result['largest_difference']:.3g} "
              f"where outputs go up to {result['largest_output']:.3g}: "
              + ("OK" if result["ok"] else "WRONG"))
        for refusal in result["cpu_nodes"]:
            print(f"  {refusal['op']} stays on the CPU: {refusal['reason']}")
        for side, words in (("gpu", "with the delegate"), ("cpu", "on the CPU")):
            if side in result:
                print(f"  {words}: " + "median {median_ms:.3f} ms, 90% within {p90_ms:.3f} ms "
                      "({runs} runs)".format(**result[side]))


def _find(arguments: argparse.Namespace) -> Dict[str, Any]:
    runtime = gles_delegate.find_runtime(arguments.runtime)
    found: Dict[str, Any] = {
        "version": gles_delegate.library_version(),
        "library": gles_delegate.library_path(),
        "runtime": {"name": runtime.name, "version": runtime.version},
        "devices": [vars(device) for device in gles_delegate.devices()],
        "compatibility": vars(gles_delegate.compatibility()),
    }
    if arguments.graph:
        found["graph"] = _compare(arguments.graph, arguments)
    else:
        found["self_check"] = _compare(self_check_model(), arguments)
    return found


def main(argv: Optional[List[str]] = None) -> int:
    arguments = _arguments(argv)
    found = _program.run(
        lambda: _find(arguments),
        (gles_delegate.DelegateError, ImportError, OSError, RuntimeError, ValueError),
        arguments.json, _print)
    if found is None:
        return 1
    return 0 if all(found[k]["ok"] for k in ("self_check", "graph") if k in found) else 1


if __name__ == "__main__":
    sys.exit(main())
