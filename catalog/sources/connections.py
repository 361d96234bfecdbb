"""A data source row as the settings of its connection or its requests."""

import hashlib
import json
from base64 import b64encode
from copy import copy

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.views.decorators.debug import sensitive_variables

from access.encryption import unseal
from catalog.connection_options import libpq_keywords
from catalog.models import Authentication, DataSource
from catalog.sources.credentials import resolve_credential
from catalog.sources.environment import read_target
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from core.errors import ConfigurationError
from core.ingest.addresses import AddressRules
from core.messages import message
from core.toolspec import DEFAULT_TIMEOUT_MS
from gateways.engine import DatabaseSettings
from gateways.engines import find_engine
from gateways.http.settings import SECRET_MISSING, ClientCredentials, HttpSettings
from gateways.postgres.settings import PostgresSettings

# A shorter secret would hide parts of answers that have nothing to do with it.
MIN_SECRET_CHARACTERS = 4
NO_DEFAULT = message(
    "source.no_default", "no default database is set; set the POSTGRESQL_DB_* variables"
)
_Pairs = tuple[tuple[str, str], ...]


@sensitive_variables()
def to_settings(source: DataSource) -> DatabaseSettings:
    """How the source is reached, its password resolved. Raises ConfigurationError, which holds no secret."""
    if source.is_default:
        if (default := default_settings()) is None:
            raise ConfigurationError(NO_DEFAULT)
        return default
    row = copy(source)
    if row.is_service and not row.is_from_environment:
        raise ConfigurationError(
            message("source.is_http", "this is an HTTP service, which answers no queries")
        )
    if row.is_from_environment:
        # The row says what its variable says now.
        target = read_target(row.name)
        for name, value in target.columns().items():
            setattr(row, name, value)
        password = target.password
    else:
        password = read_password(row)
    check_row(row)
    row.options = libpq_keywords(row.options)
    engine = find_engine(row.engine)
    if engine.extra and (missing := engine.extra.explain_missing()):
        raise ConfigurationError(missing)
    settings: DatabaseSettings = engine.read_row(row, password)
    return settings


def default_settings() -> PostgresSettings | None:
    """How the database of the POSTGRESQL_DB_* variables is reached; None where they name none."""
    if not settings.POSTGRESQL_DB_HOST:
        return None
    return PostgresSettings(
        host=settings.POSTGRESQL_DB_HOST,
        port=settings.POSTGRESQL_DB_PORT,
        database=settings.POSTGRESQL_DB_NAME,
        user=settings.POSTGRESQL_DB_USER,
        password=settings.POSTGRESQL_DB_PASS,
        search_path=settings.POSTGRESQL_DB_SEARCH_PATH,
        time_zone=settings.POSTGRESQL_DB_TIME_ZONE,
        pool_size=settings.DATA_SOURCE_POOL_SIZE,
        max_wait_ms=settings.DATA_SOURCE_MAX_WAIT_MS,
        prepares_statements=settings.DATA_SOURCE_PREPARES_STATEMENTS,
        plan_cost_limit=settings.DATA_SOURCE_PLAN_COST_LIMIT or None,
        checks_cost_at_call=settings.DATA_SOURCE_CHECKS_COST_AT_CALL,
        statement_timeout_ms=3 * DEFAULT_TIMEOUT_MS,
    )


def make_default_row() -> DataSource:
    """The database of the POSTGRESQL_DB_* variables as a row to show, which is never saved."""
    found = default_settings()
    if found is None:
        return DataSource(name=DEFAULT_SOURCE_NAME)
    return DataSource(
        name=DEFAULT_SOURCE_NAME,
        host=found.host,
        port=found.port,
        database=found.database,
        username=found.user,
        search_path=found.search_path,
        options={"time_zone": found.time_zone},
        pool_size=found.pool_size,
        max_wait_ms=found.max_wait_ms,
        prepares_statements=found.prepares_statements,
        row_limit=found.row_limit,
        byte_limit=found.byte_limit,
        cell_limit=found.cell_limit,
        timeout_ms=found.statement_timeout_ms,
        lock_timeout_ms=found.lock_timeout_ms,
        plan_cost_limit=found.plan_cost_limit,
        checks_cost_at_call=found.checks_cost_at_call,
    )


def fingerprint(settings: DatabaseSettings) -> str:
    """A digest of which database is reached as whom; the password and the limits are no part of it."""
    return hashlib.sha256(json.dumps(settings.target).encode()).hexdigest()


