"""A model on the CPU and with the delegate: answers and times."""

import statistics
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, List, Optional

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

    gpu, cpu: an inference's time with the delegate and on the CPU.
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
    """Runs `model` on random inputs with the delegate and on the CPU.

        found = gles_delegate.benchmark("model.tflite", num_threads=4)
        print(f"{found.speedup:.1f} times as fast as the CPU")

    Args:
      model, runtime, num_threads, **options: as interpreter().
      seconds: how long each side is timed; 3 inferences at least.

    Raises:
      As interpreter().
    """
    chosen = find_runtime(runtime)
    sides = Sides(model, chosen, load_delegate(runtime=chosen.name, **options), num_threads)
    return sides.benchmark(seconds)


class Sides:
    """Two interpreters of one model that have run once on the same inputs."""

    def __init__(self, model: Model, runtime: Runtime, delegate: Any,
                 num_threads: Optional[int]) -> None:
        content = model_argument(model)
        self._cpu = runtime.Interpreter(num_threads=num_threads, **content)
        try:
            self._gpu = runtime.Interpreter(num_threads=num_threads,
                                            experimental_delegates=[delegate], **content)
        except RuntimeError as error:
            raise DelegateError("the delegate was not applied", str(error)) from error
        for interpreter in (self._cpu, self._gpu):
            interpreter.allocate_tensors()
            _fill(interpreter)
            interpreter.invoke()
        self._delegate = delegate

    @property
    def report(self) -> Report:
        """The delegate's."""
        return report(self._delegate)

    def answers(self) -> Answers:
        """Compares the outputs."""
        import numpy as np
        difference, magnitude = 0.0, 0.0
        for on_cpu, on_gpu in zip(_outputs(self._cpu), _outputs(self._gpu)):
            magnitude = max(magnitude, float(np.max(np.abs(on_cpu), initial=0)))
            difference = max(difference, float(np.max(np.abs(on_cpu - on_gpu), initial=0)))
        found = self.report
        tolerance = _TOLERANCE[found.precision] * max(1.0, magnitude)
        return Answers(magnitude, difference,
                       difference <= tolerance and found.nodes_delegated > 0)

    def benchmark(self, seconds: float) -> Benchmark:
        """Times both sides, each for so long."""
        answers = self.answers()
        gpu = _times(self._gpu.invoke, seconds, "with the delegate")
        return Benchmark(gpu, _times(self._cpu.invoke, seconds, "on the CPU"), answers, self.report)


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


def _times(invoke: Callable[[], None], seconds: float, what: str) -> Times:
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
    return Times(len(times), statistics.median(times), times[int(0.9 * (len(times) - 1))])
