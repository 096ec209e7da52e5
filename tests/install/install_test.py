"""What `cmake --install` puts down, as other projects find it.

    tests/install/install_test.py CMAKE BUILD_FOLDER FOLDER

installs library and header below FOLDER, moves the tree (a package can be unpacked
anywhere), and builds consumer/ with CMake's find_package and with pkg-config; each program is
run.
Run by CTest as `install`. A tool that is not there fails the test, but for pkg-config, whose
part is then skipped, loudly.
"""

import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CONSUMER = os.path.join(HERE, "consumer")


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


def by_pkg_config(prefix, folder, expected):
    if shutil.which("pkg-config") is None:
        print("NO pkg-config ON THIS MACHINE: THAT PART IS SKIPPED")
        return
    pc = find(prefix, "gles_delegate.pc")
    environment = dict(os.environ, PKG_CONFIG_PATH=os.path.dirname(pc))
    flags = run(["pkg-config", "--cflags", "--libs", "gles_delegate"], env=environment,
                capture_output=True, text=True).stdout.split()
    program = os.path.join(folder, "by_pkg_config")
    library = os.path.dirname(os.path.dirname(pc))
    run([os.environ.get("CC", "cc"), os.path.join(CONSUMER, "consumer.c"), "-o", program,
         *flags, "-Wl,-rpath," + library])
    check_output([program], expected)


def as_litert_finds_it(prefix):
    """Opens the accelerator in a process of its own, without any search path."""
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
    for component in ("library", "development"):
        run([cmake, "--install", build, "--component", component, "--prefix", first],
            stdout=subprocess.DEVNULL)
    has_litert = os.path.exists(os.path.join(build, "lib", "libLiteRtGpuAccelerator.so"))
    if has_litert:
        run([cmake, "--install", build, "--component", "litert", "--prefix", first],
            stdout=subprocess.DEVNULL)
    os.rename(first, prefix)
    with open(find(prefix, "gles_delegateConfigVersion.cmake"), encoding="utf-8") as file:
        version = file.read().split('PACKAGE_VERSION "')[1].split('"')[0]
    expected = "gles_delegate " + version
    by_cmake(cmake, prefix, folder, expected)
    by_pkg_config(prefix, folder, expected)
    if has_litert:
        as_litert_finds_it(prefix)
    else:
        print("NO libtomlplusplus-dev WHERE THIS WAS BUILT: THE ACCELERATOR IS SKIPPED")
    print("installed files work from where they were moved to")


if __name__ == "__main__":
    main()
