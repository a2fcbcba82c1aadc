"""Facts of a scored table that several parts of its page show."""

from bisect import bisect_right
from typing import Any

from ..analysis.scoring.table_score import allowed

Score = dict[str, Any]
NAMED = 12  # columns, in a list of names
ROLES = {
    "identifier": "direct identifier",
    "text": "free text",
    "quasi": "quasi-identifier",
    "sensitive": "sensitive",
    "weight": "sampling weight",
    "other": "other",
}


def release_of(score: Score) -> dict[str, Any]:
    """Return the record of the release; of an older score, as much as is known."""
    older = {
        "command": ["veilmix", "score", score["data"]],
        "input_rows": score["rows"] or score["users"],
        "input_people": score["users"],
        "input_columns": len(score["roles"]),
        "not_read": [],
        "known": "all",
        "person_said": False,
        "file": None,
        "threshold": None,
        "targets": [],
        "left_out": None,
        "anyway": False,
    }
    return score.get("release") or older


def target_columns(score: Score) -> dict[str, Any]:
    """Return the columns that the target counts, as attackers may know them.

    Where no such column is released, all people are a single crowd.
    """
    if release_of(score)["known"] == "all":
        joint: dict[str, Any] = score["joint"]
        return joint
    if not _quasi_identifiers(score):
        n, k = score["users"], score["k"]
        curve = {"k_from": [1, n + 1], "people": [0, n]}
        return {"smallest_crowd": n, "people_below_k": 0 if n >= k else n, "curve": curve}
    quasi: dict[str, Any] = score.get("quasi") or score["joint"]
    return quasi


def _quasi_identifiers(score: Score) -> list[str]:
    """Return the names of the released quasi-identifiers."""
    quasi = {role["column"] for role in score["roles"] if role["role"] == "quasi"}
    return [column["name"] for column in score["columns"] if column["name"] in quasi]


def known_columns(score: Score) -> list[str]:
    """Return the names of the columns that the target counts."""
    if release_of(score)["known"] == "all":
        return [column["name"] for column in score["columns"]]
    return _quasi_identifiers(score)


def below(score: Score) -> int:
    """Return the number of people that miss k, by the columns that the target counts."""
    return int(target_columns(score)["people_below_k"])


def max_exposed(score: Score) -> int:
    """Return the number of people that may be in a crowd smaller than k."""
    return allowed(score["max_exposure"], score["users"])


def people_below(part: dict[str, Any], k: int) -> int:
    """Return the number of people in a crowd smaller than k. part: columns with their curve."""
    curve = part["curve"]
    place = bisect_right(curve["k_from"], k) - 1
    return int(curve["people"][place]) if place >= 0 else 0


def identifiers(score: Score) -> list[str]:
    """Return the direct identifiers and free texts that were read and are not scored."""
    never = ("identifier", "text")
    return [role["column"] for role in score["roles"] if role["left_out"] and role["role"] in never]


def input_columns(score: Score) -> int:
    """Return the number of columns of the input file."""
    return int(release_of(score)["input_columns"])


def first_names(names: list[str], limit: int = NAMED) -> str:
    """Return names of columns, at most `limit`, and the number of further names."""
    omitted_count = len(names) - limit
    more = f" and {omitted_count} more (under Data)" if omitted_count > 0 else ""
    return ", ".join(names[:limit]) + more
