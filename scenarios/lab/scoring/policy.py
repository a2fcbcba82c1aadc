"""The scores of a scenario's policy: the exposure of the release, and unmet expectations.

The expectations are the lines of the scenario's table [expect].
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ....protocol.board.promise import promised_share, prove
from ....protocol.wire.parties import CURATOR
from ...populations.samples import Samples
from ...programs.small_classes import excluded_people, exposed_people
from .outcome import Exposure, Outcome
from .worst_case import is_sought, search_of, seek

if TYPE_CHECKING:
    from ...programs.interface import Played, ScoringSettings
    from ...schema.model import Expect


def measure(
    settings: "ScoringSettings", played: "Played", crowd: Samples, nodes: int | None
) -> Exposure:
    """Return the exposure of a release: true, certified, and the worst case over its marginals.

    The certified share is proved again for the respondents before the release (board/promise.py).
    If the release program has no such proof, it is the bound of the decision. A release may reveal
    further small classes, because the values that it shows exclude all but a few values for the
    people left. These people are added to the true and the certified share.

    nodes: the maximum number of nodes of each search tree for the worst case; 0: no search; None:
    the default.
    """
    decision = played.decision
    if decision is None or played.release is None:
        promised = decision.certificate.value if decision else 0.0
        return Exposure(0.0, promised, None, decision.certificate.n if decision else 0)
    cells = list(played.release.values())
    people = sum(cells)
    program, proving = settings.program, settings.proving
    excluded = excluded_people(program, played.release, settings.policy, crowd.people.schema)
    below = exposed_people(program, played.release, decision.certificate.k) + excluded
    true = below / people if people else 0.0
    promised = decision.certificate.value
    if proving is not None:
        schema, calls = crowd.people.schema, played.calls[:-1]
        proved = prove(proving, schema, calls, decision, played.release)
        promised = promised_share(decision, proved)
    promised += excluded / people if people else 0.0
    search = search_of(nodes) if is_sought(decision, program, fixed=crowd.fixed) else None
    worst = None if search is None else seek(played.release, decision, search)
    return Exposure(true, promised, worst, people)


def expectations(outcome: Outcome, settings: "ScoringSettings") -> Outcome:
    """Return the outcome with a message for each unmet line of the scenario's table [expect]."""
    return replace(outcome, failed=tuple(_failures(outcome, settings)))


def _failures(outcome: Outcome, settings: "ScoringSettings") -> Iterator[str]:
    """Yield a message for each line of [expect] that does not hold."""
    expect, exposure = settings.expect, outcome.exposure
    for key, limit, reached in (
        ("true_exposure_at_most", expect.true_exposure_at_most, exposure.true),
        ("promised_at_most", expect.promised_at_most, exposure.promised),
    ):
        if limit is not None and reached > limit:
            yield f"expect.{key}: {limit:g} was expected, {reached:.6g} was found"
    # An ideal run carries out no attacks that need messages, so columns expected under attack
    # differ.
    unplayed = outcome.mode == "ideal" and settings.deviates
    for key, names, found_names in (
        (
            "kept",
            None if unplayed else expect.kept,
            outcome.released_columns if outcome.released else (),
        ),
        ("suppressed", expect.suppressed, outcome.suppressed),
    ):
        if names is not None and set(names) != set(found_names):
            expected_names, actual_names = (
                ", ".join(sorted(column_names)) or "none" for column_names in (names, found_names)
            )
            yield f"expect.{key}: {expected_names} was expected, {actual_names} was found"
    min_columns = expect.kept_at_least
    released_count = len(outcome.released_columns) if outcome.released else 0
    if min_columns is not None and released_count < min_columns:
        yield (
            f"expect.kept_at_least: {min_columns} columns were expected, {released_count} released"
        )
    if outcome.mode == "real":
        yield from _attacked(outcome, expect)
    if expect.curator_links_at_most is None:
        return
    linked = outcome.coalition(CURATOR).linked
    if linked > expect.curator_links_at_most:
        most_linked = expect.curator_links_at_most
        yield f"expect.curator_links_at_most: {most_linked} was expected, {linked} people linked"


def _attacked(outcome: Outcome, expect: "Expect") -> Iterator[str]:
    """Yield a message for each line of [expect] about alarms and attacks that does not hold."""
    if expect.alarms_at_least is not None and len(outcome.alarms) < expect.alarms_at_least:
        raised = len(outcome.alarms)
        min_alarms = expect.alarms_at_least
        yield f"expect.alarms_at_least: {min_alarms} were expected, {raised} were raised"
    for effect in outcome.attacks:
        effect_text = f"{effect.value:g} {effect.unit} by {effect.attack}"
        if expect.attack_at_most is not None and effect.value > expect.attack_at_most:
            yield f"expect.attack_at_most: {expect.attack_at_most:g} was expected, {effect_text}"
        if expect.attack_at_least is not None and effect.value < expect.attack_at_least:
            yield f"expect.attack_at_least: {expect.attack_at_least:g} was expected, {effect_text}"
