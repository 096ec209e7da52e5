"""Folders with the files of Debian and npm packages, for drivers_lab.py.

Nothing is installed: apt resolves and downloads with lists, cache and package
state of its own, packages are unpacked side by side, and programs are started
through the loader of the folder (drivers_lab.py). No user but oneself is needed,
no chroot and no mount.
"""
import base64
import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import subprocess

import debian
import source_roots
from debian import NotAvailable, run_quietly

SKIPPED = 77  # the exit status that CTest takes for a skip


def add_flag(parser):
    """--roots_dir: the folder below which the roots are."""
    own = pathlib.Path(__file__).resolve().parents[2] / ".deps" / "drivers"
    parser.add_argument(
        "--roots_dir", type=pathlib.Path,
        default=pathlib.Path(os.environ.get("GLES_DELEGATE_DRIVERS_DIR", own)).resolve(),
        help="where packages are unpacked (GLES_DELEGATE_DRIVERS_DIR)")


def unpacked_version(root, package):
    """The version of `package` in a root that debian_root() made; "" without."""
    return json.loads((root / "packages.json").read_text()).get(package, "")


@contextlib.contextmanager
def locked(root):
    """Keeps other processes from making `root` meanwhile: tests start at the same time."""
    root.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{root}.lock", "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def debian_root(root, suite, arch, packages, say):
    """Unpacks `packages` of Debian's `suite` with all that they need into `root`.

    A root that is there already for the same request is left as it is.
    """
    request = json.dumps([suite, arch, sorted(packages)])
    stamp = root / "request.json"
    if is_there(root, {"suite": suite, "arch": arch, "packages": packages}):
        return
    if shutil.which("apt-get") is None or not os.path.exists(debian.KEYRING):
        raise NotAvailable("no apt-get with the keyring of Debian's archive")
    shutil.rmtree(root, ignore_errors=True)
    work = root / "apt"
    options = debian.options(work, arch)
    debian.write_sources(work, "deb", suite)
    say(f"Debian {suite} {arch}: list of packages from {debian.mirror()}")
    run_quietly(["apt-get", *options, "-qq", "update"], f"apt-get update ({suite} {arch})")
    say(f"Debian {suite} {arch}: {' '.join(packages)}")
    run_quietly(["apt-get", *options, "-qq", "-y", "--download-only", "install", *packages],
                f"apt-get download ({suite} {arch})")
    versions = {}
    archives = sorted((work / "cache/archives").glob("*.deb"))
    for archive in archives:
        name, version = subprocess.check_output(
            ["dpkg-deb", "-W", "--showformat=${Package} ${Version}", archive],
            text=True).split()
        versions[name] = version
        run_quietly(["dpkg-deb", "-x", archive, root], f"dpkg-deb -x {archive.name}")
    if not versions:
        raise NotAvailable(f"apt-get downloaded nothing for {' '.join(packages)}")
    merge_usr(root)
    own_vulkan_drivers(root)
    shutil.rmtree(work)
    (root / "packages.json").write_text(json.dumps(versions, indent=1, sort_keys=True))
    stamp.write_text(request)


def merge_usr(root):
    """Makes /lib and its like links into /usr, as installing base-files does."""
    for name in ("lib", "lib64", "bin", "sbin"):
        old, new = root / name, root / "usr" / name
        if old.is_symlink() or (not old.exists() and not new.exists()):
            continue
        if old.is_dir():
            shutil.copytree(old, new, symlinks=True, dirs_exist_ok=True)
            shutil.rmtree(old)
        old.symlink_to(pathlib.Path("usr") / name)


def own_vulkan_drivers(root):
    """Has the files that name Vulkan drivers name those of this root."""
    for path in root.glob("usr/share/vulkan/icd.d/*.json"):
        icd = json.loads(path.read_text())
        library = pathlib.Path(icd["ICD"]["library_path"]).name
        found = next(root.glob(f"usr/lib/*/{library}"), None)
        if found is not None:
            icd["ICD"]["library_path"] = str(found)
            path.write_text(json.dumps(icd))


