"""Files in the browser: export of chosen tools, import by a plan, and what is owned by files."""

import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from access.models import Toolset
from catalog.models import DataSource
from tests.factories import make_expression, make_tool, make_toolset
from toolbuilder.exchange.formats import read_files, read_tools_file
from toolbuilder.history.versions import record_versions
from tools.models import ToolDefinition

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedded_postgres")]

IMPORT = "/tools/~/import/"
EXPORT = "/tools/~/export/"
TIMES = "toolbuilder: 1\nkind: tool\nname: times\ntool_type: PYTHON\ndefinition: {definition}\nparameters:\n- param_name: a\n- param_name: b\n"


@pytest.fixture
def staff() -> Client:
    """A superuser's browser."""
    client = Client()
    client.force_login(User.objects.create_superuser("ann"))
    return client


def upload(name: str, text: str | bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text if isinstance(text, bytes) else text.encode())


def page(response: Any, status: int = 200) -> str:
    text: str = response.content.decode()
    assert response.status_code == status
    return text


def test_chosen_tools_are_exported_as_one_file_or_as_a_zip(staff: Client) -> None:
    ids = [make_expression(name="times").pk, make_tool(name="one").pk]
    make_tool(name="other")

    led = staff.post(EXPORT, {"tool": ids, "format": "zip"}, headers={"HX-Request": "true"})
    packed = staff.get(led["HX-Redirect"])
    listed = staff.get(led["HX-Redirect"].replace("zip", "yaml"))

    assert [tool.name for tool in read_tools_file(listed.content.decode()).tools] == [
        "one",
        "times",
    ]
    with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert sorted(texts) == ["tools/one.yaml", "tools/times.yaml"]
    assert read_files(texts).faults == []
    assert "attachment" in packed["Content-Disposition"]


def test_every_fault_of_the_files_is_shown_and_nothing_imported(staff: Client) -> None:
    files = [
        upload("a.yaml", "toolbuilder: 1\nkind: tool\nname: a\n b: c\n"),
        upload("b.yaml", "{}"),
    ]

    text = page(staff.post(IMPORT, {"files": files}), 422)

    assert "2 faults, so nothing was imported." in text
    assert "<code>a.yaml:4:3</code>" in text
    assert "<code>b.yaml</code>" in text
    assert not ToolDefinition.objects.exists()


def test_plan_is_shown_before_new_and_replaced_tools_are_written(staff: Client) -> None:
    make_expression(name="times")
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("tools/times.yaml", TIMES.format(definition="b * a"))
        archive.writestr("tools/plus.yaml", TIMES.format(definition="a").replace("times", "plus"))
        archive.writestr("readme.md", "no tool")

    shown = staff.post(IMPORT, {"files": [upload("tools.zip", written.getvalue())]})
    text = page(shown)
    given = {"document": shown.context["document"], "apply": "1", "note": "from git"}

    assert all(part in text for part in ("1 new", "1 changed", "<ins>b * a</ins>"))
    assert "Choose for each tool that is there" in page(staff.post(IMPORT, given), 422)
    assert ToolDefinition.objects.count() == 1
    assert staff.post(IMPORT, {**given, "choice-times": "replace"}).status_code == 302
    definitions = dict(ToolDefinition.objects.values_list("name", "definition"))
    assert definitions == {"times": "b * a", "plus": "a"}
    assert ToolDefinition.objects.get(name="plus").versions.get().note == "from git"


def test_tool_that_was_changed_since_the_plan_was_shown_is_not_replaced(staff: Client) -> None:
    tool = make_expression(name="times")
    shown = page(staff.post(IMPORT, {"document": TIMES.format(definition="b * a")}))
    seen = re.search(r'name="seen-times" value="(\w+)"', shown)
    assert seen
    ToolDefinition.objects.update(definition="a + b")
    given = {"document": TIMES.format(definition="b * a"), "choice-times": "replace"}

    text = page(staff.post(IMPORT, {**given, "seen-times": seen[1], "apply": "1"}), 422)

    assert "Tools were changed by somebody else meanwhile" in text
    assert "<del>a + b</del>" in text
    tool.refresh_from_db()
    assert tool.definition == "a + b"


