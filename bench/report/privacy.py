"""The privacy budget: what is guaranteed, for whom, and what that leaves out."""

from bench.pages import Section, as_table
from bench.report.groups import Group
from bench.report.prose import bullets, paragraph, reading
from bench.tables import privacy_notes, privacy_table


def privacy_section(group: Group) -> Section:
    """One line a differentially private defense."""
    body = reading(
        "With ε, nobody can tell much better than before whether one unit was trained on: the odds move by "
        "at most e^ε. All other defenses of this page are measured, not proved.",
        "dp.md",
        "What is guaranteed",
    )
    headings, lines = privacy_table(group.rows)
    if lines:
        body += as_table(f"{group.name}-budget", "Privacy budget", headings, lines)
        body += bullets(privacy_notes(group.rows))
    else:
        body += paragraph("No defense of this table guarantees differential privacy: ε is n/a for all.")
    return Section(f"{group.name}-privacy", "Privacy budget", body)
