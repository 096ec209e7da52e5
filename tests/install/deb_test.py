"""The Debian packages: what is in them, what lintian says, whether the programs start
and the binaries are hardened.

    tests/install/deb_test.py BUILD_FOLDER ARCHITECTURE FOLDER [EMULATOR...]

makes the packages of BUILD_FOLDER below FOLDER and unpacks them there. ARCHITECTURE: Debian's word
for the machine that BUILD_FOLDER is for, or "this". EMULATOR: a command that runs its programs.
Run by CTest as `packages`, `arm64.packages` and `armhf.packages`. Skips (exit status 77) without
debhelper, a build in BUILD_FOLDER or EMULATOR; without lintian that part is skipped, loudly.
clean_root.sh installs them on a Debian that has nothing else.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

import hardening

SKIPPED = 77
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ARCH = r"\w+"
TOOLS = ("benchmark_model", "inference_diff", "quantized_accuracy", "model_report", "gles_demo",
         "gles_conformance", "gles_doctor", "gles_tune")
# Each package with the paths that it must have, and what its Depends must name.
PACKAGES = {
    "libgles-delegate1": (
        [r"lib/.*libgles_delegate\.so\.1", r"lib/.*libgles_delegate\.so\.1\.\d+\.\d+",
         r"lib/.*gles_delegate/drop_in/libtensorflowlite_gpu_delegate\.so"],
        [r"libc6 "]),
    "libgles-delegate-dev": (
        [r"include/gles_delegate/gles_delegate\.h", r"lib/.*libgles_delegate\.so",
         r"lib/.*libgles_delegate\.a",
         r"include/gles_delegate/drop_in/tensorflow/lite/delegates/gpu/delegate\.h",
         r"lib/.*pkgconfig/gles_delegate\.pc",
         r"lib/.*cmake/gles_delegate/gles_delegateConfig\.cmake"],
        [r"libgles-delegate1 \(= [\d.]+\)"]),
    "gles-delegate-litert": (
        [r"lib/.*libLiteRtGpuAccelerator\.so"],
        [r"libgles-delegate1 \(= [\d.]+\)", r"libc6 "]),
    "gles-delegate-tflite": (
        [r"lib/.*gles_delegate/(libjnitensorflowlite|libtensorflowlite_c)\.so"], [r"libc6 "]),
    "gles-delegate-tools": (
        [r"bin/" + program for program in TOOLS]
        + [r"share/man/man1/%s\.1\.gz" % program for program in TOOLS]
        + ["share/bash-completion/completions/" + program for program in TOOLS]
        + ["share/zsh/vendor-completions/_gles_delegate"],
        [r"libgles-delegate1 \(= [\d.]+\)", r"libc6 "]),
}


# Not every build has what these hold: toml++ may be missing, and TensorFlow Lite for armhf is.
OPTIONAL = {"gles-delegate-litert": "lib/libLiteRtGpuAccelerator.so",
            "gles-delegate-tools": "bin/gles_doctor", "gles-delegate-tflite": "bin/gles_doctor"}


def output(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit("FAILED: %s\n%s%s" % (" ".join(command), done.stdout, done.stderr))
    return done.stdout


def check(package, deb):
    """Yields what is wrong with it."""
    wanted, depends = PACKAGES[package]
    name = re.compile(r"%s_[\d.]+_%s\.deb" % (re.escape(package), ARCH))
    if not name.fullmatch(os.path.basename(deb)):
        yield "its file is named " + os.path.basename(deb)
    paths = [line.split()[5].lstrip("./") for line in output(["dpkg-deb", "-c", deb])
             .splitlines()]
    doc = "share/doc/%s/" % package
    for path in wanted + [doc + "copyright", doc + r"changelog\.gz"]:
        if not any(re.fullmatch("usr/" + path, p) for p in paths):
            yield "no " + path
    for path in paths:
        if path and not path.startswith("usr"):
            yield "/%s is outside of /usr" % path
    field = output(["dpkg-deb", "-f", deb, "Depends"])
    for dependency in depends:
        if not re.search(dependency, field):
            yield "Depends: %s lacks %s" % (field.strip(), dependency)


def own_binaries(root):
    """The programs and libraries, TensorFlow Lite's excepted, which others have built."""
    for folder, _, files in os.walk(root):
        for path in (os.path.join(folder, name) for name in files):
            with open(path, "rb") as file:
                is_elf = file.read(4) == b"\x7fELF"
            if is_elf and not os.path.islink(path) and "tensorflowlite.so" not in path:
                yield path


