"""What one would write by hand for the same tools: FastMCP with a pool and a bearer check."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from fastmcp import FastMCP
from fastmcp.server.auth import StaticTokenVerifier
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

pool = AsyncConnectionPool(
    os.environ["DEMO_DATABASE_URL"],
    open=False,
    min_size=1,
    max_size=4,
    kwargs={"autocommit": True, "row_factory": dict_row},
)


@asynccontextmanager
async def lifespan(_mcp: FastMCP) -> AsyncIterator[None]:
    async with pool:
        yield


async def fetch(sql: str, **values: object) -> list[dict[str, Any]]:
    async with pool.connection() as connection:
        cursor = await connection.execute(sql.encode(), values)
        rows: list[dict[str, Any]] = await cursor.fetchall()  # type: ignore[assignment]
        return rows


auth = StaticTokenVerifier({os.environ["API_KEY"]: {"client_id": "bench", "scopes": []}})
mcp = FastMCP("static", auth=auth, lifespan=lifespan, mask_error_details=True)


@mcp.tool
async def multiply_numbers(num1: float, num2: float) -> float:
    """Multiplies two numbers."""
    return num1 * num2


@mcp.tool
async def store_by_id(store_id: int) -> list[dict[str, Any]]:
    """One store."""
    return await fetch(
        "SELECT id, store_name, store_name_en, region, city FROM stores WHERE id = %(store_id)s",
        store_id=store_id,
    )


@mcp.tool
async def sales_after(first_id: int) -> list[dict[str, Any]]:
    """A thousand sales."""
    return await fetch(
        "SELECT id, store_id, product_id, amount, transaction_date FROM sales_transactions"
        " WHERE id > %(first_id)s ORDER BY id LIMIT 1000",
        first_id=first_id,
    )


if __name__ == "__main__":
    app = mcp.http_app(path="/mcp")
    port = int(os.environ["PORT"])
    uvicorn.run(app, port=port, log_config=None, access_log=False)
