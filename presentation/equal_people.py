"""Sentences about people of a release with equal values; they stand beside its certified bound.

A crowd smaller than k is not all that a release can expose. If all people answer the same, no crowd
is small, and every answer is public.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..analysis.exposure.equal_people import Follows, SharedValues, shared_values
from ..languages.language import Language, english
from ..number_text import plural
from ..protocol.wire.hiding_rules import HIDDEN

ROW = tuple[str, str, str]  # of the table of scores: name, value, meaning


def released_alike(
    release: Mapping[tuple[str, ...], int] | None, persons: int | None = None
) -> SharedValues:
    """Return the agreement of values in the cells of a release; empty without a release.

    persons: of the release, if they have several rows. Then no value follows from another: a
    person has both in different rows.
    """
    shared = shared_values(release or {}, HIDDEN)
    if persons is None or not release:
        return shared
    return replace(shared, people=persons, followers=0, widest=None)


def alike_rows(names: Sequence[str], shared: SharedValues) -> Iterator[ROW]:
    """Yield rows of the table of scores: values that all people share, and values that follow."""
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
    """The same as sentences.

    language: with the sentences of the theatre; None: English.
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
    """An example of a value that follows, in a clause."""
    (known_column, value), (learnt, learnt_value) = rule.known_value, rule.learnt
    return words.say(
        "says-alike-rule",
        known=f"{names[known_column]} = {value}",
        told=f"{names[learnt]} = {learnt_value}",
        people=words.say("people", n=rule.people),
    )
