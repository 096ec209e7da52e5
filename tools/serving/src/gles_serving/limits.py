"""What kserve's REST side lacks: a bound on the size of a request, and the protocol's form of
error for every error. Works on kserve's FastAPI app, by its own hooks."""

import json
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from .errors import Failed, Overloaded


class BodyLimit:
    """ASGI middleware: bodies of more than max_bytes are answered with 413, unread."""

    def __init__(self, app: Any, max_bytes: int):
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        text = f"the request has more than max_request_bytes={self._max_bytes}"
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if length.isdigit() and int(length) > self._max_bytes:
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
            if seen > self._max_bytes:
                raise HTTPException(413, text)
            return message

        await self._app(scope, counted, send)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    """A body that is no request of the protocol: 400, where FastAPI alone says 422."""
    assert isinstance(error, RequestValidationError)
    parts = [f"{'.'.join(str(place) for place in e['loc'])}: {e['msg']}" for e in error.errors()]
    return JSONResponse({"error": "; ".join(parts)[:1000]}, 400)


async def _http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": str(error.detail)}, error.status_code, error.headers)


async def _overloaded(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Overloaded)
    return JSONResponse({"error": error.details}, 503, {"Retry-After": "1"})


async def _failed(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Failed)
    return JSONResponse({"error": error.details}, 500)


def install(app: FastAPI, max_bytes: int) -> None:
    """Gives the app the bound and the errors' handlers."""
    app.add_middleware(BodyLimit, max_bytes=max_bytes)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Overloaded, _overloaded)
    app.add_exception_handler(Failed, _failed)
