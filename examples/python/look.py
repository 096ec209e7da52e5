# %% [markdown]
# # A look at a model's answer
# Classification, detection or segmentation of one photograph, on the GPU and on the CPU, as a picture.
# Each `# %%` is a cell: Jupyter (with Jupytext), VS Code and Spyder run them one by one, and
#
#     python look.py MODEL.tflite LABELS.txt PHOTO OUT.png
#
# runs them all. MODEL ends in TFLite_Detection_PostProcess, or its output is a score for each
# class at each pixel (1 x height x width x classes), or a score for each class. Needs gles-delegate, a TensorFlow Lite
# runtime, NumPy and Pillow.

# %%
import argparse
import time

parser = argparse.ArgumentParser(description="A look at a model's answer.")
for name in ("MODEL", "LABELS", "PHOTO", "OUT"):
    parser.add_argument(name)
MODEL, LABELS, PHOTO, OUT = vars(parser.parse_args()).values()

# After the arguments, so that --help needs no package.
import numpy as np
from PIL import Image, ImageDraw

import gles_delegate

# %% [markdown]
# The interpreter is the runtime's own; `gles_delegate.interpreter` adds the delegate.

# %%
on_gpu = gles_delegate.interpreter(MODEL)
on_cpu = gles_delegate.find_runtime().Interpreter(model_path=MODEL)
for interpreter in (on_gpu, on_cpu):
    interpreter.allocate_tensors()
report = gles_delegate.report(on_gpu)
print(f"{report.nodes_delegated} of {report.nodes_total} nodes on {report.renderer}")
for refused in report.cpu:
    print(f"on the CPU: {refused.op}: {refused.reason}")

# %% [markdown]
# The photograph in the model's size. Float models of this kind take values from -1 to 1.

# %%
photo = Image.open(PHOTO).convert("RGB")
detail = on_cpu.get_input_details()[0]
_, height, width, _ = detail["shape"]
pixels = np.asarray(photo.resize((int(width), int(height)), Image.Resampling.BILINEAR))[None]
if detail["dtype"] == np.float32:
    pixels = pixels.astype(np.float32) / 127.5 - 1
pixels = pixels.astype(detail["dtype"])


def answer(interpreter):
    """All outputs, and the milliseconds of the second of two inferences."""
    for _ in range(2):  # the first one may still compile
        start = time.perf_counter()
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], pixels)
        interpreter.invoke()
        outputs = [interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()]
        ms = (time.perf_counter() - start) * 1e3
    return outputs, ms


# %% [markdown]
# The drawing: boxes of a score of a half or more, each pixel in its class's colour, or the five best
# classes.

# %%
labels = open(LABELS, encoding="utf-8").read().splitlines()
colours = np.random.default_rng(7).integers(64, 256, (max(len(labels), 256), 3), dtype=np.uint8)
colours[0] = 0  # the background of a segmentation


def draw(outputs):
    """The photograph with what the model found."""
    picture = photo.copy()
    if len(outputs) == 4:
        boxes, classes, scores, count = outputs
        pen = ImageDraw.Draw(picture)
        for i in range(int(count[0])):
            if scores[0, i] < 0.5:
                continue
            ymin, xmin, ymax, xmax = boxes[0, i]
            kind = int(classes[0, i])
            colour = tuple(int(c) for c in colours[kind])
            pen.rectangle((xmin * photo.width, ymin * photo.height, xmax * photo.width,
                           ymax * photo.height), outline=colour, width=3)
            pen.text((xmin * photo.width + 5, ymin * photo.height + 4),
                     f"{labels[kind]} {scores[0, i]:.2f}", fill=colour)
        return picture
    if outputs[0].ndim == 2:
        scores = outputs[0][0]
        for line, kind in enumerate(np.argsort(-scores.astype(float))[:5]):
            share = scores[kind] / 255 if scores.dtype == np.uint8 else scores[kind]
            ImageDraw.Draw(picture).text((5, 4 + 14 * line), f"{labels[kind]} {share:.2f}",
                                         fill="yellow", stroke_width=1, stroke_fill="black")
        return picture
    classes = np.argmax(outputs[0][0], axis=-1)
    mask = Image.fromarray(colours[classes]).resize(photo.size, Image.Resampling.NEAREST)
    return Image.blend(picture, mask, 0.5)


# %%
sides = {"GPU": answer(on_gpu), "CPU": answer(on_cpu)}
sheet = Image.new("RGB", (2 * photo.width + 10, photo.height + 24), "white")
for column, (side, (outputs, ms)) in enumerate(sides.items()):
    left = column * (photo.width + 10)
    sheet.paste(draw(outputs), (left, 24))
    ImageDraw.Draw(sheet).text((left + 4, 6), f"{side}: {ms:.1f} ms", fill="black")
sheet.save(OUT)
largest = max(float(np.max(np.abs(a.astype(np.float64) - b)))
              for a, b in zip(sides["GPU"][0], sides["CPU"][0]))
print(f"largest difference between the two: {largest:.3g}; the picture is in {OUT}")
