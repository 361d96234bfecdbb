"""What the editor shows of a function of a database: its forms, and what each gives."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _

from catalog.models import DataSource
from catalog.sources.settings import read_sources, require_usable
from core.errors import ToolboxError
from tools.definitions import ParameterDocument, ToolDocument
from tools.models import ToolType
from tools.running import run_here

FORMS_SHOWN = 6
TIMEOUT_MS = 2_000
_FORMS = """
SELECT p.proname || '(' || pg_get_function_arguments(p.oid) || ')', pg_get_function_result(p.oid),
    obj_description(p.oid, 'pg_proc')
FROM pg_proc p WHERE p.proname = :name AND pg_function_is_visible(p.oid)
ORDER BY p.pronargs, p.oid LIMIT :forms
"""
# What the parser knows and no catalogue of functions has.
_OF_THE_PARSER = {
    "coalesce": ("coalesce(value, …)", _("the first of the values that is not null")),
    "nullif": ("nullif(a, b)", _("a, or null where both are equal")),
    "greatest": ("greatest(a, b, …)", _("the greatest of the values; nulls are left out")),
    "least": ("least(a, b, …)", _("the smallest of the values; nulls are left out")),
    "exists": ("exists(query)", _("whether the query gives any row")),
    "cast": ("cast(value AS type)", _("the value as another type; value::type says the same")),
    "extract": ("extract(field FROM time)", _("a part of a time as a number, such as year or dow")),
}


@dataclass(frozen=True, slots=True)
class FunctionForm:
    """One way to call a function, the type that it gives, and what it does; '' where nobody says it."""

    signature: str
    result: str = ""
    about: str = ""


def describe_function(name: str, source: DataSource | None, user: User) -> list[FunctionForm]:
    """The forms of a function of the data source, as far as the user may ask it; [] of one that is not known."""
    if known := _OF_THE_PARSER.get(name):
        signature, about = known
        return [FunctionForm(signature, about=str(about))]
    sources, source_name = read_sources(), source.name if source else None
    document = ToolDocument(
        name="function_forms",
        tool_type=ToolType.SQL,
        definition=_FORMS,
        data_source=source_name,
        timeout_ms=TIMEOUT_MS,
        parameters=(
            ParameterDocument(param_name="name"),
            ParameterDocument(param_name="forms", param_type="INTEGER"),
        ),
    )
    try:
        spec = document.to_spec(sources)
        require_usable(sources, spec.logic, user.get_username())
        values = {"name": name, "forms": FORMS_SHOWN}
        answer = run_here(spec, values, sources, caller=user.get_username(), is_counted=False)
    except ToolboxError:
        # Another engine has no such catalogue, and a card is no place for the faults of a source.
        return []
    rows = answer.result.rows if answer.result else ()
    return [FunctionForm(*(str(value or "") for value in row)) for row in rows]
