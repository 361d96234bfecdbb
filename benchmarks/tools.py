"""The tools of a run, written as any other program would write them: by SQL."""

from itertools import islice

import psycopg

ROW_SQL = "SELECT id, store_name, store_name_en, region, city FROM stores WHERE id = :store_id"
THOUSAND_SQL = (
    "SELECT id, store_id, product_id, amount, transaction_date FROM sales_transactions"
    " WHERE id > :first_id ORDER BY id LIMIT 1000"
)
# The first one is there in every size, the others from three tools on.
MEASURED = {
    "store_by_id": ("SQL", ROW_SQL, {"store_id": "INTEGER"}),
    "sales_after": ("SQL", THOUSAND_SQL, {"first_id": "INTEGER"}),
    "multiply_numbers": ("PYTHON", "num1 * num2", {"num1": "NUMBER", "num2": "NUMBER"}),
}
# Four of five are queries, no two alike, so that none is compiled or described for another.
_FILL = """
INSERT INTO h_custom_tool (name, description_agent, tool_type, definition)
SELECT format('sales_report_%%s', n),
    format('Sales of one store since a day, of at least %%s pieces each. For a store manager.', n),
    CASE WHEN n %% 5 = 0 THEN 'PYTHON' ELSE 'SQL' END,
    CASE WHEN n %% 5 = 0 THEN format('store_id * since + %%s', n) ELSE format(
        'SELECT transaction_date, product_id, quantity, amount FROM sales_transactions'
        ' WHERE store_id = :store_id AND transaction_date >= :since AND quantity >= %%s'
        ' ORDER BY transaction_date', n) END
FROM generate_series(1, %s) AS n"""
_FILL_PARAMETERS = """
INSERT INTO h_custom_tool_param (tool_id, param_name, param_type, description, position)
SELECT id, 'store_id', 'INTEGER', 'Number of the store, as in store_by_id.', 1
FROM h_custom_tool WHERE name LIKE 'sales\\_report\\_%'
UNION ALL
SELECT id, 'since', CASE tool_type WHEN 'SQL' THEN 'DATE' ELSE 'NUMBER' END, 'First day.', 2
FROM h_custom_tool WHERE name LIKE 'sales\\_report\\_%'"""


def write_tools(dsn: str, count: int) -> None:
    """Replace the tools of a database by `count` ones, as many of the measured ones as fit among them."""
    with psycopg.connect(dsn) as connection:
        connection.execute("DELETE FROM h_custom_tool")
        for name, (tool_type, definition, parameters) in islice(MEASURED.items(), count):
            row = connection.execute(
                "INSERT INTO h_custom_tool (name, description_agent, tool_type, definition)"
                " VALUES (%s, 'Measured.', %s, %s) RETURNING id",
                [name, tool_type, definition],
            ).fetchone()
            _write_parameters(connection, row, parameters)
        connection.execute(_FILL, [count - len(MEASURED)])
        connection.execute(_FILL_PARAMETERS)


def redefine(dsn: str, name: str, definition: str) -> None:
    """Give one tool another definition; committed on return."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(
            "UPDATE h_custom_tool SET definition = %s WHERE name = %s", [definition, name]
        )


def _write_parameters(
    connection: psycopg.Connection, row: tuple[int] | None, parameters: dict[str, str]
) -> None:
    assert row
    for position, (name, kind) in enumerate(parameters.items(), start=1):
        connection.execute(
            "INSERT INTO h_custom_tool_param (tool_id, param_name, param_type, position)"
            " VALUES (%s, %s, %s, %s)",
            [row[0], name, kind, position],
        )
