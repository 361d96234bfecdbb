"""Every address with the roles that it opens for: a new one without its line fails."""

from collections.abc import Iterator
from contextlib import nullcontext
from copy import deepcopy
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.template.backends.django import Template
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from access.keys import issue_key
from access.models import CallRecord, IssuerRule, RoleGrant, TokenIssuer, ToolLimit
from catalog.models import CatalogScan, DataSource, McpServer, TableRelation
from core.catalogue.entries import DEFAULT_SOURCE_NAME, RelationType
from tests.catalog.rows import make_table
from tests.factories import make_tool, make_toolset
from toolbuilder.editing.drafts import open_draft
from toolbuilder.history.versions import VersionEntry, record_version
from toolbuilder.models import (
    ReviewComment,
    SearchQuestion,
    ToolReplay,
    ToolReview,
    VersionOrigin,
)
from tools.definitions import ToolDocument
from tools.models import ToolAlias

pytestmark = pytest.mark.django_db

# One letter each: the five roles over all; then those of the toolset that has the tool of the addresses,
# and of another one; at last signed in without a role, and nobody.
WHO = {
    "V": "viewer",
    "A": "author",
    "R": "reviewer",
    "U": "auditor",
    "M": "administrator",
    "v": "viewer of kr",
    "a": "author of kr",
    "x": "author of us",
    "p": "person",
    "-": "anonymous",
}
EVERYBODY = "VARUMvaxp-"
PERSONS = "VARUMvaxp"
MEMBERS = "VARUMvax"
OVER_ALL_BUT_VIEWERS = "ARUM"
SEES_TOOL = "VARUMva"
EDITS_TOOL = "AMa"
EDITS_SOME = "AMax"
REPLAYS = "ARMa"
AUTHORS = "AM"
AUDITORS = "UM"
ADMINISTRATORS = "M"
NOBODY = ""

_EDITOR = ("analyse", "take-over", "discard", "operation", "test", "cancel", "plan", "csv", "publish", "changes",
           "cases", "case", "case-keep", "case-accept", "case-delete")  # fmt: skip


def rows(opens: str, *names: str) -> dict[str, str]:
    return dict.fromkeys(names, opens)


