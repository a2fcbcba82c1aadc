"""tools/digests.py: two checkouts are compared run by run, and what differs is said."""

import json
from pathlib import Path

import digests
import pytest
from veilmix.scenarios.lab.validation import gallery

OLD = {
    "a": {"real": dict.fromkeys(digests.KEPT, "1")},
    "gone": {"ideal": dict.fromkeys(digests.KEPT, "1")},
}


def test_the_gallery_has_every_shipped_scenario() -> None:
    paths = list(digests.gallery([]))
    assert {path.stem for path in paths} == set(gallery.names())
    assert [path.stem for path in digests.gallery(["titanic"])] == [
        "titanic-200",
        "peers-titanic",
        "threshold-titanic",
        "titanic",
    ]


@pytest.mark.parametrize(
    ("now", "lines"),
    [
        (OLD, []),
        ({"a": {"ideal": dict.fromkeys(digests.KEPT, "2")}}, []),  # nothing that both have
        ({"a": {"real": {**OLD["a"]["real"], "digest": "2"}}}, ["a (real): another digest"]),
        (
            {"a": {"real": dict.fromkeys(digests.KEPT, "2")}},
            ["a (real): another digest, answer, knowledge"],
        ),
    ],
    ids=["equal", "other-mode", "digest", "everything"],
)
def test_what_differs_is_named(now: dict[str, digests.Digests], lines: list[str]) -> None:
    assert list(digests.differences(OLD, now)) == lines


@pytest.mark.slow
def test_a_run_is_compared_with_what_was_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Twice the same in one mode; in the other the record says something else."""
    record = tmp_path / "then.json"
    assert digests.main(["record", str(record), "classroom"]) == 0
    runs = json.loads(record.read_text("utf-8"))
    runs["classroom"]["ideal"]["answer"] = "another"
    record.write_text(json.dumps(runs), "utf-8")
    assert digests.main(["compare", str(record), "classroom"]) == 1
    told = capsys.readouterr().out
    assert told.splitlines() == [
        "classroom (ideal): another answer",
        "1 scenarios, 2 runs compared: 1 differences",
    ]


@pytest.mark.long
def test_every_seed_fixes_its_run(tmp_path: Path) -> None:
    """All shipped scenarios, with messages and without, twice: whatever the scheduler does."""
    record = str(tmp_path / "first.json")
    assert digests.main(["record", record]) == 0
    assert digests.main(["compare", record]) == 0
