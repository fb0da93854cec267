"""The passports of cells: those that lie beside them, else those of records that can be read here.

Nothing is fetched and nothing converted: a page about a run must not turn to a network. Why there is no
passport is told in words of ours alone, since messages about a user's files hold their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path, PurePath

from bench.errors import InputError
from bench.experiment import Settings, settings_from
from bench.models.finding import is_at_hand, shown
from bench.passport.format import Passport
from bench.passport.labs import passport_of
from bench.passport.text import as_json
from bench.plan import make_labs
from bench.records.cards import Card, ColumnsSource, load_card
from bench.results import CellFile
from bench.store import Store, digest

NO_SETTINGS = "this folder keeps no settings of its runs, and no passport was published with its cells"
OTHERS = "none of the settings that this folder keeps are those of its cells"
GONE = "its records, model or card cannot be found or read here; `bench data check` says why"
ELSEWHERE = "its model or its records would have to be fetched or converted, which is not done for a page"
CHANGED = "its records, or how they are split, are no longer those that its cells were computed from"


@dataclass(frozen=True)
class Subject:
    """What a passport is of; `data` is the hash of all records and their splits."""

    dataset: str
    model: str
    data: str
    max_length: int


def subject_of(cell: CellFile) -> Subject:
    """What the passport of a cell is of."""
    return Subject(cell.dataset, cell.model, cell.setting.data, cell.setting.max_length)


def passport_file(subject: Subject) -> str:
    """Where a folder of results keeps a passport, relative to the folder."""
    return f"passports/{digest(astuple(subject))}.json"


def save_passport(store: Store, subject: Subject, passport: Passport) -> Path:
    """Put a passport beside the cells that it is of."""
    path = store.root / passport_file(subject)
    store.save_text(path, as_json(passport))
    return path


def find_passports(store: Store, cells: Iterable[CellFile]) -> dict[Subject, Passport | str]:
    """By what the cells are of its passport, or why there is none.

    Raises:
        InputError: a passport beside the cells cannot be read.
    """
    wanted = list(dict.fromkeys(map(subject_of, cells)))
    kept = {subject: found for subject in wanted if (found := _kept(store, subject)) is not None}
    return kept | _made(store, [subject for subject in wanted if subject not in kept])


def _kept(store: Store, subject: Subject) -> Passport | None:
    path = store.root / passport_file(subject)
    try:
        return Passport.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        raise InputError(f"{path} is no passport that can be read; delete it") from None


def _made(store: Store, wanted: Sequence[Subject]) -> dict[Subject, Passport | str]:
    told = list(store.settings())
    found: dict[Subject, Passport | str] = dict.fromkeys(wanted, OTHERS if told else NO_SETTINGS)
    tried = set()
    for run in (run for given in told for run in _runs(given)):
        if run is None:
            found |= {subject: GONE for subject, why in found.items() if why == OTHERS}
            continue
        settings, card = run
        # Seeds, defenses and attacks change nothing of a passport.
        looked = settings.model_dump_json(
            include={"dataset", "data_dir", "model", "limit", "max_length", "split_seed", "shares"}
        )
        own = [one for one in wanted if isinstance(found[one], str) and _may_be_of(settings, card, one)]
        if own and looked not in tried:
            tried.add(looked)
            made = _passport(settings, card, {subject.data for subject in own})
            found |= {subject: _if_of(made, subject) for subject in own}
    return found


def _runs(given: dict[str, object]) -> Iterator[tuple[Settings, Card] | None]:
    """Settings of one dataset and one model each, with the card; None for what cannot be read."""
    try:
        settings = settings_from(given)
    except InputError:
        yield None
        return
    for dataset in settings.dataset:
        try:
            card = load_card(dataset)
        except InputError:
            yield None
            continue
        for model in settings.model:
            one = {"dataset": (dataset,), "model": (model,), "seed": settings.seed[:1]}
            yield settings.model_copy(update=one), card


def _may_be_of(settings: Settings, card: Card, subject: Subject) -> bool:
    (model,) = settings.model
    # A folder that is gone has no name of its own any more, but its path has.
    names = {shown(model), PurePath(model).name}
    same = (card.name, settings.max_length) == (subject.dataset, subject.max_length)
    return same and subject.model in names


def _passport(settings: Settings, card: Card, data: set[str]) -> Passport | str:
    """The passport of what settings of one dataset and model lead to, if that is what is looked for."""
    (model,) = settings.model
    remote = isinstance(card.source, ColumnsSource) and card.source.hub is not None
    if remote or not is_at_hand(model):
        return ELSEWHERE
    try:
        (lab,) = make_labs(settings, weights=False)
        return passport_of(lab, card) if lab.data_digest in data else CHANGED
    except (InputError, OSError):
        return GONE


def _if_of(made: Passport | str, subject: Subject) -> Passport | str:
    return CHANGED if isinstance(made, Passport) and made.setting.data != subject.data else made
