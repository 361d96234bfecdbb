"""What a restricted data source hides is hidden at every address: pages, files, back office and API.

Each address has its row in the table, with who may open it and whether it shows something of the
data source to those who may use it. All that belongs to the data source has one word in it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from access.keys import create_key
from access.models import ApiKey, CallRecord, ToolLimit
from catalog.models import (
    CatalogScan,
    CheckState,
    DataSource,
    ScanState,
    SourceCheck,
    TableRelation,
    Tag,
)
from core.catalogue.entries import RelationType
from tests.catalog.rows import make_table
from tests.config.web.visible_addresses import ALL, PERSON, STAFF, TABLE, WORD
from tests.factories import make_tool, make_toolset
from toolbuilder.editing.drafts import open_draft
from toolbuilder.history.versions import VersionEntry, record_version
from toolbuilder.models import (
    PlaygroundChat,
    ReviewComment,
    SearchMeasurement,
    SearchQuestion,
    ToolReplay,
    ToolReview,
    ToolTrial,
    VersionOrigin,
)
from toolbuilder.playground.exchanges import CallAnswer
from toolbuilder.search_lab.index import shared_keeper
from tools.definitions import ToolDocument
from tools.models import QuarantinedTool, ToolDefinition

pytestmark = pytest.mark.django_db


def walk(resolver: URLResolver, namespace: str = "") -> Iterator[tuple[str, URLPattern]]:
    """The named addresses; those without a name lead to others or to nothing."""
    for one in resolver.url_patterns:
        if isinstance(one, URLResolver):
            yield from walk(one, f"{namespace}{one.namespace}:" if one.namespace else namespace)
        elif one.name:
            yield f"{namespace}{one.name}", one


# So that no test takes too long on a busy machine.
PARTS = 4
# What a row may say for an address to open for them.
ENOUGH = {"anonymous": {ALL}, "person": {ALL, PERSON}, "staff": {ALL, PERSON, STAFF}}
ADDRESSES = dict(walk(get_resolver()))


def test_every_address_has_its_row() -> None:
    assert set(ADDRESSES) == set(TABLE)


@dataclass(frozen=True, slots=True)
class World:
    """A restricted data source with all that belongs to it, and people of each role."""

    parts: dict[str, Any]
    objects: dict[str, Any]
    tokens: dict[str, str]
    browsers: dict[str, Client]

    def address(self, name: str) -> str:
        """Of what belongs to the data source, where the address is that of one thing."""
        pattern = ADDRESSES[name].pattern
        asked = [*pattern.converters, *pattern.regex.groupindex]
        return (
            reverse(name, kwargs={one: self._part(name, one) for one in asked}) + TABLE[name].query
        )

    def _part(self, name: str, part: str) -> Any:
        model = name.removeprefix("admin:").rpartition("_")[0]
        group = name.partition("-")[0].partition(":")[0]
        match part:
            case "object_id" if name.startswith("admin:"):
                return self.objects.get(model, self.objects["catalog_catalogtable"])
            case "name":
                return self.parts[f"{'table' if '-text' in name else group}.name"]
            case "key":
                return self.parts[f"{group}.key"]
        return self.parts[part]

    def words(self, name: str) -> list[str]:
        """Names that the address says."""
        pattern = ADDRESSES[name].pattern
        asked = [*pattern.converters, *pattern.regex.groupindex]
        parts = [self._part(name, one) for one in asked]
        return [one for one in parts if isinstance(one, str) and WORD in one]

    def ask(self, role: str, name: str, method: str = "get") -> Any:
        """The answer that somebody of that role has; `of htmx` asks for a part of the page."""
        role, _of, htmx = role.partition(" of ")
        headers = {"HX-Request": "true"} if htmx else {}
        if name.startswith("catalogue_api:") and role in self.tokens:
            headers["Authorization"] = f"Bearer {self.tokens[role]}"
        return getattr(self.browsers[role], method)(self.address(name), headers=headers)


def text_of(world: World, name: str, response: Any) -> str:
    """The body and the headers, without the words of the address, which may come back."""
    body = b"".join(response) if response.streaming else response.content
    headers = str(dict(response.headers)) if response.status_code != 302 else ""
    text = body.decode(errors="replace") + headers
    for asked in (world.address(name).partition("?")[0], *world.words(name)):
        text = text.replace(asked, "")
    return text


def make_users(source: DataSource) -> dict[str, User]:
    """Everybody but the anonymous one; `outsider` and `member` have every right of Django."""
    users = {
        name: User.objects.create_user(name) for name in ("person", "staff", "outsider", "member")
    }
    User.objects.exclude(username="person").update(is_staff=True)
    for name in ("outsider", "member"):
        users[name].user_permissions.set(Permission.objects.all())
    source.allowed_users.set([users["member"]])
    users["superuser"] = User.objects.create_superuser("superuser")
    return {name: User.objects.get(pk=user.pk) for name, user in users.items()}


def make_review(tool: ToolDefinition) -> dict[str, int]:
    """A review and a replay of the tool, by the parts of their addresses."""
    document = ToolDocument.of_row(tool).to_document()
    review = ToolReview.objects.create(
        tool=tool, name=tool.name, document=document, asked_by="member", note=f"{WORD} note"
    )
    comment = ReviewComment.objects.create(review=review, author="member", text=f"{WORD} comment")
    replay = ToolReplay.objects.create(
        tool=tool, document={**document, "title": WORD}, content_hash="x", served=document,
        started_by="member", requested=10,
    )  # fmt: skip
    return {"review_id": review.pk, "comment_id": comment.pk, "replay_id": replay.pk}


def make_chat(tool: str) -> PlaygroundChat:
    """A chat of the member's in which the tool was called."""
    answer = CallAnswer(text=f"{WORD} answer", length=9, tokens=1, ms=1)
    call = {"id": "1", "name": tool, "arguments": {}, "written": "{}", "answer": answer.to_json()}
    said = {
        "kind": "model",
        "text": WORD,
        "calls": [call],
        "tokens_in": 1,
        "tokens_out": 1,
        "ms": 1,
    }
    entries = [{"kind": "question", "text": WORD}, said]
    return PlaygroundChat.objects.create(owner="member", title=WORD, model="m", entries=entries)


