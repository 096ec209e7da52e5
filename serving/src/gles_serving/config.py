"""A model's folder: which version is served, and its config.json.

    REPOSITORY/NAME/config.json             optional
    REPOSITORY/NAME/VERSION/model.tflite    VERSION is a whole number
    REPOSITORY/NAME/VERSION/config.json     optional; its keys win over those above

Needs nothing but Python's own library.
"""

import json
import os
import re
import stat
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

MODEL_FILE = "model.tflite"
CONFIG_FILE = "config.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_VERSION = re.compile(r"0|[1-9][0-9]{0,17}")
_MOST_BYTES = 64 << 10  # of a config.json
_MOST_INSTANCES = 64


class ConfigError(ValueError):
    """A folder or a config.json that cannot be served; the text says what to change."""


@dataclass(frozen=True)
class Instance:
    """One interpreter set with its own delegate and thread.

    device: the delegate's option `device`; None: that of the model's options.
    """

    device: Optional[str] = None


@dataclass(frozen=True)
class Batching:
    """sizes: the batch sizes that are prepared, ascending. max_delay_ms: how long the first
    request of a batch waits for others at most."""

    sizes: Tuple[int, ...]
    max_delay_ms: float = 2.0


@dataclass(frozen=True)
class Decode:
    """How an image file becomes an input: (pixel - mean) / std, for each of 0..255.

    max_pixels: of all images of a request; one of more is refused before any is decoded.
    """

    mean: float = 0.0
    std: float = 1.0
    max_pixels: int = 64_000_000


@dataclass(frozen=True)
class ModelConfig:
    """The settings of one version of a model.

    path: the .tflite file. delegate: options of gles_delegate.load_delegate(); None: no
    delegate, the CPU alone. num_threads: of the CPU's kernels, for each instance.
    max_queue: requests that may wait. queue_timeout_ms: how long one may wait; 0: for ever.
    """

    name: str
    version: int
    path: str
    delegate: Optional[Dict[str, Any]] = field(default_factory=dict)
    instances: Tuple[Instance, ...] = (Instance(),)
    num_threads: int = 1
    batching: Optional[Batching] = None
    max_queue: int = 256
    queue_timeout_ms: float = 0.0
    decode: Dict[str, Decode] = field(default_factory=dict)

    @property
    def sizes(self) -> Tuple[int, ...]:
        """The batch sizes that are prepared; () without batching."""
        return self.batching.sizes if self.batching else ()


def _fail(where: str, text: str) -> None:
    raise ConfigError(f"{where}: {text}")


def _shown(value: Any) -> str:
    return repr(value)[:100]


def _keys(where: str, value: Any, known: Tuple[str, ...]) -> Dict[str, Any]:
    if not isinstance(value, dict):
        _fail(where, f"an object is needed, not {_shown(value)}")
    for key in value:
        if key not in known:
            _fail(where, f"unknown key {_shown(key)}; there are {', '.join(known)}")
    return value


def _number(where: str, value: Any, low: float, high: float, whole: bool) -> Any:
    kinds = (int,) if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        _fail(where, f"{kind} from {low:g} to {high:g} is needed, not {_shown(value)}")
    return value if whole else float(value)


# Key: the least, the most, whether it is a whole number.
_RANGES = {"num_threads": (1, 256, True), "max_queue": (1, 1_000_000, True),
           "queue_timeout_ms": (0, 3.6e6, False), "max_delay_ms": (0, 10_000, False),
           "mean": (-1e6, 1e6, False), "std": (1e-6, 1e6, False),
           "max_pixels": (1, 1_000_000_000, True)}


def _numbers(where: str, value: Dict[str, Any], *keys: str) -> Dict[str, Any]:
    """Those of the keys that are there."""
    return {key: _number(where + key, value[key], *_RANGES[key]) for key in keys if key in value}


def _instances(where: str, value: Any) -> Tuple[Instance, ...]:
    if isinstance(value, list):
        made: List[Instance] = []
        for index, item in enumerate(value):
            at = f"{where}[{index}]"
            item = _keys(at, item, ("device", "count"))
            device = item.get("device")
            if isinstance(device, int) and not isinstance(device, bool):
                device = str(device)
            if device is not None and not isinstance(device, str):
                _fail(at + ".device", f"a name or an index is needed, not {_shown(device)}")
            count = _number(at + ".count", item.get("count", 1), 1, _MOST_INSTANCES, True)
            made += [Instance(device)] * count
        if not 1 <= len(made) <= _MOST_INSTANCES:
            _fail(where, f"1 to {_MOST_INSTANCES} instances are needed, not {len(made)}")
        return tuple(made)
    return (Instance(),) * _number(where, value, 1, _MOST_INSTANCES, True)