def test_missing_sources_are_named_with_their_forms_filled_in(staff: Client) -> None:
    document = (
        "sources:\n  hotels:\n    kind: postgres\n    host: db.example.com\n    database: stays\n"
        "    user: ${HOTEL_USER}\n    password: hunter2\n"
        "tools:\n  get_hotel:\n    kind: postgres-sql\n    source: hotels\n    description: One.\n"
        "    statement: SELECT 1\n"
    )

    shown = staff.post(IMPORT, {"document": document})
    [needed] = shown.context["needed"]
    form = page(staff.get(needed.address))

    assert (needed.name, needed.place) == ("hotels", "postgresql db.example.com stays")
    assert "Data sources that are missing" in page(shown)
    assert 'value="db.example.com"' in form
    assert 'value="hotels"' in form
    assert "hunter2" not in form + needed.address
    DataSource.objects.create(name="hotels", host="db.example.com", database="stays")
    assert staff.post(IMPORT, {"document": document}).context["needed"] == []


def test_form_of_a_source_is_filled_in_with_no_reference_to_a_secret(staff: Client) -> None:
    text = page(staff.get("/sources/~/add/?host=evil.example&password_reference=env:SECRET_KEY"))

    assert 'value="evil.example"' in text
    assert 'value="env:SECRET_KEY"' not in text


def test_refused_tool_keeps_all_others_out(staff: Client) -> None:
    good = TIMES.format(definition="a")
    bad = good.replace("times", "bad").replace("definition: a", "definition: a +")

    response = staff.post(IMPORT, {"document": f"{good}---\n{bad}", "apply": "1"})

    assert "Nothing was imported: these tools were refused." in page(response, 422)
    assert not ToolDefinition.objects.exists()


def test_tool_that_the_person_may_not_change_stays_as_it_is() -> None:
    make_expression(name="times")
    user = User.objects.create_user("bob", is_staff=True)
    rights = ("view_tooldefinition", "add_tooldefinition")
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    browser = Client()
    browser.force_login(user)
    given = {"document": TIMES.format(definition="b * a"), "choice-times": "replace"}

    assert "You may not change it; it stays as it is." in page(browser.post(IMPORT, given))
    assert browser.post(IMPORT, {**given, "apply": "1"}).status_code == 302
    assert ToolDefinition.objects.get().definition == "a * b"


def test_file_beyond_the_limit_is_not_read(staff: Client) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("tools/a.yaml", b" " * 50_000_000)

    text = page(staff.post(IMPORT, {"files": [upload("bomb.zip", bomb.getvalue())]}), 422)

    assert "larger than 2 MB" in text


def test_zip_with_a_changed_byte_is_told_as_one_that_cannot_be_read(staff: Client) -> None:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("tools.yaml", "tools: []\n" * 100)
    damaged = bytearray(written.getvalue())
    # The first byte of what is packed: a kind of block that there is not.
    damaged[30 + len("tools.yaml")] = 0xFF

    text = page(staff.post(IMPORT, {"files": [upload("tools.zip", bytes(damaged))]}), 422)

    assert "tools.zip is no ZIP that can be read." in text


@pytest.fixture
def applied(tmp_path: Path) -> Path:
    """The folder of the tool `times` of the toolset kr."""
    make_expression(name="times")
    make_toolset("kr", "times")
    call_command("tools", "export", str(tmp_path), stdout=io.StringIO())
    call_command("tools", "apply", str(tmp_path), stdout=io.StringIO())
    return tmp_path


@pytest.mark.usefixtures("applied")
def test_list_and_editor_say_that_a_tool_differs_from_its_file(staff: Client) -> None:
    assert "tools/times.yaml" not in page(staff.get("/tools/times/"))
    ToolDefinition.objects.update(definition="b * a")
    record_versions()

    listed = page(staff.get("/tools/?state=differing"))
    editor = page(staff.get("/tools/times/"))

    assert "Differs from its file tools/times.yaml" in listed
    assert "Differs from its file <code>tools/times.yaml</code>" in editor
    assert "<ins>b * a</ins>" in editor


@pytest.mark.usefixtures("applied")
def test_tool_owned_by_files_is_read_only_with_its_path(staff: Client) -> None:
    assert (
        staff.post("/toolsets/kr/edit/", {"name": "kr", "owned_by_files": "on"}).status_code == 302
    )
    assert Toolset.objects.get().owned_by_files
    tool = ToolDefinition.objects.get()

    text = page(staff.get("/tools/times/"))
    archived = staff.post("/tools/~/archived/", {"tool": tool.pk, "archived": "yes"}, follow=True)

    assert (
        "is owned by files, so it is read-only here: change <code>tools/times.yaml</code>" in text
    )
    assert 'id="publish"' not in text
    assert "times is in the toolset kr, which is owned by files" in page(archived)
    assert ToolDefinition.objects.present().count() == 1
    change = staff.get(f"/admin/tools/tooldefinition/{tool.pk}/change/")
    assert 'name="definition"' not in page(change)
