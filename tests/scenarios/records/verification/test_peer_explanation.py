"""`show --why` among peers: a derivation for whoever is linked, an end of the trail for others."""

from itertools import combinations
from pathlib import Path

import pytest
import veilmix
from veilmix.errors import ParameterError
from veilmix.protocol.knowledge.transcript import split_names
from veilmix.protocol.peers.view import PeerRecord
from veilmix.scenarios.records.run_folder import Run
from veilmix.scenarios.records.verification.explanation import why
from veilmix.scenarios.records.verification.peer_explanation import PeerExplainer
from veilmix.scenarios.records.verification.reasons import Explanation
from veilmix.scenarios.records.verification.views import record_of

USERS = 6
FEATURES = "".join(f'[[feature]]\nname = "{name}"\nlevels = 3\n' for name in "ab")
TEXT = f"""[scenario]\nname = "p"\nseed = 3
[population]\nsource = "builtin:uniform"\nusers = {USERS}
{FEATURES}[mix]\npeers = true\npath = 2\nmin_batch = 2\ncover = 1
[policy]\nk = 1\nmax_exposure = 1.0
"""
COALITIONS = [
    tuple(f"peer-{number}" for number in some)
    for size in range(USERS + 1)
    for some in combinations(range(1, USERS + 1), size)
]
FAULTS = {
    "honest": "",
    "burned": '[[fault]]\nattack = "tag"\nby = "peer-2"\nround = 1\n',
    "silent": '[[fault]]\nattack = "absent"\nby = "peer-4"\nround = 2\n',
}


@pytest.fixture(scope="module", params=FAULTS)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    outcome = veilmix.run(veilmix.loads(TEXT + FAULTS[request.param]))
    return veilmix.read(veilmix.save(outcome, tmp_path_factory.mktemp("runs")))


def check_order(told: Explanation) -> None:
    """Each step follows from those before it."""
    for number, step in enumerate(told.steps, start=1):
        assert step.number == number
        assert all(after < number for after in step.after)
        assert bool(step.after) == (step.rule in ("open", "alone", "read"))


@pytest.mark.slow
def test_a_person_is_linked_exactly_where_the_view_says_so(run: Run) -> None:
    """And what is derived is what it said: nothing else, and nothing that is not followed."""
    record, names = record_of(run), run.result.features
    assert isinstance(record, PeerRecord)
    for members in COALITIONS:
        pinned = record.view(members).pinned
        for person in range(USERS):
            about = f"peer-{person + 1}"
            told = PeerExplainer(record, members, names).person(person)
            check_order(told)
            linked = f"{about} is linked by {' + '.join(members) or 'anybody'}"
            assert told.ending.endswith(linked) == (person in pinned)
            said = {
                part
                for step in told.steps
                if step.rule in ("read", "own")
                for part in step.text.split()
                if part[:2] in ("a=", "b=")
            }
            row = pinned.get(person, {})
            assert said == {f"{names[column]}={value}" for column, value in row.items()}


def test_a_trail_ends_at_whom_it_names(run: Run) -> None:
    told = why(run, ("peer-1",), "peer-6")
    if told.missing:
        assert all(name in told.ending for name in told.missing)
        more = why(run, ("peer-1", *told.missing), "peer-6")
        assert len(more.steps) > len(told.steps)


def test_a_layer_says_who_has_it_and_whose_it_is(run: Run) -> None:
    transcript = run.transcript
    assert transcript is not None
    made = transcript.sealed_answers[5]  # of peer-6, in round 1
    first, second = (name.hex() for name in split_names(made.names)[:2])
    record = record_of(run)
    assert isinstance(record, PeerRecord)
    opener = next(route for route in record.routes[1] if route.names[0].hex() == first)
    holder, last = (f"peer-{stop + 1}" for stop in opener.stops)
    outside = why(run, (last,), first)
    assert outside.missing == (holder,)
    assert outside.ending == f"it does not open without the key of {holder}"
    inside = why(run, (holder,), first)
    assert inside.ending == f"its sender and its content are known to {holder}"
    assert second in inside.steps[-1].text
    for told in (outside, inside, why(run, ("peer-6",), second)):
        check_order(told)
    assert "sealed by peer-6, a member" in why(run, ("peer-6",), second).steps[0].text


@pytest.mark.parametrize("about", ["peer-7", "peer-0", "user-1", "peer-x", "ab"])
def test_what_is_not_there_is_refused(run: Run, about: str) -> None:
    with pytest.raises(ParameterError, match=r"peer-1 to peer-6"):
        why(run, ("peer-1",), about)


def test_the_command_tells_it(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    from veilmix.cli import main

    folder = Path(run.folder)
    assert main(["show", str(folder), "--as", "peer-1+peer-2", "--why", "peer-1"]) == 0
    assert "peer-1 is linked by peer-1 + peer-2" in capsys.readouterr().out
