"""Run folders: whole or not there, the same bytes for the same seed, and strict when read."""

import errno
import gzip
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.errors import StorageError
from veilmix.protocol.knowledge.transcript import Event, SealedAnswers, Transcript
from veilmix.protocol.wire.messages import Kind
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.scoring.result import WrittenRelease
from veilmix.scenarios.lab.validation.load import loads
from veilmix.scenarios.records.run_folder import contents, folders, read, save
from veilmix.scenarios.serialization import transcripts
from veilmix.scenarios.serialization.json_text import pretty
from veilmix.scenarios.serialization.record import plain
from veilmix.scenarios.serialization.transcripts import decode, encode

FILES = [
    *("release.csv", "result.json", "scenario.toml", "seal.json", "transcript.jsonl.gz"),
    "versions.json",
]


@pytest.fixture(scope="module")
def played() -> Outcome:
    return run("blood-type", 7, worst_case_nodes=0)


@pytest.fixture(scope="module")
def kept(played: Outcome, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(played, tmp_path_factory.mktemp("kept"))


def test_what_was_saved_is_what_is_read(played: Outcome, kept: Path) -> None:
    assert sorted(path.name for path in kept.iterdir()) == FILES
    record = read(kept)
    assert plain(record.result) == json.loads(json.dumps(played.result()))
    assert record.sizes == played.sizes
    assert record.scenario.policy == played.scenario.policy
    assert record.versions["veilmix"]
    assert played.transcript is not None
    assert record.transcript is not None
    assert sorted(record.transcript.sealed_answers) == sorted(played.transcript.sealed_answers)
    assert record.transcript.reads == played.transcript.reads
    assert sorted(record.transcript.posts) == sorted(played.transcript.posts)
    events = [event[1:] for event in record.transcript.events]
    assert sorted(events, key=repr) == sorted(
        (event[1:] for event in played.transcript.events), key=repr
    )


def test_the_scenario_of_a_run_is_a_scenario(kept: Path, played: Outcome) -> None:
    again = run(kept / "scenario.toml", worst_case_nodes=0)
    assert again.digest == played.digest
    assert loads((kept / "scenario.toml").read_text("utf-8")).population.users == 30


def test_a_seeded_run_gives_the_same_bytes(played: Outcome) -> None:
    other = dict(contents(run("blood-type", 7, worst_case_nodes=0)))
    assert dict(contents(played)) == other


def test_a_transcript_in_many_pieces_says_the_same(
    played: Outcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = encode(played.transcript, 30, played.sizes)
    monkeypatch.setattr(transcripts, "BLOCK", 1000)
    pieces = encode(played.transcript, 30, played.sizes)
    assert pieces.count(b"\x1f\x8b\x08\x00\x00\x00\x00\x00") > 3  # members of gzip
    assert gzip.decompress(pieces) == gzip.decompress(whole)
    path = tmp_path / "transcript.jsonl.gz"
    path.write_bytes(pieces)
    assert decode(path) == (transcripts.ordered(played.transcript), played.sizes)


def test_a_name_that_is_taken_gets_a_number(played: Outcome, tmp_path: Path) -> None:
    names = [save(played, tmp_path).name for _ in range(3)]
    assert names == ["blood-type-0007", "blood-type-0007-2", "blood-type-0007-3"]
    (tmp_path / "x").write_text("a file", "utf-8")
    assert save(played, tmp_path, "x").name == "x-2"
    (tmp_path / "empty").mkdir()
    assert save(played, tmp_path, "empty").name == "empty-2"
    assert set(folders(tmp_path)) == {*names, "x-2", "empty-2"}


def test_without_a_seed_the_digest_names_the_run(played: Outcome, tmp_path: Path) -> None:
    folder = save(replace(played, seed=None), tmp_path)
    assert folder.name == f"blood-type-{played.digest[:8]}"
    assert read(folder).scenario.scenario.seed is None


def test_a_run_folder_is_its_owners_alone(kept: Path) -> None:
    assert kept.stat().st_mode & 0o077 == 0


def test_no_release_no_file(played: Outcome, tmp_path: Path) -> None:
    folder = save(replace(played, release=None), tmp_path)
    assert not (folder / "release.csv").exists()
    assert read(folder).release is None


def test_a_column_called_count(played: Outcome, tmp_path: Path) -> None:
    from veilmix.scenarios.records.run_folder import release_csv

    release = WrittenRelease(("count", "a"), (("x", 'y,"z"', 3),))
    assert release_csv(release) == 'count,a,count_\nx,"y,""z""",3\n'


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EROFS])
@pytest.mark.parametrize("file", FILES)
def test_a_disk_that_fails_leaves_nothing(
    played: Outcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, file: str
) -> None:
    from veilmix.scenarios.records import run_folder as runs

    def failing(path: Path, data: bytes) -> None:
        path.write_bytes(data[: len(data) // 2])
        if path.name == file:
            raise OSError(number, "no")

    monkeypatch.setattr(runs, "_write", failing)
    with pytest.raises(StorageError, match="could be saved in it: no; "):
        save(played, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_parent_that_is_a_file(played: Outcome, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", "utf-8")
    for parent in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StorageError, match="not a folder"):
            save(played, parent)
    assert (tmp_path / "file").read_text("utf-8") == "mine"


def edited(file: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    return lambda folder: (folder / file).write_bytes(change((folder / file).read_bytes()))


def unpacked(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    return edited(
        "transcript.jsonl.gz", lambda data: gzip.compress(change(gzip.decompress(data)), mtime=0)
    )


READ = [name for name in FILES if name != "seal.json"]  # without a seal, verify says so
DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    **{f"no {name}": (lambda f, n=name: (f / n).unlink(), f"{name}: missing") for name in READ},
    "gzip cut off": (edited("transcript.jsonl.gz", lambda d: d[:-20]), "not a whole gzip file"),
    "gzip flipped": (
        edited("transcript.jsonl.gz", lambda d: d[:900] + bytes([d[900] ^ 1]) + d[901:]),
        r"transcript.jsonl.gz:\d+: damaged",
    ),
    "no gzip": (edited("transcript.jsonl.gz", lambda _: b"text"), ":1: damaged: not a whole gzip"),
    "empty": (edited("transcript.jsonl.gz", lambda _: b""), "transcript.jsonl.gz:1: damaged"),
    "a line less": (
        unpacked(lambda text: b"\n".join(text.split(b"\n")[:-2]) + b"\n"),
        r"transcript.jsonl.gz:\d+: damaged: the end of the file is missing",
    ),
    "a line dropped": (
        unpacked(lambda text: b"\n".join(text.split(b"\n")[:3] + text.split(b"\n")[4:])),
        "the end of the file is missing",
    ),
    "no JSON in line 4": (
        unpacked(lambda text: text.replace(b'"key"', b'"key', 2).replace(b'"key,', b'"key",', 1)),
        r"transcript.jsonl.gz:4: damaged",
    ),
    "an unknown kind": (
        unpacked(lambda text: text.replace(b'"kind":"key"', b'"kind":"quay"', 1)),
        r"transcript.jsonl.gz:3: damaged: 'QUAY'",
    ),
    "another schema": (
        unpacked(lambda text: text.replace(b'"schema":1', b'"schema":2')),
        ":1: damaged: no transcript of schema 1",
    ),
    "result is no JSON": (
        edited("result.json", lambda d: d.replace(b'"users": 30,', b'"users": 30')),
        r"result.json:\d+: damaged: not JSON",
    ),
    "result of another kind": (
        edited("result.json", lambda d: d.replace(b'"users": 30', b'"users": "30"')),
        r"result.json:6: damaged: users: Expected `int`, got `str`",
    ),
    "result with a key more": (
        edited("result.json", lambda d: d.replace(b'"users"', b'"more": 1, "users"')),
        "unknown field",
    ),
    "a run of nobody": (
        edited("result.json", lambda d: d.replace(b'"users": 30', b'"users": 0')),
        r"result.json:6: damaged: users: found 0; at least 1 is accepted",
    ),
    "counts of a column that was not asked for": (
        edited("result.json", lambda d: d.replace(b'"A": {', b'"C": {', 1)),
        r"result.json:\d+: damaged: marginals: found 'C'; a name of `features` is accepted",
    ),
    "a row without a count": (
        edited("result.json", lambda d: d.replace(b'["N", "N", 7]', b'["N", "N", "7"]')),
        r"result.json:\d+: damaged: release.counts\[0\]: found \['N', 'N', '7'\]; 2 texts and",
    ),
    "a method that is none": (
        edited("result.json", lambda d: d.replace(b'"method": "exact"', b'"method": "felt"', 1)),
        r"result.json:\d+: damaged: coalitions\[0\].method: found 'felt'; accepted are exact, ",
    ),
    "result of a later schema": (
        edited("result.json", lambda d: d.replace(b'"schema": 4', b'"schema": 5')),
        "result.json:2: schema 5; this version of veilmix reads schema 4",
    ),
    "result not UTF-8": (
        edited("result.json", lambda d: d.replace(b"blood", b"bl\xffod")),
        "result.json:3: damaged: not UTF-8: byte 0xff",
    ),
    "scenario is no TOML": (
        edited("scenario.toml", lambda d: d.replace(b"repeat = 1", b"repeat = ")),
        "scenario.toml:5: damaged: not TOML",
    ),
    "scenario with a key more": (
        edited("scenario.toml", lambda d: d.replace(b"seed =", b"sead =")),
        "scenario.sead: unknown key",
    ),
    "versions is a list": (edited("versions.json", lambda _: b"[]"), "versions.json:1: damaged"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_one_error_that_names_file_and_line(
    kept: Path, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(kept, folder)
    damage, says = DAMAGE[name]
    damage(folder)
    with pytest.raises(StorageError, match=says) as wrong:
        read(folder)
    assert "run" in str(wrong.value)
    assert "\n" not in str(wrong.value)


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no such run folder"):
        read(tmp_path / "nowhere")
    with pytest.raises(StorageError, match=r"scenario\.toml: missing"):
        read(tmp_path)


def test_the_mode_of_result_and_transcript_must_agree(kept: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(kept, folder)
    edited("result.json", lambda d: d.replace(b'"mode": "real"', b'"mode": "ideal"'))(folder)
    with pytest.raises(StorageError, match="mode ideal"):
        read(folder)


def test_ideal_runs_are_kept_too(tmp_path: Path) -> None:
    record = read(save(run("blood-type", 7, "ideal", worst_case_nodes=0), tmp_path))
    assert record.transcript is None
    assert record.result.mode == "ideal"


def test_the_summary_form_is_kept(tmp_path: Path) -> None:
    transcript = Transcript(200_000, summary=True)
    event = Event(0, 1.5, "user-*", "shuffler-1", Kind.SUBMISSION, 1, 600, messages=2)
    transcript.events.append(event)
    path = tmp_path / "t.gz"
    path.write_bytes(encode(transcript, 200_000, (2,)))
    copy, sizes = decode(path)
    assert copy == transcript
    assert sizes == (2,)


def test_messages_of_one_moment_are_in_the_order_of_their_senders(tmp_path: Path) -> None:
    def told(order: list[int]) -> bytes:
        transcript = Transcript(12)
        for index in order:
            place = len(transcript.events), 0.0, f"user-{index}", "shuffler-1", Kind.SUBMISSION
            transcript.events.append(Event(*place, 1, 100, bytes([index] * 8)))
            transcript.sealed_answers.append(
                SealedAnswers(index - 1, 1, bytes([index] * 8), ((0, ("x",)),))
            )
        return encode(transcript, 12, (2,))

    path = tmp_path / "t.gz"
    path.write_bytes(told([11, 2, 1, 10]))
    assert path.read_bytes() == told([1, 2, 10, 11])
    copy, _ = decode(path)
    assert copy is not None
    assert [event.sender for event in copy.events] == ["user-1", "user-2", "user-10", "user-11"]
    assert [event.number for event in copy.events] == [0, 1, 2, 3]


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(PLAIN, st.booleans())
def test_pretty_json_says_the_same(value: object, ascii_only: bool) -> None:
    text = pretty(value, ascii_only=ascii_only)
    assert json.loads(text) == value
    assert text.endswith("\n")
    assert not ascii_only or text.isascii()


def test_pretty_json_is_pretty() -> None:
    assert pretty({"a": [1, 2], "b": {"c": None}}) == '{\n  "a": [1, 2],\n  "b": {"c": null}\n}\n'
    assert pretty({"a": ["x" * 60, "y" * 60]}).count("\n") == 6
    assert pretty([]) == "[]\n"


@pytest.mark.slow
def test_a_transcript_of_many_people_is_read_as_it_was_saved(tmp_path: Path) -> None:
    people, names = 32_561, bytes(range(72))
    transcript = Transcript(people)
    for number in (1, 2):
        for user in range(people):
            place = len(transcript.events), 0.0, f"user-{user + 1}", "shuffler-1", Kind.SUBMISSION
            transcript.events.append(Event(*place, number, 930, names[:8]))
            answers = tuple((ask, ("value",)) for ask in range(4))
            transcript.sealed_answers.append(SealedAnswers(user, number, names, answers))
    path = tmp_path / "t.gz"
    path.write_bytes(encode(transcript, people, (2, 2, 5, 9)))
    copy, _ = decode(path)
    assert copy == transcript
