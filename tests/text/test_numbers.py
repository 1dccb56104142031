"""Numbers follow the rules of each language."""

import pytest
from babel.numbers import format_decimal
from hypothesis import given, strategies as st

from bot.text import LANGUAGES, Number, translator


@pytest.mark.parametrize(
    ("locale", "output"),
    [
        ("en-US", "−12,345.5 +7 2026 11.25 +0.0"),
        ("de", "−12.345,5 +7 2026 11,25 +0,0"),
        ("pl", "−12 345,5 +7 2026 11,25 +0,0"),
        ("es-ES", "−12.345,5 +7 2026 11,25 +0,0"),
        ("es-419", "−12,345.5 +7 2026 11.25 +0.0"),
        ("ja", "−12,345.5 +7 2026 11.25 +0.0"),
    ],
)
def test_a_number_is_written_by_the_rules_of_the_language(locale, output):
    number = translator(locale).number
    numbers = [
        number(-12345.5, ",.1f"),
        number(7, "+d"),
        number(2026),
        number(11.25, ".2f"),
        number(0.0, "+.1f"),
    ]
    assert " ".join(numbers).replace("\xa0", " ") == output


def test_numbers_in_a_sentence_are_written_by_the_rules_of_the_language():
    output = translator("de")("wins {percent:.1f} ± {error:.1f}%", percent=12.5, error=-3)
    assert output == "gewinnt zu 12,5 ± −3,0 %"


@pytest.mark.parametrize("locale", ["en-US", "en-GB", "de", "es-ES", "es-419", "fr", "pl"])
def test_separators_follow_unicode(locale):
    for value in (0, 7, -1234, 12345, 1234567.5, -0.25):
        expected = format_decimal(value, locale=locale.replace("-", "_"), format="#,##0.######")
        assert format(Number(value, locale), ",") == expected.replace("-", "−")


@given(st.integers(-(10**9), 10**9), st.floats(-1e6, 1e6))
def test_a_number_has_the_same_value_in_every_language(integer, fraction):
    for locale in LANGUAGES:
        assert format(Number(integer, locale), "+d").replace("−", "-") == f"{integer:+d}"
        text = format(Number(fraction, locale), ".1f").replace("−", "-").replace(",", ".")
        assert text == f"{fraction:z.1f}"
