"""What each engine declares of itself, and that the page of engines says the same."""

from pathlib import Path
from typing import Any

from core.catalogue.connection_code import connection_info
from core.catalogue.entries import TableEntry, TableName, TableSummary
from gateways.engine import Ability, Engine
from gateways.engines import ENGINES
from tests.gateways.engine_contract.table import make_table

_PAGE = Path(__file__).parents[3] / "docs/engines.md"


def test_agents_get_code_that_connects(engine: Engine) -> None:
    entry = TableEntry(
        source_name="shop",
        dialect=engine.dialect,
        table=TableName("", "odd name"),
        summary=TableSummary(name="odd name"),
        is_reachable=engine.takes_clients,
    )

    info: Any = connection_info(entry)

    assert info["environment_variable"] == ("SHOP_URL" if engine.takes_clients else "")
    for code in info["connection_code"].values():
        compile(code, "sample", "exec")
        assert ("SHOP_URL" in code) is engine.takes_clients


def test_the_page_of_engines_has_the_table() -> None:
    assert make_table() in _PAGE.read_text()


def test_every_ability_is_one_that_some_engine_lacks() -> None:
    for ability in Ability:
        having = [ability in engine.abilities for engine in ENGINES.values()]
        assert any(having)
        assert not all(having), f"{ability} belongs into the contract of all"
