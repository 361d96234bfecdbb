"""Only valid keys get in, and a revoked one is out at once."""

from collections.abc import Callable
from datetime import timedelta

import httpx
import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from access.keys import issue_key, new_token
from access.models import ApiKey
from tests.factories import make_expression
from tests.mcp_runtime.conftest import Serve, Served, eventually
from tests.mcp_runtime.test_fastmcp_contract import modern_request

pytestmark = pytest.mark.django_db(transaction=True)


async def status(served: Served, token: str | None) -> int:
    request = modern_request(served, "multiply", {"a": 1, "b": 1})
    request["headers"]["Authorization"] = f"Bearer {token}"
    if token is None:
        del request["headers"]["Authorization"]
    async with httpx.AsyncClient() as http:
        return (await http.post(**request)).status_code


BAD_TOKENS: dict[str, Callable[[], str | None]] = {
    "none": lambda: None,
    "nonsense": lambda: "nonsense",
    "unknown": new_token,
    "expired": lambda: issue_key("old", expires_at=timezone.now() - timedelta(days=1)).token,
}


async def test_bad_token_is_refused(serve: Serve, subtests: pytest.Subtests) -> None:
    async with serve() as served:
        for case, make in BAD_TOKENS.items():
            with subtests.test(case):
                token = await sync_to_async(make)()

                assert await status(served, token) == 401


async def test_revoked_key_is_refused_at_once(serve: Serve) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with serve() as served:
        assert await status(served, served.token) == 200
        await ApiKey.objects.aupdate(revoked_at=timezone.now())

        async def is_refused() -> bool:
            return await status(served, served.token) == 401

        await eventually(is_refused, within_s=1.0)


async def test_health_needs_no_key_and_tells_no_secret(serve: Serve) -> None:
    async with serve() as served, httpx.AsyncClient() as http:
        response = await http.get(served.url.replace("/mcp", "/healthz"))

    assert response.status_code == 200
    body = response.json()
    assert (body.pop("status"), body.pop("database")) == ("ok", "ok")
    assert body.keys() == {"revision", "tools", "quarantined"}
