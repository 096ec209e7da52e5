"""The files of a release: for which machine each binary is, how it was compiled, the sums.

    tests/install/dist_test.py DIST

By hand, after `./dev release` (RELEASING.md); release_test.py and deb_test.py try what a build
folder's archives and packages do.
"""

import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import hardening
import release_test

# Names of a machine in files and folders, with readelf's word for it.
MACHINES = {"x86_64": "X86-64", "amd64": "X86-64", "x64": "X86-64", "aarch64": "AArch64",
            "arm64": "AArch64", "armv7l": "ARM", "armhf": "ARM"}
WITHOUT_BINARIES = (".json", ".pom", "-sources.jar", "-javadoc.jar")
OLD_GLIBC = 28  # what wheels, npm package and jar need at most: 2.28


def unpack(path, folder):
    if path.suffix == ".deb":
        subprocess.run(["dpkg-deb", "-x", path, folder], check=True)
    elif path.name.endswith((".tar.gz", ".tgz")):
        with tarfile.open(path) as archive:
            archive.extractall(folder)
    elif path.suffix in (".whl", ".jar"):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)


def machine_in(text):
    """readelf's word for the machine that `text` names, None if it names none.

    >>> machine_in("gles_delegate-1.0.0-linux-aarch64.tar.gz"), machine_in("a_1.0.0_armhf.deb")
    ('AArch64', 'ARM')
    >>> machine_in("gles-delegate-1.0.0.tgz/package/lib/x64/libgles_delegate.so")
    'X86-64'
    """
    names = [name for name in MACHINES if re.search(rf"(?<![A-Za-z0-9]){name}(?![A-Za-z0-9])",
                                                    text.replace("_", "-").replace("x86-64", "x86_64"))]
    return MACHINES[names[0]] if names else None


def check_binary(path, where, old_glibc):
    """Yields what is wrong with a binary; `where` names its machine."""
    header = hardening.readelf(path, "-h")
    machine = machine_in(where)
    if not machine or not re.search(rf"Machine: .*\b{machine}\n", header):
        yield f"{where}: it is not for {machine}"
    if path.suffix == ".debug":
        return
    needs = max(int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)\0", path.read_bytes()))
    if old_glibc and needs > OLD_GLIBC:
        yield f"{where}: it needs glibc 2.{needs}"
    if "tensorflowlite.so" in path.name:  # others have compiled it
        return
    for text in hardening.wrong(path, (), stripped=True):
        # Java's native half calls nothing that has a checked form.
        if "_FORTIFY_SOURCE" not in text or "jni" not in path.name:
            yield f"{where}: {text}"


def check_artifact(path, folder):
    """Yields what is wrong with a file of the release, which is unpacked in `folder`."""
    unpack(path, folder)
    old_glibc = path.suffix in (".whl", ".jar", ".tgz")
    binaries = 0
    for file in sorted(folder.rglob("*")):
        if not file.is_file() or file.is_symlink():
            continue
        where, content = f"{path.name}/{file.relative_to(folder)}", file.read_bytes()
        if str(release_test.ROOT).encode() in content:
            yield f"{where}: has the builder's path"
        if content[:4] == b"\x7fELF":
            binaries += 1
            yield from check_binary(file, where, old_glibc)
    if not binaries and not path.name.startswith("libgles-delegate-dev_"):
        yield f"{path.name}: no binary"
    if path.name.endswith(".tar.gz"):
        name = path.name[:-len(".tar.gz")]
        document = path.with_name(name + ".spdx.json")
        yield from release_test.check_sbom(document, folder / name)


def main():
    dist = pathlib.Path(sys.argv[1]).resolve()
    wrong = list(release_test.check_sums(dist))
    artifacts = [path for path in sorted(dist.iterdir())
                 if path.name != "SHA256SUMS" and not path.name.endswith(WITHOUT_BINARIES)]
    for path in artifacts:
        with tempfile.TemporaryDirectory() as folder:
            wrong += check_artifact(path, pathlib.Path(folder))
        print(path.name, flush=True)
    for text in wrong:
        print("FAILED: " + text)
    sys.exit(1 if wrong or not artifacts else 0)


if __name__ == "__main__":
    main()
