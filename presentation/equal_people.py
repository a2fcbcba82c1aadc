"""Sentences about released values that many people share, shown with the certified bound.

A class smaller than k is not the only exposure. If all people give the same answer, no class is
small, and yet the answer of each person is public.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..analysis.exposure.equal_people import Follows, SharedValues, shared_values
from ..languages.language import Language, english
from ..number_text import plural
from ..protocol.wire.hiding_rules import HIDDEN

ROW = tuple[str, str, str]  # name, value and meaning in a table of scores


def released_alike(
    release: Mapping[tuple[str, ...], int] | None, persons: int | None = None
) -> SharedValues:
    """Return the values of a release that all people share, or that follow from another value.

    release: the number of people in each cell (combination of values). persons: the number of
    persons if each may have several rows; None: one row each. With several rows no value follows
    from another, since a person may have both values in different rows.
    """
    shared = shared_values(release or {}, HIDDEN)
    if persons is None or not release:
        return shared
    return replace(shared, people=persons, followers=0, widest=None)


def alike_rows(names: Sequence[str], shared: SharedValues) -> Iterator[ROW]:
    """Yield scores on values that all people share, and on values that follow from another value.

    names: the released columns. shared: the values that all share, and values that follow from
    another value.
    """
    people = plural(shared.people, "person", "people")
    if shared.is_whole:
        yield "everybody alike", people, "all answered the same: their answer is public now"
    else:
        for place, value in shared.unanimous:
            yield "everybody alike", people, f"all have {value} in {names[place]}: it is public now"
    if shared.widest is not None:
        followers = plural(shared.followers, "person", "people")
        rule = _rule(names, shared.widest, english().part("theatre"))
        yield "value follows", followers, f"from another released one: {rule}"


def alike_lines(
    names: Sequence[str], shared: SharedValues, language: Language | None = None
) -> Iterator[str]:
    """Yield sentences on values that all people share, and values that follow from another.

    names: the released columns. shared: the values that all share, and values that follow from
    another value. language: the language of the theatre's sentences; None: English.
    """
    words, people = language or english().part("theatre"), shared.people
    if shared.is_whole:
        yield words.say("says-alike-all", n=people)
    else:
        for place, value in shared.unanimous:
            yield words.say("says-alike-value", n=people, value=value, name=names[place])
    if shared.widest is not None:
        followers = words.say("people", n=shared.followers)
        rule = _rule(names, shared.widest, words)
        yield words.say("says-alike-follows", followers=followers, rule=rule)


def _rule(names: Sequence[str], rule: Follows, words: Language) -> str:
    """Return a clause such as: people with one value all have another value, with their number.

    names: the released columns. rule: the two values. words: the language of the clause.
    """
    (known_column, value), (learnt, learnt_value) = rule.known_value, rule.learnt
    return words.say(
        "says-alike-rule",
        known=f"{names[known_column]} = {value}",
        told=f"{names[learnt]} = {learnt_value}",
        people=words.say("people", n=rule.people),
    )
