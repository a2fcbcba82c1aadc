"""The form of an explanation: numbered steps of a derivation, and a conclusion."""

from collections.abc import Iterator

from msgspec import field

from ...serialization.record import Record


class DerivationStep(Record, frozen=True):
    """A step of a derivation: a conclusion and its premises.

    Attributes:
        number: the number of the step, from 1.
        rule: the name of the inference rule.
        text: the conclusion of this step.
        after: the numbers of the steps that are its premises.
    """

    number: int = field(name="step")
    rule: str
    text: str
    after: tuple[int, ...]


class Explanation(Record, frozen=True):
    """The explanation of a coalition's knowledge about a person or a ciphertext.

    Attributes:
        about: the name of the person or the ciphertext.
        steps: the steps of the derivation.
        ending: the conclusion, and the reason why the coalition learns no more.
        missing: the parties outside the coalition with keys that would extend the knowledge.
    """

    about: str
    steps: tuple[DerivationStep, ...]
    ending: str
    missing: tuple[str, ...] = ()


def lines(why: Explanation) -> Iterator[str]:
    """Yield the steps of an explanation as numbered lines, and then its conclusion."""
    for step in why.steps:
        premises = f"  [{', '.join(map(str, step.after))}]" if step.after else ""
        yield f"{step.number:>4}  {step.text}{premises}"
    yield why.ending
