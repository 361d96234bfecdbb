"""Columns to be searched, and the text of a column that is embedded.

Apart from their ranking, so that jobs and commands that read columns do not load numpy.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.retrieval.tokens import fold

if TYPE_CHECKING:
    from core.retrieval.dense import Vector

MOST_CHARACTERS = 4_000
_EMBEDDED_CHARACTERS = 250


@dataclass(frozen=True, slots=True)
class ColumnTable:
    """The table that columns belong to; `name` is unique among all tables."""

    name: str
    title: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDocument:
    """A column to be searched; `is_key`: it is primary or refers to another table.

    `refers_to` are names of tables that it is joined to.
    `vector` is that of its `column_text`, None if it is not yet made. `key` is unique, '' for its
    path. What else describes the data, such as an example query, is a document of no table, with a
    key and a description.
    """

    table: ColumnTable
    name: str
    description: str = ""
    is_key: bool = False
    vector: "Vector | None" = field(default=None, compare=False)
    key: str = ""
    refers_to: tuple[str, ...] = ()

    @property
    def identity(self) -> str:
        """The key, or else the path."""
        return self.key or self.path

    @property
    def path(self) -> str:
        """`table.column`."""
        return f"{self.table.name}.{self.name}"


def column_text(document: ColumnDocument) -> str:
    """The text of a column to embed: what its table is called, its own words, what it holds."""
    table, name = document.table, fold(document.name)
    description = " ".join(document.description[:MOST_CHARACTERS].split())[:_EMBEDDED_CHARACTERS]
    table_names = " ".join(f"{fold(table.name)} {table.title}".split())
    text = f"{table_names}: {name}"
    return f"{text}: {description}" if description else text
