"""The server that most tests share."""

import pytest

import serving_process as sp

LIMIT = 1 << 20


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """Models: small; profiled; batched (1, 4); gathered (4 alone, which is never split); on_cpu and
    of_128_rows, without a delegate; torn, no model; no_device."""
    repository = tmp_path_factory.mktemp("shared") / "repository"
    sp.write_model(repository, "small")
    sp.write_model(repository, "profiled", config={"delegate": {"enable_op_profiling": 1}})
    sp.write_model(repository, "batched",
                   config={"batching": {"sizes": [1, 4], "max_delay_ms": 50}})
    sp.write_model(repository, "gathered",
                   config={"batching": {"sizes": [4], "max_delay_ms": 50}})
    sp.write_model(repository, "on_cpu", config={"delegate": None})
    sp.write_model(repository, "of_128_rows",
                   config={"delegate": None, "batching": {"sizes": [128], "max_delay_ms": 0}})
    sp.write_model(repository, "torn", sp.SMALL[:len(sp.SMALL) // 2])
    sp.write_model(repository, "no_device", config={"delegate": {"device": "no such renderer"}})
    made = sp.Server(repository, f"--max_request_bytes={LIMIT}",
                     f"--cache_dir={repository.parent / 'cache'}")
    yield made
    assert made.stop() == 0, made.log()
