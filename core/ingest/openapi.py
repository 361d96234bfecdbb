"""The operations of an OpenAPI document that agents can call, and why the others cannot be."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from core.errors import ImportFileError
from core.ingest.openapi_parameters import OperationFaultError, ParameterReader
from core.ingest.operations import (
    ANNOTATIONS_BY_METHOD,
    Operation,
    SecurityScheme,
)
from core.ingest.references import ReferenceFaultError, References
from core.ingest.schema_keywords import as_mapping, as_sequence
from core.ingest.swagger import openapi_of_swagger
from core.ingest.texts import IngestFault, clean_line, clean_text, find_hidden_character, shown
from core.ingest.tool_names import route_name, to_name, unique_name
from core.messages import message
from core.toolspec import JsonValue

MAX_OPERATIONS = 10_000
MAX_PATH_CHARACTERS = 2_000
MAX_SUMMARY_CHARACTERS = 300
MAX_TAGS = 20
MAX_TAG_CHARACTERS = 100

_VERSION = re.compile(r"3\.\d+(?:\.\d+)?(?:-\w+)?")
_SWAGGER_VERSIONS = frozenset({"2.0", "2"})
_ORIGIN = re.compile(r"https?://[^/]+")
_VARIABLE = re.compile(r"\{([^{}]*)\}")
_DOTS = re.compile(r"(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)", re.IGNORECASE)
_BLANKS = re.compile(r"[\s\\?#]")


@dataclass(frozen=True, slots=True)
class OpenAPIReading:
    """What a document holds; each fault names the operation that was left out because of it.

    `server_urls` are the document's own, which may be relative; an operation may have others.
    """

    title: str
    operations: tuple[Operation, ...]
    faults: tuple[IngestFault, ...] = ()
    security_schemes: Mapping[str, SecurityScheme] = field(default_factory=dict)
    server_urls: tuple[str, ...] = ("/",)

    def at(self, server_url: str) -> "OpenAPIReading":
        """The operations that are at this address; each of another server is a fault.

        An address that the document does not name is where its own servers are now.
        """
        address = server_url.rstrip("/")

        def is_named(operation: Operation) -> bool:
            return any(_join(address, url) == address for url in operation.server_urls)

        is_own = not any(map(is_named, self.operations)) or not any(
            map(_is_absolute, self.server_urls)
        )
        here: list[Operation] = []
        faults = list(self.faults)
        for operation in self.operations:
            if is_named(operation) or (
                is_own and not set(self.server_urls).isdisjoint(operation.server_urls)
            ):
                here.append(operation)
                continue
            elsewhere = message(
                "openapi.other_server",
                "is at {server}, not at {address}; take it up as a service of its own, with that"
                " address",
                server=operation.server_urls[0],
                address=address,
            )
            faults.append(IngestFault(_place_of(operation.method, operation.path), elsewhere))
        return replace(self, operations=tuple(here), faults=tuple(faults))

    def find_server_url(self) -> str:
        """The first absolute address that the document names, its own before those of operations; else ''."""
        of_operations = (url for operation in self.operations for url in operation.server_urls)
        return next(filter(_is_absolute, (*self.server_urls, *of_operations)), "")


def read_openapi(document: Mapping[str, JsonValue]) -> OpenAPIReading:
    """The operations of an OpenAPI 3 or Swagger 2.0 document and the faults of others.

    Raises ImportFileError for any other document.
    """
    # A version without quotes is a number in YAML.
    is_swagger = str(document.get("swagger")) in _SWAGGER_VERSIONS
    if not is_swagger and not _VERSION.fullmatch(str(document.get("openapi"))[:20]):
        raise ImportFileError(
            message(
                "openapi.no_version",
                "the document is neither OpenAPI 3 nor Swagger 2.0; it has to begin with a version"
                " such as openapi: 3.1.0",
            )
        )
    if not isinstance(document.get("paths", {}), Mapping):
        raise ImportFileError(
            message(
                "openapi.no_paths",
                "paths of the document has to be an object, paths with operations",
            )
        )
    return _DocumentReader(openapi_of_swagger(document) if is_swagger else document).read()


class _DocumentReader:
    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._references = References(document)
        self._parameters = ParameterReader(self._references)
        self._faults: list[IngestFault] = []

    def read(self) -> OpenAPIReading:
        operations: dict[str, Operation] = {}
        for place, path, item, method in self._routes():
            try:
                operation = self._read_operation(path, item, method)
            except (OperationFaultError, ReferenceFaultError) as fault:
                self._faults.append(IngestFault(place, fault.message))
                continue
            name = unique_name(operation.name, operations)
            operations[name] = replace(operation, name=name)
        if self._parameters.is_exhausted:
            text = message(
                "openapi.too_many_parameters",
                "too many for one document; arguments of later operations have no details",
            )
            self._faults.append(IngestFault("schemas", text))
        components = as_mapping(self._document.get("components"))
        schemes: dict[str, SecurityScheme] = {}
        for id_, given in as_mapping(components.get("securitySchemes")).items():
            with suppress(ReferenceFaultError):
                scheme = self._references.follow(given)
                texts = (
                    clean_line(scheme.get(key), 100) for key in ("type", "scheme", "name", "in")
                )
                schemes[id_] = SecurityScheme(id_, *texts)
        urls = [operation.server_urls for operation in operations.values()]
        # A document without servers is nowhere in particular, unless each operation says where it is.
        elsewhere = urls[0] if urls and ("/",) not in urls else ("/",)
        return OpenAPIReading(
            clean_line(as_mapping(self._document.get("info")).get("title"), MAX_SUMMARY_CHARACTERS),
            tuple(operations.values()),
            tuple(self._faults),
            schemes,
            _server_urls(self._document) or elsewhere,
        )

    def _routes(self) -> Iterator[tuple[str, str, Mapping[str, Any], str]]:
        count = 0
        for path, given in as_mapping(self._document.get("paths")).items():
            if path.startswith("x-"):
                continue
            try:
                item = self._references.follow(given)
            except ReferenceFaultError as fault:
                self._faults.append(IngestFault(_shown_path(path), fault.message))
                continue
            for method in ANNOTATIONS_BY_METHOD:
                count += method in item
                if method in item and count <= MAX_OPERATIONS:
                    yield _place_of(method, path), path, item, method
        if count > MAX_OPERATIONS:
            text = message(
                "openapi.too_many_operations",
                "{count} operations; the first {limit} are read",
                count=count,
                limit=MAX_OPERATIONS,
            )
            self._faults.append(IngestFault("paths", text))

    def _read_operation(self, path: str, item: Mapping[str, Any], method: str) -> Operation:
        _check_path(path)
        given = item[method]
        if not isinstance(given, Mapping):
            raise OperationFaultError(
                message(
                    "openapi.no_object", "is {value}; it has to be an object", value=shown(given)
                )
            )
        parameters, body = self._parameters.read(path, item, given)
        servers = filter(None, map(_server_urls, (given, item, self._document)))
        security = as_sequence(given.get("security", self._document.get("security")))
        tags = [
            clean_line(t, MAX_TAG_CHARACTERS) for t in as_sequence(given.get("tags"))[:MAX_TAGS]
        ]
        given_id = clean_line(given.get("operationId"), MAX_PATH_CHARACTERS)
        route = route_name(method, path)
        return Operation(
            name=to_name(given_id, route) if given_id else route,
            method=method,
            path=path,
            operation_id=given_id,
            server_urls=next(servers, ("/",)),
            summary=clean_line(given.get("summary", item.get("summary")), MAX_SUMMARY_CHARACTERS),
            description=clean_text(given.get("description", item.get("description"))),
            parameters=parameters,
            body=body,
            security=tuple(tuple(map(str, as_mapping(ids))) for ids in security[:MAX_TAGS]),
            tags=tuple(dict.fromkeys(filter(None, tags))),
            deprecated=given.get("deprecated") is True,
        )


def _check_path(path: str) -> None:
    if not path.startswith("/") or len(path) > MAX_PATH_CHARACTERS:
        raise OperationFaultError(
            message(
                "openapi.path_length",
                "a path begins with / and has at most {limit} characters",
                limit=MAX_PATH_CHARACTERS,
            )
        )
    literal = _VARIABLE.sub("x", path)
    if find_hidden_character(path) or _DOTS.search(literal) or _BLANKS.search(literal):
        raise OperationFaultError(
            message(
                "openapi.path_segments", "a path has no dot segments, spaces, backslashes, ? or #"
            )
        )
    if "{" in literal or "}" in literal:
        raise OperationFaultError(
            message("openapi.path_braces", "every { of a path needs its } and a name between them")
        )


def _shown_path(path: str) -> str:
    return clean_line(path, 120)


def _place_of(method: str, path: str) -> str:
    return f"{method.upper()} {_shown_path(path)}"


def _is_absolute(url: str) -> bool:
    return _ORIGIN.match(url) is not None


def _join(address: str, url: str) -> str:
    """The server's URL, without a slash at its end; a relative one is taken from this address."""
    origin = _ORIGIN.match(address)
    if url.startswith("/") and origin:
        url = origin.group() + url
    elif not _is_absolute(url):
        url = f"{address}/{url}"
    return url.rstrip("/")


def _server_urls(level: Mapping[str, Any]) -> tuple[str, ...]:
    """The addresses of a document, a path or an operation; none where it names none."""
    return tuple(filter(None, map(_server_url, as_sequence(level.get("servers")))))


def _server_url(given: object) -> str:
    """The address with each variable's default in its place."""
    server = as_mapping(given)
    variables = as_mapping(server.get("variables"))

    def default_of(found: re.Match[str]) -> str:
        default = as_mapping(variables.get(found.group(1))).get("default")
        # A port without quotes is a number in YAML.
        return clean_line(str(default) if isinstance(default, int) else default, 200)

    url = clean_line(server.get("url"), MAX_PATH_CHARACTERS)
    return _VARIABLE.sub(default_of, url).rstrip("/") or url
