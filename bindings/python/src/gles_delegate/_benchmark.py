"""A model on the CPU and with the delegate: answers and times."""

import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Tuple

from ._delegate import load_delegate, report
from ._errors import DelegateError
from ._model_argument import Model, model_argument
from ._options import Options
from ._report import Report
from ._runtimes import Runtime
from ._runtimes import find as find_runtime

if TYPE_CHECKING:
    from typing_extensions import Unpack

_SEED = 20
# Of the output's largest magnitude: 16-bit storage has 11 bits.
_TOLERANCE = {"float32": 1e-4, "float16": 3e-2}


@dataclass(frozen=True)
class Times:
    """An inference's time in milliseconds.

    Attributes:
      runs: how many were timed.
      median_ms: the median.
      p90_ms: 90% of them took no longer.
    """

    runs: int
    median_ms: float
    p90_ms: float


@dataclass(frozen=True)
class Answers:
    """The outputs of both sides for the same random inputs.

    Attributes:
      largest_output: the CPU's largest magnitude.
      largest_difference: between the two sides.
      ok: it is within rounding, and some nodes were delegated.
    """

    largest_output: float
    largest_difference: float
    ok: bool


@dataclass(frozen=True)
class Benchmark:
    """The result of benchmark().

    Attributes:
      gpu: an inference's time with the delegate.
      cpu: on the CPU.
      answers: how far the outputs of both are apart.
      report: the delegate's.
    """

    gpu: Times
    cpu: Times
    answers: Answers
    report: Report

    @property
    def speedup(self) -> float:
        """How many times as fast as the CPU the delegate is, by the medians."""
        return self.cpu.median_ms / self.gpu.median_ms


def benchmark(
    model: Model,
    *,
    runtime: Optional[str] = None,
    num_threads: Optional[int] = None,
    seconds: float = 2.0,
    **options: "Unpack[Options]",
) -> Benchmark:
    """Runs `model` on random inputs with the delegate and on the CPU; raises as interpreter().

        found = gles_delegate.benchmark("model.tflite", num_threads=4)
        print(f"{found.speedup:.1f} times as fast as the CPU")

    Args:
      model: as interpreter().
      runtime: as interpreter().
      num_threads: as interpreter().
      seconds: how long each side is timed, by turns; 5 inferences at least.
      **options: as interpreter().
    """
    chosen = find_runtime(runtime)
    sides = Sides(model, chosen, lambda: load_delegate(runtime=chosen.name, **options), num_threads)
    answers = sides.answers()
    times = sides.times(seconds)
    return Benchmark(_summary(times["gles"]), _summary(times["cpu"]), answers,
                     report(sides.delegate))


def _summary(rounds: List[List[float]]) -> Times:
    times = sorted(ms for times in rounds for ms in times)
    return Times(len(times), statistics.median(times), times[int(0.9 * (len(times) - 1))])


class Sides:
    """The interpreters "cpu" and "gles" of a model, each after an inference on the same inputs.

    delegate: that of "gles", which make_delegate() has made.
    """

    ROUNDS = 5

    def __init__(self, model: Model, runtime: Runtime, make_delegate: Callable[[], Any],
                 num_threads: Optional[int], ready: Callable[[], None] = lambda: None) -> None:
        self._runtime, self._make_delegate = runtime, make_delegate
        self._arguments = {**model_argument(model), "num_threads": num_threads}
        self.delegate: Any = None
        self.interpreters = {"cpu": self.start("cpu")}
        ready()  # the model runs on the CPU
        self.interpreters["gles"] = self.start("gles")

    def start(self, side: str, batch: int = 1) -> Any:
        """A new interpreter after an inference; None if the model has no batch of another size."""
        arguments = dict(self._arguments)
        if side == "gles":
            delegate = self._make_delegate()
            self.delegate = self.delegate or delegate
            arguments["experimental_delegates"] = [delegate]
        try:
            interpreter = self._runtime.Interpreter(**arguments)
        except RuntimeError as error:
            if side == "cpu":
                raise
            raise DelegateError("the delegate was not applied", str(error)) from error
        for detail in interpreter.get_input_details() if batch > 1 else ():
            shape = list(detail["shape"])
            if shape[:1] != [1]:
                return None
            interpreter.resize_tensor_input(detail["index"], [batch] + shape[1:])
        interpreter.allocate_tensors()
        _fill(interpreter)
        interpreter.invoke()
        return interpreter

    def outputs(self) -> Iterator[Tuple[Any, Any]]:
        """Those of the CPU and of the delegate, in pairs."""
        return zip(_outputs(self.interpreters["cpu"]), _outputs(self.interpreters["gles"]))

    def answers(self) -> Answers:
        """Compares the outputs."""
        import numpy as np
        difference, magnitude = 0.0, 0.0
        for on_cpu, on_gpu in self.outputs():
            magnitude = max(magnitude, float(np.max(np.abs(on_cpu), initial=0)))
            difference = max(difference, float(np.max(np.abs(on_cpu - on_gpu), initial=0)))
        found = report(self.delegate)
        tolerance = _TOLERANCE[found.precision] * max(1.0, magnitude)
        return Answers(magnitude, difference,
                       difference <= tolerance and found.nodes_delegated > 0)

    def times(self, seconds: float) -> Dict[str, List[List[float]]]:
        """Milliseconds of inferences, each side for so long, in rounds by turns."""
        rounds: Dict[str, List[List[float]]] = {"gles": [], "cpu": []}
        for _ in range(self.ROUNDS):
            for side, times in rounds.items():
                times.append(_times(self.interpreters[side], seconds / self.ROUNDS))
        return rounds

    def per_s(self, side: str, batch: int, seconds: float) -> float:
        """Inferences a second in batches; 0 if the model has none of this size."""
        try:
            interpreter = self.start(side, batch)
        except (RuntimeError, ValueError):
            return 0.0
        if interpreter is None or any(
                not one.shape or many.shape != (batch * one.shape[0], *one.shape[1:])
                for one, many in zip(_outputs(self.interpreters[side]), _outputs(interpreter))):
            return 0.0
        return batch * 1e3 / statistics.median(_times(interpreter, seconds))


def _fill(interpreter: Any) -> None:
    """The same numbers at each call."""
    import numpy as np
    rng = np.random.default_rng(_SEED)
    for detail in interpreter.get_input_details():
        values = _random(rng, detail["dtype"], detail["shape"])
        interpreter.set_tensor(detail["index"], values.astype(detail["dtype"]))


def _random(rng: Any, dtype: Any, shape: Any) -> Any:
    """Floats in [-1, 1], tokens in [0, 7], other integers of the type's range."""
    import numpy as np
    if np.issubdtype(dtype, np.floating):
        return rng.uniform(-1, 1, shape)
    if dtype == np.bool_:
        return rng.integers(0, 2, shape)
    if dtype in (np.int32, np.int64):  # tokens and positions
        return rng.integers(0, 8, shape)
    info = np.iinfo(dtype)
    return rng.integers(max(info.min, -128), min(info.max, 255) + 1, shape)


def _outputs(interpreter: Any) -> List[Any]:
    return [interpreter.get_tensor(detail["index"]).astype("float64")
            for detail in interpreter.get_output_details()]


def _times(interpreter: Any, seconds: float) -> List[float]:
    """Milliseconds of inferences for so long, at least one, after one that is not counted."""
    interpreter.invoke()
    times: List[float] = []
    begin = time.perf_counter()
    while not times or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        interpreter.invoke()
        times.append((time.perf_counter() - start) * 1e3)
    return times
