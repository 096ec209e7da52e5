"""Loading, reloading, unloading, overload and the end of a server, with requests under way."""

import concurrent.futures
import http.client
import json
import shutil
import signal
import socket
import threading

import pytest

import serving_process as sp


@pytest.fixture
def repository(tmp_path):
    return tmp_path / "repository"


@pytest.fixture
def start(repository):
    """Starts a server over the repository; ends it, and wants exit status 0."""
    started = []

    def make(*flags, **more):
        # The server that the other tests share tries a separate process for each load.
        started.append(sp.Server(repository, "--probe_seconds=0", *flags, **more))
        return started[-1]
    yield make
    for server in started:
        assert server.stop() == 0, server.log()


class Load:
    """Threads that send requests to a model until stop(); what was answered with anything but
    the right values is kept."""

    def __init__(self, server, model, threads=4):
        self.server, self.model = server, model
        self.failures, self.answered = [], 0
        self._stop = threading.Event()
        self._array = sp.values(1)
        self._expected = sp.on_cpu(self._array)
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def _run(self):
        while not self._stop.is_set():
            try:
                sp.assert_close(self.server.infer(self.model, self._array), self._expected)
                self.answered += 1
            except Exception as error:  # pylint: disable=broad-except
                self.failures.append(repr(error))

    def stop(self):
        self._stop.set()
        for thread in self._threads:
            thread.join()
        assert self.answered > 0
        assert not self.failures, self.failures[:3]


def version_of(server, model):
    return json.loads(server.get(f"/v2/models/{model}")[1])["versions"]


def test_a_reload_loses_no_request(repository, start):
    sp.write_model(repository, "m", config={"instances": 2})
    server = start()
    load = Load(server, "m")
    sp.write_model(repository, "m", version=2)
    assert server.post("/v2/repository/models/m/load", {})[0] == 200
    assert version_of(server, "m") == ["2"]
    for _ in range(3):
        assert server.post("/v2/repository/models/m/load", {})[0] == 200
    load.stop()


def test_a_version_that_cannot_be_loaded_changes_nothing(repository, start):
    sp.write_model(repository, "m")
    server = start()
    load = Load(server, "m", 2)
    sp.write_model(repository, "m", sp.SMALL[:500], version=2)
    status, body, _ = server.post("/v2/repository/models/m/load", {})
    assert status == 503 and "2/model.tflite" in json.loads(body)["error"]
    (repository / "m" / "config.json").write_text('{"instances": "many"}')
    status, body, _ = server.post("/v2/repository/models/m/load", {})
    assert status == 503 and "a valid integer" in json.loads(body)["error"]
    assert version_of(server, "m") == ["1"]
    load.stop()


def test_the_repository_is_watched(repository, start):
    sp.write_model(repository, "m")
    server = start("--poll_seconds=0.2")
    sp.write_model(repository, "late")
    server.wait_until(lambda: server.get("/v2/models/late/ready")[0] == 200)
    sp.write_model(repository, "m", version=2)
    server.wait_until(lambda: version_of(server, "m") == ["2"])
    shutil.rmtree(repository / "late")
    server.wait_until(lambda: server.get("/v2/models/late/ready")[0] == 404)
    sp.assert_close(server.infer("m", sp.values()), sp.on_cpu(sp.values()))


def test_unload_and_load(repository, start):
    sp.write_model(repository, "m")
    sp.write_model(repository, "other")
    server = start()
    assert server.post("/v2/repository/models/m/unload", {})[0] == 200
    assert server.get("/v2/models/m/ready")[0] == 404
    sp.assert_close(server.infer("other", sp.values()), sp.on_cpu(sp.values()))
    assert server.post("/v2/repository/models/m/load", {})[0] == 200
    sp.assert_close(server.infer("m", sp.values()), sp.on_cpu(sp.values()))


def slow(seconds, **more):
    """A model whose requests wait for three others, or so long."""
    return {"batching": {"sizes": [4], "max_delay_ms": seconds * 1000}, **more}


def ask(server, count, model="m"):
    """Futures of (status, body, headers) of this many requests at once."""
    pool = concurrent.futures.ThreadPoolExecutor(count)
    body = sp.json_request(sp.values())
    made = [pool.submit(server.post, f"/v2/models/{model}/infer", body) for _ in range(count)]
    pool.shutdown(wait=False)
    return made


def waiting(server, count, model="m"):
    server.wait_until(lambda: server.metric("gles_serving_queue_requests", model=model) == count)


