"""kserve's Model around a Backend: one for each name, whatever version it has at the time."""

import asyncio
from typing import Any, Dict, List, Optional

import numpy as np
from kserve import InferOutput, InferRequest, InferResponse, Model
from kserve.errors import InvalidInput

from . import images, metrics, tensors
from .engine import Backend, Closed, Expired, InvokeFailed, QueueFull, Refused
from .errors import Failed, NotReady, Overloaded


class _Lease:
    """A backend with the number of requests that use it; closed with the last one once retired.

    Everything happens on the event loop's thread.
    """

    def __init__(self, backend: Backend):
        self.backend = backend
        self._users = 0
        self._retired = False

    def __enter__(self) -> Backend:
        self._users += 1
        return self.backend

    def __exit__(self, *_: Any) -> None:
        self._users -= 1
        self._close()

    def retire(self) -> None:
        self._retired = True
        self._close()

    def _close(self) -> None:
        if self._retired and not self._users:
            self.backend.close()


class GlesModel(Model):
    """A model by its name. Not ready until it has a backend; the reason is in `fault`."""

    def __init__(self, name: str):
        super().__init__(name)
        self.fault = "it is being loaded"
        self._lease: Optional[_Lease] = None
        metrics.READY.labels(name).set_function(lambda: 1 if self._serves() else 0)

    def _serves(self) -> bool:
        return self._lease is not None and self._lease.backend.healthy

    async def healthy(self) -> bool:
        """Whether requests are served."""
        self.ready = self._serves()
        return self.ready

    @property
    def backend(self) -> Optional[Backend]:
        """The version that is served at the moment."""
        return self._lease.backend if self._lease else None

    def swap(self, backend: Optional[Backend], fault: str = "it was unloaded") -> None:
        """Serves `backend` from now on. Requests that use the one before end with that one."""
        old, self._lease = self._lease, _Lease(backend) if backend else None
        self.fault = "" if backend else fault
        self.ready = backend is not None
        if backend:
            metrics.QUEUE.labels(self.name).set_function(lambda: len(backend.queue))
            metrics.VERSION.labels(self.name).set(backend.config.version)
        if old:
            old.retire()

    def load(self) -> bool:
        """kserve calls this where a request comes while the model is not ready."""
        raise NotReady(self.name, self._reason())

    def _reason(self) -> str:
        return self.fault or "its last Invokes failed"

    def stop(self) -> None:
        """Serves what is queued, and nothing more."""
        self.swap(None)

    def _types(self, outputs: bool) -> List[Dict[str, Any]]:
        backend = self.backend
        if backend is None:
            raise NotReady(self.name, self._reason())
        specs = backend.outputs if outputs else backend.inputs
        types = []
        for spec in specs:
            first = [-1] if backend.max_rows else list(spec.shape[:1])
            if not outputs and spec.name in backend.config.decode:
                types.append({"name": spec.name, "datatype": "BYTES", "shape": first})
            else:
                types.append({"name": spec.name, "datatype": spec.datatype,
                              "shape": first + list(spec.shape[1:])})
        return types

    def get_input_types(self) -> List[Dict[str, Any]]:
        """The protocol's metadata of the inputs; -1: the rows of a batch."""
        return self._types(outputs=False)

    def get_output_types(self) -> List[Dict[str, Any]]:
        """The protocol's metadata of the outputs."""
        return self._types(outputs=True)

    async def predict(self, payload: Any, headers: Optional[Dict[str, str]] = None,
                      response_headers: Optional[Dict[str, str]] = None) -> InferResponse:
        """Serves one request of the Open Inference Protocol.

        Raises InvalidInput, NotReady, Overloaded, Failed.
        """
        outcome = "failed"
        try:
            if not isinstance(payload, InferRequest):
                raise InvalidInput("this server speaks version 2 of the protocol: "
                                   f"POST /v2/models/{self.name}/infer")
            lease = self._lease
            if lease is None:
                raise NotReady(self.name, self._reason())
            with lease as backend:
                response = await self._serve(backend, payload)
            outcome = "ok"
            return response
        except (tensors.RequestError, InvalidInput) as error:
            outcome = "bad_request"
            raise InvalidInput(str(error)) from error
        except (QueueFull, Closed):
            outcome = "overloaded"
            raise Overloaded(details=f"model {self.name}: the queue is full; try again") from None
        except Expired:
            outcome = "expired"
            raise Overloaded(details=f"model {self.name}: the request waited longer than "
                             "queue_timeout_ms; try again") from None
        except Refused as error:
            outcome = "bad_request"
            raise InvalidInput(f"model {self.name} cannot compute these values: {error}") from error
        except InvokeFailed as error:
            raise Failed(details=f"model {self.name}: {error}") from error
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        finally:
            metrics.REQUESTS.labels(self.name, outcome).inc()

    async def _serve(self, backend: Backend, request: InferRequest) -> InferResponse:
        config = backend.config
        wanted = [output.name for output in request.request_outputs or ()]
        known = [spec.name for spec in backend.outputs]
        for name in wanted:
            if name not in known:
                raise tensors.RequestError(f"the model has no output {name!r}; it has "
                                           f"{', '.join(map(repr, known))}")
        if len(set(wanted)) < len(wanted):
            raise tensors.RequestError("an output stands twice in the request")
        rows, values = tensors.read(request.inputs, backend.inputs, backend.max_rows,
                                    list(config.decode))
        for spec in backend.inputs:
            value = values[spec.name]
            if isinstance(value, tensors.Images):
                values[spec.name] = await asyncio.to_thread(
                    images.decode, value.files, spec, config.decode[spec.name])
        results = await asyncio.wrap_future(backend.submit(rows, values))
        return self._response(request, backend, results, wanted or known)

    def _response(self, request: InferRequest, backend: Backend,
                  results: Dict[str, np.ndarray], wanted: List[str]) -> InferResponse:
        outputs = []
        for name in wanted:
            array = results[name]
            output = InferOutput(name, list(array.shape),
                                 tensors.datatype_of(array.dtype), data=array)
            if request.from_grpc:
                output.set_data_from_numpy(array, binary_data=request.use_binary_outputs)
            outputs.append(output)
        return InferResponse(
            response_id=request.id or "", model_name=self.name,
            model_version=str(backend.config.version), infer_outputs=outputs,
            from_grpc=request.from_grpc,
            use_binary_outputs=False if request.from_grpc else request.use_binary_outputs,
            requested_outputs=None if request.from_grpc else request.request_outputs)
