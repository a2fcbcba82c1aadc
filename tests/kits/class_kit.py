"""A class that is asked about cheating and sleep, whatever its program is."""

from pathlib import Path

from phone_kit import LONG
from veilmix.poll.questions import read_questions
from veilmix.scenarios.schema.model import Scenario

QUESTIONS = """title = "Cheating"
[[feature]]
name = "copied"
values = ["never", "once", "often"]
[[feature]]
name = "slept"
values = ["yes", "no"]
{policy}[mix]
min_batch = 3
deadline = {deadline}
"""
THREE_ALIKE = '[policy]\nkind = "threshold"\nk = 3\nprefixes = {}\n'
NOISE = '[policy]\nkind = "histogram"\n[local]\nmechanism = "grr"\nepsilon = 3\n'
ROWS = [("never", "yes")] * 3 + [("once", "no")] * 2 + [("once", "yes"), ("often", "no")]


def asked(tmp_path: Path, policy: str) -> Scenario:
    """The questions under a policy."""
    path = tmp_path / "questions.toml"
    path.write_text(QUESTIONS.format(policy=policy, deadline=LONG), "utf-8")
    return read_questions(path)


def alike(tmp_path: Path, prefixes: str = "true", close: str = "none") -> Scenario:
    """Only that opens which three people say alike; all of it is published, unless `close` says."""
    return asked(tmp_path, THREE_ALIKE.format(prefixes) + f'close = "{close}"\n')


def noisy(tmp_path: Path) -> Scenario:
    """Phones add noise."""
    return asked(tmp_path, NOISE)
