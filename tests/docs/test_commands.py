"""Every command of the documentation exists, and is run by a test or said to be not runnable here."""

import re
import shlex
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class
from django.core.management.base import CommandError

from tests.docs.commands import MANAGE, NOT_HERE, ROOT, RUN_BY, ShownCommand, list_commands

COMMANDS = sorted(set(list_commands()))
# Their options are read before Django is set up.
_WITHOUT_DJANGO = {"runweb", "worker", "beat"}


def test_every_command_is_run_by_a_test_or_said_not_to_be() -> None:
    patterns = [*RUN_BY, *NOT_HERE]

    assert len(COMMANDS) > 100
    assert [
        one
        for one in COMMANDS
        if not one.of_manage and not any(re.match(pattern, one.line) for pattern in patterns)
    ] == []
    assert {one.of_manage.split()[0] for one in COMMANDS if one.of_manage} <= MANAGE.keys()
    for place in {*MANAGE.values(), *RUN_BY.values()}:
        assert (ROOT / place).exists(), place


@pytest.mark.parametrize("name", sorted(MANAGE))
def test_named_test_runs_the_command(name: str) -> None:
    place = ROOT / MANAGE[name]
    paths = sorted(place.rglob("*.py")) if place.is_dir() else [place]
    # `up` starts these itself.
    if name not in {"worker", "beat"}:
        assert any(re.search(rf"\b{name}\b", path.read_text()) for path in paths)


@pytest.mark.parametrize(
    "command",
    [one for one in COMMANDS if one.of_manage],
    ids=lambda one: f"{Path(one.page).stem}: {one.of_manage[:60]}",
)
def test_command_of_manage_takes_what_the_page_gives_it(command: ShownCommand) -> None:
    typed = re.sub(r"\$\([^)]*\)", "X", command.of_manage.partition(" > ")[0])
    name, *arguments = shlex.split(typed, comments=True)
    if name in _WITHOUT_DJANGO or re.search(r"[\[|…]", " ".join(arguments)):
        return

    parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
    try:
        parser.parse_args([re.sub(r"\.\.\.$", "", argument) for argument in arguments])
    except CommandError as error:
        pytest.fail(f"{command.page}: {command.line}: {error}")


def test_targets_of_make_exist() -> None:
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    shown = {one.line.split()[1] for one in COMMANDS if one.line.startswith("make ")}

    assert {target for target in shown if "/" not in target} <= targets


def test_scripts_and_modules_exist() -> None:
    lines = [one.line for one in COMMANDS]
    modules = {
        match[1] for line in lines if (match := re.search(r"-m ((?:benchmarks|tests)[\w.]*)", line))
    }
    files = {
        match[1]
        for line in lines
        if (match := re.search(r"((?:deploy|examples|benchmarks)/[\w./-]+\.\w+)", line))
    }

    assert modules
    assert files
    for module in modules:
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), module
    assert {file for file in files if not (ROOT / file).exists()} == set()
