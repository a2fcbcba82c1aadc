"""Advice on UCI Adult beside ARX's optimum, computed here from its definition.

    python benchmarks/arx_optimum.py ../shared/data/adult/adult.data

ARX searches a lattice of levels of hierarchies for the least loss with every class at least k. Its
published hierarchies for Adult (data/adult_hierarchy_*.csv of arx-deidentifier/arx) are written
here as rules; the loss is Iyengar's, of a value (leaves below - 1) / (values - 1), averaged over
rows and columns; nothing is suppressed. The optimum is the first safe node among all, in order of
loss, each counted from its rows.
"""

import csv
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
from harness import run, timed
from veilmix.analysis.advice.ladder import Ladder, LadderLevel
from veilmix.analysis.advice.lattice_search import search

NAMES = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "salary-class",
]
ASKED = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
]
Step = Callable[[str], str]


def _groups(text: str) -> dict[str, str]:
    """The label of each value, from `label: value value; ...`."""
    pairs = [part.split(":") for part in text.split(";")]
    return {value: label.strip() for label, values in pairs for value in values.split()}


def _ages(width: int) -> Step:
    return lambda age: str(int(age) // width)


SCHOOL = _groups(
    "Undergraduate: Bachelors Some-college; High School: 11th HS-grad 9th 7th-8th 12th 10th; "
    "Professional Education: Prof-school Assoc-acdm Assoc-voc; Graduate: Masters Doctorate; "
    "Primary School: 1st-4th 5th-6th Preschool"
)
STAGE = {"Undergraduate": "higher", "Professional Education": "higher", "Graduate": "higher"}
HIERARCHIES: dict[str, tuple[Step | dict[str, str], ...]] = {
    "sex": (),
    "age": (_ages(5), _ages(10), _ages(20)),
    "race": (),
    "marital-status": (
        _groups(
            "spouse present: Married-civ-spouse Married-AF-spouse; spouse not present: Divorced "
            "Never-married Separated Widowed Married-spouse-absent"
        ),
    ),
    "education": (
        SCHOOL,
        {value: STAGE.get(label, label) for value, label in SCHOOL.items()},
    ),
    "native-country": (
        _groups(
            "North America: United-States Puerto-Rico Canada Outlying-US(Guam-USVI-etc) Cuba "
            "Honduras Jamaica Mexico Dominican-Republic Haiti Guatemala El-Salvador; "
            "Asia: Cambodia India Japan China Iran Philippines Vietnam Laos Taiwan Thailand Hong; "
            "Europe: England Germany Greece Italy Poland Portugal Ireland France Hungary Scotland "
            "Yugoslavia Holand-Netherlands; South America: Ecuador Columbia Nicaragua Peru "
            "Trinadad&Tobago; Africa: South"
        ),
    ),
    "workclass": (
        _groups(
            "Non-Government: Private Self-emp-not-inc Self-emp-inc; Government: Federal-gov "
            "Local-gov State-gov; Unemployed: Without-pay Never-worked"
        ),
    ),
    "occupation": (
        _groups(
            "Technical: Tech-support Craft-repair Prof-specialty Machine-op-inspct; Nontechnical: "
            "Sales Exec-managerial Handlers-cleaners; Other: Other-service Adm-clerical "
            "Farming-fishing Transport-moving Priv-house-serv Protective-serv Armed-Forces"
        ),
    ),
    "salary-class": (),
}


def adult(path: Path) -> list[dict[str, str]]:
    """The complete rows: the 30,162 people of ARX's adult.csv."""
    with path.open(newline="") as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file) if row]
    return [dict(zip(NAMES, row, strict=True)) for row in rows if "?" not in row]


def domain(name: str, occurring: set[str]) -> list[str]:
    """The values that the published hierarchy lists: ages 1 to 100, whoever has them."""
    if name == "age":
        return [str(age) for age in range(1, 101)]
    first = next(iter(HIERARCHIES[name]), None)
    return sorted(first) if isinstance(first, dict) else sorted(occurring)


def ladders(rows: list[dict[str, str]]) -> tuple[np.ndarray, list[Ladder]]:
    """Codes, and for each column its hierarchy with Iyengar's losses."""
    columns, steps = [], []
    for name in ASKED:
        values = domain(name, {row[name] for row in rows})
        place = {value: code for code, value in enumerate(values)}
        codes = np.array([place[row[name]] for row in rows])
        people = np.bincount(codes, minlength=len(values))
        levels = []
        rising = (lambda value: value, *HIERARCHIES[name], lambda _: "*")
        for number, step in enumerate(rising):
            labels = [step[value] if isinstance(step, dict) else step(value) for value in values]
            known = sorted(set(labels))
            coarse = np.array([known.index(label) for label in labels])
            leaves = np.bincount(coarse)[coarse]
            loss = (people * (leaves - 1)).sum() / people.sum() / max(1, len(values) - 1)
            levels.append(LadderLevel(str(number), coarse, float(loss)))
        columns.append(codes)
        steps.append(Ladder(name, tuple(levels)))
    return np.stack(columns, axis=1), steps


def optimum(table: np.ndarray, steps: list[Ladder], k: int) -> tuple[float, int]:
    """ARX's optimum: every node in order of loss, counted until one is safe; and how many."""
    distinct, people = np.unique(table, axis=0, return_counts=True)
    nodes = list(product(*(range(len(ladder.levels)) for ladder in steps)))
    losses = [
        sum(la.levels[i].loss for la, i in zip(steps, node, strict=True)) / len(steps)
        for node in nodes
    ]
    for tried, at in enumerate(np.argsort(losses), 1):
        key = np.zeros(len(distinct), np.int64)
        for j, (ladder, level) in enumerate(zip(steps, nodes[at], strict=True)):
            coarse = ladder.levels[level].codes
            key = key * (int(coarse.max()) + 1) + coarse[distinct[:, j]]
        _, cell = np.unique(key, return_inverse=True)
        if np.bincount(cell, weights=people).min() >= k:
            return losses[at], tried
    raise ValueError("nothing is safe")


def main(file: Path) -> None:
    """Print both for k = 5 and 10."""
    table, steps = ladders(adult(file))
    print(f"{len(table):,} people, {np.prod([len(ladder.levels) for ladder in steps]):,} nodes")
    for k in (5, 10):
        took, (least, tried) = timed(optimum, table, steps, k)
        searched, result = timed(search, table, steps, k, 0, charged=False)
        print(
            f"k = {k}: ARX's optimum {least:.6f} ({tried:,} nodes, {took.cpu:.1f} s); advice "
            f"{result.best.loss:.6f}, exact: {result.exact} ({result.counted:,} counts, "
            f"{searched.cpu:.2f} s), levels {result.best.levels}"
        )


if __name__ == "__main__":
    run(main)
