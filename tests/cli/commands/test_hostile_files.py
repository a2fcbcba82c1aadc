"""Files that are read back and hold what no parser may fail on: one refusal each, exit code 2.

For every reader of JSON and TOML that a command has, all in `JSON` or `TOML` is tried: the refusal
names the file and, where the text has one, the field; nothing is said on standard output.
"""

import gzip
import shutil
from pathlib import Path

import pytest

DIGITS = b"9" * 5_000
TOO_LONG = "a number of 5,000 digits; at most 4,300 digits can be read"
DEEP = "lists or tables nested too deeply to be read"
JSON = {  # what the file is -> what is said of it
    b'{"schema": ' + DIGITS + b"}": f"schema: {TOO_LONG}",
    b'{"schema": 1e999}': "schema: found 1e999; no number so large can be read",
    b'{"schema": NaN}': "schema: found NaN; a finite number is accepted",
    b'{"schema": "\\udc80"}': "schema: one half of a surrogate pair, which is no text",
    b'{"schema": 1, "schema": 1}': "schema: this key is there twice",
    b'{"schema": ' + b"[" * 50_000: DEEP,
    b'{"schema": "\0"}': "not JSON: Invalid control character at",
    b'{"schema": "\xff"}': "not UTF-8: byte 0xff at offset 12",
    b'\xef\xbb\xbf{"schema": 1}': "not JSON: Unexpected UTF-8 BOM",
    b"": "not JSON: Expecting value",
}
TOML = {
    b"title = " + DIGITS: TOO_LONG,
    b"title = " + b"[" * 50_000: DEEP,
    b'title = "\0"': "not TOML: Illegal character '\\x00'",
    b'title = "\\ud800"': "not TOML: Escaped character is not a Unicode scalar value",
    b'title = "\xff"': "not UTF-8: byte 0xff at offset 9",
    b'title = "a"\ntitle = "b"': "not TOML: this key was given a value before",
}
RUN = "run"
READERS: dict[str, tuple[str, ...]] = {  # file -> the command that reads it
    "run/result.json": ("verify", RUN, "--no-replay"),
    "run/versions.json": ("leak", RUN),
    "run/seal.json": ("show", RUN, "--as", "curator"),
    "run/scenario.toml": ("leak", RUN),
    "run/cheating.json": ("leak", RUN),
    "cmp/comparison.json": ("report", "cmp", "--out", "-"),
    "atk/matrix.json": ("report", "atk", "--out", "-"),
    "book.json": ("run", "blood-type", "--ledger", "book.json"),
    "s.toml": ("run", "s.toml"),
    "session.toml": ("answer", "hall", "session.toml", "--key", "hall.key.toml"),
    "q.toml": ("poll", "q.toml", "--people", "3", "--port", "0"),
}


@pytest.mark.parametrize("name", READERS)
def test_what_cannot_be_decoded_is_refused_with_file_and_field(
    typed, folder: Path, name: str
) -> None:
    shutil.copytree(folder, RUN)
    assert typed("keys", "hall").code == 0
    file = Path(name)
    file.parent.mkdir(exist_ok=True)
    for data, what in (TOML if file.suffix == ".toml" else JSON).items():
        file.write_bytes(data)
        said = typed(*READERS[name])
        assert (said.code, said.out) == (2, ""), (data[:40], said.err)
        assert name in said.err
        assert what in said.err
    assert not Path("runs").exists()


def test_no_text_of_a_secret_file_is_told(typed) -> None:
    assert typed("keys", "hall").code == 0
    key = Path("hall.key.toml")
    whole = key.read_bytes()
    for more in (b"x = " + DIGITS, b"\xff", b"x = " + b"[" * 50_000, b"x = 'secret"):
        key.write_bytes(whole + more)
        said = typed("run", "blood-type", "--sign", "hall.key.toml")
        assert (said.code, said.out) == (2, "")
        assert said.err.startswith("hall.key.toml:")
        assert said.err.endswith(": not TOML in UTF-8; `veilmix keys` writes such files\n")


def test_a_line_of_a_transcript_is_refused_with_its_number(typed, folder: Path) -> None:
    shutil.copytree(folder, RUN)
    file = Path(RUN, "transcript.jsonl.gz")
    first, *lines = gzip.decompress(file.read_bytes()).splitlines(keepends=True)
    for data, what in {
        lines[0].replace(b'"round":0', b'"round":' + DIGITS): "round: Integer value out of range",
        lines[0].replace(b'"round":0', b'"round":NaN'): "not JSON: ",
        lines[0].replace(b'"round":0', b'"round":"0"'): "round: Expected `int`",
        b'{"what":' + b"[" * 50_000 + b"\n": DEEP,
    }.items():
        assert data != lines[0]
        file.write_bytes(gzip.compress(b"".join([first, data, *lines[1:]]), 1))
        said = typed("leak", RUN)
        assert (said.code, said.out) == (2, "")
        assert f"{file}:2: damaged: {what}" in said.err


def test_a_run_of_a_sweep_is_refused_with_its_line(typed) -> None:
    sweep = ("sweep", "blood-type", "--set", "policy.k=2", "--mode", "ideal", "--seed", "1")
    assert typed(*sweep, "--executor", "thread", "--no-figure", "--out", "s.jsonl").code == 0
    file = Path("s.jsonl")
    (whole,) = file.read_bytes().splitlines(keepends=True)
    for field, hostile, what in (
        (b'"users":30', b'"users":' + DIGITS, f"result.users: {TOO_LONG}"),
        (b'"users":30', b'"users":"30"', "result.users: Expected `int`, got `str`"),
        (b'"users":30', b'"users":30,"users":30', "result.users: this key is there twice"),
        (b'"number":1', b'"number":NaN', "number: found NaN; a finite number is accepted"),
    ):
        assert field in whole
        file.write_bytes(whole + whole.replace(field, hostile, 1))
        said = typed("report", "s.jsonl", "--out", "-")
        assert (said.code, said.out) == (2, "")
        assert f"s.jsonl:2: damaged: no line of a sweep: {what}" in said.err


def test_a_score_is_refused_with_its_field(typed) -> None:
    Path("t.csv").write_text("a,b\n" + "x,y\nz,w\n" * 5, "utf-8")
    assert typed("score", "t.csv", "--k", "2", "--save", "s.json").code == 0
    file = Path("s.json")
    whole = file.read_bytes()
    for field, hostile, what in (
        (b'"users": 10', b'"users": ' + DIGITS, f"users: {TOO_LONG}"),
        (b'"users": 10', b'"users": 0', "users: Expected `int` >= 1"),
        (b'"users": 10', b'"users": "10"', "users: Expected `int`, got `str`"),
        (b'"k_from": [', b'"k_from": [1, ', "joint.curve: k_from and people need the same length"),
        (b'"k": 2', b'"k": 2, "k": 2', "k: this key is there twice"),
    ):
        assert field in whole
        file.write_bytes(hostile.join(whole.rsplit(field, 1)))
        said = typed("report", "s.json", "--out", "-")
        assert (said.code, said.out) == (2, ""), said.err
        assert what in said.err
        assert said.err.startswith("s.json:")
