"""A script language without any limits, to see what the processes of scripts make of the worst."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any


@dataclass(frozen=True)
class AnyScript:
    """Runs the code with the arguments as names, and gives what it calls `result`."""

    code: CodeType

    def evaluate(self, arguments: Mapping[str, object]) -> Any:
        names = dict(arguments)
        exec(self.code, names)  # noqa: S102 - that is what this language is for
        return names.get("result")


def compile_script(text: str, parameter_names: Collection[str]) -> AnyScript:
    return AnyScript(compile(text, "<script>", "exec"))
