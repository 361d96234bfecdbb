"""Arguments of a call: the JSON schema that agents see, and the check that every call passes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic_core import ErrorDetails, SchemaValidator, ValidationError, core_schema

from core.argument_texts import invalid_arguments_text
from core.bindings import NOBODY, CallerFacts, ParameterBinder, is_bound
from core.errors import ArgumentsError
from core.toolspec import ParameterSpec, Presence


def input_schema(parameters: Sequence[ParameterSpec]) -> dict[str, Any]:
    """The JSON schema of a call's arguments, key order stable; no `required` where nothing is.

    Bound parameters are left out: agents neither see nor send them.
    Null is an `anyOf` branch and never a list of types, which Gemini's function declarations refuse.
    Bounds of dates are in the description: JSON Schema's own bounds are numbers.
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
    tool_name: str, parameters: Sequence[ParameterSpec], others: Iterable[str] = ()
) -> "ArgumentsValidator":
    """The check of a tool's calls; cheap to make, compiled at the first call.

    `others` are names of arguments that are checked elsewhere: refusals name them too.
    """
    # Two classes, so that tools without bound parameters do not pay for them.
    kind = BoundArgumentsValidator if any(map(is_bound, parameters)) else ArgumentsValidator
    return kind(tool_name, parameters, others)


class ArgumentsValidator:
    """Turns the arguments of a call into typed values by name, in order of declaration.

    The class of the type, in core/parameter_types, says what a value becomes. An absent optional
    argument gives its default or None.
    Numbers, true and false may be written as text; a bool is never a number. Safe to share among threads.
    """

    __slots__ = ("_compiled", "_names", "_others", "_parameters", "_tool_name")

    def __init__(
        self, tool_name: str, parameters: Sequence[ParameterSpec], others: Iterable[str] = ()
    ) -> None:
        self._tool_name = tool_name
        self._parameters = tuple(parameters)
        self._others = tuple(others)
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
        fields: dict[str, core_schema.TypedDictField] = {}
        for spec in self._parameters:
            schema = spec.type.kind.schema(spec)
            schema = core_schema.nullable_schema(schema) if spec.accepts_null else schema
            is_required = spec.presence is Presence.REQUIRED
            if not is_required:
                default = spec.default if spec.presence is Presence.OPTIONAL_DEFAULT else None
                # Validating it turns the default's JSON into the typed value, and a list into a fresh copy.
                schema = core_schema.with_default_schema(
                    schema, default=default, validate_default=True
                )
            fields[spec.name] = core_schema.typed_dict_field(schema, required=is_required)
        whole = core_schema.typed_dict_schema(fields, extra_behavior="ignore")
        self._compiled = SchemaValidator(whole)
        return self._compiled

    def _refusal(
        self, arguments: Mapping[str, object], error: ValidationError | None
    ) -> ArgumentsError:
        details = _details(error) if error else []
        return ArgumentsError(
            invalid_arguments_text(
                self._tool_name, self._parameters, arguments, details, others=self._others
            )
        )


class BoundArgumentsValidator(ArgumentsValidator):
    """As ArgumentsValidator, for a tool with bound parameters.

    Their values pass the same validation as an agent's, and an argument of the same name is refused.
    """

    __slots__ = ("_binder",)

    def __init__(
        self, tool_name: str, parameters: Sequence[ParameterSpec], others: Iterable[str] = ()
    ) -> None:
        super().__init__(tool_name, parameters, others)
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
            refused = {str(detail["loc"][0]) for detail in _details(error)}
            self._binder.check_accepted(refused, facts)
            raise self._refusal(arguments, error) from None
        if not arguments.keys() <= self._names:
            raise self._refusal(arguments, None)
        return values


def _details(error: ValidationError) -> list[ErrorDetails]:
    return error.errors(include_url=False, include_context=False)


def _property_schema(spec: ParameterSpec) -> dict[str, Any]:
    value = spec.type.kind.json_schema(spec)
    schema: dict[str, Any] = {"anyOf": [value, {"type": "null"}]} if spec.accepts_null else value
    earliest = f"from {spec.minimum}" if isinstance(spec.minimum, str) else ""
    latest = f"up to {spec.maximum}" if isinstance(spec.maximum, str) else ""
    bounds = f"({' '.join(filter(None, (earliest, latest)))})" if earliest or latest else ""
    description = f"{spec.description} {bounds}".strip() if bounds else spec.description
    if description:
        schema["description"] = description
    if spec.presence is Presence.OPTIONAL_NULL:
        schema["default"] = None
    elif spec.presence is Presence.OPTIONAL_DEFAULT:
        schema["default"] = spec.default
    if spec.example is not None:
        schema["examples"] = [spec.example]
    return schema
