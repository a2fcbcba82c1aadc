"""The first page of a scored table, to sign: data, findings, measures, and remaining risks.

It is made from the JSON of a score, as are the sections behind it.
"""

from collections.abc import Iterator
from typing import Any

from ..scenarios.pages.pieces import VerdictAnswer
from ..scenarios.wording import percent, plural
from . import table_questions

NAMED = 12  # columns, on the first page
ROLES = {
    "identifier": "direct identifier",
    "text": "free text",
    "quasi": "quasi-identifier",
    "sensitive": "sensitive",
    "weight": "sampling weight",
    "other": "other",
}
MEANINGS = {"category": "are a value of their own", "wildcard": "match any value"}
Score = dict[str, Any]


def sheet(score: Score) -> Iterator[VerdictAnswer]:
    """Yield the questions and answers of the first page, the line to sign last."""
    yield from _data_answers(score)
    yield from _exposure_answers(score)
    yield VerdictAnswer(
        "By which method?",
        f"veilmix {score['version']}",
        f"Crowds are counted in the table; missing cells {MEANINGS[score['missing']['meaning']]}. "
        "Bounds are those of docs/theorems.md.",
    )
    yield VerdictAnswer(
        "What is not said?",
        "That anybody is safe",
        "This page describes what was measured and certifies nothing. Who receives the table, and "
        "what was released of the same people before, is written beside it.",
    )
    yield VerdictAnswer("Signed", "\u2003", "Name, role, date: " + "_ " * 22)


def _data_answers(score: Score) -> Iterator[VerdictAnswer]:
    n, k = score["users"], score["k"]
    yield VerdictAnswer(
        "What was looked at?",
        f"{n:,} people, {plural(len(score['columns']), 'column')}",
        f"{score['data']}, SHA-256 {score['sha256']}; {score['read']}.",
    )
    yield VerdictAnswer(
        "Who is a person?", f"{n:,} people", f"{score['person'].capitalize()}.{_rows(score)}"
    )
    roles = " ".join(
        f"{ROLES[role].capitalize()}: {first_names(named)}."
        for role in ROLES
        if (named := [column["column"] for column in score["roles"] if column["role"] == role])
    )
    yield VerdictAnswer("What are the columns?", f"{len(score['roles'])} in the file", roles)
    yield VerdictAnswer(
        "What was wanted?",
        f"k = {k}, for all but {percent(score['max_exposure'])}".replace(" %", "\u00a0%"),
        f"Everybody but at most {max_exposed(score):,} people shares the values of all scored "
        f"columns with at least {k - 1} others.",
    )


def _rows(score: Score) -> str:
    """Return the sentence about persons with several rows."""
    if score["rows"] <= score["users"]:
        return ""
    return (
        f" The file has {score['rows']:,} rows. A crowd is the number of different people with "
        "such a row, and a person is as exposed as its worst row; an attacker who knows several "
        "rows of a person may tell more."
    )


def _exposure_answers(score: Score) -> Iterator[VerdictAnswer]:
    n, exposed = score["users"], below(score)
    met = "met" if exposed <= max_exposed(score) else "not met"
    yield VerdictAnswer(
        "What was found?",
        f"{percent(exposed / n)} below k: {met}".replace(" %", "\u00a0%"),
        f"{exposed:,} people; the smallest crowd is {score['joint']['smallest_crowd']:,}. Whoever "
        f"knows all scored columns of somebody names the right row with a chance of "
        f"{score['risk']['prosecutor']['mean']:.3g} on average.{table_questions.summary(score)}",
    )
    done = [f"left out {first_names(left)}"] if (left := left_out(score)) else []
    done += list(score.get("coarser", ()))
    yield VerdictAnswer(
        "What was done?",
        plural(len(done), "measure") if done else "Nothing",
        f"{'; '.join(done)}." if done else "The columns were scored as they are in the file.",
    )
    yield VerdictAnswer(
        "What remains?",
        f"{exposed:,} of {n:,} people",
        "may be found by whoever knows all scored columns of theirs; more, if the recipient knows "
        "columns that were not scored. k-anonymity says nothing of what all people of a crowd have "
        "in common.",
    )


def below(score: Score) -> int:
    """Return the number of people in a crowd smaller than k."""
    return int(score["joint"]["people_below_k"])


def max_exposed(score: Score) -> int:
    """Return the number of people that may be in a crowd smaller than k."""
    return int(score["max_exposure"] * score["users"])


def left_out(score: Score) -> list[str]:
    """Return the columns of the file that are not scored."""
    return [role["column"] for role in score["roles"] if role["left_out"]]


def first_names(names: list[str]) -> str:
    """Return names of columns, as many as the first page has room for."""
    left = len(names) - NAMED
    more = f" and {left} more (under Data)" if left > 0 else ""
    return ", ".join(names[:NAMED]) + more
