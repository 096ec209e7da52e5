"""python -m gles_delegate [MODEL...]: is the GPU of this machine worth using?

Says which library, runtime and GPUs there are, runs each model on the CPU and with the delegate
by turns, and compares results and times: what the program gles_doctor does, with the same JSON.
Without a model it runs a small built-in network. Exit status: 0 if the delegate works here, on
hardware or software; 1 if not, or if a model cannot be read; 2 if --require=hardware finds none.
"""

import argparse
import difflib
import json
import os
import pathlib
import re
import signal
import sys
import textwrap
from typing import Any, Callable, Dict, List, Optional

import gles_delegate
from gles_delegate import _checkup


def _arguments(argv: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m gles_delegate",
                                     description=(__doc__ or "").split("\n\n", 1)[-1])
    parser.add_argument("models", nargs="*", metavar="MODEL", help="a .tflite file")
    parser.add_argument("--graph", metavar="MODEL", help="one more")
    parser.add_argument("--gles_options", "--options", default="", metavar="KEY:VALUE;...",
                        help="options of the delegate")
    parser.add_argument("--runtime", help="ai_edge_litert, tflite_runtime or tensorflow")
    parser.add_argument("--num_threads", type=int, default=_checkup.threads(),
                        help="of the CPU's kernels (default %(default)s)")
    parser.add_argument("--seconds", type=float, default=1.0,
                        help="how long each side is timed (default 1)")
    parser.add_argument("--max_batch", type=int, default=32,
                        help="the largest batch to try (default 32)")
    parser.add_argument("--require", choices=["hardware"],
                        help="exit with status 2 unless a GPU runs the models")
    parser.add_argument("--report_json", metavar="FILE",
                        help="write the results to this file; -: to stdout, and the text to stderr")
    parser.add_argument("--json", dest="report_json", action="store_const", const="-",
                        help="--report_json=-")
    parser.add_argument("--version", action="version",
                        version=f"gles_delegate {gles_delegate.__version__}")
    arguments, unknown = parser.parse_known_args(argv)
    if unknown:
        flags = sorted(set(re.findall(r"--\w+", parser.format_help())))
        name = unknown[0].split("=")[0]
        close = difflib.get_close_matches(name, flags, 1) if name.startswith("-") else []
        meant = f" (did you mean {close[0]}?)" if close else ""
        parser.error(f"unrecognized arguments: {' '.join(unknown)}{meant}")
    if arguments.num_threads < 1 or arguments.max_batch < 1 or not arguments.seconds >= 0:
        parser.error("--num_threads and --max_batch are 1 or more, --seconds is 0 or more")
    if arguments.graph:
        arguments.models.append(arguments.graph)
    return arguments


def _machine(runtime: Optional[str]) -> Dict[str, Any]:
    found = gles_delegate.compatibility()
    result = {"version": gles_delegate.library_version(), "hardware": found.supported,
              "reason": found.reason,
              "devices": [vars(device) for device in gles_delegate.devices()]}
    try:
        chosen = gles_delegate.find_runtime(runtime)
        result["tflite"] = f"{chosen.version} ({chosen.name})"
    except ImportError as error:
        result["tflite"] = str(error)
    return result


