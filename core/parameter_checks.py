"""Whether the declared parameters of a tool can be served; the words for each that cannot."""

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace

from pydantic_core import SchemaError, SchemaValidator, ValidationError

from core.bindings import MAX_CLAIM_NAME_CHARACTERS, is_bound, is_claim_name
from core.errors import DefinitionError
from core.messages import Message, message
from core.parameter_types.kind import INT64_MAXIMUM, INT64_MINIMUM, Kind
from core.parameter_types.numbers import NumberKind
from core.shown_values import printable, show_value, shown
from core.toolspec import Binding, JsonValue, ParameterSpec, ParameterType, Presence

MAX_NAME_CHARACTERS = 64
MAX_DESCRIPTION_CHARACTERS = 2_000
MAX_PATTERN_CHARACTERS = 200
MAX_ALLOWED_VALUES = 1_000

MAX_PATTERN_REPEATS = 1_000

# Legal in the Rust engine, not in JavaScript, where clients compile the same pattern.
_NOT_PORTABLE = re.compile(r"\(\?(?![:<])|\\[Az]|\[\[:")
_REPEAT = re.compile(r"(\))?\{(\d+)(?:,(\d*))?\}")

_THE_MINIMUM = message("parameter.the_minimum", "the minimum")
_THE_MAXIMUM = message("parameter.the_maximum", "the maximum")
_THE_DESCRIPTION = message("parameter.the_description", "the description")

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
                spec.name not in seen,
                lambda: message("parameter.name_twice", "the name is declared twice"),
            )
        except DefinitionError as error:
            is_readable = spec.name.isidentifier() and len(spec.name) <= MAX_NAME_CHARACTERS
            raise DefinitionError(
                message(
                    "parameter.fault",
                    "parameter {name}: {reason}",
                    name=spec.name if is_readable else shown(spec.name),
                    reason=error.message,
                )
            ) from None
        seen.add(spec.name)


def _check_parameter(spec: ParameterSpec) -> None:
    _check_name(spec.name)
    length = len(spec.description)
    _require(
        length <= MAX_DESCRIPTION_CHARACTERS,
        lambda: message(
            "parameter.description_too_long",
            "the description must be at most {limit} characters (got {count})",
            limit=str(MAX_DESCRIPTION_CHARACTERS),
            count=str(length),
        ),
    )
    _check_characters(spec.description, _THE_DESCRIPTION)
    _check_allowed_values(spec)
    _check_bounds(spec)
    _check_pattern(spec)
    if spec.presence is Presence.OPTIONAL_DEFAULT and spec.default is not None:
        the_default = message("parameter.the_default", "the default")
        _check_value(spec.type.kind, spec, spec.default, the_default)
    _require(
        spec.presence is not Presence.OPTIONAL_DEFAULT or spec.default is not None or spec.nullable,
        lambda: message(
            "parameter.default_null", "the default is null, which the parameter does not accept"
        ),
    )
    if spec.example is not None:
        the_example = message("parameter.the_example", "the example")
        _check_value(spec.type.kind, spec, spec.example, the_example)
    _check_binding(spec)


def _check_name(name: str) -> None:
    _require(
        name.isidentifier(),
        lambda: message(
            "parameter.name_form",
            "the name must be letters, digits and underscores, and not begin with a digit",
        ),
    )
    _require(
        len(name) <= MAX_NAME_CHARACTERS,
        lambda: message(
            "parameter.name_too_long",
            "the name must be at most {limit} characters (got {count})",
            limit=MAX_NAME_CHARACTERS,
            count=len(name),
        ),
    )
    composed = unicodedata.normalize("NFKC", name)
    _require(
        name == composed,
        lambda: message(
            "parameter.name_composed",
            "the name must be in Unicode's composed form: {name}",
            name=printable(composed),
        ),
    )


