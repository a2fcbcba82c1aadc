"""Words in the names of columns, in six languages, by which the roles of columns are guessed.

A role is the use of a column for an attacker, such as identifier. The words are data in
column_words.toml, which is installed with this module.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ...strict_text import from_toml

CUT = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# Words that mark an identifier only if no other word of the name says what they belong to: "ward
# id" identifies no person.
WEAK = frozenset(("id", "name", "nom", "nombre", "nome", "naam"))


@dataclass(frozen=True, slots=True)
class ColumnWords:
    """The words in columns' names that suggest one meaning, such as a personal number.

    Attributes:
        whole: words that equal a whole word of a column's name.
        part: texts that may occur anywhere within a word.
        phrase: sequences of words that occur side by side in the name.
    """

    whole: frozenset[str] = frozenset()
    part: tuple[str, ...] = ()
    phrase: tuple[str, ...] = ()

    def first_match(self, words: list[str]) -> str | None:
        """Return the first word or phrase of a column's name that is on these word lists, or None.

        words: the words of the column's name, in order.
        """
        for word in words:
            if word in self.whole or any(part in word for part in self.part):
                return word
        joined = f" {' '.join(words)} "
        return next((phrase for phrase in self.phrase if f" {phrase} " in joined), None)


@cache
def kinds() -> dict[str, ColumnWords]:
    """Return the word lists by the meaning of a column: own, numbered, person, weight, ..."""
    package = files("veilmix.scenarios.populations")
    text = (package / "column_words.toml").read_text("utf-8")
    return {
        kind: ColumnWords(
            frozenset(lists.get("whole", ())),
            tuple(lists.get("part", ())),
            tuple(lists.get("phrase", ())),
        )
        for kind, lists in from_toml(text).items()
    }


def cut(name: str) -> list[str]:
    """Return the words of a column's name, in lower case and without accents."""
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return [word.lower() for word in CUT.findall(plain)]


def own_number(words: list[str]) -> str | None:
    """Return the word that suggests that a column holds personal numbers; None without such a word.

    words: the words of the column's name.
    """
    word_kinds = kinds()
    if own_kind := word_kinds["own"].first_match(words):
        return own_kind
    numbered = word_kinds["numbered"]
    for place, word in enumerate(words):
        stem = next((part for part in numbered.part if part in word), None)
        if stem is None:
            continue
        rest = word[word.index(stem) + len(stem) :]
        if any(rest.endswith(end) for end in numbered.whole if len(end) > 1 and rest):
            return word
        neighbours = [*words[:place][-1:], *words[place + 1 :][:1], *words[:1]]
        if any(
            neighbour in numbered.whole or neighbour == "n"
            for neighbour in neighbours
            if neighbour != word
        ):
            return " ".join(words)
    return None


def shared(words: list[str]) -> str | None:
    """Return the word that suggests a column of names or addresses, which several people may share.

    None without such a word. words: the words of the column's name.
    """
    return kinds()["shared"].first_match(words)


def missing_words() -> frozenset[str]:
    """Return the texts that stand for a missing value, in lower case."""
    return kinds()["missing"].whole
