"""What /metrics has beside kserve's own: requests, queues, batches, the delegate's report."""

from typing import Any, Dict

from prometheus_client import Counter, Gauge, Histogram

_SECONDS = (.0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10)

REQUESTS = Counter("gles_serving_requests",
                   "Requests by outcome: ok, bad_request, overloaded, expired, failed, cancelled",
                   ["model", "outcome"])
QUEUE = Gauge("gles_serving_queue_requests", "Requests that wait for an instance", ["model"])
QUEUE_SECONDS = Histogram("gles_serving_queue_seconds", "Time in the queue", ["model"],
                          buckets=_SECONDS)
BATCH_ROWS = Histogram("gles_serving_batch_rows", "Rows of requests in a batch", ["model"],
                       buckets=(1, 2, 4, 8, 16, 32, 64, 128))
INVOKE_SECONDS = Histogram("gles_serving_invoke_seconds", "Invoke, by the prepared batch size",
                           ["model", "size"], buckets=_SECONDS)
INVOKE_FAILURES = Counter("gles_serving_invoke_failures", "Invokes that failed; most are tried "
                          "again", ["model"])
READY = Gauge("gles_serving_model_ready", "1 where the model is served", ["model"])
VERSION = Gauge("gles_serving_model_version", "The version that is served", ["model"])
RELOADS = Counter("gles_serving_loads", "Loads of a model by result: ok, failed",
                  ["model", "result"])

_OF_INSTANCE = ["model", "instance"]
DEVICE = Gauge("gles_serving_device_info", "1; what the delegate runs on",
               ["model", "instance", "renderer", "driver", "software"])
NUMBERS: Dict[str, Gauge] = {
    key: Gauge("gles_serving_delegate_" + key, text, _OF_INSTANCE) for key, text in (
        ("nodes_total", "Nodes of the model"),
        ("nodes_delegated", "Nodes that run on the GPU"),
        ("partitions", "Partitions on the GPU"),
        ("contexts_lost", "Contexts that were lost and replaced"))}
GPU_BYTES = Gauge("gles_serving_delegate_gpu_bytes", "GPU memory of all partitions of an instance",
                  _OF_INSTANCE)
GPU_SECONDS = Gauge("gles_serving_delegate_gpu_seconds", "GPU time of the last inference; with the "
                    "option enable_op_profiling alone", _OF_INSTANCE)


def show_report(model: str, instance: int, report: Dict[str, Any]) -> None:
    """Takes over the numbers of a delegate's report."""
    at = (model, str(instance))
    for key, gauge in NUMBERS.items():
        gauge.labels(*at).set(report[key])
    GPU_BYTES.labels(*at).set(report["gpu_bytes"]["total"])
    if report["profile"]:
        GPU_SECONDS.labels(*at).set(sum(row["us"] for row in report["profile"]) / 1e6)
    DEVICE.labels(*at, report["renderer"], report["driver"],
                  "true" if report["software"] else "false").set(1)
