"""How to recompute: the commands, the code, and what the runs were told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from bench.pages import Section
from bench.report.groups import Group
from bench.report.prose import facts, listed, paragraph, reading
from bench.store import Store, digest
from bench.tasks import PACKAGES

COMMANDS = (
    (
        "bench verify .",
        "every figure from its evidence, and from signals where they are kept; trains nothing",
    ),
    ("bench leaderboard .", "the tables again, from the cells"),
    ("bench report .", "this page again: equal cells give equal bytes"),
)
UNTOLD = {"data_dir", "plugin", "out", "address", "dataset", "model", "defense", "attack"}
"""Settings that are, or may be, paths or names of a machine; what the cells are of is told from the cells."""


def recompute_section(store: Store, groups: Sequence[Group]) -> Section:
    """What to type, and what it has to be the same as."""
    kept = list(store.settings())
    body = reading(
        "Nothing here has to be believed: every figure follows from the cells beside this page.",
        "results.md",
        "cells/*.json",
    )
    body += paragraph("In the folder of the run:")
    commands = list(COMMANDS)
    commands += [
        (f"bench run --config settings/{digest(given)}.json --out again", "the run itself, from its settings")
        for given in kept
    ]
    lines = Markup("\n").join(Markup("{}  # {}").format(*command) for command in commands)
    body += Markup('<pre tabindex="0" role="region" aria-label="Commands"><code>{}</code></pre>\n').format(
        lines
    )
    if not kept:
        body += paragraph(
            "The settings of the runs are not kept in this folder; what cells of a table share stands below."
        )
    body += _code(groups)
    for group in groups:
        body += _setting(group)
    for given in kept:
        body += paragraph("Settings <code>settings/{}.json</code>:", digest(given)) + facts(_told(given))
    return Section("recompute", "How to recompute", body)


def _code(groups: Sequence[Group]) -> Markup:
    codes = sorted({cell.code for group in groups for cell in group.cells})
    return facts(
        [
            ("code of the cells", listed(codes)),
            ("what that covers", f"our own code, and the versions of {listed(PACKAGES)}"),
        ]
    )


def _setting(group: Group) -> Markup:
    """What all cells of a table share, and what they are of."""
    first = group.rows[0]
    setting = group.cells[0].setting.model_dump(mode="json")
    told = {
        "dataset": first.dataset,
        "model": first.model,
        "ways to fine-tune": ", ".join(dict.fromkeys(row.spec for row in group.rows)),
        "attacks": ", ".join(dict.fromkeys(row.attack_spec for row in group.rows)),
    }
    named = {name.replace("_", " "): _shown(value) for name, value in setting.items()}
    title = paragraph("<strong>{}</strong>, setting <code>{}</code>:", group.title, first.setting)
    return title + facts((told | named).items())


def _told(given: Mapping[str, object]) -> list[tuple[str, str]]:
    """What a run was told, without where on the machine that was."""
    return [
        (name.replace("_", " "), _shown(value))
        for name, value in sorted(given.items())
        if name not in UNTOLD and value != []
    ]


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(one)}" for name, one in value.items())
    return ", ".join(map(_shown, value)) if isinstance(value, list) else str(value)
