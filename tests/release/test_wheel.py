"""What pip would get: the wheel's content, its needs, and the licences that may come along."""

import subprocess
import sys
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from gateways.engines import ENGINES
from gateways.extras import Extra
from release.licences import Licence, read_licences

ROOT = Path(__file__).parents[2]
ROOMS = {
    *("access", "agents", "catalog", "config", "core", "docs", "gateways", "locale", "mcp_runtime"),
    *("static", "templates", "toolbuilder", "tools"),
}
PACKAGE = "toolbuilder_app/"
# Sources of what is in it, and settings of tests.
LEFT_OUT = (".po", ".cfg", ".ini")
ENGINE_EXTRAS = {engine.extra.name: engine.extra for engine in ENGINES.values() if engine.extra}


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    """The table `project` of pyproject.toml."""
    return dict(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"])


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    command = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder))
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [file] = folder.glob("*.whl")
    return zipfile.ZipFile(file)


def metadata(wheel: zipfile.ZipFile, name: str) -> str:
    [path] = [path for path in wheel.namelist() if path.endswith(f".dist-info/{name}")]
    return wheel.read(path).decode()


def read_ranges(name: str) -> dict[str, Requirement]:
    lines = (ROOT / name).read_text().splitlines()
    return by_name([line for line in lines if line and line[0] not in "#-"])


def by_name(lines: list[str]) -> dict[str, Requirement]:
    return {requirement.name: requirement for requirement in map(Requirement, lines)}


def test_wheel_holds_every_file_of_the_rooms_in_one_package(wheel: zipfile.ZipFile) -> None:
    listed = subprocess.run(
        ("git", "ls-files"), cwd=ROOT, check=True, capture_output=True, text=True
    )
    tracked = {
        path
        for path in listed.stdout.splitlines()
        if path.split("/")[0] in ROOMS and not path.endswith(LEFT_OUT)
    }
    names = set(wheel.namelist())

    assert {f"{PACKAGE}{path}" for path in tracked} <= names
    assert {f"{PACKAGE}__init__.py", f"{PACKAGE}manage.py", f"{PACKAGE}pyproject.toml"} <= names
    assert {name.split("/")[1] for name in names if name.startswith(PACKAGE)} <= {
        *ROOMS,
        *("__init__.py", "manage.py", "pyproject.toml"),
    }
    # Nothing else is at the top of site-packages.
    assert {name.split("/")[0].partition("-")[0] for name in names} == {PACKAGE[:-1], "toolbuilder"}


def test_wheel_names_its_command_its_extras_and_its_version(
    wheel: zipfile.ZipFile, project: dict[str, Any]
) -> None:
    said: Message = Parser().parsestr(metadata(wheel, "METADATA"))

    assert said["Version"] == project["version"]
    assert set(said.get_all("Provides-Extra", [])) == {"agent", "local", *ENGINE_EXTRAS}
    assert "toolbuilder = toolbuilder_app:main" in metadata(wheel, "entry_points.txt")


def test_ranges_are_those_of_the_lock_files(project: dict[str, Any]) -> None:
    extras = {name: by_name(lines) for name, lines in project["optional-dependencies"].items()}
    base = by_name(project["dependencies"])

    server = read_ranges("requirements-server.in") | read_ranges("requirements.in")
    of_engines = {key: line for name in ENGINE_EXTRAS for key, line in extras[name].items()}
    assert base | of_engines == server
    assert base.keys() & of_engines.keys() == set()
    assert extras["agent"] == read_ranges("requirements-agent.in")
    assert set(extras["local"]["toolbuilder"].extras) == ENGINE_EXTRAS.keys()


def test_engine_without_its_package_says_which_extra_it_needs() -> None:
    assert [extra.explain_missing() for extra in ENGINE_EXTRAS.values()] == [None] * 2
    assert str(Extra("mysql", "no_such_driver").explain_missing()) == (
        "this kind of data source needs the package no_such_driver, which is not installed here;"
        " run pip install 'toolbuilder[mysql]' in this program's environment"
    )


@pytest.mark.parametrize(
    ("package", "names", "is_fine"),
    [
        ("chart", "GPL-3.0-or-later", False),
        ("chart", "GNU General Public License v2 (GPLv2)", False),
        ("chart", "AGPL-3.0-only", False),
        ("chart", "LGPL-3.0-only", False),
        ("psycopg", "LGPL-3.0-only", True),
        ("psycopg", "GPL-3.0-only", False),
        ("chart", "", False),
        ("chart", "MPL-2.0 AND MIT", True),
    ],
)
def test_copyleft_is_refused(package: str, names: str, is_fine: bool) -> None:
    assert (Licence(package, "1.0", names).fault == "") is is_fine


def test_licence_is_the_most_exact_that_a_package_names() -> None:
    def component(name: str, *entries: dict[str, Any]) -> dict[str, Any]:
        return {"name": name, "version": "1", "licenses": list(entries)}

    loose = {"license": {"name": "License :: OSI Approved :: BSD License"}}
    found = read_licences(
        {
            "components": [
                component("loose", loose),
                component("exact", loose, {"license": {"id": "BSD-3-Clause"}}),
                component("both", {"expression": "MIT OR Apache-2.0"}),
                {"name": "none", "version": "1"},
            ]
        }
    )

    assert {one.package: one.names for one in found} == {
        "loose": "BSD License",
        "exact": "BSD-3-Clause",
        "both": "MIT OR Apache-2.0",
        "none": "",
    }


def test_everything_starts_without_the_packages_of_extras() -> None:
    absent = (
        "import sys; sys.modules.update(dict.fromkeys(('asyncmy', 'duckdb', 'python_calamine')))"
    )
    program = f"{absent}; import django; django.setup(); import config.urls, mcp_runtime.server"

    subprocess.run((sys.executable, "-c", program), cwd=ROOT, check=True)
