"""Arguments of a call: the JSON schema that agents see, and the check that every call passes."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import ErrorDetails, SchemaValidator, ValidationError, core_schema

from core.argument_schemas import argument_field
from core.argument_texts import invalid_arguments_text
from core.bindings import NOBODY, CallerFacts, ParameterBinder, is_bound
from core.errors import ArgumentsError
from core.parameter_checks import check_parameters
from core.toolspec import ParameterSpec, ParameterType, Presence

__all__ = ["ArgumentsValidator", "arguments_validator", "check_parameters", "input_schema"]

_TYPE_KEYWORDS: dict[ParameterType, dict[str, Any]] = {
    ParameterType.STRING: {"type": "string"},
    ParameterType.ENUM: {"type": "string"},
    ParameterType.NUMBER: {"type": "number"},
    ParameterType.INTEGER: {"type": "integer"},
    ParameterType.BOOLEAN: {"type": "boolean"},
    ParameterType.DATE: {"type": "string", "format": "date"},
    ParameterType.DATETIME: {"type": "string", "format": "date-time"},
    ParameterType.STRING_LIST: {"type": "string"},
    ParameterType.NUMBER_LIST: {"type": "number"},
    ParameterType.INTEGER_LIST: {"type": "integer"},
}


def input_schema(parameters: Sequence[ParameterSpec]) -> dict[str, Any]:
    """The JSON schema of a call's arguments, key order stable; no `required` where nothing is.

    Bound parameters are left out: agents neither see nor send them.
    Null is an `anyOf` branch and never a list of types, which Gemini's function declarations refuse.
    Bounds of dates stand in the description: JSON Schema's own bounds are numbers.
    """
    shown = [spec for spec in parameters if not is_bound(spec)]
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {spec.name: _property_schema(spec) for spec in shown},
    }
    required = [spec.name for spec in shown if spec.presence is Presence.REQUIRED]
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    return schema


def arguments_validator(
    tool_name: str, parameters: Sequence[ParameterSpec]
) -> "ArgumentsValidator":
    """The check of a tool's calls; cheap to make, compiled at the first call."""
    # Two classes, so that tools without bound parameters do not pay for them.
    kind = BoundArgumentsValidator if any(map(is_bound, parameters)) else ArgumentsValidator
    return kind(tool_name, parameters)


class ArgumentsValidator:
    """Turns the arguments of a call into typed values by name, in order of declaration.

    STRING and ENUM give str; INTEGER int; NUMBER int where a whole one that fits 64 bits was sent, else
    float; BOOLEAN bool; DATE date; DATETIME an aware datetime (one without offset is taken as UTC);
    lists fresh lists of these. An absent optional argument gives its default or None.
    Numbers, true and false may be written as text; a bool is never a number. Safe to share among threads.
    """

    __slots__ = ("_compiled", "_names", "_parameters", "_tool_name")

    def __init__(self, tool_name: str, parameters: Sequence[ParameterSpec]) -> None:
        self._tool_name = tool_name
        self._parameters = tuple(parameters)
        self._names = frozenset(spec.name for spec in parameters if not is_bound(spec))
        self._compiled: SchemaValidator | None = None

    def __call__(
        self, arguments: Mapping[str, object], facts: CallerFacts = NOBODY
    ) -> dict[str, object]:
        """The typed values. Raises ArgumentsError, which names every field that does not fit.

        `facts` are those of the caller; only bound parameters read them.
        """
        compiled = self._compiled or self._compile()
        try:
            values: dict[str, object] = compiled.validate_python(arguments)
        except ValidationError as error:
            raise self._refusal(arguments, error) from None
        if not arguments.keys() <= self._names:
            raise self._refusal(arguments, None)
        return values

    def _compile(self) -> SchemaValidator:
        # Two threads may both compile at the first call; the results are equal, so no lock is needed.
        fields = {spec.name: argument_field(spec) for spec in self._parameters}
        schema = core_schema.typed_dict_schema(fields, extra_behavior="ignore")
        self._compiled = SchemaValidator(schema)
        return self._compiled

    def _refusal(
        self, arguments: Mapping[str, object], error: ValidationError | None
    ) -> ArgumentsError:
        details = _details(error) if error else []
        return ArgumentsError(
            invalid_arguments_text(self._tool_name, self._parameters, arguments, details)
        )


class BoundArgumentsValidator(ArgumentsValidator):
    """As ArgumentsValidator, for a tool with bound parameters.

    Their values pass the same validation as an agent's, and an argument of the same name is refused.
    """

    __slots__ = ("_binder",)

    def __init__(self, tool_name: str, parameters: Sequence[ParameterSpec]) -> None:
        super().__init__(tool_name, parameters)
        self._binder = ParameterBinder(tool_name, parameters)

    def __call__(
        self, arguments: Mapping[str, object], facts: CallerFacts = NOBODY
    ) -> dict[str, object]:
        """As ArgumentsValidator. Raises MissingFactError first, for what no other arguments would mend."""
        bound = self._binder.values(facts)
        compiled = self._compiled or self._compile()
        try:
            # The bound values last: they win over arguments of the same name.
            values: dict[str, object] = compiled.validate_python({**arguments, **bound})
        except ValidationError as error:
            self._binder.check_accepted({str(detail["loc"][0]) for detail in _details(error)})
            raise self._refusal(arguments, error) from None
        if not arguments.keys() <= self._names:
            raise self._refusal(arguments, None)
        return values


def _details(error: ValidationError) -> list[ErrorDetails]:
    return error.errors(include_url=False, include_context=False)


def _property_schema(spec: ParameterSpec) -> dict[str, Any]:
    value = _value_keywords(spec)
    schema: dict[str, Any] = {"anyOf": [value, {"type": "null"}]} if spec.accepts_null else value
    description = _description(spec)
    if description:
        schema["description"] = description
    if spec.presence is Presence.OPTIONAL_NULL:
        schema["default"] = None
    elif spec.presence is Presence.OPTIONAL_DEFAULT:
        schema["default"] = spec.default
    if spec.example is not None:
        schema["examples"] = [spec.example]
    return schema


def _value_keywords(spec: ParameterSpec) -> dict[str, Any]:
    keywords = dict(_TYPE_KEYWORDS[spec.type])
    if spec.allowed_values:
        keywords["enum"] = list(spec.allowed_values)
    if spec.minimum is not None and not isinstance(spec.minimum, str):
        keywords["minimum"] = spec.minimum
    if spec.maximum is not None and not isinstance(spec.maximum, str):
        keywords["maximum"] = spec.maximum
    if spec.pattern is not None:
        keywords["pattern"] = spec.pattern
    return {"type": "array", "items": keywords} if spec.type.is_list else keywords


def _description(spec: ParameterSpec) -> str:
    earliest = f"from {spec.minimum}" if isinstance(spec.minimum, str) else ""
    latest = f"up to {spec.maximum}" if isinstance(spec.maximum, str) else ""
    bounds = f"({earliest} {latest})".replace("( ", "(").replace(" )", ")")
    return spec.description if bounds == "()" else f"{spec.description} {bounds}".strip()
