"""Is a run folder what it says it is? Every check recomputes something from the recorded messages.

    board        its posts are legal, in their order, under the phases table, to the end
    digest       the posts hash to the digest of result.json
    batches      no shuffler and no reader has lost or invented a message
    terms        the announcement says what the scenario says
    decision     decided again from the counts of round 1, and the certificate proved from them
    release      its columns are the decision's, its people those counted, its sums round 1's counts
    exposure     true and promised, recomputed from the release; the promise holds
    found        who is found in the release: attacks and risks recomputed as far as it shows them
    result       result.json and release.csv say what board and transcript say
    coalitions   what each learnt, worked out again from what its members saw
    estimates    (reports that were randomized) recomputed from the counts of reports
    replay       a seeded scenario, run again, gives the same

A check that a run offers no ground for is not made (`ok` is None), and says why.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any

from ...errors import LocalError, Refused, VeilmixError, VerificationError
from ...protocol.alarms import borne_out
from ...protocol.hiding import BLANK, Redact
from ...protocol.messages import Decision, Kind, Mixed
from ...protocol.parties import shuffler
from ...protocol.phases import BOARD, Phase
from ...protocol.programs import RoundResult
from ...protocol.transcript import split_names
from ..catalogue.registry import sybils
from ..programs.hierarchical.strategy import certainties
from ..programs.interface import NoGround, Raised
from ..programs.peers import verify as peers_verify
from ..programs.randomized.questions import reports
from ..programs.registry import program_of, strategy, verify_decision, wire
from ..programs.topology import CENTRAL, PEERS, topology_of
from ..records.run_folder import Run, release_csv
from ..schema.model import Scenario
from ..scoring.coalitions import learnt
from ..scoring.result import REPORTED, WrittenRelease, coalition
from ..serialization.record import plain
from .evidence import Evidence
from .views import columns, information

ALIKE = ("replay",)  # checks that need no curator and no shufflers
REPEATED = (
    *("marginals", "decision", "release", "burned", "attacks", "alarms"),
    *("findings", "reidentification"),
)  # of result.json, where a run is run again
Rule = tuple[str, str, Callable[[Evidence], str]]  # name, what is checked, how
REPLAYED = 10_000  # people; a run of more is run again only on request


@dataclass(frozen=True, slots=True)
class Check:
    """One thing checked. ok: None if it could not be. detail: what was found."""

    name: str
    what: str
    ok: bool | None
    detail: str


def verify(run: Run, *, again: bool | None = None) -> tuple[Check, ...]:
    """Check a run. again: run it again and compare; None does so if it is seeded and not large.

    Nothing is raised for what does not hold: it is a check whose `ok` is False.
    """
    evidence = Evidence(run, again)
    made = MADE[topology_of(run.scenario).name](run.scenario)
    return tuple(_judged(name, what, check, evidence) for name, what, check in made)


def _of_central(scenario: Scenario) -> tuple[Rule, ...]:
    own = program_of(scenario).recomputed
    return (*CHECKS[:-1], ("estimates", own, estimates), CHECKS[-1]) if own else CHECKS


def _of_peers(_scenario: Scenario) -> tuple[Rule, ...]:
    return (*peers_verify.CHECKS, *(one for one in CHECKS if one[0] in ALIKE))


def require(checks: Sequence[Check]) -> None:
    """Raise VerificationError if a check failed, naming each that did."""
    failed = [f"{check.name}: {check.detail}" for check in checks if check.ok is False]
    if failed:
        raise VerificationError("\n".join(failed))


def _judged(name: str, what: str, check: Callable[[Evidence], str], evidence: Evidence) -> Check:
    try:
        return Check(name, what, True, check(evidence))
    except NoGround as missing:
        return Check(name, what, None, f"not checked: {missing}")
    except Refused as refused:
        return Check(name, what, False, f"the board holds a post that is not legal ({refused})")
    except VeilmixError as wrong:
        return Check(name, what, False, str(wrong))
    except (LookupError, ValueError) as impossible:
        # What was recorded contradicts itself so badly that the check cannot be carried through.
        return Check(name, what, False, f"the record contradicts itself ({impossible!r})")


def _same(what: str, found: object, claimed: object) -> None:
    """Raise VerificationError unless what was found is what was claimed."""
    if found != claimed:
        raise VerificationError(f"{what}: {_short(claimed)} is claimed, {_short(found)} was found")


def _short(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def board(evidence: Evidence) -> str:
    """The posts are legal, and the session was closed."""
    found = evidence.board
    if found.phase is not Phase.OVER:
        raise VerificationError(f"the session was not closed; it ends in phase {found.phase}")
    posted = [(e.sender, e.size) for e in evidence.transcript.events if e.receiver == BOARD]
    _same("messages to the board", posted, [(e.author, len(e.data)) for e in found.entries])
    end = "burned: " + found.burned if found.burned else "closed by the curator"
    return f"{len(found.entries)} posts, {end}; head {found.head.hex()[:16]}"


def digest(evidence: Evidence) -> str:
    """The posts hash to the digest of result.json."""
    found = evidence.board.digest().hex()
    _same("digest", found, evidence.result.digest)
    return found[:16]


def batches(evidence: Evidence) -> str:
    """What came to a party is what it passed on or refused, at every hop of every round."""
    found = evidence.board
    if not found.mixed:
        raise NoGround("nothing was mixed")
    hops = evidence.run.scenario.mix.shufflers
    unbundled = evidence.run.scenario.defence.unbundle
    for number, call in enumerate(found.calls, start=1):
        chain = found.mixed[(number - 1) * hops : number * hops]
        came = None
        for account in chain:
            came = _passed(account, came, len(call.asks) if unbundled else 1)
            _carried(evidence, number, account)
        if len(found.tallies) >= number and came is not None and unbundled:
            tally = found.tallies[number - 1]
            read = sum(tally.totals) + sum(tally.refused.values())
            _same(f"round {number}: ballots read and refused", read, came)
    return f"{len(found.mixed)} batches in {len(found.calls)} rounds, nothing lost, nothing added"


def _passed(account: Mixed, came: int | None, slots: int) -> int:
    """Check one shuffler's sums; returns how many layers it passed on."""
    where = shuffler(account.hop)
    refused = sum(account.refused.values())
    if came is None:  # hop 1: envelopes come, the onions inside them go
        due = account.people * slots + account.received - account.people
    else:
        _same(f"{where}: layers received", account.received, came)
        due = came
    _same(f"{where}: layers passed on and refused", account.forwarded + refused, due)
    return account.forwarded


