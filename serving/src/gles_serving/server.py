"""The server: kserve's, with a repository of .tflite models.

    gles-serving --model_repository=models [--cache_dir=cache] [kserve's own flags]
"""

import argparse
import asyncio
import logging
import os
import sys
from typing import Any, Dict, List, Optional

import numpy as np
import orjson
import uvloop
from kserve import InferInput, InferRequest, ModelServer
from kserve import logging as kserve_logging
from kserve import model_server
from kserve.errors import InvalidInput, ModelNotFound
from kserve.protocol.dataplane import DataPlane
from kserve.protocol.infer_type import RequestedOutput
from kserve.protocol.model_repository_extension import ModelRepositoryExtension
from kserve.protocol.rest.v2_datamodels import InferenceRequest, RequestInput
from pydantic import ValidationError

from . import __version__, limits, listen, logs, memory, short_way, tensors
from .config import ConfigError, described
from .engine import LoadError
from .errors import Forbidden, NotReady
from .repository import Repository

_log = logging.getLogger("gles_serving")
_LENGTH = "inference-header-content-length"


class _Input(RequestInput):
    data: Optional[list] = None  # else its values follow the JSON


class _Body(InferenceRequest):
    inputs: List[_Input]


def _request(body: bytes, length: int, model_name: str) -> InferRequest:
    """A request of JSON and, behind it, the values of inputs with binary_data_size.

    kserve's own InferRequest.from_bytes turns such values into Python lists, and images into
    UTF-8, which they are not.
    """
    if not 0 < length <= len(body):
        raise InvalidInput(f"{_LENGTH}: {length}, where the body has {len(body)} bytes")
    values = np.frombuffer(body, np.uint8)  # a slice of bytes would be a copy
    made = _Body.model_validate(orjson.loads(values[:length].data), strict=True)
    at = length
    inputs = []
    for item in made.inputs:
        size = (item.parameters or {}).get("binary_data_size")
        if (item.data is None) == (size is None):
            raise InvalidInput(f"input {item.name!r} needs either data or binary_data_size")
        inputs.append(InferInput(item.name, item.shape, item.datatype, data=item.data,
                                 parameters=item.parameters))
        if size is not None:
            if type(size) is not int or not 0 <= size <= len(body) - at:
                raise InvalidInput(f"input {item.name!r}: binary_data_size {size!r}, where "
                                   f"{len(body) - at} bytes are left")
            # As kserve keeps gRPC's.
            inputs[-1]._raw_data = values[at:at + size]  # pylint: disable=protected-access
            at += size
    if at != len(body):
        raise InvalidInput(f"{len(body) - at} bytes are left over behind the last input")
    outputs = [RequestedOutput(output.name, output.parameters) for output in made.outputs or ()]
    return InferRequest(model_name, inputs, request_id=made.id, parameters=made.parameters,
                        request_outputs=outputs or None)


class Plane(DataPlane):
    """kserve's DataPlane with the readiness, metadata and requests of this server."""

    draining = False

    def metadata(self) -> Dict[str, Any]:
        """Server metadata."""
        return {"name": "gles-serving", "version": __version__,
                "extensions": ["model_repository_extension", "binary_tensor_data"]}

    async def ready(self) -> bool:
        """Whether requests are welcome."""
        return not self.draining and await self._model_registry.all_ready()

    async def model_metadata(self, model_name: str) -> Dict[str, Any]:
        """Model metadata, with the version that is served."""
        metadata = await super().model_metadata(model_name)
        metadata["platform"] = "tflite_gles"
        backend = self.get_model_from_registry(model_name).backend
        if backend is not None:  # else the model is on another machine
            metadata["versions"] = [str(backend.config.version)]
        return metadata

    async def model_ready(self, model_name: str,
                          disable_predictor_health_check: bool = False) -> bool:
        """As kserve's; before an inference (the flag) with the reason where it is not."""
        is_ready = await super().model_ready(model_name, disable_predictor_health_check)
        if not is_ready and disable_predictor_health_check:
            self.get_model_from_registry(model_name).load()  # raises with the reason
        return is_ready

    def decode_inference_request(self, body: Any, headers: Dict[str, str],
                                 model_name: str) -> InferRequest:
        """As kserve's, with and without binary values; whatever a client tears is InvalidInput."""
        try:
            length = len(body)
            if _LENGTH in headers and "json" not in headers.get("content-type", ""):
                length = int(headers[_LENGTH])
            return _request(body, length, model_name)
        except ValidationError as error:
            raise InvalidInput(described(error)) from error
        except (InvalidInput, tensors.RequestError) as error:
            raise InvalidInput(str(error)[:1000]) from error
        except ValueError as error:
            raise InvalidInput("no request of the protocol: "
                               f"{type(error).__name__}: {error}"[:500]) from error


