"""A data source row of the engine HTTP as the settings of its requests."""

import hashlib
from base64 import b64encode
from copy import copy

from django.conf import settings
from django.views.decorators.debug import sensitive_variables

from catalog.models import Authentication, DataSource, Engine
from catalog.sources.connections import check_row, fingerprint, read_password, to_settings
from core.errors import ConfigurationError
from core.ingest.addresses import AddressRules
from core.messages import message
from gateways.http.settings import HttpSettings

_MIN_SECRET_CHARACTERS = 4


@sensitive_variables()
def to_service(source: DataSource) -> HttpSettings:
    """How the service is called, its secret resolved. Raises ConfigurationError, which holds none."""
    row = copy(source)
    check_row(row)
    headers, query, secrets = _credentials(row)
    found = HttpSettings(
        server_url=row.server_url,
        rules=address_rules(),
        headers=headers,
        query=query,
        secrets=tuple(one for one in secrets if len(one) >= _MIN_SECRET_CHARACTERS),
        pool_size=row.pool_size,
        max_wait_ms=row.max_wait_ms,
        byte_limit=row.byte_limit,
        timeout_ms=row.timeout_ms,
    )
    found.check()
    return found


def find_target(source: DataSource) -> str:
    """A digest of what the row leads to, of either kind. Raises ConfigurationError."""
    if source.engine != Engine.HTTP:
        return fingerprint(to_settings(source))
    found = to_service(source)
    names = [name for name, _secret in (*found.headers, *found.query)]
    parts = [found.server_url, *sorted(found.rules.allowed_hosts), *names]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def address_rules() -> AddressRules:
    """What may be called: public hosts over https, and the hosts of HTTP_ALLOWED_HOSTS."""
    names = getattr(settings, "HTTP_ALLOWED_HOSTS", ())
    return AddressRules(allowed_hosts=frozenset(name.lower() for name in names))


_Pairs = tuple[tuple[str, str], ...]


@sensitive_variables()
def _credentials(row: DataSource) -> tuple[_Pairs, _Pairs, tuple[str, ...]]:
    """Headers, parameters of the query, and what must not be repeated in an answer."""
    if row.authentication == Authentication.NONE:
        return (), (), ()
    secret = read_password(row)
    if not secret:
        raise ConfigurationError(
            message(
                "http.secret_missing",
                "the secret of the service is missing; give it as a password or a reference",
            )
        )
    match row.authentication:
        case Authentication.BASIC:
            token = b64encode(f"{row.username}:{secret}".encode()).decode()
            return (("Authorization", f"Basic {token}"),), (), (secret, token)
        case Authentication.HEADER:
            return ((row.authentication_name, secret),), (), (secret,)
        case Authentication.QUERY:
            return (), ((row.authentication_name, secret),), (secret,)
    return (("Authorization", f"Bearer {secret}"),), (), (secret,)
