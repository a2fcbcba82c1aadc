"""Measure how plain the language of the code is, and print the worst lines.

    python tools/plain_language.py [PATHS]     the rooms, and the worst ten lines
    python tools/plain_language.py --files     besides, each file
    python tools/plain_language.py --record    write the present figures to plain_language.json

Rules: CONTRIBUTING.md; glossary: docs/glossary.md; words that are counted: plain_words.toml. Four
figures of each room, from docstrings and definitions:

* indefinite pronouns per 1,000 words, without the numeral ("one column") and Python's None;
* docstrings that begin with an opener, such as "what"; `Whether` is right for a bool;
* functions, methods and classes whose name is a participle, a pronoun or an adverb;
* values with such a name: parameters, locals, fields, attributes, once in each scope. Options of a
  command and keys of files, which are fixed elsewhere, are among them.

Besides, the number of class names that are defined in several files. Exit code 1 if a figure of a
room is above the recorded one: no room may become worse. A low figure does not show that a text is
good; a high one shows where to look.
"""

import argparse
import ast
import json
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "tools" / "plain_language.json"
LEFT_OUT = frozenset({"tests", "tools", "benchmarks", "notebooks", "build", "runs", "_build"})
LIMIT = 8.0  # pronouns per 1,000 words, the aim of every room
TOLERANCE = 0.05  # of a rate that is recorded with one digit
WORST = 10

WORDS = {
    kind: frozenset(words)
    for kind, words in tomllib.loads(
        (ROOT / "tools" / "plain_words.toml").read_text("utf-8")
    ).items()
}
WORD = re.compile(r"[A-Za-z']+")
# "one column" counts as a numeral; "one that", "one of" do not.
NUMERAL = re.compile(
    r"\bone (?!(?:that|who|whose|whom|which|of|is|was|has|had|may|can|must|does|by|in|for|from|to"
    r"|and|or|if|it|as|where|with|an?|the)\b)[a-z(]",
    re.IGNORECASE,
)
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Docstring:
    """A docstring and its place.

    Attributes:
        place: file and line, as `file:line`.
        name: the definition's name; empty for a module.
        text: the docstring.
        of_bool: whether the definition returns a bool.
    """

    place: str
    name: str
    text: str
    of_bool: bool

    @property
    def words(self) -> int:
        """The number of words."""
        return len(WORD.findall(self.text))

    @property
    def pronouns(self) -> int:
        """The number of indefinite pronouns, without numerals and None."""
        return count_pronouns(self.text)

    @property
    def has_opener(self) -> bool:
        """Whether the first word is an opener; `Whether` is right for a bool."""
        first = WORD.search(self.text)
        word = first[0].lower() if first else ""
        return word in WORDS["openers"] and not (word == "whether" and self.of_bool)

    @property
    def first_sentence(self) -> str:
        """The first sentence, in a line."""
        return " ".join(re.split(r"(?<=[.!?])\s|\n\s*\n", self.text.strip(), maxsplit=1)[0].split())

    @property
    def score(self) -> float:
        """How unclear the first sentence is: pronouns and opener by its length; 0 is plain."""
        amiss = count_pronouns(self.first_sentence) + self.has_opener
        return float(amiss / (6 + len(WORD.findall(self.first_sentence))) ** 0.7)


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a room or a file.

    Attributes:
        pronouns: indefinite pronouns per 1,000 words of docstrings, with one digit.
        openers: the number of docstrings that begin with an opener.
        names: the number of definitions with a weak name.
        values: the number of parameters, locals, fields and attributes with a weak name.
    """

    pronouns: float
    openers: int
    names: int
    values: int = 0


def count_pronouns(text: str) -> int:
    """Count the indefinite pronouns of a text, without numerals and Python's None."""
    words = sum(word.lower() in WORDS["pronouns"] for word in WORD.findall(text))
    return words - len(NUMERAL.findall(" ".join(text.split()))) - len(re.findall(r"\bNone\b", text))


