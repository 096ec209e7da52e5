"""The build backend: scikit-build-core, without source distributions, and the project's URLs.

The wheel's library is built from the whole source tree, which is above this folder.
"""
import contextlib
import pathlib
import re

from scikit_build_core.build import *  # noqa: F401,F403  # pylint: disable=wildcard-import,unused-wildcard-import

HERE = pathlib.Path(__file__).resolve().parent
PUBLISHER = HERE.parents[1] / "packaging" / "publisher.env"
# license-files finds what is in this folder alone.
for name, text in (("LICENSE", "../../LICENSE"), ("THIRD_PARTY_NOTICES", "../../debian/copyright")):
    with contextlib.suppress(FileExistsError):
        (HERE / name).symlink_to(text)


def build_sdist(*_args, **_kwargs):
    raise SystemExit("gles-delegate has no source distribution: its library is built from the whole "
                     "source tree. Clone that and run `./dev wheel`, or `pip wheel --no-deps "
                     "bindings/python` in it.")


def get_requires_for_build_sdist(*_args, **_kwargs):
    return []


def dynamic_metadata(field, _settings):
    """The provider of [project.urls]; none until the publisher has filled in the address."""
    assert field == "urls", field
    found = re.search('^REPOSITORY_URL="(.+)"$', PUBLISHER.read_text(encoding="utf-8"), re.MULTILINE)
    if not found:
        return {}
    url = found.group(1).rstrip("/")
    return {"Homepage": url, "Source": url, "Issues": url + "/issues",
            "Changelog": url + "/blob/main/CHANGELOG.md"}
