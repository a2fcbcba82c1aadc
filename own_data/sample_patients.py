"""A made-up table of patients, as messy as real tables: for the tutorial, tests and benchmarks.

No person in it exists. It has personal numbers, names, sex as m, M, f and F, ages with
-1 for unknown, and empty cells. The diagnosis depends on age, the ward follows from the
diagnosis, and weight depends on sex and age.
"""

from collections.abc import Iterator
from datetime import date, timedelta

import numpy as np

PEOPLE = 30_000
COLUMNS = (
    *("patient", "name", "sex", "age", "zip", "admitted", "ward", "insurance", "diagnosis"),
    *("weight", "smoker", "allergy"),
)
FIRST = ("Ada", "Ben", "Cleo", "Dora", "Emil", "Finn", "Gita", "Hugo", "Ida", "Jon", "Kaja", "Leo")
LAST = ("Abel", "Berg", "Carlsen", "Dahl", "Eide", "Foss", "Graf", "Holm", "Iversen", "Jansen")
DIAGNOSES = {  # by diagnosis, the age at which it is most frequent, and the ward
    "fracture": (30, "surgery"),
    "appendicitis": (22, "surgery"),
    "asthma": (15, "medicine"),
    "pneumonia": (66, "medicine"),
    "diabetes": (58, "medicine"),
    "heart failure": (74, "cardiology"),
    "infarction": (64, "cardiology"),
    "stroke": (72, "neurology"),
    "migraine": (34, "neurology"),
    "lymphoma": (55, "oncology"),
}
TOWNS = (10115, 10117, 10119, 10243, 10245, 10435, 12043, 12045, 12047, 13347, 13349, 14050)
# shares of cells: unknown ages, empty cells, values in capitals
UNKNOWN_AGE, EMPTY, CAPITALS = 0.01, 0.015, 0.12
START = date(2024, 1, 1)


def patients(people: int = PEOPLE, seed: int = 1) -> Iterator[tuple[str, ...]]:
    """Yield the rows of made-up patients; the same seed gives the same people.

    people: the number of patients.
    """
    rng = np.random.default_rng([seed, 0x70617469])
    age = np.clip(rng.normal(52, 21, people), 0, 99).astype(int)
    names = list(DIAGNOSES)
    peaks = np.array([DIAGNOSES[name][0] for name in names])
    affinity = np.exp(-(((age[:, None] - peaks) / 18.0) ** 2)) + 0.02
    affinity /= affinity.sum(axis=1, keepdims=True)
    illness = (affinity.cumsum(axis=1) < rng.random((people, 1))).sum(axis=1)
    female = rng.random(people) < 0.5
    weight = np.clip(
        rng.normal(np.where(female, 68, 81), 13) * np.minimum(1, 0.2 + age / 22), 4, 160
    )
    town = rng.choice(len(TOWNS), people, p=_zipf(len(TOWNS)))
    day = rng.integers(0, 366, people)
    insurance = rng.choice(
        ["public", "private", "Public ", "none"], people, p=[0.78, 0.12, 0.08, 0.02]
    )
    smoker = rng.choice(["no", "yes", "former"], people, p=[0.6, 0.22, 0.18])
    allergy = rng.choice(["no", "yes", ""], people, p=[0.8, 0.15, 0.05])
    persons = rng.integers(0, [len(FIRST), len(LAST), 200], (people, 3))
    odd = rng.random((people, 3))
    number = rng.permutation(people)
    for i in range(people):
        sex = "f" if female[i] else "m"
        illness_name = names[illness[i]]
        yield (
            f"P{100_000 + number[i]}",
            f"{FIRST[persons[i, 0]]} {LAST[persons[i, 1]]} {persons[i, 2]}",
            "" if odd[i, 0] < EMPTY else sex.upper() if odd[i, 0] < EMPTY + CAPITALS else sex,
            "-1" if odd[i, 1] < UNKNOWN_AGE else str(age[i]),
            "" if odd[i, 2] < EMPTY else str(TOWNS[town[i]]),
            (START + timedelta(int(day[i]))).isoformat(),
            DIAGNOSES[illness_name][1],
            str(insurance[i]),
            illness_name,
            f"{weight[i]:.1f}",
            str(smoker[i]),
            str(allergy[i]),
        )


def _zipf(size: int) -> np.ndarray:
    """Return shares that fall like 1 / (rank + 1), with sum 1, for the sizes of towns.

    size: number of shares; the ranks are 1 to size.
    """
    shares: np.ndarray = 1 / np.arange(2, size + 2)
    shares /= shares.sum()
    return shares