@sensitive_variables()
def read_password(row: DataSource) -> str:
    """The row's secret, '' for none. Raises ConfigurationError, which does not hold it."""
    if row.password_reference and row.password:
        raise ConfigurationError(
            message(
                "source.password_twice",
                "the password is given twice; keep the reference or the stored one",
            )
        )
    if row.password:
        return unseal(row.password, row.password_identity())
    return resolve_credential(row.password_reference)


def check_row(row: Model) -> None:
    """Judge a row as the form does: other programs write rows too."""
    try:
        row.clean_fields()
        row.clean()
    except ValidationError as error:
        texts = [f"{name}: {' '.join(texts)}" for name, texts in error.message_dict.items()]
        raise ConfigurationError("; ".join(texts)) from None


@sensitive_variables()
def to_service(source: DataSource) -> HttpSettings:
    """How the service is called, its secret resolved. Raises ConfigurationError, which holds none."""
    row = copy(source)
    check_row(row)
    headers, query, secrets = _credentials(row)
    client = None
    if row.authentication == Authentication.CLIENT_CREDENTIALS:
        client = ClientCredentials(
            token_url=row.token_url,
            client_id=row.username,
            secret=secrets[0],
            scope=row.token_scope,
        )
    named = read_named_secrets(row)
    secrets = (*secrets, *named.values())
    found = HttpSettings(
        server_url=row.server_url,
        rules=service_rules(row),
        headers=headers,
        query=query,
        named_secrets=named,
        secrets=tuple(secret for secret in secrets if len(secret) >= MIN_SECRET_CHARACTERS),
        client=client,
        pool_size=row.pool_size,
        max_wait_ms=row.max_wait_ms,
        byte_limit=row.byte_limit,
        timeout_ms=row.timeout_ms,
    )
    found.check()
    return found


def find_target(source: DataSource) -> str:
    """A digest of what the row leads to, of either kind. Raises ConfigurationError."""
    if not source.is_service:
        return fingerprint(to_settings(source))
    found = to_service(source)
    names = [name for name, _secret in (*found.headers, *found.query)]
    parts = [found.server_url, *sorted(found.rules.allowed_hosts), *names]
    parts += sorted(found.rules.ceiling or ())
    parts += [found.client.token_url] if found.client else []
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def address_rules() -> AddressRules:
    """What may be called: public hosts over https, and the hosts of HTTP_ALLOWED_HOSTS."""
    names = getattr(settings, "HTTP_ALLOWED_HOSTS", ())
    return AddressRules(allowed_hosts=frozenset(name.lower() for name in names))


def service_rules(row: DataSource) -> AddressRules:
    """What tools of a service may call: of the hosts that the operator allows those allowed for it."""
    return AddressRules(row.allowed_host_names, ceiling=address_rules().allowed_hosts)


@sensitive_variables()
def read_named_secrets(row: DataSource) -> dict[str, str]:
    """The service's secrets by name, without those that were entered for another address.

    Raises ConfigurationError where FIELD_ENCRYPTION_KEYS is missing or wrong.
    """
    found = {}
    for kept in row.secrets.all() if row.pk else ():
        try:
            found[kept.name] = unseal(kept.secret, kept.identity(row))
        except ConfigurationError as error:
            # Tools that name it say that it is missing.
            if error.message.code != "encryption.other_source":
                raise
    return found


@sensitive_variables()
def _credentials(row: DataSource) -> tuple[_Pairs, _Pairs, tuple[str, ...]]:
    """Headers, parameters of the query, and what must not be repeated in an answer."""
    if row.authentication == Authentication.NONE:
        return (), (), ()
    secret = read_password(row)
    if not secret:
        raise ConfigurationError(SECRET_MISSING)
    if row.authentication == Authentication.CLIENT_CREDENTIALS:
        # It goes to the server of tokens alone.
        return (), (), (secret,)
    if row.authentication == Authentication.BASIC:
        token = b64encode(f"{row.username}:{secret}".encode()).decode()
        return (("Authorization", f"Basic {token}"),), (), (secret, token)
    return *place_secret(row.authentication, row.authentication_name, secret), (secret,)


def place_secret(authentication: str, name: str, secret: str) -> tuple[_Pairs, _Pairs]:
    """The header, or the parameter of the query, that says a secret: `Authorization: Bearer` without another."""
    match authentication:
        case Authentication.HEADER:
            return ((name, secret),), ()
        case Authentication.QUERY:
            return (), ((name, secret),)
    return (("Authorization", f"Bearer {secret}"),), ()