TABLE = {
    **rows(EVERYBODY, "sign-in", "sign-out", "set-theme", "set_language", "healthz", "session"),
    **rows(EVERYBODY, "sign-on", "sign-on-callback"),
    **rows(PERSONS, "help", "help-page", "help-image", "help-search", "help-pane", "help-reference"),
    **rows(PERSONS, "help-keys", "help-tour"),
    **rows(PERSONS, "settings", "settings-person", "settings-password"),
    # It is off, and would ask for its token.
    **rows(NOBODY, "metrics"),
    # These ask for a key, whoever is signed in.
    **rows(NOBODY, *(f"catalogue_api:{name}" for name in ("tables", "tags", "table", "connection"))),
    **rows(MEMBERS, "home", "start", "start-connected", "connect", "connect-key", "palette", "glossary", "glossary-export"),
    **rows(MEMBERS, "catalogue", "catalogue-export", "catalogue-scans", "catalogue-scan"),
    **rows(MEMBERS, *(f"preferences-{name}" for name in ("layout", "filter", "table"))),
    **rows(MEMBERS, "catalogue-table", "tools", "tools-export", "explorer", "explorer-columns", "explorer-column", "explorer-card", "explorer-schema", "explanation"),
    **rows(MEMBERS, "playground", "playground-agent", "playground-ask", "playground-evaluation"),
    **rows(MEMBERS, "playground-export", *(f"playground-{name}" for name in ("run", "run-step", "run-stop"))),
    **rows(EDITS_SOME, *(f"playground-question-{name}" for name in ("add", "import", "remove"))),
    # Everybody's chats are their own.
    **rows(MEMBERS, *(f"playground-{name}" for name in ("step", "stop", "chat-delete", "call"))),
    **rows(MEMBERS, "search-lab", "search-questions", "search-questions-export"),
    **rows(MEMBERS, "search-questions-run", "search-moves"),
    **rows(EDITS_SOME, "search-question-add", "search-questions-import", "search-moves-measure"),
    **rows(EDITS_SOME, "tools-active", "tools-archived", "tools-tagged"),
    # A question that expects a tool is hidden with the tool.
    **rows(EDITS_TOOL, "search-question-remove"),
    **rows(SEES_TOOL, "tool", "tool-versions", "tool-version", "tool-version-diff", "tool-old-names"),
    **rows(EDITS_TOOL, *(f"tool-{name}" for name in _EDITOR)),
    **rows(EDITS_TOOL, "tool-active", "tool-try", "tool-case-nightly"),
    **rows(EDITS_TOOL, "tool-version-restore", "tool-old-name"),
    **rows(AUTHORS, *(f"draft-{name}" for name in _EDITOR)),
    **rows(AUTHORS, "draft", "tool-new", "tool-from-sql", "tool-from-curl"),
    **rows(AUTHORS, "tools-ingest", "tools-import", "tool-duplicate"),
    **rows(AUTHORS, "catalogue-import", "catalogue-import-plan", "catalogue-import-apply"),
    **rows(AUTHORS, "catalogue-import-drop", "catalogue-scan-start", "catalogue-scan-cancel"),
    **rows(AUTHORS, *(f"catalogue-table-{name}" for name in ("tags", "hidden", "text"))),
    **rows(AUTHORS, *(f"catalogue-relation-{name}" for name in ("add", "text", "remove"))),
    **rows(AUTHORS, "catalogue-column-mask", "catalogue-column-text"),
    **rows(AUTHORS, *(f"glossary-{name}" for name in ("add", "import", "note", "active", "reset"))),
    **rows(AUTHORS, "glossary-terms"),
    **rows(OVER_ALL_BUT_VIEWERS, "calls", "calls-export", "call", "search-traffic"),
    **rows(OVER_ALL_BUT_VIEWERS, "sources", "source", "mcp-servers", "mcp-server"),
    **rows(MEMBERS, "reviews"),
    **rows(SEES_TOOL, "review", "review-decide", "review-comment", "review-resolve"),
    **rows(REPLAYS, "tool-replay", "replay", "replay-advance", "replay-stop"),
    **rows(AUDITORS, "audit", "audit-export", "audit-verify", "audit-entry"),
    **rows(AUDITORS, "keys", "limits", "limits-export", "roles"),
    **rows(OVER_ALL_BUT_VIEWERS, "toolsets", "toolset", "toolset-quality"),
    **rows(ADMINISTRATORS, "toolset-new", "toolset-edit", "toolset-tools", "toolset-tags"),
    **rows(ADMINISTRATORS, "toolset-delete", "key", "key-rotate", "key-tools"),
    **rows(AUDITORS, "key-sees", "issuers", "token-try"),
    **rows(ADMINISTRATORS, "issuer-new", "issuer", "issuer-delete", "rule-new", "rule"),
    **rows(ADMINISTRATORS, "rule-delete"),
    **rows(ADMINISTRATORS, "key-new", "key-revoke", "start-key", "role-delete"),
    **rows(ADMINISTRATORS, "limit-new", "limit", "limit-switch", "limit-delete"),
    **rows(ADMINISTRATORS, "source-add", "source-check", "source-edit", "source-delete"),
    **rows(ADMINISTRATORS, "source-files", "source-file", "source-file-delete"),
    **rows(ADMINISTRATORS, "people", "person-active", "person-password"),
    **rows(ADMINISTRATORS, "source-host-allow", "source-secret-keep", "source-secret-remove"),
    **rows(ADMINISTRATORS, *(f"mcp-server-{name}" for name in ("add", "read", "tools", "edit", "delete"))),
    **rows(ADMINISTRATORS, "proxied-active", "tools-grouped"),
}  # fmt: skip
# What there is not, of those who may ask for it.
MISSING = {"sign-on", "sign-on-callback", "audit-entry", "help-image", "catalogue-import-plan", "catalogue-import-apply",
           "catalogue-import-drop", "start-connected", "connect-key", "catalogue-scan-start",
           "playground-step", "playground-stop", "playground-chat-delete", "playground-call", "playground-run-step",
           "playground-run-stop", "playground-question-remove", "proxied-active",
           "source-files", "source-file", "source-file-delete",
           "source-host-allow", "source-secret-keep", "source-secret-remove"}  # fmt: skip


