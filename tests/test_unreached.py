"""Code that only tests reach goes; a public function that no command reaches has an example."""

import re
from pathlib import Path

import examples
import make_theorems
import pytest
import unreached

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.slow  # all files of the package are read

# definition, or file -> why it stays
KEPT = {
    "protocol/wire/announcement.py: decode_announcement": "published vectors are read with it",
    "deprecated.py: find_old": "packages accept old names of their members by it",
    "deprecated.py: renamed": "`python -m veilmix.deprecated` prints all old names",
    "crypto/verified/ballots.py: check_ballots": "reads the published vectors of ballots",
    "roles/compute/spool.py: Spool.on_disk": "shows that a large batch leaves memory",
    "analysis/shuffled/conjectures.py": "numbered items of paper 001, each with a test",
}


def test_no_definition_is_reached_by_tests_alone() -> None:
    """If this fails: use it, delete it with its tests, or list it above with a reason."""
    found = set[str]()
    for name in unreached.unreached():
        found.add(name.partition(":")[0] if name not in KEPT else name)
    assert found == KEPT.keys()


def test_public_functions_without_a_command_have_an_example_or_a_numbered_item() -> None:
    package = unreached.package_of_checkout()
    offered = {key for key in unreached.public_names(package) if "." not in key[1]}
    numbered = {
        name.rpartition(".")[2]
        for items in make_theorems.items().values()
        for item in items
        for name in item.where
    }
    shown = set(re.findall(r"\w+", " ".join(e.code for e in examples.all_examples())))
    undocumented = [
        name
        for name, made in unreached.unreached(public=True).items()
        if (made.module, made.name) in offered and made.name not in numbered | shown
    ]
    assert undocumented == []
