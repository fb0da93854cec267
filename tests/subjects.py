"""Records made by hand, with what each source says of their tokens, and the evidence that follows."""

from functools import partial

import numpy as np

from bench.attack import Decoding, ExtractionAttack, TokenSignals
from bench.evidence import Subject, audited, extraction_evidence, in_order, membership_evidence
from bench.tokens import Tokens, TokenSpan

span = partial(TokenSpan, label="NAME", in_prefix=False)
SOURCES = ("target", "complement", "floor:base", "floor:reference")


def said(logprobs, is_argmax=None):
    values = np.array(logprobs, np.float32)
    hits = values > -1 if is_argmax is None else np.array(is_argmax, bool)
    return TokenSignals(values, hits, values, values**2, {Decoding(): values})


def subject(name, *spans, member=True, split=None, unit=None, text=None, ids=None, **signals):
    """A record with one letter a token; a source that is not given says what `target` says."""
    rows = {source: signals.get(source.replace(":", "_"), signals["target"]) for source in SOURCES}
    n = len(rows["target"])
    personal = np.array([any(s.start <= t < s.end for s in spans) for t in range(n)], bool)
    input_ids, starts = np.array([0, *(ids or [0] * n)], np.int64), np.arange(n)
    tokens = Tokens(name, unit or name, input_ids, starts, starts + 1, personal, text or "x" * n, spans, 0)
    return Subject(tokens, rows, split or ("target" if member else "holdout"))


def crowd():
    """80 records of two spans and five tokens; members are better known by 0.7 nats a token."""
    rng = np.random.default_rng(0)
    names, logprobs = rng.permutation(80), rng.normal(-3, 1, (80, 5))
    logprobs[:40] += 0.7
    spans = span(0, 2), span(3, 4, label="CITY")
    return [subject(f"r{names[n]:02}", *spans, member=n < 40, target=said(logprobs[n])) for n in range(80)]


def shuffled(subjects):
    return [subjects[n] for n in np.random.default_rng(1).permutation(len(subjects))]


def swapped(subjects):
    return [Subject(each.tokens, each.signals, "holdout" if each.member else "target") for each in subjects]


def evidence_of(attack, subjects):
    """What a cell keeps of an attack on these: its evidence, and the records that were judged."""
    ordered = in_order(subjects)
    gather = extraction_evidence if isinstance(attack, ExtractionAttack) else membership_evidence
    return gather(attack, ordered), audited(ordered)
