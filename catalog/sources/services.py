"""HTTP services as people set them up: made of an address, allowed hosts inside, and named secrets."""

from django.core.exceptions import ValidationError
from django.views.decorators.debug import sensitive_variables

from access.encryption import seal
from catalog.changes import source_changed
from catalog.models import Authentication, DataSource, ServiceSecret
from catalog.sources.connections import read_named_secrets, service_rules, to_service
from core.errors import ConfigurationError, EditError
from core.ingest.addresses import AddressRules, parse_web_address
from gateways.http.kind import HTTP
from gateways.http.settings import HttpSettings


@sensitive_variables("secret")
def make_service(
    name: str,
    server_url: str,
    *,
    allows_host: bool = False,
    authentication: str = Authentication.NONE,
    authentication_name: str = "",
    username: str = "",
    secret: str = "",
) -> DataSource:
    """An HTTP service that can be called, not saved; with `allows_host` at a host inside as well.

    Raises EditError that says what would be right.
    """
    source = DataSource(
        name=name,
        engine=HTTP.name,
        server_url=server_url,
        authentication=authentication,
        authentication_name=authentication_name,
        username=username,
    )
    if allows_host:
        source.allowed_hosts = find_allowable_host(source)
    try:
        if secret:
            source.password = seal(secret, source.password_identity())
        source.full_clean(exclude=["password"])
        to_service(source)
    except ValidationError as error:
        labels = {field.name: field.verbose_name for field in DataSource._meta.fields}
        texts = (
            f"{labels.get(field, field)}: {' '.join(faults)}"
            for field, faults in error.message_dict.items()
        )
        raise EditError("; ".join(map(str, texts))) from error
    except ConfigurationError as error:
        raise EditError(error.message) from error
    return source


def find_allowable_host(source: DataSource) -> str:
    """The host inside that a person may allow for the service, '' if there is none or it is allowed."""
    rules = service_rules(source)
    try:
        address = parse_web_address(
            source.server_url, AddressRules(rules.ceiling or frozenset(), rules.ports)
        )
    except EditError:
        return ""
    is_open = rules.may_allow(address.host, address.port)
    is_allowed = rules.allows(address.host, address.port)
    return address.authority if is_open and not is_allowed else ""


def allow_host(source: DataSource) -> str:
    """The host inside at which the service is now allowed, '' where there was none to allow."""
    host = find_allowable_host(source)
    if host:
        source.allowed_hosts = ", ".join([*sorted(source.allowed_host_names), host])
        source.save(update_fields=["allowed_hosts", "updated_at"])
        source_changed(source)
    return host


@sensitive_variables("secret")
def keep_secret(source: DataSource, name: str, secret: str) -> None:
    """Keep a named secret of the service, in place of one of its name. Raises EditError."""
    row = ServiceSecret(source=source, name=name)
    try:
        row.clean_fields(exclude=["secret"])
        # One that no header can hold would be the end of every tool of the service.
        HttpSettings(server_url="https://localhost", named_secrets={name: secret}).check()
        row.secret = seal(secret, row.identity(source))
    except ValidationError as error:
        raise EditError(" ".join(error.messages)) from error
    except ConfigurationError as error:
        raise EditError(error.message) from error
    source.secrets.update_or_create(name=name, defaults={"secret": row.secret})
    # The row is what servers watch.
    source.save(update_fields=["updated_at"])
    source_changed(source)


def forget_secret(source: DataSource, name: str) -> None:
    """Remove the service's secret of that name."""
    source.secrets.filter(name=name).delete()
    source.save(update_fields=["updated_at"])
    source_changed(source)


def list_secrets(source: DataSource) -> list[tuple[str, bool]]:
    """The names of the service's secrets, and whether each is for the address that it has now."""
    try:
        usable = read_named_secrets(source)
    except ConfigurationError:
        usable = {}
    return [(name, name in usable) for name in source.secrets.values_list("name", flat=True)]
