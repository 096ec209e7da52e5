"""python -m gles_delegate: does it work here, and how fast is it?

Says which library, runtime and GPUs there are, runs a small model on the CPU and with the
delegate and compares the answers. With --graph the same for a model, and the time of an
inference on both. Ends with 1 where something is wrong.
"""

import argparse
import os
import signal
import sys
import traceback
from typing import Any, Dict, List, Optional

import gles_delegate
from gles_delegate import _program, _texts
from gles_delegate._benchmark import Sides
from gles_delegate._model import self_check_model
from gles_delegate._model_argument import Model
from gles_delegate._runtimes import installed


def _arguments(argv: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m gles_delegate",
                                     description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--graph", metavar="MODEL", help="a .tflite file to check and time")
    parser.add_argument("--options", default="", metavar="KEY:VALUE;...",
                        help="options of the delegate")
    parser.add_argument("--runtime", help="ai_edge_litert, tflite_runtime or tensorflow")
    parser.add_argument("--num_threads", type=int, help="of the CPU's kernels")
    parser.add_argument("--seconds", type=float, default=2.0,
                        help="how long each side is timed (default 2)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    _program.add_version(parser)
    return _program.parse(parser, argv)


def _compare(model: Model, arguments: argparse.Namespace) -> Dict[str, Any]:
    """Runs the model on both sides."""
    runtime = gles_delegate.find_runtime(arguments.runtime)
    sides = Sides(model, runtime, _texts.delegate_of(runtime, arguments.options),
                  arguments.num_threads)
    report = sides.report
    result: Dict[str, Any] = {
        "nodes_total": report.nodes_total, "nodes_delegated": report.nodes_delegated,
        "renderer": report.renderer, "software": report.software,
        **vars(sides.answers()), "cpu_nodes": [vars(entry) for entry in report.cpu]}
    if arguments.graph:
        measured = sides.benchmark(arguments.seconds)
        result.update(gpu=vars(measured.gpu), cpu=vars(measured.cpu))
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


def _check(arguments: argparse.Namespace) -> int:
    """The exit status, after everything was printed."""
    found = _program.run(
        lambda: _find(arguments),
        (gles_delegate.DelegateError, ImportError, OSError, RuntimeError, ValueError),
        arguments.json, _print)
    if found is None:
        return 1
    return 0 if all(found[k]["ok"] for k in ("self_check", "graph") if k in found) else 1


def _advice(runtime: Optional[str]) -> str:
    names = [runtime] if runtime else installed()
    if names[:1] == ["tensorflow"]:
        return ("Mesa's llvmpipe crashes in a process with tensorflow, which exports another LLVM: "
                "pip install ai-edge-litert, and use --runtime ai_edge_litert")
    return "an OpenGL driver crashed: GLES_DELEGATE_DEVICE chooses another one"


def main(argv: Optional[List[str]] = None) -> int:
    """The program; its exit status."""
    arguments = _arguments(argv)
    # Before any driver is opened, so that this process survives a crash and names it.
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = _check(arguments)
        except Exception:  # pylint: disable=broad-except
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    if not os.WIFSIGNALED(ended):
        return os.WEXITSTATUS(ended)
    name = signal.Signals(os.WTERMSIG(ended)).name
    print(f"FAILED: the check ended by {name}: {_advice(arguments.runtime)}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
