"""The packages of docs/extending.md: their files, where Python finds them, and the commands."""

import tomllib
from pathlib import Path
from typing import Any

from examples import blocks

PAGE = (Path(__file__).parent.parent.parent / "docs" / "extending.md").read_text("utf-8")
OF_USERS, _, OF_ROLES = PAGE.partition("## An attack of each role\n")
PROJECTS = {"rival": "pyproject.toml", "cheats": "cheats/pyproject.toml"}


def files() -> dict[str, str]:
    """The files on the page, by the name in their first line."""
    named = {}
    for block in blocks(PAGE):
        first, _, rest = block.text.partition("\n")
        if first.startswith("# "):
            named[first.removeprefix("# ")] = rest
    return named


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
    named = files()
    about = tomllib.loads(named[PROJECTS[package]])["project"]
    (place / package).mkdir()
    (place / package / "__init__.py").touch()
    for name, text in named.items():
        if name.startswith(f"{package}/") or name.count("/") == 0:
            (place / name).write_text(text, "utf-8")
    register(place, about)


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
