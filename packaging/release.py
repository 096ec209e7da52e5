#!/usr/bin/env python3
"""Release artifacts of a build folder, the same bytes each time.

    release.py BUILD_FOLDER DIST [--machine=x86_64] [--only=NAME,NAME] [--library=PATH]

writes to DIST:
- `tarball`: library, headers, accelerator, programs if there are any, licences, SBOM;
- `sbom`;
- `npm`, `wheel` and `jar`, with the library inside. The wheel needs PyPI, the jar Maven Central and a
  JDK. The jar comes with its POM, sources and Javadoc;
- `debs`: those of BUILD_FOLDER/packages;
- SHA256SUMS of all of them.

The library inside npm package, wheel and jar is the one for glibc 2.28 that zig compiled in
build-zig-MACHINE, or that of --library. An npm package or jar that DIST has gets MACHINE's library
beside the others, because a registry takes one file of a version. An artifact that cannot be made is
named on stderr, with the reason; the exit status is then 1. `./dev release` builds and calls this.
SOURCE_DATE_EPOCH, which must be set, becomes the date of every file.
"""

import argparse
import hashlib
import os
import pathlib
import platform
import re
import shutil
import string
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
import zipfile
from xml.sax.saxutils import escape

import sbom

ROOT = pathlib.Path(__file__).resolve().parents[1]
TEXTS = {"LICENSE": ROOT / "LICENSE", "THIRD_PARTY_NOTICES": sbom.COPYRIGHT}
POM = string.Template((ROOT / "packaging/pom.xml").read_text(encoding="utf-8"))
COMPONENTS = ("library", "development", "litert", "tools", "tflite", "zsh")
NODE_ARCHITECTURE = {"x86_64": "x64", "aarch64": "arm64"}
MACHINES = (*NODE_ARCHITECTURE, "armv7l")
TFLITE_API = ("https://repo1.maven.org/maven2/org/tensorflow/tensorflow-lite-api/2.16.1/"
              "tensorflow-lite-api-2.16.1.aar")


class Missing(Exception):
    """Something that this machine lacks for an artifact."""


def run(command, **how):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, **how)
    if done.returncode != 0:
        raise Missing(f"{' '.join(map(str, command))}: {(done.stderr or done.stdout)[-500:]}")
    return done.stdout


def publisher(key):
    text = (ROOT / "packaging/publisher.env").read_text(encoding="utf-8")
    return re.search(f'^{key}="(.*)"$', text, re.MULTILINE).group(1)


def write_tar(path, folder, prefix, epoch):
    """A .tar.gz of `folder`, below `prefix`."""
    run(["tar", "--create", "--format=gnu", "--sort=name", f"--mtime=@{epoch}", "--owner=root:0",
         "--group=root:0", "--mode=u=rwX,go=rX", f"--transform=s,^[.],{prefix},S", "--directory",
         folder, "--use-compress-program=gzip -9n", "--file", path, "."])


