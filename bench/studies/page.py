"""A study for people: its sentences, its pictures, its figures, as a page and for the terminal."""

from __future__ import annotations

from markupsafe import Markup
from tabulate import tabulate

from bench.pages import Section, as_page, as_table
from bench.pages.drawing import plain_style
from bench.rendering import flag_notes
from bench.studies.drawing import NARROW, WIDE, against_difficulty, along, gained
from bench.studies.file import Group, Hardness, Point, StudyFile
from bench.tables import number, percent

QUESTIONS = {
    "dynamics": "Does memorization keep growing past the validation minimum?",
    "size": "Is memorization larger on small data?",
    "learning-rate": "Is memorization larger at higher learning rates?",
    "difficulty": "Is memorization larger where records are harder to predict?",
    "frontier": "What does a defense's parameter buy, and what does it cost?",
}

Table = tuple[list[str], list[list[str]]]


def as_html(study: StudyFile) -> str:
    """The page: what the figures say first, then the pictures, then every figure."""
    said = Markup("").join(Markup("<li>{}</li>").format(sentence) for sentence in study.sentences)
    lead = Markup("<p>{}</p><ul>{}</ul>").format(
        "Each answer is judged by 95 % intervals over privacy units and seeds; docs/study.md says how.", said
    )
    with plain_style():
        sections = [_section(study, group, f"group-{at}") for at, group in enumerate(study.groups, 1)]
    return as_page(QUESTIONS[study.study], lead, [*sections, _made(study)])


def as_terminal(study: StudyFile) -> str:
    """Its figures and its sentences."""
    parts = []
    for group in study.groups:
        headings, lines = _table(study, group)
        parts += [group.title, tabulate(lines, headings, disable_numparse=True), *_notes(study, group), ""]
    return "\n".join([*parts, *study.sentences])


def _section(study: StudyFile, group: Group, name: str) -> Section:
    title = f"{QUESTIONS[study.study]} {group.title}"
    said = " ".join(sentence for sentence in study.sentences if sentence.startswith(f"{group.title}, "))
    wide, narrow = (_drawn(study, group, title, said, width) for width in (WIDE, NARROW))
    body = Markup("").join(
        Markup('<figure><div class="wide">{}</div><div class="narrow">{}</div></figure>').format(*both)
        for both in zip(wide, narrow, strict=True)
    )
    headings, lines = _table(study, group)
    body += as_table(f"{name}-figures", f"Figures: {group.title}", headings, lines)
    notes = Markup("").join(Markup("<li>{}</li>").format(note) for note in _notes(study, group))
    return Section(name, group.title, body + (Markup("<ul>{}</ul>").format(notes) if notes else Markup("")))


def _drawn(study: StudyFile, group: Group, title: str, said: str, width: float) -> list[Markup]:
    """The group's pictures, so wide."""
    if study.study == "difficulty":
        return [against_difficulty([one for one in study.hardness if one.group == group], title, said, width)]
    points = [point for point in study.points if point.group == group]
    courses = [course for course in study.courses if course.group == group]
    pictures = [along(points, courses, study.axis, title, said, width)]
    if any(point.leak is not None for point in points):
        pictures.append(gained(points, study.axis, f"{title}: gain and leak", said, width))
    return pictures


def _made(study: StudyFile) -> Section:
    given = Markup("").join(
        Markup("<li><code>{}</code>: {}</li>").format(name, _in_words(value))
        for name, value in study.settings.items()
    )
    body = Markup(
        "<p>Code version <code>{}</code>. Rows: {}. Attacks: {}. What all runs were told:</p><ul>{}</ul>"
    ).format(study.code, ", ".join(study.rows), ", ".join(study.attacks), given)
    return Section("made", "How it was made", body)


def _in_words(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {one}" for name, one in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _notes(study: StudyFile, group: Group) -> list[str]:
    """What the leaderboard's flags say, and of whom."""
    flagged = [(point.spec, point.flags) for point in study.points if point.group == group]
    return [f"{flag} {note}" for flag, note in flag_notes(flagged).items()]


def _table(study: StudyFile, group: Group) -> Table:
    if study.study == "difficulty":
        return _of_hardness([one for one in study.hardness if one.group == group])
    return _of_points([point for point in study.points if point.group == group], study.axis)


def _of_points(points: list[Point], axis: str) -> Table:
    headings = [
        axis,
        "row",
        "members",
        "NLL",
        "reference's",
        "gain kept",
        "TRA of identifiers",
        "of the rest",
        "> 1 nat",
    ]
    headings += ["extracted", "floor", "leak", "strongest attack"]
    lines = [
        [
            "" if point.value is None else f"{point.value:g}",
            point.spec + (" ▼" if "below-reference" in point.flags else ""),
            str(point.members),
            number(point.nll, 3),
            number(point.reference_nll, 3),
            percent(point.gain_kept),
            _with_ends(point.tra_pii, point.tra_pii_ci),
            number(point.tra_other, 2),
            percent(point.share_above_1_nat, 1),
            percent(point.extracted, 1) + _shares(point.extracted_ci),
            percent(point.extracted_floor, 1),
            percent(point.leak) + _shares(point.leak_ci),
            point.leak_attack or "n/a",
        ]
        for point in points
    ]
    kept = [at for at in range(len(headings)) if any(line[at] != "n/a" for line in lines)]
    return [headings[at] for at in kept], [[line[at] for at in kept] for line in lines]


def _of_hardness(found: list[Hardness]) -> Table:
    lines = [
        [
            one.spec,
            one.of,
            one.name,
            str(one.n_tokens),
            number(one.difficulty, 2),
            _with_ends(one.tra, one.tra_ci),
            *(
                [_with_ends(one.rank, one.rank_ci), _with_ends(one.rank_nonmembers, one.rank_nonmembers_ci)]
                if one.of == "corpus"
                else ["", ""]
            ),
        ]
        for one in found
    ]
    return ["row", "of", "which", "tokens", "loss", "TRA", "rank", "rank, non-members"], lines


def _with_ends(value: float | None, ends: tuple[float, float] | None) -> str:
    return number(value, 2) + ("" if ends is None else f" ({ends[0]:.2f} to {ends[1]:.2f})")


def _shares(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f" ({100 * ends[0]:.0f} to {100 * ends[1]:.0f})"
