"""Every edit of one field of a run folder, generated from what stands in it.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).

A number becomes a larger one, a text another, a truth its opposite, what is there is missing, and
what is missing is there; a list loses its first element, or has it twice. Of lists of one kind the
first and the last element are edited (`ends`), of a transcript's lines the first of each kind.
"""

import base64
import gzip
import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
from veilmix.scenarios.records.result_file import RELEASE, RESULT, SCENARIO, TRANSCRIPT
from veilmix.scenarios.schema.dump import dump
from veilmix.scenarios.schema.model import Scenario

Edit = tuple[str, str, bytes | None]  # the file, what is edited in it, what it holds then


def edits(folder: Path) -> Iterator[Edit]:
    """Every edit of a run folder. A file that is gone is None."""
    yield from of_result(folder)
    yield from of_scenario(folder)
    yield from of_transcript(folder)
    yield from of_release(folder)


def of_result(folder: Path) -> Iterator[Edit]:
    """Edits of result.json."""
    plain = json.loads((folder / RESULT).read_bytes())
    for where, other in changed(plain):
        yield RESULT, where, json.dumps(other, indent=2, ensure_ascii=False).encode()
    yield RESULT, "all", None


def of_scenario(folder: Path) -> Iterator[Edit]:
    """Edits of scenario.toml that are scenarios, and say something else."""
    import tomllib

    text = (folder / SCENARIO).read_text("utf-8")
    first = msgspec.convert(tomllib.loads(text), Scenario)
    for where, other in changed(msgspec.to_builtins(first)):
        try:
            scenario = msgspec.convert(other, Scenario)
        except msgspec.ValidationError:
            continue
        if scenario != first and (data := dump(scenario)) != text:
            yield SCENARIO, where, data.encode()
    yield SCENARIO, "all", None


def of_transcript(folder: Path) -> Iterator[Edit]:
    """Edits of the first line of each kind of a transcript, and lines that are gone or twice."""
    lines = [
        json.loads(line)
        for line in gzip.decompress((folder / TRANSCRIPT).read_bytes()).splitlines()
    ]
    seen = set()
    for at, line in enumerate(lines[:-1]):
        kind = line["what"], line.get("kind"), line.get("to") == "board"
        if kind in seen:
            continue
        seen.add(kind)
        name = "-".join(str(word) for word in kind[:2] if word)
        for where, other in changed(line):
            yield packed(f"{name}: {where}", [*lines[:at], other, *lines[at + 1 :]])
        if at:
            yield packed(f"{name}: gone", [*lines[:at], *lines[at + 1 : -1], end(len(lines) - 1)])
            yield packed(f"{name}: twice", [*lines[:at], line, *lines[at:-1], end(len(lines) + 1)])
    yield TRANSCRIPT, "all", None


def packed(where: str, lines: list[Any]) -> Edit:
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    return TRANSCRIPT, where, gzip.compress(text.encode(), 1)


def end(many: int) -> dict[str, Any]:
    return {"what": "end", "lines": many}


def of_release(folder: Path) -> Iterator[Edit]:
    """Edits of release.csv."""
    path = folder / RELEASE
    if not path.exists():
        return
    rows = path.read_text("utf-8").splitlines()
    for at, row in enumerate(rows):
        cells = row.split(",")
        for place, cell in enumerate(cells):
            other = str(int(cell) + 1) if cell.isdecimal() else f"{cell}x"
            text = "\n".join([*rows[:at], ",".join([*cells[:place], other, *cells[place + 1 :]]),
                              *rows[at + 1 :], ""])  # fmt: skip
            yield RELEASE, f"line {at + 1}, cell {place + 1}", text.encode()
        yield RELEASE, f"line {at + 1} gone", "\n".join([*rows[:at], *rows[at + 1 :], ""]).encode()
    yield RELEASE, "all", None


def changed(value: Any) -> Iterator[tuple[str, Any]]:
    """The same data with one place edited, and where that is."""
    for path, others in places(value, ()):
        for what, other in others:
            yield ".".join(map(str, path)) + what, put(value, path, other)


def put(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    if not path:
        return other
    whole = deepcopy(value)
    inner = whole
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = other
    return whole


def places(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], list[Any]]]:
    """Every place of the data, with what may stand there instead."""
    if path:
        yield path, list(instead(value))
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*path, key))
        for key in value:
            yield path, [(f".{key} gone", {k: v for k, v in value.items() if k != key})]
    elif isinstance(value, list):
        for at in sorted({0, len(value) - 1}) if value else ():
            yield from places(value[at], (*path, at))


def instead(value: Any) -> Iterator[tuple[str, Any]]:
    """What may stand in the place of a value."""
    match value:
        case bool():
            yield "", not value
        case int():
            yield "", value + 1
            if value:
                yield " = 0", 0
        case float():
            yield "", value + 0.125 if value <= 0.5 else value - 0.125
            yield " = 0", 0.0 if value else 1e-3
        case str():
            yield "", flipped(value)
        case None:
            yield " = 1", 1
            yield " = text", "text"
        case list():
            yield " = []" if value else " = ['x']", [] if value else ["x"]
            if value:
                yield " less", value[1:]
                yield " twice", [value[0], *value]


def flipped(value: str) -> str:
    """Another text of the same kind: a bit of what is base64, another name with a number."""
    if len(value) >= 8:
        try:
            data = bytearray(base64.b64decode(value, validate=True))
        except ValueError:
            pass
        else:
            data[len(data) // 2] ^= 1
            return base64.b64encode(bytes(data)).decode()
    head, _, number = value.rpartition("-")
    return f"{head}-{int(number) + 1}" if head and number.isdecimal() else f"{value}x"
