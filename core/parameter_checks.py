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
from core.argument_texts import describe_problem, printable, show_value, shown
from core.bindings import MAX_CLAIM_NAME_CHARACTERS, is_bound, is_claim_name
from core.errors import DefinitionError
from core.messages import Message, message
from core.parameter_patterns import check_portable
from core.toolspec import Binding, JsonValue, ParameterSpec, ParameterType, Presence

MAX_NAME_CHARACTERS = 64
MAX_DESCRIPTION_CHARACTERS = 2_000
MAX_PATTERN_CHARACTERS = 200
MAX_ALLOWED_VALUES = 1_000

_NUMBERS = frozenset({ParameterType.NUMBER, ParameterType.INTEGER})
_MOMENTS = frozenset({ParameterType.DATE, ParameterType.DATETIME})
_TEXTS = frozenset({ParameterType.STRING, ParameterType.ENUM})

_THE_MINIMUM = message("parameter.the_minimum", "the minimum")
_THE_MAXIMUM = message("parameter.the_maximum", "the maximum")

# Control characters but tab and line ends, marks that reorder or hide text, lone surrogates.
_UNSAFE_CHARACTERS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def check_parameters(parameters: Sequence[ParameterSpec]) -> None:
    """Nothing when all can be served. Raises DefinitionError for the first that cannot, by its name."""
    seen: set[str] = set()
    for spec in parameters:
        try:
            _check_parameter(spec)
            _require(
                spec.name not in seen, message("parameter.name_twice", "the name is declared twice")
            )
        except DefinitionError as error:
            raise DefinitionError(
                message(
                    "parameter.fault",
                    "parameter {name}: {reason}",
                    name=_label(spec.name),
                    reason=error.message,
                )
            ) from None
        seen.add(spec.name)


def _check_parameter(spec: ParameterSpec) -> None:
    _check_name(spec.name)
    _check_description(spec.description)
    _check_allowed_values(spec)
    _check_bounds(spec)
    _check_pattern(spec)
    _check_default(spec)
    if spec.example is not None:
        _check_value(spec, spec.example, message("parameter.the_example", "the example"))
    _check_binding(spec)


def _check_name(name: str) -> None:
    _require(
        name.isidentifier(),
        message(
            "parameter.name_form",
            "the name must be letters, digits and underscores, and not begin with a digit",
        ),
    )
    _require(
        len(name) <= MAX_NAME_CHARACTERS,
        message(
            "parameter.name_too_long",
            "the name must be at most {limit} characters (got {count})",
            limit=MAX_NAME_CHARACTERS,
            count=len(name),
        ),
    )
    composed = unicodedata.normalize("NFKC", name)
    _require(
        name == composed,
        message(
            "parameter.name_composed",
            "the name must be in Unicode's composed form: {name}",
            name=printable(composed),
        ),
    )


def _check_description(description: str) -> None:
    length = len(description)
    _require(
        length <= MAX_DESCRIPTION_CHARACTERS,
        message(
            "parameter.description_too_long",
            "the description must be at most {limit} characters (got {count})",
            limit=str(MAX_DESCRIPTION_CHARACTERS),
            count=str(length),
        ),
    )
    _check_characters(description, message("parameter.the_description", "the description"))


def _check_allowed_values(spec: ParameterSpec) -> None:
    values, kind = spec.allowed_values, item_type(spec.type)
    _require(
        bool(values) or kind is not ParameterType.ENUM,
        message("parameter.enum_values", "ENUM needs allowed values"),
    )
    if not values:
        return
    _require(
        kind in _TEXTS | _NUMBERS,
        message("parameter.no_allowed_values", "{kind} takes no allowed values", kind=spec.type),
    )
    _require(
        len(values) <= MAX_ALLOWED_VALUES,
        message(
            "parameter.too_many_allowed",
            "at most {limit} allowed values (got {count})",
            limit=MAX_ALLOWED_VALUES,
            count=len(values),
        ),
    )
    _require(
        len(set(values)) == len(values),
        message("parameter.allowed_twice", "an allowed value is listed twice"),
    )
    # As text without pattern an ENUM's values meet the rules of any text.
    plain_type = ParameterType.STRING if kind in _TEXTS else kind
    plain = replace(spec, type=plain_type, allowed_values=(), nullable=False)
    _check_bounds(plain)
    for value in values:
        _check_value(
            plain,
            value,
            message("parameter.the_allowed_value", "the allowed value {value}", value=shown(value)),
        )


def _check_bounds(spec: ParameterSpec) -> None:
    if spec.minimum is None and spec.maximum is None:
        return
    kind = item_type(spec.type)
    _require(
        kind in _NUMBERS | _MOMENTS,
        message("parameter.no_bounds", "{kind} takes no minimum or maximum", kind=spec.type),
    )
    for label, bound in ((_THE_MINIMUM, spec.minimum), (_THE_MAXIMUM, spec.maximum)):
        if bound is not None:
            _check_bound(spec, bound, label)
    if spec.minimum is not None and spec.maximum is not None:
        _check_order(spec.type, spec.minimum, spec.maximum)


def _check_bound(spec: ParameterSpec, bound: float | str, label: Message) -> None:
    _require(
        not isinstance(bound, float) or math.isfinite(bound),
        message(
            "parameter.finite",
            "{label} must be finite (got {value})",
            label=label,
            value=show_value(bound),
        ),
    )
    kind = item_type(spec.type)
    plain = ParameterSpec(name=spec.name, type=kind)
    _check_value(plain, bound, label)
    if kind in _NUMBERS and isinstance(bound, int):
        _require(
            INT64_MINIMUM <= bound <= INT64_MAXIMUM,
            message(
                "parameter.fit_64_bits",
                "{label} must fit 64 bits (got {value})",
                label=label,
                value=show_value(bound),
            ),
        )


