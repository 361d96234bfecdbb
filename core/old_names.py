"""Old names of tools and parameters, which are answered for a while and say what is called now."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from msgspec import structs

from core.argument_texts import list_faults, name_fault
from core.errors import ArgumentsError
from core.limits import Limit
from core.messages import message
from core.results import Answer


@dataclass(frozen=True, slots=True)
class OldName:
    """A former name of a tool, or of a parameter, and the name now; `ends_at` is in seconds since 1970."""

    old: str
    new: str
    ends_at: float

    def explain(self) -> str:
        """What an agent reads that used it."""
        until = datetime.fromtimestamp(self.ends_at, UTC)
        return (
            f"{self.old} is now called {self.new}; the old name is accepted until"
            f" {until:%Y-%m-%d %H:%M} UTC. Use {self.new} from now on."
        )


@dataclass(frozen=True, slots=True)
class OldNames:
    """Those of tools by old name, and those of parameters by the tool's name of now.

    Ended ones are among them for a while: they are not answered, but known.
    """

    tools: Mapping[str, OldName] = field(default_factory=dict)
    parameters: Mapping[str, tuple[OldName, ...]] = field(default_factory=dict)

    def rename_arguments(
        self, tool: str, arguments: Mapping[str, object], now: float
    ) -> tuple[Mapping[str, object], list[OldName]]:
        """The arguments by the names of now, and the old names among them.

        Raises ArgumentsError where a value is given under both.
        """
        used = [
            name
            for name in self.parameters.get(tool, ())
            if name.old in arguments and now < name.ends_at
        ]
        if not used:
            return arguments, used
        if both := [name for name in used if name.new in arguments]:
            faults = [
                name_fault(
                    name.old,
                    message(
                        "arguments.old_name",
                        "is the old name of {new}, which is given too; give {new} alone",
                        new=name.new,
                    ),
                )
                for name in both
            ]
            raise ArgumentsError(list_faults(tool, faults))
        new_names = {name.old: name.new for name in used}
        return {new_names.get(name, name): value for name, value in arguments.items()}, used

    @property
    def renamed_tools(self) -> dict[str, str]:
        """New names by old one."""
        return {name.old: name.new for name in self.tools.values()}

    def follow_limit(self, limit: Limit) -> Limit:
        """The limit, of the tool as it is called now."""
        renamed = self.tools.get(limit.tool_name)
        return replace(limit, tool_name=renamed.new) if renamed else limit


NO_OLD_NAMES = OldNames()


def with_notices(answer: Answer, used: Iterable[OldName]) -> Answer:
    """The answer that says which old names were used: in a text behind, and in the notes beside rows or a value."""
    notices = [name.explain() for name in used]
    structured = answer.structured
    # What a service answers is its own.
    if answer.result is not None or structured.keys() == {"result"}:
        notes = [*structured.get("notes", ()), *notices]
        structured = {**structured, "notes": notes}
    text = "\n".join(f"(note: {notice.removesuffix('.')})" for notice in notices)
    return structs.replace(answer, structured=structured, texts=(*answer.texts, text))
