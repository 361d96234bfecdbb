"""What an agent reads when its arguments do not fit: one line per field, and what would be right."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from pydantic_core import ErrorDetails

from core.bindings import is_bound
from core.messages import Message, Value, join, message
from core.shown_values import MAX_SHOWN_CHARACTERS, expect, printable, show_list
from core.toolspec import ParameterSpec, ParameterType

MAX_LINES = 20
REQUIRED = message("arguments.is_required", "required")
NOT_BLANK = message("arguments.not_blank", "must not be blank")


def invalid_arguments_text(
    tool_name: str,
    parameters: Sequence[ParameterSpec],
    arguments: Mapping[str, object],
    errors: Iterable[ErrorDetails],
    *,
    others: Iterable[str] = (),
) -> Message:
    """The whole text: declared fields in order, then unknown ones; at most 20 lines, the rest counted.

    Bound parameters are named only where the caller sent them. `others` are arguments that the tool
    takes beside its parameters.
    """
    by_name: dict[str, list[ErrorDetails]] = {}
    for error in errors:
        by_name.setdefault(str(error["loc"][0]), []).append(error)
    declared = frozenset(spec.name for spec in parameters)
    unknown = [str(name) for name in arguments if name not in declared]
    failed = [
        spec for spec in parameters if spec.name in (arguments if is_bound(spec) else by_name)
    ]
    lines = [_field_line(spec, arguments, by_name.get(spec.name)) for spec in failed[:MAX_LINES]]
    names = [*(spec.name for spec in parameters if not is_bound(spec)), *others]
    lines += [_unknown_line(name, names) for name in unknown[: MAX_LINES - len(lines)]]
    left_out = len(failed) + len(unknown) - len(lines)
    return list_faults(tool_name, lines, left_out)


def list_faults(tool_name: str, faults: Sequence[Value], left_out: int = 0) -> Message:
    """The whole text from its lines, and the number of those that are left out."""
    listed = join(faults, "\n- ")
    if not left_out:
        return message(
            "arguments.invalid",
            "Invalid arguments for {tool}:\n- {faults}",
            tool=tool_name,
            faults=listed,
        )
    return message(
        "arguments.invalid_and_more",
        "Invalid arguments for {tool}:\n- {faults}\nand {count} more",
        tool=tool_name,
        faults=listed,
        count=left_out,
    )


def expect_text(value: object) -> Message:
    """What is wrong with a value that is no text."""
    return expect(ParameterType.STRING.kind.expected, value)


def expect_object(example: str, value: object) -> Message:
    """What is wrong with a value that is no object such as the example."""
    expected = message("arguments.object", "must be an object like {example}", example=example)
    return expect(expected, value)


def expect_list(value: object) -> Message:
    """What is wrong with a value that is no list."""
    return expect(message("arguments.list", "must be a list"), value)


def _field_line(
    spec: ParameterSpec, arguments: Mapping[str, object], details: list[ErrorDetails] | None
) -> Message:
    if details is None:
        return message(
            "arguments.set_by_server", "{name}: is set by the server; leave it out", name=spec.name
        )
    if spec.name not in arguments:
        return name_fault(spec.name, REQUIRED)
    errors = {detail["type"] for detail in details}
    value = arguments[spec.name]
    location = details[0]["loc"]
    kind = spec.type.kind
    if kind.item and isinstance(value, Sequence) and len(location) > 1:
        problem = kind.item.describe(spec, value[int(location[1])], errors)
        return name_fault(f"{spec.name}[{location[1]}]", problem)
    return name_fault(spec.name, kind.describe(spec, value, errors))


def name_fault(name: str, problem: Message) -> Message:
    """What is wrong with the argument of this name."""
    return message("arguments.fault", "{name}: {problem}", name=name, problem=problem)


def _unknown_line(name: str, names: list[str]) -> Message:
    label = printable(name)
    if close := get_close_matches(name[:MAX_SHOWN_CHARACTERS], names, n=1):
        return message(
            "arguments.unknown_near",
            "{name}: unknown; did you mean {near}?",
            name=label,
            near=close[0],
        )
    if not names:
        return message(
            "arguments.unknown_of_none",
            "{name}: unknown; this tool takes no arguments",
            name=label,
        )
    return message(
        "arguments.unknown",
        "{name}: unknown; this tool takes {known}",
        name=label,
        known=show_list(names),
    )


def limit_characters(limit: int, count: int) -> Message:
    """What is wrong with a list of texts that are too long together."""
    return message(
        "arguments.too_much_text",
        "must have at most {limit} characters together (got {count})",
        limit=limit,
        count=count,
    )