@pytest.fixture
def world(settings: Any) -> World:
    settings.CALL_LOG_ARGUMENTS = "full"
    # A query less for each of three thousand requests.
    settings.SESSION_ENGINE = "django.contrib.sessions.backends.cache"
    source = DataSource.objects.create(
        name=f"{WORD}-source", host=f"{WORD}.host", database="d", username="u", is_restricted=True
    )
    SourceCheck.objects.create(
        source=source, state=CheckState.UNREACHABLE, summary=f"{WORD} summary"
    )
    users = make_users(source)
    table = make_table(
        f"{WORD}_table", {f"{WORD}_column": {}}, source=source, description=f"{WORD} text",
        tags=[f"{WORD}-tag"],
    )  # fmt: skip
    relation = TableRelation.objects.create(
        table=table, target=table, relation_type=RelationType.OWN, description=f"{WORD} relation"
    )
    scan = CatalogScan.objects.create(source=source, state=ScanState.FAILED, error=f"{WORD} error")
    tool = make_tool(
        f"SELECT {WORD}_column AS one", name=f"{WORD}_tool", data_source=source,
        tags=[f"{WORD}-mark"], description_agent=f"A hidden tool, {WORD}.", updated_by="member",
    )  # fmt: skip
    version = record_version(tool, VersionEntry(origin=VersionOrigin.PUBLISHED, author="member"))
    assert version is not None
    QuarantinedTool.objects.create(tool=tool, reason=f"{WORD} reason")
    draft = open_draft(None, "member", start=ToolDocument.of_row(tool))
    ToolTrial.objects.create(tool=tool, username="outsider", error=f"{WORD} trial")
    keys = {
        name: create_key(ApiKey(name=name, owner=user, allowed_tools=["*"]))
        for name, user in users.items()
    }
    own = keys["outsider"].key
    create_key(ApiKey(name="of the tool", allowed_tools=[tool.name]))
    call = CallRecord.objects.create(
        tool_name=tool.name,
        key_id=own.key_id,
        caller="outsider",
        outcome="tool_error",
        duration_ms=1,
        arguments={"a": f"{WORD} argument"},
        error=f"{WORD} error",
    )
    limit = ToolLimit.objects.create(target_type="ALL", tool_name=tool.name, max_count=1)
    question = SearchQuestion.objects.create(text="What is there?", expected=[tool.name])
    outcome = {"tool": tool.name, "expected": [tool.name], "degraded": True, "rank": 1, "ahead": []}
    SearchMeasurement.objects.create(
        registry=1, glossary="", profile="z_linear", outcomes={question.pk: outcome},
        causes=[{"tool": tool.name, "version": 1, "by": "member", "former": ""}], cause_count=1,
    )  # fmt: skip
    objects = {
        "access_callrecord": call.pk, "catalog_tag": Tag.objects.get().pk,
        "catalog_catalogtable": table.pk, "catalog_catalogcolumn": table.columns.get().pk,
        "catalog_tablerelation": relation.pk, "catalog_catalogscan": scan.pk,
        "catalog_datasource": source.pk, "tools_tooldefinition": tool.pk,
        "access_apikey": own.pk, "auth_user": users["person"].pk,
    }  # fmt: skip
    for name, row in (("datasource", source), ("catalogtable", table)):
        kind = ContentType.objects.get_for_model(row)
        LogEntry.objects.create(
            user=users["member"], content_type=kind, object_id=str(row.pk), object_repr=f"{WORD} {name}",
            action_flag=CHANGE, change_message=f"{WORD} change",
        )  # fmt: skip
    parts = {
        **make_review(tool), "call_id": call.pk, "key_pk": own.pk, "limit_pk": limit.pk, "key_id": own.key_id,
        "question_id": question.pk, "chat_id": make_chat(tool.name).pk, "entry": 1, "run_id": 1, "grant_pk": 1, "alias_id": 1,
        "tool_id": tool.pk, "table_id": table.pk, "column_id": table.columns.get().pk,
        "relation_id": relation.pk, "scan_id": scan.pk, "source_id": source.pk, "uid": draft.uid,
        "number": version.number, "source_name": source.name, "path": f"public.{table.name}",
        "language": "en", "rule": "42703", "id": users["person"].pk, "app_label": "catalog", "url": "x",
        "content_type_id": ContentType.objects.get_for_model(table).pk, "object_id": table.pk,
        "tool.name": tool.name, "mcp.name": "server", "help.name": "x.png", "source.name": source.name,
        "toolset.name": make_toolset("kr", tool.name).name,
        "sign.name": "none", "issuer_pk": 0, "rule_pk": 0, "user_pk": users["person"].pk, "secret": "key",
        "catalogue_api.name": table.name, "table.name": "description",
        "glossary.key": "order", "catalogue.key": "none", "source.key": "none", "table": "none",
    }  # fmt: skip
    browsers = {name: Client() for name in ("anonymous", *users)}
    for name, user in users.items():
        browsers[name].force_login(user)
    # A revision of a test that was rolled back comes again.
    shared_keeper.cache_clear()
    tokens = {name: issued.token for name, issued in keys.items()}
    return World(parts, objects, tokens, browsers)


