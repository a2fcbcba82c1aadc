"""Scores of a run in which persons have several rows: exposure of persons and re-identification.

A person is as exposed as its rarest released row: the person's class size is the number of persons
that have this row (analysis/exposure/persons.py). The release alone does not show which rows belong
to the same person, so the scores use the true table of persons.
"""

from typing import TYPE_CHECKING

from ....analysis.exposure import risk
from ....analysis.exposure.persons import Persons
from ....protocol.board.promise import promised_share, prove
from .reidentification import Reidentified, Risks

if TYPE_CHECKING:
    from ...programs.interface import Session
    from .outcome import Exposure


def measure_persons(session: "Session") -> "Exposure":
    """Return the true and the certified share of exposed persons; no worst case is searched."""
    from .outcome import Exposure

    played, proving = session.played, session.settings.proving
    decision = played.decision
    if decision is None or played.release is None:
        promised = decision.certificate.value if decision else 0.0
        return Exposure(0.0, promised, None, decision.certificate.n if decision else 0)
    persons = persons_of(session)
    exposed = persons.below(range(persons.codes.shape[1]), decision.certificate.k)
    promised = decision.certificate.value
    if proving is not None:
        schema, calls = session.crowd.people.schema, played.calls[:-1]
        proved = prove(proving, schema, calls, decision, played.release)
        promised = promised_share(decision, proved)
    return Exposure(exposed / persons.n, promised, None, persons.n)


def persons_of(session: "Session") -> Persons:
    """Return the persons of the last round, with the codes of their released columns."""
    people, decision = session.crowd.people, session.played.decision
    several, present_people = people.several, session.present(len(session.played.calls))
    assert several is not None  # noqa: S101 - the callers have looked
    assert decision is not None  # noqa: S101 - there is a release
    codes = people.codes[several.places(present_people)]
    return Persons.from_table(
        codes[:, list(decision.kept)], several.select_persons(present_people).owner
    )


def reidentified(session: "Session") -> Reidentified | None:
    """Return the risks by attackers that know one released row of each person.

    None without a release, or with fewer than two persons.
    """
    if session.played.release is None:
        return None
    persons = persons_of(session)
    if persons.n < 2:
        return None
    return risks_of(persons, session.settings.policy.k, session.crowd.people.n)


def risks_of(persons: Persons, k: int, population: int) -> Reidentified:
    """Return the re-identification risks of persons, each by the person's most exposed row.

    k: people in the smallest safe class. population: the number of persons in the source.
    """
    crowds = persons.crowds(range(persons.codes.shape[1]))
    return Reidentified(persons.n, population, (), Risks.from_risk(risk(crowds, k)))
