"""Parameters of MCP Toolbox as parameters of a tool, and back."""

import json
import re
from collections.abc import Collection, Iterable, Mapping

from core.errors import DefinitionError
from core.messages import Message, message
from core.toolspec import Binding, JsonValue, ParameterSpec, ParameterType, Presence
from tools.definitions import ParameterDocument

_TYPES: Mapping[str, ParameterType] = {
    "string": ParameterType.STRING,
    "integer": ParameterType.INTEGER,
    "float": ParameterType.NUMBER,
    "boolean": ParameterType.BOOLEAN,
    "map": ParameterType.JSON,
}
_LISTS: Mapping[JsonValue, ParameterType] = {
    "string": ParameterType.STRING_LIST,
    "integer": ParameterType.INTEGER_LIST,
    "float": ParameterType.NUMBER_LIST,
}
# Types that have a narrower meaning here are the nearest wider one there.
_WRITTEN: Mapping[ParameterType, str] = {
    **{kind: name for name, kind in _TYPES.items() if kind is not ParameterType.JSON},
    **dict.fromkeys((ParameterType.ENUM, ParameterType.DATE, ParameterType.DATETIME), "string"),
    **dict.fromkeys((ParameterType.UUID, ParameterType.DECIMAL), "string"),
}
_READ = frozenset(
    [
        "name",
        "type",
        "description",
        "default",
        "required",
        "allowedValues",
        "minValue",
        "maxValue",
        "items",
        "authServices",
        "escape",
        "valueType",
    ]
)
_PLAIN = re.compile(r"[^\\^$.|?*+()\[\]{}]*")
_NOT_A_WORD = re.compile(r"\W+", re.ASCII)


def name_parameters(names: Iterable[str]) -> list[str]:
    """The nearest names that can stand in a query, each once, in the same order."""
    found: list[str] = []
    for name in names:
        word = _NOT_A_WORD.sub("_", name)
        word = word if word[:1].isalpha() or word[:1] == "_" else f"p_{word}"
        number, candidate = 1, word
        while candidate in found:
            number += 1
            candidate = f"{word}_{number}"
        found.append(candidate)
    return found


def read_parameter(name: str, given: Mapping[str, JsonValue]) -> ParameterDocument:
    """The parameter under that name. Raises DefinitionError with what cannot be said here."""
    if given.get("secure") is True:
        raise DefinitionError(_SECURE)
    if given.get("excludedValues"):
        raise DefinitionError(_EXCLUDED)
    if unknown := sorted(set(given) - _READ - {"secure", "excludedValues"}):
        raise DefinitionError(
            message(
                "toolbox.parameter_field",
                "{field} of a parameter is not known here",
                field=", ".join(unknown)[:100],
            )
        )
    services = given.get("authServices")
    default = given.get("default")
    found = ParameterDocument(
        param_name=name,
        param_type=_read_type(given),
        description=str(given.get("description") or "").strip(),
        # As there, a default makes it optional, and a default of null is none.
        is_required=default is None and given.get("required") is not False,
        default=default,
        minimum=_read_bound(given.get("minValue")),
        maximum=_read_bound(given.get("maxValue")),
        **_read_allowed(given.get("allowedValues")),
    )
    if services:
        return found.replace(
            binding=Binding.CLAIM, bound_value=_read_claim(services), is_required=True, default=None
        )
    if found.allowed_values and found.param_type == ParameterType.STRING:
        return found.replace(param_type=ParameterType.ENUM.value)
    return found


