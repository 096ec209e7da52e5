"""python -m gles_delegate.evaluation: a task on a folder of images, on both sides.

Runs each image on the CPU and with the delegate, keeps the results of each in a file, and
prints accuracy, agreement and times. A second call with the same --output_file_path goes on
where the first ended. Ends with 1 where something is wrong, with 130 after Ctrl-C.
"""

import argparse
import hashlib
import json
import pathlib
import signal
import statistics
import sys
import time
from typing import Any, Dict, Iterator, List, Optional

import gles_delegate

from . import EvaluationError


def _arguments(argv: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m gles_delegate.evaluation",
                                     description=(__doc__ or "").split("\n\n", 1)[-1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version",
                        version=f"gles_delegate {gles_delegate.__version__}")
    tasks = parser.add_subparsers(dest="task", required=True)
    common = argparse.ArgumentParser(add_help=False)
    add = common.add_argument
    add("--model_file", required=True, type=pathlib.Path, metavar="MODEL")
    add("--ground_truth_images_path", required=True, type=pathlib.Path, metavar="FOLDER",
        help="the images")
    add("--model_output_labels", type=pathlib.Path, metavar="FILE",
        help="one line a class of the model")
    add("--output_file_path", required=True, type=pathlib.Path, metavar="FILE",
        help="takes each image's results as a line of JSON")
    add("--num_images", type=int, default=0, metavar="N",
        help="the first N images by name; 0 (default): all")
    add("--options", default="", metavar="KEY:VALUE;...", help="options of the delegate")
    add("--runtime", help="ai_edge_litert, tflite_runtime or tensorflow")
    add("--num_threads", type=int, help="of the CPU's kernels")
    add("--mean", type=float, default=127.5, help="of a float input (default 127.5)")
    add("--std", type=float, default=127.5, help="of a float input (default 127.5)")
    add("--json", action="store_true", help="print the summary as one JSON object")
    classification = tasks.add_parser("classification", parents=[common],
                                      help="top-k accuracy")
    classification.add_argument(
        "--ground_truth_labels", required=True, type=pathlib.Path, metavar="FILE",
        help="one line an image: its class, in the order of the images' names; or name<TAB>class")
    classification.add_argument("--top_k", type=int, default=5)
    classification.add_argument("--cropping_fraction", type=float, default=0.875,
                                help="of the shorter side, the square that is kept")
    detection = tasks.add_parser("detection", parents=[common], help="COCO's average precision")
    detection.add_argument("--ground_truth_annotations", required=True, type=pathlib.Path,
                           metavar="FILE", help="COCO's instances_*.json")
    detection.set_defaults(cropping_fraction=0.0)
    return parser.parse_args(argv)


def _task(arguments: argparse.Namespace, names: List[str]) -> Any:
    if arguments.task == "classification":
        from .classification import Classification
        return Classification(arguments.ground_truth_labels, arguments.model_output_labels,
                              names, arguments.top_k)
    from .detection import Detection
    return Detection(arguments.ground_truth_annotations, arguments.model_output_labels, names)


class _Interrupt:
    """Ctrl-C ends the evaluation after the image which runs; a second one at once."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._remember)

    def _remember(self, number: int, frame: Any) -> None:
        del frame
        self.asked = True
        signal.signal(number, signal.SIG_DFL)


def _run(arguments: argparse.Namespace, interrupt: _Interrupt) -> Dict[str, Any]:
    from tqdm import tqdm

    from .images import Preprocessing, list_images
    from .results import Results
    from .sides import SIDES, Sides
    images = list_images(arguments.ground_truth_images_path)
    task = _task(arguments, [path.name for path in images])
    if arguments.num_images > 0:
        images = images[:arguments.num_images]
    sides = Sides(arguments.model_file, arguments.runtime, arguments.num_threads,
                  arguments.options)
    task.check(sides.output_details)
    preprocessing = Preprocessing(sides.input_detail, arguments.cropping_fraction,
                                  arguments.mean, arguments.std)
    results = Results(arguments.output_file_path, {
        **sides.identity(), **_inputs_of(arguments)})
    left = [path for path in images if path.name not in results]
    progress = tqdm(left, unit="image", delay=2, dynamic_ncols=True,
                    disable=not sys.stderr.isatty())
    said = time.monotonic()
    for done, path in enumerate(progress):
        if interrupt.asked:
            break
        if progress.disable and time.monotonic() - said >= 10:
            said = time.monotonic()
            print(f"{done} of {len(left)} images", file=sys.stderr, flush=True)
        row: Dict[str, Any] = {"image": path.name}
        try:
            value = preprocessing.read(path)
        except EvaluationError as error:
            row["error"] = str(error)
        else:
            for side in SIDES:
                outputs, ms = sides.run(side, value)
                row[side] = {**task.row(path.name, outputs), "ms": ms}
        results.add(row)
    progress.close()
    results.close()
    return _summary(task, results, {path.name for path in images}, sides.report())


def _inputs_of(arguments: argparse.Namespace) -> Dict[str, Any]:
    """The arguments that the results depend on; files by their contents."""
    found: Dict[str, Any] = {key: getattr(arguments, key, None)
                             for key in ("task", "top_k", "mean", "std", "cropping_fraction")}
    for key in ("model_output_labels", "ground_truth_labels", "ground_truth_annotations"):
        path = getattr(arguments, key, None)
        found[key + "_sha256"] = path and hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def _summary(task: Any, results: Any, wanted: Any, report: gles_delegate.Report) -> Dict[str, Any]:
    unread: List[str] = []
    times: Dict[str, List[float]] = {"cpu": [], "delegate": []}

    def read() -> Iterator[Dict[str, Any]]:
        for row in results.rows():
            if row["image"] not in wanted:
                continue
            if "error" in row:
                unread.append(row["error"])
                continue
            for side, values in times.items():
                values.append(row[side]["ms"])
            yield row

    found = task.summary(read())
    if not found:
        raise EvaluationError("no image was evaluated" + "".join("; " + e for e in unread[:3]))
    for side, values in times.items():
        found[side]["median_ms"] = statistics.median(values)
    return {"task": task.name, "agrees_on": task.agrees_on, "images": len(times["cpu"]), "unread": unread,
            "nodes_delegated": report.nodes_delegated, "nodes_total": report.nodes_total,
            "renderer": report.renderer, **found}


def _print(found: Dict[str, Any]) -> None:
    print(f"{found['task']} of {found['images']} images; {found['nodes_delegated']} of "
          f"{found['nodes_total']} nodes on {found['renderer']}")
    print(f"{'':12}{'CPU':>10}{'delegate':>10}")
    for key in found["cpu"]:
        print(f"{key:12}{found['cpu'][key]:10.4f}{found['delegate'][key]:10.4f}")
    print(f"the same {found['agrees_on']} on {100 * found['agreement']:.2f}% of the images")
    for error in found["unread"]:
        print(f"left out: {error}")


def main(argv: Optional[List[str]] = None) -> int:
    """The program; its exit status."""
    arguments = _arguments(argv)
    interrupt = _Interrupt()
    try:
        found = _run(arguments, interrupt)
    except (EvaluationError, gles_delegate.DelegateError, ImportError, OSError) as error:
        print(f"FAILED: {error}", file=sys.stderr)
        return 1
    if arguments.json:
        print(json.dumps(found, indent=2))
    else:
        _print(found)
    if interrupt.asked:
        print(f"interrupted; the same call goes on with {arguments.output_file_path}",
              file=sys.stderr)
        return 130
    return 1 if found["unread"] else 0


if __name__ == "__main__":
    sys.exit(main())
