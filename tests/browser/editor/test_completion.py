"""What the editor offers at the cursor, and what it writes when that is taken."""

import pytest
from playwright.sync_api import expect

from tests.browser.editor.page import OPTION, EditorPage


@pytest.mark.parametrize(
    ("text", "typed", "offered"),
    [
        pytest.param("SELECT | FROM h_user u", "u.us", "user_nmtext · 사용자 이름", id="alias"),
        pytest.param(
            "SELECT | FROM h_user", "h_user.us", "user_nmtext · 사용자 이름", id="no alias"
        ),
        pytest.param(
            "SELECT lower(| FROM h_user u", "user_", "user_nmtext · 사용자 이름 · u", id="open"
        ),
        pytest.param("SELECT 1 FROM |", "h_d", "h_dept부서", id="table"),
        pytest.param("SELECT 1 FROM |", "부", "h_dept부서", id="table by its comment"),
        pytest.param("SELECT 1 FROM depot.|", "st", "stock在庫", id="table of a schema"),
        pytest.param("SELECT | FROM depot.stock s", "s.sh", "shelftext · 棚", id="loaded column"),
        pytest.param(
            "WITH x AS (SELECT uid AS who FROM h_user) SELECT | FROM x",
            "wh",
            "whox",
            id="common table",
        ),
        pytest.param(
            "SELECT | FROM (SELECT max(uid) AS top FROM h_user) AS s", "s.t", "top", id="subquery"
        ),
        pytest.param(
            "SELECT 1 FROM h_user u WHERE EXISTS (SELECT 1 FROM h_dept d WHERE |)",
            "u.us",
            "user_nmtext · 사용자 이름",
            id="query around",
        ),
        pytest.param(
            "SELECT 1 WHERE d >= |", ":si", "sincedate · Only days from this one on", id="parameter"
        ),
        pytest.param(
            "SELECT 1 WHERE d >= |", "{{si", "sincedate · Only days from this one on", id="template"
        ),
        pytest.param("SELECT |", "date_tr", "date_trunc(unit, time)", id="function"),
        pytest.param("SELECT 1 FROM h_user |", "WHER", "WHERE", id="keyword"),
        pytest.param("SELECT 1|", "::tex", "text", id="type"),
        pytest.param(
            "SELECT 1 FROM h_user u JOIN h_dept d ON|", " ", "d.dept_id = u.dept_id", id="condition"
        ),
        pytest.param(
            "SELECT 1 FROM h_user u JOIN |",
            "h_",
            "h_dept ON h_dept.dept_id = u.dept_id부서",
            id="join",
        ),
        pytest.param(
            "SELECT 1 FROM h_user u JOIN|",
            " ",
            "h_dept ON h_dept.dept_id = u.dept_id부서",
            id="join before a letter",
        ),
        pytest.param("SELECT 1 FROM|", " ", "depot.stock在庫", id="table before a letter"),
        pytest.param("SELECT 1 FROM h_user u,|", " ", "depot.stock在庫", id="second table"),
        pytest.param(
            "SELECT 1 FROM (SELECT 2 FROM|) AS s", " ", "depot.stock在庫", id="table of a subquery"
        ),
    ],
)
def test_likeliest_completion_comes_first(
    editor: EditorPage, text: str, typed: str, offered: str
) -> None:
    editor.open(text.replace("|", ""))

    editor.type_at(text.index("|"), typed)

    expect(editor.first_option).to_have_text(offered)


@pytest.mark.parametrize(
    ("typed", "offered", "written"),
    [
        pytest.param("u.Or", "Ordertext", 'u."Order"', id="quoted name"),
        pytest.param("dept_i", "dept_idinteger · d", "d.dept_id", id="name of two tables"),
        pytest.param("date_tr", "date_trunc(unit, time)", "date_trunc()", id="function"),
        pytest.param(":si", "sincedate · Only days from this one on", ":since", id="parameter"),
        pytest.param("{{si", "sincedate · Only days from this one on", "{{since}}", id="template"),
    ],
)
def test_accepted_completion_is_written_as_the_database_reads_it(
    editor: EditorPage, typed: str, offered: str, written: str
) -> None:
    editor.open("SELECT  FROM h_user u, h_dept d")
    editor.type_at(7, typed)

    editor.page.locator(OPTION).filter(has_text=offered).click()

    expect(editor.page.locator("#logic")).to_have_value(
        " ".join(["SELECT", written, "FROM h_user u, h_dept d"])
    )


