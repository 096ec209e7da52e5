"""LiteRT-LM with libLiteRtGpuAccelerator.so: gles_delegate.litert_lm.

    tests/litert/language_model.py LIBRARY FOLDER PACKAGE...

runs test_language_model.py as compiled_model.run_with_accelerator() says. Run by CTest as
`litert_lm`; skips as tests/python/environments.py says.
"""

import sys

import compiled_model


def main():
    library, folder, *packages = sys.argv[1:]
    sys.exit(compiled_model.run_with_accelerator(
        "test_language_model.py", library, folder, packages, ["tokenizers", "pytest==8.4.2"]))


if __name__ == "__main__":
    main()
