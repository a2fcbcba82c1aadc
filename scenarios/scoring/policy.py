"""Scoring an outcome: what else could have been kept, how exposed people are, what was expected."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...protocol.parties import CURATOR
from ...protocol.programs import Strategy
from ...protocol.promise import promised_share, prove
from ...protocol.tallying import marginals as as_marginals
from ...protocol.tallying import summed
from ..populations.samples import Samples
from .outcome import Exposure, Outcome, WorstCase

if TYPE_CHECKING:
    from ..programs.interface import Played, ReleaseProgram

# The search for the worst case where the caller sets no limit: 0 to 5 s of processor time.
NODES, CELLS = 100, 100  # of every search tree; of the table, after rare values are merged
ENOUGH = 0.002  # of the people: bounds found at once that leave open no more are good enough


def measure(
    played: "Played",
    crowd: Samples,
    proving: Strategy | None,
    nodes: int | None,
    program: "ReleaseProgram",
) -> Exposure:
    """The exposure of a release: true, promised, and the worst that the marginals allow.

    Promised is what the reader proved of those who came (protocol/promise.py), or, where nobody
    proves it again, what was decided. proving: the strategy to prove it with, or None. program: it
    counts who is exposed. The worst case is of all tables with their marginals. In the statistical
    setting these are not the curator's; where values are left blank, another table is released; and
    where groups of columns are known, most tables with these marginals are ruled out: there it is
    not sought. nodes: of each search tree for it; None: as `NODES`, `CELLS` and `ENOUGH` say.
    """
    decision = played.decision
    if decision is None or played.release is None:
        promised = decision.certificate.value if decision else 0.0
        return Exposure(0.0, promised, None, decision.certificate.n if decision else 0)
    cells = list(played.release.values())
    people = sum(cells)
    true = program.exposed(played.release, decision.certificate.k) / people if people else 0.0
    promised = decision.certificate.value
    if proving is not None:
        schema, calls = crowd.people.schema, played.calls[:-1]
        proved = prove(proving, schema, calls, decision, played.release)
        promised = promised_share(decision, proved)
    places = range(len(decision.kept))
    counts, _ = as_marginals([summed(played.release, (place,)) for place in places])
    comparable = crowd.fixed and not decision.hidden
    comparable = comparable and not (program.opens or program.deepens)
    proved_before = decision.certificate.people if decision.certificate.n == people else people
    nodes = nodes if comparable else 0
    worst = _worst(counts, decision.certificate.k, nodes, proved_before)
    return Exposure(true, promised, worst, people)


def _worst(counts: list[list[int]], k: int, nodes: int | None, most: int) -> WorstCase | None:
    """The worst case over all tables with these marginals. nodes: of every search tree, at most.

    most: no table exposes more people, as the decision has proved.
    """
    if nodes == 0:
        return None
    from ...analysis.composition import worst_case

    if nodes is None:
        worst = worst_case(counts, k, nodes=NODES, enough=ENOUGH, most_cells=CELLS)
    else:
        worst = worst_case(counts, k, nodes=nodes)
    proven = max(min(worst.upper, most), worst.people)
    return WorstCase(worst.people, proven, worst.why if proven > worst.people else "")


def expectations(outcome: Outcome) -> Outcome:
    """Note which lines of the scenario's [expect] do not hold."""
    return replace(outcome, failed=tuple(_failures(outcome)))


def _failures(outcome: Outcome) -> Iterator[str]:
    expect = outcome.scenario.expect
    exposure = outcome.exposure
    for key, most, reached in (
        ("true_exposure_at_most", expect.true_exposure_at_most, exposure.true),
        ("promised_at_most", expect.promised_at_most, exposure.promised),
    ):
        if most is not None and reached > most:
            yield f"expect.{key}: {most:g} was expected, {reached:.6g} was found"
    # Where no message is sent nobody attacks and nobody watches.
    unplayed = outcome.mode == "ideal" and outcome.scenario.fault
    for key, names, found_names in (
        ("kept", None if unplayed else expect.kept, outcome.kept if outcome.released else ()),
        ("suppressed", expect.suppressed, outcome.suppressed),
    ):
        if names is not None and set(names) != set(found_names):
            said, got = (", ".join(sorted(some)) or "none" for some in (names, found_names))
            yield f"expect.{key}: {said} was expected, {got} was found"
    least = expect.kept_at_least
    kept = len(outcome.kept) if outcome.released else 0
    if least is not None and kept < least:
        yield f"expect.kept_at_least: {least} columns were expected, {kept} released"
    if outcome.mode == "real":
        yield from _attacked(outcome)
    if expect.curator_links_at_most is None:
        return
    linked = outcome.coalition(CURATOR).linked
    if linked > expect.curator_links_at_most:
        most_linked = expect.curator_links_at_most
        yield f"expect.curator_links_at_most: {most_linked} was expected, {linked} people linked"


def _attacked(outcome: Outcome) -> Iterator[str]:
    expect = outcome.scenario.expect
    if expect.alarms_at_least is not None and len(outcome.alarms) < expect.alarms_at_least:
        raised = len(outcome.alarms)
        least = expect.alarms_at_least
        yield f"expect.alarms_at_least: {least} were expected, {raised} were raised"
    for effect in outcome.attacks:
        said = f"{effect.value:g} {effect.unit} by {effect.attack}"
        if expect.attack_at_most is not None and effect.value > expect.attack_at_most:
            yield f"expect.attack_at_most: {expect.attack_at_most:g} was expected, {said}"
        if expect.attack_at_least is not None and effect.value < expect.attack_at_least:
            yield f"expect.attack_at_least: {expect.attack_at_least:g} was expected, {said}"
