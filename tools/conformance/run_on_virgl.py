#!/usr/bin/env python3
"""Runs a command on virgl, the OpenGL driver inside virtual machines.

  run_on_virgl.py --redirect=LIBRARY COMMAND [ARGUMENT...]

Starts a virgl_test_server of its own (Debian: virgl-server), with a socket in a
temporary folder, runs the command with Mesa's virpipe driver connected to it, and
ends the server. LIBRARY (tests/virgl/redirect_socket.c) brings a Mesa that knows
only /tmp/.virgl_test to that socket. Exit status: the command's; 77, which CTest
takes for a skip, where there is no virgl_test_server or it does not start.
"""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77


def start_server(program, socket_path, log):
    """The server's process, once its socket is there; None if it never is."""
    server = subprocess.Popen(
        [program, "--use-egl-surfaceless", "--multi-clients", "--socket-path=" + socket_path],
        stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    for _ in range(100):
        if os.path.exists(socket_path):
            return server
        if server.poll() is not None:
            break
        time.sleep(0.1)
    stop(server)
    return None


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--redirect", required=True, help="the built redirect_socket library")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    flags = parser.parse_args()
    program = shutil.which("virgl_test_server")
    if program is None:
        print("NO virgl_test_server (Debian: virgl-server), NOTHING TESTED ON virgl")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="gles_virgl_") as folder:
        socket_path = os.path.join(folder, "virgl.sock")
        with open(os.path.join(folder, "server.log"), "w+") as log:
            server = start_server(program, socket_path, log)
            if server is None:
                log.seek(0)
                print("virgl_test_server DOES NOT START, NOTHING TESTED ON virgl:\n" + log.read())
                return SKIPPED
            environment = dict(
                os.environ, GALLIUM_DRIVER="virpipe", LIBGL_ALWAYS_SOFTWARE="1",
                VTEST_SOCKET_NAME=socket_path, GLES_DELEGATE_DEVICE="virgl",
                LD_PRELOAD=flags.redirect)
            try:
                return subprocess.call(flags.command, env=environment)
            finally:
                stop(server)


if __name__ == "__main__":
    sys.exit(main())
