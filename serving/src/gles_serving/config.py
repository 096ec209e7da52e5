"""A model's folder: which version is served, and its config.json.

    REPOSITORY/NAME/config.json             optional
    REPOSITORY/NAME/VERSION/model.tflite    VERSION is a whole number
    REPOSITORY/NAME/VERSION/config.json     optional; its keys win over those above

Needs pydantic.
"""

import contextlib
import os
import pathlib
import re
import stat
from typing import Annotated, Any, Dict, FrozenSet, List, Optional, Set, Tuple, Union

from pydantic import (AfterValidator, BeforeValidator, ConfigDict, Field, ValidationError,
                      field_validator)
from pydantic.dataclasses import dataclass
from pydantic_core import from_json

MODEL_FILE = "model.tflite"
CONFIG_FILE = "config.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_VERSION = re.compile(r"0|[1-9][0-9]{0,17}")
_MOST_BYTES = 64 << 10  # of a config.json
_MOST_INSTANCES = 64


class ConfigError(ValueError):
    """A folder or a config.json that cannot be served; the text says what to change."""


def described(error: Any) -> str:
    """The text for pydantic's errors."""
    return "; ".join(f"{'.'.join(str(place) for place in each['loc'])}: {each['msg']}"
                     for each in error.errors())[:1000]


def _whole(low: int, high: int) -> Any:
    return Annotated[int, Field(strict=True, ge=low, le=high)]


def _number(low: float, high: float) -> Any:
    return Annotated[float, Field(strict=True, ge=low, le=high, allow_inf_nan=False)]


_STRICT = ConfigDict(extra="forbid")


@dataclass(frozen=True, config=_STRICT)
class Instances:
    """count: interpreter sets, each with its own delegate and thread.

    device: the delegate's option `device`, a name or an index; None: that of the model's options.
    """

    device: Annotated[Optional[str], BeforeValidator(
        lambda value: str(value) if type(value) is int else value)] = None
    count: _whole(1, _MOST_INSTANCES) = 1


def _devices(instances: Any) -> Tuple[Optional[str], ...]:
    """The device of each instance."""
    found = (None,) * instances if isinstance(instances, int) else tuple(
        group.device for group in instances for _ in range(group.count))
    if not 1 <= len(found) <= _MOST_INSTANCES:
        raise ValueError(f"1 to {_MOST_INSTANCES} instances are needed")
    return found


@dataclass(frozen=True, config=_STRICT)
class Batching:
    """sizes: the batch sizes that are prepared, ascending. max_delay_ms: how long the first
    request of a batch waits for others at most."""

    sizes: Annotated[Tuple[_whole(1, 4096), ...], Field(min_length=1)]
    max_delay_ms: _number(0, 10_000) = 2.0

    @field_validator("sizes")
    @classmethod
    def _ascending(cls, sizes: Tuple[int, ...]) -> Tuple[int, ...]:
        if sorted(set(sizes)) != list(sizes):
            raise ValueError("ascending sizes are needed")
        return sizes


@dataclass(frozen=True, config=_STRICT)
class Decode:
    """How an image file becomes an input: (pixel - mean) / std, for each of 0..255.

    max_pixels: of all images of a request; one of more is refused before any is decoded.
    """

    mean: _number(-1e6, 1e6) = 0.0
    std: _number(1e-6, 1e6) = 1.0
    max_pixels: _whole(1, 1_000_000_000) = 64_000_000


