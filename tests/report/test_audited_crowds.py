"""What is said of what coalitions learn that watch, where pairs of shufflers are audited."""

import pytest
from msgspec.structs import replace
from veilmix.presentation.presenters.topology import PRESENTERS
from veilmix.presentation.wording import AUDITED, UNRECORDED, audited
from veilmix.scenarios.lab.validation.load import change, load
from veilmix.scenarios.programs.coalitions import coalitions
from veilmix.scenarios.programs.topology import CENTRAL, links
from veilmix.scenarios.schema.model import Scenario


def scenario(shufflers: int, *, audit: bool = True) -> Scenario:
    keys = {"mix.shufflers": shufflers, "defence.registered": True, "defence.audit": audit}
    return replace(change(load("titanic"), keys), coalition=())


def _is_enough(asked: Scenario, members: list[str]) -> bool:
    return CENTRAL.reaches(asked.mix, asked.defence, members)


@pytest.mark.parametrize("recorded", [False, True])
def test_nothing_is_said_where_nothing_is_audited(recorded: bool) -> None:
    assert audited(audit=False, recorded=recorded) == ()


def test_an_audit_is_told_and_whether_the_figures_have_it() -> None:
    assert audited(audit=True, recorded=True) == (AUDITED,)
    assert audited(audit=True, recorded=False) == (UNRECORDED,)


@pytest.mark.parametrize(
    ("shufflers", "members", "enough"),
    [
        (2, ["curator", "shuffler-1"], True),
        (2, ["analyst", "shuffler-2"], True),
        (2, ["shuffler-1", "shuffler-2"], False),
        (2, ["curator", "analyst"], False),
        (3, ["curator", "shuffler-1", "shuffler-2"], False),
        (3, ["curator", "shuffler-2", "shuffler-3"], True),
        (4, ["curator", "shuffler-1", "shuffler-4"], True),
        (4, ["curator", "shuffler-3", "shuffler-4"], False),
    ],
)
def test_of_an_audited_pair_one_is_enough(shufflers: int, members: list[str], enough: bool) -> None:
    assert _is_enough(scenario(shufflers), members) is enough
    every = len(members) > shufflers and "curator" in members
    assert _is_enough(scenario(shufflers, audit=False), members) is every


def test_who_links_through_pairs_is_looked_at_among_many() -> None:
    groups = coalitions(scenario(8))
    assert len(links(scenario(8).mix, scenario(8).defence)) == 4
    for hops in ((1, 3, 5, 7), (2, 4, 6, 8)):
        assert tuple(sorted(["analyst", *(f"shuffler-{hop}" for hop in hops)])) in groups
    assert len(coalitions(scenario(8, audit=False))) == len(groups) - 4


def test_the_trust_line_names_pairs() -> None:
    even = "a shuffler of every audited pair and a reader"
    assert PRESENTERS["central"].line(scenario(2)) == even
    odd = "a shuffler of every audited pair, the last one and a reader"
    assert PRESENTERS["central"].line(scenario(3)) == odd
    assert PRESENTERS["central"].line(scenario(3, audit=False)) == "all shufflers and a reader"
