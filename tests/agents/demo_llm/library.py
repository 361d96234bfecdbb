"""A small library as prompts describe it, unlike the demo shop in every name."""

import json
from collections.abc import Sequence
from typing import Any

CATALOGUE = """\
lib.branches.branch_no | integer | branch number / 분관 번호 / 分館番号 | primary key
lib.branches.branch_name | varchar(80) | branch name / 분관명 / 分館名 |
lib.branches.city | varchar(40) | city / 도시 / 都市 |
lib.books.book_no | integer | book number / 도서 번호 / 図書番号 | primary key
lib.books.title | text | title, name of the book / 도서명 / 書名 |
lib.books.genre | varchar(20) | genre: NOVEL, POETRY, SCIENCE / 장르 / ジャンル |
lib.books.pages | smallint | number of pages / 쪽수 / ページ数 |
lib.loans.loan_no | bigint | loan number / 대출 번호 / 貸出番号 | primary key
lib.loans.branch_no | integer | branch / 분관 번호 / 分館番号 | foreign key to lib.branches.branch_no
lib.loans.book_no | integer | book / 도서 번호 / 図書番号 | foreign key to lib.books.book_no
lib.loans.fee | numeric(8,2) | fee / 대출료 / 貸出料 |
lib.loans.lent_on | date | day of the loan / 대출일 / 貸出日 |"""
DOCUMENTS = """\
table: branches, display_name: 분관, description: Branches of the library / 분관 / 分館
table: books, display_name: Books, description: Books of the library / 도서 / 図書
table: loans, display_name: 대출, description: Loans of books / 대출 / 貸出
loans says who borrowed what; question: how many loans?, sql: SELECT count(*) FROM loans"""


def prompt(role: str, question: str, **sections: str) -> list[dict[str, str]]:
    """The messages of a request in the agent's shape."""
    given = {"Question": question, **{name.replace("_", " "): s for name, s in sections.items()}}
    parts = [f"## {name}\n{text}" for name, text in given.items() if text]
    rules = f"# Role: {role}\nYou are one of several.\n\n## Rules\n- Answer `## Question`.\n"
    identity = 'You are an agent. Your internal name is "anything".'
    system = "\n".join([rules, identity, *parts, "## Now", "Answer.", identity])
    return [{"role": "system", "content": system}, {"role": "user", "content": question}]


def tools(*names: str) -> list[dict[str, Any]]:
    """Declarations of tools with these names."""
    return [{"type": "function", "function": {"name": n, "parameters": {}}} for n in names]


def rows(*triples: Sequence[str]) -> str:
    """`## Columns` of (keyword, table, column)."""
    return json.dumps([dict(zip(("keyword", "table", "column"), t, strict=True)) for t in triples])
