"""Events from files: what a good one gives, and one clear error for each bad one."""

from pathlib import Path

import numpy as np
import pytest
from veilmix.analysis.reidentification import (
    MarkovAttack,
    find_people,
    partial_knowledge,
    people_within,
)
from veilmix.errors import DataError
from veilmix.scenarios.populations.traces import check_ins, device_sessions, profiles, ratings

DATA = Path(__file__).parents[4] / "shared" / "data"
real = pytest.mark.data("wifi_probes/device_session.csv", "browser_profiles")

CHECK_INS = """who,where,city,when
ann,park,Bern,10
bob,cafe,Bern,2
ann,cafe,Bern,9
ann,"park, north",Rome,100
bob,park,Bern,3
eve,park,Bern,1
"""


def file(folder: Path, text: str, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def told(trace: object, person: int) -> list[str]:
    s = trace.sequences  # type: ignore[attr-defined]
    return [trace.symbols[x] for x in s.events[s.offsets[person] : s.offsets[person + 1]]]  # type: ignore[attr-defined]


def test_check_ins_are_sequences_oldest_first(tmp_path: Path) -> None:
    trace = check_ins(file(tmp_path, CHECK_INS), "who", "where", "when")
    assert trace.people == ("ann", "bob")  # eve has one event only
    assert told(trace, 0) == ["cafe", "park", "park, north"]  # 9, 10, 100: numbers, not texts
    assert told(trace, 1) == ["cafe", "park"]


def test_times_that_are_no_numbers_are_compared_as_text(tmp_path: Path) -> None:
    text = "u,p,t\na,x,2024-02-01 08:00\na,y,2023-12-31 09:00\n"
    assert told(check_ins(file(tmp_path, text), "u", "p", "t"), 0) == ["y", "x"]


def test_two_columns_make_one_place(tmp_path: Path) -> None:
    trace = check_ins(file(tmp_path, CHECK_INS), "who", ["where", "city"], "when", fewest=1)
    assert trace.symbols == ("cafe Bern", "park Bern", "park, north Rome")
    assert trace.people == ("ann", "bob", "eve")


def test_only_likes_are_kept(tmp_path: Path) -> None:
    text = "userId,movieId,rating,timestamp\n1,10,4.0,5\n1,20,3.5,6\n1,30,5,7\n2,10,5,1\n"
    trace = ratings(file(tmp_path, text), "userId", "movieId", "rating", "timestamp")
    assert told(trace, 0) == ["10", "30"]
    assert trace.people == ("1",)


def test_sightings_are_bits(tmp_path: Path) -> None:
    seen = device_sessions(file(tmp_path, "d,s\nb,2\na,1\nb,2\nb,1\nc,3\n"), "d", "s")
    assert seen.bits.tolist() == [[1, 0, 0], [1, 1, 0], [0, 0, 1]]
    assert (seen.devices, seen.sessions) == (("a", "b", "c"), ("1", "2", "3"))


def test_profiles_are_codes(tmp_path: Path) -> None:
    path = file(tmp_path, "x,y,z\nq,1,\np,1,7\n")
    codes, names = profiles(path)
    assert codes.tolist() == [[1, 0, 0], [0, 0, 1]]
    assert names == ("x", "y", "z")
    assert profiles(path, ["z"])[0].tolist() == [[0], [1]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("who,where,when\n", "no rows"),
        ("who,place,when\na,b,c\n", "no column is called 'where'; it has who, place, when"),
        ("who,where,when\na,b\n", ":2: 2 cells found"),
        ("who,where,when\na,b,1\nc,d,2\n", "nobody has 2 events; the most is 1"),
    ],
)
def test_bad_check_ins_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        check_ins(file(tmp_path, text), "who", "where", "when")


def test_bad_ratings_are_named_with_their_line(tmp_path: Path) -> None:
    path = file(tmp_path, "u,i,r,t\n1,2,five,3\n")
    with pytest.raises(DataError, match=r"data.csv:2: column 'r': 'five'; a number"):
        ratings(path, "u", "i", "r", "t")
    path = file(tmp_path, "u,i,r,t\n1,2,1.0,3\n")
    with pytest.raises(DataError, match="no event is left"):
        ratings(path, "u", "i", "r", "t")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        profiles(tmp_path / "none.csv")
    with pytest.raises(DataError, match="csv files"):
        device_sessions(file(tmp_path, "d,s\n1,2\n", "x.doc"), "d", "s")
    with pytest.raises(DataError, match="name at least one"):
        profiles(file(tmp_path, "d,s\n1,2\n"), [])


@real
def test_devices_of_seven_sessions() -> None:
    seen = device_sessions(DATA / "wifi_probes" / "device_session.csv", "device", "session")
    week = [i for i, day in enumerate(seen.sessions) if "2023-08-26" <= day <= "2023-09-01"]
    counts = np.bincount(seen.bits[:, week].sum(axis=1), minlength=8)
    assert counts[1:].tolist() == [115, 11, 6, 1, 3, 0, 4]


@real
def test_an_attacker_who_saw_devices_on_three_days_finds_some() -> None:
    seen = device_sessions(DATA / "wifi_probes" / "device_session.csv", "device", "session")
    attack = find_people(seen.bits.astype(np.int64), [10, 20, 30])
    assert 2 <= attack.expected_matches <= 8
    assert (
        find_people(seen.bits.astype(np.int64), range(137)).expected_matches
        > 10 * attack.expected_matches
    )


@real
def test_real_browsers_are_found_by_their_windows() -> None:
    codes, names = profiles(DATA / "browser_profiles" / "browser_profiles_clean.csv")
    assert codes.shape == (5747, 16)
    windows = [names.index(name) for name in names if name.endswith(("Width", "Height"))]
    attack = find_people(codes, windows)
    assert attack.expected_matches == len(np.unique(codes[:, windows], axis=0)) == 1506
    assert attack.certain == 1135


@real
def test_real_devices_are_hardly_found_by_the_place_alone() -> None:
    """Two places: at most what two letters in different orders can tell."""
    trace = check_ins(
        DATA / "wifi_probes" / "device_session.csv", "device", "position", "first", fewest=6
    )
    training, released = partial_knowledge(trace.sequences)
    rate = people_within(MarkovAttack(training).scores(released)).mean()
    assert 1 / training.people <= rate < 0.2
