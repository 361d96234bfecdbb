"""Files of every kind give the same documents, and every fault its line."""

import json
from pathlib import Path

import pytest

from catalog.documents.files import MAX_FAULTS_SHOWN, DocumentFileError, read_files
from tests.catalog.documents.conftest import EMAIL, WriteFile

ROWS = [EMAIL | {"example": "010"}, {"question": "q?", "sql": "SELECT 1\nFROM a"}, {"text": "t, u"}]
LINES = "\n".join(map(json.dumps, ROWS))
CSV = (
    "table,column_name,description,data_type,example,question,sql,text\r\n"
    "users,email,사용자 이메일 주소,VARCHAR(255),010,,,\r\n"
    ',,,,,q?,"SELECT 1\nFROM a",\r\n'
    "\r\n"
    ',,,,,,,"t, u"\r\n'
)
YAML = """
- table: users
  column_name: email
  description: 사용자 이메일 주소
  data_type: VARCHAR(255)
  example: 010
- question: q?
  sql: |-
    SELECT 1
    FROM a
- {text: "t, u", metadata: null}
"""


def faults_of(path: Path) -> list[str]:
    _, faults = read_files([path])
    return [fault.removeprefix(str(path)) for fault in faults]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("a.jsonl", LINES, id="JSON Lines"),
        pytest.param("a.jsonl", "\ufeff" + LINES.replace("\n", "\r\n\r\n"), id="blank lines"),
        pytest.param("a.JSON", json.dumps(ROWS, indent=2), id="JSON"),
        pytest.param("a.csv", CSV, id="CSV"),
        pytest.param("a.csv", "\ufeff" + CSV.replace("\r", ""), id="CSV of Unix"),
        pytest.param("a.tsv", CSV.replace(",", "\t").replace("t\t u", "t, u"), id="tabs"),
        pytest.param("a.yaml", YAML, id="YAML"),
    ],
)
def test_every_format_gives_the_same_documents(
    write_file: WriteFile, name: str, content: str
) -> None:
    path = write_file(name, content)
    expected, _ = read_files([write_file("expected.jsonl", LINES)])

    documents, faults = read_files([path])

    assert faults == []
    assert [document.key for document in documents] == [document.key for document in expected]
    assert [document.content for document in documents] == [d.content for d in expected]


def test_cells_may_be_separated_by_semicolons(write_file: WriteFile) -> None:
    path = write_file("a.csv", 'text;metadata\n1,5 yen;"{""a"": 1}"\n')

    (document,), _ = read_files([path])

    assert (document.content, document.metadata) == ({"text": "1,5 yen"}, {"a": 1})


def test_place_is_file_and_line(write_file: WriteFile) -> None:
    path = write_file("a.csv", CSV)

    documents, _ = read_files([path])

    assert [document.place for document in documents] == [f"{path}:{line}" for line in (2, 3, 6)]


@pytest.mark.parametrize(
    ("name", "content", "faults"),
    [
        pytest.param(
            "a.jsonl",
            '{"text": "a"}\n{"text": }\n[]\n{"question": "q"}',
            [
                ":2: is not JSON: Expecting value at column 10",
                ":3: must be an object of names and values",
                ":4: sql missing; an example query has question and sql",
            ],
            id="JSON Lines",
        ),
        pytest.param(
            "a.jsonl", "[" * 100_000, [":1: is not JSON: it is nested too deeply"], id="deep"
        ),
        pytest.param(
            "a.jsonl",
            '{"text": "a"}\n{"text": "a "}',
            [":2: text:ca978112ca1bbdca is there already, at FILE:1"],
            id="twice",
        ),
        pytest.param(
            "a.json",
            '[\n{"text": "a"},\n\n{"text": "b"},\n{"colour": 1}, nonsense]',
            [":5: ", ":5: ", ":5: is not JSON: Expecting value at column 16"],
            id="JSON",
        ),
        pytest.param("a.json", '{"text": "a"}', [":1: must be a list of objects"], id="object"),
        pytest.param(
            "a.json", '[{"text": "a"}]\n]', [":2: is not JSON: expected , or ]"], id="behind"
        ),
        pytest.param("a.json", '[{"text": "a"}\n', [":2: is not JSON: expected"], id="open"),
        pytest.param(
            "a.csv",
            'text,metadata\n"a\nb",\nc,d,e\nf,nonsense\n',
            [":4: has 3 cells, but the header names 2", ":5: metadata is not JSON: Expecting"],
            id="CSV",
        ),
        pytest.param("a.csv", 'text\n"a\nb', [":3: is not CSV: unexpected end"], id="open quote"),
        pytest.param("a.csv", "text,text\na,b", [":1: the header names text twice"], id="header"),
        pytest.param(
            "a.yaml",
            "- text: a\n- text: [b]\n- b\n",
            [":2: text must be a text", ":3: must be an object"],
            id="YAML",
        ),
        pytest.param("a.yaml", "- {~: a, text: b}", [":1: null is unknown"], id="null key"),
        pytest.param("a.yaml", "text: a", [":1: must be a list"], id="mapping"),
        pytest.param("a.yaml", "- text: 'a\n- b\n", [":3: is not YAML: "], id="no YAML"),
        pytest.param("a.yaml", "- &a text\n- *a\n", [":2: is not YAML: aliases"], id="alias"),
        pytest.param("a.yaml", "- !!python/name:os a", [":1: is not YAML: "], id="Python"),
        pytest.param("a.txt", "", [": has no known ending; known are .jsonl"], id="ending"),
    ],
)
def test_faults_have_their_lines(
    write_file: WriteFile, name: str, content: str, faults: list[str]
) -> None:
    path = write_file(name, content)

    found = faults_of(path)

    assert len(found) == len(faults)
    for fault, expected in zip(found, faults, strict=True):
        assert fault.startswith(expected.replace("FILE", str(path)))


@pytest.mark.parametrize(
    ("encoding", "text"),
    [("cp949", "가격은 부가세를 포함한다."), ("cp932", "価格は税込みです。"), ("utf-16", "가격")],
)
def test_what_spreadsheets_save_is_read(tmp_path: Path, encoding: str, text: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(f"text\n{text}\n".encode(encoding))

    documents, faults = read_files([path])

    assert [dict(document.content) for document in documents] == [{"text": text}]
    assert faults == []


def test_file_that_is_no_text_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"text\n\xff\xff")

    assert faults_of(path) == [": is not UTF-8 at line 2; save it as UTF-8"]


def test_file_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    assert faults_of(tmp_path / "a.csv") == [": cannot be read: No such file or directory"]


def test_line_separator_within_a_text_ends_no_line(write_file: WriteFile) -> None:
    path = write_file("a.jsonl", '{"text": "a\u2028b"}\n{"text": "c"}')

    documents, faults = read_files([path])

    assert (len(documents), faults) == (2, [])


def test_same_document_in_two_files_is_a_fault(write_file: WriteFile) -> None:
    first, second = write_file("a.jsonl", LINES), write_file("b.json", json.dumps(ROWS[:1]))

    _, faults = read_files([first, second])

    assert faults == [f"{second}:1: column:users.email is there already, at {first}:1"]


def test_long_list_of_faults_is_cut() -> None:
    error = DocumentFileError([str(number) for number in range(MAX_FAULTS_SHOWN + 2)])

    assert str(error).endswith(f"\n{MAX_FAULTS_SHOWN - 1}\n... and 2 more")
    assert len(error.faults) == MAX_FAULTS_SHOWN + 2
