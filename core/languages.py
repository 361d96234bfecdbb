"""Descriptions for agents in several languages, and which of them a client asks for."""

import re
from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache
from typing import Any

from core.execution import CompiledTool
from core.tool_entry import ToolEntry, make_entry
from core.toolspec import ParameterSpec, ToolSpec

LANGUAGE_CODE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{1,8})*")
_RANGE = re.compile(
    r"\s*([A-Za-z]{2,3})(?:-[A-Za-z0-9-]+)?\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?"
)


@lru_cache(256)
def read_accepted_language(header: str) -> str:
    """The language that an Accept-Language header (RFC 9110) wants most, as in `ko`; '' for none."""
    ranges = [found for part in header[:200].split(",") if (found := _RANGE.fullmatch(part))]
    weights = {found[1].lower(): float(found[2] or 1) for found in reversed(ranges)}
    # Of equal ones the first.
    return max(reversed(weights), key=weights.__getitem__, default="") if weights else ""


def languages_of(spec: ToolSpec) -> frozenset[str]:
    """The languages in which the tool, or one of its parameters, is described beside the default text."""
    texts = (spec.descriptions, *(parameter.descriptions for parameter in spec.parameters))
    return frozenset(language for described in texts for language, _text in described)


def translate_spec(spec: ToolSpec, language: str) -> ToolSpec:
    """The tool with its descriptions in that language; what has none keeps the default text."""
    if language not in languages_of(spec):
        return spec
    return replace(
        spec,
        description=dict(spec.descriptions).get(language, spec.description),
        parameters=tuple(_in_language(parameter, language) for parameter in spec.parameters),
    )


def missing_languages(spec: ToolSpec, expected: Collection[str]) -> dict[str, list[str]]:
    """What is described in some language but not in these: by language, '' for the tool or the parameter's name.

    Nothing of a tool that is described in its default text alone.
    """
    if not languages_of(spec):
        return {}
    described = {"": spec.descriptions, **{row.name: row.descriptions for row in spec.parameters}}
    texts = {"": spec.description, **{row.name: row.description for row in spec.parameters}}
    missing = {
        language: [
            name for name, given in described.items() if texts[name] and language not in dict(given)
        ]
        for language in expected
    }
    return {language: names for language, names in missing.items() if names}


def describe_tool(tool: CompiledTool, output: dict[str, Any], language: str = "") -> ToolEntry:
    """The entry of a defined tool in that language."""
    spec = translate_spec(tool.spec, language) if language else tool.spec
    return make_entry(spec, tool.describe_input(spec.parameters), output)


def _in_language(parameter: ParameterSpec, language: str) -> ParameterSpec:
    text = dict(parameter.descriptions).get(language)
    return parameter if text is None else replace(parameter, description=text)
