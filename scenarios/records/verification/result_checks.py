"""Checks of result.json against board and transcript, recomputed views and a repeated run.

Each check returns its finding as text, or raises an error: VerificationError if the check fails,
NoGround if the run lacks the data for the check.
"""

from collections import Counter
from collections.abc import Mapping
from math import isclose
from typing import Any

from ....errors import LocalError
from ....protocol.board.alarms import borne_out
from ....protocol.knowledge.transcript import Transcript
from ....protocol.wire.rows_per_person import without_dummies
from ...attacks.catalogue.effects import measured
from ...attacks.catalogue.registry import sybils
from ...lab.scoring.coalitions import learnt
from ...lab.scoring.result import REPORTED, WrittenRelease, coalition
from ...programs.capabilities import ColumnDecision, LocalNoise
from ...programs.coalitions import coalitions as scored_coalitions
from ...programs.evidence import NoGround
from ...programs.interface import Raised
from ...programs.noisy_questions import reports
from ...programs.registry import capability, people_source, program_of, strategy
from ...schema.model import Scenario
from ...serialization.record import plain
from ..run_folder import release_csv
from .agreement import require_close, require_equal
from .evidence import RecordEvidence
from .views import columns, information
from .worst_case import sought_again

OTHERWISE = (
    "digest",
    "coalitions",
    "exposure",
    "ledger",
)  # keys of result.json that other rules compare, or that a repetition may change
REPLAYED = 10_000  # people; a larger run is repeated only on request


def result(evidence: RecordEvidence) -> str:
    """Check that result.json and release.csv agree with board and transcript."""
    claimed, scenario = evidence.result, evidence.run.scenario
    require_equal("mode", "ideal" if evidence.run.transcript is None else "real", claimed.mode)
    require_equal("scenario", scenario.scenario.name, claimed.scenario)
    require_equal("seed", scenario.scenario.seed, claimed.seed)
    population = scenario.population
    second_users = (population.round2_users or 0) if evidence.statistical else 0
    require_equal("users", (population.users or 0) + second_users, claimed.users)
    require_equal("features", _features(evidence), claimed.features)
    table = None if claimed.release is None else release_csv(claimed.release)
    require_equal("release.csv", evidence.run.release_text, table)
    if evidence.run.transcript is None:
        return "files agree with each other"
    users = claimed.users + sybils(scenario.fault)
    require_equal("people in the transcript", evidence.transcript.users, users)
    require_equal("marginals", _marginals(evidence), claimed.marginals)
    require_equal("decision", evidence.record.decision, evidence.decided())
    released = claimed.decision
    if released is not None:
        require_equal("max_exposure", scenario.policy.max_exposure, released.max_exposure)
        require_equal("k", evidence.decision.certificate.k, released.k)
        require_equal("bound", evidence.decision.certificate.value, released.bound)
        suppressed = tuple(name for name in claimed.features if name not in released.kept)
        require_equal("suppressed", suppressed, released.suppressed)
    require_equal("release", _release(evidence), claimed.release)
    require_equal("burned", evidence.board.burned, claimed.burned)
    refused: Counter[str] = Counter()
    for refusal in evidence.transcript.refusals:
        refused[refusal.reason.value] += refusal.count
    require_equal("refused", dict(refused), claimed.refused)
    _same_attacks(evidence)
    if evidence.rows > 1:
        from .rows_per_person import check_counts

        check_counts(evidence)
    false = _alarms(evidence)
    agree = "scenario, result.json, release.csv and transcript agree"
    return f"{agree}; alarms about nothing: {false:,}" if false else agree


def _same_attacks(evidence: RecordEvidence) -> None:
    """Raise VerificationError unless the attacks with a measured effect are the scenario's."""
    if evidence.randomized or evidence.transcript.summary:
        return
    scenario = evidence.run.scenario
    committed = [fault.attack for fault in measured(scenario.fault, program_of(scenario))]
    require_equal("attacks", committed, [effect.attack for effect in evidence.result.attacks])


