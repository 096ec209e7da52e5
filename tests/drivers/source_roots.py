"""Folders with a library that is built from a Debian source package, for roots.py.

For a library of which Debian has the source and no package: Intel's of Mesa's drm-shims.
apt fetches the original source, and its keyring checks that source. meson and this
machine's compiler build one target of it; only that target's file is kept.
"""
import json
import os
import pathlib
import shutil

import debian

# Debian's own Python has the modules that a Debian package's build asks for.
SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
NEEDED = {"meson": "meson", "ninja": "ninja-build", "bison": "bison", "flex": "flex",
          "cc": "gcc", "pkg-config": "pkg-config"}


def request_of(wanted):
    """The sources of a root, to compare with its stamp."""
    return [wanted["source"], wanted["suite"], wanted["meson"], wanted["target"]]


def missing_programs():
    """Debian's packages of the programs that are not there."""
    return [package for program, package in NEEDED.items()
            if shutil.which(program, path=SYSTEM_PATH) is None]


def source_root(root, wanted, say):
    """Builds wanted["target"] into `root`. NotAvailable says what is missing for it."""
    missing = missing_programs()
    if missing:
        raise debian.NotAvailable(f"{wanted['target']} is built here, without {', '.join(missing)} "
                               f"it is not (python3-mako and libdrm-dev are needed, too)")
    shutil.rmtree(root, ignore_errors=True)
    work = root / "work"
    work.mkdir(parents=True)
    options = debian.options(root / "apt", "amd64")
    debian.write_sources(root / "apt", "deb-src", wanted["suite"])
    package = wanted["source"]
    say(f"Debian {wanted['suite']}: the source of {package}")
    debian.run_quietly(["apt-get", *options, "-qq", "update"], f"apt-get update ({package})")
    debian.run_quietly(["apt-get", *options, "-qq", "source", "--download-only", package],
                    f"apt-get source {package}", cwd=work)
    archive = next(iter(work.glob("*.orig.tar.*")), None)
    if archive is None:
        raise debian.NotAvailable(f"apt-get source {package} brought no original source")
    debian.run_quietly(["tar", "-xf", archive, "-C", work], f"tar of {archive.name}")
    source = next(path for path in work.iterdir() if path.is_dir())
    say(f"building {wanted['target']} of {source.name}")
    environment = dict(os.environ, PATH=SYSTEM_PATH)
    build = work / "build"
    debian.run_quietly(["meson", "setup", build, *wanted["meson"]], f"meson of {source.name}",
                    cwd=source, env=environment)
    debian.run_quietly(["ninja", "-C", build, wanted["target"]], f"build of {wanted['target']}",
                    env=environment)
    shutil.copy(build / wanted["target"], root / pathlib.Path(wanted["target"]).name)
    shutil.rmtree(work)
    shutil.rmtree(root / "apt")
    (root / "packages.json").write_text(json.dumps({package: source.name.split("-", 1)[-1]}))
    (root / "request.json").write_text(json.dumps(request_of(wanted)))
