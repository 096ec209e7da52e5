"""Adds what kserve's REST side lacks: a bound on the size of a request, and the protocol's form of
error for every error. Works on kserve's FastAPI app, by its own hooks."""

import json
import re
from typing import Any, Callable, Optional

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from .config import described
from .errors import Failed, Forbidden, Overloaded

MostBytes = Callable[[str], Optional[int]]
_INFER = re.compile(r"^/v2/models/([^/]+)/")


class BodyLimit:
    """ASGI middleware: bodies of more than max_bytes, or than a request to the model can need,
    are answered with 413, unread."""

    def __init__(self, app: Any, max_bytes: int, most_bytes: MostBytes):
        self._app = app
        self._max_bytes = max_bytes
        self._most_bytes = most_bytes

    def _limit(self, path: str) -> "tuple[int, str]":
        """The limit and the text of the error."""
        model = _INFER.match(path)
        most = self._most_bytes(model.group(1)) if model else None
        if model and most is not None and most < self._max_bytes:
            return most, (f"the request has more than {most} bytes, and model {model.group(1)} "
                          "takes no such request")
        return self._max_bytes, f"the request has more than max_request_bytes={self._max_bytes}"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit, text = self._limit(scope["path"])
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if length.isdigit() and int(length) > limit:
            body = json.dumps({"error": text}).encode()
            await send({"type": "http.response.start", "status": 413, "headers": [
                (b"content-type", b"application/json"), (b"connection", b"close"),
                (b"content-length", str(len(body)).encode())]})
            await send({"type": "http.response.body", "body": body})
            return
        seen = 0

        async def counted() -> Any:  # a body in chunks names no length
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > limit:
                raise HTTPException(413, text)
            return message

        await self._app(scope, counted, send)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    """A body that is no request of the protocol: 400, where FastAPI alone says 422."""
    assert isinstance(error, RequestValidationError)
    return JSONResponse({"error": described(error)}, 400)


async def _http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": str(error.detail)}, error.status_code, error.headers)


_STATUS = {Overloaded: 503, Failed: 500, Forbidden: 403}


async def _own(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, (Overloaded, Failed, Forbidden))
    again = {"Retry-After": "1"} if isinstance(error, Overloaded) else None
    return JSONResponse({"error": error.details}, _STATUS[type(error)], again)


def install(app: FastAPI, max_bytes: int, most_bytes: MostBytes) -> None:
    """Gives the app the bounds and the errors' handlers. most_bytes: of a request to the model of
    a name."""
    app.add_middleware(BodyLimit, max_bytes=max_bytes, most_bytes=most_bytes)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    for kind in _STATUS:
        app.add_exception_handler(kind, _own)
