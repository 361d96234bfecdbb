"""CSV files as people have them: short rows, and values that come late."""

from pathlib import Path

import pytest

from core.errors import DataSourceError
from gateways.duckdb.settings import FilesSettings
from gateways.duckdb.source import DuckdbSource
from gateways.duckdb.uploads import convert_file, guess_file
from tests.gateways.duckdb.test_source import fetch

SHORT = "매장,금액,일자\n강남,100,2026-03-01\n홍대,200,2026-03-02\n합계,300\n"


async def test_row_with_fewer_cells_is_filled_up(tmp_path: Path) -> None:
    (tmp_path / "short.csv").write_text(SHORT)
    (tmp_path / "lines.csv").write_text('a;b;c\n1;"x\ny"\n2\n')
    (tmp_path / "single.csv").write_text("memo\nx\ny\n")
    async with DuckdbSource(FilesSettings(path=tmp_path, pool_size=1)) as source:
        assert await fetch(source, "SELECT 매장, 금액, 일자::text FROM short") == [
            ["강남", 100, "2026-03-01"],
            ["홍대", 200, "2026-03-02"],
            ["합계", 300, None],
        ]
        assert await fetch(source, "SELECT * FROM lines") == [[1, "x\ny", None], [2, None, None]]
        assert await fetch(source, "SELECT * FROM single") == [["x"], ["y"]]


async def test_uploaded_row_with_fewer_cells_is_filled_up(tmp_path: Path) -> None:
    path, target = tmp_path / "short.csv", tmp_path / "short.parquet"
    path.write_text(SHORT)

    guessed = await guess_file(path, "csv")

    assert [name for name, _ in guessed.columns] == ["매장", "금액", "일자"]
    assert await convert_file(path, "csv", {"금액": "VARCHAR"}, target) == 3


async def test_value_that_comes_late_is_named_with_what_to_do(tmp_path: Path) -> None:
    rows = "".join(f"{number},{number}\n" for number in range(30_000))
    (tmp_path / "late.csv").write_text(f"id,v\n{rows}x1,2\n")
    async with DuckdbSource(FilesSettings(path=tmp_path, pool_size=1)) as source:
        with pytest.raises(DataSourceError) as caught:
            await fetch(source, "SELECT max(id) FROM late")

    assert str(caught.value) == (
        'line 30002 of late.csv has "x1" in the column id, which is taken for BIGINT; upload the file'
        " and choose VARCHAR for the column, or save the file as Parquet"
    )
