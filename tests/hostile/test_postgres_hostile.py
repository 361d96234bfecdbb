"""No statement hurts: each is refused with its reason, and leaves nothing behind."""

import pytest

from core.errors import DataSourceError, StatementError, ToolboxError
from core.toolspec import ParameterType
from gateways.postgres.source import PostgresSource
from tests.hostile.commands import COMMANDS, DISGUISED
from tests.hostile.functions import DENIED, OWN_CODE, TREAT
from tests.hostile.running import make_query, make_unchecked_query, serve

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.usefixtures("unharmed")]

CALLS = [(name, sql) for name, calls in DENIED.items() for sql in calls]
# What only our own lexer has an opinion about, or libpq would not send.
LEXICAL = {"NUL", "half a character", "template in a string", "too long"}
WITHOUT_LEXER = [
    *COMMANDS.values(),
    *(sql for name, (sql, _) in DISGUISED.items() if not any(word in name for word in LEXICAL)),
    *(sql for _, sql in CALLS),
    *TREAT,
]
ONLY_OWNER = pytest.mark.parametrize("source", ["owner"], indirect=True)
ONLY_READER = pytest.mark.parametrize("source", ["reader"], indirect=True)


@ONLY_OWNER
@pytest.mark.parametrize("sql", COMMANDS.values(), ids=COMMANDS)
async def test_command_is_refused_by_its_name(source: PostgresSource, sql: str) -> None:
    with pytest.raises(StatementError, match=r"only queries .* can be served; this is [A-Z]+$"):
        await serve(source, make_query(sql))


@pytest.mark.parametrize(("sql", "text"), DISGUISED.values(), ids=DISGUISED)
async def test_disguised_command_is_refused(source: PostgresSource, sql: str, text: str) -> None:
    with pytest.raises(ToolboxError, match=text):
        await serve(source, make_query(sql))


@pytest.mark.parametrize(("name", "sql"), CALLS, ids=[name for name, _ in CALLS])
async def test_function_is_refused_by_its_name(source: PostgresSource, name: str, sql: str) -> None:
    with pytest.raises(StatementError, match=f"function {name} is not allowed on this source: "):
        await serve(source, make_query(sql))


@pytest.mark.parametrize("sql", TREAT)
async def test_treat_is_refused(source: PostgresSource, sql: str) -> None:
    with pytest.raises(StatementError, match=r"TREAT is not allowed .* write a cast"):
        await serve(source, make_query(sql))


@pytest.mark.parametrize(("sql", "text"), OWN_CODE.values(), ids=OWN_CODE)
async def test_code_of_the_source_itself_changes_nothing(
    source: PostgresSource, sql: str, text: str
) -> None:
    with pytest.raises(DataSourceError, match=text):
        await serve(source, make_query(sql))


@ONLY_READER
async def test_policy_that_writes_is_stopped(source: PostgresSource) -> None:
    with pytest.raises(DataSourceError, match="in a read-only transaction"):
        await serve(source, make_query("SELECT * FROM trapped"))


@ONLY_OWNER
@pytest.mark.parametrize("sql", WITHOUT_LEXER)
async def test_text_is_refused_without_our_lexer_too(source: PostgresSource, sql: str) -> None:
    with pytest.raises(DataSourceError):
        await source.run(make_unchecked_query(sql))


@ONLY_OWNER
@pytest.mark.parametrize("call", ["pg_sleep(1)", '"pg_sleep"(1)', "pg_sleep /* */ (1)"])
async def test_refusal_points_at_the_call(source: PostgresSource, call: str) -> None:
    sql = "SELECT 'pg_sleep(1)', id {{n}} /* pg_sleep(1) */ FROM item WHERE x = pg_catalog." + call  # noqa: S608 - ours
    query = make_query(sql, {"n": (ParameterType.INTEGER, 1)})

    with pytest.raises(StatementError) as refusal:
        await source.check(query.statement, query.types)

    assert refusal.value.position == sql.index(call, sql.index("catalog"))
