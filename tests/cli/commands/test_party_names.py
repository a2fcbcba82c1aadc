"""Each place that accepts the name of a party refuses a misspelt one, and names the accepted."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import veilmix
from veilmix.errors import LocalError, UnknownParty
from veilmix.scenarios.deployment.place import site
from veilmix.scenarios.deployment.session_file import read_session
from veilmix.scenarios.lab.scoring.outcome import find_coalition
from veilmix.scenarios.records.run_folder import read
from veilmix.scenarios.records.verification.explanation import why
from veilmix.scenarios.records.verification.views import view_of

SCENARIO = """
[scenario]
name = "places"
seed = 7
[population]
source = "builtin:blood-type"
users = 30
[policy]
k = 2
max_exposure = 0.08
"""
HAS = "this scenario has analyst, curator, shuffler-1, shuffler-2, network and users 1-30"
USERS = "this scenario has users 1-30, called user-1, ..."
FAULT = '[[fault]]\nattack = "{}"\nby = "{}"\n'
HOLD = '[[deviation]]\ndo = "hold"\nmessage = "call"\nuntil = "decision"\n'
SHOW = '[[deviation]]\nby = "network"\ndo = "show"\nmessage = "tally"\n'
COALITION = '[[coalition]]\nname = "some"\nparties = ["analyst", "{}"]\n'

# place -> (end of the scenario, accepted names, hint)
KEYS = {
    "coalition.parties": (COALITION.format("curatr"), HAS, "curator"),
    "a coalition without this party": (COALITION.format("randomness"), HAS, ""),
    "a coalition with a wrong number": (COALITION.format("shuffler-3"), HAS, ""),
    "fault.by": (FAULT.format("drop", "shufler-2"), HAS, "shuffler-2"),
    "fault.by of users": (FAULT.format("absent", "usr-30"), USERS, "user-30"),
    "a pattern": (FAULT.format("absent", "usr-*"), USERS, ""),
    "fault.target": (
        FAULT.format("surround", "shuffler-1") + 'target = "usr-1"\n',
        USERS,
        "user-1",
    ),
    "deviation.by": (HOLD + 'by = "netwrk"\nuntil_by = "curator"\n', HAS, "network"),
    "deviation.until_by": (HOLD + 'by = "network"\nuntil_by = "curatr"\n', HAS, "curator"),
    "deviation.people": (
        '[[deviation]]\nby = "shuffler-1"\ndo = "drop"\npeople = ["usr-1"]\n',
        USERS,
        "user-1",
    ),
    "deviation.people of show": (
        SHOW + 'people = ["curatr"]\n',
        "this scenario has analyst, curator, shuffler-1, shuffler-2 and users 1-30",
        "curator",
    ),
    "peers: coalition.parties": (
        COALITION.replace("analyst", "peer-1").format("peer-31") + "[mix]\npeers = true\n",
        "this scenario has peer-1 to peer-30, network",
        "",
    ),
    "peers: fault.by": (
        FAULT.format("drop", "per-3") + "[mix]\npeers = true\n",
        "this scenario has peer-1 to peer-30",
        "peer-3",
    ),
}


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(LocalError) as wrong:
        call()
    return str(wrong.value)


def hinted(hint: str) -> str:
    return f" (did you mean `{hint}`?)" if hint else ""


@pytest.mark.parametrize("place", KEYS)
def test_keys_of_a_scenario(place: str) -> None:
    end, accepted, hint = KEYS[place]
    said = refusal(lambda: veilmix.loads(SCENARIO + end))
    assert said.endswith(f"; {accepted}{hinted(hint)}")
    assert said.count("is called") == said.count("\n") + 1 == 1


def test_a_post_may_be_the_boards() -> None:
    for author in ("board", "curator", "shuffler-2", "user-3"):
        veilmix.loads(f'{SCENARIO}{HOLD}by = "network"\nuntil_by = "{author}"\n')


def test_keys_of_a_sweep() -> None:
    swept = {"fault[0].by": ["shuffler-1", "shufler-2"]}
    scenario = veilmix.loads(SCENARIO + FAULT.format("drop", "shuffler-1"))
    said = refusal(lambda: veilmix.sweep(scenario, swept))
    assert said.startswith('where fault[0].by = "shufler-2": fault[0].by: no party is called ')
    assert said.endswith(f"{HAS} (did you mean `shuffler-2`?)")


SCORED = "coalitions were scored of analyst, curator, shuffler-1, shuffler-2"
RUN = "this run has analyst, curator, shuffler-1, shuffler-2, network and users 1-30"
Asking = Callable[[veilmix.Outcome, Path, str], object]
# place -> (call with an outcome, its folder and a name; accepted names)
DOORS: dict[str, tuple[Asking, str]] = {
    "outcome": (lambda outcome, _, name: outcome.coalition("analyst", name), SCORED),
    "read": (lambda _, folder, name: veilmix.read(folder).coalition(name), SCORED),
    "leak": (lambda _, folder, name: veilmix.leak(folder).coalition(name), SCORED),
    "show --as": (lambda _, folder, name: view_of(read(folder), ["analyst", name]), RUN),
    "show --why": (lambda _, folder, name: why(read(folder), [name], "user-1"), RUN),
}


@pytest.mark.parametrize("place", DOORS)
def test_parties_of_a_run(place: str, played: veilmix.Outcome, folder: Path) -> None:
    ask, accepted = DOORS[place]
    for name, hint in {"curatr": "curator", "shufler-2": "shuffler-2", "shuffler-3": ""}.items():
        with pytest.raises(UnknownParty) as wrong:
            ask(played, folder, name)
        assert str(wrong.value).endswith(f'party is called "{name}"; {accepted}{hinted(hint)}')
        assert isinstance(wrong.value, KeyError)  # outcome.coalition raised it before


def test_a_coalition_may_be_one_text(played: veilmix.Outcome) -> None:
    for row in played.frames.coalitions:
        if row["coalition"]:
            assert played.coalition(row["coalition"]).linked == row["linked"]
    assert played.coalition("shuffler-1+curator") == played.coalition("curator", "shuffler-1")
    assert played.coalition().parties == ()


def test_a_coalition_that_was_not_scored_is_no_unknown_party(played: veilmix.Outcome) -> None:
    some = [one for one in played.coalitions if len(one.parties) < 2]
    said = refusal(lambda: find_coalition(some, ["curator", "analyst"]))
    assert said.startswith("analyst + curator: this coalition was not scored; ")


def test_a_person_of_a_run(folder: Path) -> None:
    run = read(folder)
    for name in ("user-31", "user-x"):
        said = refusal(lambda name=name: why(run, ["curator"], name))
        assert said.startswith(f'no user is called "{name}"; this run has users 1-30')


PARTY = '[place.{}]\nidentity = "x.pub.toml"\naddress = "127.0.0.1:1"\n'
HALL = '[place.{}]\nidentity = "x.pub.toml"\nusers = [1, 20]\n'
ALL = ("board", "curator", "analyst", "shuffler-1", "shuffler-2")
PLACES = "without `users` a place is one of board, curator, analyst, shuffler-1, ..."


@pytest.mark.parametrize(
    ("place", "found", "said"),
    [
        ("curator", "curatr", f"{PLACES}{hinted('curator')}"),
        ("shuffler-2", "shufler-2", f"{PLACES}{hinted('shuffler-2')}"),
        ("shuffler-2", "shuffler-x", PLACES),
        ("shuffler-2", "shuffler-02", PLACES),
        ("shuffler-2", "aggregator-2", PLACES),
        ("hall", "curator", "found users; curator answers for no people"),
        ("hall", "shuffler-x", "found users; shuffler-x answers for no people"),
        ("analyst", "", "place: analyst missing; every session has them"),
    ],
)
def test_places_of_a_session_file(tmp_path: Path, place: str, found: str, said: str) -> None:
    names = [found if name == place else name for name in ALL]
    parties = "".join(PARTY.format(name) for name in names if name)
    hall = HALL.format(found if place == "hall" else "hall")
    if place == "hall":
        parties = "".join(PARTY.format(name) for name in ALL if name != found)
    path = tmp_path / "session.toml"
    feature = '[[feature]]\nname = "meal"\nvalues = ["meat", "fish"]\n'
    path.write_text(f'title = "canteen"\n{feature}{parties}{hall}', "utf-8")
    assert said in refusal(lambda: read_session(path))


def test_a_place_that_is_not_in_the_session() -> None:
    session: Any = SimpleNamespace(identities=dict.fromkeys((*ALL, "hall")))
    nothing: Any = None
    said = refusal(lambda: site(session, "shufler-1", nothing, nothing, nothing, nothing))
    assert said.startswith('no place is called "shufler-1"; this session has board, curator, ')
    assert said.endswith(f"hall{hinted('shuffler-1')}")