def _check_allowed_values(spec: ParameterSpec) -> None:
    values, kind = spec.allowed_values, spec.type.kind.scalar
    _require(
        bool(values) or not kind.needs_allowed_values,
        lambda: message("parameter.enum_values", "ENUM needs allowed values"),
    )
    if not values:
        return
    _require(
        kind.takes_allowed_values,
        lambda: message(
            "parameter.no_allowed_values", "{kind} takes no allowed values", kind=spec.type
        ),
    )
    _require(
        len(values) <= MAX_ALLOWED_VALUES,
        lambda: message(
            "parameter.too_many_allowed",
            "at most {limit} allowed values (got {count})",
            limit=MAX_ALLOWED_VALUES,
            count=len(values),
        ),
    )
    _require(
        len(set(values)) == len(values),
        lambda: message("parameter.allowed_twice", "an allowed value is listed twice"),
    )
    _check_bounds(spec)
    # An ENUM's values meet the rules of any text.
    plain_kind = ParameterType.STRING.kind if kind.needs_allowed_values else kind
    plain = replace(spec, allowed_values=())
    for value in values:
        label = message(
            "parameter.the_allowed_value", "the allowed value {value}", value=shown(value)
        )
        _check_value(plain_kind, plain, value, label)


def _check_bounds(spec: ParameterSpec) -> None:
    if spec.minimum is None and spec.maximum is None:
        return
    kind = spec.type.kind.scalar
    _require(
        kind.takes_bounds,
        lambda: message(
            "parameter.no_bounds", "{kind} takes no minimum or maximum", kind=spec.type
        ),
    )
    for label, bound in ((_THE_MINIMUM, spec.minimum), (_THE_MAXIMUM, spec.maximum)):
        if bound is not None:
            _check_bound(kind, spec, bound, label)
    if spec.minimum is not None and spec.maximum is not None:
        _require(
            bool(kind.read_bound(spec.minimum) <= kind.read_bound(spec.maximum)),
            lambda: message(
                "parameter.bounds_order",
                "the minimum {minimum} is above the maximum {maximum}",
                minimum=str(spec.minimum),
                maximum=str(spec.maximum),
            ),
        )


def _check_bound(kind: Kind, spec: ParameterSpec, bound: float | str, label: Message) -> None:
    _require(
        not isinstance(bound, float) or math.isfinite(bound),
        lambda: message(
            "parameter.finite",
            "{label} must be finite (got {value})",
            label=label,
            value=show_value(bound),
        ),
    )
    _check_value(kind, ParameterSpec(name=spec.name, type=spec.type), bound, label)
    is_large = isinstance(bound, int) and not INT64_MINIMUM <= bound <= INT64_MAXIMUM
    _require(
        not (isinstance(kind, NumberKind) and is_large),
        lambda: message(
            "parameter.fit_64_bits",
            "{label} must fit 64 bits (got {value})",
            label=label,
            value=show_value(bound),
        ),
    )


def _check_pattern(spec: ParameterSpec) -> None:
    pattern = spec.pattern
    if pattern is None:
        return
    _require(
        spec.type.kind.scalar.takes_pattern,
        lambda: message("parameter.no_pattern", "{kind} takes no pattern", kind=spec.type),
    )
    _require(
        not spec.allowed_values,
        lambda: message(
            "parameter.pattern_and_values", "a pattern and allowed values exclude each other"
        ),
    )
    _require(
        len(pattern) <= MAX_PATTERN_CHARACTERS,
        lambda: message(
            "parameter.pattern_too_long",
            "the pattern must be at most {limit} characters (got {count})",
            limit=MAX_PATTERN_CHARACTERS,
            count=len(pattern),
        ),
    )
    _check_characters(pattern, message("parameter.the_pattern", "the pattern"))
    _require(
        not _NOT_PORTABLE.search(pattern),
        lambda: message(
            "parameter.pattern_javascript",
            "the pattern must be one that JavaScript knows too: no look-around, no inline"
            " flags, no \\A, no \\z, no [[:class:]]",
        ),
    )
    _require(
        _count_repeats(pattern) <= MAX_PATTERN_REPEATS,
        lambda: message(
            "parameter.pattern_repeats",
            "the pattern repeats too much; its counted repeats must stay under {limit}",
            limit=MAX_PATTERN_REPEATS,
        ),
    )
    _compile(spec.type.kind, spec)


