"""Everything a person can hand in wrongly: one clear message, exit code 2, nothing written."""

import errno
import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCENARIO = '[scenario]\nname = "s"\nseed = 1\n[population]\nsource = "p.csv"\n{people}'
POLICY = "[policy]\nk = {k}\nmax_exposure = {most}\n"
GOOD = "a,b\n" + "x,y\nz,w\n" * 10


def files(csv: str | bytes = GOOD, people: str = "", k: object = 2, most: object = 0.5) -> str:
    Path("p.csv").write_bytes(csv if isinstance(csv, bytes) else csv.encode())
    text = SCENARIO.format(people=people) + POLICY.format(k=k, most=most)
    Path("s.toml").write_text(text, "utf-8")
    return "s.toml"


def test_what_is_right_runs(typed) -> None:
    assert typed("run", files()).code == 0


CASES: dict[str, tuple[dict[str, object], str]] = {
    "no people": ({"csv": "a,b\n"}, "a header, but no people"),
    "an empty file": ({"csv": ""}, "p.csv: the file is empty"),
    "k below 1": ({"k": 0}, "s.toml:7: policy.k"),
    "k above everybody": ({"k": 50}, "k = 50 is larger than the 20 people"),
    "a share above 1": ({"most": 1.5}, "s.toml:8: policy.max_exposure"),
    "a share below 0": ({"most": -0.1}, "s.toml:8: policy.max_exposure"),
    "a column twice": ({"csv": "a,a\nx,y\nz,w\n"}, "two columns are called 'a'"),
    "not text": ({"csv": b"a,b\nx,y\n\xe9\0,w\n"}, "p.csv: not a text file"),
    "not in that encoding": (
        {"csv": b"a,b\nx,y\n\xe9,w\n", "people": 'encoding = "utf-8"\n'},
        "p.csv:3: not UTF-8: byte 0xe9 at offset 8; leave the encoding out",
    ),
    "a value too long": ({"csv": f"a,b\n{'x' * 2000},y\nz,w\n"}, "at most 1,024 are accepted"),
    "a ragged row": ({"csv": "a,b\nx\n"}, "p.csv:2: 1 cells found"),
    "an unknown column": ({"people": 'columns = { c = "d" }\n'}, "no column is called"),
    "too many people": ({"people": "users = 21\n"}, "has only 20 people"),
    "nobody": ({"people": "users = 0\n"}, "s.toml:6: population.users"),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("command", ["check", "run"])
def test_a_mistake_is_one_message_and_2(typed, name: str, command: str) -> None:
    given, word = CASES[name]
    said = typed(command, files(**given))
    assert said.code == 2, said.err
    assert word in said.err
    assert said.out == ""
    assert "Traceback" not in said.err
    assert not Path("runs").exists()


def test_one_person_and_a_feature_of_one_value(typed) -> None:
    alone = files("a,b\nx,y\n", k=1)
    said = typed("run", alone)
    assert said.code == 2
    assert "min_batch = 2 is larger than the 1 people taking part" in said.err
    Path("s.toml").write_text(Path("s.toml").read_text("utf-8") + "[mix]\nmin_batch = 1\n", "utf-8")
    said = typed("run", alone)
    assert said.code == 0
    assert "1 person, 2 features" in said.out
    same = typed("run", files("a,b\n" + "x,y\nx,w\n" * 10))
    assert same.code == 0
    assert "column 'a' has one value only ('x')" in same.out


def test_an_open_value_longer_than_its_width(typed) -> None:
    name = files(f"a,b\n{'x' * 40},y\nz,w\n")
    Path(name).write_text(
        Path(name).read_text("utf-8") + '[[feature]]\nname = "a"\nopen = true\nwidth = 8\n', "utf-8"
    )
    said = typed("run", name)
    assert said.code == 2
    assert "takes 40 bytes of UTF-8, more than the 8" in said.err


def test_a_file_above_the_limit_is_refused(typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veilmix.scenarios.serialization.content.MAX_BYTES", 10)
    said = typed("run", files())
    assert said.code == 2
    assert "at most 10 are accepted" in said.err


def test_a_scenario_file_that_is_none(typed) -> None:
    Path("s.toml").write_bytes(b'[scenario]\nname = "\xff"\n')
    assert "s.toml:2: not UTF-8" in typed("run", "s.toml").err
    Path("s.toml").write_text("[scenario\n", "utf-8")
    assert "s.toml:1: not TOML" in typed("run", "s.toml").err
    assert typed("run", ".").code == 2
    assert "did you mean `titanic`" in typed("check", "titanik").err


def test_all_mistakes_at_once(typed) -> None:
    said = typed("run", files(people="user = 1\n", k=0, most=2))
    assert said.code == 2
    assert [line.split(":")[1] for line in said.err.splitlines()] == ["6", "8", "9"]


def test_a_second_feature_of_one_name_is_refused(typed) -> None:
    name = files()
    twice = '[[feature]]\nname = "a"\n' * 2
    Path(name).write_text(Path(name).read_text("utf-8") + twice, "utf-8")
    assert 'feature[1].name: feature[0] is called "a" too' in typed("run", name).err


@pytest.mark.parametrize("out", ["there", "there/below"])
def test_a_file_where_the_folder_should_be(typed, out: str) -> None:
    Path("there").write_text("a file", "utf-8")
    said = typed("run", "blood-type", "--out", out)
    assert said.code == 2
    assert "is not a folder; name another folder with --out" in said.err
    assert said.out == ""  # nothing was played in vain
    assert Path("there").read_text("utf-8") == "a file"


def test_a_folder_that_may_not_be_written(typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)  # root may write anywhere
    said = typed("run", "blood-type")
    assert said.code == 2
    assert "no permission to write" in said.err
    assert said.out == ""


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_a_disk_that_fails_at_the_end_loses_no_result(typed, monkeypatch, number: int) -> None:
    def failing(path: Path, data: bytes) -> None:
        path.write_bytes(data[:10])
        raise OSError(number, "the disk says no")

    monkeypatch.setattr("veilmix.scenarios.records.run_folder._write", failing)
    said = typed("run", "blood-type", "--worst-case", "0")
    assert said.code == 2
    assert "runs: nothing could be saved in it: the disk says no" in said.err
    assert ("make room" in said.err) is (number == errno.ENOSPC)
    assert "released: A, B" in said.out
    assert "saved" not in said.out
    assert list(Path("runs").iterdir()) == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
def test_a_disk_that_has_no_room_for_a_batch_is_named(typed, monkeypatch, number: int) -> None:
    def failing(*_: object) -> int:
        raise OSError(number, "the disk says no")

    monkeypatch.setattr("veilmix.roles.compute.spool.MEMORY_LIMIT", 1_000)
    monkeypatch.setattr("os.pwrite", failing)
    monkeypatch.setenv("VEILMIX_SCRATCH", ".")
    said = typed("run", "titanic")
    assert said.code == 2
    assert "cannot be put there: the disk says no; " in said.err
    assert "name another folder: VEILMIX_SCRATCH=FOLDER" in said.err
    assert ("make room" in said.err) is (number == errno.ENOSPC)
    assert list(Path().glob("runs/*")) == []


@pytest.fixture
def torn(folder: Path, tmp_path: Path) -> str:
    """A run whose third line, a post, was taken out; its last line was set right."""
    copy = tmp_path / "torn"
    shutil.copytree(folder, copy)
    path = copy / "transcript.jsonl.gz"
    lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    end = f'{{"what":"end","lines":{len(lines) - 1}}}\n'.encode()
    path.write_bytes(gzip.compress(b"".join([*lines[:2], *lines[3:-1], end])))
    return str(copy)


@pytest.mark.parametrize(
    "command",
    [
        ("leak",),
        ("show", "--as", "curator"),
        ("show", "--as", "curator", "--why", "user-1"),
        ("theatre",),
        ("report", "--worst-case", "0"),
    ],
    ids=" ".join,
)
def test_a_damaged_record_is_2_and_no_bug(typed, torn: str, command: tuple[str, ...]) -> None:
    said = typed(command[0], torn, *command[1:])
    assert said.code == 2
    assert "torn/transcript.jsonl.gz: does not hold together: file" in said.err
    assert "bug" not in said.err
    assert not list(Path().glob("theatre-*")) + list(Path(torn).glob("*.html"))
    assert typed("verify", torn, "--no-replay").code == 3


@pytest.mark.parametrize("command", ["report", "theatre"])
@pytest.mark.parametrize(
    ("there", "why"),
    [("a file", "there is a file of another kind"), (None, "is a device or a pipe")],
)
def test_a_page_takes_the_place_of_pages_only(
    typed, folder: Path, command: str, there: str | None, why: str
) -> None:
    place = Path("place")
    if there is None:
        os.mkfifo(place)
    else:
        place.write_text(there, "utf-8")
    said = typed(command, str(folder), "--out", "place")
    assert said.code == 2
    assert why in said.err
    assert place.is_fifo() if there is None else place.read_text("utf-8") == there


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="no disk here is always full")
@pytest.mark.parametrize("arguments", [("leak",), ("report", "--out", "-")], ids=" ".join)
@pytest.mark.slow
def test_a_full_disk_behind_stdout_is_no_bug(folder: Path, arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "veilmix", arguments[0], str(folder), *arguments[1:]],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "the output could not be written: No space left on device; make room on the disk"
    ]


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="no disk here is always full")
@pytest.mark.slow
def test_a_full_disk_behind_both_streams_is_2_and_no_bug(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "veilmix", "new"],
            stdout=full,
            stderr=full,
            env=os.environ | {"TMPDIR": str(tmp_path)},
            check=False,
        )
    assert done.returncode == 2
    assert list(tmp_path.iterdir()) == []  # no report of a bug
