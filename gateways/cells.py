"""Reading the cells of an answer: what had to be changed, in words."""

from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar


class ColumnReader:
    """Reads the cells of one column of one answer, and notes what it had to change."""

    def __init__(self, name: str, cell_limit: int) -> None:
        self.name = name
        self.cell_limit = cell_limit
        self.is_cut = False
        self.is_non_finite = False

    def notes(self) -> Iterator[str]:
        """A sentence for each kind of change."""
        if self.is_cut:
            yield f'Long cells of "{self.name}" were cut to {self.cell_limit} characters.'
        if self.is_non_finite:
            yield f'NaN or infinite cells of "{self.name}" are given as null.'


_Reader = TypeVar("_Reader", bound=ColumnReader)


class RowReader(Generic[_Reader]):
    """Reads the rows of one answer with a reader for each column."""

    def __init__(self, readers: Sequence[_Reader]) -> None:
        self._readers = readers

    @property
    def cuts_cells(self) -> bool:
        """Whether a cell so far was over the limit."""
        return any(reader.is_cut for reader in self._readers)

    def notes(self) -> tuple[str, ...]:
        """A sentence for each column and kind of change."""
        return tuple([note for reader in self._readers for note in reader.notes()])
