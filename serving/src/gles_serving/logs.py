"""Logs: one line of JSON each, on the standard error. Needs nothing but Python's own library."""

import datetime
import json
import logging
from typing import Any, Dict

# A client's mistake is logged as one line, without the traceback that kserve
# logs at level ERROR, so that bad requests cannot fill a disk.
_CLIENTS = {"InvalidInput", "ModelNotFound", "NotImplementedError"}
_MOST_LETTERS = 2000  # of what a client has sent
_STATES = {"ModelNotReady", "NotReady", "ServerNotReady", "Overloaded"}


class JsonFormatter(logging.Formatter):
    """A record as {"time", "level", "logger", "message", ...}; "traceback" where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        line: Dict[str, Any] = {
            "time": datetime.datetime.fromtimestamp(
                record.created, datetime.timezone.utc).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
        }
        if record.name == "uvicorn.access" and isinstance(record.args, tuple) \
                and len(record.args) == 5:
            client, method, path, _, status = record.args
            line.update(client=client, method=method, path=str(path)[:_MOST_LETTERS],
                        status=status)
        else:
            line["message"] = record.getMessage()
        line.update(getattr(record, "fields", {}))
        if record.exc_info and record.exc_info[0]:
            kind, error = record.exc_info[0].__name__, record.exc_info[1]
            line["error"] = f"{kind}: {error}"[:_MOST_LETTERS]
            if kind in _CLIENTS | _STATES:
                line["level"] = "INFO" if kind in _CLIENTS else "WARNING"
            else:
                line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


class Failures(logging.Filter):
    """Lets requests pass that were answered with an error, and nothing else."""

    def filter(self, record: logging.LogRecord) -> bool:
        args = record.args
        return not isinstance(args, tuple) or len(args) != 5 or int(str(args[4])) >= 400


class NoCalls(logging.Filter):
    """Keeps back the line that kserve writes for each gRPC call before it is served."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not str(record.msg).startswith("grpc method: ")


def configuration(log_requests: bool) -> Dict[str, Any]:
    """Settings for logging.config.dictConfig. log_requests: also requests that went well."""
    access = {"handlers": ["access"], "level": "INFO", "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": JsonFormatter}},
        "filters": {"failures": {"()": Failures}, "no_calls": {"()": NoCalls}},
        "handlers": {
            "json": {"class": "logging.StreamHandler", "formatter": "json"},
            "access": {"class": "logging.StreamHandler", "formatter": "json",
                       "filters": [] if log_requests else ["failures"]},
        },
        "loggers": {
            "kserve": {"handlers": ["json"], "level": "INFO", "propagate": False,
                       "filters": [] if log_requests else ["no_calls"]},
            # Two or three lines for each request.
            "kserve.trace": {"level": "INFO" if log_requests else "WARNING"},
            "uvicorn": {"handlers": ["json"], "level": "INFO", "propagate": False},
            "uvicorn.access": access,
            "gles_serving": {"handlers": ["json"], "level": "INFO", "propagate": False},
        },
        "root": {"handlers": ["json"], "level": "WARNING"},
    }
