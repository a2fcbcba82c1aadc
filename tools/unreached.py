"""List definitions of the package that no command, page, program, figure or document reaches.

python tools/unreached.py             each with its lines, and how often tests and tools name it
python tools/unreached.py --public    besides: public names of veilmix.analysis that nothing else
                                      of the package reaches

What is reached is followed by name from the roots (`_roots`), generously: `thing.name` reaches each
member called `name`, and a text without blanks each definition with a name in it. So a definition
that is listed is surely unreached; one that is not listed may be unreached, too.
"""

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUTSIDE = {"tests", "tools", "benchmarks", "notebooks", "docs", "build", "requirements"}
WORD = re.compile(r"[A-Za-z_]\w*")
IMPORT = re.compile(r"from veilmix\.?([\w.]*) import (\([^)]*\)|.*)")
MEMBER = re.compile(r"\w[\])]?\.(\w+)\(")
SPECIAL = re.compile(r"__\w+__|_repr_\w+_|_missing_")  # Python or a notebook calls them
BY_NAME = {  # files that are loaded by their names: folder -> the name that is read
    "cli.commands.": "command",
    "scenarios.attacks.entries.": "ATTACK",
    "scenarios.attacks.guards.": "GUARD",
    "analysis.figures.": "PAPER",
}
HARMLESS = {  # decorators that call nothing later
    *("property", "staticmethod", "classmethod", "cached_property", "cache", "lru_cache"),
    *("dataclass", "overload", "contextmanager", "asynccontextmanager", "wraps", "final"),
    *("abstractmethod", "override", "total_ordering", "accepts_old", "keeps_old", "setter"),
    *("unique", "runtime_checkable", "singledispatchmethod", "dataclass_transform"),
}
PLAIN = {  # foreign base classes that call no method by its name
    *("Protocol", "Generic", "NamedTuple", "TypedDict", "ABC", "Struct", "Exception", "Sequence"),
    *("Enum", "IntEnum", "StrEnum", "Mapping", "ValueError", "UserWarning"),
}
Function = ast.FunctionDef | ast.AsyncFunctionDef
Imports = dict[str, tuple[str, str]]  # name -> module, name in it; "": the module itself


@dataclass(slots=True)
class Definition:
    """A function, class, method or constant: its lines, and what it names.

    Attributes:
        module, name: dotted; a method has the name of its class before its own.
        lines: how many.
        names: names as variables of the module.
        members: names after a dot.
        words: names in texts.
        methods, bases: of a class.
    """

    module: str
    name: str
    lines: int
    names: set[str] = field(default_factory=set)
    members: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    methods: set[str] = field(default_factory=set)
    bases: set[str] = field(default_factory=set)

    @property
    def last(self) -> str:
        """The name without its class."""
        return self.name.rpartition(".")[2]


