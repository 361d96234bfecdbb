"""The names that no tool of a person may have are those of the built-in tools."""

from tests.tools.builtin.renew_contract import make_builtin_tools
from tools.builtin.registry import BUILTIN_NAMES


def test_reserved_names_are_those_of_the_built_in_tools() -> None:
    assert make_builtin_tools().keys() == BUILTIN_NAMES