def check_debug_symbols(folder, root):
    """Yields what is wrong with the packages of debug symbols: each binary's, by its build ID."""
    symbols = os.path.join(folder, "symbols")
    for deb in glob.glob(os.path.join(folder, "*-dbgsym_*.deb")):
        output(["dpkg-deb", "-x", deb, symbols])
    for binary in own_binaries(root):
        build_id = re.search(r"Build ID: (\w\w)(\w+)", hardening.readelf(binary, "-n"))
        debug = build_id and os.path.join(symbols, "usr/lib/debug/.build-id", build_id.group(1),
                                          build_id.group(2) + ".debug")
        if not debug or not os.path.exists(debug) or (
                " FUNC " not in hardening.readelf(debug, "--syms")):
            yield "%s: no debug symbols" % os.path.basename(binary)


def main():
    build, architecture, folder, *emulator = sys.argv[1:]
    architecture = "" if architecture == "this" else architecture
    if shutil.which("dh") is None:
        print("SKIPPED: NO debhelper ON THIS MACHINE")
        sys.exit(SKIPPED)
    for path in (os.path.join(build, "lib/libgles_delegate.so"), *emulator[:1]):
        if not os.path.exists(path):
            print(f"SKIPPED: NO {path}")
            sys.exit(SKIPPED)
    output([os.path.join(ROOT, "packaging/make_debs.sh"), build, folder, architecture])
    wrong = []
    root = os.path.join(folder, "root")
    for package in list(PACKAGES):
        if not os.path.exists(os.path.join(build, OPTIONAL.get(package, ""))):
            print(f"NO {OPTIONAL[package]} IN {build}: {package} IS SKIPPED")
            continue
        debs = glob.glob(os.path.join(folder, package + "_*.deb"))
        if len(debs) != 1:
            sys.exit("FAILED: %d packages %s" % (len(debs), package))
        print("%s: %d kB" % (os.path.basename(debs[0]), os.path.getsize(debs[0]) // 1000))
        wrong += [package + ": " + text for text in check(package, debs[0])]
        output(["dpkg-deb", "-x", debs[0], root])
    # Unpacked anywhere, each program finds its libraries, TensorFlow Lite among them, which
    # it opens and names before it looks for what is not there.
    for program in map(os.path.basename, glob.glob(os.path.join(root, "usr/bin/*"))):
        nothing = "--filter=none" if program == "gles_conformance" else "--graph=none.tflite"
        done = subprocess.run([*emulator, os.path.join(root, "usr/bin", program), nothing],
                              capture_output=True, text=True, check=False)
        if not done.stderr.startswith("TensorFlow Lite ") or done.returncode < 0:
            wrong.append("%s does not start: %s" % (program, done.stderr.strip()))
    for binary in own_binaries(root):
        wrong += hardening.wrong(binary, (ROOT, os.path.realpath(build)), stripped=True)
        wrong += hardening.stack_checks(binary)
    wrong += check_debug_symbols(folder, root)
    if shutil.which("lintian") is None:
        print("NO lintian ON THIS MACHINE: THAT PART IS SKIPPED")
    else:
        # `./dev package` builds for /usr, with line numbers and a folder of the architecture's
        # own for libraries; this build folder may not.
        suppressed = "debug-file-with-no-debug-symbols,pkg-config-unavailable-for-cross-compilation"
        done = subprocess.run(
            ["lintian", "--allow-root", "--display-info", "--fail-on", "error,warning,info",
             "--tag-display-limit", "0", "--suppress-tags", suppressed,
             *glob.glob(os.path.join(folder, "*.deb"))],
            capture_output=True, text=True, check=False)
        print(done.stdout.strip() or "lintian has nothing to say")
        if done.returncode != 0:
            wrong.append("lintian: errors, warnings or hints")
    for text in wrong:
        print("FAILED: " + text)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
