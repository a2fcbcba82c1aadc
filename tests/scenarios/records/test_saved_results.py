"""`veilmix.read` gives of a run folder what `veilmix.run` gave: frames, coalitions, exposure."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
import veilmix
from veilmix.scenarios.records.run_folder import Run

# attributes of an outcome that a folder does not keep, or keeps in another form
NOT_KEPT = {
    *("considered", "curated", "dropped", "failed", "notes", "schema", "seconds"),
    *("counted", "result", "written"),  # `result` is the record of result.json there
    *("decision", "scenario", "transcript"),
}
CALLED = {"cite", "coalition"}
RUNS: dict[str, dict[str, Any]] = {
    "blood-type": {"worst_case_nodes": None},
    "attack-delay": {},
    "noise-hadamard": {"mode": "ideal"},
    "village": {"mode": "ideal"},
    "incidence-class": {"mode": "ideal"},
    "hair-eye": {"mode": "ideal", "worst_case_nodes": 1},
}


def kept(outcome: veilmix.Outcome, folder: Path) -> Run:
    return veilmix.read(veilmix.save(outcome, folder))


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_a_saved_run_has_what_the_outcome_had(name: str, tmp_path: Path) -> None:
    outcome = veilmix.run(veilmix.load(name), 7, **{"worst_case_nodes": 0, **RUNS[name]})
    run = kept(outcome, tmp_path)
    public = {attribute for attribute in dir(outcome) if not attribute.startswith("_")}
    assert public >= NOT_KEPT | CALLED
    for attribute in sorted(public - NOT_KEPT - CALLED - {"coalitions"}):
        assert getattr(run, attribute) == getattr(outcome, attribute), attribute
    assert str(run.cite()) == str(outcome.cite())
    assert run._repr_html_() == outcome._repr_html_().replace("Outcome of", "Run of")
    for read, had in zip(run.coalitions, outcome.coalitions, strict=True):
        assert run.coalition(*had.parties) == read
        for field in fields(had):
            if field.name != "bits":  # the folder keeps bits per person
                assert getattr(read, field.name) == getattr(had, field.name), field.name
        assert read.bits == pytest.approx(had.bits, rel=1e-15)
        assert (read.verdict, read.bits_are) == (had.verdict, had.bits_are)


def test_a_citation_says_that_a_seeded_run_is_not_secret(tmp_path: Path) -> None:
    outcome = veilmix.run("blood-type", 7, "ideal", worst_case_nodes=0)
    said = str(outcome.cite())
    assert said.startswith(f"veilmix {veilmix.__version__}, scenario blood-type, ideal run, 30 ")
    assert said.endswith(f"seed 7 (reproducible, NOT secret), digest {outcome.digest}")
    cited = kept(outcome, tmp_path).cite()
    assert (cited.seed, cited.digest, cited.users) == (7, outcome.digest, 30)
    assert replace(cited, seed=None).randomness == "system randomness (not reproducible)"


def test_a_coalition_that_is_not_there_is_named(tmp_path: Path) -> None:
    outcome = veilmix.run("blood-type", 7, "ideal", worst_case_nodes=0)
    for some in (outcome, kept(outcome, tmp_path)):
        with pytest.raises(KeyError, match=r'called "curater"; coal.* .did you mean `curator`'):
            some.coalition("curater")
        assert some.coalition("shuffler-1", "curator") == some.coalition("curator", "shuffler-1")
