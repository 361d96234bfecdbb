"""Every change of what matters is entered in a chained trail, whichever program makes it."""

import threading
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import Group, Permission, User
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from access.audit.models import AuditEntry
from access.audit.trail import check_chain
from access.audit.triggers import AUDITED_TABLES
from access.keys import find_key, issue_key, revoke_key, rotate_key
from access.limits.models import ToolLimit
from access.models import ApiKey, IssuerRule, RoleGrant, TokenIssuer
from access.tasks import publish_audit_head
from catalog.models import DataSource, McpServer, McpTool, ServiceSecret
from tests.catalog.rows import make_table
from tests.factories import make_token, make_tool, make_toolset, number
from toolbuilder.editing.drafts import open_draft
from toolbuilder.editing.publishing import publish_tool
from toolbuilder.models import NightlyCases, ToolCase, ToolReview, ToolVersion
from tools.models import ToolAlias

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_trail")]

KEYS = "/admin/access/apikey/"
FORM = {
    "name": "agent",
    "reach": "these",
    "allowed_tools": "search_tools",
    "days": "",
    "claims": "",
}


def entries(kind: str) -> list[tuple[str, str]]:
    rows = AuditEntry.objects.filter(kind=kind).order_by("number")
    return list(rows.values_list("action", "target_name"))


def last_entry(kind: str) -> AuditEntry:
    return AuditEntry.objects.filter(kind=kind).latest("number")


def changes_of(entry: AuditEntry) -> dict[str, list[Any]]:
    """By column: what was before and after."""
    return {name: values for name, *values in entry.changes}


def execute(statement: str, *parameters: Any) -> None:
    """By a program that is not the product."""
    with psycopg.connect(dsn()) as other:
        other.execute(statement, parameters)


def dsn() -> str:
    parameters = {**connection.get_connection_params()}
    names = ("host", "port", "user", "password", "dbname")
    return psycopg.conninfo.make_conninfo(
        **{name: parameters[name] for name in names if parameters.get(name)}
    )


def test_each_table_that_matters_has_its_triggers() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger"
            " WHERE tgfoid = 'toolbuilder_audit_change'::regproc AND tgdeferrable"
        )
        assert {name for (name,) in cursor} == set(AUDITED_TABLES)


def _make_rows() -> None:
    """A row of each table, one after the other."""
    user, group = User.objects.create_user("ann"), Group.objects.create(name="sellers")
    right = Permission.objects.first()
    assert right is not None
    user.groups.add(group)
    user.user_permissions.add(right)
    group.permissions.add(right)
    issue_key("agent")
    tool = make_tool(name="sales", parameters=["region"])
    ToolCase.objects.create(tool=tool, name="Korea", document={})
    NightlyCases.objects.create(tool=tool)
    ToolVersion.objects.create(
        tool=tool, tool_name="sales", number=1, document={}, override_reason="Agreed."
    )
    ToolAlias.objects.create(tool=tool, old_name="turnover", expires_at=timezone.now())
    RoleGrant.objects.create(user=user, role="author", toolset=make_toolset("kr", "sales"))
    ToolLimit.objects.create(target_type="ALL", max_count=5)
    source = DataSource.objects.create(name="shop", host="h", database="d", username="u")
    source.allowed_users.add(user)
    source.allowed_groups.add(group)
    ServiceSecret.objects.create(source=source, name="tenant", secret="hunter2")
    server = McpServer.objects.create(name="crm", server_url="https://crm.example.com/mcp")
    McpTool.objects.create(server=server, name="find", seen={}, seen_digest="x", accepted={})
    column = make_table("stores", columns=("id",)).columns.get()
    column.is_masked = True
    column.save()
    issuer = TokenIssuer.objects.create(
        name="login", url="https://login.example.com", client_secret="hunter2"
    )
    IssuerRule.objects.create(issuer=issuer, claim="groups", test="contains", value="sales")
    ToolReview.objects.create(name="sales", document={}, asked_by="ann")