def npm_files(root, package, integrity, unpack, say):
    """Unpacks a pinned npm package, and the brotli-packed tars in it, into `root`."""
    stamp = root / "request.json"
    request = json.dumps([package, integrity, unpack])
    if is_there(root, {"npm": package, "integrity": integrity, "unpack": unpack}):
        return
    if shutil.which("npm") is None or shutil.which("node") is None:
        raise NotAvailable("no npm (Debian: npm)")
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    say(f"npm pack {package}")
    authorities = "/etc/ssl/certs/ca-certificates.crt"
    environment = dict(os.environ)
    if os.path.exists(authorities):
        environment.setdefault("NODE_EXTRA_CA_CERTS", authorities)
    run_quietly(["npm", "pack", package, "--ignore-scripts", "--loglevel=error"],
                f"npm pack {package}", cwd=root, env=environment)
    tarball = next(root.glob("*.tgz"))
    digest = base64.b64encode(hashlib.sha512(tarball.read_bytes()).digest()).decode()
    if digest != integrity:
        raise NotAvailable(f"{package} is not what was pinned: its SHA-512 is sha512-{digest}")
    for member in unpack:
        run_quietly(["tar", "-xzf", tarball, "-C", root, member], f"tar of {member}")
        packed = root / member
        plain = packed.with_suffix("")
        script = ("const fs=require('fs'),z=require('zlib');"
                  "fs.writeFileSync(process.argv[2],z.brotliDecompressSync("
                  "fs.readFileSync(process.argv[1])))")
        run_quietly(["node", "-e", script, packed, plain], f"brotli of {member}")
        run_quietly(["tar", "-xf", plain, "-C", root], f"tar of {plain.name}")
        plain.unlink()
    tarball.unlink()
    shutil.rmtree(root / "package", ignore_errors=True)
    stamp.write_text(request)


def is_there(root, wanted):
    """Whether `root` holds what a description wants, so that nothing is fetched."""
    stamp = root / "request.json"
    if not stamp.exists():
        return False
    if "source" in wanted:
        request = source_roots.request_of(wanted)
    elif "npm" in wanted:
        request = [wanted["npm"], wanted["integrity"], wanted["unpack"]]
    else:
        request = [wanted["suite"], wanted["arch"], sorted(wanted["packages"])]
    return json.loads(stamp.read_text()) == request


def root_of(place, wanted, say):
    """Makes the root unless it is there. Its package and that one's version."""
    if "npm" in wanted:
        npm_files(place, wanted["npm"], wanted["integrity"], wanted["unpack"], say)
        return wanted["npm"].rsplit("@", 1)
    if "source" in wanted:
        if not is_there(place, wanted):
            source_roots.source_root(place, wanted, say)
        return (f"{wanted['source']}, the source of its shim",
                unpacked_version(place, wanted["source"]))
    debian_root(place, wanted["suite"], wanted["arch"], wanted["packages"], say)
    return wanted["version_of"], unpacked_version(place, wanted["version_of"])


def prepare(all_roots, description, folder, fetch, say):
    """The folders of a driver's packages and these packages' versions, by name.

    fetch: what is not in `folder` yet is fetched; else NotAvailable is raised.
    """
    places, versions = {}, {}
    for name in description.get("roots", []):
        wanted, place = all_roots[name], folder / name
        if not fetch and not is_there(place, wanted):
            raise NotAvailable(f"its packages are not in {place}; GLES_DELEGATE_FETCH_WHEELS=1 "
                               f"or ./dev drivers {description['name']} fetches them")
        with contextlib.nullcontext() if is_there(place, wanted) else locked(place):
            package, version = root_of(place, wanted, say)
        versions[package] = version
        places[name] = place
    return places, versions
