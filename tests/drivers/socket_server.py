"""A server that a driver's clients reach by a socket (virgl_test_server)."""

import os
import signal
import subprocess
import time


class ServerError(RuntimeError):
    """The server did not come up; the text says why."""


def start(command, socket_path, **popen):
    """The server's process, once its socket is there. `popen`: of subprocess.Popen."""
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, **popen)
    for _ in range(200):
        if os.path.exists(socket_path):
            return server
        if server.poll() is not None:
            stop(server)  # its children
            raise ServerError(f"its server ended with status {server.returncode}")
        time.sleep(0.1)
    stop(server)
    raise ServerError("its server made no socket within 20 s")


def stop(server):
    """Ends the server and the children that it made for its clients."""
    try:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(timeout=10)
    except ProcessLookupError:
        pass
    except subprocess.TimeoutExpired:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