def walk(resolver: URLResolver, namespace: str = "") -> Iterator[tuple[str, URLPattern]]:
    """The named addresses; those without a name lead to others or to nothing."""
    for one in resolver.url_patterns:
        if isinstance(one, URLResolver):
            yield from walk(one, f"{namespace}{one.namespace}:" if one.namespace else namespace)
        elif one.name:
            yield f"{namespace}{one.name}", one


ADDRESSES = dict(walk(get_resolver()))
# The back office is for the staff, whatever their roles.
BACK_OFFICE = {name for name in ADDRESSES if name.startswith("admin:")} - {"admin:login"}


def test_every_address_has_its_line() -> None:
    assert set(ADDRESSES) - BACK_OFFICE - {"admin:login"} == set(TABLE)


@pytest.fixture
def browsers(settings: Any) -> dict[str, Client]:
    """One of each of WHO; the author of us has the role by a group."""
    # A query less for each of three thousand requests; what one does to its session is undone with its cookies.
    settings.SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
    kr, us = make_toolset("kr", tags=["kr"]), make_toolset("us", "other_tool")
    group = Group.objects.create(name="authors of us")
    RoleGrant.objects.create(group=group, role="author", toolset=us)
    made = {"-": Client()}
    for letter, name in WHO.items():
        if letter == "-":
            continue
        user = User.objects.create_user(name.replace(" ", "-"))
        if letter == "x":
            user.groups.add(group)
        elif letter != "p":
            toolset = kr if letter.islower() else None
            RoleGrant.objects.create(user=user, role=name.partition(" ")[0], toolset=toolset)
        made[letter] = Client()
        made[letter].force_login(user)
    return made


