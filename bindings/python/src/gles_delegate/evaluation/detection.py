"""Object detection: average precision as COCO counts it, by pycocotools."""

import contextlib
import io
import json
import pathlib
from typing import Any, Dict, Iterable, List, Optional

import numpy as np

from . import EvaluationError, read_lines
from .sides import SIDES

# COCOeval's first six figures: all areas at three thresholds, then small, medium, large.
_FIGURES = ("AP", "AP50", "AP75", "AP_small", "AP_medium", "AP_large")


class Detection:
    """Ground truth of object detection.

    The model ends in TFLite_Detection_PostProcess: boxes (1 x N x 4: ymin, xmin, ymax, xmax of
    an image whose sides are 1), classes and scores (1 x N), count (1).

    Args:
      ground_truth: COCO's annotations (instances_*.json).
      labels: a file of one line a class of the model, in its order, each a category's name;
        without it class i is the category i + 1, as TensorFlow's COCO models have it.
      images: the images' names, each a file_name of the annotations.
    """

    name = "detection"
    agrees_on = "categories above a score of 0.5"

    def __init__(self, ground_truth: pathlib.Path, labels: Optional[pathlib.Path],
                 images: List[str]):
        try:
            from pycocotools.coco import COCO
        except ImportError as error:
            raise EvaluationError("detection needs pycocotools: pip install pycocotools"
                                  ) from error
        self._coco = COCO()
        try:
            with open(ground_truth, encoding="utf-8") as file:
                self._coco.dataset = json.load(file)
            with contextlib.redirect_stdout(io.StringIO()):
                self._coco.createIndex()
            self._images = {i["file_name"]: i for i in self._coco.dataset["images"]}
            self._categories = {c["name"]: c["id"] for c in self._coco.dataset["categories"]}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise EvaluationError(f"{ground_truth} holds no COCO annotations: {error!r}"
                                  ) from error
        self._classes = read_lines(labels) if labels else None
        missing = [name for name in images if name not in self._images]
        if missing:
            raise EvaluationError(f"{ground_truth} does not know {len(missing)} images, of them "
                                  f"{missing[0]}")

    def check(self, output_details: List[Any]) -> None:
        """Raises EvaluationError where the model's outputs are not those of this task."""
        if len(output_details) != 4:
            raise EvaluationError(
                f"the model has {len(output_details)} outputs; one that ends in "
                "TFLite_Detection_PostProcess has four: boxes, classes, scores, count")

    def _category(self, index: int) -> Optional[int]:
        if self._classes is None:
            return index + 1
        if index >= len(self._classes):
            return None
        return self._categories.get(self._classes[index])

    def row(self, image: str, outputs: List[Any]) -> Dict[str, Any]:
        """One side's detections: [category, score, x, y, width, height] in pixels each."""
        boxes: Any
        boxes, classes, scores, count = (np.asarray(o) for o in outputs)
        size = self._images[image]
        found: List[List[Any]] = []
        for i in range(int(count.ravel()[0])):
            category = self._category(int(classes.ravel()[i]))
            if category is None:
                continue
            ymin, xmin, ymax, xmax = (float(v) for v in boxes.reshape(-1, 4)[i])
            found.append([category, float(scores.ravel()[i]),
                          xmin * size["width"], ymin * size["height"],
                          (xmax - xmin) * size["width"], (ymax - ymin) * size["height"]])
        return {"detections": found}

    def _precision(self, rows: List[Dict[str, Any]], side: str) -> Dict[str, float]:
        from pycocotools.cocoeval import COCOeval
        ids = [self._images[row["image"]]["id"] for row in rows]
        results = [{"image_id": image, "category_id": d[0], "score": d[1], "bbox": d[2:]}
                   for image, row in zip(ids, rows) for d in row[side]["detections"]]
        if not results:
            return {name: 0.0 for name in _FIGURES}
        with contextlib.redirect_stdout(io.StringIO()):
            evaluation = COCOeval(self._coco, self._coco.loadRes(results), "bbox")
            evaluation.params.imgIds = sorted(set(ids))
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
        return dict(zip(_FIGURES, (float(v) for v in evaluation.stats[:6])))

    def summary(self, rows: Iterable[Dict[str, Any]]) -> Dict[str, Any]:
        """Average precision of both sides; -1 where no object has that size. "agreement": the
        share of images whose detections above a score of 0.5 have the same categories.
        Empty without rows."""
        kept = list(rows)
        if not kept:
            return {}
        same = sum(self._sure(r["cpu"]) == self._sure(r["delegate"]) for r in kept)
        found: Dict[str, Any] = {"agreement": same / len(kept)}
        for side in SIDES:
            found[side] = self._precision(kept, side)
        return found

    @staticmethod
    def _sure(side: Dict[str, Any]) -> List[int]:
        return sorted(d[0] for d in side["detections"] if d[1] >= 0.5)
