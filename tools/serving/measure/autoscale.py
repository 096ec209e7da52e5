#!/usr/bin/env python3
"""Ray Serve's autoscaling under load: how many replicas are there, second by second?

    autoscale.py MODEL.tflite [--replicas=1:3] [--connections=12] [--seconds=60] [--nodes=2] [--after=60]

failover.py's cluster, whose replicas scale between the two numbers with two requests under way for each,
10 seconds after the load asks for more and 20 after it asks for fewer. wrk sends requests for --seconds;
the replicas are watched for --after more. Prints as JSON what wrk has seen, and [seconds, replicas] at
each change; ends with 1 where a request was lost, no replica came, or not all of those that came went.
"""

import argparse
import json
import os
import re
import sys
import tempfile
import threading
import time

import psutil

import common
import failover


def replicas():
    """How many processes of replicas there are."""
    return sum(bool(re.match(r"ray::ServeReplica", " ".join(process.info["cmdline"] or [])))
               for process in psutil.process_iter(["cmdline"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--replicas", default="1:3")
    parser.add_argument("--connections", type=int, default=12)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--after", type=int, default=60)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        repository = os.path.join(folder, "models")
        common.write_model(repository, "m", args.model, {})
        url, _, _, stop = failover.ray(args, folder, repository, [
            "--target_requests=2", "--upscale_delay=10", "--downscale_delay=20"])
        body, length = common.binary_request(common.random_inputs(args.model))
        body_file = os.path.join(folder, "body")
        with open(body_file, "wb") as file:
            file.write(body)
        result = {}
        load = threading.Thread(target=lambda: result.update(common.wrk(
            url + "/v2/models/m/infer", body_file, length, args.connections, args.seconds, 60)))
        began = time.monotonic()
        load.start()
        seen = []
        while load.is_alive() or time.monotonic() - began < args.seconds + args.after:
            count = replicas()
            if not seen or seen[-1][1] != count:
                seen.append([round(time.monotonic() - began), count])
                common.progress(f"{seen[-1][0]} s: {count} replicas")
            time.sleep(0.5)
        load.join()
        stop()
    result["replicas"] = seen
    print(json.dumps(result))
    lost = result["status_errors"] + result["socket_errors"] + result["timeouts"]
    most = max(count for _, count in seen)
    return 1 if lost or most == seen[0][1] or seen[-1][1] != seen[0][1] else 0


if __name__ == "__main__":
    sys.exit(main())
