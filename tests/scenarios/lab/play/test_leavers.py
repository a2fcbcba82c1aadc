"""People who leave between the rounds, by those who see them leave and those who do not."""

from pathlib import Path

import pytest
from veilmix.protocol.wire.messages import Kind
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import load

FILE = """
[scenario]
name = "leavers"
seed = 7
[population]
source = "builtin:blood-type"
[policy]
kind = "all"
k = 2
max_exposure = 0.1
[defence]
min_dropout = 1
[[fault]]
attack = "absent"
users = {leavers}
round = 2
[[coalition]]
name = "listeners"
parties = ["network", "curator"]
"""


def played(folder: Path, leavers: int) -> Outcome:
    path = folder / "leavers.toml"
    path.write_text(FILE.format(leavers=leavers), "utf-8")
    return run(load(path), worst_case_nodes=0)


@pytest.mark.slow
def test_one_who_leaves_is_certain_to_who_sees_it_leave(tmp_path: Path) -> None:
    outcome = played(tmp_path, 1)
    assert outcome.released
    for members in (("network", "curator"), ("shuffler-1", "curator")):
        coalition = outcome.coalition(*members)
        assert (coalition.linked, coalition.cells_certain) == (0, 3)
        assert coalition.sets == ((1, 1), (29, 1))
        assert coalition.worst_row is not None
        assert coalition.worst_row.posterior == 1
    alone = outcome.coalition("curator")
    assert (alone.cells_certain, alone.sets) == (0, ((30, 1),))
    assert alone.bits == outcome.coalition("network", "curator").bits  # it knows all but who


@pytest.mark.slow
def test_many_who_leave_hide_each_other_where_they_differ(tmp_path: Path) -> None:
    outcome = played(tmp_path, 12)
    coalition = outcome.coalition("network", "curator")
    assert coalition.sets == ((12, 1), (18, 1))
    assert outcome.transcript is not None
    said = {(made.round, made.user): made.answers for made in outcome.transcript.sealed_answers}
    sent = {event.sender for event in outcome.transcript.events if event.kind is Kind.SUBMISSION}
    sent &= {event.sender for event in outcome.transcript.events if event.round == 2}
    left = [said[1, user] for user in range(30) if f"user-{user + 1}" not in sent]
    stayed = [said[1, user] for user in range(30) if f"user-{user + 1}" in sent]
    agreed = sum(
        len(people) * (len({row[column] for row in people}) == 1)
        for people in (left, stayed)
        for column in range(3)
    )
    assert len(left) == 12
    assert coalition.cells_certain == agreed < 36