def _check_order(kind: ParameterType, minimum: float | str, maximum: float | str) -> None:
    lowest, highest = parse_bound(kind, minimum), parse_bound(kind, maximum)
    # Both are of one type here, which the annotation of parse_bound cannot say.
    _require(
        lowest <= highest,  # type: ignore[operator]
        message(
            "parameter.bounds_order",
            "the minimum {minimum} is above the maximum {maximum}",
            minimum=str(minimum),
            maximum=str(maximum),
        ),
    )


def _check_pattern(spec: ParameterSpec) -> None:
    pattern = spec.pattern
    if pattern is None:
        return
    kind = item_type(spec.type)
    _require(
        kind is ParameterType.STRING,
        message("parameter.no_pattern", "{kind} takes no pattern", kind=spec.type),
    )
    _require(
        not spec.allowed_values,
        message("parameter.pattern_and_values", "a pattern and allowed values exclude each other"),
    )
    _require(
        len(pattern) <= MAX_PATTERN_CHARACTERS,
        message(
            "parameter.pattern_too_long",
            "the pattern must be at most {limit} characters (got {count})",
            limit=MAX_PATTERN_CHARACTERS,
            count=len(pattern),
        ),
    )
    _check_characters(pattern, message("parameter.the_pattern", "the pattern"))
    check_portable(pattern)
    _compile(argument_schema(spec))


def _check_default(spec: ParameterSpec) -> None:
    if spec.presence is not Presence.OPTIONAL_DEFAULT:
        return
    if spec.default is None:
        _require(
            spec.nullable,
            message(
                "parameter.default_null", "the default is null, which the parameter does not accept"
            ),
        )
    else:
        _check_value(spec, spec.default, message("parameter.the_default", "the default"))


def _check_binding(spec: ParameterSpec) -> None:
    if is_bound(spec):
        _check_hidden(spec)
    match spec.binding:
        case Binding.FIXED:
            _require(
                spec.bound_value is not None,
                message("parameter.fixed_value", "FIXED needs a bound value, as in 5"),
            )
            _check_value(
                spec, spec.bound_value, message("parameter.the_bound_value", "the bound value")
            )
        case Binding.CLAIM:
            _check_claim_name(spec.bound_value)
        case binding:
            _require(
                spec.bound_value is None,
                message(
                    "parameter.no_bound_value",
                    "{binding} takes no bound value; only FIXED and CLAIM read one",
                    binding=binding,
                ),
            )
            _require(
                binding is Binding.AGENT or spec.type in _TEXTS,
                message(
                    "parameter.bound_text",
                    "{binding} gives text; make the type STRING or ENUM",
                    binding=binding,
                ),
            )


def _check_hidden(spec: ParameterSpec) -> None:
    """What a bound parameter cannot have: it is never absent, never null and never shown to agents."""
    _require(
        spec.presence is Presence.REQUIRED and not spec.nullable,
        message(
            "parameter.bound_always",
            "{binding} always gives a value; make the parameter required, not nullable,"
            " and drop the default",
            binding=spec.binding,
        ),
    )
    _require(
        spec.example is None,
        message(
            "parameter.bound_example",
            "{binding} takes no example, agents do not see it; drop it",
            binding=spec.binding,
        ),
    )


def _check_claim_name(name: JsonValue) -> None:
    _require(
        is_claim_name(name),
        message(
            "parameter.claim_name",
            "CLAIM needs the claim's name as its bound value, a text of at most {limit}"
            ' visible characters such as "tenant" (got {name})',
            limit=MAX_CLAIM_NAME_CHARACTERS,
            name=shown(name),
        ),
    )


def _check_value(spec: ParameterSpec, value: JsonValue, label: Message) -> None:
    """Agents see the value in the schema, so it has to be of the declared type as it stands."""
    try:
        typed = _compile(argument_schema(spec)).validate_python(value)
    except ValidationError as error:
        kinds = {str(detail["type"]) for detail in error.errors(include_url=False)}
        raise DefinitionError(_name_problem(label, spec, value, kinds)) from None
    as_declared = item_type(spec.type) in _MOMENTS or _same_types(typed, value)
    _require(as_declared, _name_problem(label, spec, value, set()))
    for text in value if isinstance(value, (list, tuple)) else [value]:
        if isinstance(text, str):
            _check_characters(text, label)


def _name_problem(
    label: Message, spec: ParameterSpec, value: JsonValue, kinds: set[str]
) -> Message:
    problem = describe_problem(spec, value, kinds)
    return message("parameter.value_fault", "{label} {problem}", label=label, problem=problem)


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
        raise DefinitionError(
            message(
                "parameter.pattern_compiles",
                "the pattern does not compile: {reason}",
                reason=printable(reason),
            )
        ) from None


def _check_characters(text: str, label: Message) -> None:
    found = _UNSAFE_CHARACTERS.search(text)
    if found:
        raise DefinitionError(
            message(
                "parameter.invisible_character",
                "{label} has the invisible character {character}; remove it",
                label=label,
                character=printable(found.group()),
            )
        )


def _label(name: str) -> str:
    return name if name.isidentifier() and len(name) <= MAX_NAME_CHARACTERS else shown(name)


def _require(holds: bool, otherwise: Message) -> None:
    if not holds:
        raise DefinitionError(otherwise)
