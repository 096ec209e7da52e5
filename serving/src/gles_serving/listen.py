"""The addresses that kserve's servers listen on: kserve 0.21 takes all of the machine's."""

from concurrent import futures
from typing import Any

from grpc import aio
from kserve import model_server
from kserve.protocol.grpc import grpc_predict_v2_pb2_grpc as pb_grpc
from kserve.protocol.grpc.interceptors import ExceptionToStatusInterceptor, LoggingInterceptor
from kserve.protocol.grpc.server import GRPCServer
from kserve.protocol.grpc.servicer import InferenceServicer
from kserve.protocol.rest.server import RESTServer

from . import rest
from .errors import TooLarge
from .limits import MostBytes

LOOPBACK = "127.0.0.1"


def install(host: str, most_bytes: MostBytes, timings: bool) -> None:
    """Has kserve's ModelServer listen on `host` alone, and refuse requests over gRPC that have more
    bytes than most_bytes() says for the model, before it turns them into Python's objects.

    timings: whether kserve takes the times of requests, which it logs.
    """

    class Rest(RESTServer):
        """kserve's, on one address."""

        def __init__(self, *arguments: Any, **more: Any):
            super().__init__(*arguments, **more)
            self.config.host = host
            self.config.http = rest.Protocol
            self._server = rest.Server(self.config, self.dataplane)

        def _add_middlewares(self, app: Any) -> None:
            if timings or self.access_log_format:
                super()._add_middlewares(app)

    class Servicer(InferenceServicer):
        """kserve's, with a bound for each model."""

        async def ModelInfer(self, request: Any, context: Any) -> Any:
            most = most_bytes(request.model_name)
            if most is not None and request.ByteSize() > most:
                raise TooLarge(details=f"the request has more than {most} bytes, and model "
                               f"{request.model_name} takes no such request")
            return await super().ModelInfer(request, context)

    class Grpc(GRPCServer):
        """kserve's, on one address."""

        async def start(self, max_workers: int) -> None:
            self._server = aio.server(
                futures.ThreadPoolExecutor(max_workers=max_workers),
                interceptors=(LoggingInterceptor(), ExceptionToStatusInterceptor()),
                options=[("grpc." + name, self._kwargs.get("grpc_" + name)) for name in
                         ("max_send_message_length", "max_receive_message_length")])
            pb_grpc.add_GRPCInferenceServiceServicer_to_server(
                Servicer(self._data_plane, self._model_repository_extension), self._server)
            address = f"[{host}]" if ":" in host else host
            self._server.add_insecure_port(f"{address}:{self._port}")
            await self._server.start()
            await self._server.wait_for_termination()

    model_server.RESTServer = Rest
    model_server.GRPCServer = Grpc