def _isolated(call: Callable[[], Dict[str, Any]]) -> Dict[str, Any]:
    """What `call` returns in a child, or "error" with the reason: drivers may crash."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            try:
                result = call()
            except Exception as error:  # pylint: disable=broad-except
                result = {"error": f"{type(error).__name__}: {error}"}
            with os.fdopen(send, "wb") as file:
                file.write(json.dumps(result).encode())
        finally:
            os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as file:
        answer = file.read()
    _, ended = os.waitpid(child, 0)
    if os.WIFSIGNALED(ended):
        name = signal.Signals(os.WTERMSIG(ended)).name
        return {"error": f"the check ended by {name}: an OpenGL driver crashed; "
                         "GLES_DELEGATE_DEVICE chooses another one"}
    return dict(json.loads(answer or '{"error": "the check failed"}'))


def _say(text: str, out: Any, indent: int = 0) -> None:
    """Prints lines that fit a terminal."""
    print(textwrap.fill(text, 80, initial_indent=" " * indent, subsequent_indent=" " * (indent + 2),
                        break_long_words=False, break_on_hyphens=False), file=out, flush=True)


def _print_machine(machine: Dict[str, Any], out: Any) -> None:
    _say(f"gles_delegate {machine['version']}, TensorFlow Lite {machine['tflite']}", out)
    print("Devices", file=out)
    for device in machine["devices"]:
        print(f"{device['index']:2}  {device['description']}", file=out)
        _say("not usable: " + device["error"] if device["error"] else
             f"{device['renderer']} ({device['version']})" + ", software" * device["software"],
             out, 6)
    if not machine["devices"]:
        _say(machine["reason"], out, 2)


def _figure(value: float) -> str:
    """A time or a rate without an exponent, however small the model is."""
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}" if value >= 0.01 else f"{value:.4f}"


def _print_model(found: Dict[str, Any], out: Any) -> None:
    print(f"\n{found['model']}\n  {found['verdict']}", file=out, flush=True)
    if found["error"] is not None:
        print(f"FAILED: {found['error']}", file=sys.stderr)
        return

    def rates(side: str) -> str:
        batch = f", {_figure(found[side + '_batch_per_s'])} in batches of {found[side + '_batch']}"
        return _figure(found[side + "_per_s"]) + (batch if found[side + "_batch"] > 1 else "")

    _say(f"{_figure(found['gles_ms'])} ms with the delegate, {_figure(found['cpu_ms'])} ms on the CPU", out, 2)
    _say(f"inferences a second with the delegate {rates('gles')}; on the CPU {rates('cpu')}", out, 2)
    _say(f"{found['nodes_delegated']} of {found['nodes_total']} nodes on {found['renderer']}; "
         f"error {found['max_error']:.1e} of the largest output", out, 2)
    for partition in found["report"]["partition"]:
        for fault in partition["self_check"]["faults"]:
            _say(f"self-check: {fault}", out, 2)
    for node in found["report"]["cpu"]:
        _say(f"{node['op']} stays on the CPU: {node['reason']}", out, 2)


def main(argv: Optional[List[str]] = None) -> int:
    """The program; its exit status."""
    try:
        arguments = _arguments(argv)
    except SystemExit as ended:  # argparse's 2 says something else here
        return 1 if ended.code else 0
    out = sys.stderr if arguments.report_json == "-" else sys.stdout
    machine: Dict[str, Any] = {"version": "unknown", "tflite": "unknown", "hardware": False,
                               "reason": "", "devices": []}
    found = _isolated(lambda: _machine(arguments.runtime))
    machine.update(found if "error" not in found else {"reason": found["error"]})
    _print_machine(machine, out)
    models: List[Dict[str, Any]] = []
    for path in arguments.models or [_checkup.OWN_MODEL]:
        if sys.stderr.isatty():  # drivers compile for up to a minute
            sys.stderr.write("running ...\r")
            sys.stderr.flush()
        model = _isolated(lambda path=path: _checkup.checkup(  # type: ignore[misc]
            path, arguments.runtime, arguments.gles_options, arguments.num_threads,
            arguments.seconds, arguments.max_batch))
        models.append(model if "model" in model else _checkup.empty(path, **model))
        _print_model(models[-1], out)
    status = 0 if all(m["right"] and m["error"] is None for m in models) else 1
    if arguments.require and not (machine["hardware"] and not any(m["software"] for m in models)):
        status = 2
        print("\nNo GPU runs this, which --require asks for.", file=out)
    report = json.dumps({**machine, "num_threads": arguments.num_threads,
                         "options": arguments.gles_options, "status": status, "models": models},
                        indent=2) + "\n"
    if arguments.report_json == "-":
        sys.stdout.write(report)
    elif arguments.report_json:
        try:
            pathlib.Path(arguments.report_json).write_text(report, encoding="utf-8")
        except OSError as error:
            print(f"FAILED: {error}", file=sys.stderr)
            return 1
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
