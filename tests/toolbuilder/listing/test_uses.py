"""The list of tools is narrowed to those that use a table or a column, in what is served or being written."""

import pytest
from django.test import Client

from catalog.models import CatalogTable
from tests.catalog.rows import make_table
from tests.factories import make_tool
from toolbuilder.editing.drafts import PageState, open_draft, save_draft
from tools.definitions import ToolDocument
from tools.models import ToolDefinition


@pytest.fixture
def stores(db: None) -> CatalogTable:
    return make_table("stores", {"id": {}, "city": {}})


def listed(admin: Client, uses: str) -> list[str]:
    return [row.tool.name for row in admin.get("/tools/", {"uses": uses}).context["listing"].rows]


def edit(tool: ToolDefinition, definition: str) -> None:
    draft = open_draft(tool, "kim")
    state = PageState(username="kim", revision=1)
    save_draft(draft.uid, draft.document | {"definition": definition}, state)


@pytest.mark.usefixtures("embedded_postgres")
def test_tools_and_drafts_that_use_a_column_are_listed(admin: Client, stores: CatalogTable) -> None:
    city = stores.columns.get(name="city")
    make_tool("SELECT city FROM stores", name="served")
    make_tool("SELECT id FROM stores", name="of_the_table")
    edit(make_tool("SELECT 1 AS one", name="written"), "SELECT s.city FROM stores AS s")
    make_tool("SELECT 2 AS two", name="other")
    new = ToolDocument(name="new", definition="SELECT max(city) AS m FROM stores")
    draft = open_draft(None, "kim", new)

    page = admin.get("/tools/", {"uses": f"{stores.pk}.{city.pk}"})

    assert listed(admin, f"{stores.pk}.{city.pk}") == ["served", "written"]
    assert listed(admin, str(stores.pk)) == ["of_the_table", "served", "written"]
    assert [found.pk for found in page.context["drafts"]] == [draft.pk]
    assert str(page.context["used"]) == "stores.city"


@pytest.mark.parametrize("uses", ["0", "x", "1.2.3", "9" * 30])
def test_use_of_what_is_not_there_lists_nothing(admin: Client, uses: str) -> None:
    make_tool(name="one")

    assert listed(admin, uses) == []