def test_orm_writes_of_each_table_are_entered() -> None:
    _make_rows()

    assert set(AuditEntry.objects.values_list("kind", flat=True)) == set(AUDITED_TABLES)
    assert entries("h_custom_tool_case") == [("insert", "sales: Korea")]
    assert entries("h_custom_tool_version") == [("insert", "sales 1")]
    assert entries("h_custom_tool_param") == [("insert", "sales.region")]
    assert entries("h_custom_tool_alias") == [("insert", "sales · turnover")]
    assert entries("auth_user_groups") == [("insert", "ann · sellers")]
    assert entries("h_mcp_toolset_tool") == [("insert", "kr · sales")]
    assert entries("h_mcp_server_tool") == [("insert", "crm_find")]
    assert entries("h_claim_rule") == [("insert", "groups sales")]
    assert check_chain().is_whole


@pytest.mark.parametrize("table", AUDITED_TABLES)
def test_deleting_by_another_program_is_entered(table: str) -> None:
    _make_rows()
    before = AuditEntry.objects.count()

    execute(f"DELETE FROM {table}" if table != "h_catalog_column" else _UNMASK)  # noqa: S608

    entry = AuditEntry.objects.filter(kind=table, number__gt=before).latest("number")
    assert entry.action == ("delete" if table != "h_catalog_column" else "update")
    assert (entry.actor, entry.place) == (f"db:{entry.db_role}", "database")
    assert check_chain().is_whole


_UNMASK = "UPDATE h_catalog_column SET is_masked = false"


def test_emptying_a_table_is_entered() -> None:
    make_tool()

    execute("TRUNCATE h_custom_tool CASCADE")

    assert last_entry("h_custom_tool").action == "truncate"


def test_page_says_who_made_and_revoked_a_key_and_from_where(admin: Client) -> None:
    admin.post("/keys/new/", FORM)
    key = ApiKey.objects.get()
    admin.post(f"/keys/{key.pk}/revoke/")
    admin.post(f"/keys/{key.pk}/revoke/")

    columns = "actor", "place", "address", "action", "target_name"
    rows = AuditEntry.objects.filter(kind="h_api_key").order_by("number")
    assert list(rows.values_list(*columns)) == [
        ("admin", "page", "127.0.0.1", "insert", "agent"),
        ("admin", "page", "127.0.0.1", "update", "agent"),
    ]
    made, revoked = rows
    assert changes_of(made)["allowed_tools"] == [None, ["search_tools"]]
    assert [name for name, _before, _after in revoked.changes] == ["revoked_at"]
    assert "agent" in admin.get("/keys/").content.decode()


def test_back_office_is_told_apart(admin: Client) -> None:
    admin.post(f"{KEYS}add/", {"name": "agent", "allowed_tools": '["*"]', "claims": "{}"})
    key = ApiKey.objects.get()
    changed = {"name": "agent", "allowed_tools": '["sales"]', "claims": "{}"}
    admin.post(f"{KEYS}{key.pk}/change/", changed)

    entry = last_entry("h_api_key")
    assert (entry.actor, entry.place) == ("admin", "back_office")
    assert changes_of(entry)["allowed_tools"] == [["*"], ["sales"]]


def test_command_line_is_told_apart() -> None:
    call_command("create_api_key", "agent", stdout=StringIO(), stderr=StringIO())

    entry = last_entry("h_api_key")
    assert (entry.place, entry.action) == ("command", "insert")
    assert entry.actor
    assert entry.address


def test_owner_deleted_by_another_program_takes_the_keys_along() -> None:
    token = make_token(owner=User.objects.create_user("ann"))

    execute("DELETE FROM auth_user WHERE username = 'ann'")

    key = ApiKey.objects.get()
    assert (find_key(token), key.owner) == (None, None)
    assert {"revoked_at", "owner_id"} & set(changes_of(last_entry("h_api_key")))


def test_keys_of_a_deactivated_owner_stop_until_they_are_back() -> None:
    owner = User.objects.create_user("ann")
    token = make_token(owner=owner)

    User.objects.update(is_active=False)
    assert find_key(token) is None

    User.objects.update(is_active=True)
    assert find_key(token) is not None


def test_publishing_is_entered_with_what_changed(admin: Client) -> None:
    tool = make_tool("SELECT :a + :b AS sum", name="sums", parameters=[number("a"), number("b")])
    draft = open_draft(tool, "ann")
    draft.document["definition"] = "SELECT :a - :b AS difference"
    draft.save()
    before = AuditEntry.objects.count()

    publish_tool(draft, "ann")

    made = AuditEntry.objects.filter(number__gt=before, kind="h_custom_tool").order_by("number")
    changes = {name: values for entry in made for name, *values in entry.changes}
    assert changes["definition"] == ["SELECT :a + :b AS sum", "SELECT :a - :b AS difference"]


