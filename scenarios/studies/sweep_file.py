"""The file of a sweep: JSON lines, one a run, each whole by itself.

    {"schema": 1, "key": {"mix.shufflers": 2, ...}, "number": 1, "seed": 7, "version": "0.1.0",
     "scenario": "a1b2...", "result": {...}, "error": null}

key: the keys of the scenario that were swept, as dotted paths, each with the value this run had.
number: which repetition, from 1. seed: None where system randomness was used. version: of veilmix.
scenario: the mark of what was swept, all but the swept keys; two different ones never share a file.
result: as in result.json; of a run that crashed it is empty, and error says how. A run is known by
(key, number, seed, version): of two lines with the same one the last counts, so that a sweep that
was stopped goes on by adding lines. The last line may be cut off: it is then left out.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from os import PathLike
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from ...strict_text import Unreadable, converted, from_json
from ..mean import Estimate, estimate
from ..scoring.result import findings_of, is_released, result_type
from ..scoring.result_schemas import current
from ..serialization.transcripts import damaged

PEOPLE = ("user-", "peer-")  # who knows its own values
SCHEMA = 1
Value = bool | int | float | str
Point = tuple[tuple[str, Value], ...]  # a swept key and its value, in the order of the file


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One run of a sweep.

    Attributes:
        schema: the number of this format.
        key: the values that are swept.
        number: of the run at its point, from 0.
        seed: None: the system's randomness.
        version: of veilmix.
        scenario: the mark of what is swept.
        result: what result.json would say.
        error: why it crashed; None: it did not.
    """

    schema: int = SCHEMA
    key: dict[str, Value]
    number: int = 0
    seed: int | None
    version: str
    scenario: str = ""
    result: dict[str, Any]
    error: str | None = None

    @property
    def point(self) -> Point:
        """Where on the grid this run is."""
        return tuple(self.key.items())

    @property
    def name(self) -> tuple[Any, ...]:
        """What tells this run from the others."""
        return tuple(sorted(self.key.items())), self.number, self.seed, self.version


def grouped(lines: Sequence[Line]) -> dict[Point, list[Line]]:
    """The runs at each point."""
    groups: dict[Point, list[Line]] = {}
    for line in lines:
        groups.setdefault(line.point, []).append(line)
    return groups


def written(line: Line) -> bytes:
    """A line of the file, with its end."""
    return msgspec.json.encode(line) + b"\n"


def parse(data: bytes, path: Path) -> tuple[tuple[Line, ...], bytes]:
    """Take the bytes of a file apart: its lines, and the beginning of one that was cut off."""
    lines: dict[tuple[Any, ...], Line] = {}
    texts = data.split(b"\n")
    for number, text in enumerate(texts, start=1):
        if not text.strip():
            continue
        try:
            line = _line(text)
        except Unreadable as bad:
            if number == len(texts):  # no end of line follows: it was being written
                return tuple(lines.values()), text
            raise damaged(path, number, f"no line of a sweep: {bad.why}") from None
        if line.schema != SCHEMA:
            raise damaged(path, number, f"schema {line.schema}; this version reads {SCHEMA}")
        lines.pop(line.name, None)
        lines[line.name] = line
    return tuple(lines.values()), b""


def _line(text: bytes) -> Line:
    """Decode a line, and its result as strictly as that of a run folder. Raises Unreadable."""
    line = from_json(text, Line)
    if line.error is not None or line.schema != SCHEMA:
        return line
    result = current(line.result)
    try:
        converted(result, result_type(), "")
    except Unreadable as bad:
        raise Unreadable(1, f"result.{bad.why}") from None
    return replace(line, result=result)


def estimates(lines: Sequence[Line]) -> Iterator[Estimate]:
    """The mean of every score over some runs, with its interval; those that no run has left out."""
    for name, unit, score in SCORES:
        values = [value for line in lines if (value := score(line.result)) is not None]
        if values:
            exposed = unit.startswith("share") and "error" not in name
            yield estimate(name, values, least=0.0, most=1.0 if exposed else inf)


def _of_release(result: Mapping[str, Any], which: str) -> float | None:
    if not result.get("release") or not result.get("decision"):
        return None
    value: float | None = result["exposure"][which]
    return value


def _columns(result: Mapping[str, Any]) -> float | None:
    if findings_of(result, "randomized") or findings_of(result, "incidence"):
        return None
    return float(len(result["release"]["columns"])) if result.get("release") else 0.0


def columns_released(lines: Sequence[Line]) -> frozenset[int]:
    """The numbers of columns that some runs released; none of runs that release estimates."""
    numbers = (_columns(line.result) for line in lines)
    return frozenset(int(number) for number in numbers if number is not None)


