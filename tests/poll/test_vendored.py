"""What others made lies here as they published it."""

import gzip
import hashlib
import posixpath
import re
import tomllib
from pathlib import Path

import pytest
from veilmix.languages.language import languages
from veilmix.machines.web_files import accepts_gzip
from veilmix.poll.assets import (
    BARE,
    PATH,
    POLL_FOLDER,
    WRAPPER,
    asset_answer,
    assets,
    policy,
)

ROOT = Path(__file__).parents[2]
VENDOR = ROOT / "poll" / "vendor"
STATIC = ROOT / "poll" / "static"
LIST = tomllib.loads((VENDOR / "vendored.toml").read_text("utf-8"))
LONGEST = 350  # lines of a module of ours

NAMESPACE = "http://www.w3.org/2000/svg"  # a name of SVG, which nobody fetches


def test_every_file_has_the_hash_that_is_written_beside_it() -> None:
    listed = {entry["file"]: entry["sha256"] for entry in (*LIST["package"], LIST["licence"])}
    there = {path.name for path in VENDOR.iterdir()}
    assert there == {*listed, "vendored.toml"}
    for name, digest in listed.items():
        assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == digest, name


def test_version_licence_and_source_of_each_are_said() -> None:
    assert "Permission to use, copy, modify" in (VENDOR / "LICENSE").read_text("utf-8")
    for package in LIST["package"]:
        assert package["licence"] == "ISC"
        assert package["source"].endswith(f"/{package['name']}-{package['version']}.tgz")
        assert re.fullmatch(r"sha512-[A-Za-z0-9+/]{86}==", package["integrity"])


def test_what_is_served_is_what_lies_here() -> None:
    assert {path.name for path in POLL_FOLDER.glob("vendor/*.mjs")} == {
        package["file"] for package in LIST["package"]
    }
    sentences = {f"/sentences/{tag}.json": one.data for tag, one in languages().items()}
    assert sentences.keys() <= assets().keys()
    for name, asset in assets().items():
        here = sentences.get(name) or (POLL_FOLDER / name[1:]).read_bytes()
        if name == WRAPPER:
            assert here.count(BARE) == 1
            here = here.replace(BARE, PATH)
        assert asset.data == here
        assert gzip.decompress(asset.packed) == here


def test_every_import_names_a_file() -> None:
    """A browser without import maps knows no bare name, and would say "One moment" for ever."""
    imports = re.compile(rb"""(?:^|[;}\s])(?:import|export)\b[^"';()]*?from\s*["']([^"']+)["']""")
    found = 0
    for name, asset in assets().items():
        for where in imports.findall(asset.data):
            assert where.startswith((b"./", b"../")), (name, where)
            there = posixpath.normpath(posixpath.join(posixpath.dirname(name), where.decode()))
            assert there in assets(), (name, where)
            found += 1
    assert found > 40
    assert "importmap" not in (STATIC / "join.html").read_text("utf-8")


def test_what_tells_old_browsers_so_is_old_itself() -> None:
    text = (STATIC / "old.js").read_text("utf-8")
    code = re.sub(r"//.*|\"[^\"]*\"", "", text)
    assert not re.search(r"=>|\b(?:let|const|class|async|await|import|export)\b|`|\?\.|\?\?", code)


def test_a_browser_that_accepts_gzip_gets_it() -> None:
    path = "/vendor/libsodium-sumo.mjs"
    plain, packed = asset_answer(path, ""), asset_answer(path, "gzip, deflate, br")
    assert plain is not None
    assert packed is not None
    assert isinstance(packed.body, bytes)
    assert gzip.decompress(packed.body) == plain.body
    assert ("content-encoding", "gzip") in packed.headers
    assert not [name for name, _ in plain.headers if name == "content-encoding"]
    assert ("vary", "accept-encoding") in plain.headers
    assert sum(len(asset.packed) for asset in assets().values()) < 300_000  # bytes a phone
    assert asset_answer("/static/none.js", "gzip") is None


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        ("gzip", True),
        ("br, GZIP ; q=0.5", True),
        ("*", True),
        ("", False),
        ("br", False),
        ("gzip;q=0", False),
        ("gzip;q=0.000, *", False),
        ("identity", False),
    ],
)
def test_gzip_is_sent_only_where_it_is_accepted(header: str, accepted: bool) -> None:
    assert accepts_gzip(header) is accepted


def test_nothing_is_asked_of_another_computer() -> None:
    """Neither by a module of ours, nor by the policy."""
    for path in STATIC.iterdir():
        text = path.read_text("utf-8").replace(NAMESPACE, "")
        assert not re.search(r"https?://|//[a-z]+\.|document\.cookie|eval\(", text), path
        assert path.name == "slip.js" or "localStorage" not in text, path
        assert text.count("\n") <= LONGEST, path
    assert policy().startswith("default-src 'none'")
    assert "unsafe-inline" not in policy()
    assert "'unsafe-eval'" not in policy()
    assert "http" not in policy()
