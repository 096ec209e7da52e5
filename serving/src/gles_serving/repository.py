"""kserve's ModelRepository over a folder: loads, reloads and unloads without losing requests."""

import asyncio
import logging
from typing import Any, Dict, FrozenSet, List, Optional

from kserve import ModelRepository

from . import config, engine, images, metrics, probe
from .model import GlesModel

_log = logging.getLogger("gles_serving")


def _note(level: int, message: str, **fields: Any) -> None:
    _log.log(level, message, extra={"fields": fields})


class Repository(ModelRepository):
    """The models of a folder. Everything but _build happens on the event loop's thread.

    probe_seconds: how long a model may take to load in a separate process first, in which a crash
    or a hang does no harm; 0: no such process.
    """

    def __init__(self, folder: str, cache_dir: Optional[str] = None, probe_seconds: float = 300.0):
        super().__init__(folder)
        self._cache_dir = cache_dir
        self._probe_seconds = probe_seconds
        self._marks: Dict[str, FrozenSet[Any]] = {}
        self._locks: Dict[str, asyncio.Lock] = {}
        self._retired: List[engine.Backend] = []
        self._stopped: Optional[asyncio.Event] = None
        self.scanned = False

    def _build(self, name: str) -> engine.Backend:
        """A model from its files; on its own thread, as it takes seconds."""
        made = config.read(self.models_dir, name)
        if self._probe_seconds:
            fault = probe.fault_of(self.models_dir, name, self._cache_dir, self._probe_seconds)
            if fault:
                raise engine.LoadError(fault)
        backend = engine.Backend(made, self._cache_dir)
        try:
            for spec in backend.inputs:
                if spec.name in made.decode:
                    images.check(spec)
        except ValueError as error:
            backend.close()
            raise engine.LoadError(str(error)) from error
        return backend

    def has_folder(self, name: str) -> bool:
        """Whether the repository has such a model, loadable or not."""
        try:
            return name in config.model_names(self.models_dir)
        except config.ConfigError:
            return False

    async def load(self, name: str) -> bool:
        """Loads the model's newest version, or what its config.json names. The one that is served
        goes on until the new one is ready, and stays where that cannot be loaded.

        Raises config.ConfigError or engine.LoadError.
        """
        async with self._locks.setdefault(name, asyncio.Lock()):
            self._marks[name] = config.mark(self.models_dir, name)
            try:
                backend = await asyncio.to_thread(self._build, name)
            except (config.ConfigError, engine.LoadError) as error:
                self._failed(name, str(error))
                raise
            self._serve(name, backend)
            return True

    def _model(self, name: str) -> GlesModel:
        if name not in self.models:
            self.update(GlesModel(name))
        return self.models[name]

    def _failed(self, name: str, reason: str) -> None:
        metrics.RELOADS.labels(name, "failed").inc()
        model = self._model(name)
        if model.backend is None:
            model.fault = reason
        _note(logging.ERROR, "the model cannot be loaded", model=name, reason=reason,
              serves=model.backend.config.version if model.backend else None)

    def _serve(self, name: str, backend: engine.Backend) -> None:
        metrics.RELOADS.labels(name, "ok").inc()
        model = self._model(name)
        self._retire(model)
        model.swap(backend)
        _note(logging.INFO, "the model is served", model=name, version=backend.config.version,
              instances=len(backend.config.instances), sizes=backend.config.sizes)

    def _retire(self, model: GlesModel) -> None:
        self._retired = [old for old in self._retired if not old.join(0)]
        if model.backend is not None:
            self._retired.append(model.backend)

    def unload(self, name: str) -> None:
        """Takes the model away; what is queued is served. Raises KeyError where there is none."""
        if name in self.models:
            self._retire(self.models[name])
        self._marks[name] = config.mark(self.models_dir, name)
        super().unload(name)

    async def _scan(self) -> None:
        """Loads what is new or changed, and unloads what has gone."""
        try:
            names = config.model_names(self.models_dir)
        except config.ConfigError as error:
            _note(logging.ERROR, "the repository cannot be read", reason=str(error))
            return
        for name in names:
            if self._marks.get(name) == config.mark(self.models_dir, name):
                continue
            self._model(name)
            try:
                await self.load(name)
            except (config.ConfigError, engine.LoadError):
                pass  # told by _failed; the others are loaded all the same
            except Exception as error:  # nor may our fault keep the others away
                _log.exception("the model cannot be loaded")
                self._failed(name, f"{type(error).__name__}: {error}")
        for name in [name for name in self.models if name not in names]:
            self.unload(name)

    async def watch(self, seconds: float) -> None:
        """Loads every model, and what changes afterwards, until stop(). seconds: between looks;
        0: looks once."""
        self._stopped = asyncio.Event()
        await self._scan()
        self.scanned = True
        while not self._stopped.is_set():
            try:
                await asyncio.wait_for(self._stopped.wait(), seconds or None)
            except asyncio.TimeoutError:
                await self._scan()

    def stop(self) -> None:
        """Ends watch(), and unloads everything."""
        if self._stopped is not None:
            self._stopped.set()
        for name in list(self.models):
            self.unload(name)

    def join(self, seconds: float) -> bool:
        """Waits for what was queued; False where the time was too short."""
        return all(backend.join(seconds) for backend in self._retired)

    async def all_ready(self) -> bool:
        """Whether the folder was looked through and at least one model is served."""
        if not self.scanned:
            return False
        return any([await model.healthy() for model in self.models.values()])
