"""The names of a script: its variables and where they have a value, its result, its exceptions."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

RESULT = "result"
# What a script may catch and raise, by name.
EXCEPTIONS: dict[str, type[Exception]] = {
    kind.__name__: kind
    for kind in (
        *(ArithmeticError, AssertionError, AttributeError, Exception, IndexError, KeyError),
        *(LookupError, OverflowError, RuntimeError, TypeError, ValueError, ZeroDivisionError),
    )
}


def find_stored_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Names that the statements give a value to, those inside loops and branches too."""
    names: set[str] = set()
    waiting = [*nodes]
    while waiting:
        match node := waiting.pop():
            case ast.FunctionDef(name=name):
                names.add(name)
                continue
            case ast.Lambda() | ast.comprehension():
                continue  # Their names are their own.
            case ast.Name(id=name, ctx=ast.Store()) | ast.ExceptHandler(name=str(name)):
                names.add(name)
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