class Extension(ModelRepositoryExtension):
    """kserve's, whose gRPC side wants answers that its own load and unload do not give.

    allowed: whether clients may load and unload models.
    """

    def __init__(self, repository: Any, allowed: bool):
        super().__init__(repository)
        self._allowed = allowed

    def _check(self) -> None:
        if not self._allowed:
            raise Forbidden(details="clients may not load or unload models; the server's flag "
                            "--allow_model_control lets them")

    async def load(self, model_name: str) -> Dict[str, Any]:
        """Loads or reloads a model."""
        self._check()
        if not self._model_registry.has_folder(model_name):
            raise ModelNotFound(model_name)
        try:
            await self._model_registry.load(model_name)
        except (ConfigError, LoadError) as error:
            raise NotReady(model_name, str(error)) from error
        return {"name": model_name, "load": True}

    async def unload(self, model_name: str) -> Dict[str, Any]:
        """Unloads a model."""
        self._check()
        if self._model_registry.get_model(model_name) is None:
            raise ModelNotFound(model_name)
        await super().unload(model_name)
        return {"name": model_name, "unload": True}


class Server(ModelServer):
    """kserve's ModelServer over a Repository, or what has its has_folder, all_ready, watch and
    stop."""

    def __init__(self, repository: Any, args: argparse.Namespace, allow_model_control: bool):
        super().__init__(registered_models=repository, http_port=args.http_port,
                         grpc_port=args.grpc_port, enable_grpc=args.enable_grpc,
                         grace_period=args.grace_period)
        # GRPCServer's arguments come from kserve's own copy of the flags.
        model_server.args.grpc_max_receive_message_length = args.max_request_bytes
        listen.install(args.host, self._most_bytes, args.log_requests)
        self._repository = repository
        self.dataplane = Plane(repository)
        self.model_repository_extension = Extension(repository, allow_model_control)
        self.servers.append(repository.watch(args.poll_seconds))
        limits.install(model_server.app, args.max_request_bytes, self._most_bytes)
        short_way.install(model_server.app, self.dataplane)

    def _most_bytes(self, model_name: str) -> Optional[int]:
        """The maximum size of a request to the model in bytes; None: unknown."""
        backend = getattr(self._repository.get_model(model_name), "backend", None)
        return backend.most_bytes if backend else None

    def stop(self, sig: int) -> None:
        """Answers what has come, then ends. uvicorn has drained the REST side before it hands the
        signal on; kserve's own stop() unloads the models before gRPC is drained."""
        self.dataplane.draining = True

        async def shutdown() -> None:
            _log.info("draining", extra={"fields": {"signal": int(sig)}})
            if self._grpc_server:
                await self._grpc_server.stop(sig)
            self._repository.stop()

        asyncio.create_task(shutdown())


def own_parser(program: str) -> argparse.ArgumentParser:
    """KServe's flags and those of this server."""
    parser = argparse.ArgumentParser(prog=program, parents=[model_server.parser],
                                     formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    own = parser.add_argument_group("gles-serving")
    own.add_argument("--model_repository", required=True,
                     help="folder of NAME/VERSION/model.tflite")
    own.add_argument("--cache_dir", help="folder for the delegate's start-up cache; it is made")
    own.add_argument("--poll_seconds", type=float, default=0,
                     help="look for new and changed models so often; 0: only at the start and "
                     "where /v2/repository/models/NAME/load is called")
    own.add_argument("--host", default=listen.LOOPBACK,
                     help="the address to listen on; 0.0.0.0 or :: for all, to which everyone who "
                     "reaches them may send requests")
    own.add_argument("--allow_model_control", action="store_true",
                     help="clients may load and unload models")
    own.add_argument("--max_request_bytes", type=int, default=64 << 20,
                     help="larger requests are refused, over REST and gRPC; so are those that have "
                     "many times the bytes that the model's inputs need")
    own.add_argument("--probe_seconds", type=float, default=300,
                     help="a model is loaded in a process of its own first, for so long at most; "
                     "0: not")
    own.add_argument("--grace_period", type=int, default=30,
                     help="seconds for which requests are answered after SIGTERM")
    own.add_argument("--log_requests", action="store_true",
                     help="a line for each request; else only for those that failed")
    own.add_argument("--version", action="version", version=f"gles_serving {__version__}")
    return parser


def main(arguments: Optional[Any] = None) -> int:
    """The program. Returns its exit status."""
    args = own_parser("gles-serving").parse_args(arguments)
    if args.workers != 1:
        print("gles-serving: --workers: a GPU context cannot be handed to another process; run "
              "several servers behind nginx (docs/serving.md)", file=sys.stderr)
        return 2
    if not os.path.isdir(args.model_repository):
        print(f"gles-serving: --model_repository: no folder {args.model_repository}",
              file=sys.stderr)
        return 2
    if args.cache_dir:
        os.makedirs(args.cache_dir, mode=0o700, exist_ok=True)
    if args.configure_logging and not args.log_config_file:
        kserve_logging.configure_logging(logs.configuration(args.log_requests))
        logging.captureWarnings(True)
    memory.keep_freed()
    if args.event_loop != "asyncio":  # kserve's start() does not take uvloop by itself
        asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
        # kserve asks for a loop before there is one, where asyncio's own policy makes it.
        asyncio.set_event_loop(asyncio.new_event_loop())
    repository = Repository(args.model_repository, args.cache_dir, args.probe_seconds)
    Server(repository, args, args.allow_model_control).start([])
    if not repository.join(args.grace_period):
        _log.warning("requests were still running at the end of the grace period")
    _log.info("stopped")
    return 0