def _carried(evidence: Evidence, number: int, account: Mixed) -> None:
    """Check that the batch on the wire holds as many ciphertexts as the board says."""
    if evidence.transcript.summary:
        return
    sender = shuffler(account.hop)
    for event in evidence.transcript.events:
        if event.kind is Kind.BATCH and event.round == number and event.sender == sender:
            names = split_names(event.names)
            _same(f"round {number}: batch of {sender}", len(names), account.forwarded)
            if len(set(names)) != len(names):
                raise VerificationError(f"round {number}: {sender} passed on one layer twice")


def terms(evidence: Evidence) -> str:
    """The announcement says what the scenario says."""
    from ..play.announcement import announced_policy, announced_rules

    announced = evidence.board.announcement
    if announced is None:
        raise NoGround("nothing was announced")
    scenario = evidence.run.scenario
    _same("program", announced.program, wire(scenario))
    _same("policy", announced.policy, announced_policy(scenario))
    _same("rules", announced.rules, announced_rules(scenario))
    _same("features", announced.schema.names, columns(evidence.run))
    _same("shufflers", len(announced.shufflers), scenario.mix.shufflers)
    _same("suite", announced.suite.label, scenario.mix.suite)
    policy = announced.policy
    if evidence.randomized:
        return f"people randomize: {policy.rule}"
    return f"k = {policy.k}, at most {policy.max_exposure:.4g} exposed, rule {policy.rule}"