class Release:
    def __init__(self, flags, work):
        self.build, self.dist, self.machine = flags.build.resolve(), flags.dist.resolve(), flags.machine
        self.zig = ROOT / f"build-zig-{self.machine}"
        self.own_library = flags.library
        text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
        self.version = re.search(r"project\(gles_delegate VERSION ([\d.]+)", text).group(1)
        self.epoch = int(os.environ["SOURCE_DATE_EPOCH"])
        self.name = f"gles_delegate-{self.version}-linux-{self.machine}"
        self.work = work
        self.dist.mkdir(parents=True, exist_ok=True)

    def installed(self):
        """A folder with all files, stripped."""
        folder = self.work / "installed"
        if not folder.exists():
            for component in COMPONENTS:
                run(["cmake", "--install", self.build, "--component", component, "--strip",
                     "--prefix", folder])
            for name, text in TEXTS.items():
                shutil.copy(text, folder / name)
        return folder

    def library(self):
        """The library of npm package, wheel and jar."""
        library = self.own_library or self.zig / "lib" / "libgles_delegate.so"
        if not library.exists():
            raise Missing(f"no {library}, for an older glibc")
        return library.resolve()

    def sbom_text(self):
        folder = self.installed()
        files = {str(path.relative_to(folder)): path for path in folder.rglob("*")
                 if path.is_file() and not path.is_symlink() and path.suffix != ".json"}
        return sbom.sbom(self.name, self.version, self.epoch, files, publisher("REPOSITORY_URL"))

    def make_sbom(self):
        (self.dist / f"{self.name}.spdx.json").write_text(self.sbom_text(), encoding="utf-8")

    def make_tarball(self):
        (self.installed() / "sbom.spdx.json").write_text(self.sbom_text(), encoding="utf-8")
        write_tar(self.dist / f"{self.name}.tar.gz", self.installed(), self.name, self.epoch)

    def make_npm(self):
        if self.machine not in NODE_ARCHITECTURE:
            raise Missing("tfjs-tflite-node has no TensorFlow Lite for it")
        folder = self.work / "npm"
        package = self.dist / f"gles-delegate-{self.version}.tgz"
        if package.exists():
            with tarfile.open(package) as archive:
                archive.extractall(self.work)
            (self.work / "package").rename(folder)
        architecture = NODE_ARCHITECTURE[self.machine]
        (folder / "lib" / architecture).mkdir(parents=True, exist_ok=True)
        for name in ("index.js", "index.d.ts", "package.json", "README.md"):
            shutil.copy(ROOT / "bindings" / "node" / name, folder)
        for name, text in TEXTS.items():
            shutil.copy(text, folder / name)
        shutil.copy(self.library(), folder / "lib" / architecture / "libgles_delegate.so")
        write_tar(package, folder, "package", self.epoch)

    def make_wheel(self):
        out = self.work / "wheel"
        run([sys.executable, "-B", ROOT / "bindings/python/make_wheel.py", self.library(), out,
             f"--tools={self.build}/wheel_tools", f"--machine={self.machine}"])
        for wheel in out.glob("*.whl"):
            self.repack(wheel, self.dist / wheel.name, {})

    def repack(self, source, target, more):
        """The zip file `source` and `more`, {name: bytes}, in order and with one date."""
        with zipfile.ZipFile(source) as old:
            content = {i.filename: (old.read(i), i.external_attr) for i in old.infolist()
                       if not i.is_dir()}
        content.update({name: (data, 0o644 << 16) for name, data in more.items()})
        self.write_zip(target, content)

    def write_zip(self, target, content):
        """`content`: {name: (bytes, mode)}."""
        date = time.gmtime(self.epoch)[:6]
        with zipfile.ZipFile(target, "w") as new:
            # The list of a wheel's files is its last, and a jar's manifest its first.
            for name in sorted(content, key=lambda n: (n != "META-INF/MANIFEST.MF",
                                                       n.endswith("/RECORD"), n)):
                entry = zipfile.ZipInfo(name, date)
                entry.external_attr = content[name][1]
                new.writestr(entry, content[name][0], zipfile.ZIP_DEFLATED, 9)

    def write_jar(self, kind, folder):
        """The files of `folder` as the jar of a kind, with the licences."""
        content = {str(path.relative_to(folder)): (path.read_bytes(), 0o644 << 16)
                   for path in folder.rglob("*") if path.is_file()}
        content.update({f"META-INF/{name}": (text.read_bytes(), 0o644 << 16)
                        for name, text in TEXTS.items()})
        self.write_zip(self.dist / f"gles-delegate-{self.version}-{kind}.jar", content)

    def make_jar(self):
        if shutil.which("javac") is None:
            raise Missing("no JDK (Debian: default-jdk-headless)")
        folder = self.work / "java"
        folder.mkdir(parents=True)
        try:
            urllib.request.urlretrieve(TFLITE_API, folder / "api.aar")
        except OSError as error:
            raise Missing(f"{TFLITE_API}: {error}") from error
        with zipfile.ZipFile(folder / "api.aar") as archive:
            archive.extract("classes.jar", folder)
        compiler = [] if self.own_library else [
            "-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={self.machine}",
            f"-DCMAKE_CXX_COMPILER={self.zig}/zig/bin/c++"]
        run(["cmake", "-S", ROOT / "bindings/java", "-B", folder / "build", *compiler,
             "-DCMAKE_SHARED_LINKER_FLAGS=-s", f"-DGLES_DELEGATE_LIBRARY={self.library()}",
             f"-DTFLITE_API_JAR={folder}/classes.jar",
             f"-DJAVA_HOME={pathlib.Path(shutil.which('javac')).resolve().parents[1]}"])
        run(["cmake", "--build", folder / "build"])
        jni = folder / "build" / "libgles_delegate_jni.so"
        inside = f"org/gles_delegate/linux-{self.machine}/"
        more = {inside + "libgles_delegate.so.1": self.library().read_bytes(),
                inside + jni.name: jni.read_bytes()}
        more.update({f"META-INF/{name}": text.read_bytes() for name, text in TEXTS.items()})
        jar = self.dist / f"gles-delegate-{self.version}.jar"
        if jar.exists():
            with zipfile.ZipFile(jar) as archive:
                more.update({name: archive.read(name) for name in archive.namelist()
                             if "/linux-" in name and not name.startswith(inside)})
        self.repack(folder / "build" / "gles-delegate.jar", jar, more)
        self.make_maven(folder)

    def make_maven(self, folder):
        """The files that Maven Central wants beside the jar."""
        sources = ROOT / "bindings" / "java" / "src" / "main" / "java"
        run(["javadoc", "-quiet", "-notimestamp", "-Xdoclint:all,-missing", "-classpath",
             folder / "classes.jar", "-d", folder / "javadoc", *sorted(sources.rglob("*.java"))])
        self.write_jar("sources", sources)
        self.write_jar("javadoc", folder / "javadoc")
        control = (ROOT / "debian/control").read_text(encoding="utf-8")
        name, address = re.search("^Maintainer: (.*) <(.*)>$", control, re.MULTILINE).groups()
        values = {"version": self.version, "url": publisher("REPOSITORY_URL"), "name": name,
                  "address": address, "api": TFLITE_API.split("/")[-2]}
        (self.dist / f"gles-delegate-{self.version}.pom").write_text(
            POM.substitute({key: escape(value) for key, value in values.items()}), encoding="utf-8")

    def make_debs(self):
        packages = list((self.build / "packages").glob("*.deb"))
        if not packages:
            raise Missing(f"no packages in {self.build}/packages")
        for package in packages:
            shutil.copy(package, self.dist)


