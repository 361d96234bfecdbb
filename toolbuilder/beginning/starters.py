"""Ready beginnings of a tool: good examples to learn from, and empty ones."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from catalog.models import CatalogTable
from core.toolspec import JsonValue
from tools.definitions import ParameterDocument, ToolDocument
from tools.models import ToolType

READS_ONLY = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}
EMPTY_SQL = "empty-sql"
EMPTY_PYTHON = "empty-python"


@dataclass(frozen=True, slots=True, kw_only=True)
class Starter:
    """A tool to begin with; `purpose` says what it does, `lesson` what one learns of it.

    `tables` are those of the demo shop that it reads, none of a tool that runs anywhere.
    """

    id: str
    icon: str
    title: str | Promise
    purpose: str | Promise
    lesson: str | Promise
    tool: ToolDocument
    tables: tuple[str, ...] = ()

    @property
    def test_values(self) -> dict[str, JsonValue]:
        """An argument for each parameter, with which it gives an answer."""
        return {one.param_name: one.example for one in self.tool.parameters}


def find_starter(id_: str) -> Starter | None:
    """The starter of that id."""
    return next((one for one in STARTERS if one.id == id_), None)


def make_empty(tool_type: str, data_source: str | None = None) -> ToolDocument:
    """A tool that says nothing yet, on a data source by name."""
    return ToolDocument(tool_type=tool_type, data_source=data_source, annotations=READS_ONLY)


def has_demo_tables() -> bool:
    """Whether the catalogue knows all the tables of the starters in the default data source; one query."""
    needed = {name for starter in STARTERS for name in starter.tables}
    rows = CatalogTable.objects.present().filter(source=None, schema="public", name__in=needed)
    return rows.count() == len(needed)


def _sql(name: str, statement: str, **columns: JsonValue) -> ToolDocument:
    return _tool(name, statement, ToolType.SQL, **columns)


def _python(name: str, logic: str, **columns: JsonValue) -> ToolDocument:
    return _tool(name, logic, ToolType.PYTHON, **columns)


def _tool(
    name: str,
    definition: str,
    tool_type: ToolType,
    *,
    parameters: Iterable[ParameterDocument],
    **columns: JsonValue,
) -> ToolDocument:
    return ToolDocument(
        name=name,
        definition=definition,
        tool_type=tool_type.value,
        annotations=READS_ONLY,
        parameters=tuple(parameters),
        **columns,
    )


def _parameter(
    name: str, kind: str, description: str, example: JsonValue, **columns: JsonValue
) -> ParameterDocument:
    return ParameterDocument(
        param_name=name, param_type=kind, description=description, example=example, **columns
    )


def _optional(
    name: str, kind: str, description: str, example: JsonValue, **columns: JsonValue
) -> ParameterDocument:
    return _parameter(name, kind, description, example, is_required=False, **columns)


_START = _parameter(
    "start_date", "DATE", "First day, inclusive; the data begins on 2024-01-15.", "2026-01-01"
)
_END = _parameter("end_date", "DATE", "Last day, inclusive.", "2026-01-31")

STARTERS = (
    Starter(
        id="lookup",
        icon="search",
        title=_("Look up one row by its key"),
        purpose=_("Finds one product by the number on its label."),
        lesson=_("A required parameter, a pattern that refuses nonsense, an example for agents."),
        tables=("products",),
        tool=_sql(
            "product_by_sku",
            """SELECT sku, product_name_en AS name, category, price, is_active
FROM products
WHERE sku = :sku""",
            title="Product by SKU",
            description_agent=(
                "Returns name, category, list price in yen and whether it is still sold, of the one"
                " product with this SKU. Use it when the SKU is known, as on a label or a receipt; to"
                " search by words use product_names. An unknown SKU gives no row."
            ),
            description_user="One product by its SKU.",
            tags=["product"],
            parameters=[
                _parameter(
                    "sku",
                    "STRING",
                    "Stock keeping unit: SKU- and five digits.",
                    "SKU-00501",
                    pattern="^SKU-[0-9]{5}$",
                )
            ],
        ),
    ),
    Starter(
        id="filtered-list",
        icon="list-filter",
        title=_("List with optional filters"),
        purpose=_("Lists products, of one category or up to a price if the agent says so."),
        lesson=_(
            "Conditions in [[ ]] that fall away when their parameter is left out, choices, and a"
            " limit of the rows that the agent may set."
        ),
        tables=("products",),
        tool=_sql(
            "products_on_sale",
            """SELECT id, product_name_en AS name, category, price
