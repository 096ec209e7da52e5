#!/usr/bin/env python3
"""Runs a command on virgl, the OpenGL driver inside virtual machines.

  run_on_virgl.py --redirect=LIBRARY COMMAND [ARGUMENT...]

Starts its own virgl_test_server (Debian: virgl-server), with a socket in a
temporary folder, runs the command with Mesa's virpipe driver connected to it, and
ends the server. LIBRARY (tests/virgl/redirect_socket.c) brings a Mesa that knows
only /tmp/.virgl_test to that socket. Exit status: the command's; 77, which CTest
takes for a skip, if there is no virgl_test_server or it does not start.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import socket_server

SKIPPED = 77


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
            try:
                server = socket_server.start(
                    [program, "--use-egl-surfaceless", "--multi-clients",
                     "--socket-path=" + socket_path], socket_path, stdout=log, stderr=log)
            except socket_server.ServerError as error:
                log.seek(0)
                print("virgl_test_server DOES NOT START, NOTHING TESTED ON virgl: "
                      f"{error}\n{log.read()}")
                return SKIPPED
            environment = dict(
                os.environ, GALLIUM_DRIVER="virpipe", LIBGL_ALWAYS_SOFTWARE="1",
                VTEST_SOCKET_NAME=socket_path, GLES_DELEGATE_DEVICE="virgl",
                LD_PRELOAD=flags.redirect)
            try:
                return subprocess.call(flags.command, env=environment)
            finally:
                socket_server.stop(server)


if __name__ == "__main__":
    sys.exit(main())