ARTIFACTS = {"tarball": Release.make_tarball, "sbom": Release.make_sbom, "npm": Release.make_npm,
             "wheel": Release.make_wheel, "jar": Release.make_jar, "debs": Release.make_debs}


def write_sums(dist):
    files = sorted(path for path in dist.iterdir() if path.name != "SHA256SUMS")
    (dist / "SHA256SUMS").write_text("".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files),
        encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("dist", type=pathlib.Path)
    parser.add_argument("--machine", default=platform.machine(), choices=MACHINES)
    parser.add_argument("--only", default=",".join(ARTIFACTS))
    parser.add_argument("--library", type=lambda path: pathlib.Path(path).resolve())
    flags = parser.parse_args()
    if "SOURCE_DATE_EPOCH" not in os.environ:
        sys.exit("SOURCE_DATE_EPOCH is not set")
    missing = 0
    # A new one, because tests that run side by side make artifacts of one build folder.
    with tempfile.TemporaryDirectory(prefix="release-", dir=flags.build) as work:
        release = Release(flags, pathlib.Path(work).resolve())
        for name in flags.only.split(","):
            try:
                ARTIFACTS[name](release)
            except Missing as why:
                missing += 1
                print(f"NO {name.upper()} FOR {flags.machine}: {why}", file=sys.stderr)
        write_sums(release.dist)
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
