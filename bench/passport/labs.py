"""The passport of what a run works on."""

from __future__ import annotations

import sys

from bench.models.loading import load_tokenizer
from bench.passport.format import Passport, Setting
from bench.passport.making import make_passport
from bench.records.cards import Card
from bench.tasks import Lab
from bench.tokens import tokenize


def passport_of(lab: Lab, card: Card) -> Passport:
    """What there is to know about a run's records, split and tokenized as the run has them.

    Raises:
        InputError: the model's tokenizer cannot be loaded.
    """
    tokenizer, start = load_tokenizer(lab.folder)
    settings = lab.settings
    setting = Setting(
        model=lab.model,
        max_length=settings.max_length,
        limit=settings.limit,
        split_seed=settings.split_seed,
        shares=settings.shares.model_dump(),
        data=lab.data_digest,
    )
    whole = {name: tokenize(records, tokenizer, start, sys.maxsize) for name, records in lab.splits.items()}
    return make_passport(card, setting, lab.splits, whole)