def decision(evidence: Evidence) -> str:
    """The decision follows from the counts of round 1, and its certificate is proved from them."""
    claimed = evidence.decision
    heard, whose = evidence.heard()
    scenario = evidence.run.scenario
    curating = strategy(scenario, _others(evidence))
    for number, one in enumerate(heard[1:], start=1):
        step = curating.ask(evidence.schema, heard[:number])
        _same(f"asked in round {number + 1}", step, one.call)
    _same_certainty(evidence, heard)
    if (more := curating.ask(evidence.schema, heard)) is not None:
        raise VerificationError(f"it was safe to ask {more.asks} before deciding")
    found = curating.decide(evidence.schema, heard)
    names = evidence.result.features
    _same("kept", [names[j] for j in found.kept], [names[j] for j in claimed.kept])
    _same("left blank", found.hidden, claimed.hidden)
    verify_decision(claimed, evidence.schema, heard)
    if scenario.policy.rule != "worst-case":  # sought for a limited time, so it may differ
        _same("certificate", found.certificate, claimed.certificate)
    asked = f", {len(heard)} rounds of it" if len(heard) > 1 else ""
    return f"decided again from {whose}{asked}: {_columns(evidence, claimed)}"


def _same_certainty(evidence: Evidence, heard: Sequence[RoundResult]) -> None:
    """Raise VerificationError unless the curator can be certain of as many people as is said."""
    said = [one.certain for one in evidence.rounds]
    if said:
        sure = certainties(evidence.schema, heard, evidence.run.scenario.policy.k)
        _same("people certain to the curator", list(sure), said)


def _others(evidence: Evidence) -> int | None:
    """How many people round 2 asked, if they are others than in round 1."""
    return evidence.run.scenario.population.round2_users if _statistical(evidence) else None


def _statistical(evidence: Evidence) -> bool:
    """Whether round 2 asked other people than round 1."""
    return evidence.run.scenario.population.setting != "fixed"


def _columns(evidence: Evidence, decision: Decision) -> str:
    names = [evidence.result.features[column] for column in decision.kept]
    return f"keep {', '.join(names)}" if names else "keep nothing"


def release(evidence: Evidence) -> str:
    """Columns, people and sums of the release are those of the decision and of round 1."""
    if evidence.randomized:
        return _reports(evidence)
    if not evidence.released:
        raise NoGround("nothing was released")
    claimed = evidence.decision
    (joint,), whose = evidence.counts(evidence.last)
    if any(len(cell) != len(claimed.kept) for cell in joint):
        raise VerificationError("the release has other columns than the decision")
    if evidence.run.transcript is not None:
        _same("called at the end", evidence.board.calls[-1].asks, (claimed.kept,))
        _same("people released", (sum(joint.values()),), evidence.board.tallies[-1].totals)
    singles, _ = evidence.counts(1)
    now, before = sum(joint.values()), {sum(count.values()) for count in singles}
    cells = f"{now:,} people in {len(joint):,} combinations, from {whose}"
    if _statistical(evidence):
        return f"{cells}; round 1 asked other people"
    blanked = {rule.column: rule for rule in claimed.hidden if isinstance(rule, Redact)}
    for place, column in enumerate(claimed.kept):
        sums: Counter[tuple[str, ...]] = Counter()
        for cell, people in joint.items():
            sums[cell[place],] += people
        name = evidence.result.features[column]
        if column in blanked:
            del sums[BLANK,]
            said = [value for (value,) in sums if value in blanked[column].values]
            if said:
                raise VerificationError(f"{name}: {_short(said)} should have been left blank")
        if before == {now} and column not in blanked:
            _same(f"sums over {name}", dict(sums), dict(singles[column]))
        elif more := sums - Counter(singles[column]):
            raise VerificationError(f"{name}: {_short(dict(more))} more people than in round 1")
    return f"{cells}; sums {'as' if before == {now} else 'at most'} in round 1"


