"""Changes of a message's field to another legal value: the kinds, and the fields that each fits.

The search for attacks tries these changes as acts of a malicious party. A field is named by its
path: `people`, `certificate.k`, `asks[0]`. If the constructors refuse the changed message,
`changed` returns None.

The board accepts a changed message only if its derived fields (such as totals) still fit. So
`derive` computes them as the honest author does. The account (numbers and digest) and the trace
(hashes of layers) of a batch are derived from the batch (mixing.account, audit.trace).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import StrEnum
from typing import Any

from ...crypto.ristretto import ELEMENT, plus
from ...errors import ParameterError
from ..wire.messages import Body, Tally
from ..wire.parties import Role

Path = tuple[str | int, ...]
TargetTest = Callable[[object], bool]  # tests whether a change applies to an entry of a list
DEEPEST = 3  # largest depth of nested messages and lists that is searched
PERSONAL = "people"  # the field of a message that lists people by index
# fields of verified-mix posts: ciphertext lists, and decryption shares
LISTS, SHARES = "lists", "shares"
# bytes: the header of a list, the header of shares, and a ciphertext
LIST_HEAD, SHARES_HEAD, PAIR = 5, 4, 64
# The field with blinded group elements. Doubling an element of an answer gives the output of
# another key, twice the true one, so that a malicious key holder can mark a person.
ELEMENTS = "elements"

_STEP = re.compile(r"\.?([a-z_]+)|\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Change:
    """A kind of change that a malicious party makes to a field of a message.

    Attributes:
        fits: (name of a field, value) -> whether the change applies to this field.
        apply: (value, test of list entries) -> the changed value. The test selects the entries to
            which the change applies.
        aimed: whether the change affects only selected entries of a list, such as a person's.
    """

    fits: Callable[[str, object], bool]
    apply: Callable[[Any, TargetTest], Any]
    aimed: bool = False


def _is_number(_name: str, value: object) -> bool:
    """Whether a field's value is an integer and no bool."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_list(_name: str, value: object) -> bool:
    """Whether a field's value is a list with entries."""
    return isinstance(value, tuple) and bool(value)


def _has_marks(name: str, value: object) -> bool:
    """Whether each entry of a list may belong to one person.

    A change can then select the entries of certain people. name: the field's name. value: the list.
    """
    if not isinstance(value, tuple) or not value:
        return False
    if isinstance(value[0], int):
        return name == PERSONAL
    return isinstance(value[0], bytes) or hasattr(value[0], "person")


def _moved(counts: Mapping[Any, int], _is_target: TargetTest) -> Mapping[Any, int]:
    """Return counts in which one person is moved from the first cell to the last.

    counts: people by cell (combination of values).
    """
    first, last = min(counts), max(counts)
    moved_counts = {key: count - (key == first) + (key == last) for key, count in counts.items()}
    return {key: count for key, count in moved_counts.items() if count}


def _joined(
    lists: tuple[tuple[Any, ...], ...], _is_target: TargetTest
) -> tuple[tuple[Any, ...], ...]:
    """Return the lists with the first two merged."""
    return (tuple(sorted({*lists[0], *lists[1]})), *lists[2:])


