"""Image, compose, Kubernetes and units name what the program has; the proxies are in tests/proxies.py."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography.fernet import Fernet

from config.deployment.findings import Gravity
from config.deployment.secrets import check_secret_key

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
BASE = DEPLOY / "kubernetes/base"
# Of deploy/toolbuilder and of the programs themselves.
OWN = {"WEB_HOST", "WEB_PORT", "WEB_WORKERS", "MCP_HOST", "MCP_WORKERS", "WORKER_THREADS"}
FOREIGN = {
    "ANONYMIZED_TELEMETRY",
    "HOME",
    "OMP_NUM_THREADS",
    "PATH",
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "WEB_NAME",
    "MCP_NAME",
}
PROCESSES = {"web", "mcp", "worker", "beat", "migrate"}


def documents(path: Path) -> list[dict[str, Any]]:
    return [document for document in yaml.safe_load_all(path.read_text()) if document]


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    """deploy/compose.yaml."""
    [document] = documents(DEPLOY / "compose.yaml")
    return document


@pytest.fixture(scope="module")
def manifests() -> list[dict[str, Any]]:
    """What the base of the manifests holds."""
    files = yaml.safe_load((BASE / "kustomization.yaml").read_text())["resources"]
    assert {path.name for path in BASE.iterdir()} == {*files, "kustomization.yaml"}
    return [document for name in files for document in documents(BASE / name)]


def containers(manifests: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    pods = [
        one["spec"]["template"]["spec"] for one in manifests if one["kind"] in {"Deployment", "Job"}
    ]
    return {pod["containers"][0]["name"]: {**pod, **pod["containers"][0]} for pod in pods}


def test_every_variable_is_one_of_the_settings(
    compose: dict[str, Any], manifests: list[dict[str, Any]]
) -> None:
    settings = (ROOT / "docs/reference/settings.md").read_text()
    names = set(compose["services"]["web"]["environment"])
    names |= {name for one in manifests if one["kind"] == "ConfigMap" for name in one["data"]}
    for container in containers(manifests).values():
        names |= {variable["name"] for variable in container.get("env", [])}
    for path in (DEPLOY / "systemd").glob("*"):
        names |= set(re.findall(r"(?:^|[ =])([A-Z][A-Z_]+)=", path.read_text(), re.MULTILINE))
    names = {
        name.removesuffix("_FILE") if name.endswith(("KEY_FILE", "KEYS_FILE", "URL_FILE")) else name
        for name in names
    }

    assert {name for name in names - OWN - FOREIGN if f"`{name}`" not in settings} - {
        "TOOLBUILDER_ETC"
    } == set()


def test_each_process_is_closed_in_wherever_it_runs(
    compose: dict[str, Any], manifests: list[dict[str, Any]]
) -> None:
    found = containers(manifests)
    assert found.keys() == {*PROCESSES, "embeddings"}
    for container in found.values():
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert container["resources"]["limits"].keys() == {"memory"}
    for name in PROCESSES:
        service = compose["services"][name]
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
        unit = (DEPLOY / f"systemd/toolbuilder-{name}.service").read_text()
        assert f"deploy/toolbuilder {name}" in unit
        assert {"NoNewPrivileges=true", "ProtectSystem=strict", "CapabilityBoundingSet="} <= set(
            unit.splitlines()
        )


def test_secrets_of_compose_are_made_once_and_are_good(
    compose: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make() -> dict[str, str]:
        subprocess.run(["sh", str(DEPLOY / "make_secrets.sh"), str(tmp_path / "s")], check=True)
        return {path.name: path.read_text() for path in (tmp_path / "s").iterdir()}

    made = make()

    assert make() == made
    assert (tmp_path / "s").stat().st_mode & 0o777 == 0o700
    files = {Path(secret["file"]).name for secret in compose["secrets"].values()}
    assert files <= made.keys()
    Fernet(made["field_encryption_keys"])
    monkeypatch.setenv("SECRET_KEY", made["secret_key"])
    assert [one.level for one in check_secret_key()] == [Gravity.OK]
    assert made["role_password"] in made["database_url"]
    assert made["redis_password"] in made["valkey.conf"]


def test_the_image_holds_every_package_and_pins_of_the_one_lock() -> None:
    kept = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {
        "tests",
        "benchmarks",
        "agents",
        "examples",
        "release",
    }
    pins = {
        name: set(re.findall(r"^([\w.\[\]-]+==\S+)", (ROOT / name).read_text(), re.MULTILINE))
        for name in ("requirements.txt", "requirements-server.txt")
    }

    assert packages
    assert {f"!{package}" for package in packages} <= set(kept)
    assert pins["requirements-server.txt"]
    assert pins["requirements-server.txt"] <= pins["requirements.txt"]
