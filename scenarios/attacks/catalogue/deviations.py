"""Deviations of a scenario file, converted to the protocol's form and put into a session.

A deviation is an action of attackers against the protocol, such as to drop or change a message.
"""

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

from msgspec import convert
from msgspec.structs import asdict

from ....crypto.entropy import Entropy
from ....protocol.search.deviation import Deviation
from ....protocol.wire.messages import Kind
from ....roles.cast import Cast
from ...schema.model import DeviationSection
from ..faults.deviant_cast import deviant_cast
from ..faults.deviation import DeviationRecord, Deviations

NAMED = ("message", "until")  # keys with a kind of message, by its name in a scenario file
LABEL = "deviations"  # label of the entropy that seals the coalition's own answers


def deviation_of(entry: DeviationSection) -> Deviation:
    """Return the protocol's `Deviation` for an entry of `[[deviation]]`.

    The names of kinds of messages become their codes on the wire.
    """
    field_values = {name: value for name, value in asdict(entry).items() if value is not None}
    kinds = {name: Kind[field_values[name].upper()].value for name in NAMED if name in field_values}
    return convert(field_values | kinds, Deviation)


def entry_of(deviation: Deviation) -> DeviationSection:
    """Return the `[[deviation]]` entry for a deviation of the protocol, without empty keys."""
    values = ((field.name, getattr(deviation, field.name)) for field in fields(deviation))
    field_values: dict[str, Any] = {name: value for name, value in values if value}
    kinds = {name: field_values[name].name.lower() for name in NAMED if name in field_values}
    return convert(field_values | kinds | {"do": deviation.do.value}, DeviationSection)


def deviations_of(entries: Sequence[DeviationSection], entropy: Entropy, people: int) -> Deviations:
    """Return the attackers' strategy that consists of these deviations.

    entropy: the session's, for the attackers' own answers. people: the number of users.
    """
    return Deviations(tuple(map(deviation_of, entries)), entropy.fork(LABEL), people)


def deviating(entries: Sequence[DeviationSection], cast: Cast) -> Cast:
    """Return a session's inputs with a file's deviations in them; unchanged without deviations."""
    if not entries:
        return cast
    deviations = deviations_of(entries, cast.entropy, cast.people)
    return replace(deviant_cast(cast, deviations), paced=True)


def unmet_deviations(entries: Sequence[DeviationSection], cast: Cast) -> Iterator[str]:
    """Yield a warning for each deviation that could not begin: this session did not test it."""
    record = cast.adversary
    if not isinstance(record, DeviationRecord):
        return
    for place, entry in enumerate(entries):
        if place not in record.occasions:
            yield (
                f'deviation[{place}]: "{deviation_of(entry)}" found no occasion: nothing in '
                "this session was the message, round, person or ballot that it names; the "
                "message may not occur with these guards, or the session burned before it"
            )
