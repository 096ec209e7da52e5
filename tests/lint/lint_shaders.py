#!/usr/bin/env python3
"""Lints every program of the suite's small set.

  lint_shaders.py GLES_CONFORMANCE [ARGUMENT...]
  lint_shaders.py --folder FOLDER  lints what GLES_DELEGATE_DEBUG=shaders=FOLDER
                                   made of models, without the check of the
                                   minima: a device that has more may use more
  lint_shaders.py --self_test      the lint finds what it is for

Runs the suite as a device of OpenGL ES 3.1's minima would see it, with the
programs' text written to a folder, then for each program:
  - glslangValidator accepts it as a compute shader of ES 3.10;
  - it is `#version 310 es` and asks for no extension, or for one within an
    #ifdef of its name: it does without where the driver has none;
  - its work group, image, buffer and sampler bindings, and shared memory are
    within the minima (table 20.40 to 20.48 of the ES 3.1 specification).
Exit status: 1 where any fails.
"""

import contextlib
import glob
import io
import math
import os
import re
import subprocess
import sys
import tempfile

WORK_GROUP = (128, 128, 64)
INVOCATIONS = 128
IMAGES = 4
BUFFERS = 4
OUTPUTS = 4  # images and buffers together
SAMPLERS = 16
SHARED_BYTES = 16384
TYPE_BYTES = {"float": 4, "int": 4, "uint": 4, "bool": 4}
BATCH = 64  # files a glslangValidator


def size_of(type_name):
    match = re.fullmatch(r"[iu]?vec([234])", type_name)
    if match:  # a vec3 is kept as a vec4
        return 4 * (4 if match.group(1) == "3" else int(match.group(1)))
    return TYPE_BYTES[type_name]


def constant(expression):
    """The value of an expression of whole numbers."""
    if not re.fullmatch(r"[0-9\s()+*/-]+", expression):
        raise ValueError(f"no constant: {expression}")
    return int(eval(expression.replace("/", "//")))  # digits and operators alone


def shared_bytes(text):
    total = 0
    for type_name, declarators in re.findall(
            r"\bshared\s+(?:highp\s+|mediump\s+)?(\w+)\s+([^;]+);", text):
        for declarator in declarators.split(","):
            sizes = re.findall(r"\[([^\]]+)\]", declarator)
            total += size_of(type_name) * math.prod(constant(s) for s in sizes)
    return total


OPTIONAL_EXTENSION = re.compile(r"#ifdef (\w+)\n#extension \1 : require\n")


def faults(text):
    """Parts of a program's text that are not GLSL ES 3.10."""
    if not text.startswith("#version 310 es\n"):
        yield "is not #version 310 es"
    if "#extension" in OPTIONAL_EXTENSION.sub("", text):
        yield "asks for an extension"


def past_minima(expanded):
    """Values past the minima in a program's text without macros."""
    size = re.search(r"local_size_x\s*=\s*(\d+)\s*,\s*local_size_y\s*=\s*(\d+)"
                     r"\s*,\s*local_size_z\s*=\s*(\d+)", expanded)
    if size is None:
        yield "declares no work group"
    else:
        group = tuple(int(n) for n in size.groups())
        if math.prod(group) > INVOCATIONS or any(
                g > most for g, most in zip(group, WORK_GROUP)):
            yield f"has a work group of {group}"
    images = len(re.findall(r"\buniform\b[^;{]*\b[iu]?image\w+\s+\w+", expanded))
    samplers = len(re.findall(r"\buniform\b[^;{]*\b[iu]?sampler\w+\s+\w+", expanded))
    buffers = len(re.findall(r"\bbuffer\s+\w+\s*\{", expanded))
    for count, most, what in ((images, IMAGES, "images"),
                              (buffers, BUFFERS, "storage buffers"),
                              (images + buffers, OUTPUTS, "images and buffers"),
                              (samplers, SAMPLERS, "samplers")):
        if count > most:
            yield f"binds {count} {what}, past {most}"
    shared = shared_bytes(expanded)
    if shared > SHARED_BYTES:
        yield f"has {shared} bytes of shared memory, past {SHARED_BYTES}"


def validate(paths):
    """The paths that glslangValidator refuses, with its words."""
    for start in range(0, len(paths), BATCH):
        batch = paths[start:start + BATCH]
        run = subprocess.run(["glslangValidator", "-S", "comp", *batch],
                             capture_output=True, text=True, check=False)
        if run.returncode == 0:
            continue
        for path in batch:
            one = subprocess.run(["glslangValidator", "-S", "comp", path],
                                 capture_output=True, text=True, check=False)
            if one.returncode != 0:
                yield path, one.stdout + one.stderr


def preprocessed(paths):
    return subprocess.run(["glslangValidator", "-E", "-S", "comp", *paths],
                          capture_output=True, text=True, check=False).stdout


