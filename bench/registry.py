"""Typed, lazy look-up of plugins: by entry point, or from a file of the user's own."""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Collection
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from bench.errors import InputError
from bench.names import FLOORS, did_you_mean

if TYPE_CHECKING:
    from bench.attack import Attack
    from bench.defense import Defense
    from bench.plugin import Plugin

T = TypeVar("T", bound="Plugin")


class Registry(Generic[T]):
    """The plugins of one kind, by name. Nothing is imported before it is asked for.

    Args:
        kind: where the class is that all of them extend, as `module:class`.
        group: the entry points that declare them.
        reserved: names that none of them may have.
    """

    def __init__(self, kind: str, group: str, reserved: Collection[str] = ()) -> None:
        self._module, _, self._class = kind.partition(":")
        self._noun = self._class.lower()
        self._group = group
        self._reserved = reserved
        self._registered: dict[str, type[T]] = {}

    @property
    def kind(self) -> type[T]:
        """The class that all of them extend."""
        found: type[T] = getattr(importlib.import_module(self._module), self._class)
        return found

    def names(self) -> list[str]:
        """All names, in the order in which they were declared: built-ins, other packages, files."""
        return [*self._declared(), *self._registered]

    def get(self, name: str) -> type[T]:
        """The plugin class of that name.

        Raises:
            InputError: there is none, it cannot be imported, or it is not a plugin of this kind.
        """
        if name in self._registered:
            return self._registered[name]
        declared = self._declared()
        if name not in declared:
            hint = did_you_mean(name, self.names())
            raise InputError(f"unknown {self._noun} {name!r}{hint} (known: {', '.join(self.names())})")
        try:
            plugin = declared[name].load()
        except (Exception, SystemExit) as error:
            raise InputError(
                f"{self._noun} {name!r} ({declared[name].value}) cannot be loaded: {error}"
            ) from error
        return self._checked(plugin, name)

    def parse(self, spec: str) -> T:
        """The plugin that a text such as `trap:strength=2,margin=0.1` asks for."""
        name, _, rest = spec.partition(":")
        given: dict[str, Any] = {}
        for part in filter(None, rest.split(",")):
            key, equals, value = part.partition("=")
            if not equals:
                raise InputError(f"{spec!r}: {part!r} is not of the form parameter=value")
            if key.strip() in given:
                raise InputError(f"{spec!r} gives {key.strip()!r} twice")
            given[key.strip()] = value.strip()
        return self.get(name.strip()).with_parameters(given)

    def register(self, plugin: type[T]) -> None:
        """Add a plugin class under its own name; one from the same file is replaced, any other is refused."""
        known = self._registered.get(plugin.name)
        reloaded = known is not None and inspect.getfile(known) == inspect.getfile(plugin)
        if plugin.name in self.names() and not reloaded:
            raise InputError(f"{self._noun} {plugin.name!r} exists already; give yours another name")
        self._registered[plugin.name] = self._checked(plugin, plugin.name)

    def forget(self) -> None:
        """Forget what was registered from files."""
        self._registered.clear()

    def summary(self, name: str) -> str:
        """The first line of a plugin's docstring, read without importing its module."""
        if name in self._registered:
            return first_line(self._registered[name].__doc__)
        module, _, attribute = self._declared()[name].value.partition(":")
        spec = importlib.util.find_spec(module)
        if spec is None or spec.origin is None:
            return ""
        for node in ast.parse(Path(spec.origin).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and node.name == attribute:
                return first_line(ast.get_docstring(node))
        return ""

    def _declared(self) -> dict[str, EntryPoint]:
        declared: dict[str, EntryPoint] = {}
        for point in entry_points(group=self._group):
            if point.name in declared and declared[point.name].value != point.value:
                raise InputError(
                    f"{self._noun} {point.name!r} is declared twice, by {declared[point.name].value} and "
                    f"{point.value}; uninstall one of the two packages"
                )
            declared[point.name] = point
        return declared

    def _checked(self, plugin: Any, name: str) -> type[T]:
        if not (isinstance(plugin, type) and issubclass(plugin, self.kind)):
            raise InputError(f"{self._noun} {name!r} is not a subclass of bench.{self._class}")
        if not re.fullmatch(r"\w[\w.-]*", name):
            raise InputError(f"{self._noun} {name!r}: a name is of letters, digits, hyphens and dots")
        if name in self._reserved:
            raise InputError(f"{self._noun} {name!r}: that name is the leaderboard's own; give yours another")
        if inspect.isabstract(plugin):
            missing = ", ".join(sorted(plugin.__abstractmethods__))
            raise InputError(f"{self._noun} {name!r} does not define {missing}")
        if plugin.name != name:
            raise InputError(f"{self._noun} {name!r} calls itself {plugin.name!r}; the two must agree")
        return plugin


@cache
def defenses() -> Registry[Defense]:
    """The registry of defenses."""
    return Registry("bench.defense:Defense", "bench.defenses", FLOORS)


@cache
def attacks() -> Registry[Attack]:
    """The registry of attacks."""
    return Registry("bench.attack:Attack", "bench.attacks")


def load_plugin_file(path: Path) -> None:
    """Register every defense and attack that a Python file defines.

    Raises:
        InputError: the file is missing, fails to run, or defines no plugin.
    """
    module = _run_file(path)
    registries: tuple[Registry[Any], ...] = (defenses(), attacks())
    found: list[tuple[Registry[Any], type[Plugin]]] = [
        (registry, value)
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__ and "name" in vars(value)
        for registry in registries
        if issubclass(value, registry.kind)
    ]
    if not found:
        raise InputError(f"plugin {path} defines no subclass of bench.Defense or bench.Attack with a name")
    if len({(registry.kind, plugin.name) for registry, plugin in found}) < len(found):
        raise InputError(f"plugin {path} defines two plugins of one name; give each its own")
    for registry, plugin in found:
        registry.register(plugin)


def _run_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise InputError(f"plugin {path}: there is no such file")
    name = module_of(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"plugin {path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise InputError(f"plugin {path} fails to load: {type(error).__name__}: {error}") from error
    return module


def module_of(path: Path) -> str:
    """The name of the module that a plugin file becomes."""
    return f"bench_plugin_{path.stem}_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]}"


def first_line(docstring: str | None) -> str:
    """What a plugin's docstring opens with."""
    return (docstring or "").strip().partition("\n")[0]
