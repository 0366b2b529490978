"""The formats of JSON Schema, each asserted in full."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlpt.verifiers.structured.formats import FORMATS

RIGHT = {
    "date": ["2024-02-29", "0001-01-01"],
    "date-time": ["1985-04-12T23:20:50.52Z", "1996-12-19t16:39:57-08:00", "1990-12-31T15:59:60-08:00"],
    "duration": ["P4DT12H30M5S", "P1M", "PT1M", "P2W", "P1Y2M3D", "PT36H"],
    "email": ["joe.bloggs@example.com", "~te+st@x.y", "a@localhost"],
    "hostname": ["www.example.com", "a", "1.2.3.x", "xn--4gbwdl.xn--wgbh1c", "a" * 63],
    "ipv4": ["192.168.0.1", "0.0.0.0"],
    "ipv6": ["::1", "::", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4"],
    "json-pointer": ["", "/", "/foo/0", "/a~1b/m~0n", "/é"],
    "relative-json-pointer": ["0", "1/a", "2#", "0/"],
    "time": ["08:30:06Z", "23:59:60Z", "00:29:60+00:30", "12:00:00.123-05:00"],
    "uri": ["http://a.b/c?d=e#f", "urn:x:y", "mailto:a@b.c", "http://[::1]:80/", "ftp://u:p@h/%20", "a:"],
    "uri-reference": ["/a/b", "", "#x", "?q", "a/b:c", "//h/p", "http://a.b"],
    "uuid": ["2EB8AA08-aa98-11EA-B4AA-73B441D16380"],
}
WRONG = {
    "date": ["2023-02-29", "2024-13-01", "2024-1-1", "20240101", "2024-01-01\n", "\u0662024-01-01", "0000-01-01", ""],
    "date-time": ["1985-04-12", "1985-04-12T23:20:50", "1985-04-12 23:20:50Z", "1985-04-12T24:00:00Z", "Tomorrow"],
    "duration": ["P", "PT", "4D", "P1D2H", "P1Y2W", "PT1D", "P1", "P1D\n", "p1d"],
    "email": ["x", "@", "a@", "@b", "a@b@c", "a b@c.d", ".a@b.c", "a..b@c.d", "a@-b.c", "a@b.c\n"],
    "hostname": ["", "-a", "a-", "a_b", "a..b", "a.", "a" * 64, ".".join(["a" * 63] * 5), "ex ample.com", "é.com"],
    "ipv4": ["256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4 ", "1.2.3.4/8", "1"],
    "ipv6": ["::1%eth0", "12345::", "1::2::3", "1.2.3.4", ":", "::1\n"],
    "json-pointer": ["a", "/~2", "/~", "#/a"],
    "relative-json-pointer": ["", "/a", "-1/a", "01/a", "0##", "+1"],
    "time": ["08:30:06", "24:00:00Z", "12:60:00Z", "22:59:60Z", "8:30:06Z", "08:30:06 Z", "08:30:06+24:00"],
    "uri": [
        "/a",
        "a b",
        "http://a b",
        "http://[::1",
        "http://[:::1]/",
        "%20:a",
        "http://a/%zz",
        "http://a#b#c",
        "1a:b",
    ],
    "uri-reference": ["a b", "\\\\h\\p", "#a#b", "//[::x]/", "%"],
    "uuid": [
        "2eb8aa08aa9811eab4aa73b441d16380",
        "2eb8aa08-aa98-11ea-b4aa-73b441d1638",
        "2eb8aa08-aa98-11ea-b4aa-73b441d1638g",
    ],
}


def test_every_format_has_examples():
    assert set(RIGHT) == set(WRONG) == set(FORMATS)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in RIGHT.items() for text in texts])
def test_right(name, text):
    assert FORMATS[name](text)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in WRONG.items() for text in texts])
def test_wrong(name, text):
    assert not FORMATS[name](text)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "unit", ["a", "1", ".", "a.", "-", "/", "/a", "~0", "%20", "a:", "@", "1D", "0", ":", "[", "é"], ids=repr
)
def test_long_texts_are_judged_at_once(name, unit):
    started = time.monotonic()
    for prefix in ("", "http://", "a@", "P", "2024-01-01T", "1.2.3."):
        FORMATS[name](prefix + unit * (100_000 // len(unit)) + "\x00")
    assert time.monotonic() - started < 2.0


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_judged(text):
    for test in FORMATS.values():
        assert test(text) in (True, False)
