"""`veilmix leak RUN --cheating`: text and json of the worst of known attacks."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.slow
def test_leak_says_what_cheaters_achieve(typed: Callable[..., Any], folder: Path) -> None:
    run = str(folder)
    watching = typed("leak", run).out
    assert "veilmix leak RUN --cheating" in " ".join(watching.split())
    said = typed("leak", run, "--cheating", "--runs", "1")
    assert said.code == 0
    assert "smallest coalitions that read somebody's row by cheating: shuffler-1" in said.out
    assert "no known attack" in said.out
    written = typed("leak", run, "--cheating", "--runs", "1", "--format", "json").out
    found = json.loads(written)
    worst = {tuple(one["parties"]): one["worst"] for one in found["coalitions"]}
    assert worst["shuffler-1",]["attack"] == "surround"
    assert worst["curator",] is None
