"""What a first shuffler remembers, writes down before it hands on, and refuses."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import protocol_kit as KIT
import pytest
from veilmix.errors import RoundBurned
from veilmix.protocol.history.shuffler_history import HandedBatch, History
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Announcement, Rules
from veilmix.protocol.wire.hiding_rules import Redact
from veilmix.protocol.wire.messages import Call

EVERYBODY = [f"user-{i}" for i in range(20)]


def terms(least: int = 3, **policy: Any) -> Announcement:
    announcement: Announcement = replace(
        KIT.session(1).announcement,
        rules=Rules(min_dropout=least),
        policy=AnnouncedPolicy(2, 0.5, **policy),
    )
    return announcement


def hand_on(
    history: History,
    people: Collection[str],
    call: Call = KIT.SINGLES,
    announced: Announcement | None = None,
) -> None:
    history.hand_on(announced or terms(), call, people, first=call.round == 1)


def test_a_session_is_not_run_again_for_a_few_others() -> None:
    history = History()
    hand_on(history, EVERYBODY)
    for few in (1, 2):
        with pytest.raises(RoundBurned, match=f"{few} people took part in other rounds"):
            hand_on(history, EVERYBODY[few:])
    with pytest.raises(RoundBurned, match="1 people took part"):
        hand_on(history, [*EVERYBODY, "user-99"])
    hand_on(history, EVERYBODY)
    hand_on(history, EVERYBODY[3:])
    hand_on(history, ["somebody", "else"])


def test_so_are_rounds_of_one_session() -> None:
    history = History()
    hand_on(history, EVERYBODY)
    with pytest.raises(RoundBurned, match="1 people took part"):
        hand_on(history, EVERYBODY[1:], KIT.JOINT)
    assert history.refused is not None


def test_what_is_refused_is_not_remembered_and_not_written() -> None:
    written: list[HandedBatch] = []
    history = History(write=written.append)
    hand_on(history, EVERYBODY)
    with pytest.raises(RoundBurned):
        hand_on(history, EVERYBODY[1:])
    assert [batch.people for batch in written] == [frozenset(EVERYBODY)]
    assert [len(session) for session in history.sessions] == [1, 0]


def test_what_cannot_be_written_is_not_handed_on() -> None:
    def full(_: HandedBatch) -> None:
        raise OSError(28, "No space left on device")

    history = History(write=full)
    with pytest.raises(OSError, match="No space"):
        hand_on(history, EVERYBODY)
    assert history.sessions == [[]]


def test_what_only_warns_lets_pass_and_says_why_once() -> None:
    history = History(burn=False, union=False, strange="nobody knows these people")
    hand_on(history, EVERYBODY)
    hand_on(history, EVERYBODY[1:])
    hand_on(history, EVERYBODY[1:], KIT.JOINT)
    assert [warning.split(":")[0] for warning in history.warned] == [
        "nobody knows these people",
        "1 people took part in other rounds than everybody else",
    ]
    assert history.refused is None


def test_nobody_is_counted_of_whom_nobody_knows_who_they_are() -> None:
    with pytest.raises(RoundBurned, match="nobody knows these"):
        hand_on(History(strange="nobody knows these people"), EVERYBODY)


def test_a_batch_is_written_as_it_is_told() -> None:
    written: list[HandedBatch] = []
    history = History(
        write=written.append, person=str.upper, column=lambda name: f"their {name}", coins="drawn"
    )
    hand_on(history, EVERYBODY)
    call = replace(KIT.JOINT, hidden=(Redact(2, ("no",), 5),))
    hand_on(history, EVERYBODY, call)
    batch, two = written
    assert (batch.public, two.public, batch.min_dropout) == (False, True, 3)
    assert "USER-3" in batch.people
    assert [sorted(some.columns) for some in batch.releases] == [
        ["their colour"],
        ["their city"],
        ["their grown"],
    ]
    (release,) = two.releases
    assert release.hidden == {"their grown": Redact(0, ("no",), 5)}
    assert release.coins == "drawn 2 their grown"
    assert release.public


def test_counts_that_all_may_see_name_no_blank() -> None:
    history = History(union=True)
    hand_on(history, EVERYBODY)
    hand_on(history, EVERYBODY, replace(KIT.JOINT, hidden=(Redact(2, ("no",), 0),)))
    hand_on(history, EVERYBODY)  # only the curator sees them
    with pytest.raises(RoundBurned, match="column grown: its counts would name"):
        hand_on(history, EVERYBODY, announced=terms(publish_marginals=True))
    hand_on(history, [f"other-{i}" for i in range(9)], announced=terms(publish_marginals=True))


def test_counts_that_all_have_seen_may_be_seen_again() -> None:
    history = History(union=True)
    hand_on(history, EVERYBODY, announced=terms(publish_marginals=True))
    hand_on(history, EVERYBODY, replace(KIT.JOINT, hidden=(Redact(2, ("no",), 0),)))
    hand_on(history, EVERYBODY, announced=terms(publish_marginals=True))


def test_a_release_is_judged_with_the_counts_of_its_own_people() -> None:
    """Those of the board, or of the curator in one memory; none where people left in between."""
    seen: list[Any] = []
    names = [feature.name for feature in terms().schema.features]
    counts = [{("a",): 20} for _ in names]
    curator = [{("a",): 19, ("c",): 1} for _ in names]

    def judge(now: HandedBatch, singles: Any) -> str | None:
        assert now.public
        seen.append(singles)
        return None

    for here, board, memory in (
        (EVERYBODY, counts, curator),
        (EVERYBODY, None, curator),
        (EVERYBODY, None, None),
        (EVERYBODY[3:], counts, None),
    ):
        history = History(subtracted=judge, counted=lambda read=memory: read)
        hand_on(history, EVERYBODY)
        history.hand_on(terms(), KIT.JOINT, here, first=False, published=board)
    board, secret, *unknown = seen
    assert board == {name: {"a": 20} for name in names}
    assert secret == {name: {"a": 19, "c": 1} for name in names}
    assert unknown == [None, None]


def test_what_is_refused_for_a_group_is_not_written() -> None:
    written: list[HandedBatch] = []
    history = History(write=written.append, subtracted=lambda *_: "ten people are told apart")
    hand_on(history, EVERYBODY)
    with pytest.raises(RoundBurned, match="ten people"):
        hand_on(history, EVERYBODY, KIT.JOINT)
    assert [batch.public for batch in written] == [False]
    lenient = History(burn=False, subtracted=lambda *_: "ten people are told apart")
    hand_on(lenient, EVERYBODY)
    hand_on(lenient, EVERYBODY, KIT.JOINT)
    assert lenient.warned == ["ten people are told apart"]


def test_where_it_is_not_known_who_answered_nothing_may_overlap() -> None:
    """A curator counts answers. A first session stands alone; people of no session may follow."""
    history = History()

    def ask(people: Collection[str], *, certain: bool) -> None:
        history.hand_on(terms(), KIT.SINGLES, people, first=True, certain=certain)

    ask(EVERYBODY, certain=True)
    with pytest.raises(RoundBurned, match="some people of this session did not answer"):
        ask(EVERYBODY, certain=False)
    ask(["somebody", "else"], certain=False)
    ask(EVERYBODY, certain=True)
    with pytest.raises(RoundBurned, match="some people of an earlier session did not answer"):
        ask(["somebody", "else"], certain=True)
    ask(["a", "third"], certain=True)
