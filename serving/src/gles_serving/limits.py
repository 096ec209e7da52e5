"""Adds what kserve's REST side lacks: a bound on the size of a request, and the protocol's form of
error for every error. Works on kserve's FastAPI app, by its own hooks."""

import re
from typing import Any, Callable, Dict, Optional, Tuple

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

    def _limit(self, path: str) -> Tuple[int, str]:
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
            await JSONResponse({"error": text}, 413, {"connection": "close"})(scope, receive, send)
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


# The text of each error, its status, and more headers.
_ANSWERS: Dict[Any, Callable[[Any], Tuple[Any, ...]]] = {
    # A body that is no request of the protocol; FastAPI alone says 422.
    RequestValidationError: lambda error: (described(error), 400),
    HTTPException: lambda error: (str(error.detail), error.status_code, error.headers),
    Overloaded: lambda error: (error.details, 503, {"Retry-After": "1"}),
    Failed: lambda error: (error.details, 500),
    Forbidden: lambda error: (error.details, 403),
}


def _handler(answer: Callable[[Any], Tuple[Any, ...]]) -> Any:
    async def handle(_: Request, error: Exception) -> JSONResponse:
        text, *more = answer(error)
        return JSONResponse({"error": text}, *more)
    return handle


def install(app: FastAPI, max_bytes: int, most_bytes: MostBytes) -> None:
    """Gives the app the bounds and the errors' handlers. most_bytes: of a request to the model of
    a name."""
    app.add_middleware(BodyLimit, max_bytes=max_bytes, most_bytes=most_bytes)
    for kind, answer in _ANSWERS.items():
        app.add_exception_handler(kind, _handler(answer))
