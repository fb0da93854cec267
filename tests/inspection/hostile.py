"""Records that would do harm in a page or in a terminal, as files of a dataset."""

import json

from bench.records.cards import load_card, load_records

HOSTILE = '<script>alert(1)</script> "><img src=x onerror=alert(1)> \x1b[2J\u202e 患者\U0001f469 '
COUNT = 40
CARD = """
name: letters
title: Letters
family: clinical
language: en
licence: internal
citation: none
obtain: ask for it
source: {reader: jsonl, files: [letters.jsonl]}
labels: {note: other, person: person, organization: organization, location: location, date: date, age: age,
  contact: contact, id: id}
"""
SETTINGS = {"max_length": 128, "epochs": 2, "defense": ["none", "trap"], "attack": ["tra", "loss"]}


def write(folder):
    """Write forty records, each with a hostile span at its beginning; what settings name them by."""
    lines = []
    for record in load_records(load_card("synthetic-clinical"), None, COUNT, 0):
        spans = [{"start": 0, "end": len(HOSTILE) - 1, "label": "note"}]
        for one in record.spans:
            start, end = one.start + len(HOSTILE), one.end + len(HOSTILE)
            spans.append({"start": start, "end": end, "label": one.label})
        text = HOSTILE + record.text
        lines.append(json.dumps({"id": record.id, "group": record.group, "text": text, "spans": spans}))
    (folder / "letters.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (folder / "card.yaml").write_text(CARD, encoding="utf-8")
    return {"dataset": str(folder / "card.yaml"), "data_dir": folder}
