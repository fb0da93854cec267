"""Folders of runs made by hand, with something in every section of their reports."""

import itertools

import numpy as np
from boards import PRIVACY, cell, extraction, floors, membership, memory, scored, undefended_by_loss

from bench.report import read_report
from bench.store import Store


def stored(folder, cells):
    """A run's folder with these cells in it."""
    store = Store(folder)
    for place, one in enumerate(cells):
        store.save_cell(f"cell-{place:02}", one.model_dump(mode="json", by_alias=True))
    return store


def report_of(folder, cells, **more):
    return read_report(stored(folder, cells), **more)


def full_run():
    """Every section has something: membership, extraction, memorization, a budget, refused figures."""
    dp = {"privacy": PRIVACY, "spec": "dp-sgd:epsilon=4", "params": {"epsilon": 4.0}}
    cells = [*floors(), undefended_by_loss(), cell("mine", 3.0, membership(0.75), membership(0.6, "span"))]
    cells += [cell("mine", 3.0, membership(0.75), attack="tra", memorization=memory(1.0))]
    cells += [cell("dp-sgd", 4.5, membership(0.7), attack=attack, **dp) for attack in ("loss", "tra")]
    cells += [cell("dp-sgd", 4.5, extraction(0.5, 0.25, 0.0), attack="extraction", **dp)]
    return cells


def scored_run(**changed):
    """Defenses from careful to careless, whose figures follow from their scores, and both floors."""
    rng = np.random.default_rng(0)
    outside = rng.normal(size=60)

    def under(defense, nll, ahead, **more):
        attacked = itertools.product([1], ("loss", "tra"))
        return [
            scored(defense, rng.normal(ahead * more_, size=60), outside, nll=nll, attack=attack, **more)
            for more_, attack in attacked
        ]

    trap = [
        cell_
        for strength, nll, ahead in ((0.5, 2.1, 1.5), (1, 2.2, 0.8), (2, 2.4, 0.2))
        for cell_ in under(
            "trap", nll, ahead, spec=f"trap:strength={strength}", params={"strength": strength, "margin": 0.0}
        )
    ]
    cells = [*under("base", 6.0, 0), *under("reference", 2.5, 0), *trap]
    cells += under("none", 3.0, 4.0, best_nll=2.0)
    return [one.model_copy(update=changed) for one in cells]
