#!/usr/bin/env python3
"""Writes the dashboard for Grafana: python3 make_dashboard.py > grafana.json"""

import json

ROWS = (
    ("Requests a second, by outcome",
     "sum by (model, outcome) (rate(gles_serving_requests_total{model=~\"$model\"}[1m]))",
     "{{model}} {{outcome}}", "reqps"),
    ("Latency of a request, p50",
     "histogram_quantile(0.5, sum by (le, model_name) (rate("
     "request_predict_seconds_bucket{model_name=~\"$model\"}[1m])))", "{{model_name}}", "s"),
    ("Latency of a request, p99",
     "histogram_quantile(0.99, sum by (le, model_name) (rate("
     "request_predict_seconds_bucket{model_name=~\"$model\"}[1m])))", "{{model_name}}", "s"),
    ("Requests that wait", "sum by (model) (gles_serving_queue_requests{model=~\"$model\"})",
     "{{model}}", "short"),
    ("Time in the queue, p99",
     "histogram_quantile(0.99, sum by (le, model) (rate("
     "gles_serving_queue_seconds_bucket{model=~\"$model\"}[1m])))", "{{model}}", "s"),
    ("Rows of a batch, mean",
     "sum by (model) (rate(gles_serving_batch_rows_sum{model=~\"$model\"}[1m])) / "
     "sum by (model) (rate(gles_serving_batch_rows_count{model=~\"$model\"}[1m]))",
     "{{model}}", "short"),
    ("Invoke, mean, by batch size",
     "sum by (model, size) (rate(gles_serving_invoke_seconds_sum{model=~\"$model\"}[1m])) / "
     "sum by (model, size) (rate(gles_serving_invoke_seconds_count{model=~\"$model\"}[1m]))",
     "{{model}} of {{size}}", "s"),
    ("Nodes on the CPU",
     "gles_serving_delegate_nodes_total{model=~\"$model\"} - "
     "gles_serving_delegate_nodes_delegated{model=~\"$model\"}",
     "{{model}} #{{instance}}", "short"),
    ("GPU memory", "gles_serving_delegate_gpu_bytes{model=~\"$model\"}",
     "{{model}} #{{instance}}", "bytes"),
    ("GPU time of an inference (enable_op_profiling)",
     "gles_serving_delegate_gpu_seconds{model=~\"$model\"}", "{{model}} #{{instance}}", "s"),
    ("Failures: Invokes, lost contexts, loads",
     "sum by (model) (increase(gles_serving_invoke_failures_total{model=~\"$model\"}[5m])) or "
     "sum by (model) (gles_serving_delegate_contexts_lost{model=~\"$model\"}) or "
     "sum by (model) (increase(gles_serving_loads_total{result=\"failed\",model=~\"$model\"}[5m]))",
     "{{model}}", "short"),
    ("Models served", "gles_serving_model_ready{model=~\"$model\"}", "{{model}}", "short"),
)
SOURCE = {"type": "prometheus", "uid": "${source}"}


def panel(index, title, query, legend, unit):
    return {
        "id": index + 1, "title": title, "type": "timeseries", "datasource": SOURCE,
        "gridPos": {"h": 8, "w": 12, "x": 12 * (index % 2), "y": 8 * (index // 2)},
        "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
        "targets": [{"refId": "A", "datasource": SOURCE, "expr": query,
                     "legendFormat": legend}]}


def dashboard():
    count = len(ROWS)
    panels = [panel(i, *row) for i, row in enumerate(ROWS)]
    panels.append({
        "id": count + 1, "title": "Devices", "type": "table", "datasource": SOURCE,
        "gridPos": {"h": 8, "w": 24, "x": 0, "y": 8 * ((count + 1) // 2)},
        "targets": [{"refId": "A", "datasource": SOURCE, "instant": True, "format": "table",
                     "expr": "gles_serving_device_info{model=~\"$model\"}"}]})
    return {
        "title": "gles-serving", "uid": "gles-serving", "schemaVersion": 39, "refresh": "10s",
        "time": {"from": "now-30m", "to": "now"}, "panels": panels,
        "templating": {"list": [
            {"name": "source", "type": "datasource", "query": "prometheus"},
            {"name": "model", "type": "query", "datasource": SOURCE, "includeAll": True,
             "multi": True, "allValue": ".*", "refresh": 2,
             "query": "label_values(gles_serving_model_ready, model)"}]}}


if __name__ == "__main__":
    # A panel a line.
    board = dashboard()
    panels = ",\n  ".join(json.dumps(panel) for panel in board.pop("panels"))
    print(f'{json.dumps(board)[:-1]}, "panels": [\n  {panels}]}}')
