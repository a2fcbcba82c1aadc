"""The file of a sweep: JSON lines, a line for each run, each readable by itself.

    {"schema": 1, "key": {"mix.shufflers": 2, ...}, "number": 1, "seed": 7, "version": "0.1.0",
     "scenario": "a1b2...", "result": {...}, "error": null}

key: the swept keys of the scenario, as dotted paths, each with the value that this run had. number:
the number of the repetition, from 1. seed: None if system randomness was used. version: of veilmix.
scenario: a hash of all inputs of the sweep but the swept keys and seeds; runs with different hashes
never share a file. result: as in result.json. For a run that crashed the result is empty, and error
has the reason.

Two lines with equal (key, number, seed, version) are of the same run, and the last one counts: a
sweep that was stopped goes on by adding lines. A last line that was cut off is left out.
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

PEOPLE = ("user-", "peer-")  # prefixes of the names of people, who know their own values
SCHEMA = 1
Value = bool | int | float | str
Point = tuple[tuple[str, Value], ...]  # the swept keys with their values, in the order of the file


class SweepLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The line of one run in the file of a sweep.

    Attributes:
        schema: the number of this file format.
        key: swept scenario key (dotted path) -> its value in this run.
        number: the number of the repetition with these values, from 1.
        seed: the seed of the run; None: system randomness.
        version: the version of veilmix that wrote the line.
        scenario: a hash of all inputs of the sweep but the swept keys and seeds.
        result: the record of the run, as in result.json; empty after a crash.
        error: the reason of a crash; None: the run did not crash.
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
        """The swept keys with their values in this run."""
        return tuple(self.key.items())

    @property
    def name(self) -> tuple[Any, ...]:
        """The identity of the run: its swept values, repetition, seed and version."""
        return tuple(sorted(self.key.items())), self.number, self.seed, self.version


def grouped(lines: Sequence[SweepLine]) -> dict[Point, list[SweepLine]]:
    """Return the runs of a sweep, grouped by their swept keys and values."""
    groups: dict[Point, list[SweepLine]] = {}
    for line in lines:
        groups.setdefault(line.point, []).append(line)
    return groups


def written(line: SweepLine) -> bytes:
    """Return the line of a run as bytes of the sweep's file, with a newline."""
    return msgspec.json.encode(line) + b"\n"


def parse(data: bytes, path: Path) -> tuple[tuple[SweepLine, ...], bytes]:
    """Return the lines in the bytes of a sweep's file, and the rest: a last line that was cut off.

    Raises StorageError, with file and line number, for other text. path: the file's path, for
    errors.
    """
    lines: dict[tuple[Any, ...], SweepLine] = {}
    texts = data.split(b"\n")
    for number, text in enumerate(texts, start=1):
        if not text.strip():
            continue
        try:
            line = _line(text)
        except Unreadable as bad:
            # the last line may be incomplete, if writing was interrupted: it is left out
            if number == len(texts):
                return tuple(lines.values()), text
            raise damaged(path, number, f"no line of a sweep: {bad.why}") from None
        if line.schema != SCHEMA:
            raise damaged(path, number, f"schema {line.schema}; this version reads {SCHEMA}")
        lines.pop(line.name, None)
        lines[line.name] = line
    return tuple(lines.values()), b""


def _line(text: bytes) -> SweepLine:
    """Return a decoded line of a sweep's file; its result is checked as strictly as a result.json.

    Raises Unreadable.
    """
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
    """Yield the mean of each score over some runs of a sweep, with its interval.

    A score that no run has is left out.
    """
    yield from mean_scores([line.result for line in lines])


def mean_scores(results: Sequence[Mapping[str, Any]]) -> Iterator[MeanEstimate]:
    """Yield the mean of each score over some runs, with its interval.

    A score that is a share of people or runs, such as the exposure, has an interval within 0 to 1.
    The error of an estimated share has no maximum, as unbiased estimates may lie outside 0 to 1.

    results: the result.json of each run. A score that no run has is left out.
    """
    for name, unit, score in SCORES:
        values = [value for result in results if (value := score(result)) is not None]
        if values:
            exposed = unit.startswith("share") and "error" not in name
            yield estimate(name, values, minimum=0.0, maximum=1.0 if exposed else inf)


def _release_value(result: Mapping[str, Any], key: str) -> float | None:
    """Return a number of a run's exposure, as a share of people; None without a release.

    key: its name in `exposure` of result.json: `true` or `promised`.
    """
    if not result.get("release") or not result.get("decision"):
        return None
    value: float | None = result["exposure"][key]
    return value


