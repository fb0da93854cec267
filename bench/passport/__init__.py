"""The data passport: what there is to know about a dataset before a run, and never a word of its text."""

from bench.passport.format import Passport, Setting
from bench.passport.making import content_digest, make_passport
from bench.passport.text import as_json, as_text

__all__ = ["Passport", "Setting", "as_json", "as_text", "content_digest", "make_passport"]
