"""The recipes of packaging, and debian/: read by what reads them, or by stand-ins for it.

    tests/install/recipes_test.py CMAKE FOLDER

Run by CTest as `recipes`. Checked of each: it parses, its options are options of this project, it
pins the same archive by the same sum, and its version is the project's. With
GLES_DELEGATE_FETCH_WHEELS=1 the linters of Yocto's recipes (oelint-adv) and Kconfig's own parser
(kconfiglib) read theirs. Nothing is built: only `conan create` could be tried where this was
written, by hand.
"""

import ast
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "python"))
import environments  # noqa: E402  pylint: disable=wrong-import-position

PACKAGING = ROOT / "packaging"
ARCHIVE = "abseil_20220623.1.orig.tar.gz"
RECIPES = {name: PACKAGING / path for name, path in {
    "yocto": "yocto/gles-delegate_git.bb", "buildroot": "buildroot/gles-delegate/gles-delegate.mk",
    "conan": "conan/conanfile.py", "vcpkg": "vcpkg/gles-delegate/portfile.cmake",
    "debian": ROOT / "debian/rules"}.items()}
# Options that are CMake's own, or of find_program and find_path.
ELSEWHERE = {"CMAKE_BUILD_WITH_INSTALL_RPATH", "CMAKE_BUILD_TYPE", "FLATC_PROGRAM"}
VCPKG = """
set(CURRENT_PORT_DIR {port})
set(CURRENT_HOST_INSTALLED_DIR /host)
foreach(name vcpkg_cmake_install vcpkg_cmake_config_fixup vcpkg_fixup_pkgconfig
        vcpkg_install_copyright vcpkg_extract_source_archive)
  cmake_language(EVAL CODE "function(${{name}})\\nendfunction()")
endforeach()
function(vcpkg_download_distfile out)
  cmake_parse_arguments(PARSE_ARGV 1 A "" "FILENAME;SHA512" "URLS")
  string(LENGTH "${{A_SHA512}}" length)
  message(STATUS "download ${{A_FILENAME}} ${{A_SHA512}} ${{length}}")
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 A "" "SOURCE_PATH" "OPTIONS")
  message(STATUS "source ${{A_SOURCE_PATH}}")
endfunction()
include({portfile})
"""
MAKE = """
qstrip = $(strip $(1))
cmake-package = $(info package)
BR2_PACKAGE_GLES_DELEGATE_SITE = /a/clone
HOST_DIR = /host
include {recipe}
$(info site $(GLES_DELEGATE_SITE))
$(info downloads $(GLES_DELEGATE_EXTRA_DOWNLOADS))
$(info options $(GLES_DELEGATE_CONF_OPTS))
$(foreach file,$(GLES_DELEGATE_LICENSE_FILES),$(info licence $(file)))
all:
"""


# HOMEPAGE is the publisher's to fill in; abseil's archive has its own version.
NOT_OURS = ("oelint.var.mandatoryvar.HOMEPAGE", "oelint.vars.downloadfilename")


