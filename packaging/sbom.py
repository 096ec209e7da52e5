"""The software bill of materials of a release, as SPDX 2.3 in JSON.

Names, copyrights and licences of what is linked in are those of debian/copyright; versions are
those of Debian's packages on the building machine and of ./dev's pins.
"""

import datetime
import hashlib
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
COPYRIGHT = ROOT / "debian" / "copyright"
SPDX = {"Apache-2.0": "Apache-2.0", "Expat": "MIT", "BSD-2-clause": "BSD-2-Clause",
        "Apache-2.0 with LLVM-exception": "Apache-2.0 WITH LLVM-exception",
        "GPL-3+ with GCC-exception": "GPL-3.0-or-later WITH GCC-exception-3.1"}
# Each part with the Debian package that it is compiled from, or the variable in ./dev.
VERSION_OF = {
    "abseil": "ABSEIL_UPSTREAM", "flatbuffers": "libflatbuffers-dev",
    "nlohmann-json": "nlohmann-json3-dev", "toml++": "libtomlplusplus-dev", "stb": "libstb-dev",
    "xxhash": "libxxhash-dev", "libstdc++": "g++", "libjnitensorflowlite.so": "TFLITE_MAVEN"}


def parts(text):
    """[(name, copyright, licence)] of the paragraphs of a copyright file.

    >>> parts("Files: *\\nCopyright: A\\nLicense: Expat\\n\\nFiles: a b\\nCopyright: B,\\n C\\n"
    ...       "License: Apache-2.0\\n\\nLicense: Expat\\n Permission...")
    [('*', 'A', 'MIT'), ('a', 'B, C', 'Apache-2.0')]
    """
    found = []
    for paragraph in text.split("\n\n"):
        fields = dict(re.findall(r"^(\w+): (.*(?:\n .*)*)", paragraph, re.MULTILINE))
        if "Files" in fields:
            found.append((fields["Files"].split()[0], " ".join(fields["Copyright"].split()),
                          SPDX[fields["License"]]))
    return found


def version_of(name):
    """The version of a part on this machine; SPDX has no word for an unknown one but none."""
    source = VERSION_OF[name]
    if source.isupper():
        text = (ROOT / "dev").read_text(encoding="utf-8")
        return re.search(rf"^{source}=(.+)$", text, re.MULTILINE).group(1)
    done = subprocess.run(["dpkg-query", "-W", "-f=${Version}", source], capture_output=True,
                          text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else "NOASSERTION"


def sbom(name, version, epoch, files, url):
    """The document for `files`, {name in the archive: path}."""
    own, *others = parts(COPYRIGHT.read_text(encoding="utf-8"))
    packages = [{
        "SPDXID": "SPDXRef-Package", "name": "gles_delegate", "versionInfo": version,
        "downloadLocation": url or "NOASSERTION", "filesAnalyzed": True,
        "licenseConcluded": own[2], "licenseDeclared": own[2], "copyrightText": own[1]}]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-Package")]
    names = {pathlib.PurePath(path).name for path in files}
    for part, text, licence in others:
        # Of the wheels alone, or of the programs, which not every archive has.
        if part not in VERSION_OF or (part.endswith(".so") and part not in names):
            continue
        identity = "SPDXRef-" + re.sub("[^A-Za-z0-9]+", "-", part).strip("-")
        packages.append({
            "SPDXID": identity, "name": part, "versionInfo": version_of(part),
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": text})
        relations.append(("SPDXRef-Package", "CONTAINS", identity))
    listed = []
    for number, (path, file) in enumerate(sorted(files.items())):
        content = pathlib.Path(file).read_bytes()
        listed.append({
            "SPDXID": f"SPDXRef-File-{number}", "fileName": "./" + path,
            "checksums": [{"algorithm": a.upper(),
                           "checksumValue": hashlib.new(a, content).hexdigest()}
                          for a in ("sha1", "sha256")],
            "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION"})
        relations.append(("SPDXRef-Package", "CONTAINS", f"SPDXRef-File-{number}"))
    # SPDX's sum over all files: of their sorted SHA-1 sums.
    sums = sorted(file["checksums"][0]["checksumValue"] for file in listed)
    packages[0]["packageVerificationCode"] = {
        "packageVerificationCodeValue": hashlib.sha1("".join(sums).encode()).hexdigest()}
    digest = hashlib.sha256(json.dumps(listed, sort_keys=True).encode()).hexdigest()
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc)
    return json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": name, "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{digest[:32]}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: gles_delegate-packaging/sbom.py"]},
        "packages": packages, "files": listed,
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
                          for a, kind, b in relations]}, indent=1) + "\n"
