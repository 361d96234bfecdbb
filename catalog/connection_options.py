"""What may be said about a connection beyond host and role: libpq keywords, search path, identity of the caller."""

import re
from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from access.reader_language import in_language
from catalog.sources.credentials import find_credential_file
from core.errors import DefinitionError
from core.identity import read_identity
from gateways.engines import ENGINES
from gateways.postgres.products import PRODUCTS

# Certificates of the system, which libpq knows by this word.
SYSTEM_ROOTS = "system"
# Values name files of CREDENTIALS_DIR.
FILE_OPTIONS = frozenset({"sslrootcert", "sslcert", "sslkey", "sslcrl"})
_NUMBER = r"\d{1,7}"
_AUTHENTICATION = r"!?(?:none|password|md5|gss|sspi|scram-sha-256|oauth)"
# No keyword that runs code, names a file elsewhere, sends the session's own settings or leads to
# another server than the row says: not service, passfile, options, hostaddr, sslpassword.
_ALLOWED = {
    "sslmode": "disable|allow|prefer|require|verify-ca|verify-full",
    "sslnegotiation": "postgres|direct",
    "sslsni": "0|1",
    "ssl_min_protocol_version": r"TLSv1\.[23]",
    "ssl_max_protocol_version": r"TLSv1\.[23]",
    "channel_binding": "disable|prefer|require",
    "gssencmode": "disable|prefer|require",
    "require_auth": rf"{_AUTHENTICATION}(?:,{_AUTHENTICATION})*",
    "target_session_attrs": "any|read-write|read-only|primary|standby|prefer-standby",
    "load_balance_hosts": "disable|random",
    "keepalives": "0|1",
    "keepalives_idle": _NUMBER,
    "keepalives_interval": _NUMBER,
    "keepalives_count": _NUMBER,
    "tcp_user_timeout": _NUMBER,
    # Not libpq's: which server speaks PostgreSQL's protocol, where its version does not tell, and
    # where its days begin.
    "server": "|".join(PRODUCTS),
    "time_zone": r"[^\x00]*",
    **dict.fromkeys(FILE_OPTIONS, r"[A-Za-z0-9_][A-Za-z0-9_.-]*"),
}
# No offsets: PostgreSQL takes +09:00 for nine hours west.
_TIME_ZONE = re.compile(r"UTC|[A-Z][A-Za-z]+(?:/[A-Z][A-Za-z_-]*)+")
_PLAIN = r"[^\W\d][\w$]*"
# Of white space only the blank: the others end a setting where libpq reads it.
_QUOTED = r'"(?:[^"\x00-\x1f\x7f\s]|""| )+"'
_SEARCH_PATH = re.compile(rf"(?:{_PLAIN}|{_QUOTED})(?: *, *(?:{_PLAIN}|{_QUOTED}))*")
_SCHEMA = re.compile(rf"{_PLAIN}|{_QUOTED}")
# What PostgreSQL keeps of a name, in bytes.
_NAME_BYTES = 63


def check_options(options: Any) -> None:
    """Raise ValidationError unless `options` is an object of allowed libpq keywords and values."""
    if not isinstance(options, dict) or not all(isinstance(v, str) for v in options.values()):
        raise ValidationError(_('Write a JSON object of texts, as in {"sslmode": "require"}.'))
    if unknown := sorted(options.keys() - _ALLOWED.keys()):
        text = _("%(names)s cannot be set here; these can: %(known)s.")
        values = {"names": ", ".join(unknown), "known": ", ".join(sorted(_ALLOWED))}
        raise ValidationError(text, params=values)
    for name, value in options.items():
        if not re.fullmatch(_ALLOWED[name], value):
            text = _("%(name)s must be of the form %(form)s.")
            if name in FILE_OPTIONS:
                text = _("%(name)s names a file of CREDENTIALS_DIR, without a folder.")
            raise ValidationError(text, params={"name": name, "form": _ALLOWED[name]})
    check_time_zone(options.get("time_zone", "UTC"))


def check_time_zone(name: str) -> None:
    """Raise ValidationError unless it is the name of a time zone."""
    try:
        is_known = bool(_TIME_ZONE.fullmatch(name) and ZoneInfo(name))
    except (ZoneInfoNotFoundError, OSError):
        is_known = False
    if not is_known:
        text = _("There is no time zone %(name)s; write its name, as in Asia/Seoul.")
        raise ValidationError(text, params={"name": name})


def check_engine_options(engine_name: str, options: Mapping[str, str]) -> None:
    """Raise ValidationError for options that are allowed as such and that the engine does not know."""
    engine = ENGINES.get(engine_name)
    if engine and engine.options is not None and not options.keys() <= engine.options:
        unknown = ", ".join(sorted(options.keys() - engine.options))
        text = _("%(names)s cannot be set here; these can: %(known)s.")
        known = ", ".join(sorted(engine.options))
        raise ValidationError(text, params={"names": unknown, "known": known})


def check_identity(text: str) -> None:
    """Raise ValidationError unless it is rules of who a caller is to the database."""
    try:
        read_identity(text)
    except DefinitionError as error:
        raise ValidationError(in_language(error.message)) from error


def check_search_path(search_path: str) -> None:
    """Raise ValidationError unless it is schema names between commas, quoted as in SQL where needed."""
    if not _SEARCH_PATH.fullmatch(search_path):
        raise ValidationError(
            _(
                'Write schema names between commas, as in sales, "Sales 2026"; quote what SQL quotes.'
            )
        )
    for name in _SCHEMA.findall(search_path):
        bare = name[1:-1].replace('""', '"') if name.startswith('"') else name
        if len(bare.encode()) > _NAME_BYTES:
            text = _("%(name)s is longer than %(count)d bytes, the most PostgreSQL keeps.")
            raise ValidationError(text, params={"name": name, "count": _NAME_BYTES})


def libpq_keywords(options: Mapping[str, str]) -> dict[str, str]:
    """Checked options as psycopg takes them: names of files become paths in CREDENTIALS_DIR."""
    return {
        name: str(find_credential_file(value))
        if name in FILE_OPTIONS and value != SYSTEM_ROOTS
        else value
        for name, value in options.items()
    }
