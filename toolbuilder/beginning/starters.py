"""Ready beginnings of a tool: good examples to learn from, read from starters.yaml, and empty ones."""

from dataclasses import dataclass
from pathlib import Path

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from catalog.models import CatalogTable
from core.tool_entry import READS_ONLY
from core.toolspec import JsonValue
from toolbuilder.exchange.formats import read_tools_file
from tools.definitions import ToolDocument

EMPTY_SQL = "empty-sql"
EMPTY_PYTHON = "empty-python"
EMPTY_HTTP = "empty-http"
_FILE = Path(__file__).with_name("starters.yaml")
_READY = read_tools_file(_FILE.read_text("utf-8")).tools
_TOOLS = {tool.name: tool.snapshot for tool in _READY}


@dataclass(frozen=True, slots=True, kw_only=True)
class Starter:
    """A tool to begin with; `purpose` says what it does, `lesson` what one learns from it.

    `tool_name` is its name in the file. `tables` are those of the demo shop that it reads, none if the
    tool runs anywhere.
    """

    id: str
    tool_name: str
    icon: str
    title: str | Promise
    purpose: str | Promise
    lesson: str | Promise
    tables: tuple[str, ...] = ()

    @property
    def tool(self) -> ToolDocument:
        """The whole tool."""
        return _TOOLS[self.tool_name]

    @property
    def test_values(self) -> dict[str, JsonValue]:
        """An argument for each parameter, with which it gives an answer."""
        return {parameter.param_name: parameter.example for parameter in self.tool.parameters}


def find_starter(id_: str) -> Starter | None:
    """The starter of that id."""
    return next((starter for starter in STARTERS if starter.id == id_), None)


def make_empty(tool_type: str, data_source: str | None = None) -> ToolDocument:
    """A tool that says nothing yet, on a data source by name."""
    return ToolDocument(tool_type=tool_type, data_source=data_source, annotations=READS_ONLY)


def has_demo_tables() -> bool:
    """Whether the catalogue knows all the tables of the starters in the default data source; one query."""
    needed = {name for starter in STARTERS for name in starter.tables}
    rows = CatalogTable.objects.present().filter(source=None, schema="public", name__in=needed)
    return rows.count() == len(needed)


STARTERS = (
    Starter(
        id="lookup",
        tool_name="product_by_sku",
        icon="search",
        title=_("Look up one row by its key"),
        purpose=_("Finds one product by the number on its label."),
        lesson=_("A required parameter, a pattern that refuses nonsense, an example for agents."),
        tables=("products",),
    ),
    Starter(
        id="filtered-list",
        tool_name="products_on_sale",
        icon="list-filter",
        title=_("List with optional filters"),
        purpose=_("Lists products, of one category or up to a price if the agent says so."),
        lesson=_(
            "Conditions in [[ ]] that fall away when their parameter is left out, choices, and a"
            " limit of the rows that the agent may set."
        ),
        tables=("products",),
    ),
    Starter(
        id="by-day",
        tool_name="sales_by_day",
        icon="calendar",
        title=_("Totals by day between two dates"),
        purpose=_("Adds up sales for each day of a period."),
        lesson=_("Dates as parameters, GROUP BY, and an answer as a Markdown table."),
        tables=("daily_sales_summary",),
    ),
    Starter(
        id="top-n",
        tool_name="top_stores",
        icon="chart-column",
        title=_("Top of a ranking"),
        purpose=_("Ranks stores by what they sold in a period."),
        lesson=_("A JOIN, an aggregate, and a default for how many the agent gets."),
        tables=("daily_sales_summary", "stores"),
    ),
    Starter(
        id="search",
        tool_name="product_names",
        icon="scan-search",
        title=_("Search by a part of a text"),
        purpose=_("Finds products whose name, in three languages, has a word in it."),
        lesson=_("ILIKE with the wildcards in the query, so that agents need not know of them."),
        tables=("products",),
    ),
    Starter(
        id="several-values",
        tool_name="stores_of_regions",
        icon="list",
        title=_("Several values at once"),
        purpose=_("Lists the stores of some regions."),
        lesson=_("A list as a parameter in IN ( ), and which of its values are allowed."),
        tables=("stores",),
    ),
    Starter(
        id="expression",
        tool_name="price_to_pay",
        icon="hash",
        title=_("Calculator in one line"),
        purpose=_("Works out a price with tax and discount, without any database."),
        lesson=_("Python in one expression: exact figures instead of a model's mental arithmetic."),
    ),
    Starter(
        id="script",
        tool_name="split_bill",
        icon="braces",
        title=_("Python in several lines"),
        purpose=_("Splits a bill among people so that not a cent is lost."),
        lesson=_("Variables, a loop and an answer with fields; it runs in a sandbox."),
    ),
)
