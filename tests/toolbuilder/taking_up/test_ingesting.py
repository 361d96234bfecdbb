"""Documents against the tools of a service: new, changed, the same and gone."""

import copy
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from catalog.models import DataSource, ServiceOperation
from core.errors import EditError
from core.ingest.openapi import OpenAPIReading
from tests.factories import make_tool
from tests.http_service import DOCUMENT
from toolbuilder.models import ToolVersion
from toolbuilder.taking_up.ingesting import (
    IngestKind,
    IngestPlan,
    apply_ingest,
    find_service,
    plan_ingest,
    read_openapi_text,
    save_service,
)
from tools.models import ToolDefinition

pytestmark = pytest.mark.django_db


def reading_of(**changes: Any) -> OpenAPIReading:
    """The pets' document with other `paths`."""
    return read_openapi_text(json.dumps({**DOCUMENT, **changes}))


def plan(reading: OpenAPIReading, *only: str) -> IngestPlan:
    return plan_ingest(reading, find_service("pets", "", reading), only)


def take_up(reading: OpenAPIReading) -> IngestPlan:
    save_service(find_service("pets", "", reading))
    planned = plan(reading)
    assert not [one.refusal for one in apply_ingest(planned.operations, "ann") if one.refusal]
    return planned


def changed_paths() -> dict[str, Any]:
    """The paths with another summary, one more parameter and without /pets/{id}."""
    paths: dict[str, Any] = copy.deepcopy(DOCUMENT["paths"])
    del paths["/pets/{id}"]
    get = paths["/pets"]["get"]
    get["summary"] = "All pets"
    get["parameters"].append({"name": "page", "in": "query", "schema": {"type": "integer"}})
    return paths


def test_tools_are_inactive_versions_of_an_import() -> None:
    take_up(reading_of())

    tool = ToolDefinition.objects.get(name="list_pets")
    assert (tool.is_active, tool.tool_type, tool.version) == (False, "HTTP", 1)
    assert tool.data_source is not None
    assert tool.data_source.server_url == "https://pets.example.com/v1"
    assert tool.tags == ["pets"]
    assert json.loads(tool.definition)["path"] == "/pets"
    assert ToolVersion.objects.get(tool=tool).origin == "IMPORTED"


def test_parameters_that_fit_are_rows_and_the_others_stay_in_the_definition() -> None:
    take_up(reading_of())

    tools = ToolDefinition.objects.whole()
    listed = [row.param_type for row in tools.get(name="list_pets").parameters.all()]
    added = [row.param_name for row in tools.get(name="add_pet").parameters.all()]
    assert listed == ["INTEGER", "STRING"]
    assert added == ["name"]


def test_taken_name_gets_the_name_of_the_service() -> None:
    make_tool(name="list_pets")

    assert [one.snapshot.name for one in plan(reading_of(), "pets").operations] == [
        "pets_list_pets"
    ]


def test_same_document_changes_nothing() -> None:
    take_up(reading_of())

    assert plan(reading_of()).counts == {"new": 0, "changed": 0, "same": 3, "gone": 0, "faults": 0}


def test_later_document_changes_what_nobody_has_edited() -> None:
    take_up(reading_of())
    tool = ToolDefinition.objects.get(name="list_pets")
    tool.parameters.filter(param_name="limit").update(
        description="Ours", is_required=True, binding="FIXED", bound_value=5
    )

    planned = take_up(reading_of(paths=changed_paths()))

    kinds = {one.snapshot.name: one.kind for one in planned.operations}
    assert kinds == {"list_pets": IngestKind.CHANGED, "add_pet": IngestKind.SAME}
    assert [gone.name for gone in planned.gone] == ["get_pet"]
    tool.refresh_from_db()
    rows = {row.param_name: row for row in tool.parameters.all()}
    assert (tool.title, tool.version) == ("All pets", 3)
    assert (rows["limit"].description, rows["limit"].binding) == ("Ours", "FIXED")
    assert "page" in rows


def test_only_names_and_tags_are_taken() -> None:
    assert [one.key for one in plan(reading_of(), "one", "add_pet").operations] == [
        "add_pet",
        "get_pet",
    ]


@pytest.mark.parametrize(
    ("name", "url", "text"),
    [
        pytest.param("pets", "http://pets.example.com", "begin with https", id="no TLS"),
        pytest.param("pets", "https://10.0.0.1/", "private network", id="private"),
        pytest.param("pets", "https://a:b@x.example", "user or a password", id="password"),
        pytest.param("shop", "", "is a database", id="database"),
    ],
)
def test_wrong_service_is_refused(name: str, url: str, text: str) -> None:
    DataSource.objects.create(name="shop", engine="sqlite", path="/data/shop.db")

    with pytest.raises(EditError, match=text):
        find_service(name, url, reading_of())


def test_unknown_name_is_refused() -> None:
    with pytest.raises(EditError, match="no operation or tag dogs"):
        plan(reading_of(), "dogs")


def test_command_ingests_and_tells(tmp_path: Path) -> None:
    path, out = tmp_path / "pets.json", StringIO()
    path.write_text(json.dumps(DOCUMENT))

    call_command("tools", "ingest", str(path), "--source", "pets", "--only", "pets", stdout=out)

    assert out.getvalue().splitlines() == [
        "list_pets: new, version 1",
        "1 new, 0 changed, 0 gone, 0 refused; new tools are inactive until somebody switches them"
        " on.",
    ]


def test_command_leaves_out_what_is_at_another_server(tmp_path: Path) -> None:
    path, out = tmp_path / "pets.json", StringIO()
    files = {"servers": [{"url": "https://files.example.com"}], "post": {"operationId": "upload"}}
    path.write_text(json.dumps({**DOCUMENT, "paths": {**DOCUMENT["paths"], "/files": files}}))

    call_command("tools", "ingest", str(path), "--source", "pets", stdout=out)

    assert "left out: POST /files: is at https://files.example.com" in out.getvalue()
    assert not ToolDefinition.objects.filter(name="upload").exists()
    assert not ServiceOperation.objects.filter(path="/files").exists()


def test_dry_run_writes_nothing(tmp_path: Path) -> None:
    path, out = tmp_path / "pets.json", StringIO()
    path.write_text(json.dumps(DOCUMENT))

    call_command("tools", "ingest", str(path), "--source", "pets", "--dry-run", stdout=out)

    assert "list_pets: new (GET /pets)" in out.getvalue()
    assert not ToolDefinition.objects.exists()
    assert not DataSource.objects.exists()


def test_what_is_no_document_is_told(tmp_path: Path) -> None:
    path = tmp_path / "pets.json"
    path.write_text('{"swagger": "1.2"}')

    with pytest.raises(CommandError, match="neither OpenAPI 3 nor Swagger"):
        call_command("tools", "ingest", str(path), "--source", "pets")