class Module:
    """A file: its definitions by name, its imports, and what its own statements name."""

    def __init__(self, path: Path) -> None:
        parts = path.relative_to(ROOT).with_suffix("").parts
        self.is_door = parts[-1] == "__init__"
        self.name = ".".join(parts[:-1] if self.is_door else parts)
        self.definitions: dict[str, Definition] = {}
        self.imports: Imports = {}
        self.registered: set[str] = set()  # definitions with a decorator that may register them
        self.own = Definition(self.name, "", 0)
        self.offered: set[str] = set()  # __all__ of a door
        tree = ast.parse(path.read_text("utf-8"))
        self._body(tree.body, "", self.own)

    def _body(
        self, body: Iterable[ast.stmt], prefix: str, owner: Definition, *, is_top: bool = True
    ) -> None:
        for node in body:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    self._definition(node, prefix)
                case (
                    ast.Assign(targets=[ast.Name(id=name)])
                    | ast.AnnAssign(target=ast.Name(id=name))
                ) if not prefix:
                    if name == "__all__" and self.is_door and isinstance(node.value, ast.List):
                        self.offered = set(ast.literal_eval(node.value))
                    elif not SPECIAL.fullmatch(name):
                        self._mention(node, self._add(name, node) if is_top else owner)
                case ast.If() | ast.Try() if not (self.is_door and not prefix):
                    self._mention(getattr(node, "test", node), owner)
                    parts = ("body", "orelse", "finalbody")
                    inside = [s for p in parts for s in getattr(node, p, [])]
                    inside += [s for h in getattr(node, "handlers", []) for s in h.body]
                    self._body(inside, prefix, owner, is_top=False)
                case ast.If():  # the imports of a door: what it offers is not yet used
                    self._mention(node, Definition("", "", 0))
                    self._homes(node)
                case _:
                    self._mention(node, owner)

    def _add(self, name: str, node: ast.stmt) -> Definition:
        made = self.definitions.setdefault(name, Definition(self.name, name, 0))
        made.lines += (node.end_lineno or 0) - node.lineno + 1
        return made

    def _definition(self, node: Function | ast.ClassDef, prefix: str) -> None:
        made = self._add(f"{prefix}{node.name}", node)
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if ast.unparse(called).rpartition(".")[2] not in HARMLESS:
                self.registered.add(made.name)
            self._mention(decorator, made)
        if isinstance(node, ast.ClassDef):
            for base in (*node.bases, *node.keywords):
                self._mention(base, made)
            self._body(node.body, f"{made.name}.", made)
            methods = {f"{made.name}.{p.name}" for p in node.body if isinstance(p, Function)}
            made.names |= {name for name in methods if SPECIAL.fullmatch(name.split(".")[-1])}
            made.methods, made.bases = methods, {_base(base) for base in node.bases}
        else:
            if prefix:
                made.names.add(prefix[:-1])
            self._mention(node, made)

    def _mention(self, node: ast.AST, owner: Definition) -> None:
        """Add to an owner what a node names, and to the module what it imports."""
        docstring = None
        if isinstance(node, Function):
            docstring = ast.get_docstring(node, clean=False)
        for part in ast.walk(node):
            match part:
                case ast.Name(id=name):
                    owner.names.add(name)
                case ast.Attribute(attr=name):
                    owner.members.add(name)
                case ast.MatchClass(kwd_attrs=names):
                    owner.members.update(names)
                case ast.Import() | ast.ImportFrom():
                    self._import(part)
                case ast.Constant(value=str(text)) if len(text) < 1_000 and text != docstring:
                    words = WORD.findall(text)
                    owner.names.update(words)  # an annotation in quotes
                    if not re.search(r"\s", text) or "import " in text:
                        owner.words.update(words)
                    elif "{" in text:
                        owner.members.update(words)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.ImportFrom):
            if node.level:
                here = self.name.split(".") if self.name else []
                here = here[: len(here) + self.is_door - node.level]
                module = ".".join([*here, *([node.module] if node.module else [])])
            elif (node.module or "").partition(".")[0] == "veilmix":
                module = (node.module or "").removeprefix("veilmix").lstrip(".")
            else:
                return
            for alias in node.names:
                self.imports[alias.asname or alias.name] = (module, alias.name)

    def _homes(self, node: ast.If) -> None:
        """Read the files of a door that imports its names when they are asked for."""
        for statement in node.body:
            if isinstance(statement, ast.ImportFrom):
                self._import(statement)


class Package:
    """All modules, and the way from a name to its definitions."""

    def __init__(self) -> None:
        paths = (path for path in ROOT.rglob("*.py") if _is_inside(path))
        self.modules = {module.name: module for module in map(Module, paths)}
        self.by_member = defaultdict[str, set[Key]](set)
        self.by_word = defaultdict[str, set[Key]](set)
        whole = {
            f"{module}.{name}".lstrip(".")
            for found in self.modules.values()
            for module, name in found.imports.values()
        }
        for module in self.modules.values():
            for made in module.definitions.values():
                key = (module.name, made.name)
                self.by_word[made.last].add(key)
                if "." in made.name or module.name in whole:
                    self.by_member[made.last].add(key)

    def resolve(self, module: str, name: str) -> "Iterator[Key]":
        """Yield the definition of a name of a module, through imports."""
        seen = set[tuple[str, str]]()
        while (module, name) not in seen and module in self.modules:
            seen.add((module, name))
            if name in self.modules[module].definitions:
                yield module, name
                return
            module, name = self.modules[module].imports.get(name, ("?", ""))

    def next(self, made: Definition) -> "Iterator[Key]":
        """Yield what a definition names; of a class that a library calls, also its methods."""
        if made.methods and self.is_called(made):
            yield from ((made.module, method) for method in made.methods)
        for name in made.names:
            yield from self.resolve(made.module, name)
        for name in made.members:
            yield from self.by_member[name]
        for name in made.words:
            yield from self.by_word[name]

    def is_called(self, made: Definition) -> bool:
        """Whether a base class of a class is of a library that calls methods by their names."""
        for base in made.bases - PLAIN:
            found = [*self.resolve(made.module, base)]
            if not found or any(self.is_called(self.modules[m].definitions[n]) for m, n in found):
                return True
        return False

    def reached(self, roots: "Iterable[Key]") -> "set[Key]":
        """Return all definitions that these reach."""
        found, rest = set[Key](), [*roots]
        while rest:
            if (key := rest.pop()) not in found:
                found.add(key)
                rest += self.next(self.modules[key[0]].definitions[key[1]])
        return found


