"""Deviations: whom they mean, and how they are written."""

import pytest
from veilmix.protocol.search.deviation import OWN_KEYS, Action, Deviation, text_of
from veilmix.protocol.wire.messages import Kind

LESS = Deviation(
    by="curator",
    do=Action.CHANGE,
    message=Kind.ROLL,
    field="people",
    change="less",
    people=("user-1", "user-6"),
    rounds=(1,),
)


@pytest.mark.parametrize(
    ("deviation", "text"),
    [
        (LESS, "curator: roll.people less user-1, user-6 in round 1"),
        (
            Deviation(by="network", do=Action.HOLD, message=Kind.HEARD, until=Kind.SHOWN,
                      until_by="shuffler-2", rounds=(2,)),
            "network: hold heard until shown of shuffler-2 in round 2",
        ),
        (
            Deviation(by="network", do=Action.DELAY, message=Kind.SUBMISSION, deadlines=1.05,
                      people=("user-1",), rounds=(1, 2)),
            "network: delay submission of user-1 by 1.05 deadlines in rounds 1 and 2",
        ),
        (
            Deviation(by="shuffler-1", do=Action.REPLACE, people=("user-1",), all_but=True),
            "shuffler-1: replace of all but user-1 in every round",
        ),
        (
            Deviation(by="shuffler-2", do=Action.DROP, places=(0,), rounds=(2,)),
            "shuffler-2: drop at place 1 in round 2",
        ),
        (
            Deviation(by="user-6", do=Action.SAY, row=("a", "c"), rounds=(1,)),
            "user-6: say (a, c) in round 1",
        ),
        (
            Deviation(by="analyst", do=Action.REACT, message=Kind.ALARM, change="missing",
                      until=Kind.TALLY, rounds=(2,)),
            "analyst: react alarm missing before tally in round 2",
        ),
        (
            Deviation(by="network", do=Action.SHOW, people=("user-1",), change=OWN_KEYS),
            "network: show user-1 own keys in every round",
        ),
        (
            Deviation(by="network", do=Action.SHOW, people=("user-1",), all_but=True,
                      message=Kind.TALLY, rounds=(1,)),
            "network: show all but user-1 no tally in round 1",
        ),
        (
            Deviation(by="curator", do=Action.SHOW, people=("user-1",), field="nonce",
                      message=Kind.ANNOUNCEMENT, change="zeros"),
            "curator: show user-1 announcement.nonce zeros in every round",
        ),
        (
            Deviation(by="curator", do=Action.ASK, rounds=(2,)),
            "curator: ask the widest groups in round 2",
        ),
    ],
)  # fmt: skip
def test_a_deviation_is_written_in_words(deviation: Deviation, text: str) -> None:
    assert str(deviation) == text


def test_a_strategy_in_words() -> None:
    assert text_of((LESS, LESS)) == f"{LESS}; {LESS}"


def test_whom_a_deviation_means() -> None:
    others = Deviation(by="curator", do=Action.OMIT, people=("user-1",), all_but=True)
    assert [LESS.means(f"user-{n}") for n in (1, 2, 6)] == [True, False, True]
    assert [others.means(f"user-{n}") for n in (1, 2, 6)] == [False, True, True]
    everybody = Deviation(by="curator", do=Action.OMIT)
    assert everybody.means("user-1")
    assert [LESS.is_in(number) for number in (0, 1, 2)] == [False, True, False]
    assert everybody.is_in(0)
    first = Deviation(by="shuffler-2", do=Action.DROP, places=(0,), all_but=True)
    assert [first.means_place(place) for place in (0, 1)] == [False, True]
