"""The figures of a run as tables in Markdown, and the part of the page that holds them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.layers import LAYERS, OTHER
from benchmarks.peers import OURS, TOOLBOX
from benchmarks.rounds import Series
from benchmarks.sizes import SIZES, Sized, median_or_zero

BEGIN, END = "<!-- figures of the last run: begin -->", "<!-- figures of the last run: end -->"
_MISSING = "-"
_REASONS = 3


@dataclass(frozen=True)
class Figures:
    """All that a run has measured; `skipped` has the reason of each thing that it could not."""

    machine: str
    series: Sequence[Series]
    resident_mib: Mapping[str, float]
    sized: Sequence[Sized]
    layers: Mapping[str, Mapping[str, float]]
    skipped: Mapping[str, str]


def render(figures: Figures) -> str:
    """The figures in Markdown; a part that was not measured is left out."""
    parts = [figures.machine]
    if figures.skipped:
        parts.append("Not measured:")
        parts.append("\n".join(f"- {what}: {why}" for what, why in figures.skipped.items()))
    if figures.series:
        parts += _render_calls(figures)
    if figures.sized:
        parts += ["### Number of tools", _size_table(figures.sized)]
    if figures.layers:
        parts += ["### Where our time goes", _layer_table(figures.layers)]
    return "\n\n".join(parts) + "\n"


def write_page(page: Path, text: str) -> None:
    """Replace what stands between the two markers of a page; ValueError if it has not both."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page} lacks the markers of the figures")
    page.write_text(f"{before}{begin}\n\n{text}\n{end}{after}", encoding="utf-8")


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table."""
    lines = (head, ["---"] * len(head), *rows)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def print_table(head: list[str], rows: list[list[str]]) -> None:
    """Columns as wide as their longest cell."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for line in (head, ["-" * width for width in widths], *rows):
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        )


def _render_calls(figures: Figures) -> list[str]:
    series = figures.series
    compared = [one for one in series if any(one.callers == n for n in (1, 32))]
    many = [one for one in series if one.callers > 32]
    wrong = _mistakes(series)
    parts = [
        "### CPU ms per call",
        "Of the server, and of PostgreSQL in brackets; `@` says how many callers there were.",
        _matrix(compared, _cpu, figures.resident_mib),
        "### Our CPU per call / Toolbox's",
        "On the same protocol, in the same rounds.",
        _matrix([one for one in series if one.subject.server.name == OURS], _ratio_to(series)),
        "### Calls per second, p50 and p99 in ms",
        _matrix(compared, _speed),
    ]
    if many:
        parts += ["### Many callers", "CPU ms per call; calls per second; p50 and p99 in ms."]
        parts += [_matrix(many, lambda one: f"{_cpu(one)}; {_speed(one)}")]
    total = sum(len(one.seconds) for one in series)
    return [*parts, "### Errors", f"{total:,} calls were answered in these rounds. {wrong}"]


def _matrix(
    series: Sequence[Series],
    cell: Callable[[Series], str],
    resident_mib: Mapping[str, float] | None = None,
) -> str:
    """Servers down, cases and callers across."""
    columns = list(dict.fromkeys((one.case.name, one.callers) for one in series))
    cells = {(one.subject.label, one.case.name, one.callers): cell(one) for one in series}
    head = ["server, protocol", *(f"{case} @{callers:,}" for case, callers in columns)]
    rows = []
    for one in {one.subject.label: one for one in series}.values():
        label = one.subject.label
        row = [label, *(cells.get((label, *column), _MISSING) for column in columns)]
        if resident_mib:
            row.append(f"{resident_mib[one.subject.server.name]:.0f}")
        rows.append(row)
    return markdown_table([*head, *(["MiB"] if resident_mib else [])], rows)


def _cpu(one: Series) -> str:
    return f"{one.median_ms:.3f} ({median(one.database_cpu_ms):.3f})"


def _speed(one: Series) -> str:
    waits = f"{one.percentile_ms(50):.1f}, {one.percentile_ms(99):.1f}"
    return f"{median(one.calls_per_s):,.0f}; {waits}"


def _ratio_to(series: Sequence[Series]) -> Callable[[Series], str]:
    """The cell of a ratio: the median of the rounds' ratios."""
    theirs = {
        (one.case.name, one.callers, one.subject.protocol): one.cpu_ms
        for one in series
        if one.subject.server.name == TOOLBOX
    }

    def cell(one: Series) -> str:
        other = theirs.get((one.case.name, one.callers, one.subject.protocol))
        if not other:
            return _MISSING
        return f"{median(a / b for a, b in zip(one.cpu_ms, other, strict=True)):.2f}"

    return cell


def _mistakes(series: Sequence[Series]) -> str:
    """How many calls were not answered rightly, where and why."""
    bad = [one for one in series if one.mistakes]
    if not bad:
        return "All were right."
    lines = ["Not right:\n"]
    for one in bad:
        reasons = "; ".join(f"{n} x {why}" for why, n in one.mistakes.most_common(_REASONS))
        where = f"{one.subject.label}, {one.case.name} @{one.callers:,}"
        lines.append(f"- {where}: {one.mistakes.total():,} ({reasons})")
    return "\n".join(lines)


def _size_table(sized: Sequence[Sized]) -> str:
    head = [
        *("server", "tools", "start s", "MiB started", "first list s", "list CPU ms"),
        *("reload s", "one row, CPU ms", f"of {SIZES[0]} tool", "MiB peak"),
    ]
    return markdown_table(head, [_size_row(one, sized) for one in sized])


def _size_row(one: Sized, sized: Sequence[Sized]) -> list[str]:
    cpu_ms = one.series.median_ms if one.series else 0.0
    smallest = next(each for each in sized if each.server.name == one.server.name)
    base = smallest.series.median_ms if smallest.series else 0.0
    return [
        one.server.name,
        f"{one.tool_count:,}",
        f"{median(one.start_s):.2f}",
        f"{one.resident_mib:.0f}",
        f"{one.list_s:.3f}",
        f"{one.list_cpu_ms:,.0f}",
        f"{median_or_zero(one.reload_s):.2f}" if one.reload_s else _MISSING,
        f"{cpu_ms:.3f}",
        f"{cpu_ms / base:.2f}" if base else _MISSING,
        f"{one.peak_mib:.0f}",
    ]


def _layer_table(layers: Mapping[str, Mapping[str, float]]) -> str:
    rows = [
        [layer, *(f"{column.get(layer, 0.0):,.0f}" for column in layers.values())]
        for layer in (*LAYERS, OTHER)
    ]
    whole = ["**all**", *(f"**{sum(column.values()):,.0f}**" for column in layers.values())]
    return markdown_table(["us per call", *layers], [*rows, whole])