def _alarms(evidence: RecordEvidence) -> int:
    """Check the alarms and the board's verdicts on them; return the number of false alarms.

    A false alarm is no fault of the run, because every party can raise alarms.
    """
    board = evidence.board
    rule = strategy(evidence.run.scenario, evidence.round2_people) if board.alarms else None
    actual = sorted(
        (author, alarm.round, alarm.cause.value, borne_out(board, alarm, rule))
        for author, alarm in board.alarms
    )
    require_equal("alarms", tuple(Raised(*alarm) for alarm in actual), evidence.result.alarms)
    return sum(not true for *_, true in actual)


def _features(evidence: RecordEvidence) -> tuple[str, ...]:
    """Return the names of the features that people were asked about.

    If people hold sets, each set is a vector of bits that is sent in several pieces; the features
    are then the names of these pieces.
    """
    run = evidence.run
    return people_source(run.scenario).recorded_features(run.scenario, run.sizes)


def _marginals(evidence: RecordEvidence) -> dict[str, dict[str, int]]:
    """Return the counts of round 1 in the form of result.json: column -> value -> people.

    {} if the release program decides on no columns, or round 1 was not counted.
    """
    if capability(evidence.run.scenario, ColumnDecision) is None:
        return {}
    try:
        tallies, _ = evidence.counts(1)
    except NoGround:
        return {}
    names = evidence.result.features
    return {
        name: {cell[0]: people for cell, people in without_dummies(counts).items()}
        for name, counts in zip(names, tallies, strict=True)
    }


def _release(evidence: RecordEvidence) -> WrittenRelease | None:
    """Return the release in the form of result.json; None without a release."""
    if evidence.randomized:
        return _reported(evidence)
    if not evidence.released:
        return None
    (joint,), _ = evidence.counts(evidence.last)
    joint = without_dummies(joint)
    names = evidence.result.features
    kept_names = tuple(names[column] for column in evidence.decision.kept)
    return WrittenRelease(
        kept_names, tuple((*cell, people) for cell, people in sorted(joint.items()))
    )


def _reported(evidence: RecordEvidence) -> WrittenRelease | None:
    """Return the counts of noisy reports in the form of result.json.

    None if the round was aborted, or if there are too many different reports to list.
    """
    if evidence.board.burned is not None or not evidence.board.tallies:
        return None
    counts, _ = evidence.counts(1)
    row_counts = reports(columns(evidence.run), counts)
    if row_counts is None:
        return None
    rows: list[tuple[str | int, ...]] = [
        (*row, people) for row, people in sorted(row_counts.items())
    ]
    return WrittenRelease(REPORTED, tuple(rows))


def coalitions(evidence: RecordEvidence) -> str:
    """Check the knowledge of each coalition, recomputed from the views of its members.

    The information in a single noisy report is taken as claimed, because it depends on the people,
    and only a replay knows them.
    """
    information_bits = information(evidence.run)
    truth = evidence.record.truth
    scenario = evidence.run.scenario
    views = learnt(
        scored_coalitions(scenario),
        evidence.view_of,
        evidence.run.sizes,
        noise=capability(scenario, LocalNoise),
        several=scenario.population.rows,
        information=information_bits,
        truth=truth,
    )
    claimed = evidence.result.coalitions
    require_equal("coalitions", len(views), len(claimed))
    for view, claimed_view in zip(views, claimed, strict=True):
        coalition_name = " + ".join(view.parties) or "anybody"
        require_equal(f"{coalition_name}: parties", view.parties, claimed_view.parties)
        require_equal(f"{coalition_name}: people linked", view.linked, claimed_view.linked)
        require_equal(
            f"{coalition_name}: cells certain", view.cells_certain, claimed_view.cells_certain
        )
        # A tolerance is needed, because the last digits of a sum of logarithms depend on the order
        # in which the counts came.
        if not isclose(
            view.bits_per_person, claimed_view.bits_per_person, rel_tol=1e-9, abs_tol=1e-9
        ):
            require_equal(
                f"{coalition_name}: bits a person",
                view.bits_per_person,
                claimed_view.bits_per_person,
            )
        _guesses(coalition_name, plain(coalition(view)), plain(claimed_view))
    return f"{len(views)} coalitions, each recomputed from what its members saw"