def write_parameter(spec: ParameterSpec, service: str) -> dict[str, JsonValue]:
    """The parameter as MCP Toolbox declares it; `service` is the auth service of claims.

    Raises DefinitionError with what cannot be said there.
    """
    written: dict[str, JsonValue] = {"name": spec.name, **_write_type(spec)}
    written["description"] = spec.description
    if spec.binding is Binding.CLAIM:
        return {**written, "authServices": [{"name": service, "field": spec.bound_value}]}
    if spec.binding is not Binding.AGENT:
        raise DefinitionError(
            message(
                "toolbox.no_binding",
                "{name} is given by the server, which MCP Toolbox does for claims alone",
                name=spec.name,
            )
        )
    if spec.presence is Presence.OPTIONAL_DEFAULT and spec.default is not None:
        written["default"] = spec.default
    elif spec.presence is not Presence.REQUIRED:
        written["required"] = False
    if spec.allowed_values:
        written["allowedValues"] = list(spec.allowed_values)
    if spec.pattern:
        written["allowedValues"] = [spec.pattern]
    if spec.type in {ParameterType.INTEGER, ParameterType.NUMBER}:
        bounds = {"minValue": spec.minimum, "maxValue": spec.maximum}
        written |= {name: bound for name, bound in bounds.items() if bound is not None}
    return written


def find_losses(parameters: Iterable[ParameterSpec]) -> list[Message]:
    """What MCP Toolbox would no longer check of these parameters."""
    narrowed: Collection[ParameterType] = {
        ParameterType.DATE,
        ParameterType.DATETIME,
        ParameterType.UUID,
        ParameterType.DECIMAL,
    }
    return [
        message(
            "toolbox.type_widened",
            "{name} is a {type}, which MCP Toolbox takes as any text",
            name=spec.name,
            type=spec.type.value,
        )
        for spec in parameters
        if spec.type in narrowed
    ]


_SECURE = message(
    "toolbox.secure",
    "a secure parameter comes from the client beside the call; bind the parameter to a claim of the"
    " key or token instead",
)
_EXCLUDED = message(
    "toolbox.excluded_values",
    "excludedValues has no counterpart; name the values that are allowed, or exclude them in the"
    " query",
)


def _read_type(given: Mapping[str, JsonValue]) -> str:
    name, items = given.get("type"), given.get("items")
    if name == "array":
        of = items.get("type") if isinstance(items, dict) else None
        kind = _LISTS.get(of) if isinstance(of, str) else None
        name = f"array of {of or '?'}"
    else:
        kind = _TYPES.get(str(name))
    if kind is None:
        raise DefinitionError(
            message(
                "toolbox.parameter_type",
                "there is no type {type} here; there are string, integer, float, boolean, map, and"
                " arrays of string, integer and float",
                type=str(name)[:100],
            )
        )
    return kind.value


def _read_bound(value: JsonValue) -> str | None:
    return None if value is None else json.dumps(value)


def _read_allowed(values: JsonValue) -> dict[str, JsonValue]:
    """Values that must be met exactly, or one pattern if any of them is a regular expression."""
    if not isinstance(values, list) or not values:
        return {}
    if all(not isinstance(value, str) or _PLAIN.fullmatch(value) for value in values):
        return {"allowed_values": values}
    patterns = [str(value) for value in values]
    return {"pattern": "|".join(patterns)}


def _read_claim(services: JsonValue) -> str:
    """The claim that every service of the parameter names."""
    parts = services if isinstance(services, list) else []
    claims = {part.get("field") for part in parts if isinstance(part, dict)}
    claim = claims.pop() if len(claims) == 1 else None
    if not isinstance(claim, str):
        raise DefinitionError(
            message(
                "toolbox.one_claim",
                "the services of a parameter have to name one field, which is the claim",
            )
        )
    return claim


def _write_type(spec: ParameterSpec) -> dict[str, JsonValue]:
    for item, kind in _LISTS.items():
        if spec.type is kind:
            return {
                "type": "array",
                "items": {"name": "item", "type": item, "description": "One value."},
            }
    if spec.type not in _WRITTEN:
        raise DefinitionError(
            message(
                "toolbox.no_type",
                "{name} is a {type}, which MCP Toolbox cannot say",
                name=spec.name,
                type=spec.type.value,
            )
        )
    return {"type": _WRITTEN[spec.type]}
