"""PostgreSQL from a plan."""

from collections.abc import Iterable

from tests.agents.demo_llm.plan import Plan
from tests.agents.demo_llm.reading import Reading
from tests.agents.demo_llm.schema import Column, Schema


def write_sql(plan: Plan, reading: Reading, schema: Schema) -> str:
    """One SELECT, a clause a line, every column with its table's name."""
    joins, ordered = _joins(plan, schema), _order(plan, reading)
    selected = _selected(plan, reading)
    lines = [f"SELECT {', '.join(selected)}", f"FROM {_path(plan.table, schema)}", *joins]
    if conditions := _conditions(plan, reading):
        lines.append("WHERE " + "\n  AND ".join(conditions))
    if grouped := _grouped(plan, reading, schema):
        lines.append(f"GROUP BY {', '.join(grouped)}")
    if ordered:
        lines.append(f"ORDER BY {ordered}")
    if reading.limit:
        lines.append(f"LIMIT {reading.limit}")
    return "\n".join(lines)


def name_of(column: Column) -> str:
    """The column with its table."""
    return f"{column.table}.{column.name}"


def _selected(plan: Plan, reading: Reading) -> list[str]:
    if not plan.function:
        return [name_of(column) for column in (*plan.groups, *plan.listed)] or ["*"]
    selected = [name_of(column) for column in plan.groups]
    if plan.date and reading.bucket:
        selected.insert(0, f"{_bucket(plan.date, reading.bucket)} AS {reading.bucket}")
    return [*selected, f"{_aggregate(plan)} AS {_result_name(plan)}"]


def _path(table: str, schema: Schema) -> str:
    return next((column.table_path for column in schema.of_table(table)), table)


def _aggregate(plan: Plan) -> str:
    if plan.measure is None:
        return "count(*)"
    call = f"{plan.function}({name_of(plan.measure)})"
    return f"round({call}, 2)" if plan.function == "avg" else call


def _result_name(plan: Plan) -> str:
    return f"{plan.function}_{plan.measure.name}" if plan.measure else "row_count"


def _bucket(column: Column, bucket: str) -> str:
    return f"date_trunc('{bucket}', {name_of(column)})::date"


def _joins(plan: Plan, schema: Schema) -> list[str]:
    used = [
        *plan.groups,
        *(hit.column for hit in plan.values),
        *(c for c, _, _ in plan.comparisons),
    ]
    joins: dict[str, None] = {}
    for column in used:
        for key in schema.path(plan.table, column.table) or ():
            if key.refers_to:
                table, target = key.refers_to
                joins[f"JOIN {_path(table, schema)} ON {table}.{target} = {name_of(key)}"] = None
    return list(joins)


def _conditions(plan: Plan, reading: Reading) -> list[str]:
    conditions = []
    if plan.date and reading.period.start:
        conditions.append(f"{name_of(plan.date)} >= '{reading.period.start}'")
    if plan.date and reading.period.end:
        conditions.append(f"{name_of(plan.date)} < '{reading.period.end}'")
    conditions += [f"{name_of(hit.column)} = {_literal(hit.value)}" for hit in plan.values]
    conditions += [f"{name_of(column)} {op} {number}" for column, op, number in plan.comparisons]
    return conditions


def _grouped(plan: Plan, reading: Reading, schema: Schema) -> list[str]:
    if not plan.function:
        return []
    grouped = [reading.bucket] if plan.date and reading.bucket else []
    for column in plan.groups:
        # Two stores of one name are two stores.
        keys = _keys(schema.of_table(column.table)) if column.is_label else []
        grouped += dict.fromkeys([*map(name_of, keys), name_of(column)])
    return grouped


def _keys(columns: Iterable[Column]) -> list[Column]:
    return [column for column in columns if column.is_primary]


def _order(plan: Plan, reading: Reading) -> str:
    direction = "" if reading.is_ascending else " DESC"
    if not plan.function:
        by = name_of(plan.measure) if plan.measure and reading.has_order else ""
        return f"{by}{direction}" if by else ""
    if plan.date and reading.bucket and not reading.has_order:
        return ", ".join([reading.bucket, *map(name_of, plan.groups)])
    return f"{_result_name(plan)}{direction}" if plan.groups or reading.bucket else ""


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