def _guesses(coalition_name: str, actual: Mapping[str, Any], claimed: Mapping[str, Any]) -> None:
    """Raise VerificationError if a coalition's expected numbers of correct guesses differ.

    Floats may differ in their last digits. coalition_name: the coalition in the message. actual,
    claimed: computed and claimed scores, by key.
    """
    for key, value in actual.items():
        if key not in claimed:
            continue
        if isinstance(value, float) and isinstance(claimed[key], float):
            if isclose(value, claimed[key], rel_tol=1e-9, abs_tol=1e-9):
                continue
        elif isinstance(value, dict) and isinstance(claimed[key], dict):
            _guesses(f"{coalition_name}: {key}", value, claimed[key])
            continue
        require_equal(f"{coalition_name}: {key}", value, claimed[key])


def _arrival(scenario: Scenario) -> bool:
    """Whether batches keep the order of arrival, which differs from run to run."""
    forwards = any(fault.attack == "forward" for fault in scenario.fault)
    return scenario.mix.order == "kept" or forwards


def repeat(evidence: RecordEvidence) -> str:
    """Check that a run with a seed gives the same results if the scenario is run again."""
    seed, users = evidence.result.seed, evidence.result.users
    if seed is None:
        raise NoGround("system randomness was used, so the run cannot be repeated")
    if evidence.result.ledger and evidence.result.ledger.refused:
        raise NoGround(
            "the ledger refused the run for earlier sessions, which a replay does not know"
        )
    if evidence.wants_replay is False:
        raise NoGround("a replay was not requested")
    # A repetition takes as long as the run did, so a large run is repeated only on request.
    if evidence.wants_replay is None and users > REPLAYED:
        raise NoGround(f"a run of {users:,} people is replayed only on request: --replay")
    try:
        repeated = plain(evidence.repeated.written())
    except LocalError as error:
        raise NoGround(f"the source of the people cannot be read any more: {error}") from None
    claimed = plain(evidence.result)
    for key in sorted((repeated.keys() | claimed.keys()) - set(OTHERWISE)):
        require_close(key, repeated.get(key), claimed.get(key))
    for key in ("true", "promised"):
        require_equal(f"exposure: {key}", repeated["exposure"][key], claimed["exposure"][key])
    require_equal("coalitions", len(repeated["coalitions"]), len(claimed["coalitions"]))
    for mine, claimed_view in zip(repeated["coalitions"], claimed["coalitions"], strict=True):
        _guesses(" + ".join(mine["parties"]) or "anybody", mine, claimed_view)
    from ....crypto.suites import SUITES

    # A digest covers the parties' keys and the order of batches. If the seed does not fix both,
    # digests differ between runs, and only the results can be compared. Otherwise transcripts agree
    # byte by byte.
    suite, worst = SUITES[evidence.run.scenario.mix.suite], sought_again(evidence)
    if claimed["mode"] == "real" and not suite.reproducible:
        differ = f"{suite.name} draws keys anew, so digests differ"
        return f"same decision and release; {differ}{worst}"
    if claimed["mode"] == "real" and _arrival(evidence.run.scenario):
        differ = "batches keep the order of arrival, so digests differ"
        return f"same decision and release; {differ}{worst}"
    require_equal("digest", repeated["digest"], claimed["digest"])
    mine, stored = evidence.repeated.transcript, evidence.run.transcript
    for item, value in _recorded(mine).items():
        require_equal(f"transcript: {item}", value, _recorded(stored).get(item))
    return f"run again with seed {seed}: the same digest{worst}"


def _recorded(transcript: Transcript | None) -> Mapping[str, object]:
    """Return the content of a transcript without clock times; {} for an ideal run."""
    if transcript is None:
        return {}
    return {
        "people": transcript.users,
        "messages": Counter(event[2:] for event in transcript.events),
        "posts": Counter(transcript.posts),
        "sealed": Counter(transcript.sealed_answers),
        "read": sorted(
            (reading.reader, reading.round, [sorted(count.items()) for count in reading.counts])
            for reading in transcript.reads
        ),
        "refused": Counter(transcript.refusals),
    }