FROM products
WHERE is_active
  [[ AND category = :category ]]
  [[ AND price <= :max_price ]]
ORDER BY price, id
LIMIT :max_rows""",
            title="Products on sale",
            description_agent=(
                "Lists products that are sold now, cheapest first: id, English name, category and list"
                " price in yen. Use it to see what a category offers or what fits a budget; without"
                " arguments it lists the cheapest of all. It holds no sales figures."
            ),
            description_user="Products by category and price.",
            tags=["product"],
            parameters=[
                _optional(
                    "category",
                    "ENUM",
                    "Only this category; leave out for all.",
                    "FOOD",
                    allowed_values=["FOOD", "DRINK", "BEAUTY", "FASHION", "HOME", "STATIONERY"],
                ),
                _optional(
                    "max_price", "NUMBER", "Highest price in yen; leave out for any.", 2000,
                    minimum="0",
                ),
                _optional(
                    "max_rows", "INTEGER", "How many products at most.", 20,
                    default=20, minimum="1", maximum="120",
                ),
            ],
        ),
    ),
    Starter(
        id="by-day",
        icon="calendar",
        title=_("Totals by day between two dates"),
        purpose=_("Adds up sales for each day of a period."),
        lesson=_("Dates as parameters, GROUP BY, and an answer as a Markdown table."),
        tables=("daily_sales_summary",),
        tool=_sql(
            "sales_by_day",
            """SELECT summary_date AS day,
       sum(transaction_count) AS sales,
       sum(total_quantity) AS units,
       sum(total_amount) AS amount
FROM daily_sales_summary
WHERE summary_date BETWEEN :start_date AND :end_date
GROUP BY summary_date
ORDER BY summary_date""",
            title="Sales by day",
            description_agent=(
                "Returns the sales of all stores for each day of a period, oldest day first: number of"
                " sales, units and amount in yen including tax. Use it for trends and for the best or"
                " worst day; for a ranking of stores use top_stores."
            ),
            description_user="Sales of each day in a period.",
            result_format="MARKDOWN",
            row_limit=400,
            tags=["sales"],
            parameters=[_START, _END],
        ),
    ),
    Starter(
        id="top-n",
        icon="chart-column",
        title=_("Top of a ranking"),
        purpose=_("Ranks stores by what they sold in a period."),
        lesson=_("A JOIN, an aggregate, and a default for how many the agent gets."),
        tables=("daily_sales_summary", "stores"),
        tool=_sql(
            "top_stores",
            """SELECT s.id AS store_id,
       s.store_name_en AS store,
       s.region,
       sum(d.total_amount) AS amount
FROM daily_sales_summary d
JOIN stores s ON s.id = d.store_id
WHERE d.summary_date BETWEEN :start_date AND :end_date
GROUP BY s.id, s.store_name_en, s.region
ORDER BY amount DESC, s.id
LIMIT :top_n""",
            title="Top stores",
            description_agent=(
                "Returns the stores that sold most in a period, best first: store id, name, region (KR,"
                " JP or US) and amount in yen including tax. Use it for questions such as 'which stores"
                " did best last month'; for single days use sales_by_day."
            ),
            description_user="The stores that sold most.",
            tags=["sales", "store"],
            parameters=[
                _START,
                _END,
                _optional(
                    "top_n", "INTEGER", "How many stores.", 5, default=5, minimum="1", maximum="24"
                ),
            ],
        ),
    ),
    Starter(
        id="search",
        icon="scan-search",
        title=_("Search by a part of a text"),
        purpose=_("Finds products whose name, in three languages, has a word in it."),
        lesson=_("ILIKE with the wildcards in the query, so that agents need not know of them."),
        tables=("products",),
        tool=_sql(
            "product_names",
            """SELECT id, sku, product_name_en, product_name, product_name_ko, price
