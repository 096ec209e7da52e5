"""The same models on Ray Serve: replicas on many machines behind KServe's server.

    python -m gles_serving.ray_app --model_repository=/shared/models --replicas=1:8 --num_gpus=0.25

Each model is a deployment, each replica of it a GlesModel with its own instances. This process
speaks the protocol (KServe's server, kserve.ray.RayModel) and hands requests to the replicas.
"""

import asyncio
import dataclasses
import logging
import os
from typing import Any, Dict, List, Optional, Sequence

import ray
from kserve import InferRequest, ModelRepository
from kserve import logging as kserve_logging
from kserve.protocol.infer_type import to_http_parameters
from kserve.ray import RayModel
from ray import serve
from ray.exceptions import RayActorError, RayTaskError
from ray.serve.exceptions import BackPressureError

import gles_delegate

from . import config, logs, memory
from .engine import Backend
from .errors import Overloaded
from .model import GlesModel
from .replicas import device_for, number_of_replicas, replica_counts
from .server import Server, own_parser

_log = logging.getLogger("gles_serving")
# A replica that dies is noticed at once, and a new one loads for seconds; others answer meanwhile.
_TRIES, _PAUSE_SECONDS = 12, 0.5


class Replica:
    """A model in a process of Ray's. Its instances use the GPU that Ray gave the replica."""

    def __init__(self, repository: str, name: str, cache_dir: Optional[str],
                 devices: Sequence[str]):
        kserve_logging.configure_logging(logs.configuration(False))
        memory.keep_freed()
        made = config.read(repository, name)
        gpu_ids = ray.get_gpu_ids()
        if made.delegate is not None and gpu_ids:
            found = [] if devices else gles_delegate.devices()
            device = device_for(gpu_ids, devices, found)
            made = dataclasses.replace(made, delegate={**made.delegate, "device": device},
                                       instances=len(made.instances))
        if cache_dir:  # on this node
            os.makedirs(cache_dir, mode=0o700, exist_ok=True)
        self._model = GlesModel(name)
        self._model.swap(Backend(made, cache_dir))

    async def __call__(self, body: InferRequest, headers: Optional[Dict[str, str]] = None) -> Any:
        """Serves one request."""
        return await self._model(body, headers=headers)

    async def get_input_types(self) -> List[Dict[str, Any]]:
        """The protocol's metadata of the inputs."""
        return self._model.get_input_types()

    async def get_output_types(self) -> List[Dict[str, Any]]:
        """The same of the outputs."""
        return self._model.get_output_types()

    async def check_health(self) -> None:
        """Ray replaces a replica for which this raises."""
        if not await self._model.healthy():
            raise RuntimeError("its last Invokes failed")


class RemoteModel(RayModel):
    """kserve's RayModel that sends a request again where the replica died with it: an inference
    changes nothing."""

    backend = None

    def __init__(self, name: str, handle: Any):
        super().__init__(name, handle)
        self.ready = True

    def load(self) -> bool:
        """There is nothing to load here."""
        return self.ready

    async def __call__(self, body: Any, headers: Optional[Dict[str, str]] = None,
                       verb: Any = None) -> Any:
        """Serves one request.

        Raises what the replica raised; Overloaded where no replica takes it.
        """
        if isinstance(body, InferRequest) and body.parameters is not None:
            body.parameters = to_http_parameters(body.parameters)  # gRPC's map does not travel
        for attempt in range(_TRIES):
            try:
                return await self._handle.remote(body, headers=headers)
            except RayTaskError as error:
                raise error.cause from None
            except RayActorError as error:
                _log.warning("a replica died with a request, which is sent again", extra={
                    "fields": {"model": self.name, "attempt": attempt,
                               "reason": str(error).splitlines()[0]}})
                await asyncio.sleep(_PAUSE_SECONDS * min(attempt, 4))
            except BackPressureError:
                break
        raise Overloaded(details=f"model {self.name}: no replica takes the request; try again")


class Front(ModelRepository):
    """The models of the deployments, in the form that Server takes."""

    def __init__(self, models: Sequence[RemoteModel]):
        super().__init__()
        for model in models:
            self.update(model)
        self._stopped = asyncio.Event()

    async def all_ready(self) -> bool:
        """Whether there is a model."""
        return bool(self.models)

    def has_folder(self, _name: str) -> bool:
        """Nothing is loaded here: a deployment is replaced by running this program again."""
        return False

    async def watch(self, _seconds: float) -> None:
        """Waits for stop()."""
        await self._stopped.wait()

    def stop(self) -> None:
        """Ends watch()."""
        self._stopped.set()


def main() -> int:
    """The program. Returns its exit status."""
    parser = own_parser("python -m gles_serving.ray_app")
    group = parser.add_argument_group("ray")
    group.add_argument("--address", default="auto", help="of the Ray cluster; local: one of its "
                       "own")
    group.add_argument("--replicas", default=[1], type=replica_counts,
                       help="N, or LEAST:MOST to scale by load")
    group.add_argument("--target_requests", type=float, default=4,
                       help="requests under way for a replica that autoscaling aims at")
    group.add_argument("--upscale_delay", type=float, default=30,
                       help="seconds of more load before a replica is added")
    group.add_argument("--downscale_delay", type=float, default=600,
                       help="seconds of less load before a replica is taken away")
    group.add_argument("--num_gpus", type=float, default=0,
                       help="of each replica; 0.25: four replicas share a GPU")
    group.add_argument("--num_cpus", type=float, default=1, help="of each replica")
    group.add_argument("--devices", default="",
                       help="the delegate's device for GPU 0, 1, ... of each machine, with commas "
                       "between; default: its hardware, in the delegate's order")
    args = parser.parse_args()
    kserve_logging.configure_logging(logs.configuration(args.log_requests))
    memory.keep_freed()
    ray.init(address=None if args.address == "local" else args.address, log_to_driver=False)
    serve.start(proxy_location="Disabled")
    models = []
    for name in config.model_names(args.model_repository):
        options: Dict[str, Any] = {
            "name": name, "health_check_period_s": 5, **number_of_replicas(args),
            "max_ongoing_requests": config.read(args.model_repository, name).max_queue,
            "ray_actor_options": {"num_gpus": args.num_gpus, "num_cpus": args.num_cpus}}
        application = serve.deployment(**options)(Replica).bind(
            args.model_repository, name, args.cache_dir,
            [device for device in args.devices.split(",") if device])
        models.append(RemoteModel(name, serve.run(application, name=name, route_prefix=None)))
    Server(Front(models), args, allow_model_control=False).start([])
    ray.shutdown()  # the deployments stay: serve shutdown
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
