"""Commands that the documentation shows, and what runs each of them, or why nothing does here."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
_SHELLS = {"", "bash", "sh"}
_PROGRAM = re.compile(
    r"(?:python3?|make|toolbuilder(?:-agent)?|\.venv[\w-]*/\S+|deploy/\S+|curl|docker|kubectl|pip|pipx|uvx|sh|git"
    r"|pg_dump|pg_restore|claude|systemctl|journalctl|useradd|install|cp|umask|echo|export|manage\.py|psql|sudo"
    r"|pgbouncer|celery)\s"
)
_VARIABLES = re.compile(r"^(?:[A-Z_]+=\S+ )+")
# How manage.py is called, wherever it is.
_MANAGE = re.compile(
    r"(?:python3? manage\.py|manage\.py|toolbuilder|deploy/systemd/toolbuilder-manage|deploy/toolbuilder"
    r"|docker compose .* run --rm web|kubectl .* exec \S+ -- deploy/toolbuilder)\s+(.+)"
)

# What runs the commands of manage.py.
MANAGE = {
    "audit": "tests/access/test_audit.py",
    "backup": "tests/config/backup/test_backup.py",
    "beat": "tests/config/services/test_up.py",
    "check_sources": "tests/catalog/sources/test_checking.py",
    "check_tools": "tests/tools/test_drift.py",
    "create_admin": "tests/access/test_create_admin.py",
    "create_api_key": "tests/access/test_keys.py",
    "deploy_check": "tests/config/deployment/test_deploy_check.py",
    "index_documents": "tests/catalog/documents/test_command.py",
    "migrate": "tests/config/backup/test_backup.py",
    "restore": "tests/config/backup/test_backup.py",
    "rotate_keys": "tests/catalog/sources/test_rotation.py",
    "runmcp": "tests/mcp_runtime/test_runmcp.py",
    "runweb": "tests/config/web/test_runweb.py",
    "scan_catalog": "tests/catalog/scans/test_command.py",
    "tools": "tests/toolbuilder/exchange",
    "up": "tests/config/services/test_up.py",
    "worker": "tests/config/services/test_up.py",
}
# What runs the others.
RUN_BY = {
    r"make run": "tests/config/services/test_up.py",
    r"make (agent|agent-eval) ?": "tests/agents/e2e/test_commands.py",
    r"make tests/clients/node_modules/\.installed": "Makefile",
    r"curl -s http://127\.0\.0\.1:3003/mcp": "tests/clients/test_readme.py",
    r"\.venv-examples/bin/python examples/": "tests/agents/examples/test_programs.py",
    r"\.venv/bin/python -m pytest tests/": "Makefile",
    r"sh deploy/make_secrets\.sh": "tests/deploy/test_files.py",
    r"pg_(dump|restore) ": "tests/config/backup/test_backup.py",
    r"toolbuilder-agent ": "release/toolbuilder_app/__init__.py",
    r"(\.venv(-services)?/bin/)?python3? (-m pip|-c) ": "tests/deploy/test_files.py",
}
NOT_HERE = {
    r"make (check|bench|bench-load|release|docs)\b": "runs this suite, or takes minutes to half an hour",
    r"\.venv/bin/python (-m )?benchmarks": "measures for minutes",
    r"git clone ": "the address is the reader's",
    r"(useradd|install|cp|umask|systemctl|journalctl|echo) ": "changes a machine's own folders and services",
    r"docker ": "no Docker here; the file is built by buildah and judged by its schema",
    r"kubectl ": "no cluster here; the manifests are judged by their schemas",
    r"(pip|pipx|uvx) ": "by `make release`, which installs the wheel into an empty environment",
    r"claude mcp add ": "a program of another company, with an account of the reader's",
    r"export ": "variables of the reader's",
    r"python3 -m venv ": "the Makefile makes its environments in the same way",
    r"curl ": "the address is an example",
    r"psql ": "a session of the reader's",
}


class ShownCommand(NamedTuple):
    """A line of a page as it is typed."""

    page: str
    line: str

    @property
    def of_manage(self) -> str:
        """What stands behind `manage.py`; '' for another program's line."""
        found = _MANAGE.fullmatch(self.line)
        return found[1] if found else ""


def list_commands() -> Iterator[ShownCommand]:
    """The commands in blocks of all pages, and those of manage.py in the lines of troubleshooting.md."""
    parser = MarkdownIt("commonmark").enable("table")
    for path in PAGES:
        page = path.relative_to(ROOT).as_posix()
        text = path.read_text()
        for token in parser.parse(text):
            if token.type not in {"fence", "code_block"}:
                continue
            language = token.info.strip()
            for line in token.content.replace("\\\n", " ").splitlines():
                typed = line.strip()
                if language == "console" and not typed.startswith("$ "):
                    continue
                typed = _VARIABLES.sub("", " ".join(typed.removeprefix("$ ").split()))
                if language in {*_SHELLS, "console"} and _PROGRAM.match(typed):
                    yield ShownCommand(page, typed)
        if page == "docs/troubleshooting.md":
            for line in re.findall(r"`(python manage\.py [^`]+)`", text):
                yield ShownCommand(page, line)