def without_macros(paths):
    """Yields each path with its text without macros.

    A glslangValidator starts 50 times slower than it reads a file, and writes one text
    after the other, each from its #version on.
    """
    for start in range(0, len(paths), BATCH):
        batch = paths[start:start + BATCH]
        texts = re.split(r"^(?=#version )", preprocessed(batch), flags=re.MULTILINE)[1:]
        if len(texts) != len(batch):  # one has no #version, or more than one
            texts = [preprocessed([path]) for path in batch]
        yield from zip(batch, texts)


def lint(folder, minima=True):
    paths = sorted(glob.glob(os.path.join(folder, "*.comp")))
    found = 0
    for path, words in validate(paths):
        print(f"{os.path.basename(path)}: glslangValidator refuses it\n{words}")
        found += 1
    expanded = dict(without_macros(paths)) if minima else {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        wrong = list(faults(text))
        if minima:
            wrong += past_minima(expanded[path])
        for fault in wrong:
            print(f"{os.path.basename(path)}: {fault}")
            found += 1
    print(f"{len(paths)} programs, {found} faults")
    # A folder without programs has not been linted.
    return 0 if paths and found == 0 else 1


GOOD = """#version 310 es
#define N 64
layout(local_size_x = 8, local_size_y = 4, local_size_z = 1) in;
shared vec4 part[N * 2];
layout(std430, binding = 0) writeonly buffer Out { vec4 out_data[]; };
void main() {
  part[gl_LocalInvocationIndex] = vec4(1.0);
  out_data[gl_GlobalInvocationID.x] = part[gl_LocalInvocationIndex];
}
"""
# A part of GOOD, its replacement, and the lint's finding.
BAD = (
    ("310 es", "320 es", "is not #version 310 es"),
    ("#define N", "#extension GL_EXT_gpu_shader5 : enable\n#define N",
     "asks for an extension"),
    ("#define N", "#ifdef GL_OES_gpu_shader5\n"
     "#extension GL_EXT_gpu_shader5 : require\n#endif\n#define N",
     "asks for an extension"),
    ("local_size_x = 8", "local_size_x = 64", "has a work group of"),
    ("#define N 64", "#define N 2048", "bytes of shared memory"),
    ("void main", "".join(
        f"layout(std430, binding = {i}) buffer B{i} {{ vec4 b{i}[]; }};\n"
        for i in range(1, 5)) + "void main", "storage buffers, past 4"),
    ("vec4(1.0)", "vec5(1.0)", "glslangValidator refuses it"),
)


def self_test():
    optional = ("#define N", "#ifdef GL_EXT_gpu_shader5\n"
                "#extension GL_EXT_gpu_shader5 : require\n#endif\n#define N", None)
    for change in (("", "", None), optional) + BAD:
        old, new, wanted = change
        with tempfile.TemporaryDirectory() as folder:
            programs = {"a.comp": GOOD, "b.comp": GOOD.replace(old, new, 1) if old else GOOD,
                        "c.comp": GOOD}
            for name, text in programs.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            words = io.StringIO()
            with contextlib.redirect_stdout(words):
                status = lint(folder)
        said = words.getvalue()
        of_others = "a.comp" in said or "c.comp" in said
        if status != (0 if wanted is None else 1) or (wanted or "") not in said or of_others:
            print(f"for {new!r} the lint should say {wanted!r}, says:\n{said}")
            return 1
    print(f"{len(BAD)} faults found, as they should")
    return 0


def stays_on_cpu(why):
    """Whether a case failed because its node needs more than the minima."""
    return why.startswith("not delegated")


def stays_in_floats(name, why):
    """Whether a case failed because its integer kernel needs more than the minima.

    The kernels of 16 bits alone may: they join up to four sums, each a binding.
    """
    return why.startswith("on codes: 0 of") and "/int16" in name


def ops_of(names):
    return ", ".join(sorted({name.split("/")[0] for name in names})) or "no op"


def main():
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    if sys.argv[1] == "--self_test":
        return self_test()
    if sys.argv[1] == "--folder" and len(sys.argv) == 3:
        return lint(sys.argv[2], minima=False)
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            [sys.argv[1], "--small", "--minimal_device", *sys.argv[2:]],
            env={**os.environ, "GLES_DELEGATE_DEBUG": f"shaders={folder}"},
            capture_output=True, text=True, check=False)
        failures = re.findall(r"^FAILED (\S+)\n(.*)$", run.stderr, re.MULTILINE)
        refused = [name for name, why in failures if stays_on_cpu(why)]
        floats = [name for name, why in failures if stays_in_floats(name, why)]
        if run.returncode not in (0, 1) or len(refused + floats) != len(failures):
            print(run.stderr)
            print(f"{sys.argv[1]} failed with {run.returncode}, see above")
            return 1
        print(f"{len(refused)} cases refused, of {ops_of(refused)}")
        print(f"{len(floats)} cases of 16 bits in floats, of {ops_of(floats)}")
        return lint(folder)


if __name__ == "__main__":
    sys.exit(main())