def is_weak(name: str) -> bool:
    """Whether a name is, or begins with, a participle, a pronoun or an adverb of the lists."""
    first, _, rest = name.strip("_").lower().partition("_")
    return is_listed(name) or bool(rest and first in WORDS["beginnings"])


def is_listed(name: str) -> bool:
    """Whether a name is itself on the list of participles, pronouns and adverbs."""
    return not name.startswith("__") and name.strip("_").lower() in WORDS["names"]


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A parameter, a local, a field or an attribute.

    Attributes:
        name: its name.
        line: where it is first bound.
    """

    name: str
    line: int


def named_values(tree: ast.Module) -> Iterator[NamedValue]:
    """Yield the values that a module names, once in each scope."""
    for scope in definitions(tree):
        lines = dict[str, int]()
        for name, line in bindings(scope):
            lines.setdefault(name, line)
        yield from (NamedValue(name, line) for name, line in lines.items())


def bindings(scope: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield names and lines of values that a scope binds, but for scopes inside it."""
    for node in ast.iter_child_nodes(scope):
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                continue
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name, node.lineno
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                yield name, node.lineno
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name, node.lineno
            case _:
                pass
        yield from bindings(node)


def source_files(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield the Python files of the package below some paths, in order of names."""
    for path in paths:
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            parts = file.relative_to(ROOT).parts[:-1]
            if not any(part in LEFT_OUT or part.startswith(".") for part in parts):
                yield file


def definitions(tree: ast.Module) -> Iterator[ast.Module | Definition]:
    """Yield the module and every class and function in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | Definition):
            yield node


def docstrings(file: Path, tree: ast.Module) -> Iterator[Docstring]:
    """Yield every docstring of a file."""
    for node in definitions(tree):
        if text := ast.get_docstring(node):
            returns = getattr(node, "returns", None)
            of_bool = returns is not None and bool(re.search(r"\bbool", ast.unparse(returns)))
            place = f"{file.relative_to(ROOT)}:{node.body[0].lineno}"
            yield Docstring(place, getattr(node, "name", ""), text, of_bool)


def room_of(file: str) -> str:
    """Return the room of a file: its folder, two levels at most."""
    return "/".join(Path(file).parts[:-1][:2]) or "."


def figures(texts: Sequence[Docstring], names: int, values: int) -> Figures:
    """Return the figures of some docstrings, with the numbers of weak names."""
    words = sum(text.words for text in texts)
    pronouns = sum(text.pronouns for text in texts)
    rate = round(1000 * pronouns / words, 1) if words else 0.0
    return Figures(rate, sum(text.has_opener for text in texts), names, values)


@dataclass(frozen=True)
class Survey:
    """Everything that is measured.

    Attributes:
        texts: the docstrings of each file.
        weak: the weak names of definitions in each file, as `file:line name`.
        values: the weak names of values in each file, likewise.
        repeated: class names that several files define, with the number of files.
    """

    texts: Mapping[str, Sequence[Docstring]]
    weak: Mapping[str, Sequence[str]]
    values: Mapping[str, Sequence[str]]
    repeated: Mapping[str, int]

    @property
    def files(self) -> dict[str, Figures]:
        """The figures of each file."""
        return {
            file: figures(self.texts[file], len(self.weak[file]), len(self.values[file]))
            for file in self.texts
        }

    @property
    def rooms(self) -> dict[str, Figures]:
        """The figures of each room."""
        texts = defaultdict[str, list[Docstring]](list)
        weak, values = Counter[str](), Counter[str]()
        for file, own in self.texts.items():
            texts[room_of(file)].extend(own)
            weak[room_of(file)] += len(self.weak[file])
            values[room_of(file)] += len(self.values[file])
        return {room: figures(texts[room], weak[room], values[room]) for room in sorted(texts)}

    @property
    def worst(self) -> list[Docstring]:
        """All docstrings that are not plain, the least plain first."""
        every = [text for own in self.texts.values() for text in own if text.score]
        return sorted(every, key=lambda text: (-text.score, text.place))


