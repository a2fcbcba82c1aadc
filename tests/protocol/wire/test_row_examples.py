"""Each row of the table makes an example, so that a field more needs none by hand."""

from dataclasses import dataclass

import pytest
from row_examples import examples_of
from veilmix.protocol.wire.bodies import TABLE, Row
from veilmix.protocol.wire.fields import U8, Bit, Flag, Step, Text, Texts
from veilmix.protocol.wire.records import Body
from veilmix.protocol.wire.wire import Writer, decode


@pytest.mark.parametrize("row", TABLE.values(), ids=lambda row: row.body.__name__)
def test_each_row_makes_an_example(row: Row) -> None:
    assert dict(examples_of(row.body))


@dataclass(frozen=True, slots=True)
class Note(Body):
    """A message that is not in the table."""

    step: Step
    note: U8
    urgent: Flag
    seen: Bit
    kept: Bit
    title: Text
    words: Texts


def test_the_example_of_a_new_row_has_its_least_and_its_largest_values() -> None:
    made = dict(examples_of(Note))
    assert (made["smallest"].step, made["smallest"].note, made["smallest"].words) == (1, 0, ())
    assert (made["largest"].note, made["largest"].kept, len(made["largest"].words)) == (
        255,
        True,
        3,
    )
    for note in made.values():
        out = Writer()
        note.write(out)
        assert decode(out.finish(), Note.read) == note
