"""A model that runs: interpreters with the delegate, and the threads that invoke them.

An instance is one delegate (`thread_mode: worker`) with one interpreter for each prepared batch
size, which share its compiled programs, and one thread that takes batches from the model's
queue. All instances of a model share that queue, and those on one device share a GPU context
(`share_key`), as GPUs are slow at changing between contexts.

Needs numpy, gles_delegate, ai_edge_litert and prometheus_client, and no kserve.
"""

import contextlib
import logging
import threading
import time
from bisect import bisect_left
from concurrent.futures import Future, InvalidStateError
from itertools import accumulate
from typing import Any, Dict, List, Optional

import numpy as np

import gles_delegate

from . import metrics, tensors
from .batcher import Batcher, Closed, Item, QueueFull, split
from .config import ModelConfig

_log = logging.getLogger("gles_serving")
# A lost context is replaced at the next Invoke, and after three losses fallback_to_cpu takes
# over: docs/integration.md.
_TRIES = 4
_MEND_SECONDS = (1.0, 60.0)  # first and longest wait before a broken instance is tried again
_REPORT_SECONDS = 10.0


class LoadError(RuntimeError):
    """The model cannot be served; the text says why."""


class Expired(Exception):
    """The request waited longer than queue_timeout_ms."""


class InvokeFailed(RuntimeError):
    """The model fails for any request, after every retry."""


class Refused(RuntimeError):
    """The model fails for this request's values, and for no others."""


class Interpreters:
    """One delegate and an interpreter a batch size. One thread at a time may call."""

    def __init__(self, config: ModelConfig, device: Optional[str], cache_dir: Optional[str]):
        self.delegate = None
        options = dict(config.delegate or {})
        if config.delegate is not None:
            if device is not None:
                options["device"] = device
            if cache_dir:
                options.setdefault("serialization_dir", cache_dir)
                options.setdefault("model_token", f"{config.name}/{config.version}")
            # Not of all models: one that is being loaded would keep the others waiting.
            options.setdefault("share_key", f"{config.name}/{config.version}")
            try:
                self.delegate = gles_delegate.load_delegate(
                    runtime="ai_edge_litert", thread_mode="worker", **options)
            except (TypeError, ValueError, gles_delegate.DelegateError) as error:
                raise LoadError(f"the delegate: {error}") from error
        self._config = config
        self._runtime = gles_delegate.find_runtime("ai_edge_litert")
        self._by_size: Dict[int, Any] = {}
        self.inputs: List[tensors.Spec] = []
        self.outputs: List[tensors.Spec] = []
        self.seconds: Dict[int, float] = {}  # what an Invoke of each batch size takes
        for size in config.sizes or (0,):
            self._by_size[size] = self._prepare(size)
        for size in config.sizes:
            self._check_rows(size)
        if not config.sizes:
            try:
                self.check()
            except (RuntimeError, ValueError) as error:
                raise LoadError(f"{config.path}: {error}"[:2000]) from error

    def _prepare(self, size: int) -> Any:
        """An interpreter for batches of `size`; 0: the model's own shapes."""
        try:
            made = self._runtime.Interpreter(
                self._config.path, num_threads=self._config.num_threads,
                experimental_delegates=[self.delegate] if self.delegate else None)
            inputs = tensors.specs_of(made.get_input_details())
            for spec in inputs:
                if size:
                    if not spec.shape:
                        raise LoadError(f"batching: input {spec.name!r} is a single number")
                    made.resize_tensor_input(spec.index, [size, *spec.shape[1:]])
            made.allocate_tensors()
            outputs = tensors.specs_of(made.get_output_details())
        except (RuntimeError, ValueError, OSError) as error:
            at = f"at batch size {size}: " if size else ""
            raise LoadError(f"{self._config.path}: {at}{error}"[:2000]) from error
        if not self.inputs:
            self.inputs = inputs
        self.outputs = outputs
        return made

    def _random(self, seed: int) -> Dict[str, np.ndarray]:
        """One row of made-up values for each input."""
        rng = np.random.default_rng(seed)
        made = {}
        for spec in self.inputs:
            shape = (1, *spec.shape[1:]) if self._config.sizes else spec.shape
            if np.dtype(spec.dtype).kind == "f":
                values = rng.uniform(-1, 1, shape)
            elif np.dtype(spec.dtype).itemsize == 1 and np.dtype(spec.dtype).kind in "iu":
                limits = np.iinfo(spec.dtype)
                values = rng.integers(limits.min, limits.max + 1, shape)
            else:  # an index, a length, a flag: what the model takes is not known
                values = np.zeros(shape)
            made[spec.name] = values.astype(spec.dtype)
        return made

    def _check_rows(self, size: int) -> None:
        """Raises LoadError unless what a row gives depends on that row alone: it is run first
        among others, and last among copies of others. Compiles and warms up on the way."""
        probe = self._random(0)
        others = [self._random(seed) for seed in range(1, size)]
        try:
            first = self.run(size, [probe, *others])[0]
            began = time.monotonic()
            last = self.run(size, [*others[::-1][:1] * (size - 1), probe])[size - 1]
            self.seconds[size] = time.monotonic() - began
        except (RuntimeError, ValueError, LoadError) as error:
            raise LoadError(f"{self._config.path}: at batch size {size}: {error}"[:2000]) from error
        for name, a in first.items():
            b = last[name]
            scale = max(1.0, float(np.max(np.abs(a.astype(np.float64)), initial=0)))
            worst = float(np.max(np.abs(a.astype(np.float64) - b.astype(np.float64)), initial=0))
            if not worst <= 1e-2 * scale:
                raise LoadError(f"{self._config.path}: at batch size {size}: output {name!r} of a "
                                f"row changes with the other rows, by {worst:g}; the model cannot "
                                "be batched")

    def run(self, size: int, requests: List[Dict[str, np.ndarray]]) -> List[Dict[str, np.ndarray]]:
        """The outputs of each request, for requests whose rows fit into `size`.

        Raises RuntimeError or ValueError, the runtime's, where Invoke fails.
        """
        batched = bool(self._config.sizes)
        interpreter = self._by_size[size if batched else 0]
        interpreter.reset_all_variables()  # an LSTM's state is no other request's business
        parts: List[Any] = [...]  # of each tensor, those of the requests
        if batched:
            ends = [0, *accumulate(len(next(iter(values.values()))) for values in requests)]
            parts = [slice(begin, end) for begin, end in zip(ends, ends[1:])]
        for spec in self.inputs:
            if 0 in spec.shape:
                continue
            if not spec.shape:  # tensor() copies a single number
                interpreter.set_tensor(spec.index, requests[0][spec.name])
                continue
            # set_tensor() would first copy what is read-only or not aligned, as a request's bytes are.
            view = interpreter.tensor(spec.index)()
            for values, part in zip(requests, parts):
                view[part] = values[spec.name]
            if batched:  # padding repeats a row of this batch, not one of an earlier batch
                view[ends[-1]:] = view[ends[-1] - 1]
            del view  # Invoke refuses to run while it lives
        interpreter.invoke()
        results: List[Dict[str, np.ndarray]] = [{} for _ in requests]
        for spec in self.outputs:
            whole = np.asarray(interpreter.get_tensor(spec.index))
            if batched and (not whole.shape or whole.shape[0] != size):
                raise LoadError(f"output {spec.name!r} has shape {list(whole.shape)}, which does "
                                "not begin with the batch; the model cannot be batched")
            for result, part in zip(results, parts):
                result[spec.name] = whole[part]
        return results

    def check(self) -> None:
        """Runs made-up values, those that run when the model is loaded. Raises what run() does."""
        self.run(min(self._by_size), [self._random(0)])

    def report(self) -> Optional[Dict[str, Any]]:
        """The delegate's report; None without one."""
        return gles_delegate.report(self.delegate).json if self.delegate else None


