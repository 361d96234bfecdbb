"""The editor: what it marks and shows, its keys, and the text area that it stands for."""

import pytest
from playwright.sync_api import Browser, expect

from core.errors import StatementError
from core.statements.duckdb import DuckdbLexer
from core.statements.lexer import StatementLexer
from core.statements.mysql import MysqlLexer
from core.statements.postgresql import PostgresqlLexer
from core.statements.sqlite import SqliteLexer
from tests.browser.accessibility import Axe, Look, each_look, overflow_of
from tests.browser.editor.page import EditorPage

LEXERS: dict[str, type[StatementLexer]] = {
    "postgresql": PostgresqlLexer,
    "mysql": MysqlLexer,
    "sqlite": SqliteLexer,
    "duckdb": DuckdbLexer,
}
STATEMENTS = [
    "SELECT * FROM t WHERE a = :a AND b = {{ b }} AND c::text = ':c' -- :d",
    "SELECT /* :a /* :b */ :c */ :d, $$ :e $$, $x$ :f $x$, E'\\':g' 'x', \"n:h\"",
    "SELECT x[1:2], ARRAY[:a, :b], items[(:n)], ARRAY[[:c]], j->>'k' = :k, a<@:b",
    "SELECT 1 [[ AND a = :a ]] [[ AND b[1] = :b]] ORDER BY :이름, :ﬁ",
    "SELECT e'a'\n'b\\':x' || :y, U&'\\0041' || :z, 1.5e3+:n, a:=:b",
    "SELECT 😀, '😀' || :after, {{x}}+{{ y }}",
    "SELECT [[1, 2], [:a, 3]], [[4]], x [[ AND a = [[:b], [5]] ]], [[:c, [6]]]",
    "SELECT [a:b], `c:d`, \"e\", :f, x'00', [[ :g ]] /* :h */",
]
DEPARTMENTS = "SELECT  FROM h_user u JOIN h_dept d ON "


def test_parameters_are_those_that_the_server_binds(editor: EditorPage) -> None:
    editor.open()

    for dialect, lexer_class in LEXERS.items():
        for text in STATEMENTS:
            lexer = lexer_class(text)
            is_whole = runs_through(lexer)
            read = editor.page.evaluate(
                "([text, dialect]) => readTokens(text, dialect).filter(t => t.kind === 'parameter').map(t => [t.name, t.from, t.to])",
                [text, dialect],
            )
            bound = [
                [each.name, units(text[: each.start]), units(text[: each.end])]
                for each in lexer.placeholders
            ]
            assert read == bound if is_whole else read[: len(bound)] == bound, (dialect, text)


def runs_through(lexer: StatementLexer) -> bool:
    try:
        lexer.run()
    except StatementError:
        return False
    return True


def units(text: str) -> int:
    """Length in UTF-16."""
    return len(text.encode("utf-16-le")) // 2


@pytest.mark.parametrize(
    ("text", "language", "marked"),
    [
        pytest.param(
            "SELECT ':a', :b::int [[ AND {{c}} ]] -- :d",
            "sql",
            [":b", "[[", "{{c}}", "]]"],
            id="sql",
        ),
        pytest.param('f(since=since).since + "since" # since', "python", ["since"], id="python"),
    ],
)
def test_parameters_are_marked(
    editor: EditorPage, text: str, language: str, marked: list[str]
) -> None:
    editor.open(text, language=language)

    expect(editor.page.locator(".cm-parameter")).to_have_text(marked)


def test_error_is_shown_described_and_fixed(editor: EditorPage) -> None:
    editor.open("SELECT '😀', l.usd_count FROM l")
    fix = {"label": "Use l.used_count", "from": 13, "to": 24, "insert": "l.used_count"}
    error = {
        "from": 13,
        "to": 24,
        "message": "column l.usd_count does not exist",
        "hint": "Perhaps <b>",
    }

    assert editor.show({**error, "fix": fix})
    expect(editor.page.locator(".cm-lintRange-error")).to_have_text("l.usd_count")
    expect(editor.content).to_have_attribute("aria-invalid", "true")
    expect(editor.content).to_have_accessible_description(
        "Line 1: column l.usd_count does not exist Perhaps <b> Press Escape, then Tab, to leave the editor."
    )
    editor.type_at(0, " ")
    editor.page.keyboard.press("F8")
    editor.page.get_by_role("button", name="Use l.used_count").click()

    assert editor.text == " SELECT '😀', l.used_count FROM l"


