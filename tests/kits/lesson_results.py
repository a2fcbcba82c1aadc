"""What each lesson states, held against the tables that it shows: from the rendered text alone."""

import re
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import log

Shown = str  # the text of a lesson, without tags, its spaces made one


def only(pattern: str, shown: Shown) -> tuple[str, ...]:
    """The groups of a pattern that is there once."""
    found = re.findall(pattern, shown)
    assert len(found) == 1, (pattern, found)
    return found[0] if isinstance(found[0], tuple) else (found[0],)


def whole(text: str) -> int:
    """A number with commas."""
    return int(text.replace(",", ""))


def envelopes(shown: Shown) -> None:
    """Lesson 1: a second sealing, who links, and the sentence of the answer."""
    other, length = map(int, only(r"are (\d+) other bytes of (\d+)\.", shown))
    assert length * 0.9 < other <= length
    people, questions = map(int, only(r"The whole class (\d+) people, (\d+) questions each", shown))
    assert (people, questions) == (12, 3)
    linked = dict(
        re.findall(r"(\S+(?: \+ \S+)*) (\d+)(?= |$)", shown.rpartition("people linked")[2])
    )
    alone, of = map(int, only(r"links at most (\d+) of (\d+) people", shown))
    assert alone == max(int(many) for who, many in linked.items() if "+" not in who) == 0
    assert int(linked["curator + shuffler-1 + shuffler-2"]) == of == people
    assert f"together link {of} of {of}" in shown
    inside = only(r"shuffler-1 Anna \d+ .*? (\d+ sealed bytes) shuffler-2", shown)
    assert f"Shuffler 1 gets the onion from Anna and finds {inside[0]} in it" in shown
    assert "the curator reads the slip, and gets it from shuffler-2, among everybody's" in shown
    assert "No single one of them." in shown


def crowd(shown: Shown) -> None:
    """Lesson 2: all counts follow from the table of columns and cells."""
    table = shown.rpartition("its cells")[2].partition("Of ")[0]
    rows = [tuple(map(whole, row)) for row in re.findall(r"([\d,]+) (\d) (\d) (\d+)(?= |$)", table)]
    assert [people for people, *_ in rows] == [200, 800, 3200, 12800]
    printed, coverage = ([row[at] for row in rows] for at in (1, 2))
    for name, columns in (("coverage bound", coverage), ("theorems as printed", printed)):
        gains = [b - a for a, b in pairwise(columns)]
        more = ", ".join(map(str, gains))
        grew = sum(gain > 0 for gain in gains)
        assert re.search(rf"{grew}(?: released more columns)? by the {name} \({more} more\)", shown)
    better = sum(a < b for a, b in zip(printed, coverage, strict=True))
    worse = sum(a > b for a, b in zip(printed, coverage, strict=True))
    assert f"printed theorems at {better} of 4 sizes and fewer at {worse};" in shown
    ahead = sum(a <= b for a, b in zip(printed[1:], coverage, strict=False))
    assert f"; at {ahead} of 3 it released as many" in shown
    for people, _, columns, cells in (rows[0], rows[-1]):
        assert re.search(rf"{people:,} people {columns} columns? with {cells} cells in all", shown)
    most, target = only(r"At most ([\d.]+)% of the people were promised .*? (\d+)% were", shown)
    assert float(most) <= float(target)
    assert "More were exposed than promised in 0 of 8 runs." in shown


def colluders(shown: Shown) -> None:
    """Lesson 3: the smallest groups, who links what apart, and the attacks of the catalogue."""
    assert "3. Who must collude? 200 people" in shown
    table = only(r"parties that must collude ((?:\d \d )+)", shown)[0].split()
    assert table == ["1", "2", "2", "3", "3", "4", "4", "5"]  # a reader beside all shufflers
    assert "A reader and all shufflers, while all keep to the rules: so are all 8 smallest" in shown
    assert "groups of 4 sessions. With 4 shufflers every group without one of them links" in shown
    assert "links at most 0 people" in shown
    assert "All shufflers together, who see who sent what, link 0; both readers, who read" in shown
    assert "the analyst links 0 and knows 8 answers for certain. All 8 people answered the" in shown
    smallest = re.findall(
        r" by (\S+) in (\d) of (\d) runs \((\d+ to \d+ %)\), noticed: (\w+)", shown
    )
    assert smallest
    for name, wins, runs, between, noticed in smallest:
        assert re.search(rf" {name} {wins} of {runs} {between} {noticed}", shown)
        assert f"{runs} runs of each attack leave a wide interval." in shown
        assert re.search(rf"What was done: (.*; )?{name} : \w+", shown)
    assert "Honest shufflers behind it that did not help: 1." in shown


def slack(shown: Shown) -> None:
    """Lesson 4: the table against each c, and the table of Theorem 4."""
    rows = re.findall(r"(1(?:/\d+)?) (\d+) 0 (1/\d+) ([\d.]+)(?= |$)", shown.rpartition("(+ c)")[2])
    assert [Fraction(row[0]) for row in rows] == [Fraction(1, i) for i in (1, 2, 4, 10, 100)]
    people = [int(row[1]) for row in rows]
    for _, n, truth, promise in rows:
        assert Fraction(truth) == Fraction(1, int(n)) > 0  # more than the wish promises
        assert Fraction(truth) <= Fraction(promise)
    assert f"No c is enough: of 5 values of c, the tables below refute {len(rows)}, with" in shown
    assert f"with {min(people)} to {max(people)} people." in shown
    assert f"With it the promise holds in {len(rows)} of the {len(rows)} tables." in shown
    assert "c = 1/2 has 24 people, 1/12 on the left and 1/12 on the right, which is equal." in shown
    assert "7 people; the columns have 2 and 2 values. By themselves 0 of the people" in shown
    assert "Together, row 4 is alone with its values: the left side is 1/7 ." in shown


