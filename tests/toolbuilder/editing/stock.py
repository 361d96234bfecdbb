"""Tools on the table `stock_level`."""

from core.toolspec import ParameterSpec, SqlLogic, ToolSpec


def tool(statement: str, *parameters: ParameterSpec) -> ToolSpec:
    """A SQL tool on the default data source."""
    return ToolSpec(id=1, name="stock", logic=SqlLogic(statement), parameters=parameters)
