"""A folder of files is written, applied with a plan, and told apart from what was changed elsewhere."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from access.models import Toolset, ToolsetTool
from catalog.glossary.concepts import add_concept, find_entry
from catalog.models import DataSource, GlossaryConcept
from core.cases.documents import read_case
from core.errors import EditError
from tests.factories import make_data_source, make_expression, make_tool, make_toolset
from toolbuilder.cases.rows import save_case
from toolbuilder.editing.drafts import open_draft
from toolbuilder.editing.publishing import archive, publish_tool, set_all_active
from toolbuilder.exchange.ownership import differing, read_file_state
from toolbuilder.history.versions import record_versions
from toolbuilder.models import ToolCase, ToolFile, ToolVersion, VersionOrigin
from tools.aliases import Renames, follow_renames
from tools.definitions import ToolDocument
from tools.models import ToolDefinition

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedded_postgres")]


def run(*arguments: str) -> str:
    """What the command writes to standard output."""
    output = StringIO()
    call_command("tools", *arguments, stdout=output, stderr=StringIO())
    return output.getvalue()


def plan(*arguments: str) -> tuple[int, str]:
    """The exit code of a dry run, and what it tells."""
    output = StringIO()
    try:
        call_command("tools", "apply", *arguments, "--dry-run", stdout=output)
    except SystemExit as end:
        return int(str(end.code)), output.getvalue()
    except CommandError as error:
        return error.returncode, str(error)
    return 0, output.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files of two tools, a toolset, a data source and a concept, which are applied."""
    make_data_source("shop", port=5433)
    make_expression(name="times")
    make_tool(
        "SELECT :day::date AS day,\n\t1 AS one  \n",
        name="sales",
        parameters=[{"param_name": "day", "param_type": "DATE", "description": "The day"}],
    )
    make_toolset("kr", "times", tags=["kr"])
    add_concept("till_slip", {"ko": "계산서", "en": "till slip"}, "ann")
    path = tmp_path / "shop-tools"
    run("export", str(path))
    run("apply", str(path))
    return path


def hashes() -> dict[str, str]:
    return {
        tool.name: ToolDocument.of_row(tool).content_hash for tool in ToolDefinition.objects.whole()
    }


def test_every_tool_has_the_same_hash_in_an_empty_installation(folder: Path) -> None:
    before, source = hashes(), DataSource.objects.values("port", "host").get(name="shop")
    ToolVersion.objects.all().delete()
    for model in (ToolDefinition, Toolset, DataSource, GlossaryConcept):
        model.objects.all().delete()

    told = run("apply", str(folder), "--note", "commit 1a2b3c")

    assert told.endswith("5 new, 0 changed, 0 archived, 0 unchanged.\n")
    assert hashes() == before
    assert DataSource.objects.values("port", "host").get(name="shop") == source
    assert list(ToolsetTool.objects.values_list("toolset__name", "tool_name")) == [("kr", "times")]
    assert (entry := find_entry("till_slip"))
    assert entry.terms["ko"] == ("계산서",)
    version = ToolDefinition.objects.get(name="sales").versions.get()
    assert (version.origin, version.note, version.is_judged) == (
        VersionOrigin.IMPORTED,
        "commit 1a2b3c",
        True,
    )


def test_nothing_to_do_is_said_with_code_0(folder: Path) -> None:
    assert plan(str(folder)) == (0, "no changes, 5 unchanged.\n")
    assert run("apply", str(folder)) == "no changes, 5 unchanged.\n"
    assert run("export", str(folder)) == "0 files written, 5 unchanged.\n"


def test_plan_tells_each_field_and_line_with_code_2(folder: Path) -> None:
    path = folder / "tools/sales.yaml"
    path.write_text(path.read_text().replace("1 AS one", "2 AS one") + "row_limit: 5\n")

    code, told = plan(str(folder))

    assert code == 2
    assert told == (
        "~ tool sales (tools/sales.yaml)\n"
        "    row_limit: 1000 -> 5\n"
        "    definition:\n"
        "        SELECT :day::date AS day,\n"
        "      - \t1 AS one  \n"
        "      + \t2 AS one  \n"
        "0 new, 1 changed, 0 archived, 4 unchanged.\n"
    )
    assert ToolDefinition.objects.get(name="sales").row_limit == 1_000