@dataclass(frozen=True, config=_STRICT)
class ModelConfig:
    """The settings of one version of a model.

    path: the .tflite file. delegate: options of gles_delegate.load_delegate(); None: no
    delegate, the CPU alone. instances: the device of each. num_threads: of the CPU's kernels, for each instance.
    max_queue: requests that may wait. queue_timeout_ms: how long one may wait; 0: for ever.
    """

    name: str
    version: int
    path: str
    delegate: Optional[Dict[str, Any]] = Field(default_factory=dict)
    instances: Annotated[Union[_whole(1, _MOST_INSTANCES), Tuple[Instances, ...]],
                         AfterValidator(_devices)] = (None,)
    num_threads: _whole(1, 256) = 1
    batching: Optional[Batching] = None
    max_queue: _whole(1, 1_000_000) = 256
    queue_timeout_ms: _number(0, 3.6e6) = 0.0
    decode: Dict[str, Decode] = Field(default_factory=dict)

    @field_validator("delegate")
    @classmethod
    def _without_thread_mode(cls, delegate: Optional[Dict[str, Any]]) -> Optional[Dict[str, Any]]:
        if "thread_mode" in (delegate or {}):
            raise ValueError("thread_mode is the server's to choose: always worker")
        return delegate

    @property
    def sizes(self) -> Tuple[int, ...]:
        """The batch sizes that are prepared; () without batching."""
        return self.batching.sizes if self.batching else ()


def _read(path: str) -> Dict[str, Any]:
    if not os.path.lexists(path):
        return {}
    try:
        # Opening a pipe would wait for its writer.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ValueError("this is not a regular file")
            text = file.read(_MOST_BYTES + 1)
        if len(text) > _MOST_BYTES:
            raise ValueError(f"the file has more than {_MOST_BYTES} bytes")
        value = from_json(text)
        if not isinstance(value, dict):
            raise ValueError("an object is needed")
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from error
    return value


def _names(folder: str) -> List[str]:
    try:
        return os.listdir(folder)
    except OSError as error:
        raise ConfigError(f"{folder}: {error.strerror}") from error


def versions(folder: str) -> List[int]:
    """The versions below a model's folder that have a model.tflite, ascending."""
    return sorted(int(name) for name in _names(folder)
                  if _VERSION.fullmatch(name)
                  and os.path.isfile(os.path.join(folder, name, MODEL_FILE)))


def model_names(repository: str) -> List[str]:
    """The folders of a repository, in order; those whose name begins with a dot do not count.

    Raises ConfigError where the repository cannot be read.
    """
    return sorted(name for name in _names(repository) if not name.startswith(".")
                  and os.path.isdir(os.path.join(repository, name)))


def read(repository: str, name: str) -> ModelConfig:
    """The settings of model `name`: the newest version, or the one that config.json names.

    Raises ConfigError.
    """
    if not _NAME.fullmatch(name):
        raise ConfigError(f"model name {name!r}: letters, digits, '_', '-' and '.' are allowed")
    folder = os.path.join(repository, name)
    text = _read(os.path.join(folder, CONFIG_FILE))
    found = versions(folder)
    if not found:
        raise ConfigError(f"{folder}: no VERSION/{MODEL_FILE}, where VERSION is a whole number")
    version = text.pop("version", found[-1])
    if type(version) is not int or version not in found:
        raise ConfigError(f"{folder}: version {version!r:.100} is none of "
                          f"{', '.join(map(str, found))}")
    own = _read(os.path.join(folder, str(version), CONFIG_FILE))
    if "version" in own:
        raise ConfigError(f"{folder}/{version}: version belongs into the model's config.json")
    try:
        return ModelConfig(name, version, os.path.join(folder, str(version), MODEL_FILE),
                           **{**text, **own})
    except ValidationError as error:
        raise ConfigError(f"{os.path.join(folder, CONFIG_FILE)}: {described(error)}") from error


def mark(repository: str, name: str) -> FrozenSet[Any]:
    """Changes whenever what read() gives may have: versions, and times and sizes of files."""
    folder = pathlib.Path(repository, name)
    marks: Set[Any] = set()
    for path in (folder / CONFIG_FILE, *folder.glob("*/" + MODEL_FILE),
                 *folder.glob("*/" + CONFIG_FILE)):
        with contextlib.suppress(OSError):
            found = path.stat()
            marks.add((path, found.st_mtime_ns, found.st_size))
    return frozenset(marks)
