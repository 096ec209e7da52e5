"""One driver of drivers.json: how a program is started on it."""
import contextlib
import os
import signal
import subprocess
import tempfile
import time

import socket_server
from roots import NotAvailable

TRIPLETS = {"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}
LOADERS = {"amd64": "ld-linux-x86-64.so.2", "arm64": "ld-linux-aarch64.so.1"}
# A program that is out of time may end by itself for so long.
SECONDS_TO_END = 60
# Where Mesa keeps compiled shaders; a lab must compile them.
BASE_ENVIRONMENT = {"MESA_SHADER_CACHE_DISABLE": "true", "GLES_DELEGATE_DEBUG": ""}


class Result:
    """The result of a program: status (None: out of time), and its output."""

    def __init__(self, status, output, seconds):
        self.status, self.output, self.seconds = status, output, seconds

    @property
    def ok(self):
        return self.status == 0

    def why(self):
        """In a few words, why it is not ok."""
        if self.status is None:
            return f"did not end within {self.seconds:.0f} s"
        if self.status < 0:
            return f"ended by {signal.Signals(-self.status).name}"
        lines = [l for l in self.output.splitlines() if l.strip()]
        told = [l for l in lines if "rror" in l or "FAILED" in l or "refus" in l]
        return f"status {self.status}: {(told or lines or ['no output'])[0][:300]}"


class Driver:
    """`places`: what {NAME} stands for in the description. `builds`: the build folder for
    each architecture, by Debian's name of it."""

    def __init__(self, description, roots, places, builds):
        self.description = description
        self.name = description["name"]
        self.roots = roots
        self.build = builds["amd64" if self.loader is None else roots[self.loader]["arch"]]
        self.places = dict(places, build=str(self.build))

    def fill(self, text):
        for name, place in self.places.items():
            text = text.replace("{" + name + "}", str(place))
        return text

    @property
    def loader(self):
        return self.description.get("loader")

    def library_path(self):
        root = self.places[self.loader]
        paths = [f"{self.build}/lib", f"{root}/usr/lib/{TRIPLETS[self.roots[self.loader]['arch']]}"]
        if "library_path" in self.description:
            paths.insert(1, self.fill(self.description["library_path"]))
        return ":".join(paths)

    def command(self, program, preload=True):
        """`program`, a list, as it is started with this driver's own libraries."""
        if self.loader is None:
            return program
        root = self.places[self.loader]
        arch = self.roots[self.loader]["arch"]
        shim = self.fill(self.description.get("preload", "")) if preload else ""
        if arch == "arm64":
            shims = ["-E", f"LD_PRELOAD={shim}"] if shim else []
            return [f"{self.places['qemu']}/usr/bin/qemu-aarch64", "-L", str(root),
                    *shims, "-E", f"LD_LIBRARY_PATH={self.library_path()}", *program]
        shims = ["--preload", shim] if shim else []
        return [f"{root}/usr/lib64/{LOADERS[arch]}", *shims, "--library-path",
                self.library_path(), *program]

    def environment(self, extra=None):
        environment = dict(os.environ, **BASE_ENVIRONMENT)
        for name in ("GALLIUM_DRIVER", "GLES_DELEGATE_TUNING", "GLES_DELEGATE_OPTIONS"):
            environment.pop(name, None)
        if self.loader is not None:
            root = self.places[self.loader]
            triplet = TRIPLETS[self.roots[self.loader]["arch"]]
            environment["__EGL_VENDOR_LIBRARY_DIRS"] = f"{root}/usr/share/glvnd/egl_vendor.d"
            environment["GBM_BACKENDS_PATH"] = f"{root}/usr/lib/{triplet}/gbm"
            environment["LIBGL_DRIVERS_PATH"] = f"{root}/usr/lib/{triplet}/dri"
        environment["GLES_DELEGATE_DEVICE"] = self.description["device"]
        for name, value in self.description.get("environment", {}).items():
            environment[name] = self.fill(value)
        if self.loader is None:  # a copy of a build folder may have been moved
            own = environment.get("LD_LIBRARY_PATH", "")
            environment["LD_LIBRARY_PATH"] = f"{self.build}/lib" + (f":{own}" if own else "")
        environment.update(extra or {})
        return environment

    def run(self, program, timeout, extra=None):
        """Runs build/bin's PROGRAM [ARGUMENT...]; stdout and stderr together."""
        path = self.build / "bin" / program[0]
        if not path.exists():
            by = ("./dev cross arm64" if self.loader and self.roots[self.loader]["arch"] == "arm64"
                  else "./dev build")
            raise NotAvailable(f"{path} is not built; {by} builds it")
        command = self.command([str(path), *program[1:]])
        start = time.monotonic()
        process = subprocess.Popen(
            command, env=self.environment(extra), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            start_new_session=True)
        try:
            output, _ = process.communicate(timeout=timeout)
            status = process.returncode
        except subprocess.TimeoutExpired:
            output = self.end(process)
            status = None
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return Result(status, output, time.monotonic() - start)

    @staticmethod
    def end(process):
        """Ends a program that is out of time as Ctrl-C does, so that it can write what it
        has; then by force. Returns its output."""
        os.killpg(process.pid, signal.SIGINT)
        try:
            return process.communicate(timeout=SECONDS_TO_END)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return process.communicate()[0]

    @contextlib.contextmanager
    def serving(self):
        """While open, the server runs that the driver needs, if it needs one."""
        if "server" not in self.description:
            yield
            return
        with tempfile.TemporaryDirectory(prefix="gles_drivers_") as folder:
            socket_path = os.path.join(folder, "server.sock")
            self.places["socket"] = socket_path
            command = self.command([self.fill(part) for part in self.description["server"]],
                                   preload=False)
            environment = self.environment()
            environment.pop("GALLIUM_DRIVER", None)
            try:
                server = socket_server.start(command, socket_path, env=environment,
                                             stdout=subprocess.DEVNULL,
                                             stderr=subprocess.DEVNULL)
            except socket_server.ServerError as error:
                raise NotAvailable(str(error)) from error
            try:
                yield
            finally:
                socket_server.stop(server)
