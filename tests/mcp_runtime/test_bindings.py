"""Bound parameters over HTTP: the value is that of the caller's key, whatever the agent sends."""

from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User

from access.models import ApiKey, CallRecord
from mcp_runtime.server import Runtime
from tests.factories import claim, make_token, make_tool
from tests.mcp_runtime.conftest import ERAS, Serve, Served, listening
from tests.waiting import eventually
from tools.models import QuarantinedTool, ToolDefinition

pytestmark = pytest.mark.django_db(transaction=True)

ROWS = (
    "SELECT name FROM (VALUES ('KR', 'Seoul'), ('KR', 'Busan'), ('JP', 'Tokyo')) AS t(tenant, name)"
)
WHO = {"param_name": "who", "binding": "KEY_OWNER"}


def make_cities(**columns: Any) -> ToolDefinition:
    """A tool that gives the cities of the caller's tenant whose names begin with `prefix`."""
    return make_tool(
        f"{ROWS} WHERE tenant = :tenant AND name LIKE :prefix || '%'",
        name="cities",
        parameters=[claim("tenant", **columns), "prefix"],
    )


async def call(served: Served, token: str, name: str, /, **arguments: Any) -> Any:
    async with served.client(token=token) as client:
        return await client.call_tool(name, arguments, raise_on_error=False)


async def text_of(served: Served, token: str, name: str, /, **arguments: Any) -> str:
    return str((await call(served, token, name, **arguments)).content[0].text)


async def cities(served: Served, token: str) -> list[str]:
    result = await call(served, token, "cities", prefix="")
    return [name for (name,) in result.structured_content["rows"]]


@pytest.mark.parametrize("era", ERAS)
async def test_listed_schema_hides_bound_parameters(serve: Serve, era: str) -> None:
    await sync_to_async(make_cities)()

    async with serve() as served, served.client(era) as client:
        *_, tool = await client.list_tools()

    assert list(tool.input_schema["properties"]) == ["prefix"]
    assert tool.input_schema["required"] == ["prefix"]
    assert "tenant" not in tool.model_dump_json()


async def test_two_keys_with_different_claims_get_different_rows(serve: Serve) -> None:
    await sync_to_async(make_cities)()
    korean = await sync_to_async(make_token)(claims={"tenant": "KR"})
    japanese = await sync_to_async(make_token)(claims={"tenant": "JP"})

    async with serve() as served:
        assert await cities(served, korean) == ["Seoul", "Busan"]
        assert await cities(served, japanese) == ["Tokyo"]


async def test_owner_and_id_are_those_of_the_key(serve: Serve) -> None:
    await sync_to_async(make_tool)(
        "SELECT :who AS who, :key AS key",
        name="whoami",
        parameters=[WHO, {"param_name": "key", "binding": "key_id"}],
    )
    owner = await User.objects.acreate(username="kim")
    token = await sync_to_async(make_token)(owner=owner)

    async with serve() as served:
        result = await call(served, token, "whoami")

    assert result.structured_content["rows"] == [["kim", token.split("_")[1]]]


async def test_value_sent_by_the_agent_is_refused_by_name_with_the_other_faults(
    serve: Serve,
) -> None:
    await sync_to_async(make_cities)()
    token = await sync_to_async(make_token)(claims={"tenant": "KR"})

    async with serve() as served:
        text = await text_of(served, token, "cities", tenant="JP", prefix=5)

    assert text == (
        "Invalid arguments for cities:\n"
        "- tenant: is set by the server; leave it out\n"
        "- prefix: must be text (got 5)"
    )


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        pytest.param(
            {"region": "KR"},
            "cities needs the claim 'tenant', which your API key does not have;"
            " ask your administrator",
            id="missing",
        ),
        pytest.param(
            {"tenant": "DE"},
            "cities does not accept the claim 'tenant' of your API key; ask your administrator",
            id="not allowed",
        ),
        pytest.param(
            ["tenant"],
            "cities needs the claim 'tenant', which your API key does not have;"
            " ask your administrator",
            id="no object",
        ),
    ],
)
async def test_key_without_a_fitting_claim_is_refused(
    serve: Serve, claims: Any, expected: str
) -> None:
    await sync_to_async(make_cities)(param_type="ENUM", allowed_values=["KR", "JP"])
    token = await sync_to_async(make_token)(claims=claims)

    async with serve() as served:
        assert await text_of(served, token, "cities", prefix="") == expected