def test_nothing_is_entered_for_use_health_or_a_sign_in_time() -> None:
    key = issue_key("agent").key
    user = User.objects.create_user("ann")
    server = McpServer.objects.create(name="crm", server_url="https://crm.example.com/mcp")
    McpTool.objects.create(server=server, name="find", seen={}, seen_digest="x")
    before = AuditEntry.objects.count()

    execute("UPDATE h_api_key SET last_used_at = now()")
    execute("UPDATE auth_user SET last_login = now()")
    execute("UPDATE h_mcp_server SET state = 'ok', checked_at = now()")
    execute("UPDATE h_mcp_server_tool SET seen = '{\"a\": 1}', seen_digest = 'y'")
    user.save()
    key.save()

    assert AuditEntry.objects.count() == before


def test_what_is_rolled_back_leaves_no_entry_and_no_gap() -> None:
    make_tool(name="kept")
    with transaction.atomic():
        make_tool(name="gone")
        transaction.set_rollback(True)
    make_tool(name="kept_too")

    assert [name for _action, name in entries("h_custom_tool")] == ["kept", "kept_too"]
    assert check_chain().is_whole


def test_secrets_are_never_in_it(admin: Client) -> None:
    issued = issue_key("agent")
    token = rotate_key(issued.key, overlap=issued.key.created_at - issued.key.created_at)
    User.objects.create_user("ann", password="a-long-password")
    DataSource.objects.create(
        name="shop", host="h", database="d", username="u", password="secret-of-shop"
    )
    execute("UPDATE h_data_source SET server_url = 'https://ann:word@example.com/x'")
    admin.post("/sign-out/")
    admin.post("/sign-in/", {"username": "typed-secret", "password": "typed-secret"})

    stored = str(list(AuditEntry.objects.values()))

    hidden = [issued.token, token, *ApiKey.objects.values_list("digest", "previous_digest").get()]
    hidden += [User.objects.get(username="ann").password, "secret-of-shop", "ann:word"]
    hidden += ["typed-secret", *DataSource.objects.values_list("password", flat=True)]
    assert [secret for secret in hidden if secret and secret in stored] == []
    assert changes_of(last_entry("h_data_source"))["server_url"][1] == "https://***@example.com/x"
    changed = AuditEntry.objects.filter(kind="h_api_key").latest("number")
    assert changes_of(changed)["digest"] == ["***", "***"]


@pytest.mark.parametrize("address", ["/sign-out/", "/admin/logout/"])
def test_sign_ins_are_entered(client: Client, address: str) -> None:
    User.objects.create_user("ann", password="right")

    client.post("/sign-in/", {"username": "ann", "password": "wrong"})
    client.post("/sign-in/", {"username": "ann", "password": "right"})
    client.post(address)

    rows = AuditEntry.objects.filter(kind="auth_user").order_by("number")
    assert list(rows.values_list("action", "target_name", "actor", "address")) == [
        ("insert", "ann", rows[0].actor, rows[0].address),
        ("sign_in_refused", "ann", "", "127.0.0.1"),
        ("signed_in", "ann", "ann", "127.0.0.1"),
        ("signed_out", "ann", "ann", "127.0.0.1"),
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE h_audit SET actor = ''",
        "DELETE FROM h_audit",
        "TRUNCATE h_audit",
        "DELETE FROM h_audit_head",
    ],
)
def test_entries_cannot_be_changed(statement: str) -> None:
    issue_key("agent")

    with pytest.raises(psycopg.DatabaseError, match="cannot be changed"):
        execute(statement)

    assert check_chain().is_whole