def _exchanged(at: int, records: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """Return records of a verified mix in which a group element of the first record is doubled.

    In a list of ciphertexts, this changes an answer. In a list of decryption shares, it gives a
    share of another key. at: the byte offset of the element.
    """
    first = records[0]
    element = first[at : at + ELEMENT]
    return first[:at] + plus(element, element) + first[at + ELEMENT :], *records[1:]


def _repeated(record: bytes) -> bytes:
    """Return a ciphertext list of a verified mix in which the last row is a copy of the first."""
    row = PAIR * record[LIST_HEAD - 1]
    return record[:-row] + record[LIST_HEAD : LIST_HEAD + row]


# the roles that can be the reader of a round (open its ballots), each with the other role
READERS = {Role.CURATOR: Role.ANALYST, Role.ANALYST: Role.CURATOR}


def _other_member(value: StrEnum, _is_target: TargetTest) -> StrEnum:
    """Return another value of an enumeration.

    The curator and the analyst replace each other, because both open ballots; any other value is
    replaced by the next.
    """
    if isinstance(value, Role):
        return READERS.get(value, value)
    members = list(type(value))
    return members[(members.index(value) + 1) % len(members)]


CHANGES: Mapping[str, Change] = {
    "one more": Change(_is_number, lambda value, _: value + 1),
    "one fewer": Change(_is_number, lambda value, _: max(0, value - 1)),
    "turned": Change(lambda _, value: isinstance(value, bool), lambda value, _: not value),
    "zeros": Change(
        lambda _, value: isinstance(value, bytes) and any(value),
        lambda value, _: bytes(len(value)),
    ),
    "empty": Change(
        lambda _, value: isinstance(value, tuple | Mapping) and bool(value),
        lambda value, _: () if isinstance(value, tuple) else {},
    ),
    "without the first": Change(_is_list, lambda value, _: value[1:]),
    "without the last": Change(_is_list, lambda value, _: value[:-1]),
    "less": Change(
        _has_marks,
        lambda value, is_target: tuple(entry for entry in value if not is_target(entry)),
        aimed=True,
    ),
    "moved": Change(lambda _, value: isinstance(value, Mapping) and len(value) > 1, _moved),
    "joined": Change(
        lambda _, value: (
            isinstance(value, tuple) and len(value) > 1 and isinstance(value[0], tuple)
        ),
        _joined,
    ),
    "doubled": Change(
        lambda name, value: name == ELEMENTS and bool(value),
        lambda value, _: tuple(plus(element, element) for element in value),
    ),
    "another": Change(lambda _, value: isinstance(value, StrEnum), _other_member),
    "exchanged": Change(
        lambda name, value: name == LISTS and bool(value),
        lambda records, _: _exchanged(LIST_HEAD + ELEMENT, records),
    ),
    "repeated": Change(
        lambda name, value: name == LISTS and bool(value),
        lambda records, _: (_repeated(records[0]), *records[1:]),
    ),
    "other key": Change(
        lambda name, value: name == SHARES and bool(value),
        lambda records, _: _exchanged(SHARES_HEAD, records),
    ),
}


def changes_of(
    body: object, depth: int = DEEPEST, parent_path: Path = ()
) -> Iterator[tuple[str, str]]:
    """Yield every change of every field of a message, as (path of the field, name of the change).

    depth: how many levels of nested messages and lists are searched.
    """
    if not is_dataclass(body):
        return
    for field in fields(body):
        yield from _value_changes(
            getattr(body, field.name), (*parent_path, field.name), field.name, depth
        )


def _value_changes(value: object, path: Path, name: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield every change of a value and of the values in it, as (path as text, name of the change).

    path: the path of the field. name: the field's name. depth: how many further levels are
    searched.
    """
    for change, how in CHANGES.items():
        if how.fits(name, value):
            yield written(path), change
    if depth and is_dataclass(value):
        yield from changes_of(value, depth - 1, path)
    if depth and isinstance(value, tuple) and value and not isinstance(value[0], int | bytes | str):
        yield from _value_changes(value[0], (*path, 0), name, depth - 1)


def written(path: Path) -> str:
    """Return a field's path as text: `certificate.k`, `asks[0]`."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


def parsed(text: str) -> Path | None:
    """Return the field path that a text names; None if the text is not a path."""
    steps, at = list[str | int](), 0
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None:
            return None
        steps.append(match[1] or int(match[2]))
        at = match.end()
    return tuple(steps) or None


def changed(body: Body, field: str, change: str, is_target: TargetTest) -> Body | None:
    """Return a message with one field changed; None if the changed message is invalid.

    field: the path of the field, such as `asks[0]`. change: the name of the change. is_target:
    tests the list entries to which the change applies.
    """
    path = parsed(field)
    if path is None:
        return None
    try:
        edited_body = _at(body, path, change, is_target)
        changed_body: Body = derive(edited_body)
    except (ParameterError, LookupError, TypeError, AttributeError, ValueError):
        return None
    return changed_body


def _at(value: Any, path: Path, change: str, is_target: TargetTest) -> Any:
    """Return a message or a part of it, with the field at a path replaced by its changed value.

    change: the name of the change. is_target: tests the list entries to which the change applies.
    """
    if not path:
        return CHANGES[change].apply(value, is_target)
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        return (*value[:step], _at(value[step], rest, change, is_target), *value[step + 1 :])
    return replace(value, **{step: _at(getattr(value, step), rest, change, is_target)})


def _tally(body: Tally) -> Tally:
    """Return a tally with totals that fit its counts."""
    if body.counts is None:
        return body
    return replace(body, totals=tuple(sum(cells.values()) for cells in body.counts))


DERIVED: Mapping[type, Callable[[Any], Body]] = {Tally: _tally}


def derive(body: Body) -> Body:
    """Return a message whose derived fields, such as totals, are recomputed from other fields."""
    how = DERIVED.get(type(body))
    return body if how is None else how(body)
