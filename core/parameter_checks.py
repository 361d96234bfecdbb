"""Whether the declared parameters of a tool can be served; the words for each that cannot."""

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from pydantic_core import CoreSchema, SchemaError, SchemaValidator, ValidationError

from core.argument_schemas import (
    INT64_MAXIMUM,
    INT64_MINIMUM,
    argument_schema,
    item_type,
    parse_bound,
)
from core.argument_texts import describe_problem, printable, shown
from core.bindings import MAX_CLAIM_NAME_CHARACTERS, is_bound, is_claim_name
from core.errors import DefinitionError
from core.toolspec import Binding, JsonValue, ParameterSpec, ParameterType, Presence

MAX_NAME_CHARACTERS = 64
MAX_DESCRIPTION_CHARACTERS = 2_000
MAX_PATTERN_CHARACTERS = 200
MAX_PATTERN_REPEATS = 1_000
MAX_ALLOWED_VALUES = 1_000

_NUMBERS = frozenset({ParameterType.NUMBER, ParameterType.INTEGER})
_MOMENTS = frozenset({ParameterType.DATE, ParameterType.DATETIME})
_TEXTS = frozenset({ParameterType.STRING, ParameterType.ENUM})

# Control characters but tab and line ends, marks that reorder or hide text, lone surrogates.
_UNSAFE_CHARACTERS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
# Legal in the Rust engine, not in JavaScript, where clients compile the same pattern.
_NOT_PORTABLE = re.compile(r"\(\?(?![:<])|\\[Az]|\[\[:")
_REPEAT = re.compile(r"(\))?\{(\d+)(?:,(\d*))?\}")


def check_parameters(parameters: Sequence[ParameterSpec]) -> None:
    """Nothing when all can be served. Raises DefinitionError for the first that cannot, by its name."""
    seen: set[str] = set()
    for spec in parameters:
        try:
            _check_parameter(spec)
            _require(spec.name not in seen, "the name is declared twice")
        except DefinitionError as error:
            raise DefinitionError(f"parameter {_label(spec.name)}: {error}") from None
        seen.add(spec.name)


def _check_parameter(spec: ParameterSpec) -> None:
    _check_name(spec.name)
    _check_description(spec.description)
    _check_allowed_values(spec)
    _check_bounds(spec)
    _check_pattern(spec)
    _check_default(spec)
    if spec.example is not None:
        _check_value(spec, spec.example, "the example")
    _check_binding(spec)


def _check_name(name: str) -> None:
    _require(
        name.isidentifier(),
        "the name must be letters, digits and underscores, and not begin with a digit",
    )
    _require(
        len(name) <= MAX_NAME_CHARACTERS,
        f"the name must be at most {MAX_NAME_CHARACTERS} characters (got {len(name)})",
    )
    composed = unicodedata.normalize("NFKC", name)
    _require(
        name == composed, f"the name must be in Unicode's composed form: {printable(composed)}"
    )


def _check_description(description: str) -> None:
    length = len(description)
    _require(
        length <= MAX_DESCRIPTION_CHARACTERS,
        f"the description must be at most {MAX_DESCRIPTION_CHARACTERS} characters (got {length})",
    )
    _check_characters(description, "the description")


def _check_allowed_values(spec: ParameterSpec) -> None:
    values, kind = spec.allowed_values, item_type(spec.type)
    _require(bool(values) or kind is not ParameterType.ENUM, "ENUM needs allowed values")
    if not values:
        return
    _require(kind in _TEXTS | _NUMBERS, f"{spec.type} takes no allowed values")
    _require(
        len(values) <= MAX_ALLOWED_VALUES,
        f"at most {MAX_ALLOWED_VALUES} allowed values (got {len(values)})",
    )
    _require(len(set(values)) == len(values), "an allowed value is listed twice")
    # As text without pattern an ENUM's values meet the rules of any text.
    plain_type = ParameterType.STRING if kind in _TEXTS else kind
    plain = replace(spec, type=plain_type, allowed_values=(), nullable=False)
    _check_bounds(plain)
    for value in values:
        _check_value(plain, value, f"the allowed value {shown(value)}")


def _check_bounds(spec: ParameterSpec) -> None:
    if spec.minimum is None and spec.maximum is None:
        return
    kind = item_type(spec.type)
    _require(kind in _NUMBERS | _MOMENTS, f"{spec.type} takes no minimum or maximum")
    bounds = {"minimum": spec.minimum, "maximum": spec.maximum}
    for label, bound in bounds.items():
        if bound is not None:
            _check_bound(spec, bound, f"the {label}")
    if spec.minimum is not None and spec.maximum is not None:
        _check_order(spec.type, spec.minimum, spec.maximum)


def _check_bound(spec: ParameterSpec, bound: float | str, label: str) -> None:
    _require(
        not isinstance(bound, float) or math.isfinite(bound),
        f"{label} must be finite (got {shown(bound)})",
    )
    kind = item_type(spec.type)
    plain = ParameterSpec(name=spec.name, type=kind)
    _check_value(plain, bound, label)
    if kind in _NUMBERS and isinstance(bound, int):
        _require(
            INT64_MINIMUM <= bound <= INT64_MAXIMUM,
            f"{label} must fit 64 bits (got {shown(bound)})",
        )


