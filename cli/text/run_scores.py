"""The table of scores of a run: exposure, links by coalitions, outcomes of attacks."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

from ...number_text import sentence
from ...presentation.equal_people import alike_rows, released_alike
from ...presentation.presenters import peers as peer_words
from ...presentation.presenters.registry import presenter_of
from ...presentation.wording import CHECKED_ONCE, PROVED, audited
from ...protocol.wire import parties
from ...scenarios.lab.scoring.frames import score_rows
from ...scenarios.programs.topology import further_parties
from ...scenarios.records.verification.deviations import NOT_BY_WATCHING, deviations
from ...scenarios.records.verification.submitted_once import price
from ...scenarios.records.verification.views import breaking
from . import reidentification as found_text
from .cheating import WIDTH
from .layout import Block, Grid, Line, percent
from .ledger import ledger_rows

if TYPE_CHECKING:
    from ...scenarios.lab.scoring.outcome import Outcome
    from ...scenarios.programs.interface import Effect


def randomized(outcome: "Outcome") -> bool:
    """Whether people randomized their answers."""
    return outcome.curated is None


def scores(outcome: "Outcome", own_scores: Iterable[found_text.Score]) -> Iterator[Block]:
    """Yield the table of scores, and the lines below it. own_scores: those of the program."""
    first = () if randomized(outcome) else _exposures(outcome)
    rows = [*first, *own_scores, *found_text.scores(outcome)]
    deviated = bool(deviations(outcome.scenario, outcome.attacks, outcome.alarms))
    rows += (
        peer_words.scores(outcome.peers) if outcome.peers else [*_links(outcome, deviated=deviated)]
    )
    rows += [
        (f"refused: {reason}", f"{number:,}", "messages that were not counted")
        for reason, number in outcome.refused.items()
    ]
    rows += [
        (f"attack: {effect.attack}", _achieved(effect), effect.unit) for effect in outcome.attacks
    ]
    rows += _alarms(outcome)
    rows += [
        (str(name), f"{value:g} {unit}", str(meaning))
        for name, value, unit, meaning in score_rows(outcome.written())
    ]
    rows += ledger_rows(outcome.ledger) if outcome.ledger else ()
    yield Grid(("score", "value", "meaning"), rows, (1,))
    yield Line()
    if deviated:
        yield Line(fill(NOT_BY_WATCHING, WIDTH))
    elif outcome.peers is None:
        yield Line(smallest(breaking(outcome.coalitions)))
    if outcome.scenario.mix.kind == "verified" and outcome.mode == "real":
        yield Line(fill(sentence(f"{PROVED}. {CHECKED_ONCE}"), WIDTH))
        if price_text := price(outcome.scenario, outcome.written()):
            yield Line(fill(sentence(price_text), WIDTH))
    transcript = outcome.transcript
    recorded = transcript is not None and not transcript.summary
    for line in audited(audit=outcome.scenario.defence.audit, recorded=recorded):
        yield Line(fill(line, WIDTH), "dim")


def _achieved(effect: "Effect") -> str:
    """Return the outcome of an attack and its maximum, as text."""
    whole = effect.value.is_integer() and effect.of.is_integer()
    achieved, maximum = (f"{x:,.0f}" if whole else f"{x:.2f}" for x in (effect.value, effect.of))
    return f"{achieved} of {maximum}"


def _alarms(outcome: "Outcome") -> Iterator[tuple[str, str, str]]:
    """Yield a row for each cause and party of alarms; users are not named."""
    counted = Counter(
        (alarm.cause, "users" if alarm.party.startswith("user-") else alarm.party, alarm.borne_out)
        for alarm in outcome.alarms
    )
    for (cause, party, true), number in counted.items():
        kind = "alarm" if true else "false alarm"
        evidence_note = "" if true else "; the board does not bear it out"
        yield f"{kind}: {cause}", f"{number:,}", f"raised on the board by {party}{evidence_note}"


def smallest(coalitions: Sequence[tuple[str, ...]]) -> str:
    """Return a line with the minimal coalitions that link a person."""
    listed = "; ".join(" + ".join(parties) for parties in coalitions) or "none of those examined"
    return f"Minimal linking coalitions (honest-but-curious): {listed}"


def _exposures(outcome: "Outcome") -> Iterator[tuple[str, str, str]]:
    exposure = outcome.exposure
    if not outcome.released or outcome.decision is None:
        yield "exposure", "-", "nothing is released, so there is no exposure"
        return
    # The last reason that applies replaces the earlier reasons. The worst case has no figures if
    # the marginals do not describe the released table, or are not all that the curator knows.
    presenter = presenter_of(outcome.scenario)
    true = presenter.exposed.format(k=outcome.scenario.policy.k)
    if outcome.several:
        true = f"persons with a released row that fewer than k = {outcome.scenario.policy.k} have"
    yield "exposure", percent(exposure.true), true
    is_fixed = outcome.scenario.population.setting == "fixed"
    proved = f"exposure proved from {_grounds(outcome)} before the release"
    if not is_fixed:
        delta = outcome.scenario.policy.delta
        proved = f"for people who were not counted; fails with probability {percent(delta)} at most"
    proved = presenter.bound or proved
    if exposure.promised > outcome.decision.certificate.value:
        proved = f"proved again of the {exposure.people:,} people who came"
    yield "certified bound", percent(exposure.promised), proved
    persons = outcome.several.people if outcome.several else None
    yield from alike_rows(outcome.kept, released_alike(outcome.release, persons))
    if exposure.true > exposure.promised:
        broken = "more people are exposed than the bound says; verify fails"
        yield "certified bound", "BROKEN", broken
    worst = exposure.worst_case
    if not is_fixed:
        yield "worst case", "-", "the marginals are of other people"
    elif outcome.decision.hidden:
        yield "worst case", "-", "values are suppressed, so the release has other marginals"
    elif presenter.unsearched:
        yield "worst case", "-", presenter.unsearched
    elif outcome.several:
        yield "worst case", "-", "not searched where persons have several rows"
    elif worst is None:
        yield "worst case", "-", "not computed; --worst-case NODES computes it"
    elif worst.attained_people == worst.proven:
        share = percent(worst.proven / exposure.people)
        yield "worst case", share, "maximum over all tables with these marginals"
    else:
        low, high = (
            percent(people / exposure.people) for people in (worst.attained_people, worst.proven)
        )
        open_ = f"{worst.why}; --worst-case NODES searches further"
        all_tables = "maximum over all tables with these marginals"
        yield "worst case", f"{low} to {high}", f"{all_tables}; {open_}"


def _grounds(outcome: "Outcome") -> str:
    """Return the data from which the certified bound was proved, as text."""
    if outcome.decision and any(outcome.decision.hidden):
        sure = f"; it may fail with probability {outcome.scenario.policy.delta:g}"
        covered = outcome.decision.certificate.slack is not None
        return "the marginals and its rules" + (sure if covered else "")
    return "all counts of the curator" if len(outcome.counted) > 2 else "the marginals"


BROKEN = "the trust assumption does not hold"
SECOND_ASSUMPTION = "see every row, not its sender: the second trust assumption does not hold"


def _links(outcome: "Outcome", *, deviated: bool) -> Iterator[tuple[str, str, str]]:
    """Yield rows on coalitions; if parties deviated, only on coalitions that link a person."""
    shufflers = [f"shuffler-{hop + 1}" for hop in range(outcome.scenario.mix.shufflers)]
    whole = {1: "the shuffler", 2: "both shufflers"}.get(
        len(shufflers), f"all {len(shufflers)} shufflers"
    )
    presenter = presenter_of(outcome.scenario)
    reader = presenter.reader
    curator = "reads nothing" if reader == parties.ANALYST else "people linked to their values"
    open_list = outcome.coalition(*shufflers).linked  # of a public round of a verified mix
    linked_unit = "answer" if outcome.scenario.policy.publish_marginals else "released row"
    s = "s" if len(shufflers) == 1 else ""
    mixers = (
        f"know{s} whose each {linked_unit} is" if open_list else f"see{s} senders, not contents"
    )
    rows = [
        ("linked by the curator", ["curator"], curator),
        ("linked by the analyst", ["analyst"], f"sees {presenter.reads}"),
        (f"linked by {whole}", shufflers, mixers),
        (f"linked by {reader} and {whole.removeprefix('both ')}", [reader, *shufflers], BROKEN),
    ]
    if parties.RANDOMNESS in further_parties(
        outcome.scenario
    ):  # two assumptions: on the owner of a row, and on the closed values
        both = [reader, parties.RANDOMNESS]
        rows.append(("linked by analyst and randomness", both, SECOND_ASSUMPTION))
    for label, members, meaning in rows:
        coalition = outcome.coalition(*members)
        if deviated and not coalition.linked:
            continue
        yield label, f"{coalition.linked:,} of {coalition.users:,}", meaning
