"""What result.json says: as board and transcript have it, as learnt again, as run again."""

from collections import Counter
from collections.abc import Mapping
from math import isclose
from typing import Any

from ...errors import LocalError
from ...protocol.alarms import borne_out
from ...protocol.transcript import Transcript
from ..catalogue.effects import measured
from ..catalogue.registry import sybils
from ..programs.evidence import NoGround
from ..programs.interface import Raised
from ..programs.randomized.questions import reports
from ..programs.registry import program_of, strategy
from ..records.run_folder import release_csv
from ..schema.model import Scenario
from ..scoring.coalitions import learnt
from ..scoring.result import REPORTED, WrittenRelease, coalition
from ..serialization.record import plain
from .agreement import alike, same
from .evidence import Evidence
from .views import columns, information
from .worst_case import sought_again

OTHERWISE = ("digest", "coalitions", "exposure", "ledger")  # of result.json: not to the letter
REPLAYED = 10_000  # people; a run of more is run again only on request


def result(evidence: Evidence) -> str:
    """result.json and release.csv say what board and transcript say."""
    said, scenario = evidence.result, evidence.run.scenario
    same("mode", "ideal" if evidence.run.transcript is None else "real", said.mode)
    same("scenario", scenario.scenario.name, said.scenario)
    same("seed", scenario.scenario.seed, said.seed)
    asked = scenario.population
    others = (asked.round2_users or 0) if evidence.statistical else 0
    same("users", (asked.users or 0) + others, said.users)
    same("features", _features(evidence), said.features)
    table = None if said.release is None else release_csv(said.release)
    same("release.csv", evidence.run.release_text, table)
    if evidence.run.transcript is None:
        return "files agree with each other"
    same("people in the transcript", evidence.transcript.users, said.users + sybils(scenario))
    same("marginals", _marginals(evidence), said.marginals)
    same("decision", evidence.record.decision, evidence.decided())
    released = said.decision
    if released is not None:
        same("max_exposure", scenario.policy.max_exposure, released.max_exposure)
        same("k", evidence.decision.certificate.k, released.k)
        same("bound", evidence.decision.certificate.value, released.bound)
        kept = tuple(name for name in said.features if name not in released.kept)
        same("suppressed", kept, released.suppressed)
    same("release", _release(evidence), said.release)
    same("burned", evidence.board.burned, said.burned)
    refused: Counter[str] = Counter()
    for refusal in evidence.transcript.refusals:
        refused[refusal.reason.value] += refusal.count
    same("refused", dict(refused), said.refused)
    _same_attacks(evidence)
    false = _alarms(evidence)
    agree = "scenario, result.json, release.csv and transcript agree"
    return f"{agree}; alarms about nothing: {false:,}" if false else agree


def _same_attacks(evidence: Evidence) -> None:
    """As many attacks are told of as the scenario has, where they are measured."""
    if evidence.randomized or evidence.transcript.summary:
        return
    committed = [fault.attack for fault in measured(evidence.run.scenario)]
    same("attacks", committed, [effect.attack for effect in evidence.result.attacks])


def _alarms(evidence: Evidence) -> int:
    """Alarms are told as they were raised, and whether the board bears them out; those it does not.

    An alarm about nothing is no fault of the run: anybody can raise one.
    """
    board = evidence.board
    rule = strategy(evidence.run.scenario, evidence.others) if board.alarms else None
    actual = sorted(
        (who, alarm.round, alarm.cause.value, borne_out(board, alarm, rule))
        for who, alarm in board.alarms
    )
    same("alarms", tuple(Raised(*alarm) for alarm in actual), evidence.result.alarms)
    return sum(not true for *_, true in actual)


def _features(evidence: Evidence) -> tuple[str, ...]:
    """The features asked about: the scenario's, or the pieces of vectors."""
    run = evidence.run
    return program_of(run.scenario).recorded(run.scenario, run.sizes)


def _marginals(evidence: Evidence) -> dict[str, dict[str, int]]:
    """The counts of round 1, as result.json writes them."""
    if evidence.randomized or evidence.opens:
        return {}
    try:
        tallies, _ = evidence.counts(1)
    except NoGround:
        return {}
    names = evidence.result.features
    return {
        name: {cell[0]: people for cell, people in counts.items()}
        for name, counts in zip(names, tallies, strict=True)
    }


def _release(evidence: Evidence) -> WrittenRelease | None:
    """The release, as result.json writes it."""
    if evidence.randomized:
        return _reported(evidence)
    if not evidence.released:
        return None
    (joint,), _ = evidence.counts(evidence.last)
    names = evidence.result.features
    kept = tuple(names[column] for column in evidence.decision.kept)
    return WrittenRelease(kept, tuple((*cell, people) for cell, people in sorted(joint.items())))


