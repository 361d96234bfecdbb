"""Advice on parameters: how they are described, and whether they fit the logic."""

import json
import re
from collections.abc import Iterator

from core.arguments import input_schema
from core.bindings import is_bound
from core.errors import DefinitionError
from core.expression import find_names
from core.http_logic import read_operation
from core.lints.advice import Advice, problem, suggestion, warning
from core.parameter_checks import check_parameters
from core.script import find_script_names
from core.statement import find_parameters
from core.tokens import estimate_tokens
from core.toolspec import (
    ExpressionLogic,
    HttpLogic,
    Logic,
    ParameterType,
    Presence,
    ScriptLogic,
    SqlLogic,
    ToolSpec,
)

SCHEMA_TOKENS = 800
_EXAMPLE = re.compile(r"\be\.g\.|\bexamples?\b|\bsuch as\b|예[:)]|예를|例", re.IGNORECASE)


def advise_on_parameters(spec: ToolSpec) -> Iterator[Advice]:
    """What is wrong with single parameters, then with all."""
    for parameter in spec.parameters:
        place = f"parameters.{parameter.name}"
        try:
            check_parameters([parameter])
        except DefinitionError as error:
            yield problem("parameter_invalid", "{reason}", reason=error.message).at(place)
        if is_bound(parameter):
            continue
        if not parameter.name.isascii():
            # Anthropic's API refuses the whole list of tools, with every request of the conversation.
            yield warning(
                "parameter_name_refused",
                "{name}: Claude takes names of letters A to Z, digits and _ only; with this one every"
                " request of an agent that has the tool fails there.",
                name=parameter.name,
            ).at(place)
        if not parameter.description.strip():
            yield suggestion(
                "parameter_undescribed",
                "{name} has no description; agents guess what it means.",
                name=parameter.name,
            ).at(place)
        says_all = parameter.type is ParameterType.BOOLEAN or parameter.allowed_values
        is_shown = parameter.example is not None or parameter.presence is Presence.OPTIONAL_DEFAULT
        if not (says_all or is_shown or _EXAMPLE.search(parameter.description)):
            yield suggestion(
                "parameter_example",
                "{name} has no example; one value shows the form better than words.",
                name=parameter.name,
            ).at(place)
    yield from _judge_use(spec)
    schema = json.dumps(input_schema(spec.parameters), ensure_ascii=False)
    if (tokens := estimate_tokens(schema)) > SCHEMA_TOKENS:
        yield suggestion(
            "schema_long",
            "The parameters take about {tokens} tokens of every conversation; {limit} are plenty.",
            tokens=tokens,
            limit=SCHEMA_TOKENS,
        ).at("parameters")


def _judge_use(spec: ToolSpec) -> Iterator[Advice]:
    declared = [parameter.name for parameter in spec.parameters]
    used = _find_used(spec.logic, declared)
    for name in declared:
        if name not in used:
            yield warning(
                "parameter_unused",
                "{name} is declared but not used; use it or remove the parameter.",
                name=name,
            ).at(f"parameters.{name}")
    for name in used:
        if name not in declared:
            yield problem(
                "parameter_undeclared",
                "{name} is used but not declared; add the parameter.",
                name=name,
            ).at("logic")


def _find_used(logic: Logic, declared: list[str]) -> list[str]:
    match logic:
        case SqlLogic(statement, _, dialect):
            return find_parameters(statement, dialect)
        case ExpressionLogic(expression):
            return find_names(expression, declared)
        case ScriptLogic(script):
            return find_script_names(script, declared)
        case HttpLogic(operation):
            # Of the operation's own parameters no row is needed.
            try:
                arguments = {
                    parameter.argument for parameter in read_operation(operation).parameters
                }
            except DefinitionError:
                return declared
            return [name for name in declared if name in arguments]
