"""Names that were replaced: the old name still works, with a warning that gives the new name.

A replaced public name is listed, as a `Replaced`, where veilmix reads the name. The old name is
accepted for at least one minor version, with a warning: a `DeprecationWarning` from Python, or a
line on stderr from a command. CHANGELOG.md names it under the version that replaced it.
docs/stability.md has the policy. This module imports no other part of veilmix: any package may use
it.

Old names of parameters, fields and methods are accepted by two decorators, `accepts_old` and
`keeps_old`; old names of a module's classes and functions by `find_old`. `python -m
veilmix.deprecated` prints all of them.

>>> from veilmix.deprecated import Replaced, find
>>> OLD = (Replaced("two-round", "exposure", "0.2.0", "0.4.0"),)
>>> replaced = find("two-round", OLD)
>>> print(replaced and replaced.sentence)
'two-round' is now 'exposure' (since 0.2.0; the old name is accepted until 0.4.0)
>>> print(find("exposure", OLD))
None
"""

import pkgutil
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from importlib import import_module
from types import FunctionType, MemberDescriptorType
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type[Any])

SINCE, UNTIL = "0.2.0", "0.4.0"


@dataclass(frozen=True, slots=True)
class Replaced:
    """A name that was replaced, with the versions in which the old name is accepted.

    Attributes:
        old: the old name.
        new: the new name.
        since: the first version with the new name.
        until: the first version that no longer accepts the old name.
    """

    old: str
    new: str
    since: str
    until: str

    @property
    def sentence(self) -> str:
        """A sentence with the old name, the new name, and both versions, for warnings."""
        return (
            f"{self.old!r} is now {self.new!r} (since {self.since}; the old name is accepted "
            f"until {self.until})"
        )

    def warn(self, level: int = 2) -> None:
        """Give a DeprecationWarning that names the old name, the new name and both versions.

        level: the caller to which the warning points: 1 for the caller of `warn`, 2 for the caller
        of that function, and so on.
        """
        warnings.warn(self.sentence, DeprecationWarning, stacklevel=level + 1)


def find(name: str, replaced: Iterable[Replaced]) -> Replaced | None:
    """Return the entry with this old name; None for any other name."""
    return next((entry for entry in replaced if entry.old == name), None)


# Dotted name of a function, class or module -> its old names, each with the name that replaces it.
_RENAMED: dict[str, dict[str, Replaced]] = {}