def _batching(where: str, value: Any) -> Optional[Batching]:
    if value is None:
        return None
    value = _keys(where, value, ("sizes", "max_delay_ms"))
    sizes = value.get("sizes")
    if not isinstance(sizes, list) or not sizes:
        _fail(where + ".sizes", f"a list of batch sizes is needed, not {_shown(sizes)}")
    for size in sizes:
        _number(where + ".sizes", size, 1, 4096, True)
    if sorted(set(sizes)) != sizes:
        _fail(where + ".sizes", f"ascending sizes are needed, not {_shown(sizes)}")
    return Batching(tuple(sizes), **_numbers(where + ".", value, "max_delay_ms"))


def _decode(where: str, value: Any) -> Dict[str, Decode]:
    made = {}
    if not isinstance(value, dict):
        _fail(where, f"an object of inputs' names is needed, not {_shown(value)}")
    for name, step in value.items():
        at = f"{where}.{name}"
        keys = ("mean", "std", "max_pixels")
        made[name] = Decode(**_numbers(at + ".", _keys(at, step, keys), *keys))
    return made


KEYS = ("version", "delegate", "instances", "num_threads", "batching", "max_queue",
        "queue_timeout_ms", "decode")


def parse(name: str, version: int, path: str, text: Dict[str, Any], where: str) -> ModelConfig:
    """The ModelConfig of a config.json's object; `where` names it in errors.

    Raises ConfigError.
    """
    _keys(where, text, KEYS)
    delegate = text.get("delegate", {})
    if delegate is not None and not isinstance(delegate, dict):
        _fail(where + ": delegate",
              f"an object of options or null is needed, not {_shown(delegate)}")
    if delegate and "thread_mode" in delegate:
        _fail(where + ": delegate", "thread_mode is the server's to choose: always worker")
    at = where + ": "
    return ModelConfig(
        name, version, path, delegate, _instances(at + "instances", text.get("instances", 1)),
        batching=_batching(at + "batching", text.get("batching")),
        decode=_decode(at + "decode", text.get("decode", {})),
        **_numbers(at, text, "num_threads", "max_queue", "queue_timeout_ms"))


def _read(path: str) -> Dict[str, Any]:
    if not os.path.lexists(path):
        return {}
    try:
        # Opening a pipe would wait for its writer.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                _fail(path, "this is not a regular file")
            text = file.read(_MOST_BYTES + 1)
        if len(text) > _MOST_BYTES:
            _fail(path, f"the file has more than {_MOST_BYTES} bytes")
        value = json.loads(text.decode())
    except ConfigError:
        raise
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: the values are nested too deeply") from error
    return _keys(path, value, KEYS)


def versions(folder: str) -> List[int]:
    """The versions below a model's folder that have a model.tflite, ascending."""
    try:
        names = os.listdir(folder)
    except OSError as error:
        raise ConfigError(f"{folder}: {error.strerror}") from error
    return sorted(int(name) for name in names
                  if _VERSION.fullmatch(name)
                  and os.path.isfile(os.path.join(folder, name, MODEL_FILE)))


def model_names(repository: str) -> List[str]:
    """The folders of a repository, in order; those whose name begins with a dot do not count.

    Raises ConfigError where the repository cannot be read.
    """
    try:
        names = os.listdir(repository)
    except OSError as error:
        raise ConfigError(f"{repository}: {error.strerror}") from error
    return sorted(name for name in names if not name.startswith(".")
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
    version = _number(f"{folder}: version", text.get("version", found[-1]), 0, 1e18, True)
    if version not in found:
        raise ConfigError(f"{folder}: version {version} is none of "
                          f"{', '.join(map(str, found))}")
    own = _read(os.path.join(folder, str(version), CONFIG_FILE))
    if "version" in own:
        raise ConfigError(f"{folder}/{version}: version belongs into the model's config.json")
    where = os.path.join(folder, CONFIG_FILE)
    return parse(name, version, os.path.join(folder, str(version), MODEL_FILE),
                 {**text, **own}, where)


def mark(repository: str, name: str) -> Tuple[Any, ...]:
    """Changes whenever what read() gives may have: versions, and times and sizes of files."""
    folder = os.path.join(repository, name)
    files = [os.path.join(folder, CONFIG_FILE)]
    for version in versions(folder):
        files += [os.path.join(folder, str(version), f) for f in (MODEL_FILE, CONFIG_FILE)]
    marks: List[Any] = []
    for path in files:
        try:
            found = os.stat(path)
            marks.append((path, found.st_mtime_ns, found.st_size))
        except OSError:
            marks.append((path, 0, 0))
    return tuple(marks)