def _check_order(kind: ParameterType, minimum: float | str, maximum: float | str) -> None:
    lowest, highest = parse_bound(kind, minimum), parse_bound(kind, maximum)
    # Both are of one type here, which the annotation of parse_bound cannot say.
    _require(
        lowest <= highest,  # type: ignore[operator]
        f"the minimum {minimum} is above the maximum {maximum}",
    )


def _check_pattern(spec: ParameterSpec) -> None:
    pattern = spec.pattern
    if pattern is None:
        return
    kind = item_type(spec.type)
    _require(kind is ParameterType.STRING, f"{spec.type} takes no pattern")
    _require(not spec.allowed_values, "a pattern and allowed values exclude each other")
    _require(
        len(pattern) <= MAX_PATTERN_CHARACTERS,
        f"the pattern must be at most {MAX_PATTERN_CHARACTERS} characters (got {len(pattern)})",
    )
    _check_characters(pattern, "the pattern")
    _require(
        not _NOT_PORTABLE.search(pattern),
        "the pattern must be one that JavaScript knows too: "
        "no look-around, no inline flags, no \\A, no \\z, no [[:class:]]",
    )
    _require(
        _repeats(pattern) <= MAX_PATTERN_REPEATS,
        f"the pattern repeats too much; its counted repeats must stay under {MAX_PATTERN_REPEATS}",
    )
    _compile(argument_schema(spec))


def _check_default(spec: ParameterSpec) -> None:
    if spec.presence is not Presence.OPTIONAL_DEFAULT:
        return
    if spec.default is None:
        _require(spec.nullable, "the default is null, which the parameter does not accept")
    else:
        _check_value(spec, spec.default, "the default")


def _check_binding(spec: ParameterSpec) -> None:
    if is_bound(spec):
        _check_hidden(spec)
    match spec.binding:
        case Binding.FIXED:
            _require(spec.bound_value is not None, "FIXED needs a bound value, as in 5")
            _check_value(spec, spec.bound_value, "the bound value")
        case Binding.CLAIM:
            _check_claim_name(spec.bound_value)
        case binding:
            _require(
                spec.bound_value is None,
                f"{binding} takes no bound value; only FIXED and CLAIM read one",
            )
            _require(
                binding is Binding.AGENT or spec.type in _TEXTS,
                f"{binding} gives text; make the type STRING or ENUM",
            )


def _check_hidden(spec: ParameterSpec) -> None:
    """What a bound parameter cannot have: it is never absent, never null and never shown to agents."""
    _require(
        spec.presence is Presence.REQUIRED and not spec.nullable,
        f"{spec.binding} always gives a value; make the parameter required, not nullable,"
        " and drop the default",
    )
    _require(
        spec.example is None, f"{spec.binding} takes no example, agents do not see it; drop it"
    )


def _check_claim_name(name: JsonValue) -> None:
    _require(
        is_claim_name(name),
        "CLAIM needs the claim's name as its bound value, a text of at most"
        f' {MAX_CLAIM_NAME_CHARACTERS} visible characters such as "tenant" (got {shown(name)})',
    )


def _check_value(spec: ParameterSpec, value: JsonValue, label: str) -> None:
    """Agents see the value in the schema, so it has to be of the declared type as it stands."""
    try:
        typed = _compile(argument_schema(spec)).validate_python(value)
    except ValidationError as error:
        kinds = {str(detail["type"]) for detail in error.errors(include_url=False)}
        raise DefinitionError(f"{label} {describe_problem(spec, value, kinds)}") from None
    as_declared = item_type(spec.type) in _MOMENTS or _same_types(typed, value)
    _require(as_declared, f"{label} {describe_problem(spec, value, set())}")
    for text in value if isinstance(value, (list, tuple)) else [value]:
        if isinstance(text, str):
            _check_characters(text, label)


def _same_types(typed: object, value: object) -> bool:
    if isinstance(typed, list) and isinstance(value, (list, tuple)):
        return all(type(one) is type(other) for one, other in zip(typed, value, strict=True))
    return type(typed) is type(value)


def _compile(schema: CoreSchema) -> SchemaValidator:
    try:
        return SchemaValidator(schema)
    except SchemaError as error:
        last_line = str(error).strip().splitlines()[-1]
        reason = last_line.removeprefix("error:").strip().removeprefix("SchemaError: ")
        raise DefinitionError(f"the pattern does not compile: {printable(reason)}") from None


def _repeats(pattern: str) -> int:
    """An upper bound of how often the counted repeats of a pattern copy its parts."""
    of_groups, of_characters = 1, 0
    for group, least, most in _REPEAT.findall(pattern):
        count = int(most or least)
        if group:
            of_groups *= max(count, 1)
        else:
            of_characters += count
    return of_groups * max(of_characters, 1)


def _check_characters(text: str, label: str) -> None:
    found = _UNSAFE_CHARACTERS.search(text)
    if found:
        raise DefinitionError(
            f"{label} has the invisible character {printable(found.group())}; remove it"
        )


def _label(name: str) -> str:
    return name if name.isidentifier() and len(name) <= MAX_NAME_CHARACTERS else shown(name)


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise DefinitionError(message)
