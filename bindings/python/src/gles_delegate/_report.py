"""The delegate's report as dataclasses; what they lack is in Report.json."""

from dataclasses import dataclass, field, fields
from typing import Any, Dict, List, Type, TypeVar

_Kind = TypeVar("_Kind")


@dataclass(frozen=True)
class OnCpu:
    """Nodes that stay on the CPU for one reason.

    Attributes:
      op: TensorFlow Lite's name of their op.
      reason: why they stay there.
      tensors: the first node's inputs and outputs.
      nodes: their indices in the model's execution order.
      subgraph: the model's subgraph that they are in.
    """

    op: str = ""
    reason: str = ""
    tensors: str = ""
    nodes: List[int] = field(default_factory=list[int])
    subgraph: int = 0


@dataclass(frozen=True)
class GpuBytes:
    """Bytes requested from OpenGL; what a driver adds is unknown.

    Attributes:
      tensors: of run time.
      constants: weights.
      transfers: of inputs and outputs.
      parameters: of dispatches.
      shared_constants: the part of `constants` that another delegate with the same share_key had
        uploaded.
      total: the sum of the first four.
    """

    tensors: int = 0
    constants: int = 0
    transfers: int = 0
    parameters: int = 0
    shared_constants: int = 0
    total: int = 0


@dataclass(frozen=True)
class Partition:
    """Nodes in a row that were delegated together.

    Attributes:
      nodes: how many of the model.
      nodes_after_passes: how many are left after fusing.
      nodes_on_integer_path: how many compute in integers.
      nodes_in_float32: in 16 bits, how many nodes stay in 32 for each reason.
      dispatches: of an inference.
      barriers: of an inference.
      compile_ms: of its start.
      upload_ms: of its start.
      gpu_bytes: its memory.
      on_cpu: why it runs on the CPU after all; empty if it does not.
    """

    nodes: int = 0
    nodes_after_passes: int = 0
    nodes_on_integer_path: int = 0
    nodes_in_float32: Dict[str, int] = field(default_factory=dict[str, int])
    dispatches: int = 0
    barriers: int = 0
    compile_ms: float = 0
    upload_ms: float = 0
    gpu_bytes: GpuBytes = GpuBytes()
    on_cpu: str = ""


@dataclass(frozen=True)
class Cache:
    """The start-up cache of serialization_dir.

    Attributes:
      state: "off"; "cold": nothing was loaded; "warm": everything was; "partial".
      reason: why it is not warm.
      programs_loaded: how many.
      programs_compiled: how many.
      bytes: size of the file.
      saved: it was written.
    """

    state: str = "off"
    reason: str = ""
    programs_loaded: int = 0
    programs_compiled: int = 0
    bytes: int = 0
    saved: bool = False


@dataclass(frozen=True)
class Dispatch:
    """A dispatch's time, with the option enable_op_profiling.

    Attributes:
      label: what it computes.
      shader: its file.
      node: the model's node, or -1.
      us: median microseconds.
      count: how many were timed.
      by_gpu: the GPU's clock measured it; else the CPU's, around it.
    """

    label: str = ""
    shader: str = ""
    node: int = -1
    us: float = 0
    count: int = 0
    by_gpu: bool = False


@dataclass(frozen=True)
class Report:
    """The report on the model that a delegate was applied to last.

    Attributes:
      renderer: OpenGL's name; empty before the delegate has a context.
      driver: its version; the same.
      software: the CPU renders.
      precision: "float32" or "float16", in which tensors are stored.
      thread_mode: as the option.
      nodes_total: of the model.
      nodes_delegated: of the model.
      partitions: those that were delegated.
      cpu: the nodes that were not, with the reason.
      gpu_bytes: memory of all partitions that are on the GPU.
      cache: the start-up cache.
      stages_ms: milliseconds of each stage of the start, by name.
      profile: the dispatches' times, with the option enable_op_profiling.
      error: why the delegate could not be applied; empty if it was.
      json: the library's whole report, with everything above and details for bug reports, such as
        the driver's limits. Its keys may change between releases.
    """

    renderer: str = ""
    driver: str = ""
    software: bool = False
    precision: str = ""
    thread_mode: str = ""
    nodes_total: int = 0
    nodes_delegated: int = 0
    partitions: List[Partition] = field(default_factory=list[Partition])
    cpu: List[OnCpu] = field(default_factory=list[OnCpu])
    gpu_bytes: GpuBytes = GpuBytes()
    cache: Cache = Cache()
    stages_ms: Dict[str, float] = field(default_factory=dict[str, float])
    profile: List[Dispatch] = field(default_factory=list[Dispatch])
    error: str = ""
    json: Dict[str, Any] = field(default_factory=dict[str, Any], repr=False)


def _of(kind: Type[_Kind], values: Dict[str, Any]) -> _Kind:
    names = {f.name for f in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in values.items() if name in names})


def report_of(json: Dict[str, Any]) -> Report:
    """The library's report, parsed, as a Report.

    >>> report_of({"nodes_total": 2, "cache": {"state": "warm"}}).cache.state
    'warm'
    """
    return _of(Report, {
        **json, "json": json,
        "partitions": [_of(Partition, {**p, "gpu_bytes": _of(GpuBytes, p["gpu_bytes"])})
                       for p in json.get("partition", [])],
        "cpu": [_of(OnCpu, entry) for entry in json.get("cpu", [])],
        "gpu_bytes": _of(GpuBytes, json.get("gpu_bytes", {})),
        "cache": _of(Cache, json.get("cache", {})),
        "profile": [_of(Dispatch, entry) for entry in json.get("profile", [])]})