def test_findings_of_an_older_text_are_not_shown(editor: EditorPage) -> None:
    editor.open("SELECT 1")

    shown = editor.page.evaluate(
        "editor.showDiagnostics([{from: 0, to: 1, message: 'x'}], 'SELECT')"
    )

    assert shown is False
    expect(editor.page.locator(".cm-lintRange-error")).to_have_count(0)


def test_keys_go_through_the_findings_and_fix_the_one_at_the_cursor(editor: EditorPage) -> None:
    editor.open("aa bb cc")
    fix = {"label": "Use x", "from": 6, "to": 8, "insert": "x"}
    editor.show(
        {"from": 3, "to": 5, "message": "b"}, {"from": 6, "to": 8, "message": "c", "fix": fix}
    )
    editor.type_at(0, "")

    for key in ("F8", "F8", "Shift+F8", "F8", "Control+."):
        editor.page.keyboard.press(key)

    assert editor.text == "aa bb x"


def test_keys_run_save_and_publish(editor: EditorPage) -> None:
    editor.open("SELECT 1")
    editor.type_at(8, "")

    for key in ("Control+Enter", "Control+s", "Control+Shift+Enter"):
        editor.page.keyboard.press(key)

    assert editor.page.evaluate("said") == ["editor:run", "editor:save", "editor:publish"]
    assert editor.text == "SELECT 1"


@pytest.mark.parametrize(
    ("dialect", "text", "formatted"),
    [
        (
            "postgresql",
            "select a[b[1]], x::numeric(8,2) from t where d >= :since [[and x = {{y}}]] limit 1 -- one",
            "select\n  a[b[1]],\n  x::numeric(8, 2)\nfrom\n  t\nwhere\n  d >= :since\n"
            "  [[ and x = {{y}} ]]\nlimit\n  1 -- one",
        ),
        (
            "sqlite",
            "select [a b] from t where x = :x [[and y=1]]",
            "select\n  [a b]\nfrom\n  t\nwhere\n  x = :x\n  [[ and y = 1 ]]",
        ),
    ],
)
def test_statement_is_formatted_and_the_cursor_stays(
    editor: EditorPage, dialect: str, text: str, formatted: str
) -> None:
    editor.open(text, dialect=dialect)
    editor.type_at(text.index("t where"), "")

    assert editor.page.evaluate("editor.format()") is True

    assert editor.text == formatted
    head = editor.page.evaluate("editor.view.state.selection.main.head")
    assert "".join(formatted[:head].split()) == "".join(text[: text.index("t where")].split())
    editor.page.keyboard.press("ControlOrMeta+z")
    assert editor.text == text


def test_half_a_statement_is_left_as_it_is(editor: EditorPage) -> None:
    editor.open("select 'not closed")

    assert editor.page.evaluate("editor.format()") is False

    assert editor.text == "select 'not closed"


def test_tab_indents_and_leaves_after_escape(editor: EditorPage) -> None:
    editor.open("SELECT 1")
    editor.type_at(0, "")

    editor.page.keyboard.press("Tab")
    assert editor.text == "  SELECT 1"
    editor.page.keyboard.press("Escape")
    editor.page.keyboard.press("Tab")

    expect(editor.page.get_by_role("button", name="Send")).to_be_focused()


def test_dropped_and_inserted_names_do_not_melt_into_words(editor: EditorPage) -> None:
    editor.open("SELECT")

    editor.page.locator("#name").drag_to(editor.content, target_position={"x": 200, "y": 20})
    editor.page.evaluate("editor.insertAtCursor(', uid')")

    assert editor.text == "SELECT dept_nm, uid"


