"""Sentences about people of a release with equal values; they stand beside its certified bound.

A crowd smaller than k is not all that a release can expose. If all people answer the same, no crowd
is small, and every answer is public.
"""

from collections.abc import Iterator, Mapping, Sequence

from ...analysis.exposure.alike import Follows, SharedValues, shared_values
from ...protocol.hiding import HIDDEN
from ..wording import plural

ROW = tuple[str, str, str]  # of the table of scores: name, value, meaning


def released_alike(release: Mapping[tuple[str, ...], int] | None) -> SharedValues:
    """Return the agreement of values in the cells of a release; empty without a release."""
    return shared_values(release or {}, HIDDEN)


def alike_rows(names: Sequence[str], found: SharedValues) -> Iterator[ROW]:
    """Yield rows of the table of scores: values that all people share, and values that follow."""
    people = plural(found.people, "person", "people")
    if found.is_whole:
        yield "everybody alike", people, "all answered the same: their answer is public now"
    else:
        for place, value in found.unanimous:
            yield "everybody alike", people, f"all have {value} in {names[place]}: it is public now"
    if found.widest is not None:
        followers = plural(found.followers, "person", "people")
        yield "value follows", followers, f"from another released one: {_rule(names, found.widest)}"


def alike_lines(names: Sequence[str], found: SharedValues) -> Iterator[str]:
    """The same as sentences."""
    people = plural(found.people, "person", "people")
    if found.is_whole:
        yield f"All {people} answered the same: their answer is public now."
    else:
        for place, value in found.unanimous:
            yield f"All {people} have {value} in {names[place]}: it is public now."
    if found.widest is not None:
        followers, rule = plural(found.followers, "person", "people"), _rule(names, found.widest)
        yield f"Of {followers} one released value follows from another: {rule}."


def _rule(names: Sequence[str], rule: Follows) -> str:
    """An example of a value that follows, in a clause."""
    (known, value), (learnt, told) = rule.known, rule.learnt
    people = plural(rule.people, "person", "people")
    return f"{names[known]} = {value} means {names[learnt]} = {told} ({people})"
