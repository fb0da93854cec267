from hypothesis import given, settings
from passports import WORDS, corpora, passport

from bench.passport import Passport, as_json, as_text


@settings(deadline=None, max_examples=40)
@given(corpora())
def test_no_text_and_no_value_is_shown_and_json_reads_back(splits):
    shown = passport(splits)
    for text in (as_json(shown), as_text(shown)):
        assert not any(word in text for word in WORDS if word != "x")
    read = Passport.model_validate_json(as_json(shown))
    assert read == shown
    assert as_text(read) == as_text(shown)