FROM products
WHERE product_name_en ILIKE '%' || :words || '%'
   OR product_name ILIKE '%' || :words || '%'
   OR product_name_ko ILIKE '%' || :words || '%'
ORDER BY product_name_en, id
LIMIT 50""",
            title="Products by name",
            description_agent=(
                "Finds products by a part of their name in English, Japanese or Korean, whatever the"
                " case; returns id, SKU, the three names and the price in yen, at most 50. Use it to"
                " learn a product's id or SKU from what a customer calls it."
            ),
            description_user="Products by a part of their name.",
            tags=["product", "search"],
            parameters=[
                _parameter(
                    "words", "STRING", "A part of the name, 2 letters or more.", "tea",
                    pattern="^.{2,100}$",
                )
            ],
        ),
    ),
    Starter(
        id="several-values",
        icon="list",
        title=_("Several values at once"),
        purpose=_("Lists the stores of some regions."),
        lesson=_("A list as a parameter in IN ( ), and which of its values are allowed."),
        tables=("stores",),
        tool=_sql(
            "stores_of_regions",
            """SELECT id AS store_id, store_name_en AS store, region, city, store_type, opened_on
FROM stores
WHERE region IN (:regions)
  AND is_open
ORDER BY region, id""",
            title="Stores of regions",
            description_agent=(
                "Lists the open stores of one or more regions: id, English name, region, city, type and"
                " opening day. Use it to learn store ids, or to count stores; it holds no sales."
            ),
            description_user="The stores of some regions.",
            tags=["store"],
            parameters=[
                _parameter(
                    "regions", "STRING_LIST", "Regions, one or more.", ["KR", "JP"],
                    allowed_values=["KR", "JP", "US"],
                )
            ],
        ),
    ),
    Starter(
        id="expression",
        icon="hash",
        title=_("Calculator in one line"),
        purpose=_("Works out a price with tax and discount, without any database."),
        lesson=_("Python in one expression: exact figures instead of a model's mental arithmetic."),
        tool=_python(
            "price_to_pay",
            "round(net_price * (1 - discount_percent / 100) * (1 + tax_percent / 100), 2)",
            title="Price to pay",
            description_agent=(
                "Calculates the price to pay: net price less a discount in percent, plus tax in"
                " percent, rounded to 2 digits, in the currency of the net price. Use it whenever a"
                " price with tax is asked for instead of calculating by yourself."
            ),
            description_user="Price with discount and tax.",
            tags=["math"],
            parameters=[
                _parameter("net_price", "NUMBER", "Price without tax.", 1000, minimum="0"),
                _optional(
                    "discount_percent", "NUMBER", "Discount in percent.", 15,
                    default=0, minimum="0", maximum="100",
                ),
                _optional(
                    "tax_percent", "NUMBER", "Tax in percent.", 10, default=10, minimum="0",
                    maximum="100",
                ),
            ],
        ),
    ),
    Starter(
        id="script",
        icon="braces",
        title=_("Python in several lines"),
        purpose=_("Splits a bill among people so that not a cent is lost."),
        lesson=_("Variables, a loop and an answer with fields; it runs in a sandbox."),
        tool=_python(
            "split_bill",
            """# Whole cents; what is left over is paid by the first ones, one cent each.
cents = round(amount * 100)
share = cents // people
shares = []
for number in range(people):
    extra = 1 if number < cents - share * people else 0
    shares.append((share + extra) / 100)
result = {'total': amount, 'people': people, 'shares': shares}
""",
            title="Split a bill",
            description_agent=(
                "Splits an amount among people into equal shares of two decimals that add up exactly;"
                " returns the total and the list of shares, the larger ones first. Use it when a bill,"
                " a budget or a cost is to be divided."
            ),
            description_user="Equal shares that add up.",
            tags=["math"],
            parameters=[
                _parameter(
                    "amount", "NUMBER", "Amount in any currency.", 100,
                    minimum="0", maximum="1000000000",
                ),
                _parameter(
                    "people", "INTEGER", "How many people pay.", 3, minimum="1", maximum="100"
                ),
            ],
        ),
    ),
)  # fmt: skip