def output(command, **how):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **how)
    if done.returncode != 0:
        raise ValueError(f"{command[0]}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def read_yocto(_cmake, _folder):
    """BitBake's lines: NAME = "value", continued by backslashes, or a directive."""
    text = RECIPES["yocto"].read_text(encoding="utf-8").replace("\\\n", " ")
    for line in text.splitlines():
        if line and not line.startswith(("#", "inherit ")) and not re.fullmatch(
                r'[\w:.$\[\]{}-]+ \+?= "[^"]*"', line):
            raise ValueError(f"not a line of BitBake's: {line}")
    name, md5 = re.search(r"LIC_FILES_CHKSUM = \"file://(\w+);md5=(\w+)\"", text).groups()
    if output(["md5sum", ROOT / name]).split()[0] != md5:
        raise ValueError(f"the sum of {name} is another")


def read_buildroot(_cmake, folder):
    makefile = folder / "Makefile"
    makefile.write_text(MAKE.format(recipe=RECIPES["buildroot"]), encoding="utf-8")
    text = output(["make", "-f", makefile])
    if "package\n" not in text or "site /a/clone\n" not in text:
        raise ValueError(text)
    for name in re.findall(r"^licence (\S+)", text, re.MULTILINE):
        if not (ROOT / name).exists():
            raise ValueError(f"no file {name}")
    hashes = (RECIPES["buildroot"].with_suffix(".hash")).read_text(encoding="utf-8")
    if len(re.findall(r"^sha256  [0-9a-f]{64}  \S+$", hashes, re.MULTILINE)) != 1:
        raise ValueError("its .hash has not one sum")
    for line in (RECIPES["buildroot"].parent / "Config.in").read_text().splitlines():
        if not re.fullmatch(r"|config \w+|\t(bool|string) \".*\"|\t(depends on|select) \w+( # .*)?"
                            r"|\thelp|\t  .*|if \w+|endif", line):
            raise ValueError(f"not a line of Kconfig's: {line}")


def read_conan(_cmake, _folder):
    tree = ast.parse(RECIPES["conan"].read_text(encoding="utf-8"))
    if not any(isinstance(node, ast.ClassDef) for node in tree.body):
        raise ValueError("no class")
    paths = re.findall(r'"([\w./]+?)(?:/\*)?",?', re.search(
        r"for pattern in \((.*?)\)", RECIPES["conan"].read_text(), re.DOTALL).group(1))
    for path in paths:
        if not (ROOT / path).exists():
            raise ValueError(f"no {path} to export")
    read = {folder for path in paths for source in (ROOT / path).glob("**/*.[ch]*")
            for folder in re.findall(r'^#include "(\w+)/', source.read_text(), re.MULTILINE)}
    unread = {folder for folder in read if (ROOT / folder).is_dir()} - {
        path.split("/")[0] for path in paths}
    if unread:
        raise ValueError(f"it exports no {unread}, which the sources include")


def read_vcpkg(cmake, folder):
    port = RECIPES["vcpkg"].parent
    script = folder / "vcpkg.cmake"
    script.write_text(VCPKG.format(port=port, portfile=RECIPES["vcpkg"]), encoding="utf-8")
    text = output([cmake, "-P", script])
    if f"source {ROOT}\n" not in text or text.count(" 128\n") != 1:
        raise ValueError(text)
    check_version(json.loads((port / "vcpkg.json").read_text(encoding="utf-8"))["version"])


def check_version(version):
    ours = re.search(r"project\(gles_delegate VERSION ([\d.]+)",
                     (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
    if version != ours:
        raise ValueError(f"its version is {version}, the project's {ours}")


def read_debian(_cmake, _folder):
    """The maintainer is the same in both files, and the abseil the one that ./dev builds."""
    control, changelog = ((ROOT / "debian" / name).read_text(encoding="utf-8")
                          for name in ("control", "changelog"))
    check_version(re.match(r"gles-delegate \((\S+)\)", changelog).group(1))
    maintainer = re.search("^Maintainer: (.*)$", control, re.MULTILINE).group(1)
    if maintainer != re.search("^ -- (.*>)  ", changelog, re.MULTILINE).group(1):
        raise ValueError("control and changelog name two maintainers")
    if f"libabsl-dev (>= {ARCHIVE.split('_')[1].split('.')[0]})" not in control:
        raise ValueError(f"control does not ask for the abseil of {ARCHIVE}")


def lint(folder):
    """Yields what PyPI's linters find, if they may be fetched."""
    if os.environ.get("GLES_DELEGATE_FETCH_WHEELS", "0") in ("", "0"):
        print("SKIPPED: THE LINTERS OF RECIPES: GLES_DELEGATE_FETCH_WHEELS is not set")
        return
    python = environments.python_with(str(folder / "linters"), ["oelint-adv", "kconfiglib"])
    for release in ("kirkstone", "scarthgap"):
        done = subprocess.run(
            [pathlib.Path(python).parent / "oelint-adv", "--quiet", "--release", release,
             *(word for rule in NOT_OURS for word in ("--suppress", rule)), RECIPES["yocto"]],
            capture_output=True, text=True, check=False)
        found = [line for line in (done.stdout + done.stderr).splitlines()
                 if re.search(r":(error|warning):", line)]
        yield from (f"yocto, {release}: {line}" for line in found)
        if not found and "Traceback" in done.stderr:
            yield f"oelint-adv: {done.stderr[-500:]}"
    done = subprocess.run(
        [python, "-c", "import sys, kconfiglib; kconfiglib.Kconfig(sys.argv[1])",
         RECIPES["buildroot"].parent / "Config.in"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        yield f"buildroot: {done.stderr[-500:]}"


def check_text(text):
    """Yields options that a recipe names and this project does not have."""
    known = "".join(path.read_text(encoding="utf-8") for path in
                    [ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("*.cmake")])
    for option in re.findall(r"(?:-D|\")((?:GLES_DELEGATE|ABSEIL|TFLITE|CMAKE|FLATC)_\w+)", text):
        if option not in ELSEWHERE and not re.search(rf"(option|set)\({option}\b", known):
            yield f"no option {option}"


def main():
    cmake, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    readers = {"yocto": read_yocto, "buildroot": read_buildroot, "conan": read_conan,
               "vcpkg": read_vcpkg, "debian": read_debian}
    wrong, sums = [], {}
    for name, reader in readers.items():
        try:
            reader(cmake, folder)
        except ValueError as error:
            wrong.append(f"{name}: {error}")
        text = RECIPES[name].read_text(encoding="utf-8")
        wrong += [f"{name}: {finding}" for finding in check_text(text)]
        if name != "debian" and ARCHIVE not in text:
            wrong.append(f"{name}: does not name {ARCHIVE}")
        if name == "buildroot":
            text += RECIPES[name].with_suffix(".hash").read_text(encoding="utf-8")
        sums[name] = set(re.findall(r"\b[0-9a-f]{64}\b", text))
    if not sums["yocto"] == sums["buildroot"] == sums["conan"] or len(sums["conan"]) != 1:
        wrong.append(f"the archive's sums differ: {sums}")
    # Last and alone, as it ends the test if the linters cannot be fetched.
    wrong = wrong or list(lint(folder))
    for text in wrong:
        print("FAILED: " + text)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
