"""The findings of gles_doctor on a model, with the runtime of this Python.

docs/doctor.md has each key, tests/tools/checkups.json those that both programs have.
"""

import os
import pathlib
import statistics
from typing import Any, Dict, List, Optional, Sequence, Tuple

import gles_delegate
from gles_delegate._benchmark import Sides
from gles_delegate._delegate import delegate_of
from gles_delegate._options import split_options

OWN_MODEL = "built-in"
# Six convolutions of 16 channels with RELU6 on [1, 96, 96, 16] floats, a pooling and a LOGISTIC.
_FILE = pathlib.Path(__file__).with_name("built_in.tflite")
_KEYS = ("model", "verdict", "use", "error", "renderer", "driver", "software", "nodes_total",
         "nodes_delegated", "right", "max_error", "gles_ms", "cpu_ms", "gles_per_s", "cpu_per_s",
         "gles_batch", "gles_batch_per_s", "cpu_batch", "cpu_batch_per_s", "report")
_ABOUT_THE_SAME = 1.15
_WORTH_A_BATCH = 1.05  # more inferences a second
_NAN_ON_ONE_SIDE = 1e30


def choose(speedups: Sequence[float], software: bool, delegated: bool = True,
           right: bool = True) -> Tuple[str, str]:
    """"use" and "verdict", as Choose() of tools/runner/choice.h."""
    def most(numbers: List[float]) -> bool:
        return 4 * len(numbers) > 3 * len(speedups)

    if not right:
        return "cpu", "Use the CPU here, as this driver computes wrong results"
    if not delegated:
        return "cpu", "Use the CPU here, as no node of it runs on the GPU"
    if software:
        return "cpu", "Use the CPU here, as there is no GPU"
    if most([s for s in speedups if s > _ABOUT_THE_SAME]):
        return "gpu", "Use the GPU here"
    if most([s for s in speedups if s < 1 / _ABOUT_THE_SAME]):
        return "cpu", "Use the CPU here"
    return "either", "About the same here"


def empty(model: str, **known: Any) -> Dict[str, Any]:
    """All keys of a model, without values but those that are known."""
    return {**dict.fromkeys(_KEYS), "model": model, "verdict": "No verdict", **known}


def checkup(path: str, runtime: Optional[str], options: str, num_threads: int, seconds: float,
            max_batch: int) -> Dict[str, Any]:
    """The keys of a model; if something fails, "error" says why."""
    found = empty(path)
    try:
        model = _FILE if path == OWN_MODEL else path
        chosen = gles_delegate.find_runtime(runtime)
        sides = Sides(model, chosen, lambda: delegate_of(chosen, split_options(options)),
                      num_threads,
                      lambda: found.update(
                          use="cpu", verdict="Use the CPU here, as the delegate cannot run"))
        _measure(sides, seconds, max_batch, found)
    except (gles_delegate.DelegateError, ImportError, OSError, RuntimeError, ValueError) as error:
        found["error"] = (f"Cannot open {path}: {error.strerror}"
                          if isinstance(error, OSError) and error.strerror else str(error))
    return found


def _max_error(sides: Sides) -> float:
    """Of the largest output."""
    import numpy as np
    errors = [0.0]
    for one, other in sides.outputs():
        if np.any(np.isnan(one) != np.isnan(other)):
            return _NAN_ON_ONE_SIDE
        with np.errstate(invalid="ignore"):  # of two infinities
            difference = np.nan_to_num(np.abs(one - other), nan=0.0)
        most = float(np.max(np.abs(np.nan_to_num(one)), initial=0))
        errors.append(float(np.max(difference, initial=0)) / (most or 1.0))
    return min(max(errors), _NAN_ON_ONE_SIDE)


def _is_right(found: Dict[str, Any]) -> bool:
    """Of other models than the own one the tolerance is not known: the self-check counts alone."""
    if any(p["self_check"]["verdict"] == "wrong" for p in found["report"]["partition"]):
        return False
    half = found["report"]["precision"] == "float16"
    return bool(found["model"] != OWN_MODEL or (
        found["nodes_delegated"] > 0 and found["max_error"] <= (3e-2 if half else 1e-4)))


def _measure(sides: Sides, seconds: float, max_batch: int, found: Dict[str, Any]) -> None:
    report = gles_delegate.report(sides.delegate).json
    found["report"] = report
    found.update({key: report[key] for key in ("renderer", "driver", "software", "nodes_total",
                                               "nodes_delegated")})
    found["max_error"] = _max_error(sides)
    found["right"] = _is_right(found)
    times = {side: [statistics.median(times) for times in rounds]
             for side, rounds in sides.times(seconds).items()}
    found["use"], found["verdict"] = choose(
        [cpu / gles for gles, cpu in zip(times["gles"], times["cpu"])], found["software"],
        found["nodes_delegated"] > 0, found["right"])
    for side, measured in times.items():
        found[side + "_ms"] = statistics.median(measured)
        best = 1, 1e3 / found[side + "_ms"]
        found[side + "_per_s"] = best[1]
        batch = 2
        # A software renderer would compile for minutes what no one is to use.
        most = 1 if side == "gles" and found["software"] else max_batch
        while batch <= most:
            per_s = sides.per_s(side, batch, seconds / Sides.ROUNDS)
            if per_s < best[1] * _WORTH_A_BATCH:
                break
            best, batch = (batch, per_s), 2 * batch
        found[side + "_batch"], found[side + "_batch_per_s"] = best


def threads() -> int:
    """As many as an app would give XNNPACK, as ThreadsOfACpu() of tools/runner."""
    return max(1, min(4, os.cpu_count() or 1))
