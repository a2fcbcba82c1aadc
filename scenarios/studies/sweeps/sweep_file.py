"""The file of a sweep: JSON lines, a line for each run, each readable by itself.

    {"schema": 1, "key": {"mix.shufflers": 2, ...}, "number": 1, "seed": 7, "version": "0.1.0",
     "scenario": "a1b2...", "result": {...}, "error": null}

key: the keys of the scenario that were swept, as dotted paths, each with the value this run had.
number: which repetition, from 1. seed: None if system randomness was used. version: of veilmix.
scenario: the mark of the sweep (a hash), from all but the swept keys; sweeps with different marks
never share a file. result: as in result.json; of a run that crashed it is empty, and error has the
reason.

A run is known by (key, number, seed, version): of two lines with equal ones the last counts, so
that a sweep that was stopped goes on by adding lines. The last line may be cut off: it is then left
out.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from os import PathLike
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from ....analysis.estimation.mean_interval import MeanEstimate, estimate
from ....strict_text import Unreadable, converted, from_json
from ...lab.scoring.result import findings_of, is_released, result_type
from ...lab.scoring.result_schemas import current
from ...lab.scoring.score_plugins import Score, measure, own_scores
from ...serialization.transcripts import damaged

PEOPLE = ("user-", "peer-")  # parties that know their own values
SCHEMA = 1
Value = bool | int | float | str
Point = tuple[tuple[str, Value], ...]  # a swept key and its value, in the order of the file


class SweepLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The line of one run in the file of a sweep.

    Attributes:
        schema: the number of this format.
        key: the values that are swept.
        number: the number of the run at its point, from 1.
        seed: None: the system's randomness.
        version: the version of veilmix that wrote it.
        scenario: the mark of the sweep.
        result: the record of the run, as in result.json.
        error: the reason of a crash; None: it did not crash.
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
        """The point of this run on the grid."""
        return tuple(self.key.items())

    @property
    def name(self) -> tuple[Any, ...]:
        """The identity of the run: its values, number, seed and version."""
        return tuple(sorted(self.key.items())), self.number, self.seed, self.version


def grouped(lines: Sequence[SweepLine]) -> dict[Point, list[SweepLine]]:
    """Return the runs at each point of the grid."""
    groups: dict[Point, list[SweepLine]] = {}
    for line in lines:
        groups.setdefault(line.point, []).append(line)
    return groups


def written(line: SweepLine) -> bytes:
    """Return a line as bytes of the file, with its end."""
    return msgspec.json.encode(line) + b"\n"


def parse(data: bytes, path: Path) -> tuple[tuple[SweepLine, ...], bytes]:
    """Return the lines in the bytes of a file, and the beginning of a line that was cut off."""
    lines: dict[tuple[Any, ...], SweepLine] = {}
    texts = data.split(b"\n")
    for number, text in enumerate(texts, start=1):
        if not text.strip():
            continue
        try:
            line = _line(text)
        except Unreadable as bad:
            if number == len(texts):  # the last line is incomplete: writing was interrupted
                return tuple(lines.values()), text
            raise damaged(path, number, f"no line of a sweep: {bad.why}") from None
        if line.schema != SCHEMA:
            raise damaged(path, number, f"schema {line.schema}; this version reads {SCHEMA}")
        lines.pop(line.name, None)
        lines[line.name] = line
    return tuple(lines.values()), b""


def _line(text: bytes) -> SweepLine:
    """Return a decoded line, with its result checked as strictly as in a run folder. Unreadable."""
    line = from_json(text, SweepLine)
    if line.error is not None or line.schema != SCHEMA:
        return line
    result = current(line.result)
    try:
        converted(result, result_type(), "")
    except Unreadable as bad:
        raise Unreadable(1, f"result.{bad.why}") from None
    return replace(line, result=result)


def estimates(lines: Sequence[SweepLine]) -> Iterator[MeanEstimate]:
    """Yield the mean of every score over some runs, with its interval, if any run has the score."""
    yield from mean_scores([line.result for line in lines])


def mean_scores(results: Sequence[Mapping[str, Any]]) -> Iterator[MeanEstimate]:
    """Yield the mean of every score over some results, with its interval, if any has the score."""
    for name, unit, score in SCORES:
        values = [value for result in results if (value := score(result)) is not None]
        if values:
            exposed = unit.startswith("share") and "error" not in name
            yield estimate(name, values, minimum=0.0, maximum=1.0 if exposed else inf)


def _release_value(result: Mapping[str, Any], key: str) -> float | None:
    """Return a figure of a run's exposure; None without a release."""
    if not result.get("release") or not result.get("decision"):
        return None
    value: float | None = result["exposure"][key]
    return value


def _worst_case(result: Mapping[str, Any], end: str) -> float | None:
    """Return the lower or upper bound of the worst case; None if it was not computed."""
    worst = (result.get("exposure") or {}).get("worst_case")
    return float(worst[end]) if worst else None


def _columns(result: Mapping[str, Any]) -> float | None:
    """Return the number of released columns; None for programs that release estimates."""
    if findings_of(result, "randomized") or findings_of(result, "incidence"):
        return None
    return float(len(result["release"]["columns"])) if result.get("release") else 0.0


