"""Advice on a tool, without a database: what agents will stumble over, and what would be better."""

from collections.abc import Collection

from core.lints.advice import Advice, AdviceLevel, problem
from core.lints.descriptions import (
    Neighbours,
    advise_on_description,
    advise_on_languages,
    advise_on_name,
)
from core.lints.parameters import advise_on_parameters
from core.lints.statements import advise_on_annotations, advise_on_statement
from core.toolspec import HttpLogic, SqlLogic, ToolSpec

__all__ = ["Advice", "AdviceLevel", "Neighbours", "advise"]

_ORDER = (AdviceLevel.PROBLEM, AdviceLevel.WARNING, AdviceLevel.SUGGESTION)


def advise(
    spec: ToolSpec,
    others: Neighbours,
    reserved_names: Collection[str] = (),
    languages: Collection[str] = (),
) -> list[Advice]:
    """The advice on a tool, what matters most first.

    `others` are the tools that agents see beside it; `reserved_names` are taken, and
    `languages` those in which a tool is expected to be described that is described in several.
    """
    found: list[Advice] = []
    if spec.name in reserved_names:
        taken = problem(
            "name_reserved",
            "{name} is the name of a built-in tool; choose another.",
            name=spec.name,
        )
        found.append(taken.at("name"))
    found += advise_on_name(spec, others)
    found += advise_on_description(spec, others)
    found += advise_on_languages(spec, languages)
    found += advise_on_parameters(spec)
    if not isinstance(spec.logic, HttpLogic):
        found += advise_on_annotations(spec)
    if isinstance(spec.logic, SqlLogic):
        found += advise_on_statement(spec, spec.logic)
    return sorted(found, key=lambda advice: _ORDER.index(advice.level))
