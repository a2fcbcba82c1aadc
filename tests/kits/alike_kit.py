"""Questions of a class of which only that opens which three people say alike, and who answers."""

from pathlib import Path

from veilmix.poll.questions import read_questions
from veilmix.scenarios.schema.model import Scenario

QUESTIONS = """title = "Alike"
[[feature]]
name = "copied"
values = ["never", "once", "often"]
[[feature]]
name = "slept"
values = ["yes", "no"]
[policy]
kind = "threshold"
k = 3
prefixes = {prefixes}
[mix]
min_batch = 3
deadline = {deadline}
"""
ROWS = [("never", "yes")] * 3 + [("once", "no")] * 2 + [("once", "yes"), ("often", "no")]


def alike(tmp_path: Path, patience: float, prefixes: str = "true") -> Scenario:
    """The questions, with so long a deadline. patience: how much slower this computer may be."""
    path = tmp_path / "questions.toml"
    text = QUESTIONS.format(deadline=round(30 * patience), prefixes=prefixes)
    path.write_text(text, "utf-8")
    return read_questions(path)
