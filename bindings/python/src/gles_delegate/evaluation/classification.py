"""Image classification: top-k accuracy."""

import pathlib
from typing import Any, Dict, Iterable, List, Optional

import numpy as np

from . import EvaluationError, read_lines
from .sides import SIDES


class Classification:
    """Ground truth and classes of a model.

    Args:
      ground_truth: a file of one line an image: its class, in the order of the images' names;
        or "name<TAB>class" in any order.
      labels: a file of one line a class of the model's output, in its order; without it a
        class is given by its index.
      images: the images' names.
      top_k: accuracy is counted up to this k.
    """

    name = "classification"
    agrees_on = "class first"

    def __init__(self, ground_truth: pathlib.Path, labels: Optional[pathlib.Path],
                 images: List[str], top_k: int):
        if top_k < 1:
            raise EvaluationError("--top_k is 1 or more")
        self._top_k = top_k
        self._classes = read_lines(labels) if labels else None
        lines = read_lines(ground_truth)
        if any("\t" in line for line in lines):
            pairs = [line.split("\t", 1) for line in lines if "\t" in line]
        else:
            if len(lines) != len(images):
                raise EvaluationError(f"{ground_truth} has {len(lines)} lines for {len(images)} "
                                      "images; or give name<TAB>class")
            pairs = [list(pair) for pair in zip(images, lines)]
        self._truth = {name: self._index_of(text.strip(), ground_truth) for name, text in pairs}
        missing = [name for name in images if name not in self._truth]
        if missing:
            raise EvaluationError(f"{ground_truth} has no class for {len(missing)} images, of "
                                  f"them {missing[0]}")

    def _index_of(self, text: str, path: pathlib.Path) -> int:
        if self._classes is not None and text in self._classes:
            return self._classes.index(text)
        if text.isdigit() and (self._classes is None or int(text) < len(self._classes)):
            return int(text)
        raise EvaluationError(f"{path}: {text!r} is no class of the model" + (
            "" if self._classes else "; without --model_output_labels a class is an index"))

    def check(self, output_details: List[Any]) -> None:
        """Raises EvaluationError where the model's outputs are not those of this task."""
        shape = [int(n) for n in output_details[0]["shape"]]
        count = int(np.prod(shape))
        if self._classes is not None and len(self._classes) != count:
            raise EvaluationError(f"the model's output {shape} has {count} classes, the labels "
                                  f"are {len(self._classes)}")
        if self._top_k > count:
            raise EvaluationError(f"--top_k {self._top_k} of {count} classes")

    def row(self, image: str, outputs: List[Any]) -> Dict[str, Any]:
        """One side's results of an image: the best classes, best first."""
        del image
        scores = outputs[0].ravel()
        # Stable: of two equal scores the first class is the better one on both sides.
        return {"top": np.argsort(-scores, kind="stable")[:self._top_k].tolist()}

    def summary(self, rows: Iterable[Dict[str, Any]]) -> Dict[str, Any]:
        """Accuracy of both sides; "agreement": how often they name the same class first.
        Empty without rows."""
        hits = {side: [0] * self._top_k for side in SIDES}
        same = images = 0
        for row in rows:
            images += 1
            same += row["cpu"]["top"][0] == row["delegate"]["top"][0]
            truth = self._truth.get(row["image"])
            for side in SIDES:
                if truth in row[side]["top"]:
                    hits[side][row[side]["top"].index(truth)] += 1
        if images == 0:
            return {}
        found: Dict[str, Any] = {"agreement": same / images}
        for side in SIDES:
            right = np.cumsum(hits[side]) / images
            found[side] = {f"top-{k + 1}": float(right[k]) for k in range(self._top_k)}
        return found
