"""fork, forkserver and spawn, and gunicorn, which forks its workers.

Each case runs in its own process, which may hang for no longer than its timeout.
"""

import http.client
import signal
import socket
import subprocess
import sys
import time

import pytest

from self_check import MODEL

REFUSAL = "forked from it: OpenGL drivers do not survive a fork. Start processes by spawn"

POOL = """
import multiprocessing
import sys
import gles_delegate

def job(path):
    try:
        interpreter = gles_delegate.interpreter(path)
        interpreter.allocate_tensors()
        interpreter.invoke()
        return "right"
    except gles_delegate.DelegateError as error:
        return str(error)

if __name__ == "__main__":
    path, start, before = sys.argv[1:]
    if before == "infers":
        assert job(path) == "right"
    elif before == "looks":
        gles_delegate.devices()
        gles_delegate.compatibility()
    with multiprocessing.get_context(start).Pool(2) as pool:
        for told in pool.map_async(job, [path] * 4).get(timeout=60):
            print(told)
"""


@pytest.fixture(name="model")
def model_path(tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(MODEL)
    return str(path)


def python(*arguments, timeout=120):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True,
                          check=False, timeout=timeout)
    assert done.returncode == 0, f"exit status {done.returncode}: {done.stderr[-2000:]}"
    return done.stdout


@pytest.mark.parametrize("start", ["fork", "forkserver", "spawn"])
@pytest.mark.parametrize("before", ["nothing", "looks", "infers"])
def test_a_pool_works_or_says_what_to_do(tmp_path, model, start, before):
    program = tmp_path / "pool.py"
    program.write_text(POOL)
    told = python(str(program), model, start, before).splitlines()
    assert len(told) == 4
    if (start, before) == ("fork", "infers"):
        assert all(REFUSAL in line for line in told), told
    else:
        assert told == ["right"] * 4


CHILD = """
import os
import sys
import gles_delegate

interpreter = gles_delegate.interpreter(sys.argv[1], thread_mode=sys.argv[2])
interpreter.allocate_tensors()
interpreter.invoke()
child = os.fork()
if child == 0:
    for call in (interpreter.invoke, lambda: gles_delegate.report(interpreter)):
        try:
            call()
            print("nothing was refused")
        except (RuntimeError, ValueError) as error:
            print(str(error).replace("\\n", " "))
    print(gles_delegate.devices()[0].error)
    print(gles_delegate.compatibility().reason)
    sys.exit(7)  # ends the interpreter, unlike os._exit()
status = os.waitpid(child, 0)[1]
interpreter.invoke()
print("the child's status:", os.waitstatus_to_exitcode(status))
"""


@pytest.mark.parametrize("mode", ["caller", "caller_own_context", "worker"])
def test_a_child_of_a_process_that_infers_is_told(model, mode):
    *told, status = python("-c", CHILD, model, mode).splitlines()
    assert len(told) == 4
    assert all(REFUSAL in line for line in told), told
    assert status == "the child's status: 7"


APP = """
import gles_delegate

interpreter = None

def load():
    global interpreter
    interpreter = gles_delegate.interpreter(MODEL)
    interpreter.allocate_tensors()
    interpreter.invoke()

def app(environ, start_response):
    try:
        interpreter.invoke()
        told = "right"
    except RuntimeError as error:
        told = str(error)
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [told.encode()]
"""


def answer_of(port, server):
    for _ in range(300):
        assert server.poll() is None, "gunicorn has ended"
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", "/")
            return connection.getresponse().read().decode()
        except ConnectionError:
            time.sleep(0.1)
    raise AssertionError("gunicorn does not listen")


@pytest.mark.parametrize("where", ["post_fork", "preload"])
def test_gunicorn_with_preload(tmp_path, model, where):
    pytest.importorskip("gunicorn", reason="gunicorn is not installed (PyPI: gunicorn)")
    (tmp_path / "service.py").write_text(
        f"MODEL = {model!r}\n" + APP + ("load()\n" if where == "preload" else ""))
    config = ("def post_fork(server, worker):\n    import service\n    service.load()\n"
              if where == "post_fork" else "")
    (tmp_path / "gunicorn.conf.py").write_text(config + "preload_app = True\nworkers = 2\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with open(tmp_path / "log", "wb") as log, subprocess.Popen(
            [sys.executable, "-m", "gunicorn", "-b", f"127.0.0.1:{port}", "service:app"],
            cwd=tmp_path, stdout=log, stderr=log) as server:
        try:
            told = answer_of(port, server)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(60)
    text = (tmp_path / "log").read_text()
    assert (told == "right") if where == "post_fork" else (REFUSAL in told), (told, text)
    for died in ("SIGSEGV", "SIGABRT", "code 139"):
        assert died not in text, text
