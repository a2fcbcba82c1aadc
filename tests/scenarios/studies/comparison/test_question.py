"""Least leakage to a coalition at equal utility: the order, the words, what is refused."""

from dataclasses import replace

import pytest
from veilmix.analysis.trust.side import Side
from veilmix.errors import ParameterError
from veilmix.scenarios.studies.comparison.compare import compare
from veilmix.scenarios.studies.comparison.question import rank_programs
from veilmix.scenarios.studies.comparison.result import Compared, Comparison

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def blood() -> Comparison:
    return compare("blood-type", 7, only=("exposure", "trusted", "shares"))


def bounded(program: Compared, bits: float) -> Compared:
    """The program with leakages that are only known to be at least so large."""
    coalitions = tuple(
        replace(learnt, bits_are=Side.AT_LEAST, bits_per_person=bits)
        for learnt in program.trust.coalitions
    )
    return replace(program, trust=replace(program.trust, coalitions=coalitions))


def test_the_least_of_the_useful_ones_is_first(blood: Comparison) -> None:
    answer = rank_programs(blood, ["curator"], "entropy")
    assert answer.reference == "exposure"
    assert answer.leaks[-1].program == "trusted"
    bits = [leak.bits_per_person for leak in answer.leaks if leak.as_useful]
    assert bits == sorted(bits)
    assert f"{bits[0]:.2f} bits a person" in answer.sentence


def test_a_program_that_is_worse_does_not_win(blood: Comparison) -> None:
    first, *others = blood.programs
    worse = replace(bounded(first, 0.0), program="worse", utility=replace(first.utility, cells=0.0))
    asked = replace(blood, programs=(first, *others, worse))
    answer = rank_programs(asked, ["curator"], "cells")
    assert (answer.leaks[-1].program, answer.leaks[-1].as_useful) == ("worse", False)
    assert "worse:" not in answer.sentence


def test_a_bound_from_below_wins_nothing(blood: Comparison) -> None:
    first, *_ = blood.programs
    low = replace(bounded(first, 0.1), program="low")
    answer = rank_programs(replace(blood, programs=(first, low)), ["curator"], "error")
    assert answer.sentence.endswith("bits a person; perhaps less: low")
    alone = rank_programs(replace(blood, programs=(low,)), ["curator"], "error")
    assert alone.sentence.endswith("not known, leakages are only bounded from below")


def test_members_that_a_program_has_not_are_left_out(blood: Comparison) -> None:
    answer = rank_programs(blood, ["curator", "shuffler-1"], "cells")
    parties = {leak.program: leak.parties for leak in answer.leaks}
    assert parties["trusted"] == ("curator",)
    assert parties["exposure"] == ("curator", "shuffler-1")


@pytest.mark.parametrize(
    ("coalition", "equal", "message"),
    [
        (["bob"], "cells", 'coalition: no party is called "bob"; the programs have '),
        (
            ["shuffler"],
            "cells",
            'called "shuffler"; the programs .* .did you mean `shuffler-1`',
        ),
        (["peer-31"], "cells", 'called "peer-31"; the programs have .*, shuffler-1, shuffler-2$'),
        ([], "cells", r"coalition: found \[\]; a list of names is accepted, of analyst, cur"),
        ("curator", "cells", "coalition: found 'curator'; a list of names is accepted"),
        (["curator"], "joy", "equal: found 'joy'; cells, entropy, error are accepted"),
    ],
)
def test_what_cannot_be_answered_is_named(
    blood: Comparison, coalition: list[str] | str, equal: str, message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        rank_programs(blood, coalition, equal)


def test_where_nothing_was_released_nothing_is_as_useful(blood: Comparison) -> None:
    burned = tuple(replace(program, burned="lost") for program in blood.programs)
    with pytest.raises(ParameterError, match="no program made a release"):
        rank_programs(replace(blood, programs=burned), ["curator"], "cells")
