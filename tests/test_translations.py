"""Every text that the web side shows is there in each language, and `make translations` was run."""

import ast
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client
from django.utils import translation
from django.utils.functional import Promise

import core.errors
from access.audit.models import AuditHead
from catalog.documents.models import RemovedDocument
from catalog.models import SchemaState
from tests.error_codes import PAGE, calls_of, make_table, read_codes, templates_in
from tests.factories import make_expression, make_tool
from toolbuilder.exchange.models import ToolFile
from toolbuilder.models import SearchMeasurement
from toolbuilder.preferences.models import Preferences
from tools.models import (
    QuarantinedTool,
    RegistryRevision,
    SearchUse,
    ToolSearch,
    ToolUseState,
    ToolVector,
)

ROOT = Path(__file__).parent.parent
FOLDERS = (
    *(
        "access",
        "catalog",
        "config",
        "core",
        "gateways",
        "mcp_runtime",
        "toolbuilder",
        "tools",
        "templates",
    ),
    "docs/reference",
)
EXTRACTORS = [
    ("**.py", "python"),
    ("**.html", "django"),
    ("**/settings.md", "config.web.variable_texts:extract"),
]
KEYWORDS = DEFAULT_KEYWORDS | {
    "gettext_lazy": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext_lazy": ((1, "c"), 2, 3),
    # Messages, findings of a check and advice on a tool, made where no framework is known.
    "message": (2,),
    "refused": (2,),
    "warning": (2,),
    "ok": (2,),
    "counted": (1, 2),
    "problem": (2,),
    "suggestion": (2,),
}
MESSAGES = {"message", "refused", "warning", "ok", "problem", "suggestion"}
LANGUAGES = [code for code, _name in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
NAMES = re.compile(r"\{(\w+)\}")
# Whose values are given where they are used, or whose braces are the text's own.
FILLED_LATER = {
    *("scan.read", "scan.related", "scan.sampled"),
    "statement.template_in_mysql_string",
    *("statement.template_in_string", "statement.template_in_name", "statement.no_templates"),
    "http.definition_path_parameter",
}
ERRORS = {
    *(name for name in vars(core.errors) if name.endswith("Error")),
    *("ReferenceFaultError", "OperationFaultError", "RpcError", "ServerDownError"),
    *("StoreDownError", "CollectionGoneError", "ScanBusyError", "ScanLostError"),
    *("ScanCancelledError", "IndexingBusyError"),
}
SHOWN = ("access", "catalog", "core", "gateways", "mcp_runtime", "toolbuilder", "tools")
# What only command lines say.
ENGLISH = {
    "toolbuilder/management/commands/tools.py",
    "toolbuilder/management/tool_arguments.py",
    "toolbuilder/management/tool_ingest.py",
    "tools/builtin/registry.py",
}
PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[sd]|\{\w*\}")
# Rows that count and remember; no page shows them.
NEVER_SHOWN = {
    RegistryRevision,
    RemovedDocument,
    AuditHead,
    SchemaState,
    ToolFile,
    SearchMeasurement,
    SearchUse,
    ToolSearch,
    ToolUseState,
    ToolVector,
    Preferences,
}
MODELS = [
    model
    for model in apps.get_models()
    if model.__module__.split(".")[0] in FOLDERS and model not in NEVER_SHOWN
]

each_language = pytest.mark.parametrize("language", LANGUAGES)


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    """A request leaves its language behind in the thread."""
    with translation.override("en"):
        yield


def folder_of(language: str) -> Path:
    return ROOT / "locale" / language / "LC_MESSAGES"


def read_catalog(language: str) -> Catalog:
    with (folder_of(language) / "django.po").open("rb") as file:
        return read_po(file, locale=language)


def messages_of(language: str) -> list[Message]:
    return [message for message in read_catalog(language) if message.id]


def all_of(text: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...]:
    """The forms of a text: singular and plural where it counts something."""
    return (text,) if isinstance(text, str) else tuple(text or ())


@pytest.fixture(scope="module")
def texts_of_the_code() -> set[tuple[str | None, tuple[str, ...]]]:
    found = (extract_from_dir(ROOT / folder, EXTRACTORS, keywords=KEYWORDS) for folder in FOLDERS)
    return {
        (context, all_of(text))
        for folder in found
        for _file, _line, text, _comments, context in folder
    }


@each_language
def test_catalog_holds_exactly_the_texts_of_the_code(
    language: str, texts_of_the_code: set[tuple[str | None, tuple[str, ...]]]
) -> None:
    catalog = read_catalog(language)

    assert texts_of_the_code
    assert {(text.context, all_of(text.id)) for text in messages_of(language)} == texts_of_the_code
    assert not catalog.obsolete


def test_text_of_every_message_can_be_taken_from_the_code() -> None:
    calls = [(place, call) for place, call in calls_of(MESSAGES) if not _passes_on(call)]

    assert calls
    assert [place for place, call in calls if not templates_in(call)] == []


def test_placeholders_of_every_message_have_values() -> None:
    wrong = [
        place
        for place, call in calls_of(MESSAGES)
        if not _passes_on(call)
        and {keyword.arg for keyword in call.keywords} != set(NAMES.findall(templates_in(call)[-1]))
        and _code_of(call) not in FILLED_LATER
    ]

    assert wrong == []


@pytest.mark.parametrize("code", sorted(FILLED_LATER))
def test_messages_that_are_filled_later_have_no_values_yet(code: str) -> None:
    calls = [call for _place, call in calls_of({"message"}) if _code_of(call) == code]

    assert [call.keywords for call in calls] == [[]]


def test_code_has_one_text() -> None:
    assert {code: texts for code, texts in read_codes().items() if len(texts) > 1} == {}


def test_every_code_is_documented() -> None:
    assert PAGE.read_text().endswith(make_table()), "run make translations"


def test_errors_that_people_see_are_messages() -> None:
    """A plain text of our own would be English on every page; a name in front says who speaks English."""
    wrong = [
        place
        for place, call in calls_of(ERRORS, SHOWN)
        if place.split(":")[0] not in ENGLISH and call.args and _is_plain(call.args[0])
    ]

    assert wrong == []


def _is_plain(text: ast.expr) -> bool:
    """Whether it is written out where the error is raised, translated there or not."""
    is_translated = isinstance(text, ast.Call) and getattr(text.func, "id", "") == "_"
    return is_translated or isinstance(text, ast.JoinedStr | ast.Constant | ast.BinOp)


def _code_of(call: ast.Call) -> str:
    return str(getattr(call.args[0], "value", ""))


def _passes_on(call: ast.Call) -> bool:
    """Whether the call is in a function that gives on what it was given: `message(code, template, **values)`."""
    return any(keyword.arg is None for keyword in call.keywords)


@each_language
def test_every_text_is_translated(language: str) -> None:
    messages = messages_of(language)

    assert [text.id for text in messages if text.fuzzy or not all(all_of(text.string))] == []
    assert [text.id for text in messages if not all_of(text.string)] == []


@each_language
def test_placeholders_are_kept(language: str) -> None:
    catalog = read_catalog(language)

    for text in messages_of(language):
        expected = sorted(PLACEHOLDER.findall(all_of(text.id)[-1]))
        for string in all_of(text.string):
            assert sorted(PLACEHOLDER.findall(string)) == expected, string
        assert list(text.check(catalog)) == []


@each_language
def test_compiled_catalog_is_up_to_date(language: str) -> None:
    compiled = io.BytesIO()

    write_mo(compiled, read_catalog(language))

    assert (folder_of(language) / "django.mo").read_bytes() == compiled.getvalue()


@each_language
def test_catalog_names_nobody_and_no_place(language: str) -> None:
    text = (folder_of(language) / "django.po").read_text()

    assert re.findall(r"[\w.]+@\w+\.\w+", text) == []
    assert re.findall(r"^#: .*(?::\d|(?<= )/).*$", text, re.MULTILINE) == []


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_label_of_the_admin_can_be_translated(model: type[Model]) -> None:
    fields = [field for field in model._meta.fields if field.editable and not field.primary_key]

    assert [field.name for field in fields if not isinstance(field.verbose_name, Promise)] == []
    assert [
        field.name
        for field in fields
        if field.help_text and not isinstance(field.help_text, Promise)
    ] == []
    assert isinstance(model._meta.verbose_name, Promise)
    assert isinstance(model._meta.verbose_name_plural, Promise)
    assert isinstance(apps.get_app_config(model._meta.app_label).verbose_name, Promise)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "words"),
    [
        pytest.param("ko", ["도구 추가", "종류", "SQL 쿼리", "제공 중", "비활성"], id="ko"),
        pytest.param("ja", ["ツール", "種類", "SQL クエリ", "提供中", "無効"], id="ja"),
    ],
)
def test_list_of_tools_speaks_the_language(client: Client, language: str, words: list[str]) -> None:
    client.force_login(User.objects.create_superuser("admin"))
    make_expression()
    make_expression(is_active=False)

    page = client.get(
        "/admin/tools/tooldefinition/", headers={"Accept-Language": language}
    ).content.decode()

    assert [word for word in words if word not in page] == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "state"),
    [pytest.param("ko", "격리됨", id="ko"), pytest.param("ja", "隔離中", id="ja")],
)
def test_reason_of_a_quarantine_follows_a_translated_word(
    client: Client, language: str, state: str
) -> None:
    client.force_login(User.objects.create_superuser("admin"))
    QuarantinedTool.objects.create(tool=make_tool(), reason="no such table")

    page = client.get("/admin/tools/tooldefinition/", headers={"Accept-Language": language})

    assert f"{state}: no such table" in page.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "words"),
    [
        pytest.param(
            "ko",
            [
                "에이전트용 설명",
                "데이터 소스",
                "시간 제한(밀리초)",
                "매개변수",
                "기본값",
                "허용 값",
            ],
            id="ko",
        ),
        pytest.param(
            "ja",
            ["エージェント向けの説明", "データソース", "制限時間", "パラメーター", "デフォルト値"],
            id="ja",
        ),
    ],
)
def test_form_of_a_tool_speaks_the_language(
    client: Client, language: str, words: list[str]
) -> None:
    client.force_login(User.objects.create_superuser("admin"))

    page = client.get(
        "/admin/tools/tooldefinition/add/", headers={"Accept-Language": language}
    ).content.decode()

    assert [word for word in words if word not in page] == []