def survey(paths: Sequence[Path]) -> Survey:
    """Measure the Python files of the package below some paths."""
    texts, weak = dict[str, list[Docstring]](), dict[str, list[str]]()
    values = dict[str, list[str]]()
    classes = defaultdict[str, set[str]](set)
    for path in source_files(paths):
        file, tree = str(path.relative_to(ROOT)), ast.parse(path.read_text("utf-8"))
        texts[file], weak[file] = list(docstrings(path, tree)), []
        weak_values = (value for value in named_values(tree) if is_listed(value.name))
        values[file] = [f"{file}:{value.line} {value.name}" for value in weak_values]
        for node in definitions(tree):
            if isinstance(node, ast.ClassDef):
                classes[node.name].add(file)
            if isinstance(node, Definition) and is_weak(node.name):
                weak[file].append(f"{file}:{node.lineno} {node.name}")
    repeated = {name: len(at) for name, at in sorted(classes.items()) if len(at) > 1}
    return Survey(texts, weak, values, repeated)


def worse(now: Survey, recorded: Mapping[str, Mapping[str, float]], repeated: int) -> list[str]:
    """Return a line for each figure that is above the recorded one.

    A room that is not recorded must reach LIMIT, with no opener and no weak name of a definition.
    """
    lines = []
    for room, found in now.rooms.items():
        known = recorded.get(room, {"pronouns": LIMIT, "openers": 0, "names": 0})
        for figure, limit in known.items():
            value = getattr(found, figure)
            if value > limit + TOLERANCE:
                lines.append(f"{room}: {figure} {value}, recorded {limit}")
    if len(now.repeated) > repeated:
        lines.append(f"class names in several files: {len(now.repeated)}, recorded {repeated}")
    return lines


def print_table(rows: Mapping[str, Figures], head: str) -> None:
    """Print a table of figures, the highest rate first."""
    print(
        f"{head:44} {'pronouns per 1,000 words':>25} {'openers':>8} {'weak names':>11} "
        f"{'values':>7}"
    )
    for name, row in sorted(rows.items(), key=lambda item: -item[1].pronouns):
        print(f"{name[-44:]:44} {row.pronouns:25.1f} {row.openers:8} {row.names:11} {row.values:7}")


def write_record(now: Survey) -> None:
    """Write the present figures of all rooms to RECORD."""
    rooms = {
        room: {
            "pronouns": row.pronouns,
            "openers": row.openers,
            "names": row.names,
            "values": row.values,
        }
        for room, row in now.rooms.items()
    }
    table = {"classes in several files": len(now.repeated), "rooms": rooms}
    RECORD.write_text(json.dumps(table, indent=1) + "\n", "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and compare with the record; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--files", action="store_true", help="each file too")
    parser.add_argument("--record", action="store_true", help="write the present figures")
    parser.add_argument("--quiet", action="store_true", help="worst lines and what became worse")
    parser.add_argument("paths", nargs="*", type=Path, help="[default: the whole package]")
    given = parser.parse_args(arguments)
    now = survey([path.resolve() for path in given.paths] or [ROOT])
    if given.files:
        print_table(now.files, "file")
    if not given.quiet:
        print_table(now.rooms, "room")
        print(f"{len(now.repeated)} class names are defined in several files")
    for text in now.worst[:WORST]:
        print(f"{text.place} {text.name}: {text.first_sentence}")
    if given.record:
        write_record(now)
    if given.paths:  # a part of a room cannot be compared with the room
        return 0
    table = json.loads(RECORD.read_text("utf-8"))
    lines = worse(now, table["rooms"], table["classes in several files"])
    print("".join(f"worse: {line}\n" for line in lines), end="")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
