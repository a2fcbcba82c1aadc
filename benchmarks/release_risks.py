"""Singling out, linkability, inference, k, l and t on UCI Adult, beside Anonymeter and pycanon.

    python benchmarks/release_risks.py ../shared/data/adult/adult.data --peers PEERS/bin/python

The others need an older numpy, so they live in an environment of their own: `python -m venv PEERS`,
`PEERS/bin/pip install --require-hashes -r requirements/peers.txt`; without `--peers` only ours are
printed. 32,561 people in ARX's nine columns; half of them are the release, as it is, the other half
are the control. Anonymeter attacks 500 people and predicates. Ours are expectations over all of
them, but where rows have to be compared, over 500 people too (`--all`: over everybody). Processor
time, one thread; what is compiled at the first call is called once before.
"""

import csv
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from harness import run
from harness import timed as clocked

NAMES = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week"),
    *("native-country", "salary-class"),
)
ASKED = (
    *("age", "workclass", "education", "marital-status", "occupation", "race", "sex"),
    *("native-country", "salary-class"),
)
FIRST, SECOND = ASKED[:4], ASKED[4:]
SOUGHT = ("age", "education", "occupation", "salary-class")
KNOWN = ASKED[:3]  # of k, l and t: pycanon takes minutes where classes are many
ATTACKS, SEED = 500, 1


def rows_of(path: Path) -> list[tuple[str, ...]]:
    """The nine columns, in an order that is drawn once."""
    with path.open(newline="") as file:
        rows = [row for row in csv.reader(file, skipinitialspace=True) if len(row) == len(NAMES)]
    places = [NAMES.index(name) for name in ASKED]
    order = np.random.default_rng(SEED).permutation(len(rows))
    return [tuple(rows[i][j] for j in places) for i in order.tolist()]


def timed(answers: dict[str, Any], name: str, call: Any, *given: Any, **more: Any) -> Any:
    """Note the processor time of a call."""
    took, value = clocked(call, *given, **more)
    answers[name] = {"seconds": took.cpu}
    return value


def ours(rows: list[tuple[str, ...]], *, everybody: bool) -> dict[str, Any]:
    """What veilmix finds."""
    from veilmix.analysis.exposure.cells import distinct
    from veilmix.analysis.release_risks import (
        Inference,
        Linkability,
        ReleaseAttack,
        ask,
        singling_out,
    )

    pairs = [np.unique(np.array(values), return_inverse=True) for values in zip(*rows, strict=True)]
    table = np.stack([codes for _, codes in pairs], axis=1)
    numbers = [pairs[0][0].astype(float), *([None] * (len(ASKED) - 1))]
    half = len(table) // 2
    release, control = table[:half], table[half : 2 * half]
    most = {} if everybody else {"most": ATTACKS * half * len(ASKED)}
    answers: dict[str, Any] = {}

    def note(name: str, attack: ReleaseAttack) -> None:
        rates = (attack.attack, attack.control, attack.baseline)
        answers[name] |= dict(zip(RATES, (rate and rate.share for rate in rates), strict=True))

    alone = [distinct(table)[0] for table in (release, control)]
    for columns in (3, 4):
        name = f"singling out by {columns} columns"
        given = (alone[0], alone[0], columns, alone[1], numbers)
        note(name, timed(answers, name, singling_out, *given).attack())
    questions = {
        "linkability": Linkability(tuple(range(len(FIRST))), tuple(range(len(FIRST), len(ASKED)))),
        **{
            f"inference of {name}": Inference(
                ASKED.index(name), tuple(j for j in range(len(ASKED)) if ASKED[j] != name)
            )
            for name in SOUGHT
        },
    }
    for name, question in questions.items():
        given = ([question], release, release, control, numbers)
        note(name, timed(answers, name, ask, *given, **most)[0])
    _our_klt(table, answers)
    return answers


def _our_klt(table: Any, answers: dict[str, Any]) -> None:
    from veilmix.analysis.release_risks import diversity

    for name in SOUGHT[1:]:
        at = ASKED.index(name)
        known = [j for j in range(len(KNOWN)) if j != at]
        got = timed(answers, f"k, l, t of {name}", diversity, table, known, at)
        answers[f"k, l, t of {name}"] |= {"k": got.k, "l": got.l, "t": got.t}


RATES = ("attack", "control", "guessing")


