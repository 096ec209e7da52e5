"""The examples in C of docs/integration.md, compiled as they stand.

    tests/docs/examples_test.py CC CXX LIBRARY TFLITE_ROOT TFLITE_LIBRARY FOLDER

compiles each block ```c of these pages that includes a header, as C99 and as C++20, with no
other headers than those of delegate/include and of TFLITE_ROOT/include, the folder that
`./dev deps` fills. An example with main() is also linked, and runs the model
tests/python/self_check.tflite on the GPU. Run by CTest as `docs.examples`.
"""

import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "python"))
import self_check  # noqa: E402

PAGES = ("docs/integration.md",)
BLOCK = re.compile(r"^```c\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def examples():
    """Pairs of a name and a block of code."""
    for page in PAGES:
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            blocks = [block for block in BLOCK.findall(file.read()) if "#include" in block]
        if not blocks:
            sys.exit(f"{page} has no example in C")
        for number, block in enumerate(blocks):
            yield f"{os.path.basename(page)[:-3]}_{number}", block


def main():
    c_compiler, cxx_compiler, library, tflite_root, tflite_library, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    model = self_check.write_model(os.path.join(folder, "self_check.tflite"))
    includes = ["-I" + os.path.join(ROOT, "delegate/include"),
                "-I" + os.path.join(tflite_root, "include")]
    libraries = [library, tflite_library]
    for path in (library, tflite_library):
        libraries.append("-Wl,-rpath," + os.path.dirname(os.path.abspath(path)))
    ran = 0
    for name, code in examples():
        source = os.path.join(folder, name + ".c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(code)
        for compiler in ([c_compiler, "-std=c99", "-xc"], [cxx_compiler, "-std=c++20", "-xc++"]):
            print(f"{name}: {' '.join(compiler)}")
            program = os.path.join(folder, name)
            subprocess.run([*compiler, *WARNINGS, *includes, "-c", source,
                            "-o", program + ".o"], check=True)
            if "int main(" not in code:
                continue
            subprocess.run([compiler[0], program + ".o", *libraries, "-o", program], check=True)
            ran += 1
            result = subprocess.run([program, model], check=True, stdout=subprocess.PIPE)
            report = json.loads(result.stdout)
            if report["nodes_delegated"] == 0:
                sys.exit(f"{name} ran nothing on the GPU: {report['cpu']}")
    if ran == 0:
        sys.exit("no example has a main()")


if __name__ == "__main__":
    main()