def test_a_full_queue(repository, start):
    sp.write_model(repository, "m", config=slow(9, max_queue=2))
    server = start()
    first = ask(server, 2)
    waiting(server, 2)
    status, body, headers = server.post("/v2/models/m/infer", sp.json_request(sp.values()))
    assert status == 503 and "the queue is full" in json.loads(body)["error"]
    assert headers["Retry-After"] == "1"
    server.terminate()  # what waits is answered at once
    assert [future.result()[0] for future in first] == [200, 200]
    assert server.stop() == 0


def test_a_request_that_waits_too_long(repository, start):
    sp.write_model(repository, "m", config=slow(0.5, queue_timeout_ms=50))
    server = start()
    status, body, _ = ask(server, 1)[0].result()
    assert status == 503 and "queue_timeout_ms" in json.loads(body)["error"]
    assert server.metric("gles_serving_requests_total", model="m", outcome="expired") == 1


def test_the_end_answers_what_has_come(repository, start):
    sp.write_model(repository, "m", config=slow(2))
    server = start()
    futures = ask(server, 3)
    waiting(server, 3)
    server.terminate()
    answers = [future.result() for future in futures]
    assert [status for status, _, _ in answers] == [200] * 3, answers
    assert server.stop() == 0
    assert '"stopped"' in server.log() and "Traceback" not in server.log()


def test_the_end_answers_what_no_one_has_read(repository, start):
    """Whole requests and half a head, on connections that were open and on new ones, two requests
    on one connection: all in the system's buffers when the signal comes."""
    sp.write_model(repository, "m", config={"delegate": None})
    server = start()
    body = json.dumps(sp.json_request(sp.values())).encode()
    text = (f"POST /v2/models/m/infer HTTP/1.1\r\nHost: m\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode() + body

    def connect():
        return socket.create_connection(("127.0.0.1", server.http), timeout=60)

    def answers(connection):
        """How many answers there are until the server ends the connection; all must be good."""
        received = b"".join(iter(lambda: connection.recv(1 << 16), b""))
        assert received.count(b"HTTP/1.1 ") == received.count(b"HTTP/1.1 200 OK"), received
        return received.count(b"HTTP/1.1 ")

    opened = [connect() for _ in range(8)]
    for connection in opened:
        connection.sendall(text)
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        assert answer.status == 200 and answer.read()
    server.process.send_signal(signal.SIGSTOP)
    opened += [connect() for _ in range(8)]
    for connection in opened[:-2]:
        connection.sendall(text)
    opened[0].sendall(text)
    opened[-2].sendall(text[:20])
    server.terminate()
    server.process.send_signal(signal.SIGCONT)
    server.wait_until(lambda: '"Shutting down"' in server.log())
    opened[-2].sendall(text[20:])
    assert [answers(connection) for connection in opened] == [2] + [1] * 14 + [0]
    assert server.stop() == 0


def test_an_unload_answers_what_has_come(repository, start):
    sp.write_model(repository, "m", config=slow(9))
    server = start()
    futures = ask(server, 2)
    waiting(server, 2)
    # That they need not wait for the batch's own time: unit/test_batcher.py, by its own clock.
    assert server.post("/v2/repository/models/m/unload", {})[0] == 200
    assert [future.result()[0] for future in futures] == [200] * 2
    assert server.post("/v2/models/m/infer", sp.json_request(sp.values()))[0] == 404


def test_a_server_without_a_model_lives_and_is_not_ready(repository, start):
    repository.mkdir()
    server = start("--poll_seconds=0.2", wait=False)
    server.wait_until(lambda: server.get("/v2/health/live")[0] == 200)
    assert server.get("/v2/health/ready")[0] == 503
    sp.write_model(repository, "m")
    server.wait_until(lambda: server.get("/v2/health/ready")[0] == 200)


def test_flags_that_cannot_be_served(repository):
    repository.mkdir()
    for flags, text in ((["--workers=2"], "--workers"),
                        (["--model_repository=/nonexistent"], "no folder /nonexistent")):
        server = sp.Server(repository, *flags, wait=False)
        assert server.process.wait(120) == 2
        assert text in server.log()


def test_times_of_requests_are_logged_where_they_are_asked_for(repository, start):
    sp.write_model(repository, "small", config={"delegate": None})
    server = start("--log_requests")
    server.infer("small", sp.values())
    server.wait_until(lambda: "time:wall" in server.log(), 20)