def _worst_case(result: Mapping[str, Any], end: str) -> float | None:
    """Return a bound on the worst-case exposure of a run; None if it was not computed.

    end: `low`, a lower bound, or `high`, an upper bound. The unit is the share of people.
    """
    worst = (result.get("exposure") or {}).get("worst_case")
    return float(worst[end]) if worst else None


def _columns(result: Mapping[str, Any]) -> float | None:
    """Return a run's number of released columns; None if its release program estimates."""
    if findings_of(result, "randomized") or findings_of(result, "incidence"):
        return None
    return float(len(result["release"]["columns"])) if result.get("release") else 0.0


def columns_released(lines: Sequence[SweepLine]) -> frozenset[int]:
    """Return each number of released columns that occurs in a run of a sweep, such as {0, 3}.

    Empty if the runs release estimates.
    """
    numbers = (_columns(line.result) for line in lines)
    return frozenset(int(number) for number in numbers if number is not None)


def _reader(result: Mapping[str, Any], key: str) -> float | None:
    """Return the leakage to a single reader: the larger of the curator's and the analyst's.

    key: the name of the number in the coalitions of result.json. None if neither was scored.
    """
    numbers = [
        float(coalition[key])
        for coalition in result.get("coalitions", ())
        if coalition["parties"] in (["curator"], ["analyst"])
    ]
    return max(numbers, default=None)


def has_release(result: Mapping[str, Any]) -> bool:
    """Whether a run made a release: a table, or estimates from randomized reports.

    Estimates count only without a curator's decision and without an aborted round (`burned`).
    result: its result.json.
    """
    decided = result.get("decision") or result.get("burned")
    return is_released(
        release=result.get("release"), findings=result.get("findings"), curated=decided
    )


def _noise(result: Mapping[str, Any], key: str) -> float | None:
    """Return an error of the shares that are estimated from noisy reports; None without noise.

    key: `largest` or `mean`, over all values.
    """
    local = findings_of(result, "randomized")
    return float(local["error"][key]) if local and local["error"] else None


def _budget(result: Mapping[str, Any]) -> float | None:
    """Return the epsilon (nats) of all of a person's reports together, before the mix.

    None without noise, or if an epsilon holds only after the mix.
    """
    local = findings_of(result, "randomized")
    return None if not local or local["epsilon"].get("mixed") else float(local["epsilon"]["local"])


def _shuffled(result: Mapping[str, Any]) -> float | None:
    """Return the epsilon (nats) of all of a person's reports together, after the mix.

    The local epsilon (before the mix) if no smaller one is known. None without noise, or if too few
    people added noise, so that no epsilon is certified.
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
    # with several questions, the number would hold for one question only, so the local epsilon is
    # used
    is_single = len(parts) == len(privacy["readings"]) == 1
    return parts[0] if is_single else float(budget["local"])


def _information(result: Mapping[str, Any]) -> float | None:
    """Return the bits that a person's noisy reports carry about its values; None without noise."""
    local = findings_of(result, "randomized")
    information = local["privacy"]["information"] if local else None
    return None if information is None else float(information)


def _sets(result: Mapping[str, Any]) -> float | None:
    """Return the largest error of the estimated elements in exactly t sets, over all t.

    None if the true numbers are not known.
    """
    sets = findings_of(result, "incidence")
    largest = sets["error"]["largest"] if sets else None
    return None if largest is None else float(largest)


def half(result: Mapping[str, Any]) -> float | None:
    """Return how many other people a coalition of half of the peers links to their rows.

    The mean over such coalitions; None in a run without peers.
    """
    peers: Mapping[str, Any] = result.get("peers") or {"coalitions": (), "peers": 0}
    means = [
        coalition["people"]["mean"]
        for coalition in peers["coalitions"]
        if coalition["size"] == peers["peers"] // 2
    ]
    return float(means[0]) if means else None


def smallest_coalition(result: Mapping[str, Any]) -> float | None:
    """Return the size of the smallest coalition that links a person to its row, if any.

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
    """Whether the first line of a file looks like a line of a sweep's file."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            first = file.readline()
    except OSError:
        return False
    # other faults of the file are reported when it is read
    return b'"key"' in first and b'"result"' in first


Read = Callable[[Mapping[str, Any]], float | None]


def _package_score(name: str, score: Score) -> Read:
    """Return a function that computes a score of another package from a run's result.json.

    name: the score's name in the package's entry point.
    """
    return lambda result: measure(name, score, converted(result, result_type(), ""))


# The scores of a sweep: name, unit, and a function from a run's result.json to the score (None: the
# run lacks it).
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
