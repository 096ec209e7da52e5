"""A shorter way for binary inferences over REST, through kserve's own app and endpoint.

FastAPI tries such a body against each form of a request that kserve declares, and kserve times each
request for a log that is off: together a third of what a small request costs. The answers are the
same; so are the errors, as the exception handlers of the app stand around this way, too.
"""

from typing import Any

from fastapi import FastAPI
from fastapi.encoders import jsonable_encoder
from kserve.protocol.rest.v2_endpoints import V2Endpoints
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match, Route
from timing_asgi import TimingMiddleware

_LENGTH = b"inference-header-content-length"


class _BinaryRoute(Route):
    """Matches requests of the protocol's binary extension alone; others are FastAPI's."""

    def matches(self, scope: Any) -> Any:
        """Starlette's; on a path that fits, a look at the headers."""
        match, child = super().matches(scope)
        if match != Match.NONE:
            headers = dict(scope["headers"])
            if _LENGTH not in headers or b"json" in headers.get(b"content-type", b""):
                return Match.NONE, {}
        return match, child


def install(app: FastAPI, dataplane: Any, timings: bool) -> None:
    """Puts the way in front of the app's routes. timings: kserve's log of times is wanted.

    To be called before the app answers its first request.
    """
    endpoints = V2Endpoints(dataplane=dataplane)

    async def infer(request: Request) -> Response:
        answer = await endpoints.infer(request, Response(media_type="application/octet-stream"),
                                       request.path_params["model_name"], await request.body())
        if isinstance(answer, Response):
            answer.headers["content-length"] = str(len(answer.body))
            return answer
        return JSONResponse(jsonable_encoder(answer))  # the client wants its outputs as JSON

    app.router.routes.insert(
        0, _BinaryRoute("/v2/models/{model_name}/infer", infer, methods=["POST"]))
    if timings:
        return
    build = app.build_middleware_stack

    def without_timings() -> Any:
        app.user_middleware = [middleware for middleware in app.user_middleware
                               if middleware.cls is not TimingMiddleware]
        return build()

    app.build_middleware_stack = without_timings  # type: ignore[method-assign]
