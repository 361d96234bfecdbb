"""The request of an HTTP tool as the editor's fields, and those fields as the tool's definition."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from core.http_logic import MAX_RETRIES
from core.ingest.operations import TEMPLATE
from core.ingest.templates import NAME, find_names
from core.paging import MAX_PAGES, PAGING_KINDS
from core.toolspec import JsonValue

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
BODY_KINDS: Mapping[str, str] = {
    "json": "application/json",
    "form": "application/x-www-form-urlencoded",
    "multipart": "multipart/form-data",
    "text": "text/plain",
}
KEEP_KINDS = ("all", "path", "expression")
MAX_ROWS = 100
_KEPT = ("summary", "description", "operation_id", "tags", "deprecated")
_DIGITS = re.compile(r"[0-9]{1,7}")


@dataclass(frozen=True, slots=True)
class ValueRow:
    """A value of the query or a header, with `{argument}`s in it."""

    name: str
    value: str

    @property
    def names(self) -> list[str]:
        """The arguments of its value."""
        return find_names(self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpFields:
    """What the fields hold; of a definition that cannot be read, what they hold at first."""

    method: str = "GET"
    path: str = ""
    query: tuple[ValueRow, ...] = ()
    headers: tuple[ValueRow, ...] = ()
    body_kind: str = ""
    body: str = ""
    keep_kind: str = "all"
    keep_path: str = ""
    keep_expression: str = ""
    paging_kind: str = ""
    paging_items: str = ""
    paging_next: str = ""
    paging_parameter: str = ""
    paging_first: int = 1
    paging_pages: int = 10
    retries: int = 0

    @property
    def writes(self) -> bool:
        """Whether its method may change something."""
        return self.method != "GET"


def read_fields(definition: str) -> HttpFields:
    """The fields of a definition, which may be none that could be served."""
    given = _read(definition)
    if not given:
        return HttpFields()
    body_kind, body = _show_body(given)
    keep, paging = _part(given, "keep"), _part(given, "paging")
    return HttpFields(
        method=str(given.get("method", "get")).upper(),
        path=_rename_path(given, shows=True),
        query=_rows_of(given, "query"),
        headers=_rows_of(given, "header"),
        body_kind=body_kind,
        body=body,
        keep_kind=next((kind for kind in KEEP_KINDS if keep.get(kind)), "all"),
        keep_path=str(keep.get("path", "")),
        keep_expression=str(keep.get("expression", "")),
        paging_kind=str(paging.get("kind", "")),
        paging_items=str(paging.get("items", "")),
        paging_next=str(paging.get("next", "")),
        paging_parameter=str(paging.get("parameter", "")),
        paging_first=_number(paging.get("first"), 1),
        paging_pages=_number(paging.get("pages"), 10),
        retries=_number(given.get("retries"), 0),
    )


def read_posted_fields(data: QueryDict) -> HttpFields:
    """The fields as a form posts them; rows that say nothing are left out."""

    def text(name: str) -> str:
        return (data.get(f"http-{name}") or "").replace("\r\n", "\n").strip()

    method, body_kind = text("method").upper(), text("body-kind")
    keep_kind, paging_kind = text("keep-kind"), text("paging-kind")
    return HttpFields(
        method=method if method in METHODS else "GET",
        path=text("path"),
        query=_posted_rows(data, "query"),
        headers=_posted_rows(data, "header"),
        body_kind=body_kind if body_kind in BODY_KINDS else "",
        body=text("body"),
        keep_kind=keep_kind if keep_kind in KEEP_KINDS else "all",
        keep_path=text("keep-path"),
        keep_expression=text("keep-expression"),
        paging_kind=paging_kind if paging_kind in PAGING_KINDS else "",
        paging_items=text("paging-items"),
        paging_next=text("paging-next"),
        paging_parameter=text("paging-parameter"),
        paging_first=_number(text("paging-first"), 1),
        paging_pages=min(_number(text("paging-pages"), 10), MAX_PAGES),
        retries=min(_number(text("retries"), 0), MAX_RETRIES),
    )


def write_definition(fields: HttpFields, before: str = "") -> str:
    """The definition that the fields say, '' if they say nothing.

    What a document described of the parameters in `before` stays with those that are still there.
    """
    if fields == HttpFields():
        return ""
    old = _read(before)
    described = {
        (parameter.get("in"), parameter.get("argument")): parameter for parameter in _list(old)
    }
    parameters = [
        described["path", name]
        for name in TEMPLATE.findall(fields.path)
        if ("path", name) in described
    ]
    values: list[JsonValue] = []
    for place, rows in (("query", fields.query), ("header", fields.headers)):
        for row in rows:
            whole = NAME.fullmatch(row.value)
            known = described.pop((place, whole[1]), None) if whole else None
            if known is None:
                values.append({"name": row.name, "in": place, "value": row.value})
            else:
                parameters.append({**known, "name": row.name})
    parameters += [parameter for (place, _), parameter in described.items() if place == "cookie"]
    body, fields_of_body = _write_body(fields, old)
    document: dict[str, JsonValue] = {
        "method": fields.method.lower(),
        "path": _rename_path({**old, "path": fields.path}, shows=False),
        **{key: old[key] for key in _KEPT if key in old},
        "parameters": [*parameters, *fields_of_body],
    }
    parts: dict[str, JsonValue] = {
        "values": values,
        "body": body,
        "keep": _write_keep(fields),
        "paging": _write_paging(fields),
        "retries": fields.retries,
    }
    document |= {name: part for name, part in parts.items() if part}
    return json.dumps(document, ensure_ascii=False, indent=2)


def _write_keep(fields: HttpFields) -> JsonValue:
    text = {"path": fields.keep_path, "expression": fields.keep_expression}.get(fields.keep_kind)
    return {fields.keep_kind: text} if text else None


def _write_paging(fields: HttpFields) -> JsonValue:
    if not fields.paging_kind:
        return None
    texts = {
        "kind": fields.paging_kind,
        "items": fields.paging_items,
        "next": fields.paging_next if fields.paging_kind != "page" else "",
        "parameter": fields.paging_parameter if fields.paging_kind != "link" else "",
    }
    paging: dict[str, JsonValue] = {name: text for name, text in texts.items() if text}
    paging |= {"first": fields.paging_first} if fields.paging_kind == "page" else {}
    return {**paging, "pages": fields.paging_pages}


def _write_body(fields: HttpFields, old: Mapping[str, Any]) -> tuple[JsonValue, list[JsonValue]]:
    """The body, and the described parameters that are in it."""
    if not fields.body_kind or not fields.body:
        return None, []
    described = [parameter for parameter in _list(old) if parameter.get("in") == "body"]
    body = _part(old, "body")
    if (fields.body_kind, fields.body) == _show_body(old) and "template" not in body:
        return body, described
    names = find_names(fields.body)
    is_same = body.get("kind") == fields.body_kind
    kind = body.get("content_type") if is_same else None
    written = {
        "content_type": kind or BODY_KINDS[fields.body_kind],
        "kind": fields.body_kind,
        "template": fields.body,
    }
    return written, [
        {**parameter, "required": False}
        for parameter in described
        if parameter.get("argument") in names
    ]


def _show_body(given: Mapping[str, Any]) -> tuple[str, str]:
    """The kind of the body, and the body written out as its parameters make it."""
    body = _part(given, "body")
    kind = str(body.get("kind", ""))
    if not body or "template" in body:
        return kind, str(body.get("template", ""))
    described = [parameter for parameter in _list(given) if parameter.get("in") == "body"]
    if not body.get("is_flat"):
        return kind, f"{{{described[0].get('argument')}}}" if described else ""
    lines = [
        f"  {json.dumps(parameter.get('name'), ensure_ascii=False)}: {{{parameter.get('argument')}}}"
        for parameter in described
    ]
    return kind, "{\n" + ",\n".join(lines) + "\n}"


def _rows_of(given: Mapping[str, Any], place: str) -> tuple[ValueRow, ...]:
    rows = [
        ValueRow(str(parameter.get("name", "")), f"{{{parameter.get('argument', '')}}}")
        for parameter in _list(given)
        if parameter.get("in") == place
    ]
    return (
        *rows,
        *(
            ValueRow(str(value.get("name", "")), str(value.get("value", "")))
            for value in _list(given, "values")
            if value.get("in") == place
        ),
    )


def _posted_rows(data: QueryDict, place: str) -> tuple[ValueRow, ...]:
    names, values = data.getlist(f"http-{place}-name"), data.getlist(f"http-{place}-value")
    rows = (
        ValueRow(name.strip(), value.strip()) for name, value in zip(names, values, strict=False)
    )
    return tuple(row for row in rows if row.name or row.value)[:MAX_ROWS]


def _rename_path(given: Mapping[str, Any], *, shows: bool) -> str:
    """The path with the arguments' names where it is shown, with the service's where it is kept."""
    names = {
        str(parameter.get("name")): str(parameter.get("argument"))
        for parameter in _list(given)
        if parameter.get("in") == "path"
    }
    names = names if shows else {argument: name for name, argument in names.items()}
    return TEMPLATE.sub(
        lambda found: f"{{{names.get(found[1], found[1])}}}", str(given.get("path", ""))
    )


def _read(definition: str) -> Mapping[str, Any]:
    try:
        given = json.loads(definition)
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}


def _list(given: Mapping[str, Any], name: str = "parameters") -> Sequence[dict[str, Any]]:
    found = given.get(name)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _part(given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = given.get(name)
    return found if isinstance(found, dict) else {}


def _number(value: object, default: int) -> int:
    text = str(value)
    return int(text) if _DIGITS.fullmatch(text) else default
