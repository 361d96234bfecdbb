"""The floor: the same answers from bare Starlette, without MCP, a bearer check or any limit."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

pool = AsyncConnectionPool(
    os.environ["DEMO_DATABASE_URL"],
    open=False,
    min_size=1,
    max_size=4,
    kwargs={"autocommit": True, "row_factory": dict_row},
)


async def fetch(sql: str, values: dict[str, Any]) -> Response:
    async with pool.connection() as connection:
        cursor = await connection.execute(sql.encode(), values)
        return JSONResponse({"rows": await cursor.fetchall()})


async def multiply_numbers(request: Request) -> Response:
    given = await request.json()
    return JSONResponse({"result": given["num1"] * given["num2"]})


async def store_by_id(request: Request) -> Response:
    return await fetch(
        "SELECT id, store_name, store_name_en, region, city FROM stores WHERE id = %(store_id)s",
        await request.json(),
    )


async def sales_after(request: Request) -> Response:
    # Casts spare the floor a conversion of its own in Python.
    return await fetch(
        "SELECT id, store_id, product_id, amount::float8, transaction_date::text"
        " FROM sales_transactions WHERE id > %(first_id)s ORDER BY id LIMIT 1000",
        await request.json(),
    )


async def healthz(_request: Request) -> Response:
    return JSONResponse({"status": "ok"})


@asynccontextmanager
async def lifespan(_app: Starlette) -> AsyncIterator[None]:
    async with pool:
        yield


ROUTES = [
    Route("/multiply_numbers", multiply_numbers, methods=["POST"]),
    Route("/store_by_id", store_by_id, methods=["POST"]),
    Route("/sales_after", sales_after, methods=["POST"]),
    Route("/healthz", healthz),
]

if __name__ == "__main__":
    app = Starlette(routes=ROUTES, lifespan=lifespan)
    port = int(os.environ["PORT"])
    uvicorn.run(app, port=port, http="h11", log_config=None, access_log=False)
