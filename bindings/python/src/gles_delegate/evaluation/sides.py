"""The two interpreters of an evaluation: the CPU's, and the one with the delegate."""

import hashlib
import pathlib
import time
from typing import Any, Dict, List, Optional

import gles_delegate
from gles_delegate._delegate import delegate_of
from gles_delegate._model_argument import model_argument
from gles_delegate._options import split_options

from . import EvaluationError

SIDES = ("cpu", "delegate")


class Sides:
    """One model on both sides. Used by the thread that made it."""

    def __init__(self, model: pathlib.Path, runtime: Optional[str], num_threads: Optional[int],
                 options: str):
        self._runtime = gles_delegate.find_runtime(runtime)
        self._delegate = delegate_of(self._runtime, split_options(options))
        self._interpreters: Dict[str, Any] = {}
        for side in SIDES:
            delegates = [self._delegate] if side == "delegate" else None
            try:
                made = self._runtime.Interpreter(num_threads=num_threads,
                                                 experimental_delegates=delegates,
                                                 **model_argument(model))
                made.allocate_tensors()
            except (RuntimeError, ValueError) as error:
                raise EvaluationError(f"{model} on the {side}: {error}") from error
            self._interpreters[side] = made
        # Inputs and outputs are the same on both sides.
        inputs = self._interpreters["cpu"].get_input_details()
        if len(inputs) != 1:
            raise EvaluationError(f"the model has {len(inputs)} inputs; an image is one")
        self.input_detail: Any = inputs[0]
        self.output_details: List[Any] = self._interpreters["cpu"].get_output_details()
        self._sha256 = hashlib.sha256(model.read_bytes()).hexdigest()
        self._options = options

    def identity(self) -> Dict[str, Any]:
        """Settings that must agree for two evaluations to be comparable."""
        return {"model_sha256": self._sha256, "options": self._options,
                "runtime": f"{self._runtime.name} {self._runtime.version}",
                "library": gles_delegate.library_version(),
                "renderer": self.report().renderer}

    def report(self) -> gles_delegate.Report:
        """The delegate's report."""
        return gles_delegate.report(self._delegate)

    def run(self, side: str, value: Any) -> Any:
        """The outputs, dequantized where they are quantized, and the milliseconds."""
        interpreter = self._interpreters[side]
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], value)
        start = time.perf_counter()
        interpreter.invoke()
        ms = (time.perf_counter() - start) * 1e3
        outputs: List[Any] = []
        for detail in interpreter.get_output_details():
            scale, zero_point = detail["quantization"]
            output = interpreter.get_tensor(detail["index"])
            outputs.append((output.astype("float32") - zero_point) * scale if scale else output)
        return outputs, ms