def _reported(evidence: Evidence) -> WrittenRelease | None:
    """The counts of reports, as result.json writes them where they are not too many."""
    if evidence.board.burned is not None or not evidence.board.tallies:
        return None
    counts, _ = evidence.counts(1)
    shown = reports(columns(evidence.run), counts)
    if shown is None:
        return None
    rows: list[tuple[str | int, ...]] = [(*row, people) for row, people in sorted(shown.items())]
    return WrittenRelease(REPORTED, tuple(rows))


def coalitions(evidence: Evidence) -> str:
    """What each coalition learnt, worked out again from what its members saw.

    In the program `randomized` what a single report tells is taken as claimed: it depends on the
    people, whom only a replay knows.
    """
    told = information(evidence.run)
    truth = evidence.record.truth
    views = learnt(evidence.run.scenario, evidence.view_of, evidence.run.sizes, told, truth)
    claimed = evidence.result.coalitions
    same("coalitions", len(views), len(claimed))
    for view, said in zip(views, claimed, strict=True):
        who = " + ".join(view.parties) or "anybody"
        same(f"{who}: parties", view.parties, said.parties)
        same(f"{who}: people linked", view.linked, said.linked)
        same(f"{who}: cells certain", view.cells_certain, said.cells_certain)
        # A sum of logarithms: its last digits depend on the order in which the counts came.
        if not isclose(view.bits_per_person, said.bits_per_person, rel_tol=1e-9, abs_tol=1e-9):
            same(f"{who}: bits a person", view.bits_per_person, said.bits_per_person)
        _guesses(who, plain(coalition(view)), plain(said))
    return f"{len(views)} coalitions, each recomputed from what its members saw"


def _guesses(who: str, actual: Mapping[str, Any], said: Mapping[str, Any]) -> None:
    """What result.json says of guesses, where it does: sums of shares, in any order."""
    for key, value in actual.items():
        if key not in said:
            continue
        if isinstance(value, float) and isinstance(said[key], float):
            if isclose(value, said[key], rel_tol=1e-9, abs_tol=1e-9):
                continue
        elif isinstance(value, dict) and isinstance(said[key], dict):
            _guesses(f"{who}: {key}", value, said[key])
            continue
        same(f"{who}: {key}", value, said[key])


def _arrival(scenario: Scenario) -> bool:
    """Whether the order of arrival, which is the machine's, shows in a batch."""
    forwards = any(fault.attack == "forward" for fault in scenario.fault)
    return scenario.mix.order == "kept" or forwards


def repeat(evidence: Evidence) -> str:
    """A seeded run, run again, gives the same."""
    seed, users = evidence.result.seed, evidence.result.users
    if seed is None:
        raise NoGround("system randomness was used, so the run cannot be repeated")
    if evidence.result.ledger and evidence.result.ledger.refused:
        raise NoGround("it was refused for earlier sessions, which only the ledger knows")
    if evidence.again is False:
        raise NoGround("not asked for")
    if evidence.again is None and users > REPLAYED:
        raise NoGround(f"{users:,} people; ask for it with --replay")
    try:
        again = plain(evidence.repeated.written())
    except LocalError as gone:
        raise NoGround(f"its people cannot be read any more: {gone}") from None
    said = plain(evidence.result)
    for key in sorted((again.keys() | said.keys()) - set(OTHERWISE)):
        alike(key, again.get(key), said.get(key))
    for key in ("true", "promised"):
        same(f"exposure: {key}", again["exposure"][key], said["exposure"][key])
    same("coalitions", len(again["coalitions"]), len(said["coalitions"]))
    for mine, theirs in zip(again["coalitions"], said["coalitions"], strict=True):
        _guesses(" + ".join(mine["parties"]) or "anybody", mine, theirs)
    from ...crypto.suites import SUITES

    suite, worst = SUITES[evidence.run.scenario.mix.suite], sought_again(evidence)
    if said["mode"] == "real" and not suite.reproducible:
        differ = f"{suite.name} draws keys anew, so digests differ"
        return f"same decision and release; {differ}{worst}"
    if said["mode"] == "real" and _arrival(evidence.run.scenario):
        differ = "batches keep the order of arrival, so digests differ"
        return f"same decision and release; {differ}{worst}"
    same("digest", again["digest"], said["digest"])
    mine, theirs = evidence.repeated.transcript, evidence.run.transcript
    for what, value in _recorded(mine).items():
        same(f"transcript: {what}", value, _recorded(theirs).get(what))
    return f"run again with seed {seed}: the same digest{worst}"


def _recorded(transcript: Transcript | None) -> Mapping[str, object]:
    """What a transcript holds besides the clock's times; an ideal run has none."""
    if transcript is None:
        return {}
    return {
        "people": transcript.users,
        "messages": Counter(event[2:] for event in transcript.events),
        "posts": Counter(transcript.posts),
        "sealed": Counter(transcript.made),
        "read": sorted(
            (read.reader, read.round, [sorted(count.items()) for count in read.counts])
            for read in transcript.reads
        ),
        "refused": Counter(transcript.refusals),
    }
