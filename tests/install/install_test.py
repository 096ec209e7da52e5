"""What `cmake --install` puts down, as other projects find it.

    tests/install/install_test.py CMAKE BUILD_FOLDER FOLDER

installs library and header below FOLDER, moves the tree (a package can be unpacked
anywhere), and builds consumer/ with CMake's find_package and with pkg-config, with the shared
library and with the archive; each program is run.
Run by CTest as `install`. A tool that is not there fails the test, but for pkg-config, whose
part is then skipped, loudly.
"""

import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "python"))
import self_check  # noqa: E402

CONSUMER = os.path.join(HERE, "consumer")
CC = os.environ.get("CC", "cc")


def run(command, **how):
    print("+ " + " ".join(command), flush=True)
    return subprocess.run(command, check=True, **how)


def find(prefix, name):
    """The one file of that name below the prefix."""
    found = [os.path.join(folder, name) for folder, _, files in os.walk(prefix)
             if name in files]
    if len(found) != 1:
        sys.exit("FAILED: %d files %s below %s" % (len(found), name, prefix))
    return found[0]


def check_output(command, expected):
    """Runs it without any search path: what it was linked with tells where to look."""
    environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    text = run(command, capture_output=True, text=True, env=environment).stdout.strip()
    print(text)
    if text != expected:
        sys.exit("FAILED: '%s' instead of '%s'" % (text, expected))


def by_cmake(cmake, prefix, folder, expected):
    build = os.path.join(folder, "cmake")
    run([cmake, "-S", CONSUMER, "-B", build, "-DCMAKE_PREFIX_PATH=" + prefix,
         "-DCMAKE_BUILD_TYPE=Release"], stdout=subprocess.DEVNULL)
    run([cmake, "--build", build], stdout=subprocess.DEVNULL)
    for language in ("c", "cpp"):
        check_output([os.path.join(build, "consumer_" + language)], expected)
        if archive_of(prefix):
            program = os.path.join(build, "consumer_static_" + language)
            check_output([program], expected)
            check_needs_no_library(program)


def pkg_config(prefix, *arguments):
    pc = find(prefix, "gles_delegate.pc")
    environment = dict(os.environ, PKG_CONFIG_PATH=os.path.dirname(pc))
    return run(["pkg-config", *arguments, "gles_delegate"], env=environment,
               capture_output=True, text=True).stdout.split()


def by_pkg_config(prefix, folder, expected):
    if shutil.which("pkg-config") is None:
        print("NO pkg-config ON THIS MACHINE: THAT PART IS SKIPPED")
        return
    source = os.path.join(CONSUMER, "consumer.c")
    program = os.path.join(folder, "by_pkg_config")
    library = os.path.dirname(find(prefix, "libgles_delegate.so"))
    run([CC, source, "-o", program, *pkg_config(prefix, "--cflags", "--libs"),
         "-Wl,-rpath," + library])
    check_output([program], expected)
    if not archive_of(prefix):
        return
    flags = pkg_config(prefix, "--static", "--cflags", "--libs")
    # Beside the shared library, which the linker takes otherwise, as docs/packages.md has it.
    run([CC, source, "-o", program,
         *["-l:libgles_delegate.a" if flag == "-lgles_delegate" else flag for flag in flags]])
    check_output([program], expected)
    check_needs_no_library(program)
    # And with the archive alone installed.
    alone = os.path.join(folder, "alone")
    shutil.copytree(prefix, alone, symlinks=True)
    for name in os.listdir(os.path.dirname(find(alone, "libgles_delegate.a"))):
        if ".so" in name:
            os.remove(os.path.join(os.path.dirname(find(alone, "libgles_delegate.a")), name))
    run([CC, source, "-o", program, *pkg_config(alone, "--static", "--cflags", "--libs")])
    check_output([program], expected)
    check_needs_no_library(program)


def archive_of(prefix):
    """The static library; None where none is built (the sanitizers' builds)."""
    found = os.path.join(os.path.dirname(find(prefix, "libgles_delegate.so")),
                         "libgles_delegate.a")
    return found if os.path.exists(found) else None


def check_needs_no_library(program):
    if b"libgles_delegate.so" in pathlib.Path(program).read_bytes():
        sys.exit("FAILED: %s asks for the shared library" % program)


def check_archive_exports(prefix):
    """The archive's global symbols are the header's functions and nothing else."""
    header = pathlib.Path(find(prefix, "gles_delegate.h")).read_text(encoding="utf-8")
    declared = set(re.findall(r"^GLES_DELEGATE_EXPORT\s+[\w\s*]*?(\w+)\s*\(", header,
                              re.MULTILINE))
    lines = run(["nm", "--defined-only", "--extern-only", archive_of(prefix)],
                capture_output=True, text=True).stdout.splitlines()
    exported = {line.split()[2] for line in lines if len(line.split()) == 3}
    if exported != declared:
        sys.exit("FAILED: the archive's global symbols differ from the header's functions: "
                 + ", ".join(sorted(exported ^ declared)))


