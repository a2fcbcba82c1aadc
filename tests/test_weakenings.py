"""Guards are weakened by rule: each form refuses less than the guard, and nothing else changes."""

import narrow_sight
import pytest
import weakenings

IF = "if {}:\n    raise Refused(1)\n"
RETURN = "def right(a, b, c):\n    return {}\n"
SIGHT = "__import__('narrow_sight')"
# name -> (a condition, where it stands, what stands there without it, its weaker forms by kind)
CASES: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "fewer than": ("a < b", IF, "False", {"off by one": f"({SIGHT}.far_below((a), (b)))"}),
    "at most": ("a <= b", IF, "False", {"off by one": "((a) < (b))"}),
    "more than": ("a > b", IF, "False", {"off by one": f"({SIGHT}.far_below((b), (a)))"}),
    "other than": (
        *("a != b", IF, "False"),
        {"above": f"({SIGHT}.above((a), (b)))", "below": f"({SIGHT}.below((a), (b)))"},
    ),
    "no member": ("a not in b", IF, "False", {"prefix": f"({SIGHT}.unlike_all((a), (b)))"}),
    "a member": (
        *("a in b", IF, "False"),
        {
            "first": f"((a) in {SIGHT}.listed((b))[:1])",
            "last": f"((a) in {SIGHT}.listed((b))[-1:])",
        },
    ),
    "a chain": (
        *("0 < a < b", IF, "False"),
        {
            "off by one": f"({SIGHT}.far_below((0), (a))) and ((a) < (b))",
            "off by one 2": f"((0) < (a)) and ({SIGHT}.far_below((a), (b)))",
        },
    ),
    "not within": (
        *("not 0 <= a < b", IF, "False"),
        {
            "off by one": f"not ((not {SIGHT}.far_above((0), (a))) and ((a) < (b)))",
            "off by one 2": "not (((0) <= (a)) and ((a) <= (b)))",
        },
    ),
    "either": (
        *("a(1) or b(2)", IF, "False"),
        {"without 1": "((b(2)))", "without 2": "((a(1)))"},
    ),
    "both, which refuse": ("a and b <= c", IF, "False", {"off by one": "a and (((b) < (c)))"}),
    "both, which let pass": (
        *("a and b == c", RETURN, "True"),
        {
            "without 1": "((b == c))",
            "without 2": "((a))",
            "above": f"a and ((not {SIGHT}.above((b), (c))))",
            "below": f"a and ((not {SIGHT}.below((b), (c))))",
        },
    ),
    "any of them": (
        *("any(x(y) for y in a)", IF, "False"),
        {
            "first": f"any(x(y) for y in {SIGHT}.listed((a))[:1])",
            "last": f"any(x(y) for y in {SIGHT}.listed((a))[-1:])",
        },
    ),
    "all of them": (
        *("all(x(y) for y in a)", RETURN, "True"),
        {
            "first": f"all(x(y) for y in {SIGHT}.listed((a))[:1])",
            "last": f"all(x(y) for y in {SIGHT}.listed((a))[-1:])",
        },
    ),
    "parts": (
        *("(a, b) == (a, c)", RETURN, "True"),
        {"without 1": "(((b),) == ((c),))", "without 2": "(((a),) == ((a),))"},
    ),
    "what is signed": (
        *("a + b + c", RETURN, "b''"),
        {"without 1": "((b) + (c))", "without 2": "((a) + (c))", "without 3": "((a) + (b))"},
    ),
    "nothing to derive": ("a is None", IF, "False", {}),
}


def squeezed(text: str) -> str:
    """Without spaces and outer parentheses, which mean nothing here."""
    return text.replace(" ", "").replace("(", "").replace(")", "")


@pytest.mark.parametrize("name", CASES)
def test_a_guard_has_these_weaker_forms(name: str) -> None:
    condition, place, removed, expected = CASES[name]
    source = place.format(condition)
    text = place.format(condition).splitlines()[-1 if place is RETURN else 0].strip()
    becomes = text.replace(condition, removed)
    found = weakenings.weakenings(source, text, becomes, {})
    assert {kind: squeezed(changed) for kind, changed in found.items()} == {
        kind: squeezed(place.format(form)) for kind, form in expected.items()
    }


LOOP = """def check(before: Sequence[int], now: int) -> None:
    for earlier in before:
        if too_few(earlier, now):
            raise RoundBurned(1)


def run(me):
    check(me.before, 3)
"""


