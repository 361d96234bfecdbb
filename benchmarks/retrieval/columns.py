"""How many of the columns that answer a question are found among the first ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from benchmarks.retrieval.check_data import ColumnSet, Row
from benchmarks.retrieval.embedded import EmbeddedTexts, Vector
from benchmarks.retrieval.measures import Figures, share_found
from core.retrieval.bm25f import TextIndex
from core.retrieval.column_texts import ColumnDocument, ColumnTable, column_text
from core.retrieval.columns import ColumnRanker
from core.retrieval.glossary import Glossary
from core.retrieval.glossary_terms import CONCEPTS
from gateways.embeddings.client import TextRole

DEPTHS = (10, 20)


@dataclass(frozen=True, slots=True)
class PreparedColumns:
    """Columns with their vectors, and the questions over them with theirs."""

    documents: tuple[ColumnDocument, ...]
    questions: Sequence[Row]
    vectors: Mapping[str, Vector]


def prepare_columns(data: ColumnSet, texts: EmbeddedTexts) -> PreparedColumns:
    """The columns of one business with their vectors."""
    bare = [_read_column(table, column) for table in data.tables for column in table["columns"]]
    told = texts.embed([column_text(each) for each in bare], TextRole.PASSAGE)
    asked = texts.embed([row["text"] for row in data.questions], TextRole.QUERY)
    return PreparedColumns(
        tuple(replace(each, vector=vector) for each, vector in zip(bare, told, strict=True)),
        data.questions,
        {row["id"]: vector for row, vector in zip(data.questions, asked, strict=True)},
    )


def measure_columns(prepared: PreparedColumns, half: str) -> dict[str, Figures]:
    """For each system the share of gold columns among the first 10 and 20."""
    questions = [row for row in prepared.questions if row["half"] == half]
    found = {
        "ours": _ours(prepared, questions, Glossary(CONCEPTS)),
        "ours, no glossary": _ours(prepared, questions, Glossary()),
        "ours, no model": _ours(replace(prepared, vectors={}), questions, Glossary(CONCEPTS)),
        "e5 alone": _meaning_alone(prepared, questions),
        "words alone": _words_alone(prepared, questions),
    }
    return {name: _figures(questions, answers) for name, answers in found.items()}


def _read_column(table: Row, column: Row) -> ColumnDocument:
    foreign_key = column.get("foreign_key", "")
    return ColumnDocument(
        table=ColumnTable(table["name"], table["title"], table["description"]),
        name=column["name"],
        description=column["description"],
        is_key=bool(column.get("primary_key") or foreign_key),
        refers_to=(foreign_key.partition(".")[0],) if foreign_key else (),
    )


def _ours(
    prepared: PreparedColumns, questions: Sequence[Row], glossary: Glossary
) -> list[list[str]]:
    """The best columns alone: keys that join tables are in the answer, and never gold."""
    ranker = ColumnRanker(prepared.documents, glossary)
    found = (
        ranker.rank(row["text"], prepared.vectors.get(row["id"]), max(DEPTHS)) for row in questions
    )
    return [[each.document.path for each in answer.columns] for answer in found]


def _meaning_alone(prepared: PreparedColumns, questions: Sequence[Row]) -> list[list[str]]:
    matrix = np.stack([np.asarray(each.vector) for each in prepared.documents])
    orders = (
        np.argsort(-(matrix @ prepared.vectors[row["id"]]))[: max(DEPTHS)] for row in questions
    )
    return [[prepared.documents[number].path for number in order] for order in orders]


def _words_alone(prepared: PreparedColumns, questions: Sequence[Row]) -> list[list[str]]:
    """The product's BM25 over name, table and description as one text."""
    index = TextIndex(
        f"{column_text(each)} {each.table.description}" for each in prepared.documents
    )
    return [
        [prepared.documents[number].path for number, _ in index.rank(row["text"], max(DEPTHS))]
        for row in questions
    ]


def _figures(questions: Sequence[Row], answers: Sequence[Sequence[str]]) -> Figures:
    return {
        "questions": len(questions),
        **{
            f"gold at {depth}": fmean(
                share_found(row["columns"], found[:depth])
                for row, found in zip(questions, answers, strict=True)
            )
            for depth in DEPTHS
        },
    }
