"""python -m gles_delegate.evaluation: classification and detection, on both sides."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import pytest

from self_check import MODEL
from gles_delegate.evaluation import EvaluationError
from gles_delegate.evaluation.classification import Classification
from gles_delegate.evaluation.detection import Detection
from gles_delegate.evaluation.results import Results

SHARED = pathlib.Path(os.environ.get("GLES_DELEGATE_SHARED_DIR", ""))
CLASSIFIER = SHARED / "models" / "mobilenet_v1_0.25_224_quant.tflite"
DETECTOR = SHARED / "models" / "ssd_mobilenet_v1_quant.tflite"
LABELS = SHARED / "images" / "imagenet_labels.txt"
needs_models = pytest.mark.skipif(
    not CLASSIFIER.is_file(), reason="GLES_DELEGATE_SHARED_DIR names no folder with models")

# The two dogs of pets.jpg, measured in the picture: x, y, width, height in pixels.
DOGS = [[107, 7, 155, 287], [346, 165, 148, 199]]


def evaluate(task, *arguments, **flags):
    words = [sys.executable, "-m", "gles_delegate.evaluation", task, *arguments]
    for key, value in flags.items():
        words += ["--" + key, str(value)]
    return words


def run(task, *arguments, **flags):
    return subprocess.run(evaluate(task, *arguments, **flags), capture_output=True, text=True,
                          check=False)


@pytest.fixture(name="images")
def images_fixture(tmp_path):
    folder = tmp_path / "images"
    folder.mkdir()
    for name in ("bird.bmp", "cat.bmp", "sunflower.bmp"):
        shutil.copy(SHARED / "images" / name, folder)
    return folder


@pytest.fixture(name="truth")
def truth_fixture(tmp_path):
    path = tmp_path / "truth.txt"
    path.write_text("cat.bmp\ttabby, tabby cat\nbird.bmp\tchickadee\nsunflower.bmp\tdaisy\n",
                    encoding="utf-8")
    return path


@pytest.fixture(name="annotations")
def annotations_fixture(tmp_path):
    path = tmp_path / "instances.json"
    boxes = [{"id": i + 1, "image_id": 7, "category_id": 18, "bbox": box, "iscrowd": 0,
              "area": box[2] * box[3]} for i, box in enumerate(DOGS)]
    path.write_text(json.dumps({
        "images": [{"id": 7, "file_name": "pets.jpg", "width": 512, "height": 430}],
        "categories": [{"id": 17, "name": "cat"}, {"id": 18, "name": "dog"}],
        "annotations": boxes}), encoding="utf-8")
    return path


def test_results_go_on_where_they_ended(tmp_path):
    path = tmp_path / "results"
    first = Results(path, {"task": "a"})
    first.add({"image": "1", "value": 5})
    first.close()
    with open(path, "a", encoding="utf-8") as file:
        file.write('{"image": "2", "va')  # as a killed process leaves it
    second = Results(path, {"task": "a"})
    assert "1" in second and "2" not in second
    second.add({"image": "2", "value": 6})
    assert [row["value"] for row in second.rows()] == [5, 6]
    with pytest.raises(EvaluationError, match="task was 'a' and is 'b'"):
        Results(path, {"task": "b"})


@pytest.mark.parametrize("content", [b"Dear reader,\n", b"Dear reader", b"two\nlines", b"\xff\xfe",
                                     b'{"task": "b"}\nmore'])
def test_a_file_of_something_else_is_kept(tmp_path, content):
    path = tmp_path / "letter"
    path.write_bytes(content)
    with pytest.raises(EvaluationError, match="holds no results|of another evaluation"):
        Results(path, {"task": "a"})
    assert path.read_bytes() == content


def test_a_spoiled_line_is_named(tmp_path):
    path = tmp_path / "results"
    path.write_bytes(b'{"task": "a"}\n{"image": "1"}\nnothing\n{"image": "3"}\n')
    with pytest.raises(EvaluationError, match="line 3 of .* holds no result; remove the line"):
        Results(path, {"task": "a"})


def rows_of(tops):
    return [{"image": name, "cpu": {"top": cpu}, "delegate": {"top": delegate}}
            for name, cpu, delegate in tops]


def test_top_k_counts_what_is_right(tmp_path):
    truth = tmp_path / "truth"
    truth.write_text("4\n2\n", encoding="utf-8")
    task = Classification(truth, None, ["a", "b"], top_k=2)
    found = task.summary(rows_of([("a", [4, 1], [1, 4]), ("b", [0, 1], [2, 3])]))
    assert found == {"agreement": 0.0, "cpu": {"top-1": 0.5, "top-2": 0.5},
                     "delegate": {"top-1": 0.5, "top-2": 1.0}}


def test_what_is_wrong_with_the_truth_is_said(tmp_path):
    truth = tmp_path / "truth"
    truth.write_text("cat\n", encoding="utf-8")
    with pytest.raises(EvaluationError, match="a class is an index"):
        Classification(truth, None, ["a"], 1)
    truth.write_text("1\n2\n", encoding="utf-8")
    with pytest.raises(EvaluationError, match="2 lines for 1 images"):
        Classification(truth, None, ["a"], 1)
    truth.write_text("b\t1\n", encoding="utf-8")
    with pytest.raises(EvaluationError, match="no class for 1 images, of them a"):
        Classification(truth, None, ["a"], 1)


def test_precision_is_that_of_coco(annotations):
    task = Detection(annotations, None, ["pets.jpg"])
    right = [[18, 0.9, *DOGS[0]], [18, 0.8, *DOGS[1]]]
    moved = [[18, 0.9, 0, 300, 100, 100], [17, 0.8, *DOGS[1]]]
    found = task.summary([{"image": "pets.jpg", "cpu": {"detections": right},
                           "delegate": {"detections": moved}}])
    assert found["cpu"]["AP"] == pytest.approx(1.0)
    assert found["delegate"]["AP"] == 0
    assert found["agreement"] == 0


def test_boxes_become_pixels(annotations):
    task = Detection(annotations, None, ["pets.jpg"])
    outputs = [[[[0.5, 0.25, 1.0, 0.5], [0, 0, 1, 1]]], [[17.0, 3.0]], [[0.9, 0.1]], [1.0]]
    assert task.row("pets.jpg", outputs) == {"detections": [[18, 0.9, 128.0, 215.0, 128.0, 215.0]]}


@needs_models
def test_classification_is_the_same_on_both_sides(images, truth, tmp_path):
    flags = {"model_file": CLASSIFIER, "ground_truth_images_path": images,
             "model_output_labels": LABELS, "ground_truth_labels": truth,
             "output_file_path": tmp_path / "results"}
    done = run("classification", "--json", num_images=1, **flags)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["images"] == 1
    done = run("classification", "--json", **flags)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["images"] == 3 and found["nodes_delegated"] == found["nodes_total"]
    assert found["agreement"] == 1
    assert found["cpu"]["top-5"] > 0.5
    names = [json.loads(line)["image"] for line in (tmp_path / "results").read_text(
        encoding="utf-8").splitlines()[1:]]
    assert names == ["bird.bmp", "cat.bmp", "sunflower.bmp"], "an image ran twice"
    done = run("classification", options="exclude_nodes:1", **flags)
    assert done.returncode == 1
    assert "holds the results of another evaluation: options was ''" in done.stderr


@needs_models
def test_a_broken_image_is_left_out_and_said(images, truth, tmp_path):
    (images / "cat.bmp").write_bytes(b"BM nothing")
    done = run("classification", model_file=CLASSIFIER, ground_truth_images_path=images,
               model_output_labels=LABELS, ground_truth_labels=truth,
               output_file_path=tmp_path / "results")
    assert done.returncode == 1
    assert "of 2 images" in done.stdout
    assert "left out: cat.bmp cannot be read" in done.stdout


@needs_models
def test_an_interrupted_evaluation_reports_and_goes_on(images, tmp_path):
    truth, results = tmp_path / "truth.txt", tmp_path / "results"
    for i in range(400):
        (images / f"cat_{i}.bmp").symlink_to(images / "cat.bmp")
    truth.write_text("0\n" * 403, encoding="utf-8")
    flags = {"model_file": CLASSIFIER, "ground_truth_images_path": images,
             "ground_truth_labels": truth, "output_file_path": results}
    with subprocess.Popen(evaluate("classification", **flags), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        while not (results.exists() and results.read_text(encoding="utf-8").count("\n") > 2):
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate()
    assert process.returncode == 130, error
    assert "classification of " in out and "interrupted" in error
    done = len(results.read_text(encoding="utf-8").splitlines()) - 1
    assert 2 <= done < 403
    assert f"of {done} images" in out


@needs_models
def test_detection_finds_the_dogs_on_both_sides(tmp_path, annotations):
    folder = tmp_path / "pets"
    folder.mkdir()
    shutil.copy(SHARED / "images" / "pets.jpg", folder)
    done = run("detection", "--json", model_file=DETECTOR, ground_truth_images_path=folder,
               model_output_labels=SHARED / "images" / "coco_labels.txt",
               ground_truth_annotations=annotations, output_file_path=tmp_path / "results")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["cpu"]["AP50"] > 0.9
    for key in ("AP", "AP50", "AP75"):
        assert found["delegate"][key] == pytest.approx(found["cpu"][key], abs=1e-6)
    assert found["agreement"] == 1


@needs_models
def test_what_cannot_be_evaluated_is_said(images, truth, tmp_path):
    flags = {"ground_truth_images_path": images, "ground_truth_labels": truth,
             "model_output_labels": LABELS, "output_file_path": tmp_path / "results"}
    model = tmp_path / "model.tflite"
    model.write_bytes(MODEL)
    for changed, text in (({"model_file": tmp_path / "none"}, "No such file"),
                          ({"model_file": CLASSIFIER, "options": "device:no such"}, "no such"),
                          ({"model_file": CLASSIFIER, "options": "device"}, "is not key:value"),
                          ({"model_file": DETECTOR}, "classes"),
                          ({"model_file": model}, "classes"),
                          ({"model_file": CLASSIFIER,
                            "ground_truth_images_path": tmp_path / "empty"}, "is no folder")):
        done = run("classification", **{**flags, **changed})
        assert done.returncode == 1, changed
        assert "FAILED" in done.stderr and text in done.stderr, done.stderr
        assert "Traceback" not in done.stderr, done.stderr