@pytest.mark.parametrize(
    ("text", "typed", "label"),
    [
        pytest.param("", "si", "since", id="parameter"),
        pytest.param("", "rou", "round", id="function"),
        pytest.param("", "pi", "pi", id="constant"),
        pytest.param("since.", "up", "upper", id="method"),
    ],
)
def test_python_is_completed_from_what_is_allowed(
    editor: EditorPage, text: str, typed: str, label: str
) -> None:
    editor.open(text, language="python")

    editor.type_at(len(text), typed)

    expect(editor.page.locator(f"{OPTION} .cm-completionLabel").first).to_have_text(label)


def test_constant_that_a_parameter_hides_is_offered_once(editor: EditorPage) -> None:
    editor.open("", language="python")

    editor.type_at(0, "since")

    expect(editor.page.locator(f"{OPTION} .cm-completionLabel")).to_have_text(["since"])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Show me the sales from|", id="prose"),
        pytest.param("SELECT extract(year FROM|)", id="word of a function"),
        pytest.param("SELECT 1 WHERE a IS DISTINCT FROM|", id="comparison"),
        pytest.param("SELECT a,|", id="list of columns"),
        pytest.param("SELECT 1 -- rows from|", id="comment"),
        pytest.param("SELECT 'rows from|'", id="string"),
    ],
)
def test_list_does_not_open_by_itself_where_no_table_comes(editor: EditorPage, text: str) -> None:
    editor.open(text.replace("|", ""))

    editor.type_at(text.index("|"), " ")
    editor.page.wait_for_timeout(300)

    expect(editor.page.locator(OPTION)).to_have_count(0)


def test_nothing_is_offered_inside_texts_and_comments(editor: EditorPage) -> None:
    editor.open("SELECT ''")

    editor.type_at(8, "sel")
    editor.page.keyboard.press("Control+ ")
    editor.type_at(0, "-- sel")

    expect(editor.content).to_contain_text("-- sel")
    expect(editor.page.locator(OPTION)).to_have_count(0)


def test_open_list_is_filled_up_when_the_names_of_tables_come(editor: EditorPage) -> None:
    editor.open("SELECT ", schema={})
    editor.type_at(7, "sto")
    store = editor.page.locator(f"{OPTION} .cm-completionLabel").get_by_text("store", exact=True)
    expect(editor.page.locator(OPTION)).not_to_have_count(0)

    editor.page.evaluate("() => editor.configure({schema: schemaOfNames({store: []})})")

    expect(store).to_be_visible()


@pytest.mark.parametrize(
    ("language", "typed", "written"),
    [
        pytest.param("sql", "date_tr", "date_trunc()", id="SQL"),
        pytest.param("python", "rou", "round()", id="Python"),
    ],
)
def test_list_stays_usable_when_parameters_are_told_anew(
    editor: EditorPage, language: str, typed: str, written: str
) -> None:
    editor.open("", language=language)
    editor.type_at(0, typed)
    expect(editor.first_option).to_be_visible()

    editor.page.evaluate("""() => {
        editor.configure({parameters: []});
        const option = document.querySelector(".cm-tooltip-autocomplete li");
        option.dispatchEvent(new MouseEvent("mousedown", {bubbles: true, cancelable: true}));
    }""")

    expect(editor.page.locator("#logic")).to_have_value(written)


def test_list_opens_without_names_that_do_not_come(editor: EditorPage) -> None:
    editor.page.evaluate("start({schema: {}, coming: new Promise(() => {})}, 'SELECT ')")

    editor.type_at(7, "date_tr")

    expect(editor.first_option).to_have_text("date_trunc(unit, time)")
