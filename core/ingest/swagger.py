"""A Swagger 2.0 document in the words of OpenAPI 3.0, which came after it."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from core.ingest.operations import ANNOTATIONS_BY_METHOD
from core.ingest.references import ReferenceFaultError, References
from core.ingest.schema_keywords import as_mapping, as_sequence

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"

_BASIC = {"type": "http", "scheme": "basic"}
# How a list is written: style and explode of OpenAPI 3. It knows no tabs, so those stay what they are.
_COLLECTIONS: Mapping[str, Mapping[str, Any]] = {
    "csv": {"explode": False},
    "ssv": {"style": "spaceDelimited", "explode": False},
    "pipes": {"style": "pipeDelimited", "explode": False},
    "tsv": {"style": "tabDelimited"},
    "multi": {"explode": True},
}
# What a parameter says of itself; all else is the schema of its value.
_OWN = frozenset({"name", "in", "description", "required", "collectionFormat", "allowEmptyValue"})


def openapi_of_swagger(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document as OpenAPI 3.0; what has no counterpart there is left for its reader to refuse.

    Schemas stay where they are, under `definitions`, so that references to them still hold.
    """
    return _Converter(document).convert()


class _Converter:
    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._references = References(document)

    def convert(self) -> dict[str, Any]:
        paths: dict[str, Any] = {}
        for path, given in as_mapping(self._document.get("paths")).items():
            item = self._follow(given)
            shared = as_sequence(item.get("parameters"))
            operations = {
                method: self._convert_operation(method, item[method], shared)
                for method in ANNOTATIONS_BY_METHOD
                if method in item
            }
            paths[path] = {**item, "parameters": [], **operations}
        schemes = as_mapping(self._document.get("securityDefinitions"))
        return {
            **self._document,
            "openapi": "3.0.3",
            "servers": self._servers(self._document),
            "paths": paths,
            "components": {
                "securitySchemes": {
                    id_: _BASIC if as_mapping(scheme).get("type") == "basic" else scheme
                    for id_, scheme in schemes.items()
                }
            },
        }

    def _follow(self, node: object) -> Mapping[str, Any]:
        """The object that the node is or leads to; one that leads nowhere stays, for its reader to tell."""
        try:
            return self._references.follow(node)
        except ReferenceFaultError:
            return as_mapping(node)

    def _servers(self, level: Mapping[str, Any]) -> list[dict[str, str]]:
        """The addresses by the schemes of the document or an operation; relative without a host."""
        host, base = self._document.get("host"), self._document.get("basePath")
        path = f"/{base.strip('/')}" if isinstance(base, str) else "/"
        if not isinstance(host, str) or not host:
            return [{"url": path}]
        # Without schemes it is that of the document's own address, which may be either.
        named = [name for name in ("https", "http") if name in as_sequence(level.get("schemes"))]
        return [{"url": f"{name}://{host}{path}"} for name in named or ("https", "http")]

    def _convert_operation(
        self, method: str, operation: object, shared: Iterable[object]
    ) -> object:
        """The operation with the parameters of its path among its own, which win."""
        if not isinstance(operation, Mapping):
            return operation
        declared: dict[tuple[str, str], Mapping[str, Any]] = {}
        for given in (*shared, *as_sequence(operation.get("parameters"))):
            parameter = self._follow(given)
            declared[str(parameter.get("name")), str(parameter.get("in"))] = parameter
        fields = [each for each in declared.values() if each.get("in") == "formData"]
        body = next((each for each in declared.values() if each.get("in") == "body"), None)
        others = [each for each in declared.values() if each.get("in") not in {"formData", "body"}]
        converted = {**operation, "parameters": list(map(_convert_parameter, others))}
        if isinstance(id_ := operation.get("operationId"), str):
            # Springfox names methods of Java so: getOrdersUsingGET, and getOrdersUsingGET_1 of another class.
            converted["operationId"] = re.sub(rf"Using{method.upper()}(_\d+)?\Z", "", id_) or id_
        types = as_sequence(operation.get("consumes", self._document.get("consumes")))
        if body is not None:
            content = {"schema": body.get("schema")}
            converted["requestBody"] = {
                **{key: body[key] for key in ("description", "required") if key in body},
                "content": {str(kind): content for kind in types} or {JSON: content},
            }
        elif fields:
            converted["requestBody"] = _form_of(fields, MULTIPART in types and FORM not in types)
        if "schemes" in operation:
            converted["servers"] = self._servers(operation)
        return converted


def _convert_parameter(parameter: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in parameter:
        return dict(parameter)
    converted = {key: value for key, value in parameter.items() if key in _OWN}
    schema = {key: value for key, value in parameter.items() if key not in _OWN}
    if schema.get("type") == "array":
        collection = str(parameter.get("collectionFormat", "csv"))
        converted |= _COLLECTIONS.get(collection, {"style": collection})
    elif schema.get("type") == "file":
        schema |= {"type": "string", "format": "binary"}
    return {**converted, "schema": schema}


def _form_of(fields: Iterable[Mapping[str, Any]], is_multipart: bool) -> dict[str, Any]:
    """The body that the fields are in; one with a file can only be sent in parts."""
    properties: dict[str, Any] = {}
    for each in fields:
        text = {"description": each["description"]} if "description" in each else {}
        properties[str(each.get("name"))] = _convert_parameter(each)["schema"] | text
    required = [str(each.get("name")) for each in fields if each.get("required") is True]
    has_file = any(each.get("type") == "file" for each in fields)
    schema = {"type": "object", "properties": properties, "required": required}
    return {
        "required": bool(required),
        "content": {MULTIPART if is_multipart or has_file else FORM: {"schema": schema}},
    }
