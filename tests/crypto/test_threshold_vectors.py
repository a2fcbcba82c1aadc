"""Rounds of threshold messages are read alike by veilmix and by a reader without its code."""

import ast
import json
from pathlib import Path

import independent_threshold
import make_threshold_vectors
import pytest
from veilmix.crypto.threshold import Shape, open_groups

FILES = sorted((Path(__file__).parent / "threshold_vectors").glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_both_readers_open_the_same(path: Path) -> None:
    vector = json.loads(path.read_text(encoding="utf-8"))
    expected = {key: vector[key] for key in ("texts", "refused", "closed")}
    assert independent_threshold.read(vector) == expected
    shape = Shape(vector["needed"], tuple(vector["widths"]))
    opened = open_groups(shape, [bytes.fromhex(message) for message in vector["messages"]])
    assert [[text.hex() for text in texts] for texts in opened.texts] == expected["texts"]
    refused = {str(i): [level, why.value] for i, (level, why) in opened.refused.items()}
    assert refused == expected["refused"]


def test_there_are_rounds_that_open_and_faults() -> None:
    vectors = [json.loads(path.read_text(encoding="utf-8")) for path in FILES]
    assert sum(any(vector["texts"]) and not vector["refused"] for vector in vectors) >= 2
    assert {why for vector in vectors for _, why in vector["refused"].values()} == {
        "malformed",
        "duplicate",
        "does-not-open",
    }


def test_the_files_are_what_the_script_makes() -> None:
    assert make_threshold_vectors.main(["--check"]) == 0


def test_the_independent_reader_imports_nothing_from_veilmix() -> None:
    tree = ast.parse(Path(independent_threshold.__file__).read_text(encoding="utf-8"))
    names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert names
    assert not any("veilmix" in (name or "") for name in names)
