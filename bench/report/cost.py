"""What each defense costs beyond plain fine-tuning."""

from collections.abc import Mapping

from bench.pages import Section, as_table
from bench.report.dots import PLAIN, Dot, dot_plot, log_scale_of
from bench.report.groups import Group
from bench.report.marks import Mark
from bench.report.prose import figure, paragraph, reading
from bench.results import Row
from bench.tables import by_spec, cost_table


def cost_section(group: Group, marks: Mapping[str, Mark]) -> Section:
    """Seconds and memory of every training, references included."""
    body = reading(
        "Time and memory to train each defense, with all references that it needs, on the machine that the "
        "run was on; both axes are logarithmic.",
        "performance.md",
        "How cost grows",
    )
    trained = [own[0] for own in by_spec(group.rows) if own[0].cost.trainings]
    if not trained:
        body += paragraph("Nothing was trained.")
        return Section(f"{group.name}-cost", "What it costs", body)
    panels = []
    for title, unit, figures in (
        ("time to train, seconds", "s", [row.cost.train_seconds for row in trained]),
        ("peak memory, MB", "MB", [row.cost.peak_memory_mb for row in trained]),
    ):
        dots = [
            Dot(
                row.spec,
                value,
                f"{row.spec}\n{value:,.0f} {unit}, {row.cost.trainings} trainings",
                marks[row.defense],
            )
            for row, value in zip(trained, figures, strict=True)
        ]
        drawn = dot_plot(
            dots, log_scale_of(figures, PLAIN), f"{title}, {group.title}", "The table below has the same."
        )
        panels.append((title, drawn))
    least, most = (choose(trained, key=lambda row: row.cost.train_seconds) for choose in (min, max))
    told = f"{most.spec} was trained alone." if len(trained) == 1 else _compared(least, most)
    body += figure(panels, told)
    body += as_table(f"{group.name}-costs", "Cost of each training", *cost_table(group.rows))
    return Section(f"{group.name}-cost", "What it costs", body)


def _compared(least: Row, most: Row) -> str:
    if most.cost.train_seconds == least.cost.train_seconds:
        return "All take equally long."
    ratio = most.cost.train_seconds / max(least.cost.train_seconds, 1e-9)
    return f"{most.spec} takes longest, {ratio:.1f} times as long as {least.spec}, which is quickest."