def accepts_old(
    since: str = SINCE, until: str = UNTIL, /, **new_names: str
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that lets a function accept old names of its keywords.

    Example: `@accepts_old(known="known_joints")`. A call with the old and the new keyword raises
    TypeError.

    Args:
        since: the first version with the new names.
        until: the first version that no longer accepts the old names.
        new_names: the new name of each old keyword.
    """
    entries = _entries(new_names, since, until)

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        """Return the function, which accepts old keywords too, and record its old names."""
        _RENAMED.setdefault(_dotted(function), {}).update(entries)
        return _with_keywords(function, entries)

    return decorate


def keeps_old(since: str = SINCE, until: str = UNTIL, /, **new_names: str) -> Callable[[C], C]:
    """Return a decorator that keeps old names of a class's members.

    Example: `@keeps_old(known="known_columns")`. An old field or property is readable, an old field
    of a dataclass is accepted by the constructor, and an old method is callable. If a subclass
    defines a property, method or constant under its old name, this definition overrides the new
    name. The decorator is written above `@dataclass`.

    Args:
        since: the first version with the new names.
        until: the first version that no longer accepts the old names.
        new_names: the new name of each old member.
    """
    entries = _entries(new_names, since, until)

    def decorate(cls: C) -> C:
        """Return the class, which also has its members under old names, and record these names."""
        _RENAMED.setdefault(_dotted(cls), {}).update(entries)
        field_names = _field_names(cls)
        in_constructor = {old: entry for old, entry in entries.items() if entry.new in field_names}
        if in_constructor:
            type.__setattr__(cls, "__init__", _with_keywords(cls.__init__, in_constructor))
        readable, inherited_members = dict[str, Replaced](), dict[str, Replaced]()
        for old, entry in entries.items():
            member = _member(cls, entry.new)
            method = _old_method(cls, member, entry)
            if method:
                setattr(cls, old, method)
            else:
                readable[old] = entry
            is_field = entry.new in field_names or isinstance(member, MemberDescriptorType)
            if member is not None and not is_field:
                inherited_members[old] = entry
        if readable:
            _read_old(cls, readable)
        if inherited_members:
            _adopt_overrides(cls, inherited_members)
        return cls

    return decorate


def find_old(
    module: str,
    fetch: Callable[[str], Any] | None = None,
    since: str = SINCE,
    until: str = UNTIL,
    /,
    **new_names: str,
) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module or package that also accepts old names of its members.

    Example: `__getattr__ = find_old(__name__, __getattr__, WorstCase="WorstReport")`.

    Args:
        module: dotted name of the module or package.
        fetch: its `__getattr__` without old names; None: it has none.
        since: the first version with the new names.
        until: the first version that no longer accepts the old names.
        new_names: the new name of each old class, function or constant.
    """
    entries = _entries(new_names, since, until)
    _RENAMED.setdefault(module, {}).update(entries)

    def fetch_renamed(name: str) -> Any:
        """Return a member; a member with an old name is found by its new one, with a warning."""
        entry = entries.get(name)
        if entry is not None:
            entry.warn()
            return getattr(sys.modules[module], entry.new)
        if fetch is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return fetch(name)

    return fetch_renamed


def renamed() -> Iterator[tuple[str, Replaced]]:
    """Yield pairs: the dotted name of a function or class, and an old name of its member.

    Old names of parameters count as well. The packages `analysis` and `scenarios` are imported to
    find all names.
    """
    for part in ("analysis", "scenarios"):
        package = import_module(f"{__package__}.{part}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    for name in sorted(_RENAMED):
        yield from ((name, entry) for entry in _RENAMED[name].values())


def _entries(new_names: Mapping[str, str], since: str, until: str) -> dict[str, Replaced]:
    """Return old name -> the record of its replacement."""
    return {old: Replaced(old, new, since, until) for old, new in new_names.items()}


def _field_names(cls: Any) -> set[str]:
    """Return the names of a dataclass's fields; empty for any other class."""
    return {field.name for field in fields(cls)} if is_dataclass(cls) else set()


def _dotted(thing: Any) -> str:
    """Return the dotted name of a function or class, with its module."""
    return f"{thing.__module__}.{thing.__qualname__}"


def _with_keywords(function: Callable[P, R], entries: Mapping[str, Replaced]) -> Callable[P, R]:
    """Return `function`, wrapped so that it also accepts old keywords, with a warning."""

    @wraps(function)
    def accepting(*args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function with old keywords replaced by new; TypeError if both are given."""
        for old in entries.keys() & kwargs.keys():
            entry = entries[old]
            if entry.new in kwargs:
                raise TypeError(
                    f"{function.__qualname__}: found both {old!r} and {entry.new!r}, its new name; "
                    f"{entry.new!r} alone is accepted"
                )
            entry.warn()
            kwargs[entry.new] = kwargs.pop(old)
        return function(*args, **kwargs)

    return accepting


def _member(cls: type[Any], name: str) -> Any:
    """Return a class's member as it is defined, unbound; None for a field without a default."""
    return next((base.__dict__[name] for base in cls.__mro__ if name in base.__dict__), None)


def _old_method(cls: type[Any], member: Any, entry: Replaced) -> Any:
    """Return the method that is called under an old name; None if the member is no method.

    member: the class's member under the new name. entry: the old and the new name.
    """
    match member:
        case staticmethod():

            @wraps(member.__func__)
            def static(*args: Any, **kwargs: Any) -> Any:
                """Warn that the old name is deprecated, and call the method by its new name."""
                entry.warn()
                return getattr(cls, entry.new)(*args, **kwargs)

            return staticmethod(static)
        case classmethod() | FunctionType():
            function = member.__func__ if isinstance(member, classmethod) else member

            # The method is looked up by its new name, so that an override in a subclass is called.
            @wraps(function)
            def method(owner: Any, /, *args: Any, **kwargs: Any) -> Any:
                """Warn that the old name is deprecated, and call the method by its new name."""
                entry.warn()
                return getattr(owner, entry.new)(*args, **kwargs)

            return classmethod(method) if isinstance(member, classmethod) else method
        case _:
            return None


def _read_old(cls: type[Any], entries: Mapping[str, Replaced]) -> None:
    """Make fields readable under their old names, with a warning.

    Python calls `__getattr__` only if a name is not found, so new names are read as before.
    """
    inherited = getattr(cls, "__getattr__", object.__getattribute__)

    def read(self: object, name: str) -> Any:
        """Return the field that now has a new name, with a warning.

        name: a name that the object lacks, such as the old name of a field.
        """
        entry = entries.get(name)
        if entry is None:
            # raises AttributeError, unless the class has a `__getattr__` of its own
            return inherited(self, name)
        entry.warn()
        return getattr(self, entry.new)

    type.__setattr__(cls, "__getattr__", read)


def _adopt_overrides(cls: type[Any], entries: Mapping[str, Replaced]) -> None:
    """Let a subclass that defines an old name override the new name.

    cls: the class with the new names. entries: old name -> the record of its replacement.
    """

    def adopt(subclass: type[Any], **kwargs: Any) -> None:
        """Copy definitions under old names to the new names, when a subclass is defined."""
        super(cls, subclass).__init_subclass__(**kwargs)
        for old, entry in entries.items():
            if old in subclass.__dict__ and entry.new not in subclass.__dict__:
                entry.warn()
                setattr(subclass, entry.new, subclass.__dict__[old])

    type.__setattr__(cls, "__init_subclass__", classmethod(adopt))


if __name__ == "__main__":
    names = import_module(f"{__package__}.deprecated").renamed()
    sys.stdout.writelines(f"{place}: {replaced.sentence}\n" for place, replaced in names)
