"""What the wheel brings along: a bill of materials (CycloneDX), and the licence of each package."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from release.building import PROJECT, ReleaseError, git

# Used as libraries, unchanged and replaceable, which is what the LGPL asks for.
LESSER = frozenset({"psycopg", "psycopg-binary", "psycopg-pool"})
# Their metadata name no licence; their files do.
UNNAMED = {"overrides": "Apache-2.0", "protobuf": "BSD-3-Clause"}
_COPYLEFT = re.compile(r"GPL|General Public|SSPL|Server Side|BUSL|Business Source|Commons Clause")
_CLASSIFIER = "License :: OSI Approved :: "


@dataclass(frozen=True, order=True)
class Licence:
    """The licences of one package, as its metadata name them; '' for none."""

    package: str
    version: str
    names: str

    @property
    def fault(self) -> str:
        """Why the package may not be in a release; '' if it may."""
        if not self.names:
            return f"{self.package} {self.version} names no licence"
        if _COPYLEFT.search(self.names) and not (
            self.package in LESSER and self.names.startswith("LGPL-")
        ):
            return f"{self.package} {self.version} is under {self.names}"
        return ""


def write_bill(python: Path, target: Path) -> list[Licence]:
    """Write the bill of materials of an environment as JSON, and give the licences in it, by package."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": git("log", "-1", "--format=%ct")}
    subprocess.run(
        (
            *(sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible"),
            *("--pyproject", str(PROJECT / "pyproject.toml"), "--sv", "1.6"),
            *("--output-file", str(target), str(python)),
        ),
        env=environment,
        check=True,
    )
    return read_licences(json.loads(target.read_text()))


def read_licences(bill: dict[str, Any]) -> list[Licence]:
    """The licences of the packages in a bill of materials, by package."""
    found = []
    for component in bill["components"]:
        entries = component.get("licenses", [])
        names = {
            entry.get("expression") or entry["license"].get("id") or entry["license"]["name"]
            for entry in entries
        }
        # A classifier says less exactly what an identifier says beside it.
        exact = {name for name in names if not name.startswith(_CLASSIFIER)}
        said = ", ".join(sorted(name.removeprefix(_CLASSIFIER) for name in exact or names))
        name = component["name"]
        found.append(Licence(name, component["version"], said or UNNAMED.get(name, "")))
    return sorted(found, key=lambda licence: licence.package.lower())


def require_licences(licences: list[Licence]) -> None:
    """Raise ReleaseError naming the packages that may not be in a release."""
    if faults := [licence.fault for licence in licences if licence.fault]:
        raise ReleaseError("licences:\n" + "\n".join(faults))


def to_markdown(licences: list[Licence], version: str) -> str:
    """The list as it goes into dist/."""
    lines = [f"| {one.package} | {one.version} | {one.names} |" for one in licences]
    head = f"# What toolbuilder {version} brings with all its extras\n\n| package | version | licence |\n|---|---|---|\n"
    return head + "\n".join(lines) + "\n"