def _count_repeats(pattern: str) -> int:
    """An upper bound of how often the counted repeats of a pattern copy its parts."""
    of_groups, of_characters = 1, 0
    for group, least, most in _REPEAT.findall(pattern):
        count = int(most or least)
        if group:
            of_groups *= max(count, 1)
        else:
            of_characters += count
    return of_groups * max(of_characters, 1)


def _check_binding(spec: ParameterSpec) -> None:
    if is_bound(spec):
        _check_hidden(spec)
    match spec.binding:
        case Binding.FIXED:
            _require(
                spec.bound_value is not None,
                lambda: message("parameter.fixed_value", "FIXED needs a bound value, as in 5"),
            )
            the_value = message("parameter.the_bound_value", "the bound value")
            _check_value(spec.type.kind, spec, spec.bound_value, the_value)
        case Binding.CLAIM:
            _require(
                is_claim_name(spec.bound_value),
                lambda: message(
                    "parameter.claim_name",
                    "CLAIM needs the claim's name as its bound value, a text of at most {limit}"
                    ' visible characters such as "tenant" (got {name})',
                    limit=MAX_CLAIM_NAME_CHARACTERS,
                    name=shown(spec.bound_value),
                ),
            )
        case binding:
            _require(
                spec.bound_value is None,
                lambda: message(
                    "parameter.no_bound_value",
                    "{binding} takes no bound value; only FIXED and CLAIM read one",
                    binding=binding,
                ),
            )
            _require(
                binding is Binding.AGENT or spec.type.kind.takes_any_text,
                lambda: message(
                    "parameter.bound_text",
                    "{binding} gives text; make the type STRING or ENUM",
                    binding=binding,
                ),
            )


def _check_hidden(spec: ParameterSpec) -> None:
    """What a bound parameter cannot have: it is never absent, never null and never shown to agents."""
    _require(
        spec.presence is Presence.REQUIRED and not spec.nullable,
        lambda: message(
            "parameter.bound_always",
            "{binding} always gives a value; make the parameter required, not nullable,"
            " and drop the default",
            binding=spec.binding,
        ),
    )
    _require(
        spec.example is None,
        lambda: message(
            "parameter.bound_example",
            "{binding} takes no example, agents do not see it; drop it",
            binding=spec.binding,
        ),
    )


def _check_value(kind: Kind, spec: ParameterSpec, value: JsonValue, label: Message) -> None:
    """Agents see the value in the schema, so it has to be of the declared type as it stands."""
    errors: set[str] = set()
    try:
        typed = _compile(kind, spec).validate_python(value)
    except ValidationError as error:
        errors = {str(detail["type"]) for detail in error.errors(include_url=False)}
        is_declared = False
    else:
        is_declared = not kind.scalar.is_plain_json or _same_types(typed, value)
    if not is_declared:
        problem = kind.describe(spec, value, errors)
        raise DefinitionError(
            message("parameter.value_fault", "{label} {problem}", label=label, problem=problem)
        )
    for text in value if isinstance(value, (list, tuple)) else [value]:
        if isinstance(text, str):
            _check_characters(text, label)


def _same_types(typed: object, value: object) -> bool:
    if isinstance(typed, list) and isinstance(value, (list, tuple)):
        pairs = zip(typed, value, strict=True)
        return all(type(typed_item) is type(item) for typed_item, item in pairs)
    return type(typed) is type(value)


def _compile(kind: Kind, spec: ParameterSpec) -> SchemaValidator:
    try:
        return SchemaValidator(kind.schema(spec))
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


def _require(holds: bool, otherwise: Callable[[], Message]) -> None:
    # Made when it is raised: thousands of tools are checked at each start, and nearly all are right.
    if not holds:
        raise DefinitionError(otherwise())
