#!/usr/bin/env python3
"""Two models asked at once: a GPU context each, or one for both (share_key)?

    two_models.py A.tflite B.tflite [--seconds=4] [--connections=4] [--rounds=2]

One server has both models twice, with the default (a context each) and with "share_key": "all". wrk asks
each model alone, then both at once, alternately. Prints requests a second as JSON.
"""

import argparse
import json
import os
import statistics
import tempfile
import threading

import common


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs=2)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--connections", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=2)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        repository, bodies = os.path.join(folder, "models"), []
        for index, path in enumerate(args.models):
            body, length = common.binary_request(common.random_inputs(path))
            bodies.append((os.path.join(folder, f"body{index}"), length))
            with open(bodies[index][0], "wb") as file:
                file.write(body)
            common.write_model(repository, f"own{index}", path, {})
            common.write_model(repository, f"all{index}", path, {"delegate": {"share_key": "all"}})
        server = common.Server(repository, os.path.join(folder, "log"), "--probe_seconds=0")
        rates = {}

        def ask(kind, index, case):
            done = common.wrk(f"{server.url}/v2/models/{kind}{index}/infer", *bodies[index],
                              args.connections, args.seconds)
            assert not done["status_errors"] + done["socket_errors"] + done["timeouts"], done
            rates.setdefault(f"{kind}, {case}, {os.path.basename(args.models[index])}", []).append(
                done["requests"] / done["seconds"])
        try:
            server.wait_loaded(["own0", "own1", "all0", "all1"])
            for turn in range(args.rounds):
                for kind in ("own", "all"):
                    common.progress(f"round {turn + 1} of {args.rounds}, {kind}")
                    for index in (0, 1):
                        ask(kind, index, "alone")
                    threads = [threading.Thread(target=ask, args=(kind, index, "both"))
                               for index in (0, 1)]
                    for thread in threads:
                        thread.start()
                    for thread in threads:
                        thread.join()
        finally:
            server.stop()
    print(json.dumps({case: round(statistics.median(each), 1) for case, each in rates.items()},
                     indent=0))


if __name__ == "__main__":
    main()
