"""What a file of descriptions would change: plain data that can be shown, kept and then applied."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib import import_module
from typing import IO, Any

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.backends.base import SessionBase
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from access.reader_language import in_language
from catalog.browsing.addresses import source_name_of
from catalog.editing.texts import clean_tags, clean_text, normal_form
from catalog.exchange.cells import Fault, FileRow
from catalog.exchange.places import Places, UnknownName
from catalog.exchange.rows import read_file
from catalog.models import CatalogColumn, CatalogTable
from core.errors import EditError
from core.messages import message

# A text, the tags of a table, or whether a column is masked.
Value = str | list[str] | bool | None
TABLE_TEXTS = frozenset({"display_name", "description", "tags", "notes"})
COLUMN_TEXTS = frozenset({"display_name", "description", "masked"})
_MASKED: Mapping[str, bool | None] = {
    **dict.fromkeys(("yes", "y", "true", "1", "on"), True),
    **dict.fromkeys(("no", "n", "false", "0", "off"), False),
    "": None,
}
KEPT_S = 6 * 3600
_PLAN, _USER = "import_plan", "import_user"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedChange:
    """One text of a table, or of its column, that the file wants different; `column` '' is the table.

    `name` is display_name, description, tags, notes or masked.
    """

    line: int
    table_id: int
    column_id: int | None = None
    source: str
    schema: str
    table: str
    column: str = ""
    name: str
    old: Value
    new: Value

    @property
    def is_clearing(self) -> bool:
        """Whether a text is lost and none takes its place."""
        return self.name != "masked" and bool(self.old) and not self.new


@dataclass(slots=True)
class ImportPlan:
    """What a file would change, and what it cannot: nothing else is applied than `changes`.

    `unchanged` counts the texts that are there already, `blank` those that empty cells leave as they
    are though there is one. `ignored` are columns of the file that are not ours.
    """

    file_name: str = ""
    row_count: int = 0
    changes: list[PlannedChange] = field(default_factory=list)
    unknown: list[UnknownName] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    unchanged: int = 0
    blank: int = 0

    @property
    def cleared(self) -> int:
        """Texts that would be lost."""
        return sum(change.is_clearing for change in self.changes)

    def to_json(self) -> str:
        """The plan as JSON, to keep it between showing and applying."""
        return json.dumps(asdict(self), ensure_ascii=False)


def plan_from_json(text: str) -> ImportPlan:
    """The plan that `to_json` wrote; only for JSON that nobody else could have changed."""
    values: dict[str, Any] = json.loads(text)
    values["changes"] = [PlannedChange(**change) for change in values["changes"]]
    values["unknown"] = [UnknownName(**unknown) for unknown in values["unknown"]]
    values["faults"] = [Fault(**fault) for fault in values["faults"]]
    return ImportPlan(**values)


def read_import(file: IO[bytes], file_name: str, tables: QuerySet[CatalogTable]) -> ImportPlan:
    """What the file would change of `tables`; nothing is written.

    Faulty rows are left out and named with their lines, rows of other tables are unknown. Raises
    ImportFileError for a file that cannot be read at all.
    """
    content = read_file(file, file_name)
    plan = ImportPlan(
        file_name=file_name,
        row_count=len(content.rows),
        faults=content.faults,
        ignored=content.ignored,
    )
    places = Places(tables, content.rows)
    lines: dict[tuple[int, int | None], int] = {}
    for row in content.rows:
        place = places.find(row)
        if isinstance(place, UnknownName):
            plan.unknown.append(place)
            continue
        if isinstance(place, Fault):
            plan.faults.append(place)
            continue
        table, column = place
        first = lines.setdefault((table.pk, column.pk if column else None), row.line)
        if first == row.line:
            _plan_row(plan, row, table, column)
        else:
            text = _("is there already, in line %(line)s") % {"line": first}
            plan.faults.append(_fault_of(row, text))
    plan.faults.sort(key=lambda fault: fault.line)
    return plan


def _plan_row(
    plan: ImportPlan, row: FileRow, table: CatalogTable, column: CatalogColumn | None
) -> None:
    """Add what a row changes to the plan."""
    owner: CatalogTable | CatalogColumn = column or table
    names = COLUMN_TEXTS if column else TABLE_TEXTS
    plan.blank += sum(bool(read_value(owner, name)) for name in row.blank if name in names)
    for name, text in row.texts.items():
        if name not in names:
            plan.faults += [_fault_of(row, _NOT_OURS[name]())] if text else []
            continue
        old = read_value(owner, name)
        if _is_same(name, old, text):
            plan.unchanged += 1
            continue
        try:
            new = _to_value(name, text)
        except EditError as error:
            plan.faults.append(_fault_of(row, in_language(error)))
            continue
        plan.changes.append(
            PlannedChange(
                line=row.line,
                table_id=table.pk,
                column_id=column.pk if column else None,
                source=source_name_of(table),
                schema=table.schema,
                table=table.name,
                column=column.name if column else "",
                name=name,
                old=old,
                new=new,
            )
        )


def _fault_of(row: FileRow, why: str) -> Fault:
    name = f"{row.table}.{row.column}" if row.column else row.table
    return Fault(row.line, f"{name}: {why}")


def read_value(owner: CatalogTable | CatalogColumn, name: str) -> Value:
    """What a table or column has under a name of files; tags in order."""
    if name == "tags" and isinstance(owner, CatalogTable):
        return sorted(tag.name for tag in owner.tags.all())
    if name == "masked" and isinstance(owner, CatalogColumn):
        return owner.is_masked
    return str(getattr(owner, name))


def _is_same(name: str, old: Value, text: str) -> bool:
    if isinstance(old, list):
        names = {normal_form("tag", part) for part in _split_tags(text)} - {""}
        return names == {normal_form("tag", tag) for tag in old}
    if isinstance(old, str):
        return normal_form(name, old) == normal_form(name, text)
    return text.strip().casefold() in _MASKED and _MASKED[text.strip().casefold()] == old


def _to_value(name: str, text: str) -> Value:
    if name == "tags":
        return sorted(clean_tags(_split_tags(text)))
    if name != "masked":
        return clean_text(name, text)
    try:
        return _MASKED[text.strip().casefold()]
    except KeyError:
        raise EditError(
            message("import.masked", "masked is yes, no, or empty for the rule of names")
        ) from None


def _split_tags(text: str) -> list[str]:
    return text.replace("|", ";").split(";")


_NOT_OURS = {
    "tags": lambda: _("only tables have tags; write them in the row without a column"),
    "notes": lambda: _("only tables have notes; write them in the row without a column"),
    "masked": lambda: _("only columns are masked; write it in the row of a column"),
}


def keep_plan(plan: ImportPlan, user: User) -> str:
    """The key under which that user finds the plan again.

    Sessions are signed or kept on the server, so nobody can change a plan after it was shown.
    """
    session = _open_session(None)
    session[_PLAN], session[_USER] = plan.to_json(), user.pk
    session.set_expiry(KEPT_S)
    session.save()
    return str(session.session_key)


def find_plan(key: str, user: User) -> ImportPlan | None:
    """The plan of that key if this user made it and it was neither applied nor dropped."""
    session = _find_session(key, user)
    return plan_from_json(session[_PLAN]) if session else None


def drop_plan(key: str, user: User) -> None:
    """Forget the plan of that key, if this user made it."""
    if session := _find_session(key, user):
        session.flush()


def _find_session(key: str, user: User) -> SessionBase | None:
    # The key comes from an address, so it may be that of a session of another kind.
    session = _open_session(key)
    return session if session.get(_PLAN) and session.get(_USER) == user.pk else None


def _open_session(key: str | None) -> SessionBase:
    store: type[SessionBase] = import_module(settings.SESSION_ENGINE).SessionStore
    return store(key)