async def test_key_without_an_owner_is_refused(serve: Serve) -> None:
    await sync_to_async(make_tool)("SELECT :who AS who", name="whoami", parameters=[WHO])

    async with serve() as served:
        text = await text_of(served, served.token, "whoami")

    assert text == (
        "whoami needs an owner, which your API key does not have; ask your administrator"
    )


async def test_caller_without_a_key_is_refused(serve: Serve) -> None:
    await sync_to_async(make_cities)()
    async with listening(Runtime(auth_required=False)) as url:
        open_to_all = Served(Runtime(), url, "")

        text = await text_of(open_to_all, "unused", "cities", prefix="")

    assert text == (
        "cities needs an API key with the claim 'tenant', and this call was made without a key;"
        " ask your administrator"
    )


async def test_fixed_value_is_used(serve: Serve) -> None:
    fixed = {"param_name": "most", "param_type": "INTEGER", "binding": "FIXED", "bound_value": 2}
    await sync_to_async(make_tool)(
        "SELECT n FROM generate_series(1, 9) AS n LIMIT :most", name="few", parameters=[fixed]
    )

    async with serve() as served:
        result = await served.call("few")

    assert result.structured_content["rows"] == [[1], [2]]


async def test_bound_values_reach_expressions_too(serve: Serve) -> None:
    await sync_to_async(make_tool)(
        "'hello ' + who", name="greet", tool_type="PYTHON", parameters=[claim("who", "tenant")]
    )
    token = await sync_to_async(make_token)(claims={"tenant": "KR"})

    async with serve() as served:
        assert await text_of(served, token, "greet") == "hello KR"


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"claims": {"tenant": "JP"}}, id="claim"),
        pytest.param({"claims": {}}, id="no claim any more"),
    ],
)
async def test_changed_claim_is_used_within_two_seconds(
    serve: Serve, change: dict[str, Any]
) -> None:
    await sync_to_async(make_cities)()
    token = await sync_to_async(make_token)(claims={"tenant": "KR"})

    async with serve() as served:
        assert "Seoul" in await text_of(served, token, "cities", prefix="")
        await ApiKey.objects.filter(key_id=token.split("_")[1]).aupdate(**change)

        async def is_used() -> bool:
            return "Seoul" not in await text_of(served, token, "cities", prefix="")

        await eventually(is_used)


async def test_only_what_the_agent_sent_is_recorded(serve: Serve) -> None:
    await sync_to_async(make_cities)()
    token = await sync_to_async(make_token)("agent", claims={"tenant": "KR"})

    async with serve() as served:
        await call(served, token, "cities", prefix="S")
        await call(served, served.token, "cities", prefix="B")
    succeeded, refused = [record async for record in CallRecord.objects.order_by("at")]

    assert (succeeded.caller, succeeded.outcome) == ("agent", "ok")
    assert succeeded.arguments == {"prefix": "S"}
    assert (refused.outcome, refused.arguments) == ("tool_error", {"prefix": "B"})


async def test_wrong_binding_is_quarantined_with_its_reason(serve: Serve) -> None:
    bad = await sync_to_async(make_cities)(is_required=False)

    async with serve() as served:
        assert await served.names() == []
        stored = await QuarantinedTool.objects.aget(tool_id=bad.id)

    assert stored.reason.startswith("parameter tenant: CLAIM always gives a value")