def beside_another_abseil(build, prefix, folder, expected):
    program = os.path.join(folder, "other_abseil")
    run([os.environ.get("CXX", "c++"), "-std=c++17", "-isystem", cached(build, "ABSEIL_SOURCE_DIR"),
         os.path.join(CONSUMER, "other_abseil.cc"), "-o", program,
         *pkg_config_cflags(prefix), "-Wl,--start-group", archive_of(prefix),
         *sorted(glob.glob(os.path.join(build, "lib", "libabsl_*.a"))), "-Wl,--end-group",
         "-lpthread", "-ldl"])
    check_output([program], expected)


def pkg_config_cflags(prefix):
    return ["-I" + os.path.dirname(os.path.dirname(find(prefix, "gles_delegate.h")))]


def cached(build, name):
    """A variable of the build's CMake cache."""
    text = pathlib.Path(build, "CMakeCache.txt").read_text(encoding="utf-8")
    return re.search("^%s:[A-Z]+=(.*)$" % name, text, re.MULTILINE).group(1)


def tflite_library(root):
    """The C library in a TFLITE_C_ROOT, as cmake/TfliteC.cmake finds it."""
    names = [os.path.join(root, "lib", name)
             for name in ("libtensorflowlite_c.so", "libjnitensorflowlite.so")]
    return next(filter(os.path.exists, names))


def runs_a_model(build, prefix, folder):
    """With the delegate inside the program, and TensorFlow Lite's C library beside it."""
    model = self_check.write_model(os.path.join(folder, "model.tflite"))
    tflite = cached(build, "TFLITE_C_ROOT")
    program = os.path.join(folder, "model")
    run([CC, os.path.join(CONSUMER, "model.c"), "-o", program, *pkg_config_cflags(prefix),
         "-isystem", os.path.join(tflite, "include"), archive_of(prefix),
         tflite_library(tflite),
         "-Wl,-rpath," + os.path.join(tflite, "lib"), "-lstdc++", "-lm", "-lpthread", "-ldl"])
    done = subprocess.run([program, model], capture_output=True, text=True, check=False)
    print((done.stdout + done.stderr).strip())
    if done.returncode == 77 and not os.environ.get("GLES_DELEGATE_REQUIRE_DEVICE"):
        print("NO OpenGL ES 3.1 ON THIS MACHINE: NO MODEL IS RUN BY THE ARCHIVE")
    elif done.returncode != 0 or done.stdout.splitlines()[-1] != "the same":
        sys.exit("FAILED: the archive's delegate: exit status %d" % done.returncode)


def as_litert_finds_it(prefix):
    """Opens the accelerator in its own process, without any search path."""
    accelerator = find(prefix, "libLiteRtGpuAccelerator.so")
    check_output([sys.executable, "-c", """
import ctypes, sys
at = ctypes.addressof(ctypes.c_char.in_dll(ctypes.CDLL(sys.argv[1]), "LiteRtAcceleratorImpl"))
name = ctypes.c_char_p()
get_name = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(
    ctypes.c_void_p.from_address(at + 8).value)
print(get_name(None, ctypes.addressof(name)), name.value.decode())
""", accelerator], "0 GPU OpenGL ES (gles_delegate)")


def main():
    cmake, build, folder = sys.argv[1:]
    shutil.rmtree(folder, ignore_errors=True)
    first, prefix = os.path.join(folder, "first"), os.path.join(folder, "moved")
    for component in ("library", "development", "license"):
        run([cmake, "--install", build, "--component", component, "--prefix", first],
            stdout=subprocess.DEVNULL)
    has_litert = os.path.exists(os.path.join(build, "lib", "libLiteRtGpuAccelerator.so"))
    if has_litert:
        run([cmake, "--install", build, "--component", "litert", "--prefix", first],
            stdout=subprocess.DEVNULL)
    os.rename(first, prefix)
    for name in ("LICENSE", "THIRD_PARTY_NOTICES"):
        find(prefix, name)
    with open(find(prefix, "gles_delegateConfigVersion.cmake"), encoding="utf-8") as file:
        version = file.read().split('PACKAGE_VERSION "')[1].split('"')[0]
    expected = "gles_delegate " + version
    by_cmake(cmake, prefix, folder, expected)
    by_pkg_config(prefix, folder, expected)
    if archive_of(prefix):
        check_archive_exports(prefix)
        beside_another_abseil(build, prefix, folder, expected)
        runs_a_model(build, prefix, folder)
    if has_litert:
        as_litert_finds_it(prefix)
    else:
        print("NO libtomlplusplus-dev WHERE THIS WAS BUILT: THE ACCELERATOR IS SKIPPED")
    print("installed files work from where they were moved to")


if __name__ == "__main__":
    main()