def _answer(item: Item, results: Any, error: Optional[Exception] = None) -> None:
    future = item.payload[1]
    with contextlib.suppress(InvalidStateError):  # the client has gone
        if error is None:
            future.set_result(results)
        else:
            future.set_exception(error)


class Backend:
    """One version of a model, loaded: its queue and its instances. Any thread may call.

    Raises LoadError where it cannot be.
    """

    def __init__(self, config: ModelConfig, cache_dir: Optional[str] = None):
        self.config = config
        self._cache_dir = cache_dir
        made = [Interpreters(config, device, cache_dir) for device in config.instances]
        self.inputs = made[0].inputs
        self.outputs = made[0].outputs
        # Rows that one request may have; 0: the model's own shape.
        self.max_rows = config.sizes[-1] if config.sizes else 0
        # The maximum size of a request in bytes; None: files have any size.
        self.most_bytes = tensors.most_bytes(self.inputs, self.max_rows, list(config.decode))
        delay = config.batching.max_delay_ms / 1e3 if config.batching else 0.0
        self.queue = Batcher(self.max_rows or 1, delay, config.max_queue,
                             config.queue_timeout_ms / 1e3, self._expired)
        self._broken = [False] * len(made)
        self._closing = threading.Event()
        self._seconds = made[0].seconds
        # Found once: a label's look-up is a good part of what a small request costs.
        self._queue_seconds = metrics.QUEUE_SECONDS.labels(config.name)
        self._batch_rows = metrics.BATCH_ROWS.labels(config.name)
        self._invoke_seconds = {size: metrics.INVOKE_SECONDS.labels(config.name, str(size))
                                for size in config.sizes or (1,)}
        for name in config.decode:
            if name not in {spec.name for spec in self.inputs}:
                raise LoadError(f"decode: the model has no input {name!r}")
        self._threads = [
            threading.Thread(target=self._serve, args=(index, interpreters), daemon=True,
                             name=f"{config.name}/{config.version}#{index}")
            for index, interpreters in enumerate(made)]
        for index, interpreters in enumerate(made):
            self._show_report(index, interpreters)
        for thread in self._threads:
            thread.start()

    @property
    def healthy(self) -> bool:
        """Whether at least one instance answers."""
        return not all(self._broken)

    def submit(self, rows: int, values: Dict[str, np.ndarray]) -> "Future[Dict[str, np.ndarray]]":
        """Queues a request; its outputs come unless it is cancelled.

        Raises QueueFull, Closed.
        """
        future: "Future[Dict[str, np.ndarray]]" = Future()
        self.queue.put(rows if self.max_rows else 1, (values, future), future.cancelled)
        return future

    def close(self) -> None:
        """Takes nothing more; what waits is served. Returns at once."""
        self.queue.close()
        self._closing.set()

    def join(self, seconds: float) -> bool:
        """Waits for the instances to end after close(); False where the time was too short."""
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _expired(self, item: Item) -> None:
        _answer(item, None, Expired())

    def _show_report(self, index: int, interpreters: Interpreters) -> None:
        report = interpreters.report()
        if report is not None:
            metrics.show_report(self.config.name, index, report)

    def _serve(self, index: int, interpreters: Interpreters) -> None:
        shown = time.monotonic()
        while True:
            batch = self.queue.take()
            if batch is None:
                return
            groups = [(0, 1)] if not self.max_rows else split(
                [item.rows for item in batch], self._seconds)
            for begin, end in groups:
                interpreters = self._run_batch(index, interpreters, batch[begin:end])
            del batch  # its arrays go now, not when the next batch comes
            interpreters = self._mend(index, interpreters)
            if time.monotonic() - shown > _REPORT_SECONDS:
                shown = time.monotonic()
                self._show_report(index, interpreters)

    def _run_batch(self, index: int, interpreters: Interpreters,
                   batch: List[Item]) -> Interpreters:
        """Answers each request of the batch; returns the interpreters to go on with."""
        now = time.monotonic()
        for item in batch:
            self._queue_seconds.observe(now - item.since)
        rows = sum(item.rows for item in batch)
        self._batch_rows.observe(rows)
        error = self._run(interpreters, batch)
        self._invoke_seconds[self._size(rows)].observe(time.monotonic() - now)
        if error is not None:
            interpreters = self._run_alone(index, interpreters, batch, error)
        return interpreters

    def _size(self, rows: int) -> int:
        """The smallest prepared size that holds `rows`."""
        return self.config.sizes[bisect_left(self.config.sizes, rows)] if self.max_rows else 1

    def _run(self, interpreters: Interpreters, batch: List[Item]) -> Optional[Exception]:
        """Answers each request of the batch, or none of them and returns why."""
        try:
            results = interpreters.run(self._size(sum(item.rows for item in batch)),
                                       [item.payload[0] for item in batch])
        except Exception as error:  # the thread must live, whatever it is
            return error
        for result, item in zip(results, batch):
            _answer(item, result)
        return None

    def _run_alone(self, index: int, interpreters: Interpreters, batch: List[Item],
                   error: Exception) -> Interpreters:
        """Answers each request of a batch that failed, by itself: the values of one are no reason
        to fail the others. A request is at fault if made-up values run before and after it."""
        interpreters = self._revive(index, interpreters, error)
        for item in batch:
            if self._broken[index]:
                _answer(item, None, InvokeFailed(str(error)[:500]))
                continue
            again = self._run(interpreters, [item])
            if again is None:
                continue
            interpreters = self._revive(index, interpreters, again)
            failed = InvokeFailed if self._broken[index] else Refused
            _answer(item, None, failed(str(again)[:500]))
        return interpreters

    def _revive(self, index: int, interpreters: Interpreters, error: Exception) -> Interpreters:
        """Runs made-up values until that works, at last with everything built again; says in
        _broken whether it did. error: what failed before."""
        for attempt in range(_TRIES + 1):
            metrics.INVOKE_FAILURES.labels(self.config.name).inc()
            _log.error("an Invoke failed", extra={"fields": {
                "model": self.config.name, "instance": index, "attempt": attempt,
                "reason": str(error)[:1000]}})
            try:
                if attempt == _TRIES:
                    interpreters = Interpreters(self.config, self.config.instances[index],
                                                self._cache_dir)
                interpreters.check()
                self._broken[index] = False
                return interpreters
            except Exception as caught:  # the thread must live, whatever it is
                error = caught
        self._broken[index] = True
        return interpreters

    def _mend(self, index: int, interpreters: Interpreters) -> Interpreters:
        """Waits while the instance is broken, until it works again or the model is closed. Requests
        in the queue are answered meanwhile, if no other instance can take them."""
        error = InvokeFailed("its last Invokes failed")
        wait, longest = _MEND_SECONDS
        while self._broken[index] and not self._closing.wait(wait):
            wait = min(2 * wait, longest)
            interpreters = self._revive(index, interpreters, error)
            if not self.healthy:
                for item in self.queue.take_all():
                    _answer(item, None, error)
        return interpreters


__all__ = ["Backend", "Closed", "Expired", "InvokeFailed", "LoadError", "QueueFull", "Refused"]
