"""A tool whose query is planned over its ceiling is not published."""

from dataclasses import replace
from typing import Any

import pytest

from catalog.sources.settings import SourceSettings, read_sources
from core.errors import DefinitionError
from core.toolspec import Binding, ParameterSpec, ParameterType, Presence, SqlLogic, ToolSpec
from tests.factories import make_data_source
from toolbuilder.editing.publishing import publish_snapshot
from toolbuilder.history.versions import VersionEntry
from toolbuilder.models import VersionOrigin
from tools.costs import check_planned_cost, cost_limit_of
from tools.definitions import ToolDocument
from tools.models import ToolDefinition

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedded_postgres")]

SERIES = "SELECT count(*) FROM generate_series(1, :n) AS a, generate_series(1, :n) AS b"
N = ParameterSpec(name="n", type=ParameterType.INTEGER, example=1000)


def spec(*parameters: ParameterSpec, statement: str = SERIES, limit: int | None = 100) -> ToolSpec:
    return ToolSpec(
        id=1,
        name="t",
        logic=SqlLogic(statement),
        parameters=parameters,
        plan_cost_limit=limit,
    )


def test_query_is_planned_with_the_examples() -> None:
    sources = read_sources()

    check_planned_cost(spec(replace(N, example=2)), sources)
    with pytest.raises(DefinitionError, match=r"the planned cost of the query is .* at most 100"):
        check_planned_cost(spec(N), sources)


def test_query_without_its_optional_parameter_is_planned_too() -> None:
    optional = ParameterSpec(
        name="a", type=ParameterType.INTEGER, presence=Presence.OPTIONAL_NULL, example=1
    )
    statement = "SELECT n FROM generate_series(1, 100000) AS n WHERE true [[AND n = :a AND false]]"

    with pytest.raises(DefinitionError, match="the planned cost"):
        check_planned_cost(spec(optional, statement=statement, limit=1), read_sources())


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({"default": 2, "presence": Presence.OPTIONAL_DEFAULT}, id="default"),
        pytest.param({"allowed_values": (2, 3)}, id="allowed value"),
        pytest.param({"binding": Binding.FIXED, "bound_value": 2}, id="fixed value"),
        pytest.param({"binding": Binding.CLAIM, "bound_value": "n"}, id="claim"),
    ],
)
def test_value_of_each_kind_is_found(given: dict[str, Any]) -> None:
    check_planned_cost(spec(replace(N, **{"example": None, **given})), read_sources())


def test_parameter_of_which_nothing_is_known_needs_an_example() -> None:
    with pytest.raises(DefinitionError, match="n needs an example"):
        check_planned_cost(spec(replace(N, example=None)), read_sources())


def test_nothing_is_asked_without_a_ceiling() -> None:
    # There is no such data source to ask.
    check_planned_cost(spec(N, limit=None), SourceSettings())


def test_lower_ceiling_counts() -> None:
    make_data_source("crm", plan_cost_limit=70)
    sources = read_sources()
    logic = SqlLogic("SELECT 1", "crm")

    assert cost_limit_of(replace(spec(limit=None), logic=logic), sources) == 70
    assert cost_limit_of(replace(spec(limit=90), logic=logic), sources) == 70
    assert cost_limit_of(replace(spec(limit=50), logic=logic), sources) == 50


def test_costly_tool_is_not_published() -> None:
    document = ToolDocument(
        name="costly",
        definition="SELECT n FROM generate_series(1, 100000) AS n",
        plan_cost_limit=1,
    )

    with pytest.raises(DefinitionError, match="at most 1 is allowed"):
        publish_snapshot(None, document, VersionEntry(origin=VersionOrigin.IMPORTED))

    assert not ToolDefinition.objects.exists()


def test_ceiling_belongs_to_the_content_and_none_leaves_the_hash_as_it_was() -> None:
    plain = ToolDocument(name="t", definition="SELECT 1")

    assert "plan_cost_limit" not in str(plain.replace(plan_cost_limit=None).content_hash)
    assert plain.content_hash != plain.replace(plan_cost_limit=5).content_hash
