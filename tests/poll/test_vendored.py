"""What others made lies here as they published it."""

import hashlib
import re
import tomllib
from pathlib import Path

from veilmix.poll.assets import HERE, LIBSODIUM, assets, import_map, policy

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
    assert {path.name for path in HERE.glob("vendor/*.mjs")} == {
        package["file"] for package in LIST["package"]
    }
    for name, asset in assets().items():
        assert asset.data == (HERE / name[1:]).read_bytes()
    assert set(LIBSODIUM.values()) <= set(assets())
    for name, where in LIBSODIUM.items():
        assert f'"{name}"' in import_map()
        assert any(
            package["name"] == name and where.endswith(package["file"])
            for package in LIST["package"]
        )


def test_nothing_is_asked_of_another_computer() -> None:
    """Neither by a module of ours, nor by the policy."""
    for path in STATIC.iterdir():
        text = path.read_text("utf-8").replace(NAMESPACE, "")
        assert not re.search(r"https?://|//[a-z]+\.|document\.cookie|localStorage|eval\(", text), (
            path
        )
        assert text.count("\n") <= LONGEST, path
    assert policy().startswith("default-src 'none'")
    assert "unsafe-inline" not in policy()
    assert "'unsafe-eval'" not in policy()
    assert "http" not in policy()
