"""The tables beside the editor: walked by keys, found, opened, and put into the statement."""

from typing import Any

import pytest
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.template import RequestContext, Template
from django.urls import include, path
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from catalog.models import DataSource
from tests.browser.accessibility import DESKTOP, PHONE, Axe, Look, overflow_of
from tests.catalog.rows import make_table

PAGE = """{% load static %}<!DOCTYPE html>
<html lang="en" data-theme="{{ theme }}">
  <head>
    <meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Explorer</title>
    <link rel="icon" href="{% static 'toolbuilder/icon.svg' %}">
    <link rel="stylesheet" href="{% static 'web/app.css' %}">
    <link rel="stylesheet" href="{% static 'toolbuilder/editing/explorer.css' %}">
    <meta name="htmx-config" content='{"includeIndicatorCSS": false, "noSwap": [204, 304, 404]}'>
    <script src="{% static 'vendor/htmx.min.js' %}" defer></script>
    <script type="importmap" nonce="{{ csp_nonce }}">
      {"imports": {
        {% modules_in "toolbuilder/editing" as modules %}
        {% for name in modules %}"{{ name }}": "{% static name %}",{% endfor %}
        "codemirror": "{% static 'vendor/codemirror.js' %}",
        "web/remember.js": "{% static 'web/remember.js' %}",
        "web/shortcuts.js": "{% static 'web/shortcuts.js' %}"
      }}
    </script>
    <script type="module" nonce="{{ csp_nonce }}">
      import { createEditor } from "toolbuilder/editing/editor.js";
      import { readSchema, startExplorer } from "toolbuilder/editing/explorer.js";
      const root = document.getElementById("explorer");
      const editor = createEditor(document.getElementById("logic"), { nonce: "{{ csp_nonce }}" });
      const explorer = startExplorer(root, { insert: (text) => editor.insertAtCursor(text) });
      window.follow = (text) => explorer.follow(text);
      window.readSchema = (source) => readSchema(root, source);
      window.showSource = (name) => root.dispatchEvent(new CustomEvent("explorer:source", { detail: { name } }));
    </script>
  </head>
  <body>
    <main class="with-aside">
      <div><h1>Explorer</h1><label for="logic">Statement</label><textarea id="logic"></textarea></div>
      {% include "toolbuilder/editing/_explorer.html" with source_name="" %}
    </main>
  </body>
</html>"""


@login_required
def page_with_explorer(request: HttpRequest) -> HttpResponse:
    return HttpResponse(Template(PAGE).render(RequestContext(request)))


urlpatterns = [path("explorer/", page_with_explorer), path("", include("config.urls"))]


@pytest.fixture
def explorer(signed_in: Page, live_server: LiveServer, settings: Settings) -> Page:
    """A page with the explorer of three tables beside an editor."""
    settings.ROOT_URLCONF = __name__
    make_table("h_dept", ["dept_id", "dept_nm"], description="부서", row_estimate=12)
    columns: dict[str, dict[str, Any]] = {
        "uid": {"type_name": "bigint", "is_primary_key": True, "is_nullable": False},
        "user_nm": {"type_name": "text", "source_comment": "사용자 이름"},
        "Dept Id": {"type_name": "integer"},
    }
    make_table("h_user", columns, display_name="사용자 기본 정보", kind="view")
    make_table("<b>'\"\n🎉" + "가" * 55, ["x" * 63], schema="other", source_comment="<i>" * 900)
    crm = DataSource.objects.create(name="crm", engine="sqlite", path="/x.db")
    make_table("people", ["id"], source=crm, schema="")
    signed_in.goto(f"{live_server.url}/explorer/")
    expect(signed_in.get_by_role("treeitem")).to_have_count(3)
    return signed_in