def _reports(evidence: Evidence) -> str:
    """As many reports were counted as the board says, and result.json shows them if it can."""
    counts, whose = evidence.counts(1)
    totals = tuple(sum(count.values()) for count in counts)
    if evidence.run.transcript is not None:
        _same("reports", totals, evidence.board.tallies[0].totals)
    different = sum(len(count) for count in counts)
    return f"{sum(totals):,} reports, {different:,} different ones, from {whose}"


def exposure(evidence: Evidence) -> str:
    """True exposure and promise, recomputed."""
    from ...analysis.exposure.curves import users_below

    said = evidence.result.exposure
    claimed = evidence.decision
    if not evidence.released:
        _same("promised", claimed.certificate.value, said.promised)
        _same("true exposure", 0.0, said.true)
        return "nothing was released, so nobody is exposed by it"
    (joint,), _ = evidence.counts(evidence.last)
    if (promise := evidence.promised(joint)) is not None:
        _same("promised", promise, said.promised)
    people = sum(joint.values())
    below = int(users_below(list(joint.values()), claimed.certificate.k))
    _same("true exposure", below / people, said.true)
    worst = said.worst_case
    if worst is not None and worst * people < below - 0.5:
        raise VerificationError(f"{below} people are exposed, more than the worst case claimed")
    keeps(below, people, said.promised)
    return f"{below:,} of {people:,} people in a crowd smaller than {claimed.certificate.k}"


def keeps(below: int, people: int, promise: float) -> None:
    """Raise VerificationError where more of these people are exposed than was promised."""
    if below / people > promise:
        raise VerificationError(
            f"the promise does not hold: {below:,} of {people:,} people released are exposed, "
            f"{promise:.4%} at most were promised"
        )


def result(evidence: Evidence) -> str:
    """result.json and release.csv say what board and transcript say."""
    said, scenario = evidence.result, evidence.run.scenario
    _same("scenario", scenario.scenario.name, said.scenario)
    _same("seed", scenario.scenario.seed, said.seed)
    asked = scenario.population
    others = (asked.round2_users or 0) if _statistical(evidence) else 0
    _same("users", (asked.users or 0) + others, said.users)
    _same("features", _features(evidence), said.features)
    table = None if said.release is None else release_csv(said.release)
    _same("release.csv", evidence.run.release, table)
    if evidence.run.transcript is None:
        return "files agree with each other"
    _same("people in the transcript", evidence.transcript.users, said.users + sybils(scenario))
    _same("marginals", _marginals(evidence), said.marginals)
    _same("decision", evidence.board.decision, evidence.decided())
    released = said.decision
    if released is not None:
        _same("max_exposure", scenario.policy.max_exposure, released.max_exposure)
        _same("bound", evidence.decision.certificate.value, released.bound)
        kept = tuple(name for name in said.features if name not in released.kept)
        _same("suppressed", kept, released.suppressed)
    _same("release", _release(evidence), said.release)
    _same("burned", evidence.board.burned, said.burned)
    refused: Counter[str] = Counter()
    for one in evidence.transcript.refusals:
        refused[one.reason.value] += one.count
    _same("refused", dict(refused), said.refused)
    false = _alarms(evidence)
    agree = "scenario, result.json, release.csv and transcript agree"
    return f"{agree}; alarms about nothing: {false:,}" if false else agree


def _alarms(evidence: Evidence) -> int:
    """Alarms are told as they were raised, and whether the board bears them out; those it does not.

    An alarm about nothing is no fault of the run: anybody can raise one.
    """
    board = evidence.board
    rule = strategy(evidence.run.scenario, _others(evidence)) if board.alarms else None
    found = sorted(
        (who, one.round, one.cause.value, borne_out(board, one, rule)) for who, one in board.alarms
    )
    _same("alarms", tuple(Raised(*one) for one in found), evidence.result.alarms)
    return sum(not true for *_, true in found)


def _features(evidence: Evidence) -> tuple[str, ...]:
    """The features asked about: the scenario's, or the pieces of vectors."""
    run = evidence.run
    return program_of(run.scenario).recorded(run.scenario, run.sizes)


