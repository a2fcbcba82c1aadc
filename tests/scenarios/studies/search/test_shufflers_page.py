"""docs/shufflers.md says of each place what the recorded search has found."""

import make_shufflers
from veilmix.scenarios.studies.search.search_table import shipped

PAGE = make_shufflers.PAGE.read_text("utf-8")
FOUND = {
    (known.name, result.members): result.find
    for known in shipped().sets
    for result in known.result.coalitions
    if known.name in make_shufflers.SETS
}


def sets_with_a_find(*members: str) -> set[str]:
    """Return the sets of countermeasures in which a coalition reads something."""
    return {name for (name, some), find in FOUND.items() if some == members and find}


def test_the_table_is_what_the_search_has_recorded() -> None:
    assert make_shufflers.main(["--check"]) == 0
    assert PAGE.count("\n| ") > 20


def test_the_sentences_follow_from_the_table() -> None:
    default, balance, challenge, noise = make_shufflers.SETS
    assert sets_with_a_find("shuffler-1") == {default, balance, noise}
    finds = [FOUND[name, ("shuffler-1",)] for name in (default, balance, noise)]
    assert all(find and "drop of all but user-1" in find.words for find in finds)
    assert [find and find.noticed for find in finds] == ["never", "before", "never"]
    for members in (("shuffler-2",), ("shuffler-2", "user-6"), ("network",), ("analyst",)):
        assert sets_with_a_find(*members) == set()
    assert sets_with_a_find("network", "user-6") == {balance}
    assert sets_with_a_find("analyst", "user-6") == {challenge}
    for sentence in (
        "* A first shuffler alone leaves out all people but one and reads that row, in each set",
        "* A second shuffler alone reads no row in any of these sets, also with a person",
        "reads a row with the help of a person in one set",
        "* An analyst with a person of its own reads a row by tokens that it refuses.",
    ):
        assert sentence in PAGE
