"""The measure of language counts what it says, and no room is worse than recorded."""

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path

import plain_language
import pytest
from plain_language import Docstring, Survey, is_weak, survey, worse

ROOT = Path(__file__).parent.parent
DESIGN = ROOT.parent / "shared" / "tools" / "plain.py"


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Survey]:
    """Return a function that surveys a package with one file of this source."""
    monkeypatch.setattr(plain_language, "ROOT", tmp_path)

    def of_source(source: str) -> Survey:
        (tmp_path / "room").mkdir(exist_ok=True)
        (tmp_path / "room" / "file.py").write_text(source, "utf-8")
        return survey([tmp_path])

    return of_source


@pytest.mark.parametrize(
    ("text", "pronouns"),
    [
        ("Return the count of each value.", 0),
        ("What somebody told of those who came.", 4),
        ("Return one column.", 0),
        ("Return one of the columns.", 1),
        ("Return the row; None if it is absent.", 0),
    ],
)
def test_pronouns_are_counted_without_numerals_and_none(text: str, pronouns: int) -> None:
    assert plain_language.count_pronouns(text) == pronouns


@pytest.mark.parametrize(
    ("text", "of_bool", "opener"),
    [
        ("Whether it is empty.", True, False),
        ("Whether it is empty.", False, True),
        ("What is released.", True, True),
        ("Those who answered.", False, True),
        ("Return the release.", False, False),
    ],
)
def test_an_opener_is_wrong_but_whether_for_a_bool(text: str, of_bool: bool, opener: bool) -> None:
    assert Docstring("file.py:1", "f", text, of_bool).has_opener is opener


@pytest.mark.parametrize("name", ["told", "_kept", "of_people", "most", "elsewhere", "who_came"])
def test_participles_pronouns_and_adverbs_are_weak_names(name: str) -> None:
    assert is_weak(name)


@pytest.mark.parametrize("name", ["value_leakage", "enumerate_tables", "is_kept", "offset"])
def test_a_thing_or_an_action_is_no_weak_name(name: str) -> None:
    assert not is_weak(name)


def test_a_room_has_the_figures_of_its_files(measured: Callable[[str], Survey]) -> None:
    source = (
        '"""Six plain words are in this."""\n\n\ndef told() -> bool:\n    """Whether nobody."""\n'
    )
    found = measured(source)
    figures = found.rooms["room"]
    assert (figures.pronouns, figures.openers, figures.names) == (125.0, 0, 1)
    assert [text.place for text in found.worst] == ["room/file.py:5"]


def test_a_value_is_counted_once_in_each_scope(measured: Callable[[str], Survey]) -> None:
    source = (
        "class Total:\n    kept: int\n    rows: int\n\n"
        "def total(said, *, names):\n    self.found = [told for told in said]\n    told = said\n"
        "    match said:\n        case [found, *rest]:\n            pass\n"
        "    def inner():\n        told = lambda who: who\n\n__all__ = []\n"
    )
    found = measured(source)
    assert sorted(found.values["room/file.py"]) == [
        *("room/file.py:12 told", "room/file.py:12 who", "room/file.py:2 kept"),
        *("room/file.py:5 said", "room/file.py:6 found", "room/file.py:6 told"),
    ]
    assert found.rooms["room"].values == 6
    assert worse(found, {"room": {"values": 5}}, 0) == ["room: values 6, recorded 5"]


def test_a_figure_above_the_recorded_one_is_named(measured: Callable[[str], Survey]) -> None:
    found = measured('"""What nobody knows."""\n')
    same = {"room": {"pronouns": 666.7, "openers": 1, "names": 0}}
    assert worse(found, same, 0) == []
    lower = {"room": {"pronouns": 600.0, "openers": 0, "names": 0}}
    assert worse(found, lower, 0) == [
        "room: pronouns 666.7, recorded 600.0",
        "room: openers 1, recorded 0",
    ]
    assert len(worse(found, {}, 0)) == 2, "a new room must be plain"


def test_class_names_in_several_files_are_counted(measured: Callable[[str], Survey]) -> None:
    measured("class Table: ...\n")
    (plain_language.ROOT / "room" / "other.py").write_text("class Table: ...\n", "utf-8")
    found = survey([plain_language.ROOT])
    assert found.repeated == {"Table": 2}
    assert worse(found, {"room": {}}, 0) == ["class names in several files: 1, recorded 0"]


def test_every_room_of_the_record_exists() -> None:
    rooms = json.loads(plain_language.RECORD.read_text("utf-8"))["rooms"]
    assert [room for room in rooms if not (ROOT / room).is_dir()] == []


@pytest.mark.skipif(not DESIGN.is_file(), reason="needs ../shared/tools/plain.py")
@pytest.mark.parametrize("room", ["crypto", "analysis/trust"])
def test_rates_are_those_of_the_design(room: str) -> None:
    spec = importlib.util.spec_from_file_location("plain", DESIGN)
    assert spec
    assert spec.loader
    plain = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plain)
    files = plain.survey([ROOT / room], everything=False)["files"]
    own = [
        by["docstring"]
        for file, by in files.items()
        if Path(file).parent == ROOT / room and "docstring" in by
    ]
    rate = 1000 * sum(file["strict"] for file in own) / sum(file["words"] for file in own)
    assert survey([ROOT / room]).rooms[room].pronouns == round(rate, 1)
