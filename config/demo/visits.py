"""The demo's file: counted visitors of the regions, as an uploaded Parquet file with a ready tool on it."""

import json
import shutil
from pathlib import Path

from django.db import transaction

from catalog.models import DataSource
from gateways.engines import UPLOADED
from toolbuilder.history.versions import VersionEntry, record_version
from toolbuilder.models import VersionOrigin
from tools.models import ToolDefinition, ToolParameter

FOLDER = Path(__file__).parent
SOURCE = "visits"
FILE = FOLDER / "store_visits.parquet"


def load_visits() -> bool:
    """Make the data source, its file and its tool; False, and nothing done, if there is one of that name.

    Nor is anything done where the engine of files is not installed.
    """
    if UPLOADED.extra and UPLOADED.extra.explain_missing():
        return False
    tool = json.loads((FOLDER / "visits_tool.json").read_text("utf-8"))
    parameters = tool.pop("params")
    with transaction.atomic():
        if DataSource.objects.filter(name=SOURCE).exists():
            return False
        source = DataSource.objects.create(name=SOURCE, engine=UPLOADED.name)
        folder = Path(source.files_folder)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        shutil.copyfile(FILE, folder / FILE.name)
        row = ToolDefinition.objects.create(**tool, data_source=source, created_by="demo")
        ToolParameter.objects.bulk_create(
            ToolParameter(tool=row, position=position, **parameter)
            for position, parameter in enumerate(parameters, start=1)
        )
        record_version(row, VersionEntry(origin=VersionOrigin.LOADED, author=row.created_by))
    return True