def test_what_a_file_leaves_out_has_its_default(folder: Path) -> None:
    described = {"ko": "매출을 돌려줍니다."}
    ToolDefinition.objects.filter(name="sales").update(
        record_arguments="none", descriptions=described
    )

    assert 'record_arguments: "none" -> "full"' in plan(str(folder))[1]
    run("apply", str(folder))

    tool = ToolDefinition.objects.get(name="sales")
    assert (tool.record_arguments, tool.descriptions) == ("full", {})
    assert plan(str(folder)) == (0, "no changes, 5 unchanged.\n")


def test_comments_and_spelling_stay_when_files_are_written_over(folder: Path) -> None:
    path = folder / "tools/sales.yaml"
    path.write_text(f"# Finance asked for it.\n{path.read_text()}row_limit: 1000 # all\n")
    ToolDefinition.objects.filter(name="sales").update(title="Sales")

    assert "tools/sales.yaml: written\n1 files written" in run("export", str(folder))

    text = path.read_text()
    assert text.startswith("# Finance asked for it.\n")
    assert "name: sales\ntitle: Sales\n" in text
    assert plan(str(folder))[0] == 0


def test_all_faults_are_told_with_their_lines_and_nothing_is_applied(folder: Path) -> None:
    (folder / "tools/a.yaml").write_text("toolbuilder: 1\nkind: tool\nname: a\n  b: c\n")
    (folder / "tools/b.yaml").write_text("toolbuilder: 1\nkind: tool\nname: b\nsql: SELECT 1\n")
    (folder / "tools/sub").mkdir()
    (folder / "tools/sub/c.yml").write_text("toolbuilder: 1\nkind: tool\nname: times\n")
    (folder / "tools/good.yaml").write_text(
        "toolbuilder: 1\nkind: tool\nname: good\ndefinition: SELECT 1 AS one\n"
    )

    code, told = plan(str(folder))

    assert code == 1
    lines = told.splitlines()
    assert [line.split(" ")[0] for line in lines] == [
        "tools/a.yaml:4:4:",
        "tools/b.yaml:4:1:",
        "tools/sub/c.yml:1:1:",
        "tools/times.yaml:3:1:",
    ]
    assert "times is there twice" in lines[3]
    with pytest.raises(CommandError) as caught:
        run("apply", str(folder))
    assert caught.value.returncode == 1
    assert not ToolDefinition.objects.filter(name="good").exists()


def test_faults_of_form_and_of_the_databases_are_told_together(folder: Path) -> None:
    path = folder / "tools/sales.yaml"
    path.write_text(path.read_text().replace("1 AS one", "nothing AS one"))
    tool = ToolDefinition.objects.get(name="times")
    save_case(tool, None, read_case({"name": "six", "arguments": {"a": 2, "b": 3}}, ""), "ann")
    run("export", str(folder), "--tools", "times")
    path = folder / "tools/times.yaml"
    path.write_text(path.read_text().replace("definition: a * b", "definition: a / 0"))
    (folder / "tools/broken.yaml").write_text("toolbuilder: 1\nkind: tool\nname: a\n  b: c\n")
    (folder / "sources/crm.yaml").write_text("toolbuilder: 1\nkind: source\nname: crm\nprot: 1\n")
    of_crm = "toolbuilder: 1\nkind: tool\nname: b\ndata_source: crm\ndefinition: SELECT 1\n"
    (folder / "tools/of_crm.yaml").write_text(of_crm)

    code, told = plan(str(folder))

    assert code == 1
    assert [line.split(" ")[0] for line in told.splitlines()] == [
        "sources/crm.yaml:4:1:",
        "tools/broken.yaml:4:4:",
        "tools/sales.yaml:8:4:",
        "tools/times.yaml:12:1:",
    ]
    assert not ToolDefinition.objects.filter(name="b").exists()


def test_database_names_the_line_of_a_statement_that_it_refuses(folder: Path) -> None:
    path = folder / "tools/sales.yaml"
    path.write_text(path.read_text().replace("1 AS one", "nothing AS one"))
    other = "toolbuilder: 1\nkind: tool\nname: lost\ndata_source: gone\ndefinition: SELECT 1\n"
    (folder / "tools/lost.yaml").write_text(other)

    code, told = plan(str(folder))

    assert code == 1
    lines = told.splitlines()
    assert lines[0].startswith("tools/lost.yaml:")
    assert "no data source 'gone'" in lines[0]
    assert lines[1].startswith("tools/sales.yaml:8:4: ")
    assert "nothing" in lines[1]