def test_writers_side_by_side_keep_one_chain() -> None:
    def write(writer: int) -> None:
        with psycopg.connect(dsn()) as other:
            for turn in range(20):
                for name in sorted(("a", "b", "c"), reverse=bool((writer + turn) % 2)):
                    other.execute(
                        "INSERT INTO h_mcp_toolset (name) VALUES (%s)",
                        [f"{name}-{writer}-{turn}"],
                    )
                other.commit()

    threads = [threading.Thread(target=write, args=[writer]) for writer in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(entries("h_mcp_toolset")) == 8 * 20 * 3
    assert check_chain().is_whole


def _by_hand(statement: str) -> None:
    """As the tables' owner can, with the triggers off."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE h_audit DISABLE TRIGGER refuse_change")
        cursor.execute(statement)
        cursor.execute("ALTER TABLE h_audit ENABLE TRIGGER refuse_change")


@pytest.mark.parametrize(
    ("statement", "number", "fault"),
    [
        ("UPDATE h_audit SET actor = 'bob' WHERE number = 3", 3, "changed"),
        ("UPDATE h_audit SET after = '{}' WHERE number = 1", 1, "changed"),
        ("DELETE FROM h_audit WHERE number = 2", 2, "missing"),
        ("DELETE FROM h_audit WHERE number = 1", 1, "missing"),
        ("DELETE FROM h_audit WHERE number = 5", 5, "missing"),
        ("DELETE FROM h_audit WHERE number > 3", 4, "missing"),
        ("DELETE FROM h_audit", 1, "missing"),
        (
            "INSERT INTO h_audit SELECT (jsonb_populate_record(h_audit, '{\"number\": 6}')).*"
            " FROM h_audit WHERE number = 5",
            6,
            "changed",
        ),
    ],
    ids=[
        "changed", "first changed", "removed", "first removed", "last removed", "end removed",
        "all removed", "put in",
    ],
)  # fmt: skip
def test_what_was_done_to_the_trail_by_hand_is_found(
    statement: str, number: int, fault: str
) -> None:
    for count in range(5):
        make_toolset(f"set-{count}")
    assert check_chain().is_whole

    _by_hand(statement)

    check = check_chain()
    assert (check.broken, check.fault) == (number, fault)
    with pytest.raises(CommandError, match=f"entry {number} "):
        call_command("audit", "verify", stdout=StringIO())
    # A number that is taken would let nobody write.
    _by_hand("DELETE FROM h_audit WHERE number > 5")


def test_a_transaction_of_many_entries_is_whole() -> None:
    execute(
        "INSERT INTO h_mcp_toolset (name) SELECT 'set-' || n FROM generate_series(1, 5000) AS n"
    )

    assert len(entries("h_mcp_toolset")) == 5000
    assert check_chain().is_whole


def test_revoking_twice_is_one_entry() -> None:
    key = issue_key("agent").key
    revoke_key(key)
    revoke_key(ApiKey.objects.get())

    assert [action for action, _name in entries("h_api_key")] == ["insert", "update"]


def test_back_office_refuses_an_emptied_list_with_a_sentence(admin: Client) -> None:
    form = {"name": "agent", "allowed_tools": "[]", "claims": "{}"}

    response = admin.post(f"{KEYS}add/", form)

    assert "Name at least one tool" in response.content.decode()
    assert not ApiKey.objects.exists()


def test_trail_that_was_cut_off_with_its_head_is_found_by_published_ends(
    settings: Any, tmp_path: Path, admin: Client
) -> None:
    settings.AUDIT_HEAD_FILE = str(tmp_path / "heads")
    make_tool(name="first")
    publish_audit_head()
    make_tool(name="second")
    head = publish_audit_head()
    assert head in admin.get("/audit/").content.decode()
    call_command("audit", "verify", heads=settings.AUDIT_HEAD_FILE, stdout=StringIO())
    number = int(head.split()[0])

    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE h_audit DISABLE TRIGGER USER")
        cursor.execute("DELETE FROM h_audit WHERE number >= %s", [number])
        cursor.execute("ALTER TABLE h_audit ENABLE TRIGGER USER")
        cursor.execute(
            "UPDATE h_audit_head SET (number, hash) ="
            " (SELECT number, hash FROM h_audit ORDER BY number DESC LIMIT 1)"
        )

    call_command("audit", "verify", stdout=StringIO())
    with pytest.raises(CommandError, match=r"the trail is whole, but .*none cannot be read"):
        call_command("audit", "verify", heads=str(tmp_path / "none"), stdout=StringIO())
    with pytest.raises(CommandError, match=f"entry {number} is not the one that was published"):
        call_command("audit", "verify", heads=settings.AUDIT_HEAD_FILE, stdout=StringIO())
