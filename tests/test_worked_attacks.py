"""The attacks of docs/extending.md, one of each role, as a user's file: done, and stopped."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from page_packages import OF_ROLES, commands, install

PLAYED = """
import json, sys
from pathlib import Path
import veilmix
from veilmix.cli import main

lines, changes = json.loads(sys.argv[1])
for words, _ in lines:
    print(f"exit code {main(words)}")
for name, (old, new) in changes.items():
    text = Path(f"{name}.toml").read_text("utf-8")
    assert old in text, text
    outcome = veilmix.run(veilmix.loads(text.replace(old, new)), worst_case_nodes=0)
    print(f"{name}: {[attack.value for attack in outcome.attacks]} {outcome.burned}")
"""
# What the page says of countermeasures: what changes in a scenario, and how the session ends.
CHANGES = {
    "slow": ('by = "shuffler-1"', 'by = "shuffler-1"\nround = 2'),
    "nosy": ("publish_marginals = false", "publish_marginals = true"),
    "lossy": ('target = "user-5"', 'target = "user-5"\nround = 2'),
}
ENDS = (
    "slow: [0.0] 3 of 30 people are missing since the round before",
    "nosy: [0.0] 0 people took part",
    "lossy: [0.0] 1 of 30 people are missing since the round before",
)


@pytest.mark.slow
def test_each_role_attacks_by_code_of_a_users_file_and_is_stopped(tmp_path: Path) -> None:
    install(tmp_path, "cheats")
    lines = commands(OF_ROLES)
    assert [words[:2] for words, _ in lines] == [["run", f"{name}.toml"] for name in CHANGES]
    done = subprocess.run(
        [sys.executable, "-c", PLAYED, json.dumps((lines, CHANGES))],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("exit code 0") == len(lines), done.stdout
    wanted = [*(piece for _, pieces in lines for piece in pieces), *ENDS]
    assert not [piece for piece in wanted if piece not in done.stdout], done.stdout
