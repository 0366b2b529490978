"""The formats of JSON Schema that can be asserted (JSON Schema Validation 2020-12, section 7.3), each a test of a text.

They stand here because the library's own checks are looser (an e-mail address is what has an "@") or need one more
package each. Every test is linear in the text's length.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from datetime import date

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(
    r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})(?:\.[0-9]+)?"
    r"(?:[Zz]|(?P<sign>[+-])(?P<hours>[0-9]{2}):(?P<minutes>[0-9]{2}))"
)
_DAYS = r"(?:[0-9]+D|[0-9]+M(?:[0-9]+D)?|[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?)"
_HOURS = r"T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)"
_DURATION = re.compile(rf"P(?:{_DAYS}(?:{_HOURS})?|{_HOURS}|[0-9]+W)")
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HOSTNAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]++"
_LOCAL_PART = re.compile(rf"{_ATOM}(?:\.{_ATOM})*")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_POINTER = r"(?:/(?:[^~/]|~[01])*+)*+"

# RFC 3986, appendix A.
_PLAIN = r"A-Za-z0-9._~!$&'()*+,;=\-"
_ENCODED = r"%[0-9A-Fa-f]{2}"
_CHARACTER = rf"(?:[{_PLAIN}:@]|{_ENCODED})"
_AUTHORITY = (
    rf"(?:(?:[{_PLAIN}:]|{_ENCODED})*+@)?"
    rf"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?:[{_PLAIN}]|{_ENCODED})*+)(?::[0-9]*+)?"
)
_SEGMENTS = rf"(?:/{_CHARACTER}*+)*+"
_ABSOLUTE = rf"/(?:{_CHARACTER}++{_SEGMENTS})?"
_END = rf"(?:\?(?:{_CHARACTER}|[/?])*+)?(?:\#(?:{_CHARACTER}|[/?])*+)?"
_URI = re.compile(
    rf"[A-Za-z][A-Za-z0-9+.-]*+:(?://{_AUTHORITY}{_SEGMENTS}|{_ABSOLUTE}|{_CHARACTER}++{_SEGMENTS}|){_END}"
)
_RELATIVE = re.compile(rf"(?://{_AUTHORITY}{_SEGMENTS}|{_ABSOLUTE}|(?:[{_PLAIN}@]|{_ENCODED})++{_SEGMENTS}|){_END}")


def is_date(text: str) -> bool:
    """RFC 3339 `full-date`."""
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_time(text: str) -> bool:
    """RFC 3339 `full-time`: with an offset; second 60 only in the last minute of a day in UTC."""
    match = _TIME.fullmatch(text)
    if not match:
        return False
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"])
    hours, minutes = int(match["hours"] or 0), int(match["minutes"] or 0)
    if hour > 23 or minute > 59 or second > 60 or hours > 23 or minutes > 59:
        return False
    offset = (60 * hours + minutes) * (-1 if match["sign"] == "-" else 1)
    return second < 60 or (60 * hour + minute - offset) % (24 * 60) == 24 * 60 - 1


def is_date_time(text: str) -> bool:
    """RFC 3339 `date-time`."""
    return text[10:11] in ("T", "t") and is_date(text[:10]) and is_time(text[11:])


def is_duration(text: str) -> bool:
    """RFC 3339, appendix A."""
    return bool(_DURATION.fullmatch(text))


def is_hostname(text: str) -> bool:
    """RFC 1123, section 2.1."""
    return len(text) <= 253 and bool(_HOSTNAME.fullmatch(text))


def is_email(text: str) -> bool:
    """RFC 5321 `Mailbox` of the common kind: a local part without quotes at a host's name."""
    local, at, host = text.rpartition("@")
    return bool(at) and len(local) <= 64 and bool(_LOCAL_PART.fullmatch(local)) and is_hostname(host)


def is_ipv4(text: str) -> bool:
    """Four decimal numbers without leading zeros."""
    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return True


def is_ipv6(text: str) -> bool:
    """RFC 4291, section 2.2, without a zone."""
    try:
        return ipaddress.IPv6Address(text).scope_id is None
    except ValueError:
        return False


def is_uri(text: str) -> bool:
    """RFC 3986 `URI`: with a scheme."""
    match = _URI.fullmatch(text)
    return match is not None and (match["address"] is None or is_ipv6(match["address"]))


def is_uri_reference(text: str) -> bool:
    """RFC 3986 `URI-reference`: a URI or a relative one."""
    match = _RELATIVE.fullmatch(text)
    return is_uri(text) or (match is not None and (match["address"] is None or is_ipv6(match["address"])))


def is_uuid(text: str) -> bool:
    """RFC 4122."""
    return bool(_UUID.fullmatch(text))


def is_json_pointer(text: str) -> bool:
    """RFC 6901, as a JSON string."""
    return bool(re.fullmatch(_POINTER, text))


def is_relative_json_pointer(text: str) -> bool:
    """A count of levels up, then a pointer or `#`."""
    return bool(re.fullmatch(rf"(?:0|[1-9][0-9]*+)(?:\#|{_POINTER})", text))


FORMATS: Mapping[str, Callable[[str], bool]] = {
    "date": is_date,
    "date-time": is_date_time,
    "duration": is_duration,
    "email": is_email,
    "hostname": is_hostname,
    "ipv4": is_ipv4,
    "ipv6": is_ipv6,
    "json-pointer": is_json_pointer,
    "relative-json-pointer": is_relative_json_pointer,
    "time": is_time,
    "uri": is_uri,
    "uri-reference": is_uri_reference,
    "uuid": is_uuid,
}
"""The formats that a schema may name."""