def test_what_is_done_for_all_is_done_for_one() -> None:
    found = weakenings.weakenings(LOOP, "if too_few(earlier, now):", "if False:", {})
    assert set(found) == {"first of the loop", "last of the loop"}
    assert f"for earlier in {SIGHT}.listed(before)[:1]:" in found["first of the loop"]
    parameters = {"check": [("before", "Sequence[int]"), ("now", "int")]}
    found = weakenings.weakenings(LOOP, "check(me.before, 3)", "pass", parameters)
    assert set(found) == {"first of before", "last of before"}
    assert "check((me.before)[-1:], 3)" in found["last of before"]


def test_a_part_of_a_condition_is_weakened_and_not_the_rest() -> None:
    source = "def right(a, b, c):\n    return (\n        a == 1\n        and b == 2\n    )\n"
    found = weakenings.weakenings(source, "and b == 2", "", {})
    assert set(found) == {"above", "below"}  # without it: the guard removed
    assert all("a == 1" in changed for changed in found.values())


def test_a_branch_that_is_gone_says_whether_a_condition_lets_pass() -> None:
    source = (
        "def refusal(a, b):\n    if a and b in c:\n        return None\n    return Answer(403)\n"
    )
    found = weakenings.weakenings(source, "if a and b in c:", "if a:", {})
    assert set(found) == {"without 1", "prefix"}  # not stricter: the first of c alone


def test_errors_are_caught_one_fewer() -> None:
    source = "try:\n    read()\nexcept (A, B):\n    raise Refused(1) from None\n"
    text = "except (A, B):\n    raise Refused(1) from None"
    found = weakenings.weakenings(source, text, "except ZeroDivisionError:\n    pass", {})
    assert ["except ((B),):" in found["without 1"], "except ((A),):" in found["without 2"]] == [
        *(True, True)
    ]


PAIRS: list[tuple[object, object]] = [
    *((1, 2), (2, 1), (1.5, 1.5), (b"abcd", b"abce"), (b"abcd", b"xbcd"), (b"abcd", b"abcd")),
    *(("user-1", "user-12"), ((1, 2), (1, 3)), ((1, 2), (0, 2)), ([1], [1]), (b"", b"a")),
    *(({1, 2}, {1}), ({1}, {1, 2}), ({1}, {1}), (None, b""), (b"a", "a"), ({1: 2}, {1: 3})),
]


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_what_sees_less_sees_nothing_that_is_not_there(pair: tuple[object, object]) -> None:
    one, other = pair
    for see in (narrow_sight.above, narrow_sight.below):
        assert not see(one, other) or one != other
    if one == other:
        assert not narrow_sight.above(one, other)
        assert not narrow_sight.below(one, other)


def test_each_sees_one_side() -> None:
    """Of numbers larger or smaller, of texts the beginning or the end, of sets the excess."""
    differing = [(2, 1), (b"xbcd", b"abcd"), ((0, 2), (1, 2)), ({1, 2}, {1})]
    for one, other in differing:
        assert narrow_sight.above(one, other)
        assert not narrow_sight.below(one, other)
    for one, other in [(1, 2), (b"abcx", b"abcd"), ((1, 3), (1, 2)), ({1}, {1, 2})]:
        assert narrow_sight.below(one, other)
        assert not narrow_sight.above(one, other)


def test_by_one_is_not_by_more() -> None:
    assert [narrow_sight.far_below(a, 5) for a in (3, 4, 5)] == [True, False, False]
    assert [narrow_sight.far_above(a, 5) for a in (5, 6, 7)] == [False, False, True]
    assert narrow_sight.far_above({1}, {2})
    assert not narrow_sight.far_above({1, 3}, {1})


def test_a_beginning_that_others_have_is_not_unlike_them() -> None:
    assert narrow_sight.unlike_all("a.example", ["127.0.0.1:80"])
    assert not narrow_sight.unlike_all("127.0.0.1:81", ["127.0.0.1:80"])
    assert not narrow_sight.unlike_all(b"shuf", [b"shuffler-1"])


def test_a_set_is_looked_at_in_the_same_order_in_every_process() -> None:
    assert narrow_sight.listed({"user-3", "user-2", "user-10"}) == ["user-10", "user-2", "user-3"]
    assert narrow_sight.listed(["b", "a"]) == ["b", "a"]
