"""Which names of a script are its variables, and where in it they have a value."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field


def find_stored_names(statements: Iterable[ast.AST]) -> set[str]:
    """Names that the statements give a value to, those inside loops and branches too."""
    names: set[str] = set()
    waiting = [*statements]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        # The names of a comprehension are its own.
        if not isinstance(node, ast.comprehension):
            waiting.extend(ast.iter_child_nodes(node))
    return names


@dataclass(slots=True)
class Given:
    """The names that have a value at one place of a script.

    `surely` on every way to that place, `maybe` on at least one.
    """

    surely: set[str] = field(default_factory=set)
    maybe: set[str] = field(default_factory=set)

    def add(self, name: str) -> None:
        """The name has a value from here on."""
        self.surely.add(name)
        self.maybe.add(name)

    def split(self) -> "Given":
        """The same, for a branch."""
        return Given(set(self.surely), set(self.maybe))

    def join(self, *branches: "Given") -> None:
        """Go on after the branches, one of which was run."""
        self.surely = set.intersection(*(branch.surely for branch in branches))
        self.maybe = set.union(*(branch.maybe for branch in branches))