def theirs(rows: list[tuple[str, ...]]) -> dict[str, Any]:
    """What Anonymeter and pycanon find, in an environment that has them."""
    import logging
    import warnings

    import pandas as pd
    from anonymeter.evaluators.inference_evaluator import InferenceEvaluator
    from anonymeter.evaluators.linkability_evaluator import LinkabilityEvaluator
    from anonymeter.evaluators.singling_out_evaluator import SinglingOutEvaluator
    from pycanon import anonymity

    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    table = pd.DataFrame(rows, columns=list(ASKED)).astype({"age": int})
    half = len(table) // 2
    ori, control = (
        table[:half].reset_index(drop=True),
        table[half : 2 * half].reset_index(drop=True),
    )
    tables = {"ori": ori, "syn": ori, "control": control, "n_attacks": ATTACKS}
    answers: dict[str, Any] = {}

    def attacked(name: str, call: Any, *given: Any, **more: Any) -> None:
        result = timed(answers, name, call, *given, **more).results()
        counts = (result.n_success, result.n_control, result.n_baseline)
        answers[name] |= {key: many / ATTACKS for key, many in zip(RATES, counts, strict=True)}
        for key, rate in (("attack", result.attack_rate), ("control", result.control_rate)):
            answers[name][f"{key} interval"] = (rate.value - rate.error, rate.value + rate.error)

    for columns in (3, 4):
        limits = {"n_cols": columns, "seed": SEED, "max_attempts": 10**6}
        attacked(
            f"singling out by {columns} columns",
            SinglingOutEvaluator(**tables, **limits).evaluate,
            "multivariate",
        )
    linked = {"aux_cols": (list(FIRST), list(SECOND)), "n_neighbors": 1}
    LinkabilityEvaluator(**{**tables, "n_attacks": 1}, **linked).evaluate(n_jobs=1)  # compiles
    attacked("linkability", LinkabilityEvaluator(**tables, **linked).evaluate, n_jobs=1)
    for name in SOUGHT:
        known = [column for column in ASKED if column != name]
        sought = {"aux_cols": known, "secret": name}
        attacked(
            f"inference of {name}",
            InferenceEvaluator(**tables, **sought).evaluate,
            n_jobs=1,
        )
    _their_klt(anonymity, table, answers)
    return answers


def _their_klt(anonymity: Any, table: Any, answers: dict[str, Any]) -> None:
    for name in SOUGHT[1:]:
        known = [column for column in KNOWN if column != name]
        label = f"k, l, t of {name}"
        got = timed(answers, label, _pycanon, anonymity, table, known, name)
        answers[label] |= dict(zip("klt", got, strict=True))


def _pycanon(anonymity: Any, table: Any, known: list[str], name: str) -> list[float]:
    k = anonymity.k_anonymity(table, known)
    asked = (anonymity.l_diversity, anonymity.t_closeness)
    return [float(k), *(float(measure(table, known, [name])) for measure in asked)]


def main(data: Path, *, peers: str = "", all: bool = False, as_peer: bool = False) -> None:  # noqa: A002
    """Print both, and the ratio of their times.

    peers: the Python that has requirements/peers.txt. as_peer: be that one.
    """
    rows = rows_of(data)
    if as_peer:
        print(json.dumps(theirs(rows)))
        return
    mine = ours(rows, everybody=all)
    command = [peers, __file__, str(data), "--as-peer"]
    other = json.loads(subprocess.check_output(command)) if peers else {}
    print(f"{len(rows):,} people, {len(ASKED)} columns; processor time")
    for name, answer in mine.items():
        its = other.get(name, {})
        figures = [f"{key} {value:.4f}" for key, value in answer.items() if key != "seconds"]
        print(f"{name:29}  ours    {answer['seconds']:8.3f} s  {'  '.join(figures)}")
        if its:
            figures = [f"{key} {its[key]:.4f}" for key in answer if key != "seconds"]
            inside = [
                key
                for key in RATES[:2]
                if key in answer
                and not its[f"{key} interval"][0] <= answer[key] <= its[f"{key} interval"][1]
            ]
            odd = f"  OUTSIDE ITS INTERVAL: {', '.join(inside)}" if inside else ""
            print(f"{'':29}  theirs  {its['seconds']:8.3f} s  {'  '.join(figures)}{odd}")
    if other:
        times = [sum(answer["seconds"] for answer in side.values()) for side in (other, mine)]
        print(f"all: theirs {times[0]:.2f} s, ours {times[1]:.2f} s: {times[0] / times[1]:.0f} x")


if __name__ == "__main__":
    run(main)
