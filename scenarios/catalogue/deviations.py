"""Deviations as a scenario file has them, as the protocol has them, and in a session."""

from collections.abc import Sequence
from dataclasses import replace

from ...crypto.entropy import Entropy
from ...errors import DataError
from ...protocol.messages import Kind
from ...protocol.search.deviation import Action, Deviation
from ...roles.cast import Cast
from ...roles.faults.deviant_place import places
from ...roles.faults.deviant_wire import wire
from ...roles.faults.deviation import DeviationRecord, Deviations
from ..schema.model import Deviation as Entry
from ..schema.model import Scenario

LABEL = "deviations"  # the fork of a session's entropy that own answers are sealed with


def deviation_of(entry: Entry) -> Deviation:
    """Return a deviation as the protocol has it."""
    return Deviation(
        by=entry.by,
        do=Action(entry.do),
        message=_kind(entry.message),
        field=entry.field or "",
        change=entry.change or "",
        people=entry.people,
        all_but=entry.all_but,
        rounds=entry.rounds,
        row=entry.row,
        places=entry.places,
        until=_kind(entry.until),
        until_by=entry.until_by or "",
        deadlines=entry.deadlines or 0.0,
    )


def entry_of(deviation: Deviation) -> Entry:
    """Return a deviation as a file has it."""
    return Entry(
        by=deviation.by,
        do=deviation.do.value,
        message=_name(deviation.message),  # type: ignore[arg-type]
        field=deviation.field or None,
        change=deviation.change or None,  # type: ignore[arg-type]
        people=deviation.people,
        all_but=deviation.all_but,
        rounds=deviation.rounds,
        row=deviation.row,
        places=deviation.places,
        until=_name(deviation.until),  # type: ignore[arg-type]
        until_by=deviation.until_by or None,
        deadlines=deviation.deadlines or None,
    )


def _kind(name: str | None) -> Kind | None:
    return None if name is None else Kind[name.upper()]


def _name(kind: Kind | None) -> str | None:
    return None if kind is None else kind.name.lower()


def deviations_of(entries: Sequence[Entry], entropy: Entropy, people: int) -> Deviations:
    """Return the strategy of a file, for a session of so many people."""
    return Deviations(tuple(map(deviation_of, entries)), entropy.fork(LABEL), people)


def deviating(scenario: Scenario, cast: Cast) -> Cast:
    """Return a session whose members deviate as the scenario says; as it is if it says nothing."""
    if not scenario.deviation:
        return cast
    deviations = deviations_of(scenario.deviation, cast.entropy, cast.people)
    faults = {**cast.faults, **places(deviations)}
    return replace(
        cast, faults=faults, wire=wire(deviations), adversary=deviations.record, paced=True
    )


def check_occasions(scenario: Scenario, cast: Cast) -> None:
    """DataError if a deviation found no occasion in a session: then nothing was tried."""
    record = cast.adversary
    if not isinstance(record, DeviationRecord):
        return
    for place, entry in enumerate(scenario.deviation):
        if deviation_of(entry) not in record.acted:
            raise DataError(
                f'deviation[{place}]: "{deviation_of(entry)}" found no occasion: nothing in '
                "this session was the message, round, person or ballot that it names; the "
                "message may not occur with these guards, or the session burned before it"
            )
