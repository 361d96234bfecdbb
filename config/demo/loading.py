"""Loads the demo shop, the ready tools and the documents about the shop; each once."""

import json
from pathlib import Path
from typing import Any

import psycopg
from django.db import connection as application
from django.db import transaction
from django.utils import timezone

from catalog.documents.stored import load_files
from core.errors import ConfigurationError
from toolbuilder.history.versions import VersionEntry, record_version
from toolbuilder.models import VersionOrigin
from tools.models import RegistryRevision, ToolDefinition, ToolParameter

FOLDER = Path(__file__).parent
SHOP_SCRIPTS = ("shop.sql", "shop_comments.sql")
CONNECT_TIMEOUT_S = 10
# Any fixed number: two loaders of one database wait for each other.
LOADING_LOCK = 7_302_114
DOCUMENTS_SOURCE = "demo"
# A sequence remembers that there were rows, even when all are deleted.
_DOCUMENTS_WERE_WRITTEN = "SELECT is_called FROM h_reference_document_id_seq"
_SHOP_EXISTS = "SELECT to_regclass('public.sales_transactions') IS NOT NULL"


def load_shop(owner_dsn: str) -> bool:
    """Make the shop's tables and rows in schema public; False, and nothing done, if it is there.

    All of it is one transaction, so a part of a shop cannot be left behind. Raises
    ConfigurationError when the database cannot be reached or refuses a statement.
    """
    try:
        with psycopg.connect(owner_dsn, connect_timeout=CONNECT_TIMEOUT_S) as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", [LOADING_LOCK])
            (exists,) = connection.execute(_SHOP_EXISTS).fetchone() or (False,)
            for name in () if exists else SHOP_SCRIPTS:
                connection.execute((FOLDER / name).read_bytes())
            return not exists
    except psycopg.Error as error:
        raise ConfigurationError(
            "the demo shop could not be loaded: its database must be reachable, and its role must"
            " own the schema public and find no other tables of the same names there"
        ) from error


def load_tools() -> int:
    """Write the ready tools, and return how many; 0 if that was done before, or there are tools.

    So a tool that a person has deleted does not come back at the next start.
    """
    with transaction.atomic():
        registry = RegistryRevision.objects.select_for_update().get(pk=1)
        if registry.demo_loaded_at or ToolDefinition.objects.exists():
            return 0
        entries = read_tools()
        for entry in entries:
            columns = {name: value for name, value in entry.items() if name != "params"}
            tool = ToolDefinition.objects.create(**columns, created_by="demo")
            ToolParameter.objects.bulk_create(
                ToolParameter(tool=tool, position=position, **parameter)
                for position, parameter in enumerate(entry["params"], start=1)
            )
            record_version(tool, VersionEntry(origin=VersionOrigin.LOADED, author=tool.created_by))
        RegistryRevision.objects.filter(pk=1).update(demo_loaded_at=timezone.now())
        return len(entries)


def read_tools() -> list[dict[str, Any]]:
    """The ready tools: the columns of a tool, and under `params` those of its parameters in order."""
    entries: list[dict[str, Any]] = json.loads((FOLDER / "tools.json").read_text("utf-8"))
    return entries


def load_documents() -> int:
    """Write the reference documents of the shop, and return how many; 0 once there ever were any.

    So those that a person has removed do not come back, and none are mixed with a person's own.
    """
    with application.cursor() as cursor:
        cursor.execute(_DOCUMENTS_WERE_WRITTEN)
        (were_written,) = cursor.fetchone()
    if were_written:
        return 0
    (report,) = load_files({DOCUMENTS_SOURCE: [FOLDER / "documents.jsonl"]})
    return report.added
