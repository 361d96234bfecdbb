"""`manage.py backup` and `restore`: everything that people have made comes back, or nothing is changed."""

import hashlib
import json
import os
import re
import secrets
import signal
import struct
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection

from access.audit.trail import check_chain
from access.encryption import seal
from access.models import RoleGrant, RoleName, ToolLimit
from catalog.models import DataSource, GlossaryConcept, ReferenceDocument, ServiceSecret
from config.backup.tables import BACKED_UP, LEFT_OUT
from config.services.ports import choose_free_port
from config.services.postgres_home import find_binaries
from config.services.processes import Command, Keeper, start, stop
from tests.catalog.rows import make_table
from tests.factories import make_data_source, make_expression, make_token, make_toolset
from tests.waiting import LIMIT_S, wait_until
from toolbuilder.editing.drafts import open_draft
from toolbuilder.editing.publishing import publish_tool
from toolbuilder.models import ToolCase
from tools.models import RegistryRevision

MANAGE = Path(__file__).parents[3] / "manage.py"
HANDBOOK = MANAGE.parent / "docs/production.md"
# What is made again elsewhere, or told of the restore itself.
CHANGED = {"h_audit", "h_audit_head", "django_content_type", "auth_permission"}
pytestmark = pytest.mark.django_db(transaction=True)


