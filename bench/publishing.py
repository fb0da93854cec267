"""Writes leaderboards: into a run's folder, and from there into the published one."""

from collections.abc import Container
from pathlib import Path

from bench import processes
from bench.attack import Knowledge
from bench.errors import InputError
from bench.leaderboard import checked_cell, leaderboard, of_one_version
from bench.ranking import DEFAULT_LEVEL
from bench.rendering import as_json, as_markdown
from bench.results import CellFile, Leaderboard
from bench.store import Store
from bench.tasks import code_version


def stored_cells(store: Store) -> list[CellFile]:
    """All cells of a run's folder, each checked against the schema."""
    return [checked_cell(stated, path) for path, stated in store.cells()]


def require_readable(store: Store, planned: Container[str]) -> None:
    """Check, before a run trains anything, the cells that it will not write anew.

    Args:
        planned: the names of those that it will.

    Raises:
        InputError: one cannot be read or is of another schema.
    """
    for path, stated in store.cells(but=planned):
        checked_cell(stated, path)


def read_leaderboard(store: Store, level: Knowledge = DEFAULT_LEVEL) -> Leaderboard:
    """The leaderboard of a run's folder.

    Raises:
        InputError: it holds no cell, or one that is not valid.
    """
    cells = stored_cells(store)
    if not cells:
        raise InputError(f"{store.root} holds no results; `bench run --out {store.root}` makes some")
    return leaderboard(cells, level)


def write_leaderboard(store: Store) -> Leaderboard:
    """Render a run's leaderboard beside its cells; older code's are left out where newer ones stand."""
    board = leaderboard(of_one_version(stored_cells(store), code_version()))
    if processes.is_main():
        store.save_text(store.root / "leaderboard.json", as_json(board))
        store.save_text(store.root / "leaderboard.md", as_markdown(board))
    return board


def publish(store: Store, folder: Path, level: Knowledge = DEFAULT_LEVEL) -> Leaderboard:
    """Copy a run's cells, once they are found valid, into a folder of published ones, and render that.

    Their passports go with them where the records can be read here, since without the run's settings nobody
    else could make them: counts and hashes, never text.

    Raises:
        InputError: a cell is not valid, or there is none.
    """
    read_leaderboard(store, level)
    published = Store(folder)
    for path, stated in store.cells():
        published.save_cell(path.stem, stated)
    board = read_leaderboard(published, level)
    page, data = folder / "README.md", folder / "leaderboard.json"
    published.save_text(page, as_markdown(board))
    published.save_text(data, as_json(board))
    passports = _publish_passports(store, published)
    # Only what is published: models and signals that may lie beside it stay private.
    files = [page, data, *(path for path, _ in published.cells()), *passports]
    for parent in {path.parent for path in files}:
        parent.chmod(0o755)
    for path in files:
        path.chmod(0o644)
    return board


def _publish_passports(store: Store, published: Store) -> list[Path]:
    from bench.passport import Passport
    from bench.passport.finding import find_passports, save_passport

    found = find_passports(store, stored_cells(store))
    return [
        save_passport(published, subject, passport)
        for subject, passport in found.items()
        if isinstance(passport, Passport)
    ]
