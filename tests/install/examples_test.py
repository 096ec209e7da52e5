"""The examples in C and C++, built beside an installed library and run on real pictures.

    tests/install/examples_test.py CMAKE BUILD_FOLDER TFLITE_C_ROOT FOLDER

Run by CTest as `examples`. Without GLES_DELEGATE_SHARED_DIR's models nothing is run, loudly (exit
status 77). tests/python and tests/litert run those in Python, tests/tools/textures_test.cc the apps
with textures.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("GLES_DELEGATE_SHARED_DIR") or "/nowhere")
EXAMPLES = ("look", "look_cpp", "threads", "segment_video")
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


def gst(*pipeline):
    run(["gst-launch-1.0", "-q", *pipeline])


def check_help(programs):
    """Each program tells its usage, and that is not an error."""
    for program in programs:
        done = run([program, "--help"], capture_output=True, text=True)
        if not done.stdout.startswith("usage: " + program.name.replace("_cpp", "")) or done.stderr:
            yield f"{program.name} --help: {done.stdout}{done.stderr}"


def check_video(build, programs, folder):
    """The video example: its frames are those of overlay_app, which tints on the CPU."""
    overlay_app = build / "bin" / "overlay_app"
    if not (programs / "segment_video").exists() or not overlay_app.exists() or (
            shutil.which("gst-launch-1.0") is None):
        print("NO GStreamer WITH OpenGL (./dev test --all installs it): THE VIDEO EXAMPLE IS NOT RUN")
        return
    model = SHARED / "models/selfie_segmentation.tflite"
    person, tinted = folder / "person.png", folder / "tinted.png"
    # As large as the mask: one of its pixels for each.
    gst("filesrc", f"location={SHARED}/images/face.jpg", "!", "jpegdec", "!", "videoconvert", "!",
        "videoscale", "!", "video/x-raw,width=256,height=256", "!", "pngenc", "!", "filesink",
        f"location={person}")
    run([overlay_app, model, person, tinted])
    raw = {}
    for name, file in (("person", person), ("tinted", tinted)):
        gst("filesrc", f"location={file}", "!", "pngdec", "!", "videoconvert", "!",
            "video/x-raw,format=RGBA", "!", "filesink", f"location={folder}/{name}.rgba")
        raw[name] = (folder / f"{name}.rgba").read_bytes()
    report = folder / "video.json"
    done = run([programs / "segment_video", model,
                f"filesrc location={person} ! pngdec ! imagefreeze num-buffers=3",
                f"gldownload ! video/x-raw,format=RGBA ! filesink location={folder}/video.rgba"],
               stdout=subprocess.PIPE, text=True,
               env={**os.environ, "GLES_DELEGATE_OPTIONS": f"report_file:{report}"})
    video, one = (folder / "video.rgba").read_bytes(), len(raw["tinted"])
    if done.stdout != "3 frames\n" or len(video) != 3 * one:
        yield f"segment_video: {done.stdout}, {len(video)} bytes"
    # The shader rounds to the nearest of 256 steps, overlay_app downwards.
    for start in range(0, len(video), one):
        apart = max(abs(a - b) for a, b in zip(video[start:start + one], raw["tinted"]))
        if apart > 1:
            yield f"segment_video: {apart} of 255 from what overlay_app draws"
    if sum(a != b for a, b in zip(raw["person"], raw["tinted"])) < one // 10:
        yield "overlay_app: it tints nothing"
    partitions = json.loads(report.read_text(encoding="utf-8"))["partition"]
    if [p["gpu_bytes"]["transfers"] for p in partitions] != [0]:
        yield "segment_video: frames or masks pass through the CPU"
    done = run([programs / "segment_video", model,
                "videotestsrc num-buffers=5 ! video/x-raw,width=320,height=240",
                "gldownload ! fakesink"], stdout=subprocess.PIPE, text=True)
    if done.stdout != "5 frames\n":
        yield f"segment_video: of 5 frames: {done.stdout}"


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
    apps = [pathlib.Path(build) / "bin" / name for name in ("overlay_app", "faces_app")]
    wrong = list(check_help(path for path in [*apps, *(programs / name for name in EXAMPLES)]
                            if path.exists()))
    if not (SHARED / "models").is_dir():
        print(f"SKIPPED: NO MODELS IN {SHARED}: THE EXAMPLES ARE COMPILED AND TELL THEIR USAGE", *wrong)
        sys.exit(1 if wrong else 77)
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
    wrong += check_video(pathlib.Path(build), programs, folder)
    for text in wrong:
        print("FAILED: " + text)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
