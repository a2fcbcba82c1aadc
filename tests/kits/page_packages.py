"""The packages of docs/extending.md: their files, where Python finds them, and the commands."""

import shutil
import tomllib
from pathlib import Path
from typing import Any

from examples import blocks

DOCS = Path(__file__).parent.parent.parent / "docs"
PACKAGES = DOCS / "packages"
PAGE = (DOCS / "extending.md").read_text("utf-8")
OF_USERS, _, OF_ROLES = PAGE.partition("## An attack of each role\n")


def commands(page: str) -> list[tuple[list[str], list[str]]]:
    """The commands on a part of the page, each with the pieces of output under it."""
    pairs: list[tuple[list[str], list[str]]] = []
    for block in blocks(page):
        for line in block.text.splitlines() if block.language == "console" else ():
            if line.startswith("$ veilmix "):
                pairs.append((line.removeprefix("$ veilmix ").split(), []))
            else:
                pairs[-1][1].append(line)
    return pairs


def install(place: Path, package: str) -> None:
    """Put a package where Python finds it, with what pip writes beside it, and the scenarios."""
    folder = PACKAGES / package
    unread = shutil.ignore_patterns("__pycache__", "pyproject.toml")
    shutil.copytree(folder, place, ignore=unread, dirs_exist_ok=True)
    register(place, tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"])


def register(place: Path, about: dict[str, Any]) -> None:
    """Write what an installer leaves of a project: its name, version and entry points."""
    name, version = about["name"], about["version"]
    info = place / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n", "utf-8")
    groups = (
        f"[{group}]\n" + "".join(f"{point} = {at}\n" for point, at in points.items())
        for group, points in about["entry-points"].items()
    )
    (info / "entry_points.txt").write_text("\n".join(groups), "utf-8")
