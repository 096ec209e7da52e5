"""The files of serving/deploy: what they name exists."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml
from kubernetes import client as kubernetes

import gles_serving
import serving_process as sp

HERE = os.path.dirname(os.path.abspath(__file__))
DEPLOY = os.path.join(os.path.dirname(os.path.dirname(HERE)), "serving", "deploy")


def read(*path):
    with open(os.path.join(DEPLOY, *path), encoding="utf-8") as file:
        return file.read()


def metrics_of(server):
    """Names of samples, and of families that have none yet."""
    names = set()
    for line in server.get("/metrics")[1].decode().splitlines():
        names.add(line.split()[2] if line.startswith("# TYPE") else re.split(r"[{ ]", line)[0])
    return names


def test_the_dashboard_asks_for_metrics_that_the_server_has(server):
    dashboard = read("grafana.json")
    assert json.loads(dashboard)["panels"]
    server.infer("small", sp.values())
    known = metrics_of(server)
    asked = set(re.findall(r"\b(?:gles_serving|request)_[a-z_]+(?=[{\[ )])", dashboard))
    assert len(asked) >= 12
    assert not asked - known


@pytest.mark.parametrize("path", [("Containerfile",), ("gles-serving.service",),
                                  ("kserve", "runtime.yaml")])
def test_flags_are_the_servers(path):
    shown = subprocess.run([sys.executable, "-m", "gles_serving", "--help"], check=True,
                           capture_output=True, text=True).stdout
    flags = re.findall(r"--([a-z_]+)=", read(*path))
    assert {"model_repository", "cache_dir"} <= set(flags)
    assert not [flag for flag in flags if f"--{flag} " not in shown]


@pytest.mark.parametrize("module", ["gles_serving", "gles_serving.ray_app"])
def test_programs_tell_their_version(module):
    done = subprocess.run([sys.executable, "-m", module, "--version"], check=True,
                          capture_output=True, text=True)
    assert done.stdout == f"gles_serving {gles_serving.__version__}\n"


def test_kserves_runtime_and_service_fit_each_other_and_the_image():
    runtime = yaml.safe_load(read("kserve", "runtime.yaml"))
    service = yaml.safe_load(read("kserve", "inference_service.yaml"))
    assert runtime["metadata"]["name"] == service["spec"]["predictor"]["model"]["runtime"]
    taken = runtime["spec"]["supportedModelFormats"][0]
    assert service["spec"]["predictor"]["model"]["modelFormat"] == {
        "name": taken["name"], "version": taken["version"]}
    container = runtime["spec"]["containers"][0]
    user = container["securityContext"]["runAsUser"]
    for fields, known in ((container, kubernetes.V1Container),
                          (container["securityContext"], kubernetes.V1SecurityContext),
                          *((volume, kubernetes.V1Volume) for volume in runtime["spec"]["volumes"])):
        assert set(fields) <= set(known.attribute_map.values())
    assert f"--uid {user}" in read("Containerfile")
    # Kubernetes makes a host's folder for root alone, and gives none of them to fsGroup.
    host = [volume["hostPath"]["type"] for volume in runtime["spec"]["volumes"]
            if "hostPath" in volume]
    assert host == ["Directory"]
    assert f"-o {user} " in read("kserve", "runtime.yaml")


def test_nginx_takes_its_file():
    nginx = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
    if not nginx:
        pytest.skip("NO nginx on this machine")
    done = subprocess.run([nginx, "-t", "-c", os.path.join(DEPLOY, "nginx.conf")],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_systemd_takes_the_unit(tmp_path):
    systemd = shutil.which("systemd-analyze")
    if not systemd:
        pytest.skip("NO systemd-analyze on this machine")
    unit = tmp_path / "gles-serving.service"
    unit.write_text(read("gles-serving.service").replace("/opt/gles-serving/bin/gles-serving",
                                                         "/bin/true"))
    done = subprocess.run([systemd, "verify", unit], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "gles-serving" not in done.stderr, done.stderr