@pytest.fixture
def parts() -> dict[str, Any]:
    """What the addresses are made of, by name in the pattern or by that of the address."""
    tool = make_tool("SELECT 1 AS one", name="sales", tags=["kr"])
    version = record_version(tool, VersionEntry(origin=VersionOrigin.PUBLISHED, author="ann"))
    assert version is not None
    alias = ToolAlias.objects.create(tool=tool, old_name="turnover", expires_at=timezone.now())
    table = make_table("stores", {"id": {}})
    relation = TableRelation.objects.create(
        table=table, target=table, relation_type=RelationType.OWN, description="x"
    )
    key = issue_key("agent").key
    call = CallRecord.objects.create(tool_name="sales", outcome="ok", duration_ms=1)
    DataSource.objects.create(name="shop", engine="sqlite", path="/data/shop.db")
    McpServer.objects.create(name="crm", server_url="https://crm.example.com/mcp", is_active=False)
    issuer = TokenIssuer.objects.create(name="corp", url="https://login.example.org")
    review = ToolReview.objects.create(
        tool=tool,
        name="sales",
        tags=["kr"],
        document=ToolDocument.of_row(tool).to_document(),
        asked_by="ann",
    )
    comment = ReviewComment.objects.create(review=review, author="ann", text="x")
    document = ToolDocument.of_row(tool)
    replay = ToolReplay.objects.create(
        tool=tool, document=document.replace(title="x").to_document(), content_hash="x",
        served=document.to_document(), started_by="ann", requested=10,
    )  # fmt: skip
    rule = IssuerRule.objects.create(issuer=issuer, claim="groups", test="contains", value="x")
    return {
        "issuer_pk": issuer.pk, "rule_pk": rule.pk, "toolset.name": "kr", "sign.name": "nobodys",
        "review_id": review.pk, "comment_id": comment.pk, "replay_id": replay.pk,
        "call_id": call.pk, "key_pk": key.pk, "key_id": key.key_id, "tool_id": tool.pk,
        "table_id": table.pk, "column_id": table.columns.get().pk, "relation_id": relation.pk,
        "limit_pk": ToolLimit.objects.create(target_type="ALL", max_count=1).pk,
        "grant_pk": RoleGrant.objects.order_by("pk")[0].pk if RoleGrant.objects.exists() else 1,
        "scan_id": CatalogScan.objects.create().pk, "number": version.number,
        "question_id": SearchQuestion.objects.create(text="What?", expected=["sales"]).pk,
        "alias_id": alias.pk, "user_pk": User.objects.create_user("eve").pk, "chat_id": 1, "entry": 1, "run_id": 1,
        "uid": open_draft(None, "ann", start=ToolDocument(name="new")).uid,
        "source_name": DEFAULT_SOURCE_NAME, "path": f"{table.schema}.{table.name}", "language": "en",
        "tool.name": "sales", "mcp.name": "crm", "source.name": "shop", "help.name": "tools", "rule": "42703",
        "catalogue.name": "description", "catalogue_api.name": "stores", "catalogue.key": "none",
        "glossary.key": "order", "secret": "key", "source.key": "none", "table": "none",
    }  # fmt: skip


def address_of(name: str, parts: dict[str, Any]) -> str:
    pattern = ADDRESSES[name].pattern
    group = name.partition("-")[0].partition(":")[0]
    asked = {*pattern.converters, *pattern.regex.groupindex}
    return reverse(name, kwargs={one: parts.get(f"{group}.{one}") or parts[one] for one in asked})


# Those that take no GET are asked for one once.
POSTED: set[str] = set()


def ask(browser: Client, name: str, address: str) -> Any:
    """The answer to a GET, to a POST where it takes only that; what it did is undone."""
    cookies = deepcopy(browser.cookies)
    with transaction.atomic():
        if name not in POSTED:
            # A browser would be led elsewhere from an action.
            response = browser.get(address, headers={"Accept": "application/json"})
            if response.status_code == 405:
                POSTED.add(name)
        if name in POSTED:
            response = browser.post(address)
        transaction.set_rollback(True)
    browser.cookies = cookies
    return response


def is_refused(response: Any) -> bool:
    """Refused, led to the sign-in page, or told that there is no such thing."""
    leads_to_door = response.status_code == 302 and response["Location"].startswith("/sign-in/?")
    return leads_to_door or response.status_code in (401, 403, 404)


@pytest.mark.parametrize("letter", WHO, ids=WHO.values())
def test_addresses_open_for_their_roles_alone(
    letter: str, browsers: dict[str, Client], parts: dict[str, Any]
) -> None:
    wrong = {}
    unwritten = patch.object(Template, "render", return_value="")
    for name, opens in TABLE.items():
        # Gates come before templates: a page is written for the first that it opens for.
        with nullcontext() if letter == opens[:1] else unwritten:
            response = ask(browsers[letter], name, address_of(name, parts))
        assert response.status_code < 500, name
        is_missing = name in MISSING and response.status_code == 404
        if is_refused(response) == (letter in opens) and not (is_missing and letter in opens):
            wrong[name] = response.status_code

    assert wrong == {}


def test_no_role_opens_the_back_office(browsers: dict[str, Client]) -> None:
    for browser in browsers.values():
        response = browser.get("/admin/")

        assert response.status_code == 302
        assert response["Location"].startswith("/admin/login/")