Key = tuple[str, str]  # module, name


def _base(base: ast.expr) -> str:
    """Return the name of a base class without its module and type arguments."""
    return ast.unparse(base.value if isinstance(base, ast.Subscript) else base).split(".")[-1]


def _is_inside(path: Path) -> bool:
    first = path.relative_to(ROOT).parts[0]
    return first not in OUTSIDE and not first.startswith(".")


def _roots(package: Package) -> Iterator[Key]:
    """Yield what is reached from outside: commands, the root's names, files that are loaded."""
    root = package.modules[""]
    yield from (("", name) for name in root.definitions)
    yield from package.next(root.definitions["_HOMES"])
    for name, module in package.modules.items():
        for folder, read in BY_NAME.items():
            if name.startswith(folder):
                yield from package.resolve(name, read)
        yield from package.next(module.own)
        yield from ((name, made) for made in module.registered)
        yield from ((name, made) for made in module.definitions if SPECIAL.fullmatch(made))
    yield from package.resolve("cli", "main")
    yield from _documents(package)


def _documents(package: Package) -> Iterator[Key]:
    """Yield what pages, notebooks, examples of packages and templates name."""
    for folder in ("docs", "notebooks", "report/templates", "scenarios/gallery/package"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix not in {".md", ".py", ".html", ".txt"} or "_build" in path.parts:
                continue
            text = path.read_text("utf-8")
            for module, names in IMPORT.findall(text):
                for name in WORD.findall(names):
                    yield from package.resolve(module, name)
            members = MEMBER.findall(text) if path.suffix in {".md", ".py"} else WORD.findall(text)
            for name in members:
                yield from package.by_member[name]
    for words in re.findall(r"`([^`\n]+)`", (ROOT / "docs" / "extending.md").read_text("utf-8")):
        for name in WORD.findall(words):
            yield from package.by_word[name]


def public_names(package: Package) -> Iterator[Key]:
    """Yield the names that the doors of analysis offer, with the members of their classes."""
    for name, module in package.modules.items():
        if module.is_door and name.startswith("analysis."):
            for key in (k for offered in module.offered for k in package.resolve(name, offered)):
                yield key
                for made in package.modules[key[0]].definitions:
                    if re.fullmatch(rf"{key[1]}\.[^_]\w*", made):
                        yield key[0], made


@cache
def package_of_checkout() -> Package:
    """Return the package, read once."""
    return Package()


@cache
def unreached(*, public: bool = False) -> dict[str, Definition]:
    """Return the definitions that nothing reaches, by `file.py: name`.

    public: public names of veilmix.analysis are not reached by being public.
    """
    package = package_of_checkout()
    offered = [] if public else public_names(package)
    reached = package.reached([*_roots(package), *offered])
    return {
        f"{module.name.replace('.', '/')}.py: {made.name}": made
        for module in package.modules.values()
        for made in module.definitions.values()
        if (module.name, made.name) not in reached
    }


def main(arguments: list[str]) -> int:
    """Print the list."""
    words = {
        folder: Counter(
            word
            for path in (ROOT / folder).rglob("*.py")
            for word in WORD.findall(path.read_text("utf-8"))
        )
        for folder in ("tests", "tools", "benchmarks")
    }
    found = unreached(public="--public" in arguments)
    for name, made in found.items():
        counts = ((folder, count[made.last]) for folder, count in words.items())
        said = ", ".join(f"{folder} {count}" for folder, count in counts if count)
        print(f"{made.lines:4} {name}   {said}")
    print(f"{sum(made.lines for made in found.values()):,} lines of {len(found)} definitions")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
