"""What a derivation is told as: numbered steps, each with those it needs, and what follows."""

from collections.abc import Iterator

from msgspec import field

from ..serialization.record import Record


class Step(Record, frozen=True):
    """One line of a derivation.

    Attributes:
        number: from 1.
        rule: by which it follows.
        text: what follows.
        after: the numbers of the steps that it follows from.
    """

    number: int = field(name="step")
    rule: str
    text: str
    after: tuple[int, ...]


class Explanation(Record, frozen=True):
    """What is asked about a person or a ciphertext, and what follows.

    Attributes:
        about: the person or the ciphertext.
        steps: of the derivation.
        ending: what follows of it, and why not more.
        missing: keys that would help.
    """

    about: str
    steps: tuple[Step, ...]
    ending: str
    missing: tuple[str, ...] = ()


def lines(why: Explanation) -> Iterator[str]:
    """The derivation as numbered lines."""
    for step in why.steps:
        after = f"  [{', '.join(map(str, step.after))}]" if step.after else ""
        yield f"{step.number:>4}  {step.text}{after}"
    yield why.ending