def _reader(result: Mapping[str, Any], what: str) -> float | None:
    """The most that one reader by itself has."""
    numbers = [
        float(coalition[what])
        for coalition in result.get("coalitions", ())
        if coalition["parties"] in (["curator"], ["analyst"])
    ]
    return max(numbers, default=None)


def has_release(result: Mapping[str, Any]) -> bool:
    """Whether a run released anything, by the definition of `Outcome.released`."""
    decided = result.get("decision") or result.get("burned")
    return is_released(
        release=result.get("release"), findings=result.get("findings"), curated=decided
    )


def _noise(result: Mapping[str, Any], which: str) -> float | None:
    local = findings_of(result, "randomized")
    return float(local["error"][which]) if local and local["error"] else None


def _budget(result: Mapping[str, Any]) -> float | None:
    """The epsilon of a person's whole answer before the mix; None where nothing holds before it."""
    local = findings_of(result, "randomized")
    return None if not local or local["epsilon"].get("mixed") else float(local["epsilon"]["local"])


def _shuffled(result: Mapping[str, Any]) -> float | None:
    """The epsilon of a whole answer after the mix; the local one where nothing better is known.

    None where the noise of more people would be needed, so that nothing is promised.
    """
    local = findings_of(result, "randomized")
    if not local:
        return None
    budget, privacy = local["epsilon"], local["privacy"]
    parts = [float(question["hockey_stick"]) for question in privacy["shuffled"]]
    if privacy["together"]:
        return float(privacy["together"]["hockey_stick"])
    if budget.get("mixed"):
        from ..programs.randomized.privacy import MOST_NATS

        return sum(parts) if parts and max(parts) < MOST_NATS else None
    alone = (
        len(parts) == len(privacy["readings"]) == 1
    )  # else it is that of one question of several
    return parts[0] if alone else float(budget["local"])


def _information(result: Mapping[str, Any]) -> float | None:
    """The bits that a person's reports carry about its values."""
    local = findings_of(result, "randomized")
    told = local["privacy"]["information"] if local else None
    return None if told is None else float(told)


def _sets(result: Mapping[str, Any]) -> float | None:
    sets = findings_of(result, "incidence")
    largest = sets["error"]["largest"] if sets else None
    return None if largest is None else float(largest)


def half(result: Mapping[str, Any]) -> float | None:
    """Among peers: others of whom half of them pin a value, on average; None anywhere else."""
    peers: Mapping[str, Any] = result.get("peers") or {"coalitions": (), "peers": 0}
    means = [
        coalition["people"]["mean"]
        for coalition in peers["coalitions"]
        if coalition["size"] == peers["peers"] // 2
    ]
    return float(means[0]) if means else None


def least(result: Mapping[str, Any]) -> float | None:
    """The fewest parties, people aside, that link anybody together; None where none can."""
    sizes = [
        len(coalition["parties"])
        for coalition in result.get("coalitions", ())
        if coalition["linked"]
        and not any(party.startswith(PEOPLE) for party in coalition["parties"])
    ]
    return float(min(sizes)) if sizes else None


def looks_like_one(path: str | PathLike[str]) -> bool:
    """Whether the first line of a file is one of a sweep's."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            first = file.readline()
    except OSError:
        return False
    return b'"key"' in first and b'"result"' in first  # what else is wrong, reading it says


# score -> its unit, and how it is read from a result; None where a run has it not
SCORES: tuple[tuple[str, str, Callable[[Mapping[str, Any]], float | None]], ...] = (
    ("released at all", "share of runs", lambda r: float(has_release(r))),
    ("true exposure", "share of people", lambda r: _of_release(r, "true")),
    ("promised exposure", "share of people", lambda r: _of_release(r, "promised")),
    ("columns released", "columns", _columns),
    ("linked by one reader alone", "people", lambda r: _reader(r, "linked")),
    ("fewest parties that link anybody", "parties", least),
    ("others linked by half of the peers", "people", half),
    ("bits to one reader", "bits per person", lambda r: _reader(r, "bits_per_person")),
    ("largest error of a share", "share of people", lambda r: _noise(r, "largest")),
    ("mean error of a share", "share of people", lambda r: _noise(r, "mean")),
    ("local epsilon", "nats", _budget),
    ("epsilon after shuffling", "nats", _shuffled),
    ("bits in a person's reports", "bits per person", _information),
    ("largest error of a count", "sets", _sets),
    ("messages refused", "messages", lambda r: float(sum(r.get("refused", {}).values()))),
)
