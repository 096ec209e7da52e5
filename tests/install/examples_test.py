"""The examples in C and C++, built beside an installed library and run on real pictures.

    tests/install/examples_test.py CMAKE BUILD_FOLDER TFLITE_C_ROOT FOLDER

Run by CTest as `examples`. Without GLES_DELEGATE_SHARED_DIR's models nothing is run, loudly (exit
status 77). tests/python and tests/litert run those in Python, tests/tools/textures_test.cc the apps
with textures.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("GLES_DELEGATE_SHARED_DIR") or "/nowhere")
# A model, its labels, a picture, and what both programs must find in it first.
LOOKS = (
    ("mobilenet_v1_0.25_224", "imagenet_labels", "cat.bmp", r"Egyptian cat 0\.\d+"),
    ("mobilenet_v2_1.0_224_quant", "imagenet_labels", "bird.bmp", r"chickadee 0\.9\d+"),
    ("ssd_mobilenet_v1_quant", "coco_labels", "pets.jpg",
     r"dog 0\.\d+ at \d+, \d+ to \d+, \d+"),
    ("deeplabv3_257_mv_gpu", "pascal_voc_segmentation_labels", "pets.jpg", r"background \d+%\ndog \d+%"),
)


def run(command, **how):
    print("+ " + " ".join(map(str, command)), flush=True)
    return subprocess.run(command, check=True, **how)


def main():
    cmake, build, tflite, folder = sys.argv[1:]
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    prefix, programs = folder / "installed", folder / "build"
    for component in ("library", "development"):
        run([cmake, "--install", build, "--component", component, "--prefix", prefix],
            stdout=subprocess.DEVNULL)
    run([cmake, "-S", ROOT / "examples", "-B", programs, f"-DCMAKE_PREFIX_PATH={prefix}",
         f"-DTFLITE_C_ROOT={tflite}", "-DCMAKE_BUILD_TYPE=Release"], stdout=subprocess.DEVNULL)
    run([cmake, "--build", programs], stdout=subprocess.DEVNULL)
    if not (SHARED / "models").is_dir():
        print(f"SKIPPED: NO MODELS IN {SHARED}: THE EXAMPLES ARE COMPILED AND NOT RUN")
        sys.exit(77)
    wrong = []
    for model, labels, picture, expected in LOOKS:
        says = []
        for program in ("look", "look_cpp"):
            out = folder / f"{program}_{model}.png"
            done = run([programs / program, SHARED / f"models/{model}.tflite",
                        SHARED / f"images/{labels}.txt", SHARED / "images" / picture, out],
                       stdout=subprocess.PIPE, text=True)
            says.append(done.stdout)
            if not re.match(expected, done.stdout) or out.stat().st_size < 1000:
                wrong.append(f"{program} {model}: {done.stdout}")
        print(says[0])
        if says[0] != says[1]:
            wrong.append(f"{model}: C and C++ differ: {says}")
        if (folder / f"look_{model}.png").read_bytes() != (
                folder / f"look_cpp_{model}.png").read_bytes():
            wrong.append(f"{model}: the pictures of C and C++ differ")
    done = run([programs / "threads", SHARED / "models/mobilenet_v1_0.25_224.tflite", "4", "5"],
               stdout=subprocess.PIPE, text=True)
    if not re.match(r"4 threads, [\d.]+ inferences a second .* outputs equal\n", done.stdout):
        wrong.append(done.stdout)
    for text in wrong:
        print("FAILED: " + text)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