def _marginals(evidence: Evidence) -> dict[str, dict[str, int]]:
    """The counts of round 1, as result.json writes them."""
    if evidence.randomized:
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
    rows: list[tuple[str | int, ...]] = [(*one, people) for one, people in sorted(shown.items())]
    return WrittenRelease(REPORTED, tuple(rows))


def coalitions(evidence: Evidence) -> str:
    """What each coalition learnt, worked out again from what its members saw.

    In the program `randomized` what a single report tells is taken as claimed: it depends on the
    people, whom only a replay knows.
    """
    told = information(evidence.run)
    truth = evidence.record.truth
    found = learnt(evidence.run.scenario, evidence.eyes, evidence.run.sizes, told, truth)
    claimed = evidence.result.coalitions
    _same("coalitions", len(found), len(claimed))
    for one, said in zip(found, claimed, strict=True):
        who = " + ".join(one.parties) or "anybody"
        _same(f"{who}: parties", one.parties, said.parties)
        _same(f"{who}: people linked", one.linked, said.linked)
        _same(f"{who}: cells certain", one.cells_certain, said.cells_certain)
        # A sum of logarithms: its last digits depend on the order in which the counts came.
        if not isclose(one.bits_per_person, said.bits_per_person, rel_tol=1e-9, abs_tol=1e-9):
            _same(f"{who}: bits a person", one.bits_per_person, said.bits_per_person)
        _guesses(who, plain(coalition(one)), plain(said))
    return f"{len(found)} coalitions, each recomputed from what its members saw"


def _guesses(who: str, found: Mapping[str, Any], said: Mapping[str, Any]) -> None:
    """What result.json says of guesses, where it does: sums of shares, in any order."""
    for key, value in found.items():
        if key not in said:
            continue
        if isinstance(value, float) and isinstance(said[key], float):
            if isclose(value, said[key], rel_tol=1e-9, abs_tol=1e-9):
                continue
        elif isinstance(value, dict) and isinstance(said[key], dict):
            _guesses(f"{who}: {key}", value, said[key])
            continue
        _same(f"{who}: {key}", value, said[key])


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
        found = plain(evidence.repeated.written())
    except LocalError as gone:
        raise NoGround(f"its people cannot be read any more: {gone}") from None
    said = plain(evidence.result)
    for key in REPEATED:
        _same(key, found.get(key), said.get(key))
    from ...crypto.suites import SUITES

    suite = SUITES[evidence.run.scenario.mix.suite]
    if said["mode"] == "real" and not suite.reproducible:
        return f"same decision and release; {suite.name} draws keys anew, so digests differ"
    if said["mode"] == "real" and _arrival(evidence.run.scenario):
        return "same decision and release; batches keep the order of arrival, so digests differ"
    _same("digest", found["digest"], said["digest"])
    return f"run again with seed {seed}: the same digest"


def estimates(evidence: Evidence) -> str:
    """What the program found beside what every run has, recomputed."""
    return program_of(evidence.run.scenario).verify(evidence)


def found(evidence: Evidence) -> str:
    """Who is found in the release, recomputed from it."""
    from .reidentification import recomputed

    return recomputed(evidence)


CHECKS: tuple[Rule, ...] = (
    ("board", "posts are legal under the phases table", board),
    ("digest", "posts hash to the digest", digest),
    ("batches", "every batch's counts add up", batches),
    ("terms", "the announcement is the scenario's", terms),
    ("decision", "decision and certificate follow from the counts", decision),
    ("release", "columns and sums are right", release),
    ("exposure", "true is within promised, recomputed", exposure),
    ("found", "who is found in the release, recomputed", found),
    ("result", "all files say the same", result),
    ("coalitions", "what each learnt, recomputed", coalitions),
    ("replay", "run again, the same comes out", repeat),
)
MADE: Mapping[str, Callable[[Scenario], tuple[Rule, ...]]] = {
    CENTRAL.name: _of_central,
    PEERS.name: _of_peers,
}  # topology -> the checks of a run
