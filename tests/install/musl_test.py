"""The library compiles and links with musl, by the compiler of the wheels (./dev wheel).

    tests/install/musl_test.py CMAKE BUILD_FOLDER FOLDER

builds it in FOLDER with the dependencies of BUILD_FOLDER. Run by CTest as `musl`. Skips (exit status
77) if zig is not in .deps/zig.
"""

import os
import pathlib
import re
import subprocess
import sys

import hardening

ROOT = pathlib.Path(__file__).resolve().parents[2]
ZIG = ROOT / ".deps" / "zig"


def main():
    cmake, build, folder = sys.argv[1:]
    zig = next(ZIG.glob("lib/python*/site-packages/ziglang/zig"), None)
    if not zig:
        print(f"SKIPPED: NO zig IN {ZIG}, WHERE ./dev wheel INSTALLS IT")
        sys.exit(77)
    cache = pathlib.Path(build, "CMakeCache.txt").read_text(encoding="utf-8")
    kept = re.findall(r"^((?:ABSEIL_SOURCE_DIR|TFLITE_C_ROOT):\w+=.*)$", cache, re.MULTILINE)
    # Of two targets zig takes the second; the toolchain file names glibc.
    target = "-target x86_64-linux-musl"
    environment = dict(os.environ, CFLAGS=target, CXXFLAGS=target,
                       ZIG_GLOBAL_CACHE_DIR=str(ZIG / "cache"))
    for command in ([cmake, "--preset", "zig", "-B", folder, "--log-level=ERROR",
                     f"-DGLES_DELEGATE_ZIG={zig}", "-DGLES_DELEGATE_ZIG_MACHINE=x86_64",
                     "-DCMAKE_CXX_FLAGS_RELEASE=-O1", *(f"-D{entry}" for entry in kept)],
                    [cmake, "--build", folder, "--target", "gles_delegate_libraries"]):
        subprocess.run(command, cwd=ROOT, env=environment, check=True)
    library = os.path.join(folder, "lib", "libgles_delegate.so")
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", hardening.readelf(library, "-d"))
    print(f"libgles_delegate.so needs {needed}")
    if needed != ["libc.so"]:
        sys.exit("FAILED: that is not musl alone")


if __name__ == "__main__":
    main()