def test_tool_whose_data_source_is_away_is_applied_and_said_to_be_unchecked(folder: Path) -> None:
    tool = "toolbuilder: 1\nkind: tool\nname: away\ndata_source: shop\ndefinition: SELECT 1\n"
    (folder / "tools/away.yaml").write_text(tool)

    told = run("apply", str(folder))

    assert "! away: not checked by its data source: " in told
    assert not ToolVersion.objects.get(tool_name="away").is_judged


def test_only_tools_of_the_owner_whose_file_is_gone_are_archived(folder: Path) -> None:
    make_tool(name="of_nobody")
    other = make_tool(name="of_others")
    ToolFile.objects.create(tool=other, owner="others", path="tools/x.yaml", content_hash="")
    text = (folder / "tools/times.yaml").read_text()
    (folder / "tools/times.yaml").unlink()

    assert plan(str(folder))[1].startswith("Files are gone of times; --prune archives them.\n")
    told = run("apply", str(folder), "--prune")

    assert "- tool times: archived, its file is gone\n" in told
    archived = ToolDefinition.objects.archived()
    assert [tool.name for tool in archived] == ["times"]
    (folder / "tools/times.yaml").write_text(text)
    assert "~ tool times (tools/times.yaml): no longer archived" in run("apply", str(folder))
    assert ToolDefinition.objects.active().filter(name="times").exists()


def test_folder_without_an_owner_prunes_nothing(folder: Path) -> None:
    (folder / "toolbuilder.yaml").unlink()

    with pytest.raises(CommandError, match="Write owner: NAME into"):
        run("apply", str(folder), "--prune")


def test_tool_that_was_changed_elsewhere_differs_from_its_file(folder: Path) -> None:
    tool = ToolDefinition.objects.whole().get(name="sales")
    assert read_file_state(tool).difference is None

    ToolDefinition.objects.update(title="Sales")
    record_versions()

    state = read_file_state(ToolDefinition.objects.whole().get(name="sales"))
    assert (state.path, state.owner) == ("tools/sales.yaml", "shop-tools")
    assert state.difference
    assert [field.new for field in state.difference.fields] == ["Sales"]
    assert ToolDefinition.objects.filter(differing()).count() == 2
    assert plan(str(folder))[0] == 2


def test_tools_owned_by_files_are_changed_by_these_alone(folder: Path) -> None:
    Toolset.objects.update(owned_by_files=True)
    run("export", str(folder))
    tool = ToolDefinition.objects.get(name="times")
    draft = open_draft(tool, "ann")
    draft.document |= {"definition": "b * a"}
    draft.save()

    with pytest.raises(EditError, match="times is in the toolset kr, which is owned by files"):
        publish_tool(draft, "ann")
    with pytest.raises(EditError, match=r"change tools/times\.yaml"):
        archive([tool.pk], "ann")
    path = folder / "tools/times.yaml"
    path.write_text(path.read_text().replace("a * b", "a * b * 2"))
    run("apply", str(folder))

    tool.refresh_from_db()
    assert tool.definition == "a * b * 2"
    assert set_all_active([tool.pk], is_active=False, username="ann") == [tool.pk]


def test_lint_of_a_folder_needs_no_database(
    folder: Path, django_assert_num_queries: object
) -> None:
    path = folder / "tools/sales.yaml"
    path.write_text(path.read_text().replace("SELECT :day", "SELECT FROM WHERE ((:day"))

    with django_assert_num_queries(0), pytest.raises(SystemExit) as caught:  # type: ignore[operator]
        run("lint", str(folder))

    assert caught.value.code == 1