def columns_released(lines: Sequence[SweepLine]) -> frozenset[int]:
    """Return the numbers of columns that some runs released; empty if they release estimates."""
    numbers = (_columns(line.result) for line in lines)
    return frozenset(int(number) for number in numbers if number is not None)


def _reader(result: Mapping[str, Any], key: str) -> float | None:
    """Return the larger figure of the curator and the analyst, each alone; None without either."""
    numbers = [
        float(coalition[key])
        for coalition in result.get("coalitions", ())
        if coalition["parties"] in (["curator"], ["analyst"])
    ]
    return max(numbers, default=None)


def has_release(result: Mapping[str, Any]) -> bool:
    """Whether a run made a release, by the definition of `Outcome.released`."""
    decided = result.get("decision") or result.get("burned")
    return is_released(
        release=result.get("release"), findings=result.get("findings"), curated=decided
    )


def _noise(result: Mapping[str, Any], key: str) -> float | None:
    """Return an error of the estimates from noisy reports; None without noise."""
    local = findings_of(result, "randomized")
    return float(local["error"][key]) if local and local["error"] else None


def _budget(result: Mapping[str, Any]) -> float | None:
    """Return the epsilon of a whole answer before the mix; None if it holds only after the mix."""
    local = findings_of(result, "randomized")
    return None if not local or local["epsilon"].get("mixed") else float(local["epsilon"]["local"])


def _shuffled(result: Mapping[str, Any]) -> float | None:
    """Return the epsilon of a whole answer after the mix; the local epsilon if no better is known.

    None if the noise of more people would be needed, so that no epsilon is certified, or without
    noise.
    """
    local = findings_of(result, "randomized")
    if not local:
        return None
    budget, privacy = local["epsilon"], local["privacy"]
    parts = [float(question["hockey_stick"]) for question in privacy["shuffled"]]
    if privacy["together"]:
        return float(privacy["together"]["hockey_stick"])
    if budget.get("mixed"):
        from ...programs.randomized.privacy import MOST_NATS

        return sum(parts) if parts and max(parts) < MOST_NATS else None
    is_single = (
        len(parts) == len(privacy["readings"]) == 1
    )  # else the figure is about one of several questions
    return parts[0] if is_single else float(budget["local"])


def _information(result: Mapping[str, Any]) -> float | None:
    """Return the bits that a person's reports carry about its values."""
    local = findings_of(result, "randomized")
    information = local["privacy"]["information"] if local else None
    return None if information is None else float(information)


def _sets(result: Mapping[str, Any]) -> float | None:
    """Return the largest error of a count of sets; None for other programs."""
    sets = findings_of(result, "incidence")
    largest = sets["error"]["largest"] if sets else None
    return None if largest is None else float(largest)


def half(result: Mapping[str, Any]) -> float | None:
    """Return the mean number of other people linked by half of the peers; None without peers."""
    peers: Mapping[str, Any] = result.get("peers") or {"coalitions": (), "peers": 0}
    means = [
        coalition["people"]["mean"]
        for coalition in peers["coalitions"]
        if coalition["size"] == peers["peers"] // 2
    ]
    return float(means[0]) if means else None


def smallest_coalition(result: Mapping[str, Any]) -> float | None:
    """Return the size of the smallest coalition that links a person; None without such a coalition.

    Coalitions with people are left out, as people know their own values.
    """
    sizes = [
        len(coalition["parties"])
        for coalition in result.get("coalitions", ())
        if coalition["linked"]
        and not any(party.startswith(PEOPLE) for party in coalition["parties"])
    ]
    return float(min(sizes)) if sizes else None


def looks_like_one(path: str | PathLike[str]) -> bool:
    """Whether the first line of a file is a line of a sweep."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            first = file.readline()
    except OSError:
        return False
    return b'"key"' in first and b'"result"' in first  # other errors appear when the file is read


Read = Callable[[Mapping[str, Any]], float | None]


def _package_score(name: str, score: Score) -> Read:
    """Return the function that reads a score of another package from a result."""
    return lambda result: measure(name, score, converted(result, result_type(), ""))


# Each score of a sweep: (name, unit, function from a result to the value, None if it is missing).
BUILT_IN: tuple[tuple[str, str, Read], ...] = (
    ("released at all", "share of runs", lambda r: float(has_release(r))),
    ("true exposure", "share of people", lambda r: _release_value(r, "true")),
    ("promised exposure", "share of people", lambda r: _release_value(r, "promised")),
    ("worst possible exposure, at least", "share of people", lambda r: _worst_case(r, "low")),
    ("worst possible exposure, at most", "share of people", lambda r: _worst_case(r, "high")),
    ("columns released", "columns", _columns),
    ("linked by one reader alone", "people", lambda r: _reader(r, "linked")),
    ("fewest parties that link anybody", "parties", smallest_coalition),
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
SCORES: tuple[tuple[str, str, Read], ...] = (
    *BUILT_IN,
    *(
        (name, score.unit, _package_score(name, score))
        for name, score in own_scores().items()
        if name not in {name for name, _, _ in BUILT_IN}
    ),
)