def test_text_is_analysed_once_a_syllable_is_composed(editor: EditorPage) -> None:
    editor.open("SELECT ''", pauseMs=1)
    editor.type_at(8, "")
    client = editor.page.context.new_cdp_session(editor.page)

    for syllable in ("ㅎ", "하", "한"):
        client.send(
            "Input.imeSetComposition", {"text": syllable, "selectionStart": 1, "selectionEnd": 1}
        )
        expect(editor.page.locator("#logic")).to_have_value(f"SELECT '{syllable}'")
    client.send("Input.insertText", {"text": "한"})

    expect(editor.page.locator("html")).to_have_attribute("data-analysed", "1")
    assert editor.analysed == ["SELECT '한'"]


def test_text_is_analysed_once_a_list_is_closed(editor: EditorPage) -> None:
    editor.open("SELECT  FROM h_user u", pauseMs=1)
    editor.type_at(7, "u.")
    expect(editor.first_option).to_be_visible()
    assert editor.analysed == []

    editor.page.keyboard.press("Escape")

    expect(editor.page.locator("html")).to_have_attribute("data-analysed", "1")
    assert editor.analysed == ["SELECT u. FROM h_user u"]


def test_form_sends_and_resets_the_text(editor: EditorPage) -> None:
    editor.open("SELECT 1")
    editor.type_at(8, "2")
    editor.page.get_by_role("button", name="Reset").click()
    expect(editor.page.locator("#logic")).to_have_value("SELECT 1")
    editor.page.get_by_text("Statement").click()
    expect(editor.content).to_be_focused()
    editor.page.keyboard.press("Control+End")
    editor.page.keyboard.type("3")

    editor.page.get_by_role("button", name="Send").click()

    expect(editor.page.get_by_role("heading", name="Sent")).to_be_visible()
    expect(editor.page.locator("#logic")).to_have_value("SELECT 13")
    editor.load()


def test_language_and_schema_change_under_the_text(editor: EditorPage) -> None:
    editor.open("SELECT s.lot FROM ", language="python")
    names = {'"Stock Level"': ["lot"]}

    editor.page.evaluate(
        "names => editor.configure({language: 'sql', schema: schemaOfNames(names)})", names
    )
    editor.type_at(18, "Sto")
    editor.first_option.click()

    expect(editor.page.locator(".tok-keyword")).to_have_text(["SELECT", "FROM"])
    expect(editor.page.locator("#logic")).to_have_value('SELECT s.lot FROM "Stock Level"')


def test_read_only_text_cannot_be_changed_and_the_place_is_given_back(editor: EditorPage) -> None:
    editor.open("SELECT 1")

    editor.page.evaluate("editor.configure({readOnly: true})")
    editor.type_at(0, "x")
    editor.page.evaluate("editor.destroy()")

    expect(editor.page.get_by_label("Statement")).to_have_value("SELECT 1")
    expect(editor.page.get_by_label("Statement")).to_be_visible()


def test_large_text_is_typed_into(editor: EditorPage) -> None:
    editor.open("SELECT 1 ")
    editor.page.evaluate("editor.setText('SELECT :a, column_name -- x\\n'.repeat(3600))")

    editor.type_at(7, ":b, ")

    expect(editor.page.locator(".cm-parameter").first).to_have_text(":b")
    assert len(editor.text) > 100_000


@each_look
def test_editor_is_accessible(editor: EditorPage, axe: Axe, look: Look) -> None:
    look.apply(editor.page, editor.url)
    editor.load()
    editor.open("-- note\nSELECT u.uid, 'a', 12 FROM h_user u WHERE d > :since [[ AND x = {{y}} ]]")
    editor.show({"from": 8, "to": 14, "message": "wrong", "hint": "because"})
    editor.type_at(15, "u.")
    expect(editor.first_option).to_be_visible()

    assert axe.violations(editor.page) == []
    assert overflow_of(editor.page) <= 0


def test_without_scripts_the_text_area_is_the_editor(editor: EditorPage, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(editor.url)

    page.get_by_label("Statement").fill("SELECT 2")
    page.get_by_role("button", name="Send").click()

    expect(page.get_by_label("Statement")).to_have_value("SELECT 2")
    context.close()