def test_test_cases_travel_with_their_tool_and_stop_it_where_they_are_red(folder: Path) -> None:
    tool, path = ToolDefinition.objects.get(name="times"), folder / "tools/times.yaml"
    case = {"name": "six by seven", "arguments": {"a": 6, "b": 7}}
    save_case(tool, None, read_case(case, "case"), "ann")
    run("export", str(folder))
    assert "cases:\n- name: six by seven\n" in path.read_text()
    assert plan(str(folder))[0] == 0
    ToolCase.objects.all().delete()

    assert "    other test cases\n" in run("apply", str(folder))
    assert [row.name for row in ToolCase.objects.all()] == ["six by seven"]
    path.write_text(path.read_text().replace("definition: a * b", "definition: a / 0"))

    code, told = plan(str(folder))

    assert code == 1
    assert told.startswith("tools/times.yaml:12:1: 1 of 1 cases is red: six by seven.")
    run("apply", str(folder), "--override-red", "known")
    assert tool.versions.order_by("-number")[0].override_reason == "known"


def test_toolset_that_asks_for_a_review_is_asked_for_a_reason(folder: Path) -> None:
    Toolset.objects.update(review="other")
    run("export", str(folder))
    path = folder / "tools/times.yaml"
    path.write_text(path.read_text().replace("a * b", "b * a"))

    assert "Changes of tools in kr are reviewed" in plan(str(folder))[1]
    run("apply", str(folder), "--without-review", "merge request 12")

    assert "merge request 12" in ToolVersion.objects.filter(tool_name="times").latest("pk").note


def test_no_secret_of_a_data_source_is_written(folder: Path) -> None:
    make_data_source(
        "crm",
        engine="http",
        server_url="https://ann:hush@crm.example.com/v1",
        password="sealed-secret",
        authentication="bearer",
    )

    run("export", str(folder))

    texts = [path.read_text() for path in folder.rglob("*.yaml")]
    assert not any("hush" in text or "sealed" in text for text in texts)
    assert "server_url: https://crm.example.com/v1\n" in (folder / "sources/crm.yaml").read_text()


def test_names_and_folders_are_told_apart(folder: Path, tmp_path: Path) -> None:
    assert run("export", "times").startswith("toolbuilder: 1\ntools:\n- name: times\n")
    some = tmp_path / "some"

    run("export", f"{some}/", "--tools", "times")

    assert sorted(path.name for path in some.rglob("*.yaml")) == ["times.yaml", "toolbuilder.yaml"]
    (folder / "tools/of_nothing.yaml").write_text("toolbuilder: 1\nkind: tool\nname: x\n")
    assert "tools/of_nothing.yaml: removed\n" in run("export", str(folder), "--prune")


def test_many_new_tools_are_written_with_a_few_statements_and_progress_is_told(
    tmp_path: Path, django_assert_max_num_queries: Any
) -> None:
    make_toolset("of_files", "bulk_0000", review="other")
    (tmp_path / "tools").mkdir()
    text = (
        "toolbuilder: 1\nkind: tool\nname: {name}\ntool_type: PYTHON\ndefinition: a\n"
        "parameters:\n- param_name: a\ncases:\n- name: one\n  arguments: {{a: x}}\n"
    )
    for number in range(500):
        name = f"bulk_{number:04}"
        (tmp_path / f"tools/{name}.yaml").write_text(text.format(name=name))
    errors = StringIO()

    assert "are reviewed" in plan(str(tmp_path))[1]
    with django_assert_max_num_queries(600):
        call_command(
            "tools", "apply", str(tmp_path), without_review="night", override_red="", stdout=StringIO(), stderr=errors
        )  # fmt: skip

    assert errors.getvalue() == "500 of 500 tools written\n"
    version = ToolVersion.objects.get(tool_name="bulk_0000")
    assert (version.note, len(version.cases), version.is_judged) == ("No review: night", 1, True)
    assert ToolVersion.objects.get(tool_name="bulk_0001").note == ""
    assert ToolDefinition.objects.active().count() == 500


def test_name_that_is_an_old_name_of_another_tool_is_a_fault(folder: Path) -> None:
    tool = ToolDefinition.objects.get(name="times")
    renames = Renames(old_name="product", new_name="times", parameters={}, kept=["a", "b"])
    follow_renames(tool.pk, renames, days=30, username="ann")
    text = "toolbuilder: 1\nkind: tool\nname: product\ndefinition: SELECT 1\n"
    (folder / "tools/product.yaml").write_text(text)

    assert "product is an old name of times, which answers to it" in plan(str(folder))[1]