def test_tree_is_walked_and_names_are_inserted_by_keys(explorer: Page) -> None:
    page = explorer
    page.get_by_role("searchbox").focus()

    for key in ("ArrowDown", "End", "h", "h"):
        page.keyboard.press(key)
    expect(page.get_by_role("treeitem", name="h_dept")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    user = page.get_by_role("treeitem", name="user_nm")
    expect(user).to_be_visible()
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)

    expect(page.locator(".cm-content")).to_have_text('"Dept Id"')
    expect(page.locator(".cm-content")).to_be_focused()
    expect(page.get_by_role("status")).to_contain_text(['"Dept Id" was inserted.'])
    page.get_by_role("treeitem", name="Dept Id").focus()
    for key in ("ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    expect(page.get_by_role("treeitem", name="h_user")).to_be_focused()
    expect(user).to_be_hidden()


def test_names_are_inserted_by_mouse_and_finger(explorer: Page) -> None:
    page = explorer
    row = page.get_by_role("treeitem", name="h_dept")
    text = page.locator(".cm-content")

    row.drag_to(text)
    expect(text).to_have_text("h_dept")
    row.dblclick()
    expect(text).to_have_text("h_dept h_dept")
    page.get_by_role("treeitem", name="dept_nm").hover()
    page.get_by_role("button", name="Insert dept_nm").click()

    expect(text).to_have_text("h_dept h_dept dept_nm")


def test_columns_are_found_and_another_source_is_shown(explorer: Page) -> None:
    page = explorer
    page.get_by_role("treeitem", name="h_dept").click()
    expect(page.get_by_role("treeitem", name="dept_nm")).to_be_visible()

    page.get_by_role("searchbox").fill("사용자 이름")
    expect(page.get_by_role("treeitem")).to_have_count(3)
    page.get_by_text("All 3 columns").click()
    expect(page.get_by_role("treeitem", name="Dept Id")).to_be_visible()
    expect(page.get_by_role("treeitem", name="h_user")).to_be_focused()
    page.get_by_role("searchbox").fill("nowhere")
    page.get_by_role("button", name="Clear the search").click()
    expect(page.get_by_role("treeitem", name="dept_nm")).to_be_visible()
    page.evaluate("showSource('crm')")

    expect(page.get_by_role("treeitem", name="people")).to_be_visible()
    expect(page.locator("#explorer-count")).to_have_text("1")
    read = "readSchema('crm').then(({ schema, loadColumns }) => loadColumns(schema.tables[0]))"
    assert page.evaluate(read) == [{"name": "id"}]


def test_explorer_is_accessible(explorer: Page, live_server: LiveServer, axe: Axe) -> None:
    for theme, viewport in (("light", DESKTOP), ("dark", PHONE)):
        Look(theme, viewport).apply(explorer, live_server.url)
        explorer.reload()
        explorer.get_by_role("treeitem", name="h_user").click()
        explorer.get_by_role("treeitem", name="가가").click()
        expect(explorer.get_by_role("treeitem", name="user_nm")).to_be_visible()
        expect(explorer.get_by_role("treeitem", name="xxx")).to_be_visible()

        assert axe.violations(explorer) == []
        assert overflow_of(explorer) <= 0


def test_card_of_a_column_opens_by_keys_and_gives_the_focus_back(explorer: Page, axe: Axe) -> None:
    page = explorer
    page.get_by_role("treeitem", name="h_dept").click()
    column = page.locator("[data-insert=dept_nm]")
    column.focus()

    page.keyboard.press("Alt+Enter")

    card = page.get_by_role("dialog", name="Column")
    expect(card).to_be_focused()
    expect(card).to_contain_text("h_dept.dept_nm")
    assert axe.violations(page) == []
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(column).to_be_focused()


def test_tables_of_the_query_come_first(explorer: Page) -> None:
    explorer.evaluate("follow('SELECT uid FROM h_user')")

    expect(explorer.get_by_role("treeitem").first).to_have_attribute("data-insert", "h_user")
    expect(explorer.locator(".explorer-heading")).to_have_text(["In this query", "Other tables"])