def noise(shown: Shown) -> None:
    """Lesson 5: epsilons against each other, and errors against their table."""
    alone, ten, many = map(
        float, only(r"alone ([\d.]+); among 10 people ([\d.]+), among 10,000 ([\d.]+)\.", shown)
    )
    assert alone == round(log(3), 2) >= ten > many
    small, _, large, _ = map(
        float, only(r"30 ([\d.]+) % ([\d.]+) % 3,000 ([\d.]+) % ([\d.]+) %", shown)
    )
    ratio = int(only(r"100 times as many had (\d+) % of the largest", shown)[0])
    assert abs(ratio - 100 * large / small) < 1
    told = int(only(r"10 times as many people have at most (\d+) % of the standard", shown)[0])
    pairs = re.findall(r"(?:grr|oue|subset|duchi|piecewise) ([\d.]+) % at \S+ ([\d.]+) % at", shown)
    assert len(pairs) == 5
    assert all(abs(float(b) / float(a) - told / 100) < 0.02 for a, b in pairs)
    wanted = float(only(r"lying with q = 1/4 gives epsilon = ([\d.]+)\.", shown)[0])
    little = float(only(r"a lie in ten gives epsilon = ([\d.]+) \(", shown)[0])
    none = float(only(r"nearly no lie, epsilon is ([\d.]+):", shown)[0])
    assert little < wanted < none
    assert "A lie in ten is enough. Alone" in shown
    assert "one run each, 3 questions" in shown


def found(shown: Shown) -> None:
    """Lesson 6: people named for certain, in the answer as in the tables, and who they are."""
    row = r"sex, income, race, workclass [\d.]+ (\d+) [\d.]+"
    certain = re.findall(row, shown)
    assert len(certain) == 2
    said = only(r"(\d+) of 300 when all columns are released, (\d+) when the curator", shown)
    assert list(said) == certain
    assert f"who is found: the {certain[0]} people whose row nobody else has." in shown
    assert "Everything is released sex, income, race, workclass, 300 people" in shown
    kept = only(r"The curator decides released: (.*?) attacker knows", shown)[0]
    assert f"who releases {len(kept.split(', '))} of 4 columns" in shown
    before, after = only(r"truth ([\d.]+)% of .*? smaller than 5, against ([\d.]+)%", shown)
    assert float(before) > float(after)
    chances = r"prosecutor [\d.]+ % at most, [\d.]+ % on average; journalist [\d.]+ % at most"
    assert len(re.findall(chances, shown)) == 2


def own_table(shown: Shown) -> None:
    """Lesson 7: the truth between its bounds."""
    people, columns = only(r"7\. .*? ([\d,]+) people, (\d) columns", shown)
    assert (whole(people), int(columns)) == (2201, 4)
    below = only(r"In truth (\d+) of 2,201 people are below k = 5\.", shown)[0]
    assert re.search(rf"{below} people \([\d.]+%\) are in a crowd smaller than 5", shown)
    bounds = only(
        r"at least (\d+), at most (\d+) \(coverage\), (\d+) \(refined\), (\d+) \(the", shown
    )
    least, *most = map(int, bounds)
    assert least <= int(below) <= most[0] <= most[1] <= most[2]
    assert re.search(r"At most 22 people|With at most 22 people exposed one may keep", shown)


def sealed(shown: Shown) -> None:
    """Lesson 8: the seal of an exchanged box, the counts of an unchecked list, and who links."""
    people, same = map(int, only(r"Of the (\d+) boxes after the shuffler, (\d+) are among", shown))
    assert (people, same) == (12, 0)
    table = only(r"it shows it holds (.*?) The boxes are opened", shown)[0]
    broken = re.findall(r"(t4 \([AB] of ciphertext 0\)) the new .*? that order no", table)
    assert len(broken) == 2
    assert only(r"The seal is (.*?) The shuffler:", shown)[0] == f"broken at {', '.join(broken)}"
    assert len(re.findall(r" yes(?= |$)", table)) == 4
    no, yes = map(int, only(r"The people said no: (\d+), yes: (\d+)\.", shown))
    all_keys = tuple(map(int, only(r"\+ curator no: (\d+), yes: (\d+) shuffler-2", shown)))
    assert no + yes == sum(all_keys) == people
    assert all_keys in {(no, yes), (no + 1, yes - 1)}  # another's "no" was drawn, or a "yes"
    assert "shuffler-2 + curator unreadable: 12" in shown
    assert "Anybody who looks at the board." in shown
    alone, together = map(
        int, only(r"links at most (\d+) of 12 people .*? together link (\d+) of 12", shown)
    )
    assert (alone, together) == (0, 12)
    assert re.search(r"people linked (?:\S+ 0 ){4}shuffler-1 \+ shuffler-2 12", shown)


STATED: dict[str, Callable[[Shown], None]] = {
    "lesson_1_envelopes": envelopes,
    "lesson_2_a_crowd_buys_columns": crowd,
    "lesson_3_who_must_collude": colluders,
    "lesson_4_why_the_slack": slack,
    "lesson_5_lie_a_little": noise,
    "lesson_6_find_me": found,
    "lesson_7_your_own_table": own_table,
    "lesson_8_a_seal_on_every_step": sealed,
}