@pytest.mark.parametrize("part", range(PARTS))
def test_hidden_things_are_hidden_and_addresses_closed_below_the_role_of_their_row(
    world: World, subtests: pytest.Subtests, part: int
) -> None:
    for name in sorted(TABLE)[part::PARTS]:
        for role in ("anonymous", "person", "staff", "outsider", "outsider of htmx"):
            with subtests.test(f"{name} {role}"):
                response = world.ask(role, name)

                assert response.status_code < 500
                assert WORD not in text_of(world, name, response)
                if role in ENOUGH and TABLE[name].opens not in ENOUGH[role]:
                    if response.status_code == 405:
                        response = world.ask(role, name, "post")
                    assert response.status_code in {302, 401, 403, 404}


def test_those_who_may_use_the_source_see_it(world: World, subtests: pytest.Subtests) -> None:
    for name in sorted(name for name, row in TABLE.items() if row.shows):
        for role in ("member", "superuser"):
            with subtests.test(f"{name} {role}"):
                answers = (world.ask(one, name) for one in (role, f"{role} of htmx"))

                assert any(WORD in text_of(world, name, one) for one in answers)


def test_what_is_hidden_cannot_be_written_to(world: World, subtests: pytest.Subtests) -> None:
    of_source = {
        "call_id",
        "tool_id",
        "table_id",
        "column_id",
        "relation_id",
        "scan_id",
        "source_id",
        "uid",
    }
    for name in sorted(TABLE):
        pattern = ADDRESSES[name].pattern
        asked = {*pattern.converters, *pattern.regex.groupindex}
        is_of_source = asked & of_source or (
            name.startswith(("tool-", "source-")) and "name" in asked
        )
        if not is_of_source:
            continue
        with subtests.test(name):
            response = world.ask("outsider", name, "post")

            assert response.status_code in {404, 405}
            assert WORD not in text_of(world, name, response)