def manage(database: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(database, str(MANAGE), *arguments)


def manage_in_turn(database: str, *commands: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """These commands in one process, up to the first that fails: each start would take two seconds."""
    program = (
        "import django, json, sys; from django.core.management import call_command; django.setup()"
    )
    program += "; [call_command(*command) for command in json.loads(sys.argv[1])]"
    return run(database, "-c", program, json.dumps(commands))


def run(database: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=MANAGE.parent, env=environment(database), capture_output=True, text=True, check=False,
    )  # fmt: skip


def environment(database: str) -> dict[str, str]:
    """That of this run, without a broker, with another database and another place for files."""
    own = {"DATABASE_URL": url(database), "FILES_DIR": str(Path(settings.FILES_DIR, "elsewhere"))}
    own |= {"DJANGO_SETTINGS_MODULE": "config.settings"}
    return {**os.environ, "REDIS_URL": "", **own}


def url(database: str) -> str:
    return f"{os.environ['DATABASE_URL'].rpartition('/')[0]}/{database}"


def contents(database: str) -> dict[str, str]:
    """By table, a hash of the rows that a backup holds."""
    found = {}
    with psycopg.connect(url(database)) as other:
        for table in BACKED_UP:
            with (
                other.cursor() as cursor,
                cursor.copy(f"COPY (TABLE {table.name} ORDER BY 1) TO STDOUT") as copy,
            ):
                found[table.name] = hashlib.sha256(b"".join(map(bytes, copy))).hexdigest()
    return {name: digest for name, digest in found.items() if name not in CHANGED}


def tool_hashes(database: str) -> dict[str, str]:
    with psycopg.connect(url(database)) as other:
        return dict(other.execute("SELECT name, content_hash FROM h_custom_tool").fetchall())


@pytest.fixture(autouse=True)
def files_dir(settings: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings.FILES_DIR = tmp_path_factory.mktemp("files")
    return Path(settings.FILES_DIR)


@pytest.fixture
def filled(own_trail: None, files_dir: Path) -> str:
    """An installation that people use; the token of a key."""
    author = User.objects.create_user("ann", password="a right long one 7")
    tool = make_expression(name="multiply")
    publish_tool(open_draft(tool, "ann"), "ann")
    ToolCase.objects.create(tool=tool, name="six", document={"arguments": {"a": 2, "b": 3}})
    open_draft(make_expression(name="edited"), "ann")
    make_toolset("sums", "multiply")
    ToolLimit.objects.create(target_type="ALL", max_count=1_000)
    RoleGrant.objects.create(user=author, role=RoleName.AUTHOR)
    source = make_data_source("sales")
    source.password = seal("hush", source.password_identity())
    source.save()
    service = make_data_source("service", engine="http", server_url="https://api.example.org")
    ServiceSecret.objects.create(source=service, name="token", secret=seal("hush", "x"))
    make_table("orders", source=source)
    uploads = make_data_source("uploads", engine="files")
    (files_dir / uploads.uid.hex).mkdir()
    (files_dir / uploads.uid.hex / "매출 2026.parquet").write_bytes(b"PAR1 rows")
    GlossaryConcept.objects.create(key="revenue", terms={"ko": ["매출"]})
    ReferenceDocument.objects.create(
        key="a", kind="text", text="t", content_hash="h", indexed_hash="h", indexed_with="here"
    )
    return make_token("agent")


@pytest.fixture
def empty_database() -> Iterator[str]:
    """The name of a database without any table."""
    name = f"restored_{secrets.token_hex(4)}"
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        yield name
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_every_table_is_backed_up_or_left_out_with_a_reason() -> None:
    with connection.cursor() as cursor:
        # A partition is no table of its own.
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
            " AND relkind IN ('r', 'p') AND NOT relispartition"
        )
        tables = {name for (name,) in cursor.fetchall()}

    assert {table.name for table in BACKED_UP} & LEFT_OUT.keys() == set()
    assert {table.name for table in BACKED_UP} | LEFT_OUT.keys() == tables


@pytest.mark.slow
def test_what_was_backed_up_comes_back_and_serves(
    filled: str, empty_database: str, tmp_path: Path, keeper: Keeper
) -> None:
    file, here = tmp_path / "toolbuilder.backup", connection.settings_dict["NAME"]
    call_command("backup", str(file), "--with-secrets", stdout=StringIO(), stderr=StringIO())
    before, hashes = contents(here), tool_hashes(here)

    done = manage_in_turn(empty_database, ["restore", str(file)], ["audit", "verify"])

    assert done.returncode == 0, done.stderr
    assert file.stat().st_mode & 0o777 == 0o600
    assert hashes
    assert tool_hashes(empty_database) == hashes
    after = contents(empty_database)
    [table] = (Path(environment("")["FILES_DIR"])).rglob("*.parquet")
    assert (table.name, table.read_bytes()) == ("매출 2026.parquet", b"PAR1 rows")
    # Vectors are to be made again.
    assert {name for name in before if after[name] != before[name]} == {"h_reference_document"}
    _check_sequences(empty_database)
    # The same key opens the restored installation.
    assert _call(empty_database, filled, keeper, tmp_path) == 42
    used = manage(empty_database, "restore", str(file))
    assert "This installation is used: auth_user (1 rows)" in used.stderr

    _check_earlier_version(empty_database, tmp_path)


def _check_sequences(database: str) -> None:
    """A new row gets a number of its own."""
    with psycopg.connect(url(database)) as other:
        other.execute(
            "INSERT INTO h_custom_tool (name, description_agent, description_user, tool_type,"
            " definition, is_active, reg_dt, created_by) VALUES ('new', 'n', '', 'PYTHON', '1', 'Y',"
            " '2026-01-01', 'me')"
        )


def _call(database: str, token: str, keeper: Keeper, folder: Path) -> Any:
    """The answer of the restored tool to the key of before."""
    port, log = choose_free_port(), folder / "mcp.log"
    command = (sys.executable, str(MANAGE), "runmcp", "--port", str(port))
    process = start(Command(command, environment(database), log), keeper)
    try:
        wait_until(lambda: process.poll() is not None or _is_healthy(port))
        assert process.poll() is None, log.read_text()
        headers = {
            "Authorization": f"Bearer {token}",
            "Accept": "application/json, text/event-stream",
        }
        version = "2026-07-28"
        headers |= {
            "MCP-Protocol-Version": version,
            "Mcp-Method": "tools/call",
            "Mcp-Name": "multiply",
        }
        about = {"protocolVersion": version, "clientInfo": {"name": "t", "version": "1"}}
        meta = {f"io.modelcontextprotocol/{name}": value for name, value in about.items()}
        meta["io.modelcontextprotocol/clientCapabilities"] = {}
        parameters = {"name": "multiply", "arguments": {"a": 6, "b": 7}, "_meta": meta}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}
        answer = httpx.post(f"http://127.0.0.1:{port}/mcp", json=body, headers=headers, timeout=60)
        return answer.json()["result"]["structuredContent"]["result"]
    finally:
        stop(process, signal.SIGTERM, timeout_s=LIMIT_S)
        keeper.forget(process.pid)


def _is_healthy(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz").status_code == 200
    except httpx.TransportError:
        return False


def _check_earlier_version(database: str, folder: Path) -> None:
    """A backup from before the editor had its tables comes back as one of this version."""
    file = folder / "earlier.backup"
    earlier = manage_in_turn(database, ["migrate", "toolbuilder", "zero"], ["backup", str(file)])
    assert earlier.returncode == 0, earlier.stderr

    restore = ["restore", str(file), "--replace"]
    done = manage_in_turn(database, ["migrate"], restore, ["migrate", "--check"])

    assert done.returncode == 0, done.stderr
    assert "It holds no secrets" in done.stderr
    assert "multiply" in tool_hashes(database)
    with psycopg.connect(url(database)) as other:
        (password,) = other.execute("SELECT password FROM auth_user").fetchone() or ("",)
        assert password.startswith("!")
        sealed = other.execute("SELECT password FROM h_data_source WHERE name = 'sales'").fetchone()
        assert sealed == ("",)
        assert other.execute("SELECT count(*) FROM h_data_source_secret").fetchone() == (0,)


def test_a_file_that_is_broken_or_of_a_later_version_changes_nothing(
    filled: str, files_dir: Path, tmp_path: Path
) -> None:
    whole, here = tmp_path / "whole", connection.settings_dict["NAME"]
    call_command("backup", str(whole), stdout=StringIO())
    before, revision = contents(here), RegistryRevision.current()
    broken = {
        "is no backup, or not all of it": _cut(whole),
        "is not what was written": _rewrite(whole, "tables/h_custom_tool.copy", b"1\n"),
        "files/.* is not what was written": _rewrite(whole, _file_in(whole), b"other"),
        "manifest is broken": _rewrite(whole, "manifest.json", _leading_out(whole)),
        "h_custom_tool.copy is broken": _damage(whole, "tables/h_custom_tool.copy"),
        "manifest is broken;": _damage(whole, "manifest.json"),
        "manifest is broken; take": _rewrite(whole, "manifest.json", _of_other_types(whole)),
        "is not whole": _rewrite(whole, "tables/h_custom_tool.copy", None),
        "is later than this program": _rewrite(whole, "manifest.json", _later(whole)),
        "cannot read": _rewrite(
            whole, "manifest.json", b'{"program": "toolbuilder", "format": 2, "version": "9"}'
        ),
        "no backup of Toolbuilder": _rewrite(whole, "manifest.json", b'{"program": "other"}'),
        "There is no file": tmp_path / "missing",
    }

    for words, file in broken.items():
        with pytest.raises(CommandError, match=words):
            call_command("restore", str(file), "--replace")

    assert contents(here) == before
    assert RegistryRevision.current() == revision
    assert check_chain().is_whole
    assert [path.name for path in files_dir.rglob("*.*")] == ["매출 2026.parquet"]


def test_restored_files_take_the_place_of_those_that_are_replaced(
    filled: str, files_dir: Path, tmp_path: Path
) -> None:
    file, source = tmp_path / "toolbuilder.backup", DataSource.objects.get(name="uploads")
    call_command("backup", str(file), stdout=StringIO())
    other = make_data_source("later", engine="files")
    for number, of_source in enumerate((source, other)):
        (files_dir / of_source.uid.hex).mkdir(exist_ok=True)
        (files_dir / of_source.uid.hex / f"later{number}.parquet").write_bytes(b"later")

    call_command("restore", str(file), "--replace", stdout=StringIO(), stderr=StringIO())

    names = [str(path.relative_to(files_dir)) for path in files_dir.rglob("*")]
    assert sorted(names) == [source.uid.hex, f"{source.uid.hex}/매출 2026.parquet"]


def _of_other_types(whole: Path) -> bytes:
    with zipfile.ZipFile(whole) as backup:
        manifest = json.loads(backup.read("manifest.json"))
    return json.dumps({**manifest, "migrations": [1]}).encode()


def _cut(file: Path) -> Path:
    cut = file.with_name("cut")
    cut.write_bytes(file.read_bytes()[:-2_000])
    return cut


def _damage(file: Path, name: str) -> Path:
    """The backup as a disk with a fault would give it: bytes of that part are others."""
    content = bytearray(file.read_bytes())
    with zipfile.ZipFile(file) as backup:
        offset = backup.getinfo(name).header_offset
    start = offset + 30 + sum(struct.unpack("<HH", content[offset + 26 : offset + 30]))
    content[start : start + 8] = b"\xff" * 8
    damaged = file.with_name(secrets.token_hex(4))
    damaged.write_bytes(content)
    return damaged


def _later(file: Path) -> bytes:
    with zipfile.ZipFile(file) as backup:
        manifest = json.loads(backup.read("manifest.json"))
    manifest["migrations"]["tools"].append("9999_later")
    return json.dumps(manifest).encode()


def _file_in(file: Path) -> str:
    with zipfile.ZipFile(file) as backup:
        return next(name for name in backup.namelist() if name.startswith("files/"))


def _leading_out(file: Path) -> bytes:
    """The manifest of a backup whose file would be written beside FILES_DIR."""
    with zipfile.ZipFile(file) as backup:
        return backup.read("manifest.json").replace(b'"folder": "', b'"folder": "../')


def _rewrite(file: Path, name: str, content: bytes | None) -> Path:
    """The backup with another part of that name, or without it."""
    changed = file.with_name(secrets.token_hex(4))
    with zipfile.ZipFile(file) as backup, zipfile.ZipFile(changed, "w") as other:
        for entry in backup.namelist():
            if entry != name:
                other.writestr(entry, backup.read(entry))
            elif content is not None:
                other.writestr(entry, content)
    return changed


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("backup", str(tmp_path / "missing" / "file"))

    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_lines_of_the_handbook_dump_and_restore_the_whole_database(
    filled: str, empty_database: str, tmp_path: Path
) -> None:
    lines = re.findall(r"^    (pg_(?:dump|restore) .+)$", HANDBOOK.read_text(), re.MULTILINE)
    here = connection.settings_dict["NAME"]
    assert len(lines) == 2

    for line, database in zip(lines, (here, empty_database), strict=True):
        path = f"{find_binaries()}:{os.environ['PATH']}"
        variables = {**os.environ, "DATABASE_URL": url(database), "PATH": path}
        # A function of the tests, which only a superuser may make.
        typed = line.replace("pg_dump ", "pg_dump --exclude-schema tests ")
        subprocess.run(typed, shell=True, cwd=tmp_path, env=variables, check=True)

    assert contents(empty_database) == contents(here)
    assert manage(empty_database, "audit", "verify").returncode == 0
