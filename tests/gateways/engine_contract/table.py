"""The table of docs/engines.md: engines by what they can do."""

from gateways.engine import Ability
from gateways.engines import ENGINES

# What every engine does; each is a test of the suite.
_ALL = (
    "describes a statement without running it",
    "runs read-only, values bound, within caps of rows, bytes, cells and time",
    "stops a query that is late or cancelled",
    "shows a plan",
    "reads tables, columns, keys and masked samples",
    "checks the connection, with writes that are tried",
    "follows a changed table",
)


def make_table() -> str:
    """Engines x abilities, as Markdown."""
    labels = [engine.label for engine in ENGINES.values()]
    lines = [f"| | {' | '.join(labels)} |", f"|---|{'---|' * len(labels)}"]
    lines += [f"| {text} |{' yes |' * len(labels)}" for text in _ALL]
    for ability in Ability:
        cells = ("yes" if ability in engine.abilities else "no" for engine in ENGINES.values())
        lines.append(f"| {ability.value} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
