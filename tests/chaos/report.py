"""The figures of all scenarios as a table at the end of the run."""

from tests.chaos.calls import Ending, Tally

_HEADINGS = (
    *("scenario", "sent", "right", "refused", "cut", "wrong", "lost"),
    *("recorded", "slowest s", "note"),
)
_tallies: list[Tally] = []


def add_tally(tally: Tally) -> None:
    """Show this scenario too."""
    _tallies.append(tally)


def report_lines() -> list[str]:
    """The table in Markdown, columns aligned; empty where no scenario was run."""
    if not _tallies:
        return []
    rows = [_HEADINGS, *(_cells(tally) for tally in _tallies)]
    widths = [max(len(row[index]) for row in rows) for index in range(len(_HEADINGS))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    return [lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]


def _cells(tally: Tally) -> tuple[str, ...]:
    endings = (Ending.RIGHT, Ending.REFUSED, Ending.CUT, Ending.WRONG, Ending.LOST)
    recorded = "-" if tally.recorded is None else str(tally.recorded)
    return (
        tally.scenario,
        str(tally.sent),
        *(str(tally.count(ending)) for ending in endings),
        recorded,
        f"{tally.slowest_s():.2f}",
        tally.note,
    )
