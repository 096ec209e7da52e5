"""Errors that kserve has no class for, with their HTTP and gRPC statuses."""

from grpc import StatusCode
from grpc_interceptor.exceptions import GrpcException
from kserve.errors import ModelNotReady


class Overloaded(GrpcException):
    """The queue is full, or the request waited too long: 503 and UNAVAILABLE; a client may try
    again."""

    status_code = StatusCode.UNAVAILABLE


class Failed(GrpcException):
    """The model failed for a request that was right: 500 and INTERNAL."""

    status_code = StatusCode.INTERNAL


class Forbidden(GrpcException):
    """The server's flags do not let clients do it: 403 and PERMISSION_DENIED."""

    status_code = StatusCode.PERMISSION_DENIED


class TooLarge(GrpcException):
    """The request is larger than any that the model takes: 413 and RESOURCE_EXHAUSTED."""

    status_code = StatusCode.RESOURCE_EXHAUSTED


class NotReady(ModelNotReady):
    """kserve's, with the attribute that its gRPC side asks for: 503 and UNAVAILABLE."""

    @property
    def reason(self) -> str:
        """The text of the error."""
        return str(self)
