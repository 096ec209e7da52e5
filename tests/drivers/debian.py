"""apt without the machine's state, and commands that say why they failed."""
import os
import pathlib
import re
import subprocess

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
DEFAULT_MIRROR = "http://deb.debian.org/debian"


class NotAvailable(Exception):
    """A driver's packages cannot be had here; the text says why."""


def last_lines(text, count=4):
    lines = [line for line in text.splitlines() if line.strip()]
    return " / ".join(lines[-count:])


def run_quietly(command, what, **keywords):
    """Runs `command`; NotAvailable with its last words where it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, **keywords)
    except OSError as error:
        raise NotAvailable(f"{what}: {error}") from error
    if done.returncode != 0:
        raise NotAvailable(f"{what} failed: {last_lines(done.stderr or done.stdout)}")
    return done.stdout


def mirror():
    """GLES_DELEGATE_DEBIAN_MIRROR, else the archive that this machine's apt uses."""
    if "GLES_DELEGATE_DEBIAN_MIRROR" in os.environ:
        return os.environ["GLES_DELEGATE_DEBIAN_MIRROR"]
    for path in [pathlib.Path("/etc/apt/sources.list"),
                 *sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*"))]:
        if not path.is_file():
            continue
        for url in re.findall(r"https?://\S+/debian/?(?=\s)", path.read_text(errors="replace")):
            return url.rstrip("/")
    return DEFAULT_MIRROR


def options(work, arch):
    for folder in ("parts", "lists/partial", "cache/archives/partial"):
        (work / folder).mkdir(parents=True, exist_ok=True)
    (work / "status").touch()
    settings = {
        "Dir::Etc::SourceList": "/dev/null", "Dir::Etc::SourceParts": work / "parts",
        "Dir::State::Lists": work / "lists", "Dir::State::status": work / "status",
        "Dir::Cache": work / "cache", "APT::Architecture": arch, "APT::Architectures": arch,
        "APT::Install-Recommends": "0", "APT::Sandbox::User": "root", "Debug::NoLocking": "1",
        "Acquire::Check-Valid-Until": "false", "Acquire::Languages": "none",
        "Acquire::Retries": "2",
        # A machine may list other contents of an archive, which take long.
        "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
    }
    return [part for name, value in settings.items() for part in ("-o", f"{name}={value}")]


def write_sources(work, kind, suite):
    """Has the apt of options() read Debian's `suite`. `kind`: "deb" or "deb-src"."""
    (work / "parts" / "debian.sources").write_text(
        f"Types: {kind}\nURIs: {mirror()}\nSuites: {suite}\nComponents: main\n"
        f"Signed-By: {KEYRING}\n")
